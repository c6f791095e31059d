// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every container over any element type, allocator, hash and equality. A class of fwd.hpp without an entry in namespace kinds
// is a compile error:
//     for_each_kind([]<class Kind>() { using C = typename Kind::template of<T, A, Hash, Equal>; ... });
#ifndef SLOTWISE_TESTS_PROPERTIES_TYPES_KINDS_HPP
#define SLOTWISE_TESTS_PROPERTIES_TYPES_KINDS_HPP

#include "properties/containers.hpp"

#include <memory>

namespace test::kinds_of {

using namespace slotwise;

/// Elements are made of a number, on the heap: a megabyte is too much for a frame. Types that take an allocator specialise it.
template <class T>
struct Element {
    static std::unique_ptr<T> made(int n) { return std::make_unique<T>(static_cast<T>(n)); }
    static int number(const T& t) {
        if constexpr (requires { t.value(); })
            return t.value();
        else
            return static_cast<int>(t);
    }
};
template <class T>
std::unique_ptr<T> made(int n) {
    return Element<T>::made(n);
}
template <class T>
int number(const T& t) {
    return Element<T>::number(t);
}

/// The container makes the key. has(): the element is there under its name, and is made of n.
struct ByHandle {
    static constexpr bool is_kind = true, hashes = false, moves_may_throw = true;
    template <class T, class C>
    static auto insert(C& c, int n) {
        return c.insert(std::move(*made<T>(n)));
    }
    template <class T, class C, class Name>
    static bool has(const C& c, Name name, int n) {
        return c.contains(name) && c.get(name) != nullptr && number(*c.get(name)) == n;
    }
    template <class T, class C, class Name>
    static bool erase(C& c, Name name, int) {
        return c.erase(name);
    }
};
/// The user brings the key: the element, which is looked up by an equal one.
struct ByKey {
    static constexpr bool is_kind = true, hashes = true, moves_may_throw = true;
    template <class T, class C>
    static int insert(C& c, int n) {
        if constexpr (requires { c.insert(std::move(*made<T>(n)), std::move(*made<T>(n))); })
            c.insert(std::move(*made<T>(n)), std::move(*made<T>(n)));
        else
            c.insert(std::move(*made<T>(n)));
        return n;
    }
    template <class T, class C>
    static bool has(const C& c, int, int n) {
        const auto key = made<T>(n);
        if constexpr (requires { number(*c.get(*key)); })
            return c.contains(*key) && number(*c.get(*key)) == n;
        else
            return c.contains(*key);
    }
    template <class T, class C>
    static bool erase(C& c, int, int n) {
        return c.erase(*made<T>(n));
    }
};
struct BySeries : ByKey {
    template <class T, class C>
    static int insert(C& c, int n) {
        auto w = c.write(1);
        if constexpr (requires { w.set(std::move(*made<T>(n)), std::move(*made<T>(n))); })
            w.set(std::move(*made<T>(n)), std::move(*made<T>(n)));
        else
            w.add(std::move(*made<T>(n)));
        return n;
    }
    template <class T, class C>
    static bool erase(C& c, int, int n) {
        return static_cast<bool>(c.write(1).remove(*made<T>(n)));
    }
};
/// Keys and values by address; their types know hash and equality.
struct Described : ByKey {
    static constexpr bool described = true;
    static constexpr bool hashes = false;
    template <class T, class C>
    static int insert(C& c, int n) {
        const auto key = made<T>(n), value = made<T>(n);
        if constexpr (requires { c.value_type(); })
            c.insert_moved(key.get(), value.get());
        else
            c.insert_moved(key.get());
        return n;
    }
    template <class T, class C>
    static bool has(const C& c, int, int n) {
        const auto key = made<T>(n);
        if constexpr (requires { c.value_type(); })
            return c.contains(key.get()) && number(*static_cast<const T*>(c.get(key.get()))) == n;
        else
            return c.contains(key.get());
    }
    template <class T, class C>
    static bool erase(C& c, int, int n) {
        return c.erase(static_cast<const void*>(made<T>(n).get()));
    }
};
/// The same over time.
struct DescribedSeries : Described {
    static constexpr bool moves_may_throw = false;
    template <class T, class C>
    static int insert(C& c, int n) {
        const auto key = made<T>(n), value = made<T>(n);
        auto w = c.write(1);
        if constexpr (requires { c.value_type(); })
            w.set_moved(key.get(), value.get());
        else
            w.insert_moved(key.get());
        return n;
    }
    template <class T, class C>
    static bool erase(C& c, int, int n) {
        return c.write(1).erase(static_cast<const void*>(made<T>(n).get()));
    }
};
/// The user brings a handle, here one of slot n.
struct ByOwnHandle : ByHandle {
    using handle = Handle<struct SomeElement>;
    template <class T, class C>
    static handle insert(C& c, int n) {
        const handle name(static_cast<slot_t>(n), 1);
        if constexpr (requires { c.try_emplace(name, std::move(*made<T>(n))); })
            c.try_emplace(name, std::move(*made<T>(n)));
        else
            c.insert(std::move(*made<T>(n)), name);
        return name;
    }
    template <class T, class C>
    static bool has(const C& c, handle name, int n) {
        if constexpr (requires { number(*c.get(name)); })
            return ByHandle::has<T>(c, name, n);
        else
            return c.handle_of(*made<T>(n)) == name;
    }
};

/// Rows have no names: elements are found by a walk.
struct ByRow {
    static constexpr bool is_kind = true, hashes = false, moves_may_throw = true;
    template <class T, class C>
    static std::size_t find(const C& c, int n) {
        std::size_t row = 0;
        if constexpr (requires { c.template column<0>(); })
            while (row != c.size() && number(c.template column<0>()[row]) != n) ++row;
        else
            while (row != c.size() && number(c.column(0).template as<T>()[row]) != n) ++row;
        return row;
    }
    template <class T, class C>
    static bool has(const C& c, int, int n) {
        return find<T>(c, n) != c.size();
    }
    template <class T, class C>
    static bool erase(C& c, int, int n) {
        const std::size_t row = find<T>(c, n);
        if (row != c.size()) c.swap_erase(row);
        return true;
    }
};
/// Ids only, or what is copied by bytes: other elements it cannot hold.
struct NoElements {
    static constexpr bool is_container = false;
};

template <class T>
struct NumberHash { // where the copy of a hash must not throw
    std::size_t operator()(const T& value) const { return static_cast<std::size_t>(number(value)); }
};
template <class T, class Hash>
struct DefaultOf : Hash { // what a description makes by itself
    DefaultOf() : Hash(0) {}
};

namespace kinds {
using namespace every::entry; // what is no container is found there

struct SlotMap : ByHandle {
    template <class T, class A, class, class>
    using of = slotwise::SlotMap<T, slotwise::AllocBy<A>>;
};
struct DenseSlotMap : ByHandle {
    template <class T, class A, class, class>
    using of = slotwise::DenseSlotMap<T, slotwise::AllocBy<A>>;
};
struct BasicSoaSlotMap : ByHandle {
    template <class T, class A, class, class>
    using of = slotwise::BasicSoaSlotMap<slotwise::Members<T, T>, slotwise::AllocBy<A>>;
    template <class T, class C>
    static auto insert(C& c, int n) {
        return c.insert(std::move(*made<T>(n)), std::move(*made<T>(n)));
    }
    template <class T, class C, class Name>
    static bool has(const C& c, Name name, int n) {
        return c.contains(name) && number(std::get<0>(*c.get(name))) == n && number(std::get<1>(*c.get(name))) == n;
    }
};
struct BasicAnySlotMap : ByHandle {
    template <class T, class A, class, class>
    using of = slotwise::BasicAnySlotMap<slotwise::AllocBy<A>>;
    static constexpr bool described = true;
    template <class T, class C>
    static auto insert(C& c, int n) {
        return c.insert_moved(made<T>(n).get());
    }
    template <class T, class C, class Name>
    static bool has(const C& c, Name name, int n) {
        return c.contains(name) && number(*static_cast<const T*>(c.get(name))) == n;
    }
};
struct SetStorage : ByKey {
    template <class T, class A, class H, class E>
    using of = slotwise::SetStorage<T, slotwise::HashBy<H>, slotwise::EqualBy<E>,
                                    slotwise::Options<KeySetOptions{.deferred_erase = true}>, slotwise::AllocBy<A>>;
};
struct MapStorage : ByKey {
    template <class T, class A, class H, class E>
    using of = slotwise::MapStorage<T, T, slotwise::HashBy<H>, slotwise::EqualBy<E>, slotwise::AllocBy<A>>;
};
struct BasicAnySetStorage : Described {
    template <class T, class A, class, class>
    using of = slotwise::BasicAnySetStorage<slotwise::AllocBy<A>>;
};
struct BasicAnyMapStorage : Described {
    template <class T, class A, class, class>
    using of = slotwise::BasicAnyMapStorage<slotwise::AllocBy<A>>;
};
struct TSSStorage : BySeries {
    template <class T, class A, class H, class E>
    using of = slotwise::TSSStorage<T, slotwise::HashBy<H>, slotwise::EqualBy<E>, slotwise::AllocBy<A>>;
};
struct TSDStorage : BySeries {
    static constexpr bool moves_may_throw = false;
    template <class T, class A, class H, class E>
    using of = slotwise::TSDStorage<T, T, slotwise::HashBy<H>, slotwise::EqualBy<E>, slotwise::AllocBy<A>>;
};
struct BasicAnyTSSStorage : DescribedSeries {
    template <class T, class A, class, class>
    using of = slotwise::BasicAnyTSSStorage<slotwise::AllocBy<A>>;
};
struct BasicAnyTSDStorage : DescribedSeries {
    template <class T, class A, class, class>
    using of = slotwise::BasicAnyTSDStorage<slotwise::AllocBy<A>>;
};
struct SecondaryMap : ByOwnHandle {
    template <class T, class A, class, class>
    using of = slotwise::SecondaryMap<handle, T, slotwise::AllocBy<A>>;
};
struct SparseSecondaryMap : ByOwnHandle {
    static constexpr bool moves_may_throw = false;
    template <class T, class A, class, class>
    using of = slotwise::SparseSecondaryMap<handle, T, slotwise::AllocBy<A>>;
};
struct IndexMap : ByHandle {
    template <class T, class A, class, class>
    using of = slotwise::IndexMap<T, slotwise::AllocBy<A>>;
    template <class T, class C>
    static slot_t insert(C& c, int n) {
        c.insert(static_cast<slot_t>(n), std::move(*made<T>(n)));
        return static_cast<slot_t>(n);
    }
};
struct IdentityMap : ByOwnHandle {
    static constexpr bool hashes = true;
    template <class T, class A, class H, class E>
    using of = slotwise::IdentityMap<T, handle, slotwise::HashBy<H>, slotwise::EqualBy<E>, slotwise::AllocBy<A>>;
};
struct BasicSoaVector : ByRow {
    template <class T, class A, class, class>
    using of = slotwise::BasicSoaVector<slotwise::Members<T, T>, slotwise::AllocBy<A>>;
    template <class T, class C>
    static int insert(C& c, int n) {
        c.push_back(std::move(*made<T>(n)), std::move(*made<T>(n)));
        return n;
    }
};
struct BasicAnyRows : ByRow, Described {
    using ByRow::erase, ByRow::has, ByRow::is_kind, ByRow::hashes, ByRow::moves_may_throw;
    template <class T, class A, class, class>
    using of = slotwise::BasicAnyRows<slotwise::AllocBy<A>>;
    template <class T, class C>
    static int insert(C& c, int n) {
        c.push_back({slotwise::AnyValue::of(std::move(*made<T>(n)))});
        return n;
    }
};
struct SparseMap : ByOwnHandle {
    template <class T, class A, class, class>
    using of = slotwise::SparseMap<handle, T, slotwise::AllocBy<A>>;
};
struct SwitchMap : ByOwnHandle {
    static constexpr bool moves_may_throw = false;
    template <class T, class A, class, class>
    using of = slotwise::SwitchMap<handle, T, slotwise::HashBy<NumberHash<T>>, slotwise::AllocBy<A>>;
    template <class T, class C>
    static handle insert(C& c, int n) {
        const handle name(static_cast<slot_t>(n), 1);
        c.set(name, std::move(*made<T>(n)));
        return name;
    }
};
struct HandlePool : NoElements {};
struct SparseSet : NoElements {};
struct EntityIndex : NoElements {};
struct RelationMap : NoElements {};
// Without copies; tests/ecs has their hard elements.
struct Table : NoElements {};
struct ArchetypeGraph : NoElements {};
struct ComponentIndex : NoElements {};
struct ArchetypeStore : NoElements {};
// Without an allocator; tests/graph has the elements that throw.
struct DataflowGraph : NoElements {};
} // namespace kinds

/// An empty container, its hash and equality of this salt.
template <class Kind, class T, class C, class H, class E>
C empty(int salt = 7) {
    if constexpr (requires(C& c) { c.column_count(); })
        return C{&TypeDescriptor::of<T>()};
    else if constexpr (Kind::hashes && std::is_constructible_v<H, int>)
        return C(H(salt), E(salt));
    else if constexpr (std::is_constructible_v<C, const TypeDescriptor&, const TypeDescriptor&>)
        return C(TypeDescriptor::of<T, DefaultOf<T, H>>(), TypeDescriptor::of<T, DefaultOf<T, H>>());
    else if constexpr (std::is_constructible_v<C, const TypeDescriptor&>)
        return C(TypeDescriptor::of<T, DefaultOf<T, H>>());
    else
        return C();
}

/// f.template operator()<Kind>() for every container; answers how many.
template <class F>
std::size_t for_each_kind(F&& f) {
    std::size_t count = 0;
    const auto each = [&]<class Kind>() {
        if constexpr (requires { Kind::is_kind; })
            f.template operator()<Kind>(), ++count;
        else
            static_assert(!Kind::is_container, "a container of containers.hpp without an entry in namespace kinds");
    };
#define SLOTWISE_PUBLIC_CLASS(name) each.template operator()<kinds::name>();
#include "slotwise_public_classes.inc" // written by CMake: one such line for each class of fwd.hpp
#undef SLOTWISE_PUBLIC_CLASS
    return count;
}

} // namespace test::kinds_of

#endif
