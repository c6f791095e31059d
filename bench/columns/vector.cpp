// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/vector.hpp"

namespace {

using namespace bench;

template <class T>
class Structs : public Vector<T> {
public:
    void update() {
        for (T& element : this->vector_) element.field += columns::second(element);
    }
};

template <class T>
class PerField {
public:
    using value_type = T;

    std::uint32_t insert(const T& value) {
        const auto fields = columns::fields(value);
        for (std::size_t i = 0; i < fields.size(); ++i) fields_[i].push_back(fields[i]);
        return static_cast<std::uint32_t>(fields_[0].size() - 1);
    }
    [[nodiscard]] const columns::Word* field(std::uint32_t i) const noexcept { return fields_[0].data() + i; }
    [[nodiscard]] columns::Word sum() const {
        columns::Word sum = 0;
        for (const columns::Word field : fields_[0]) sum += field;
        return sum;
    }
    void update() {
        for (std::size_t i = 0; i < fields_[0].size(); ++i) fields_[0][i] += fields_[1][i];
    }

private:
    std::array<std::vector<columns::Word>, columns::field_count<T>> fields_;
};

const Registered registered([] {
    columns::add_contender<Structs>("vector_of_struct", Role::limit);
    columns::add_contender<PerField>("vector_per_field", Role::limit);
});

} // namespace
