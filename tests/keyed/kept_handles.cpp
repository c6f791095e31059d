// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Handles that erase_reserved keeps: what stays where it is meanwhile, and keys that other elements have had since.
#include "support/catch.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/map/slot_map.hpp>

#include <map>
#include <string>
#include <tuple>

using namespace slotwise;

namespace {

using Deferred = Options<KeySetOptions{.deferred_erase = true}>;

template <class C>
auto put(C& c, int n) {
    const std::string text = "an element that is on the heap " + std::to_string(n);
    if constexpr (requires { typename C::mapped_type; })
        return c.insert(text, n).it.handle();
    else if constexpr (requires { typename C::key_type; })
        return c.insert(text).it.handle();
    else
        return c.insert(text);
}
template <class C, class Handle>
bool put_back(C& c, Handle handle, int n) {
    const std::string text = "an element that is on the heap " + std::to_string(n);
    if constexpr (requires { typename C::mapped_type; })
        return c.fulfill(handle, text, n) != nullptr;
    else
        return c.fulfill(handle, text) != nullptr;
}

} // namespace

TEMPLATE_TEST_CASE("erase_reserved and fulfill leave all others where they are, and their handles and iterators valid",
                   "[reserved_handles]", (SlotMap<std::string>), (SetStorage<std::string>), (SetStorage<std::string, Deferred>),
                   (MapStorage<std::string, int>), (MapStorage<std::string, int, Deferred>)) {
    TestType c;
    std::map<int, decltype(put(c, 0))> handles;
    for (int n = 0; n != 300; ++n) handles.emplace(n, put(c, n));
    const auto where = [&](int n) {
        if constexpr (requires { c.key(handles.at(n)); })
            return static_cast<const void*>(c.key(handles.at(n)));
        else
            return static_cast<const void*>(c.get(handles.at(n)));
    };
    std::map<int, const void*> addresses;
    std::map<int, decltype(c.find(handles.at(0)))> iterators;
    for (const auto& [n, handle] : handles) {
        addresses[n] = where(n);
        iterators.emplace(n, c.find(handle));
    }
    for (int n = 0; n < 300; n += 3) REQUIRE(c.erase_reserved(handles.at(n)));
    const auto check = [&](bool back) {
        REQUIRE(c.size() == (back ? 300 : 200));
        for (const auto& [n, handle] : handles) {
            const bool there = back || n % 3 != 0;
            REQUIRE(c.explain(handle) == (there ? HandleStatus::live : HandleStatus::reserved));
            if (!there) continue;
            REQUIRE(where(n) == addresses[n]);
            REQUIRE(c.find(handle) == iterators.at(n));
        }
        REQUIRE(c.check_invariants());
    };
    check(false);
    for (int n = 297; n >= 0; n -= 3) REQUIRE(put_back(c, handles.at(n), n));
    check(true);
}

TEMPLATE_TEST_CASE(
    "a container whose reserved handle came back with a removed key goes on like the one that is restored from it",
    "[reserved_handles][snapshot]", (SetStorage<std::string, Deferred>), (MapStorage<std::string, int, Deferred>)) {
    for (const bool extract : {false, true})
        for (const bool again : {false, true}) {
            TestType c;
            const auto kept = put(c, 7);
            REQUIRE(c.erase_reserved(kept));
            const auto removed = put(c, 7);
            REQUIRE(c.erase(removed)); // pending
            REQUIRE(put_back(c, kept, 7));
            TestType with_both;
            with_both.restore(c.snapshot()); // was refused: a key occurs twice
            REQUIRE(with_both == c);
            REQUIRE(with_both.check_invariants());
            if (extract)
                REQUIRE(c.extract_reserved(kept).has_value());
            else
                REQUIRE(c.erase_reserved(kept));
            if (again) REQUIRE(put_back(c, kept, 8));
            TestType twin, copy(c);
            twin.restore(c.snapshot());
            const auto next = put(c, 7); // resurrects the pending one, in all three
            REQUIRE(next.index() == removed.index());
            REQUIRE((put(twin, 7) == next && put(copy, 7) == next));
            REQUIRE((c.check_invariants() && twin.check_invariants() && copy.check_invariants()));
            c.flush_removed();
            REQUIRE(c.contains(next));
            REQUIRE(c.check_invariants());
        }
}
