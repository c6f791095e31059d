// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Each field beside the second one is a static column of the map.
#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <memory>
#include <utility>

namespace {

using namespace bench;
using columns::Word;

template <std::size_t>
using Column = slotwise::Column<Word>;

template <class T, class Others>
class Base;

// Column 0 is field 0, column i field i + 1: field 1 is the element.
template <class T, std::size_t... I>
class Base<T, std::index_sequence<I...>> {
public:
    using value_type = T;
    using Map = slotwise::SlotMap<Word, Column<0>, Column<I + 1>...>;
    using Handle = typename Map::handle_type;

    Handle insert(const T& value) {
        const auto fields = columns::fields(value);
        const Handle handle = map_.insert(fields[1]);
        map_.template observer<0>()[handle.index()] = fields[0];
        ((map_.template observer<I + 1>()[handle.index()] = fields[I + 2]), ...);
        return handle;
    }
    void erase(Handle handle) { map_.erase(handle); }

protected:
    [[nodiscard]] auto fields() noexcept { return map_.template column<0>(); }
    [[nodiscard]] auto fields() const noexcept { return map_.template column<0>(); }
    [[nodiscard]] auto others() const noexcept { return map_.values(); }

    Map map_;
};

template <class T>
using Columns = Base<T, std::make_index_sequence<columns::field_count<T> - 2>>;

template <class T>
class Whole : public Columns<T> {
public:
    [[nodiscard]] const Word* field(typename Columns<T>::Handle handle) const { return this->fields().get(handle); }
    [[nodiscard]] Word sum() const {
        Word sum = 0;
        this->fields().for_each([&sum](Word field) { sum += field; });
        return sum;
    }
    void update() {
        slotwise::zip_columns([](slotwise::slot_t, Word& field, Word other) { field += other; }, this->fields(),
                              this->others());
    }
};

template <class T>
class Chunks : public Columns<T> {
public:
    [[nodiscard]] Word sum() const {
        Word sum = 0;
        each_word(this->fields(), [&sum](std::uint64_t live, slotwise::slot_t, const Word* field) {
            each_bit(live, [&](std::size_t i) { sum += field[i]; });
        });
        return sum;
    }
    void update() {
        const auto others = this->others().pages();
        each_word(this->fields(), [&others](std::uint64_t live, slotwise::slot_t first, Word* field) {
            const Word* const other = others.ptr(first);
            each_bit(live, [&](std::size_t i) { field[i] += other[i]; });
        });
    }

private:
    // 64 slots at a time, with their mask.
    template <class View, class Function>
    static void each_word(View view, Function function) {
        for (const auto& chunk : view.chunks()) {
            for (std::size_t w = 0; w < chunk.live.words().size(); ++w) {
                function(chunk.live.word(w), static_cast<slotwise::slot_t>(chunk.first + w * 64), chunk.values.data() + w * 64);
            }
        }
    }
    template <class Function>
    static void each_bit(std::uint64_t live, Function function) {
        if (live == ~std::uint64_t{0}) {
            for (std::size_t i = 0; i < 64; ++i) function(i);
        } else {
            for (; live != 0; live &= live - 1) function(static_cast<std::size_t>(std::countr_zero(live)));
        }
    }
};

template <class T>
class Iterator : public Columns<T> {
public:
    [[nodiscard]] Word sum() const {
        Word sum = 0;
        for (const Word field : this->fields()) sum += field;
        return sum;
    }
    void update() {
        auto other = this->others().begin();
        for (Word& field : this->fields()) field += *other++;
    }
};

// By number, for the slots of a range.
template <class T>
class BySlot : public Columns<T> {
protected:
    template <class Range>
    [[nodiscard]] Word sum_of(const Range& slots) const {
        Word sum = 0;
        const auto fields = this->fields();
        for (const slotwise::slot_t slot : slots) sum += fields[slot];
        return sum;
    }
    template <class Range>
    void update_of(const Range& slots) {
        const auto fields = this->fields();
        const auto others = this->others();
        for (const slotwise::slot_t slot : slots) fields[slot] += others[slot];
    }
};

template <class T>
class Slots : public BySlot<T> {
public:
    [[nodiscard]] Word sum() const { return this->sum_of(this->fields().slots()); }
    void update() { this->update_of(this->fields().slots()); }
};

template <class T>
class Index : public Columns<T> {
public:
    [[nodiscard]] Word sum() const {
        Word sum = 0;
        const auto fields = this->fields();
        for (slotwise::slot_t slot = 0; slot < fields.slot_end(); ++slot) {
            if (fields.contains(slot)) sum += fields[slot];
        }
        return sum;
    }
    void update() {
        const auto fields = this->fields();
        const auto others = this->others();
        for (slotwise::slot_t slot = 0; slot < fields.slot_end(); ++slot) {
            if (fields.contains(slot)) fields[slot] += others[slot];
        }
    }
};

template <class T>
class SlotList : public BySlot<T> {
public:
    using Handle = slotwise::slot_t;

    Handle insert(const T& value) { return Columns<T>::insert(value).index(); }
    void erase(Handle slot) { this->map_.erase(this->map_.handle_at(slot)); }
    void walk_by(const std::vector<Handle>& slots) { slots_ = slots; }
    [[nodiscard]] const Word* field(Handle slot) const { return &this->fields()[slot]; }
    [[nodiscard]] Word sum() const { return this->sum_of(slots_); }
    void update() { this->update_of(slots_); }

private:
    std::vector<Handle> slots_;
};

const Registered registered([] {
    columns::add_contender<Whole>("columns", Role::ours);
    columns::add_contender<Chunks>("columns.chunks", Role::ours);
    columns::add_contender<Iterator>("columns.iterator", Role::ours);
    columns::add_contender<Slots>("columns.slots", Role::ours);
    columns::add_contender<Index>("columns.index", Role::ours);
    columns::add_contender<SlotList>("columns.slot_list", Role::ours);
});

} // namespace
