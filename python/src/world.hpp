// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A world of Python: an ArchetypeStore whose components have schemas. Each leaf of a schema is a component of the store, so
// that its values are an array in each table.
#ifndef SLOTWISE_PYTHON_WORLD_HPP
#define SLOTWISE_PYTHON_WORLD_HPP

#include "gil.hpp"
#include "lock.hpp"
#include "schema.hpp"
#include "source.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>

#include <atomic>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace slotwise_python {

using slotwise::AnyValue;
using slotwise::ArchetypeStore;
using slotwise::ComponentId;
using slotwise::Entity;
using slotwise::tick_t;

/// What a name of a world stands for.
enum class Role : std::uint8_t { component, tag, relation };

/// A component, a tag or a relation.
struct Part {
    std::string name;
    Role role = Role::tag;
    std::uint32_t number = 0;               ///< among the parts of its world
    std::shared_ptr<const Schema> schema{}; ///< of a component
    std::vector<ComponentId> ids{};         ///< of a component by column of the schema; of others one
    slotwise::ComponentTraits traits{};     ///< of a component those of its first leaf
    std::atomic<std::uint32_t> pins{0};     ///< arrays of its values that are alive

    /// What an entity has that has this.
    ComponentId id() const { return role == Role::component ? ids[schema->fields()[0].column] : ids[0]; }
    /// Whether its values are one leaf, and no record.
    bool is_single() const { return !schema->is_record(); }
};

/// What a World, its components, queries and arrays own together.
struct WorldState {
    ArchetypeStore store{};
    mutable Lock lock{};
    std::deque<Part> parts{};
    std::unordered_map<std::string, Part*> names{};
    std::vector<std::pair<Part*, std::uint32_t>> of_number{}; ///< by number of the store's component: whose column it is
    std::atomic<std::uint32_t> pins{0}, entity_pins{0}, walks{0};
    std::unordered_set<slotwise::CommandBuffer*> buffers{};
    void* object = nullptr; ///< the World that Python knows, as long as it lives

    /// Refuses a change of entities or of what they have. @throws nb::buffer_error while an array refers to a table,
    /// std::runtime_error while a query is walked: both say what to do
    void expect_changeable() const;
    /// @throws KeyError that says why the entity does not live
    void expect_alive(Entity entity) const;
    /// What the error of an entity that does not live says: "entity 7: " and why.
    std::string not_alive(Entity entity) const;
    std::string dead_because(Entity entity) const;
};
using SharedWorld = std::shared_ptr<WorldState>;

/// A text of the store in which entities are the numbers that Python knows, and not "7v1".
std::string with_numbers(const std::string& text);
/// Calls f(), whose refusals of the store name entities by their numbers.
template <class F>
decltype(auto) with_words(F&& f) {
    try {
        return f();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(with_numbers(error.what()));
    }
}
/// Calls f() under the lock of a world; see box.hpp.
template <class F>
decltype(auto) briefly(const WorldState& world, F&& f) {
    return with_lock_briefly<GilReleased>(world.lock, [&]() -> decltype(auto) { return with_words(f); });
}
template <class F>
decltype(auto) at_length(const WorldState& world, F&& f) {
    return with_lock_at_length<GilReleased>(world.lock, [&]() -> decltype(auto) { return with_words(f); });
}
/// The same as an object of Python, for functions of the module.
struct WorldHandle {
    SharedWorld world;
};

/// Ends entities: all, or none when a relation refuses it for the sake of one that stays. Returns how many have ended.
/// @pre the lock is held, entities can change
std::size_t despawn_all(WorldState& world, std::span<const Entity> entities);

/// What keeps the tables of a world where they are as long as it lives: the owner of an array. @param of its own count
nb::capsule pin_of(SharedWorld world, std::atomic<std::uint32_t>& of);

/// How Python names a part, a pair, or a component that is only read.
struct Term {
    SharedWorld world;
    Part* part = nullptr;
    Entity target{};       ///< of a pair
    bool constant = false; ///< of a component
    bool is_pair() const { return static_cast<bool>(target); }
    /// Of the store. A relation without a target stands for all its pairs.
    ComponentId id() const;
    std::string spelled() const;
};
struct ComponentTerm : Term {};
struct TagTerm : Term {};
struct RelationTerm : Term {};
struct PairTerm : Term {};

/// The term that `object` is, of this world: one of another world stands for what has the same name and schema here.
/// @throws TypeError, ValueError that begin with the argument
Term term_from(const SharedWorld& world, nb::handle object, const char* argument);
nb::object object_of(Term term);

/// An entity by its bits. @throws TypeError, OverflowError that begin with the argument
Entity entity_from(nb::handle object, const char* argument);
inline nb::object object_of(Entity entity) { return nb::cast(entity.to_bits()); }
/// A copy of a list of entities: an array of integers, or what numpy.asarray makes one of.
/// @throws TypeError, ValueError, OverflowError that begin with the argument
std::vector<Entity> entities_from(nb::handle object, const char* argument);
nb::object array_of(std::vector<Entity> entities);

/// An array of a field's values at `data`, which `owner` keeps.
nb::object array_of(const Field& field, void* data, std::size_t rows, nb::handle owner, bool writable);
/// A mask as NumPy has it, of the bytes that say which rows are null.
nb::object mask_of(const std::uint8_t* nulls, std::size_t rows, nb::handle owner, bool writable);
/// The values with this mask, as numpy.ma.MaskedArray. What is written into it goes into the memory of both.
nb::object masked_array(const nb::object& values, nb::object mask);

/// The values of one column that some entities get: one value for all, the default, or a row of a source for each.
class Given {
public:
    /// @param one null: the default value. It outlives this
    Given(ComponentId id, const slotwise::TypeDescriptor& type, const void* one) : id_(id), type_(&type), one_(one) {}
    /// @param mask whether it is the column that says which are null
    Given(ComponentId id, const slotwise::TypeDescriptor& type, const Field& field, const std::deque<Chunk>& chunks, bool mask);

    ComponentId id() const { return id_; }
    /// Builds values side by side, all or none; those of these rows, or those from the first row on.
    void build(void* to, std::size_t count) const;
    void build(std::span<const std::uint32_t> rows, void* to) const;
    void build_row(std::size_t row, void* to) const;
    void assign_row(std::size_t row, void* to) const;
    /// For a command buffer. `room` lives until the value is built.
    struct Room {
        const Given* given;
        std::size_t row;
    };
    static AnyValue value(Room& room);

private:
    struct Piece {
        std::size_t first; // row
        const Cells* cells;
    };
    const Piece& piece_of(std::size_t row) const;

    ComponentId id_;
    const slotwise::TypeDescriptor* type_;
    const void* one_ = nullptr;
    std::vector<Piece> pieces_{};
    std::size_t rows_ = 0;
    bool text_ = false, mask_ = false;
};

/// What some entities get or lose, converted: no Python is called when it is carried out.
struct Items {
    std::vector<ComponentId> ids{};   ///< of components and tags, and pairs that are in tables
    std::vector<ComponentId> pairs{}; ///< those that are in no table, or may close a cycle
    std::vector<Entity> targets{};    ///< of pairs of both kinds
    std::vector<Given> given{};
    std::vector<Part*> parts{};                           ///< components
    std::vector<std::pair<Part*, std::string>> partial{}; ///< those of which a field was not given

    /// One entity's, of the arguments of a call: mappings of terms to values, and terms.
    /// @param partial whether a dict may name some fields only
    /// @param fresh whether the entity is new, so that its pairs close no cycle
    void take(const SharedWorld& world, nb::tuple arguments, bool partial, bool fresh);
    /// Those of many: a list of (term, source or None, ((path, value), ...)), as slotwise._world prepares it.
    void take_columns(const SharedWorld& world, nb::list prepared, std::size_t count, bool fresh);
    const Given* find(ComponentId id) const;

private:
    void name(const Term& term, bool fresh);

    std::deque<Row> rows_{};
    std::deque<Chunk> chunks_{};
    std::deque<std::deque<Chunk>> sources_{};
    std::deque<std::unique_ptr<Source>> readers_{};
    std::deque<std::vector<std::uint64_t>> plain_{};
    std::deque<Text> texts_{};
};

/// Columns of a result in memory of its own.
class Gathered {
public:
    Gathered(const Field& field, std::size_t expected);
    /// Rows from the column of a table. @param nulls a byte a row says whether it is null; no pointer: none is
    void append(const void* values, const std::uint8_t* nulls, std::size_t rows);
    void append_null(std::size_t rows);
    /// One row that is not null.
    void append_one(const void* value) {
        if (texts_ != nullptr || nulls_ != nullptr) return append(value, nullptr, 1);
        const std::size_t at = plain_->size();
        plain_->resize(at + bytes_);
        slotwise::detail::copy_bytes(plain_->data() + at, value, bytes_);
        ++rows_;
    }
    std::size_t rows() const { return rows_; }
    const Field& field() const { return field_; }
    nb::object array(bool writable = true) const;
    void add_to(class Frame& frame) const;

private:
    void note_nulls(const std::uint8_t* nulls, std::uint8_t all, std::size_t rows);

    Field field_;
    std::size_t bytes_; // a row, unless it is a text
    std::size_t rows_ = 0;
    std::shared_ptr<std::vector<std::byte>> plain_{};
    std::shared_ptr<std::vector<Text>> texts_{};
    std::shared_ptr<std::vector<std::uint8_t>> nulls_{}; // no pointer as long as none is null
};

/// world_query.cpp: Query, Chunk and the views of its components.
void bind_world_query(nb::module_& m);

} // namespace slotwise_python

#endif
