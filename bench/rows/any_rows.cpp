// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/rows/any_rows.hpp>

namespace {

using namespace bench;
using slotwise::AnyRows;
using slotwise::TypeDescriptor;
using Vec = std::array<float, 3>;

class Tables {
public:
    void push(std::uint32_t id) {
        without_.push_back({slotwise::AnyValue::of(std::uint32_t{id}),
                            slotwise::AnyValue::of(Vec{static_cast<float>(id), 1, 2}), slotwise::AnyValue::of(Vec{})});
    }
    SLOTWISE_BENCH_STEP std::uint32_t add(std::size_t row) {
        static constexpr std::int32_t map[] = {0, 1, 2, AnyRows::no_column};
        const slotwise::AnyValue values[] = {{}, {}, {}, slotwise::AnyValue::copied(&stun_)};
        const slotwise::RowMove moved = AnyRows::move_row(without_, row, with_, map, values);
        return moved.filled_from == AnyRows::no_row ? at<std::uint32_t>(with_, 0, moved.row)
                                                    : at<std::uint32_t>(without_, 0, row);
    }
    SLOTWISE_BENCH_STEP std::uint32_t remove(std::size_t row) {
        static constexpr std::int32_t map[] = {0, 1, 2};
        return static_cast<std::uint32_t>(AnyRows::move_row(with_, row, without_, map).row);
    }
    [[nodiscard]] std::uint64_t at(std::size_t row) {
        return at<std::uint32_t>(without_, 0, row) + static_cast<std::uint64_t>(at<Vec>(without_, 1, row)[0]);
    }

private:
    template <class T>
    [[nodiscard]] static T at(AnyRows& rows, std::size_t column, std::size_t row) {
        return rows.column(column).as<T>()[row];
    }

    AnyRows without_{&TypeDescriptor::of<std::uint32_t>(), &TypeDescriptor::of<Vec>(), &TypeDescriptor::of<Vec>()};
    AnyRows with_{&TypeDescriptor::of<std::uint32_t>(), &TypeDescriptor::of<Vec>(), &TypeDescriptor::of<Vec>(),
                  &TypeDescriptor::of<float>()};
    float stun_ = 1;
};

const Registered registered([] { rows::add_moves<Tables>("AnyRows", Role::ours); });

} // namespace
