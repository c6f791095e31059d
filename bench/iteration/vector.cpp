// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit: the live elements, packed in a std::vector, with no way to name one of them.
#include "workload.hpp"

namespace {

using namespace bench;

// Packs after the erasures; an element is known by the number of its insertion until then.
template <class T, class Stored>
class Packed {
public:
    using value_type = T;

    std::size_t insert(const T& value) {
        if constexpr (std::is_same_v<Stored, T>) {
            stored_.push_back(value);
        } else {
            stored_.push_back(value.field);
        }
        return stored_.size() - 1;
    }
    void erase(std::size_t i) {
        if (dead_.empty()) dead_.resize(stored_.size());
        dead_[i] = true;
    }
    void settle() {
        if (dead_.empty()) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < stored_.size(); ++i) {
            if (!dead_[i]) stored_[kept++] = stored_[i];
        }
        stored_.resize(kept);
    }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const Stored& stored : stored_) {
            if constexpr (std::is_same_v<Stored, T>) {
                sum += stored.field;
            } else {
                sum += stored;
            }
        }
        return sum;
    }

private:
    std::vector<Stored> stored_;
    std::vector<bool> dead_;
};

template <class T>
using Elements = Packed<T, T>;

template <class T>
using Column = Packed<T, field_t<T>>;

const Registered registered([] {
    iteration::add_contender<Elements>("vector", Role::limit);
    iteration::add_contender<Column>("vector_of_field", Role::limit);
});

} // namespace
