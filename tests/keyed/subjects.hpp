// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers as subjects of support/whole.hpp.
#ifndef SLOTWISE_TESTS_KEYED_SUBJECTS_HPP
#define SLOTWISE_TESTS_KEYED_SUBJECTS_HPP

#include "scene.hpp"

#include "support/whole.hpp"

#include <slotwise/keyed/any_storage.hpp>

namespace test {

namespace inner {
template <class C>
Contents contents_of(const C& c) {
    Contents all;
    for (const auto& [slot, handle, state, key, value] : state_of(c))
        for (const auto number : {std::int64_t{slot}, static_cast<std::int64_t>(handle), static_cast<std::int64_t>(state),
                                  std::int64_t{key}, std::int64_t{value}})
            all.push_back(number);
    for (const slot_t slot : pending_of(c)) all.push_back(slot);
    return all;
}
/// Every fifth one goes; half of them stay pending, where that is possible.
template <class C, class Enter, class Leave>
void fill_with(C& c, int first, int count, Enter enter, Leave leave) {
    for (int i = 0; i != count; ++i) enter(first + i);
    for (int i = 4; i < count; i += 5) {
        leave(first + i);
        if (i == count / 2 / 5 * 5 + 4) c.flush_removed();
    }
}
} // namespace inner

/// SetStorage, MapStorage; of(allocator) names the type.
template <class Of>
struct Keyed {
    static constexpr bool exact_noexcept = true;
    using element = typename Of::element;
    template <class A>
    using container = typename Of::template container<A>;

    template <class C>
    static void fill(C& c, int first, int count) {
        inner::fill_with(
            c, first, count, [&](int n) { enter(c, n); }, [&](int n) { leave(c, n); });
    }
    template <class C>
    static Contents contents(const C& c) {
        return inner::contents_of(c);
    }
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
    template <class C>
    static auto future(C& c) {
        return future_of(c);
    }
};

template <class Key, class Hash, class Equal, KeySetOptions O>
struct SetStorages {
    using element = Key;
    template <class A>
    using container = SetStorage<Key, HashBy<Hash>, EqualBy<Equal>, Options<O>, AllocBy<A>>;
};
template <class Key, class T, class Hash, class Equal, KeySetOptions O>
struct MapStorages {
    using element = Key;
    template <class A>
    using container = MapStorage<Key, T, HashBy<Hash>, EqualBy<Equal>, Options<O>, AllocBy<A>>;
};

/// Described containers of T; ThrowingHash and ThrowingEqual where T is not Tracked.
template <class T>
const TypeDescriptor& described() {
    static const TypeDescriptor type = [] {
        TypeDescriptor made = TypeDescriptor::of<T, NumberHash>();
        if constexpr (!std::is_same_v<T, Tracked>) {
            made.hash = [](const void* key) { return static_cast<std::size_t>(ThrowingHash()(*static_cast<const T*>(key))); };
            made.equal = [](const void* a, const void* b) {
                return ThrowingEqual()(*static_cast<const T*>(a), *static_cast<const T*>(b));
            };
        }
        return made;
    }();
    return type;
}
/// A described container that is made from its allocator alone.
template <class T, class Base, bool Map, class Value = T>
struct Described : Base {
    using reported_class = Base;
    using allocator_type = std::remove_cvref_t<decltype(std::declval<const Base&>().get_allocator())>;
    explicit Described(const allocator_type& alloc)
        requires(!Map)
        : Base(described<T>(), alloc) {}
    explicit Described(const allocator_type& alloc)
        requires(Map)
        : Base(described<T>(), described<Value>(), alloc) {}
    Described(const Described&) = default;
    Described(Described&&) = default;
    Described(const Described& other, const allocator_type& alloc) : Base(other, alloc) {}
    Described(Described&& other, const allocator_type& alloc) : Base(static_cast<Base&&>(other), alloc) {}
    Described& operator=(const Described&) = default;
    Described& operator=(Described&&) = default;
    ~Described() = default;
};
template <bool Map, class T = Tracked, KeySetOptions O = deferred>
struct DescribedOnes {
    using element = std::byte;
    template <class A>
    using container = Described<
        T, std::conditional_t<Map, BasicAnyMapStorage<Options<O>, AllocBy<A>>, BasicAnySetStorage<Options<O>, AllocBy<A>>>,
        Map>;

    template <class C>
    static void fill(C& c, int first, int count) {
        const auto add = [&](int n) {
            T key(n);
            if constexpr (Map) {
                const T value(10 * n);
                c.insert(&key, &value);
            } else
                c.insert(&key);
        };
        inner::fill_with(c, first, count, add, [&](int n) {
            const T key(n);
            c.erase(&key);
        });
    }
    template <class C>
    static Contents contents(const C& c) {
        const auto number_at = [](const void* at) { return std::int64_t{static_cast<const T*>(at)->value()}; };
        Contents all;
        for (slot_t slot = 0; slot != c.capacity(); ++slot) {
            const SlotState state = c.state(slot);
            if (state != SlotState::live && state != SlotState::pending) continue;
            all.push_back(slot);
            all.push_back(static_cast<std::int64_t>(c.handle_at(slot).to_bits()));
            all.push_back(number_at(c.key(slot)));
            if constexpr (Map) all.push_back(number_at(c.value(slot)));
        }
        c.for_each_pending([&](slot_t slot) { all.push_back(slot); });
        return all;
    }
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
};

} // namespace test

#endif
