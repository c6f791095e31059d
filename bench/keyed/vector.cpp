// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit of iteration and of memory: the values alone in a std::vector, without keys.
#include "workload.hpp"

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
class Vector {
public:
    using kind_type = Kind;

    void insert(const typename Kind::Key&, keyed::Value value) { vector_.push_back(value); }
    [[nodiscard]] std::size_t size() const noexcept { return vector_.size(); }
    [[nodiscard]] keyed::Value sum() const {
        keyed::Value sum = 0;
        for (const keyed::Value value : vector_) sum += value;
        return sum;
    }

private:
    std::vector<keyed::Value, Allocator<keyed::Value>> vector_;
};

const Registered registered([] { keyed::add_contender<Vector>("vector", Role::limit); });

} // namespace
