// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Undo and redo of the elements of a slot map. The guide quotes it, and the tests run random histories of it against a model.
#ifndef SLOTWISE_EXAMPLES_UNDO_HISTORY_HPP
#define SLOTWISE_EXAMPLES_UNDO_HISTORY_HPP

// [readme]
#include <deque>
#include <optional>
#include <slotwise/map/slot_map.hpp>
#include <utility>

template <class Map>
struct History { // make all edits by it
    using Id = typename Map::handle_type;
    using Value = typename Map::value_type;
    explicit History(Map& map, std::size_t most = 1000) : map_(map), most_(most) {}
    Id insert(Value value) {
        Edit& edit = next();
        edit.id = map_.insert(std::move(value));
        return done(edit.id);
    }
    void erase(Id id) {
        if (!map_.contains(id)) return;
        Edit& edit = next();
        edit.other = map_.extract_reserved(id);
        done(edit.id = id);
    }
    void change(Id id, Value value) {
        if (!map_.contains(id)) return;
        Edit& edit = next();
        edit.changes = true;
        edit.other = std::move(value);
        exchange(map_, id, *edit.other);
        done(edit.id = id);
    }
    void undo() {
        if (done_ != 0) flip(edits_[--done_]);
    }
    void redo() {
        if (done_ != edits_.size()) flip(edits_[done_++]);
    }
    struct Edit {
        Id id{};
        bool changes = false;
        std::optional<Value> other{}; // the other value of a change, or what is away
    };
    static void exchange(Map& map, Id id, Value& value) {
        Value before(std::move(map[id]));
        map[id] = std::move(value);
        value = std::move(before);
    }
    void flip(Edit& edit) {
        if (edit.changes)
            exchange(map_, edit.id, *edit.other);
        else if (!edit.other)
            edit.other = map_.extract_reserved(edit.id); // its handle finds nothing, and no other element gets it
        else if (map_.fulfill(edit.id, std::move(*edit.other)))
            edit.other.reset(); // back, under the same handle
    }
    void forget(const Edit& edit) {
        if (edit.other && !edit.changes) map_.cancel(edit.id); // what is away here comes back no more: its slot is free
    }
    Edit& next() {
        for (; edits_.size() != done_; edits_.pop_back()) forget(edits_.back());
        return edits_.emplace_back(); // first, because it may throw
    }
    Id done(Id id) {
        if (edits_.size() > most_) forget(edits_.front()), edits_.pop_front();
        done_ = edits_.size();
        return id;
    }
    Map& map_;
    std::size_t most_, done_ = 0; // edits from done_ on are undone
    std::deque<Edit> edits_{};
};
// [/readme]

#endif
