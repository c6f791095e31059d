// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What stands in braces where a key is possible is a key, as in std::unordered_map, or does not compile. It is never a handle,
// a slot or an iterator, which have the same two numbers in them.
#include "../containers.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace test::braces {

using namespace slotwise;

//=== keys that two numbers in braces make ===//

struct Aggregate {
    unsigned a = 0, b = 0;
    bool operator==(const Aggregate&) const = default;
};
class Class {
public:
    Class() = default;
    Class(unsigned first, unsigned second) : a(first), b(second) {}
    bool operator==(const Class&) const = default;
    unsigned a = 0, b = 0;
};
/// Converts to each handle: to that of an element which is not its own.
struct Convertible {
    unsigned a = 0, b = 0;
    bool operator==(const Convertible&) const = default;
    template <class Tag, HandleLayout L>
    operator Handle<Tag, L>() const {
        return Handle<Tag, L>(0, 1);
    }
};
using OtherHandle = SlotMap<std::string>::handle_type;
using Pair = std::pair<unsigned, unsigned>;
using Array = std::array<unsigned, 2>;

/// The two numbers of a key.
template <class Key>
std::pair<unsigned, unsigned> numbers(const Key& key) {
    if constexpr (AnyHandle<Key>)
        return {key.index(), key.version()};
    else if constexpr (std::is_same_v<Key, Pair>)
        return key;
    else if constexpr (std::is_same_v<Key, Array>)
        return {key[0], key[1]};
    else
        return {key.a, key.b};
}
struct Hash {
    template <class Key>
    std::size_t operator()(const Key& key) const {
        const auto [a, b] = numbers(key);
        return std::size_t{a} * 64 + b;
    }
};

//=== containers of int of tests/properties/containers.hpp, with another key ===//

template <class C, class Key>
struct Rekeyed {
    static constexpr bool is_keyed = false; // its name is no key of the user, or is a handle itself
};
template <template <class...> class C, class... With, class Key>
    requires(requires { typename C<int, With...>::key_type; })
struct Rekeyed<C<int, With...>, Key> {
    static constexpr bool is_keyed = true;
    using type = C<Key, With..., HashBy<Hash>>;
};
template <class H, class... With, class Key>
struct Rekeyed<IdentityMap<int, H, With...>, Key> {
    static constexpr bool is_keyed = true;
    using type = IdentityMap<Key, H, With..., HashBy<Hash>>;
};

template <class C>
inline constexpr bool is_series = requires(C& c) { c.window(); };

/// f(container), or f(writer) of a series.
template <class C, class F>
void edit(C& c, F&& f) {
    if constexpr (is_series<C>) {
        auto w = c.write(1);
        f(w);
    } else
        f(c);
}

constexpr unsigned end = 4; // both numbers of a key are below it; as a handle many of them would be there

template <class Key>
using Model = std::unordered_map<Key, int, Hash>;

/// What the container says of each key, named by its type, against the model.
template <class Key, class C>
void check_same(const C& c, const Model<Key>& model, const char* verb) {
    INFO(verb);
    CHECK(c.size() == model.size());
    for (unsigned a = 0; a != end; ++a)
        for (unsigned b = 0; b != end; ++b) {
            const Key key{a, b};
            const auto found = model.find(key);
            REQUIRE(c.count(key) == (found != model.end() ? 1u : 0u));
            if (found == model.end()) continue;
            if constexpr (requires { *c.get(key) == 0; })
                if (static_cast<const void*>(c.get(key)) != nullptr) CHECK(*c.get(key) == found->second);
        }
}

template <class Key, class C>
void fill(C& c, Model<Key>& model) {
    int n = 0;
    for (unsigned a = 0; a != end; ++a)
        for (unsigned b = 0; b != end; ++b) {
            if ((a * end + b) % 3 == 1) continue;
            const Key key{a, b};
            ++n;
            if constexpr (requires(typename C::handle_type h) { c.id_of(h); })
                c.insert(key, typename C::handle_type(static_cast<slot_t>(n), 1));
            else
                edit(c, [&](auto& to) {
                    if constexpr (requires { to.set(key, n); })
                        to.set(key, n);
                    else if constexpr (requires { to.insert(key, n); })
                        to.insert(key, n);
                    else
                        to.insert(key);
                });
            model[key] = n;
        }
}

// A verb that the container has with a typed key is called with the key in braces: it compiles, and does what the model does.
#define SLOTWISE_READ(verb, ...)                                                                                               \
    if constexpr (requires { c.verb(key __VA_OPT__(, ) __VA_ARGS__); }) {                                                      \
        static_assert(                                                                                                         \
            requires {                                                                                                         \
                c.verb({a, b} __VA_OPT__(, ) __VA_ARGS__);                                                                     \
            }, "a key in braces: " #verb);                                                                                     \
        INFO(#verb);                                                                                                           \
        CHECK(c.verb({a, b} __VA_OPT__(, ) __VA_ARGS__) == c.verb(key __VA_OPT__(, ) __VA_ARGS__));                            \
        ++verbs;                                                                                                               \
    }
#define SLOTWISE_EDIT(verb, ...)                                                                                               \
    {                                                                                                                          \
        C copy(original);                                                                                                      \
        Model<Key> expected(model);                                                                                            \
        edit(copy, [&](auto& to) {                                                                                             \
            if constexpr (requires { to.verb(key __VA_OPT__(, ) __VA_ARGS__); }) {                                             \
                static_assert(                                                                                                 \
                    requires {                                                                                                 \
                        to.verb({a, b} __VA_OPT__(, ) __VA_ARGS__);                                                            \
                    }, "a key in braces: " #verb);                                                                             \
                static_cast<void>(to.verb({a, b} __VA_OPT__(, ) __VA_ARGS__));                                                 \
                apply_##verb(expected, key __VA_OPT__(, ) __VA_ARGS__);                                                        \
                ++verbs;                                                                                                       \
            }                                                                                                                  \
        });                                                                                                                    \
        check_same<Key>(copy, expected, #verb);                                                                                \
    }

template <class M, class Key>
void apply_erase(M& m, const Key& key) {
    m.erase(key);
}
template <class M, class Key>
void apply_remove(M& m, const Key& key) {
    m.erase(key);
}
template <class M, class Key>
void apply_extract(M& m, const Key& key) {
    m.extract(key);
}
template <class M, class Key>
void apply_pop(M& m, const Key& key) {
    m.erase(key);
}
template <class M, class Key>
void apply_insert(M& m, const Key& key, int value = 0) {
    m.insert({key, value});
}
template <class M, class Key>
void apply_add(M& m, const Key& key) {
    m.insert({key, 0});
}
template <class M, class Key>
void apply_create(M& m, const Key& key) {
    m.insert({key, 0});
}
template <class M, class Key>
void apply_insert_or_assign(M& m, const Key& key, int value) {
    m.insert_or_assign(key, value);
}
template <class M, class Key>
void apply_set(M& m, const Key& key, int value) {
    m.insert_or_assign(key, value);
}
template <class M, class Key>
void apply_try_emplace(M& m, const Key& key, int value) {
    m.try_emplace(key, value);
}
template <class M, class Key>
void apply_emplace(M& m, const Key& key, int value) {
    m.try_emplace(key, value);
}

/// Each verb that takes a key, of one container.
template <class Key, class C>
unsigned each_verb() {
    unsigned verbs = 0;
    C original;
    Model<Key> model;
    fill<Key>(original, model);
    check_same<Key>(original, model, "filled");
    const auto read = [&](const auto& c, unsigned a, unsigned b) {
        const Key key{a, b};
        INFO(a << ", " << b);
        SLOTWISE_READ(contains)
        SLOTWISE_READ(count)
        SLOTWISE_READ(get)
        SLOTWISE_READ(find)
        SLOTWISE_READ(slot_of)
        SLOTWISE_READ(slot_of_any)
        SLOTWISE_READ(handle_of)
        SLOTWISE_READ(value_or, -1)
        SLOTWISE_READ(valid)
        SLOTWISE_READ(last_modified)
        SLOTWISE_READ(modified, 1)
        SLOTWISE_READ(was_added, 1)
        SLOTWISE_READ(was_removed, 1)
        if (model.contains(key))
            if constexpr (requires { c.at(key); }) {
                SLOTWISE_READ(at)
            }
    };
    for (unsigned a = 0; a != end; ++a)
        for (unsigned b = 0; b != end; ++b) {
            const Key key{a, b};
            read(original, a, b);
            if constexpr (is_series<C>) {
                auto w = original.write(1);
                read(w, a, b);
            }
            if constexpr (requires { original.view(); })
                read(original.view(), a, b);
            else if constexpr (requires { MapView(original); })
                read(MapView(original), a, b);
            else if constexpr (requires { SetView(original); })
                read(SetView(original), a, b);
            SLOTWISE_EDIT(erase)
            SLOTWISE_EDIT(remove)
            SLOTWISE_EDIT(extract)
            SLOTWISE_EDIT(pop)
            SLOTWISE_EDIT(insert, 77)
            SLOTWISE_EDIT(add)
            SLOTWISE_EDIT(create)
            SLOTWISE_EDIT(insert_or_assign, 77)
            SLOTWISE_EDIT(set, 77)
            SLOTWISE_EDIT(try_emplace, 77)
            SLOTWISE_EDIT(emplace, 77)
            if constexpr (
                requires(C& c) {
                    c.insert({a, b});
                } && !requires(C& c) { c.as_set(); })
                SLOTWISE_EDIT(insert)
            // The operator, and the verbs of a dictionary's writer that take a function.
            C copy(original);
            Model<Key> expected(model);
            edit(copy, [&](auto& to) {
                if constexpr (requires { to[key] = 5; }) {
                    to[{a, b}] = 5;
                    expected[key] = 5;
                    ++verbs;
                }
                if constexpr (requires { to.modify(key) = 6; }) {
                    to.modify({a, b}) = 6;
                    expected[key] = 6;
                    CHECK(to.update({a, b}, [](int& value) { ++value; }));
                    ++expected[key];
                    CHECK(to.invalidate({a, b}));
                    expected[key] = 0;
                    verbs += 3;
                }
            });
            check_same<Key>(copy, expected, "[]");
        }
    // No number at all: Key().
    const auto nothing = [&](const auto& c) {
        if constexpr (requires { c.contains(Key{}); }) CHECK(c.contains({}) == model.contains({}));
        if constexpr (requires { c.count(Key{}); }) CHECK(c.count({}) == model.count({}));
        if constexpr (requires { c.find(Key{}); }) CHECK(c.find({}) == c.find(Key{}));
        if constexpr (requires { c.get(Key{}); }) CHECK(c.get({}) == c.get(Key{}));
        if constexpr (requires { c.slot_of(Key{}); }) CHECK(c.slot_of({}) == c.slot_of(Key{}));
        if constexpr (requires { c.handle_of(Key{}); }) CHECK(c.handle_of({}) == c.handle_of(Key{}));
    };
    nothing(original);
    edit(original, [&](auto& to) {
        if constexpr (is_series<C>) nothing(to);
        if constexpr (requires { to.erase(Key{}); }) CHECK(static_cast<bool>(to.erase({})) == (model.erase(Key{}) != 0));
    });
    check_same<Key>(original, model, "erase({})");
    return verbs;
}

/// A handle is taken as before, however it is passed, and names its element.
template <class Key, class C>
void check_handles() {
    C c;
    Model<Key> model;
    fill<Key>(c, model);
    const Key key{1, 2};
    const auto name = c.handle_of(key);
    auto again = name;
    CHECK(c.contains(name));
    CHECK(c.contains(again));
    CHECK(c.contains(c.handle_of(key)));
    CHECK(c.explain(name) == HandleStatus::live);
    CHECK(c.find(name) == c.find(key));
    CHECK(c.find(key).handle() == name);
    CHECK(c.at(name) == c.at(again));
    CHECK(c[name] == c[again]);
    CHECK(c.contains(c.find(key).handle()));
    edit(c, [&](auto& to) { CHECK(to.erase(again)); });
    CHECK(!c.contains(key));
    CHECK(c.explain(name) != HandleStatus::live);
}

struct EachKey {
    template <class Entry, class C>
    static void run() {
        if constexpr (Rekeyed<C, Aggregate>::is_keyed) {
            ++containers;
            of<C, Aggregate>();
            of<C, Convertible>();
        }
    }
    template <class C, class Key>
    static void of() {
        using Subject = typename Rekeyed<C, Key>::type;
        const unsigned verbs = each_verb<Key, Subject>();
        CHECK(verbs >= end * end * 4);
        if constexpr (requires(const Subject& c, typename Subject::handle_type h) { c[h]; }) check_handles<Key, Subject>();
    }
    static inline std::size_t containers = 0;
};

TEST_CASE("a key in braces is the key in each verb of each keyed container", "[properties][braced_keys]") {
    EachKey::containers = 0;
    every::for_each_container_here<EachKey>();
    CHECK(EachKey::containers >= every::here(16)); // five sets and maps each, three series each, two identities
}

#if !defined(SLOTWISE_TEST_REST)
template <class... Cs>
void with_other_keys() {
    (EachKey::of<Cs, Class>(), ...);
    (EachKey::of<Cs, Pair>(), ...);
    (EachKey::of<Cs, Array>(), ...);
    (EachKey::of<Cs, OtherHandle>(), ...);
}
TEST_CASE("a key of any type may stand in braces", "[properties][braced_keys]") {
    with_other_keys<SetStorage<int>, MapStorage<int, int>, TSSStorage<int>, TSDStorage<int, int>,
                    IdentityMap<int, every::entry::SomeHandle>>();
}
#endif

//=== where no key can be made of two numbers, nothing else is ===//

// A handle of {index, version}, an iterator of {container, slot}.
#define SLOTWISE_NONE(verb, ...)                                                                                               \
    static_assert(                                                                                                             \
        !requires(C& c) {                                                                                                      \
            c.verb({1u, 1u} __VA_OPT__(, ) __VA_ARGS__);                                                                       \
        }, "taken for a handle: " #verb);                                                                                      \
    static_assert(                                                                                                             \
        !requires(C& c) {                                                                                                      \
            c.verb({1, 1} __VA_OPT__(, ) __VA_ARGS__);                                                                         \
        }, "taken for a handle: " #verb);                                                                                      \
    static_assert(                                                                                                             \
        !requires(C& c) {                                                                                                      \
            c.verb({nullptr, 1u} __VA_OPT__(, ) __VA_ARGS__);                                                                  \
        }, "taken for an iterator: " #verb);                                                                                   \
    static_assert(                                                                                                             \
        !requires(const C& c) {                                                                                                \
            c.verb({1u, 1u} __VA_OPT__(, ) __VA_ARGS__);                                                                       \
        }, "taken for a handle: " #verb);
template <class C>
constexpr void takes_no_braces() {
    SLOTWISE_NONE(contains)
    SLOTWISE_NONE(count)
    SLOTWISE_NONE(get)
    SLOTWISE_NONE(at)
    SLOTWISE_NONE(find)
    SLOTWISE_NONE(operator[])
    SLOTWISE_NONE(key)
    SLOTWISE_NONE(id_of)
    SLOTWISE_NONE(explain)
    SLOTWISE_NONE(slot_of)
    SLOTWISE_NONE(slot_of_any)
    SLOTWISE_NONE(handle_of)
    SLOTWISE_NONE(value_or, 1)
    SLOTWISE_NONE(valid)
    SLOTWISE_NONE(last_modified)
    SLOTWISE_NONE(modified, 1)
    SLOTWISE_NONE(was_added, 1)
    SLOTWISE_NONE(was_removed, 1)
    SLOTWISE_NONE(erase)
    SLOTWISE_NONE(remove)
    SLOTWISE_NONE(extract)
    SLOTWISE_NONE(pop)
    SLOTWISE_NONE(create)
    SLOTWISE_NONE(modify)
    SLOTWISE_NONE(update, [](auto&&) {})
    SLOTWISE_NONE(invalidate)
    SLOTWISE_NONE(insert, 1)
    SLOTWISE_NONE(set, 1)
    SLOTWISE_NONE(insert_or_assign, 1)
    SLOTWISE_NONE(try_emplace, 1)
    static_assert(
        !requires(C& c, typename C::id_type id) {
            c.insert(id, {1u, 1u});
        }, "the handle of an id");
}

struct NoBraces {
    template <class Entry, class C>
    static void run() {
        if constexpr (std::is_base_of_v<every::KeyedVerbs, Entry> || std::is_base_of_v<every::DescribedVerbs, Entry> ||
                      std::is_base_of_v<every::SeriesVerbs, Entry> || std::is_base_of_v<every::IdentityVerbs, Entry>) {
            if constexpr (!std::is_base_of_v<every::DescribedSlotMapVerbs, Entry>) { // its only names are handles
                takes_no_braces<C>();
                if constexpr (is_series<C>) takes_no_braces<typename C::writer>();
                ++containers;
            }
        }
    }
    static inline std::size_t containers = 0;
};

TEST_CASE("two numbers in braces are no handle and no iterator where no key can be made of them", "[properties][braced_keys]") {
    NoBraces::containers = 0;
    every::for_each_container_here<NoBraces>();
    CHECK(NoBraces::containers >= every::here(26));
}

//=== other keys that stand in braces ===//

template <class M>
void with_strings() {
    M m;
    m.insert("ab", 1);
    m.insert("abc", 2);
    m.insert("", 3);
    const char* const text = "abcdef";
    CHECK(m.at({text, 2}) == 1);
    CHECK(m.at({text, 3}) == 2);
    CHECK(m.at({}) == 3);
    CHECK(m.contains({'a', 'b'}));
    CHECK(m.erase({text, 3}));
    CHECK(!m.contains("abc"));
    CHECK(m.erase({}));
    CHECK(m.size() == 1);
    m[{text, 6}] = 9;
    CHECK(m.at("abcdef") == 9);
}
enum class Number : unsigned {};

TEST_CASE("a string, a number and an enumerator in braces are the key", "[properties][braced_keys]") {
    with_strings<MapStorage<std::string, int>>();
    MapStorage<int, int> m;
    m.insert(0, 10);
    m.insert(5, 50);
    CHECK(m.at({5}) == 50);
    CHECK(m.contains({}));
    CHECK(m.erase({5}));
    CHECK(m.size() == 1);
    m[{7}] = 70;
    CHECK(m.at(7) == 70);
    SetStorage<Number> s;
    s.insert(Number{3});
    CHECK(s.contains({Number{3}}));
    CHECK(!s.contains({}));
    CHECK(s.erase({Number{3}}));
}

} // namespace test::braces
