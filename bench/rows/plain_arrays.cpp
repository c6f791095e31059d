// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <cstring>
#include <new>

namespace {

using namespace bench;

// Arrays of their own, 64-byte aligned, and what each function needs by hand.
class Columns {
public:
    Columns() = default;
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
    ~Columns() {
        for (float* field : fields_) ::operator delete(field, std::align_val_t{64});
    }
    void push(const rows::Eight& row) {
        if (size_ == capacity_) grow();
        for (std::size_t k = 0; k < row.size(); ++k) fields_[k][size_] = row[k];
        ++size_;
    }
    void update() {
        float* const positions = fields_[0];
        const float* const speeds = fields_[4];
        for (std::size_t i = 0; i < size_; ++i) positions[i] += speeds[i];
    }
    [[nodiscard]] float first(std::size_t row) const { return fields_[0][row]; }

private:
    void grow() {
        const std::size_t more = capacity_ == 0 ? 16 : 2 * capacity_;
        for (float*& field : fields_) {
            auto* const fresh = static_cast<float*>(::operator new(more * sizeof(float), std::align_val_t{64}));
            if (size_ != 0) std::memcpy(fresh, field, size_ * sizeof(float));
            ::operator delete(field, std::align_val_t{64});
            field = fresh;
        }
        capacity_ = more;
    }
    float* fields_[8] = {};
    std::size_t size_ = 0, capacity_ = 0;
};

const Registered registered([] { rows::add_update<Columns>("plain_arrays", Role::limit); });

} // namespace
