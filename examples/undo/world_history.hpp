// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Undo and redo of the entities of an ArchetypeStore. The guide quotes it, and the tests run random histories of it against a
// model.
#ifndef SLOTWISE_EXAMPLES_UNDO_WORLD_HISTORY_HPP
#define SLOTWISE_EXAMPLES_UNDO_WORLD_HISTORY_HPP

// [readme]
#include <deque>
#include <functional>
#include <optional>
#include <slotwise/ecs/archetype_store.hpp>
#include <utility>
#include <vector>

struct WorldHistory { // make all edits by it
    using Store = slotwise::ArchetypeStore;
    using Entity = slotwise::Entity;
    using Id = slotwise::ComponentId;
    WorldHistory(Store& store, Id child_of, std::vector<Id> relations, std::size_t most = 1000)
        : store_(store), child_of_(child_of), relations_(std::move(relations)), most_(most) {}
    template <class... Ts>
    Entity spawn(Ts&&... values) {
        Edit& edit = next();
        edit.entities.push_back({});
        const Entity entity = edit.entities[0].entity = store_.spawn(std::forward<Ts>(values)...);
        done();
        return entity;
    }
    void despawn(Entity entity) { // with its children and theirs
        if (!store_.is_alive(entity)) return;
        Edit& edit = next();
        edit.entities.push_back({entity, {}});
        store_.for_each_descendant(entity, child_of_, [&](Entity child, std::size_t) { edit.entities.push_back({child, {}}); });
        flip(edit);
        done();
    }
    /// The two must be each other's opposite.
    void change(std::function<void(Store&)> redo, std::function<void(Store&)> undo) {
        Edit& edit = next();
        redo(store_);
        edit.changes[0] = std::move(undo), edit.changes[1] = std::move(redo);
        done();
    }
    template <class T>
    void set(Entity entity, T value) {
        if (const T* const before = std::as_const(store_).get<T>(entity))
            change([=](Store& store) { store.set(entity, value); },
                   [=, old = *before](Store& store) { store.set(entity, old); });
        else
            change([=](Store& store) { store.add(entity, value); }, [=](Store& store) { store.remove<T>(entity); });
    }
    void undo() {
        if (done_ != 0) flip(edits_[--done_], 0);
    }
    void redo() {
        if (done_ != edits_.size()) flip(edits_[done_++], 1);
    }
    struct Part {
        Entity entity;
        std::optional<slotwise::ExtractedEntity> away;
    };
    struct Link {
        Entity source;
        Id relation;
        Entity target;
    };
    struct Edit {
        std::vector<Part> entities{};           // the root first
        std::vector<Link> links{};              // that others have lost
        std::function<void(Store&)> changes[2]; // undo, redo
    };
    void flip(Edit& edit, int direction = 1) {
        if (const auto& change = edit.changes[direction]) return change(store_);
        if (edit.entities.empty()) return;
        if (!edit.entities[0].away) {
            for (std::size_t i = edit.entities.size(); i-- != 0;) take_out(edit, edit.entities[i]); // children first
        } else {
            for (Part& part : edit.entities) {
                store_.fulfill(part.entity, std::move(*part.away));
                part.away.reset();
            }
            for (const Link& link : edit.links) store_.relate(link.source, link.relation, link.target);
            edit.links.clear();
        }
    }
    void take_out(Edit& edit, Part& part) {
        for (const Id relation : relations_)
            for (const Entity source : store_.sources(relation, part.entity))
                edit.links.push_back({source, relation, part.entity});
        part.away = store_.extract_reserved(part.entity);
    }
    void forget(const Edit& edit) {
        for (const Part& part : edit.entities)
            if (part.away) store_.cancel(part.entity); // it comes back no more: its index is free
    }
    Edit& next() {
        for (; edits_.size() != done_; edits_.pop_back()) forget(edits_.back());
        return edits_.emplace_back(); // first, because it may throw
    }
    void done() {
        if (edits_.size() > most_) forget(edits_.front()), edits_.pop_front();
        done_ = edits_.size();
    }
    Store& store_;
    Id child_of_;
    std::vector<Id> relations_;   // whose pairs are to come back
    std::size_t most_, done_ = 0; // edits from done_ on are undone
    std::deque<Edit> edits_{};
};
// [/readme]

#endif
