// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ComponentRegistry: what components, tags and relations there are: their types, names and traits.
#ifndef SLOTWISE_ECS_COMPONENT_REGISTRY_HPP
#define SLOTWISE_ECS_COMPONENT_REGISTRY_HPP

#include "../config/error.hpp"
#include "../core/type_descriptor.hpp"
#include "../memory/plain_vector.hpp"
#include "component_id.hpp"
#include "detail/number_table.hpp"

#include <span>
#include <string>
#include <vector>

SLOTWISE_BEGIN

/// How a component is kept, and what comes and goes with it.
///     registry.add<Name>({.sparse = true});
///     registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
struct ComponentTraits {
    bool sparse = false;    ///< in no table: it comes and goes without a move of the row, and its address stays. Of a relation:
                            ///< so do its pairs, with their values. Targets are entities, and no target splits a table
    bool toggle = false;    ///< it can be disabled in a row, by a bit, and keeps its value
    bool exclusive = false; ///< of a relation: an entity has one target at most
    bool switched = false;  ///< of a relation without values: exclusive, and another target moves no row
    bool acyclic = false;   ///< of a relation: a pair is refused by which an entity would be related to itself, over others too
    bool tracked = false;   ///< when a row was added and changed is kept, for queries of what changed
    bool hides = false;     ///< only queries that name it match its entities, and clones are without it: for templates
    OnTargetDespawn on_target_despawn = OnTargetDespawn::remove; ///< of a relation
    std::vector<ComponentId> with{}; ///< components and pairs that are added whenever it is; they stay when it is removed

    /// Equal when all are equal; `with` in the same order.
    friend bool operator==(const ComponentTraits&, const ComponentTraits&) = default;
};

namespace detail {

template <class T>
inline constexpr bool is_optional_term = false;
template <class X>
inline constexpr bool is_optional_term<Optional<X>> = true;
template <class T>
inline constexpr bool is_up_term = false;
template <class X>
inline constexpr bool is_up_term<Up<X>> = true;

/// The type that a program names as a component, without reference and const. An entity is refused: queries and hooks give it
/// beside the values, so a program that names it there means its values. An entity as a value has no word for what it is to the
/// other one; a struct or a relation has.
template <class T>
struct ComponentType {
    using type = std::remove_cvref_t<T>;
    static_assert(!std::is_same_v<type, Entity>,
                  "an Entity is no component: f(entity, values...) of a query gets it, add(entity, values...) gives it values; "
                  "one that an entity refers to is a pair, see relate(), or a member, as in struct Owner { Entity entity; }");
    static_assert(
        !std::is_same_v<type, ComponentId> && !std::is_same_v<type, AnyValue>,
        "a ComponentId or AnyValue is no component: give it as an argument, as in with(id) or add(entity, id, value)");
    static_assert(!is_optional_term<type>, "Optional<X> is no component: it stands in the list of query<...>() only");
    static_assert(!is_up_term<type>, "Up<X> is no component: it is a term of a query, which up<X>(relation) adds");
};
template <class T>
using component_type = typename ComponentType<T>::type;

/// A type without state, which has no column.
template <class T>
inline constexpr bool is_tag_type = std::is_empty_v<T> && std::is_trivially_copyable_v<T>;

/// Adds `id` where it belongs, if it is not there. @throws what the allocator throws; strong
void insert_sorted(PlainVector<ComponentId>& ids, ComponentId id);

/// The traits as they are kept: what one implies is said.
inline ComponentTraits normalised(ComponentTraits traits) {
    traits.exclusive = traits.exclusive || traits.switched;
    return traits;
}

/// What is wrong with these traits; null if nothing is.
const char* contradiction(const ComponentTraits& traits, bool has_values, bool relation) noexcept;

/// Bytes that a string has on the heap.
std::size_t memory_of_text(const std::string& text) noexcept;

/// A TypeIdentity that refers to nothing of the library that made it, which may be unloaded.
struct KeptTypeIdentity {
    KeptTypeIdentity() = default;
    /// Throws what the allocator throws
    explicit KeptTypeIdentity(const TypeIdentity& type);
    void swap(KeptTypeIdentity& other) noexcept;
    /// Whether it belongs to a C++ type of another shared library.
    bool from_elsewhere(const TypeIdentity& type) const noexcept { return library != nullptr && library != type.library; }
    /// See TypeIdentity::same_elsewhere.
    bool same_elsewhere(const TypeIdentity& type) const noexcept;

    std::uint64_t hash = 0;
    const void* library = nullptr; // null: of no C++ type
    bool local = false;
    std::string name{};
};

} // namespace detail

/// The components of a program, or of one store of it: an object, there are no globals. A component is a C++ type, a
/// type-erased type, or a tag; a relation is one of these whose ids are used in pairs. Ids of one registry are refused by
/// another. A type without state is a tag.
///     ComponentRegistry registry;
///     const ComponentId position = registry.id<Position>();       // with default traits, on first use
///     registry.add<Name>({.sparse = true});
///     const ComponentId likes = registry.add_relation("likes");
///     const ComponentId child_of = registry.add_relation("child of", {.exclusive = true, .on_target_despawn =
///                                                                                             OnTargetDespawn::despawn});
///     registry.name(pair(likes, bob));                            // "likes(3v1)"
/// Shared libraries of a program agree about a type by its name, see TypeId. A type that has a name in one library only (of an
/// unnamed namespace, say) is one component for all if each registers it under a name of the user: add<T>("name").
/// A pair has the numbers of its relation and target alone, so it means what has these numbers in the registry that it is given
/// to. Numbers count up from 1, and a component is never removed. const functions may be called by several threads at once.
class ComponentRegistry {
public:
    using size_type = std::size_t;

    ComponentRegistry() noexcept;
    /// Leaves `other` without components. Ids stay valid: they go along.
    ComponentRegistry(ComponentRegistry&& other) noexcept;
    ComponentRegistry& operator=(ComponentRegistry&& other) noexcept {
        ComponentRegistry taken(std::move(other));
        swap(taken);
        return *this;
    }
    ComponentRegistry(const ComponentRegistry&) = delete;
    ComponentRegistry& operator=(const ComponentRegistry&) = delete;
    ~ComponentRegistry();
    void swap(ComponentRegistry& other) noexcept;
    friend void swap(ComponentRegistry& a, ComponentRegistry& b) noexcept { a.swap(b); }

    //=== C++ types ===//

    /// The id of T's component, which is registered with default traits on first use. References and const are dropped.
    /// @throws when it registers std::invalid_argument, if T can be neither copied nor moved, see add(); what the allocator
    /// throws; strong @complexity O(1), one probe of a small table
    template <class T>
    ComponentId id() {
        using Type = detail::component_type<T>;
        if (const ComponentId found = find_here(detail::type_identity<Type>)) [[likely]]
            return found;
        return bind_or_add(named<Type>());
    }
    /// The id of T's component; null if there is none. @complexity O(1)
    template <class T>
    ComponentId find() const noexcept {
        return find(detail::type_identity<detail::component_type<T>>);
    }
    /// Registers T. If it has the same traits already, it is returned. Its name is that of the C++ type, with a number behind
    /// it if another component is called so.
    /// @throws std::invalid_argument when T is registered with other traits, traits contradict each other, or T can be neither
    /// copied nor moved and is not sparse; what the allocator throws; strong
    template <class T>
    ComponentId add(const ComponentTraits& traits = {}) {
        return add_type(named<detail::component_type<T>>(), {}, traits, false);
    }
    /// Registers T under this name. If another shared library has registered a type of this size under the name, T is bound to
    /// that component: for types that TypeId does not know again, as those of unnamed namespaces.
    /// @throws as add<T>(traits), and std::invalid_argument when another component has the name
    template <class T>
    ComponentId add(std::string_view name, const ComponentTraits& traits = {}) {
        return add_type(named<detail::component_type<T>>(), &name, traits, false);
    }
    /// The id of relation T, whose pairs have a T, or nothing if T has no state. Registered with default traits on first use.
    /// @throws std::invalid_argument when T is a component that is no relation, or there are too many relations; what the
    /// allocator throws; strong
    template <class T>
    ComponentId relation() {
        const ComponentId found = find<T>();
        if (found && is_relation(found)) return found;
        return relation<T>(ComponentTraits());
    }
    /// Registers T as a relation with these traits. @throws as relation<T>(), and as add<T>(traits)
    template <class T>
    ComponentId relation(const ComponentTraits& traits) {
        return add_type(named<detail::component_type<T>>(), {}, traits, true);
    }
    template <class T>
    ComponentId relation(std::string_view name, const ComponentTraits& traits = {}) {
        return add_type(named<detail::component_type<T>>(), &name, traits, true);
    }

    /// The component of T, whose values are constructed, moved and destroyed by this shared library from now on; registers T if
    /// there is none. See ArchetypeStore::rebind, which also tells the tables of a store.
    /// @throws std::invalid_argument when T's traits of copying differ from those before; as id<T>(); strong
    template <class T>
    ComponentId rebind() {
        using Type = detail::component_type<T>;
        detail::KeptTypeIdentity kept(detail::type_identity<Type>); // first: it may throw
        const ComponentId found = id<T>();
        const TypeDescriptor& type = TypeDescriptor::of<Type>();
        Record& known = records_[bits::to_size(found.number()) - 1];
        if (known.layout != Layout(&type))
            refuse("ComponentRegistry::rebind",
                   "values of the component were copied or moved otherwise before; restart with this version", found);
        known.of.swap(kept);
        note_library(known.of.library);
        if (known.type != nullptr) known.type = &type;
        return found;
    }

    //=== run time ===//

    /// Registers a component whose values are of this type, which must outlive the registry. Several components may have one
    /// type; id<T>() is none of them.
    /// @throws std::invalid_argument when a component has the name, or traits contradict each other; what the allocator throws;
    /// strong
    ComponentId add(std::string_view name, const TypeDescriptor& type, ComponentTraits traits = {}) {
        return add_record(name, &type, std::move(traits), false);
    }
    /// Registers a component without values. @throws as add(name, type, traits)
    ComponentId add_tag(std::string_view name, ComponentTraits traits = {}) {
        return add_record(name, nullptr, std::move(traits), false);
    }
    /// Registers a relation. Its pairs have no values, or those of their target, if that is a component with values.
    /// @throws as add(name, type, traits), and std::invalid_argument when there are too many relations
    ComponentId add_relation(std::string_view name, ComponentTraits traits = {}) {
        return add_record(name, nullptr, std::move(traits), true);
    }
    /// Registers a relation whose pairs have values of this type. @throws as add_relation(name, traits)
    ComponentId add_relation(std::string_view name, const TypeDescriptor& type, ComponentTraits traits = {}) {
        return add_record(name, &type, std::move(traits), true);
    }

    //=== lookup ===//

    /// Components, tags and relations there are.
    size_type size() const noexcept { return records_.size(); }
    /// Bytes held on the heap. @complexity linear in components
    size_type memory_usage() const noexcept;
    bool empty() const noexcept { return records_.empty(); }
    /// The id of the component with this number; null if there is none. Numbers are 1 to size().
    ComponentId id(std::uint32_t number) const noexcept {
        return number - 1 < records_.size() ? detail::ComponentIdParts::make(tag_, number) : ComponentId();
    }
    /// The id of the component with this name; null if there is none. @complexity O(1)
    ComponentId find(std::string_view name) const noexcept;
    /// Whether it is a component of this registry, or a pair of one of its relations and an entity or component.
    bool contains(ComponentId id) const noexcept { return problem(id) == nullptr && !id.is_wildcard(); }
    /// Whether it is a relation of this registry.
    bool is_relation(ComponentId id) const noexcept { return is_own(id) && record(id.number()).relation; }
    /// The name of a component. Pairs are written as "likes(3v1)", "likes(*)", "*(3v1)", "likes(apple)". What this registry
    /// does not know is written as a number.
    /// @throws what the allocator throws
    std::string name(ComponentId id) const;
    /// The traits of a component; of a pair those of its relation.
    /// @throws std::invalid_argument when this registry does not know it @invalidates the reference, when one is registered
    const ComponentTraits& traits(ComponentId id) const { return record_of(id, "ComponentRegistry::traits").traits; }
    /// The type of a component's values; null if it has none. Of a pair that of its relation, or if that has none, of
    /// its target; pairs of switched relations have none.
    /// @throws std::invalid_argument when this registry does not know it
    const TypeDescriptor* type(ComponentId id) const;
    /// Whether values of this component are in columns of tables: it has values, and is neither sparse nor switched.
    /// @throws std::invalid_argument when this registry does not know it
    bool has_column(ComponentId id) const {
        const ComponentTraits& of = traits(id);
        return !of.sparse && !of.switched && type(id) != nullptr;
    }
    /// What comes with a component: its companions (ComponentTraits::with), theirs, and so on, in ascending order, without
    /// itself. Of a pair what comes with its relation.
    /// @throws std::invalid_argument when this registry does not know it @invalidates the span, when the registry dies
    std::span<const ComponentId> with_closure(ComponentId id) const {
        return record_of(id, "ComponentRegistry::with_closure").closure.span();
    }
    /// Refuses what contains() does not accept, and a switched or sparse relation that is in no pair: an entity cannot have it.
    /// @param where begins the text of the error, for example "ArchetypeStore::add"
    /// @throws std::invalid_argument that says what is wrong with the id: unknown, of another registry, a pair without a
    /// relation, a wildcard, a switched or sparse relation without a target
    void expect(ComponentId id, const char* where) const {
        if (const char* wrong = problem(id)) [[unlikely]]
            refuse(where, wrong, id);
        if (needs_target(id)) [[unlikely]]
            refuse(where,
                   "the relation is sparse or switched, and has no meaning without a target; name a pair, as pair(relation, "
                   "target), or unrelate(entity, relation) to remove all of an entity",
                   id);
        if (id.is_wildcard()) [[unlikely]]
            refuse(
                where,
                "a wildcard is for queries and hooks; name a pair, as pair(relation, target), or unrelate(entity, relation) to "
                "remove all of an entity",
                id);
    }
    /// Refuses what is no relation of this registry. @throws std::invalid_argument that begins with `where`
    void expect_relation(ComponentId relation, const char* where) const {
        if (!is_relation(relation)) [[unlikely]]
            refuse(where, "this is no relation of the store's registry; register it by add_relation or relation<T>", relation);
    }
    /// pair(relation, target), of which either may be `any`. Unlike that it checks of which registry the ids are: a pair has no
    /// place for it.
    /// @throws std::invalid_argument when the relation, or a component that is the target, is not of this registry
    template <class Relation, class Target>
    ComponentId pair_of(Relation relation, Target target, const char* where) const {
        if constexpr (!std::is_same_v<Relation, Any>)
            if (relation && !is_own(relation)) expect_relation(relation, where); // what is no relation here makes no pair
        if constexpr (std::is_same_v<Target, ComponentId>)
            if (const char* wrong = problem(target)) [[unlikely]]
                refuse(where, wrong, target);
        return pair(relation, target);
    }
    /// The same, but wildcards are accepted: what a query may ask for. @throws as expect
    void expect_term(ComponentId id, const char* where) const;
    /// Whether it is a switched relation of this registry, and no pair. Tables list it for entities that have a target.
    bool is_switched_alone(ComponentId id) const noexcept { return any_switched_ && is_switched(id); }
    /// Whether it is a switched or sparse relation of this registry, and no pair: an entity cannot have it without a target.
    bool needs_target(ComponentId id) const noexcept {
        return is_own(id) && record(id.number()).relation && (is_switched(id) || record(id.number()).traits.sparse);
    }
    /// Whether some relation has the trait `acyclic`.
    bool any_acyclic() const noexcept { return any_acyclic_; }
    /// The type of entities, as the library describes it that made the registry: a table that another one makes outlives it.
    const TypeDescriptor& type_of_entities() const noexcept { return *of_entities_; }

private:
    /// What two libraries must agree on, to have values of one component. It is kept: the first library may be unloaded.
    struct Layout {
        std::size_t size = 0, align = 1; // 0: a tag
        bool trivial = true, nothrow_move = true;

        Layout() = default;
        explicit Layout(const TypeDescriptor* type) noexcept;
        friend bool operator==(const Layout&, const Layout&) = default;
    };
    struct Record {
        std::string name;
        const TypeDescriptor* type; // null: a tag
        ComponentTraits traits;
        bool relation;
        detail::PlainVector<ComponentId> closure{};
        detail::KeptTypeIdentity of{}; // the C++ type, if it is one
        Layout layout{type};
    };

    static size_type memory_of_record(const Record& each) noexcept;
    SLOTWISE_ALWAYS_INLINE ComponentId find_here(const detail::TypeIdentity& type) const noexcept {
        return ComponentId::from_bits(types_.find(type.kept_hash(), type.mark));
    }
    SLOTWISE_ALWAYS_INLINE ComponentId find(const detail::TypeIdentity& type) const noexcept {
        if (const ComponentId found = find_here(type)) [[likely]]
            return found;
        return type.library == library_ ? ComponentId() : find_elsewhere(type);
    }
    SLOTWISE_INLINE SLOTWISE_COLD bool is_switched(ComponentId id) const noexcept;
    // That another library has registered.
    SLOTWISE_INLINE SLOTWISE_NEVER_INLINE ComponentId find_elsewhere(const detail::TypeIdentity& type) const noexcept;
    // From now on it is found here. Throws what the allocator throws; strong
    void bind(const detail::TypeIdentity& type, ComponentId id);
    const Record& record(std::uint64_t number) const noexcept { return records_[bits::to_size(number) - 1]; }
    /// Whether it is a component of this registry, and no pair.
    bool is_own(ComponentId id) const noexcept {
        return id.number() - 1 < records_.size() && detail::ComponentIdParts::registry(id) == tag_;
    }
    /// Why this registry cannot name anything by this id; null if it can.
    const char* problem(ComponentId id) const noexcept;
    const Record& record_of(ComponentId id, const char* where) const;
    [[noreturn]] SLOTWISE_INLINE SLOTWISE_COLD void refuse(const char* where, const char* wrong, ComponentId id) const;
    std::string name_of(std::uint32_t number, bool known) const;

    /// A C++ type, as functions know it that are compiled once for all types.
    struct Named {
        const detail::TypeIdentity& identity;
        const TypeDescriptor& type;
        std::string_view name;
    };
    template <class T>
    static Named named() noexcept {
        return {detail::type_identity<T>, TypeDescriptor::of<T>(), detail::type_name<T>()};
    }
    ComponentId bind_or_add(const Named& of);
    /// @param name null: that of the type
    ComponentId add_type(const Named& of, const std::string_view* name, ComponentTraits traits, bool relation);
    /// `name`, or with a number behind it, so that no component is called so.
    std::string unused(std::string_view name) const;
    ComponentId add_record(std::string_view name, const TypeDescriptor* type, ComponentTraits traits, bool relation);
    /// C++ types of this library are registered, or will be.
    void note_library(const void* library) noexcept {
        if (library != library_) library_ = hashes_.size() == 0 ? library : nullptr;
    }
    /// A number of the registry: a hash of an address that no other registry has as long as this one lives.
    static std::uint32_t tag_of(const void* address) noexcept;

    std::vector<Record> records_{};                // of number i + 1
    detail::TypeTable types_{};                    // -> bits of the id
    detail::NumberTable hashes_{};                 // hash of a C++ type -> number
    detail::NumberTable names_{};                  // hash of the name -> number
    detail::PlainVector<unsigned char> address_{}; // one byte, whose address is this registry's own
    std::uint32_t tag_ = 0;                        // 0: no component yet
    bool any_switched_ = false;                    // some relation is switched
    bool any_acyclic_ = false;                     // some relation is acyclic
    const TypeDescriptor* of_entities_ = &TypeDescriptor::of<Entity>();
    // That all C++ types are of, so that one of its types which is not found here is not found elsewhere; null: of several.
    const void* library_ = detail::type_identity<Entity>.library;
};

SLOTWISE_END

#if SLOTWISE_BODIES
#include "component_registry.inl.hpp"
#endif

#endif
