// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A table of rows: every container of rows holds the same ones and goes through the same changes, beside a vector of structs.
// Each decision of an input is one operation. Bytes gone bad are refused, or are those of a state.
#ifndef SLOTWISE_TESTS_FUZZ_ROWS_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_ROWS_BODY_HPP

#include "world.hpp"

#include <slotwise/rows/any_rows.hpp>
#include <slotwise/rows/bit_column.hpp>
#include <slotwise/rows/soa_vector.hpp>
#include <slotwise/rows/tick_column.hpp>

#include <algorithm>

namespace {

using namespace test;

/// What the containers hold of a row.
struct Row {
    bool bit, other;
    int number;
    tick_t added, changed;
};

class Table {
public:
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done(); ++operations) {
            step(in);
            check();
        }
        return operations;
    }

private:
    Row made(Input& in) {
        const unsigned bits = in.byte();
        const tick_t changed = now_ - static_cast<tick_t>(in.below(40));
        return {(bits & 1) != 0, (bits & 2) != 0, static_cast<int>(bits) / 4, changed - bits % 3, changed};
    }
    std::size_t row(Input& in) { return in.below(rows_.size()); }

    void step(Input& in) {
        const std::size_t what = in.below(24);
        if (rows_.empty() || what < 6) return add(made(in));
        switch (what) {
        case 6:
        case 7:
            return erase(row(in));
        case 8:
            return exchange(row(in), row(in));
        case 9:
            each([](auto& c) { c.pop_back(); });
            rows_.pop_back();
            return;
        case 10:
            return insert(in.below(rows_.size() + 1), made(in));
        case 11:
            return erase_in_order(row(in));
        case 12: {
            const std::size_t count = in.below(200);
            const bool bit = in.flip();
            bits_.resize(count, bit), others_.resize(count, !bit), ticks_.resize(count, now_), soa_.resize(count);
            while (any_.size() > count) any_.pop_back();
            any_.append(count - any_.size());
            rows_.resize(count, {bit, !bit, 0, now_, now_});
            return;
        }
        case 13: {
            const std::size_t at = row(in);
            bits_.flip(at), others_.set(at, bits_[at]), ticks_.mark(at, now_);
            rows_[at].bit = !rows_[at].bit;
            rows_[at].other = rows_[at].bit;
            rows_[at].changed = now_;
            return;
        }
        case 14:
            now_ += static_cast<tick_t>(in.number(3)) << 6; // as far as ticks may be apart
            ticks_.clamp(now_);
            for (Row& each : rows_) each.added = clamp_tick(each.added, now_), each.changed = clamp_tick(each.changed, now_);
            return;
        case 15:
            return runs(in.below(rows_.size() + 1));
        case 16:
            return changes(now_ - static_cast<tick_t>(in.below(60)));
        case 17:
            each([&](auto& c) { c.reserve(in.below(300)); });
            return;
        case 18:
            each([](auto& c) { c.shrink_to_fit(); });
            return;
        case 19:
            if (in.below(8) != 0) return;
            each([](auto& c) { c.clear(); });
            rows_.clear();
            return;
        case 20:
            return pass(in.below(4));
        case 21:
            return hostile(bits_, in);
        case 22:
            return hostile(ticks_, in), hostile(numbers(), in);
        default:
            now_ += static_cast<tick_t>(in.below(9));
        }
    }

    //=== changes ===//

    void add(Row row) {
        bits_.push_back(row.bit), others_.push_back(row.other), ticks_.push_back(row.added, row.changed);
        soa_.push_back(row.number, row.number);
        any_.push_back({AnyValue::of(Counted(row.number)), AnyValue::of(row.number)});
        rows_.push_back(row);
    }
    void erase(std::size_t at) {
        each([at](auto& c) { c.swap_erase(at); });
        rows_[at] = rows_.back();
        rows_.pop_back();
    }
    void exchange(std::size_t a, std::size_t b) {
        each([=](auto& c) { c.swap_rows(a, b); });
        std::swap(rows_[a], rows_[b]);
    }
    /// Those that cannot insert in the middle get there by swaps.
    void insert(std::size_t at, Row row) {
        bits_.insert(at, row.bit), others_.insert(at, row.other), ticks_.push_back(row.added, row.changed);
        soa_.insert(at, row.number, row.number);
        any_.push_back({AnyValue::of(Counted(row.number)), AnyValue::of(row.number)});
        for (std::size_t i = rows_.size(); i != at; --i) ticks_.swap_rows(i, i - 1), any_.swap_rows(i, i - 1);
        rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(at), row);
    }
    void erase_in_order(std::size_t at) {
        bits_.erase(at), others_.erase(at), soa_.erase(at);
        for (std::size_t i = at; i + 1 != rows_.size(); ++i) ticks_.swap_rows(i, i + 1), any_.swap_rows(i, i + 1);
        ticks_.pop_back(), any_.pop_back();
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    /// Through copies, moves, swaps or snapshots.
    void pass(std::size_t how) {
        each([how](auto& c) {
            using C = std::remove_reference_t<decltype(c)>;
            C other;
            if (how == 0)
                other = c;
            else if (how == 1)
                other = std::move(c);
            else if (how == 2)
                other.swap(c);
            else if constexpr (
                requires { c.words(); } || requires { c.changed_ticks(); })
                FUZZ_CHECK(other.try_restore(c.snapshot()) == nullptr);
            else
                other = c; // what it holds has no codec
            if (how == 1 || how == 2) FUZZ_CHECK(c.size() == 0 && c.check_invariants());
            c = std::move(other);
        });
    }
    /// What is taken is what would be written; what is not has no effect.
    template <class C>
    static void hostile(const C& c, Input& in) {
        auto bytes = c.snapshot();
        corrupt_snapshot(bytes, in);
        C other(c);
        if (other.try_restore(bytes) == nullptr)
            FUZZ_CHECK(other.snapshot() == bytes);
        else
            FUZZ_CHECK(other == c);
        const bool comparable = !requires { c.changed_ticks(); }; // ticks that were bad need not be
        FUZZ_CHECK(!comparable || other.check_invariants());
    }

    //=== walks ===//

    void runs(std::size_t count) {
        std::size_t next = 0; // the first row that no run has told of
        const auto holds = [&](std::size_t i) { return rows_[i].bit && !rows_[i].other; };
        const auto none = [&](std::size_t first, std::size_t last) {
            for (; first != last; ++first) FUZZ_CHECK(!holds(first));
        };
        for_each_run(count, include(bits_), exclude(others_), [&](std::size_t first, std::size_t last) {
            FUZZ_CHECK(first < last && last <= count && (first == 0 || first > next || next == 0));
            none(next, first);
            for (; first != last; ++first) FUZZ_CHECK(holds(first));
            FUZZ_CHECK(last == count || !holds(last));
            next = last;
        });
        none(next, count);
    }
    void changes(tick_t since) {
        std::size_t next = 0;
        ticks_.for_each_changed(since, [&](std::size_t at) {
            for (; next != at; ++next) FUZZ_CHECK(!is_newer(rows_[next].changed, since));
            FUZZ_CHECK(is_newer(rows_[next++].changed, since));
        });
        for (; next != rows_.size(); ++next) FUZZ_CHECK(!is_newer(rows_[next].changed, since));
        const auto is_new = [&](const Row& each) { return is_newer(each.added, since); };
        FUZZ_CHECK(ticks_.any_added(since) == std::any_of(rows_.begin(), rows_.end(), is_new));
    }

    SoaVector<int, bool> numbers() const {
        SoaVector<int, bool> all;
        for (const Row& row : rows_) all.push_back(row.number, row.bit);
        return all;
    }
    template <class F>
    void each(F&& f) {
        f(bits_), f(others_), f(ticks_), f(soa_), f(any_);
    }
    void check() {
        each([&](const auto& c) { FUZZ_CHECK(c.size() == rows_.size() && c.check_invariants()); });
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            const Row& row = rows_[i];
            FUZZ_CHECK(bits_[i] == row.bit && others_[i] == row.other);
            FUZZ_CHECK(ticks_.added(i) == row.added && ticks_.changed(i) == row.changed);
            FUZZ_CHECK(soa_.column<0>()[i].value() == soa_.column<1>()[i] && soa_.column<1>()[i] == row.number);
            FUZZ_CHECK(any_.column(0).as<Counted>()[i].value() == row.number && any_.column(1).as<int>()[i] == row.number);
        }
    }

    std::vector<Row> rows_{};
    BitColumn bits_{}, others_{};
    TickColumn ticks_{};
    SoaVector<Counted, int> soa_{};
    AnyRows any_{&TypeDescriptor::of<Counted>(), &TypeDescriptor::of<int>()};
    tick_t now_ = 1000;
};

} // namespace

#endif
