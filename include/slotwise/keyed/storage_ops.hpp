// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetOps, MapOps: the operations of a set or map as functions over void*, for engines and bindings.
#ifndef SLOTWISE_KEYED_STORAGE_OPS_HPP
#define SLOTWISE_KEYED_STORAGE_OPS_HPP

#include "any_storage.hpp"
#include "map_storage.hpp"

SLOTWISE_BEGIN

/// The operations of a set as plain functions. Each takes the address of a SetStorage, of an AnySetStorage, or of what as_set()
/// of a map or series returns, which may only be read. Keys are passed by address. Each function does what the member of the
/// same name does. `add` is null if keys cannot be copied.
///     const SetOps& ops = SetOps::of<SetStorage<int>>();   // or of<AnySetStorage>()
///     ops.add(&set, &key);
struct SetOps {
    const TypeDescriptor& (*key_type)(const void* set);
    std::size_t (*size)(const void* set);
    bool (*contains)(const void* set, const void* key);
    slot_t (*slot_of)(const void* set, const void* key); ///< no_slot when it is not a member
    const void* (*key)(const void* set, slot_t slot);    ///< its address; live or pending
    SlotState (*state)(const void* set, slot_t slot);
    ConstAnyColumnView (*values)(const void* set); ///< the keys, by slot, as a range and in runs
    bool (*add)(void* set, const void* key);       ///< a copy of the key; whether it was none before
    bool (*remove)(void* set, const void* key);    ///< whether it was a member; `key` may be the very one in the set
    void (*clear)(void* set);
    void (*reserve)(void* set, std::size_t count);

    /// Those of sets of this type.
    template <class Set>
    static const SetOps& of() noexcept;
};

/// The operations of a MapStorage or an AnyMapStorage as plain functions, as SetOps. Values are passed by address.
struct MapOps {
    const SetOps* keys;                     ///< of what as_set returns
    const void* (*as_set)(const void* map); ///< the keys, for reading
    const TypeDescriptor& (*value_type)(const void* map);
    std::size_t (*size)(const void* map);
    bool (*contains)(const void* map, const void* key);
    slot_t (*slot_of)(const void* map, const void* key);
    void* (*get)(void* map, const void* key);                        ///< the address of the value, or null
    void* (*at)(void* map, const void* key);                         ///< the same; std::out_of_range when there is none
    const void* (*value)(const void* map, slot_t slot);              ///< its address; live or pending
    ConstAnyColumnView (*values)(const void* map);                   ///< by slot, as a range and in runs
    bool (*set_item)(void* map, const void* key, const void* value); ///< insert_or_assign of copies; whether the key is new
    bool (*add)(void* map, const void* key, const void* value);      ///< insert of copies; null: the default value
    bool (*remove)(void* map, const void* key);
    void (*clear)(void* map);
    void (*reserve)(void* map, std::size_t count);

    /// Those of maps of this type.
    template <class Map>
    static const MapOps& of() noexcept;
};

namespace detail {

/// What keys and values of a container are passed as: references to known types, addresses of others.
template <class Container>
struct KnownTypes {
    using Key = typename Container::key_type;
    static constexpr bool copies_keys = std::is_copy_constructible_v<Key>;
    static const TypeDescriptor& key_type(const void*) noexcept { return TypeDescriptor::of<Key>(); }
    static const Key& key(const void* at) noexcept { return *static_cast<const Key*>(at); }
    static const void* address(const Key& key) noexcept { return std::addressof(key); }
};
template <class Container>
struct AnyTypes {
    static constexpr bool copies_keys = true;
    static const TypeDescriptor& key_type(const void* c) noexcept { return static_cast<const Container*>(c)->key_type(); }
    static const void* key(const void* at) noexcept { return at; }
    static const void* address(const void* at) noexcept { return at; }
};
template <class Container>
inline constexpr bool is_type_erased = requires(const Container& c) { c.key_type(); };
template <class Container>
using ErasedTypes =
    typename std::conditional_t<is_type_erased<Container>, Named<AnyTypes<Container>>, Named<KnownTypes<Container>>>::type;

/// The functions that sets, maps and series have in common. @tparam C the container
template <class C>
struct ErasedKeyed {
    using Types = ErasedTypes<C>;
    static const C& self(const void* c) noexcept { return *static_cast<const C*>(c); }
    static C& self(void* c) noexcept { return *static_cast<C*>(c); }
    static std::size_t size(const void* c) { return self(c).size(); }
    static bool contains(const void* c, const void* key) { return self(c).contains(Types::key(key)); }
    static slot_t slot_of(const void* c, const void* key) { return self(c).slot_of(Types::key(key)); }
    static const void* key(const void* c, slot_t slot) { return Types::address(self(c).key(slot)); }
    static SlotState state(const void* c, slot_t slot) { return self(c).state(slot); }
    static ConstAnyColumnView keys(const void* c) { return self(c).keys(); }
    static ConstAnyColumnView values(const void* c) { return self(c).values(); }
    static bool remove(void* c, const void* key) { return self(c).erase(Types::key(key)); }
    static void clear(void* c) { self(c).clear(); }
    static void reserve(void* c, std::size_t count) { self(c).reserve(count); }
};

template <class Set>
struct ErasedSet : ErasedKeyed<Set> {
    using Base = ErasedKeyed<Set>;
    static constexpr auto add() noexcept -> bool (*)(void*, const void*) {
        if constexpr (Base::Types::copies_keys)
            return [](void* set, const void* key) -> bool { return Base::self(set).insert(Base::Types::key(key)).inserted; };
        else
            return nullptr;
    }
    static constexpr SetOps ops = {&Base::Types::key_type, &Base::size, &Base::contains, &Base::slot_of, &Base::key,
                                   &Base::state,           &Base::keys, add(),           &Base::remove,  &Base::clear,
                                   &Base::reserve};
};

template <class Map>
struct ErasedMap : ErasedKeyed<Map> {
    using Base = ErasedKeyed<Map>;
    using Base::self;
    static constexpr bool type_erased = is_type_erased<Map>;
    static const void* as_set(const void* map) { return std::addressof(self(map).as_set()); }
    static const TypeDescriptor& value_type(const void* map) {
        if constexpr (type_erased)
            return self(map).value_type();
        else
            return TypeDescriptor::of<typename Map::mapped_type>();
    }
    static void* get(void* map, const void* key) { return self(map).get(Base::Types::key(key)); }
    static void* at(void* map, const void* key) {
        if constexpr (type_erased)
            return self(map).at(key);
        else
            return std::addressof(self(map).at(Base::Types::key(key)));
    }
    static const void* value(const void* map, slot_t slot) {
        if constexpr (type_erased)
            return self(map).value(slot);
        else
            return std::addressof(self(map).value(slot));
    }
    using Set = bool (*)(void*, const void*, const void*);
    static constexpr Set set_item() noexcept {
        if constexpr (type_erased)
            return [](void* map, const void* key, const void* value) -> bool {
                return self(map).insert_or_assign(key, value).inserted;
            };
        else if constexpr (Base::Types::copies_keys && std::is_copy_constructible_v<typename Map::mapped_type> &&
                           std::is_copy_assignable_v<typename Map::mapped_type>)
            return [](void* map, const void* key, const void* value) -> bool {
                return self(map)
                    .insert_or_assign(Base::Types::key(key), *static_cast<const typename Map::mapped_type*>(value))
                    .inserted;
            };
        else
            return nullptr;
    }
    static constexpr Set add() noexcept {
        if constexpr (type_erased)
            return [](void* map, const void* key, const void* value) -> bool { return self(map).insert(key, value).inserted; };
        else if constexpr (Base::Types::copies_keys && std::is_copy_constructible_v<typename Map::mapped_type>)
            return [](void* map, const void* key, const void* value) -> bool {
                using T = typename Map::mapped_type;
                if (value != nullptr)
                    return self(map).try_emplace(Base::Types::key(key), *static_cast<const T*>(value)).inserted;
                if constexpr (std::is_default_constructible_v<T>)
                    return self(map).try_emplace(Base::Types::key(key)).inserted;
                else
                    throw_invalid_argument("MapOps::add(map, key, null): the value type has no default value; give a value");
            };
        else
            return nullptr;
    }
    static constexpr MapOps ops = {&ErasedSet<typename Map::set_type>::ops,
                                   &as_set,
                                   &value_type,
                                   &Base::size,
                                   &Base::contains,
                                   &Base::slot_of,
                                   &get,
                                   &at,
                                   &value,
                                   &Base::values,
                                   set_item(),
                                   add(),
                                   &Base::remove,
                                   &Base::clear,
                                   &Base::reserve};
};

} // namespace detail

template <class Set>
const SetOps& SetOps::of() noexcept {
    return detail::ErasedSet<Set>::ops;
}
template <class Map>
const MapOps& MapOps::of() noexcept {
    return detail::ErasedMap<Map>::ops;
}

SLOTWISE_END

#endif
