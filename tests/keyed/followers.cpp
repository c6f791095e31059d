// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps keyed by the handles of a container that erases later.
#include "support/catch.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

namespace {

using namespace slotwise;

constexpr KeySetOptions deferred{.deferred_erase = true};
using Set = SetStorage<int, Options<deferred>>;
using Map = MapStorage<int, int, Options<deferred>>;
using AnySet = BasicAnySetStorage<Options<deferred>>;

struct Sets {
    Set c;
    void insert(int n) { c.insert(n); }
    void remove(int n) { c.remove(n); }
    auto handle(int n) const { return c.handle_of(n); }
};
struct Maps {
    Map c;
    void insert(int n) { c.insert(n, n); }
    void remove(int n) { c.remove(n); }
    auto handle(int n) const { return c.handle_of(n); }
};
struct Described {
    AnySet c{TypeDescriptor::of<int>()};
    void insert(int n) { c.insert(&n); }
    void remove(int n) { c.erase(&n); }
    auto handle(int n) const { return c.handle_at(c.slot_of(&n)); }
};

} // namespace

TEMPLATE_TEST_CASE("A handle that is stale since its key was removed and inserted again resolves in no follower", "[keyed]",
                   Sets, Maps, Described) {
    TestType keyed;
    using H = typename decltype(keyed.c)::handle_type;
    keyed.insert(1);
    keyed.insert(2);
    SecondaryMap<H, int> paged;
    SparseSecondaryMap<H, int> sparse;
    IdentityMap<int, H> ids;
    paged.attach_to(keyed.c);
    sparse.attach_to(keyed.c);
    ids.attach_to(keyed.c);
    const H old = keyed.handle(1), other = keyed.handle(2);
    for (const H handle : {old, other}) {
        paged.insert(handle, 1);
        sparse.insert(handle, 1);
        ids.insert(handle == old ? 7 : 8, handle);
    }
    keyed.remove(1);
    CHECK(paged.contains(old)); // readable until the key lives again or is flushed
    keyed.insert(1);
    const H fresh = keyed.handle(1);
    REQUIRE(fresh.index() == old.index());
    REQUIRE_FALSE(keyed.c.contains(old));
    for (const H handle : {old, fresh}) {
        CHECK_FALSE(paged.contains(handle));
        CHECK_FALSE(sparse.contains(handle));
        CHECK_FALSE(ids.contains(handle));
    }
    CHECK(ids.handle_of(7).is_null());
    CHECK(ids.insert(7, fresh));
    CHECK(paged.insert(fresh, 2).inserted);
    CHECK(sparse.insert(fresh, 2).inserted);
    CHECK((paged.contains(other) && sparse.contains(other) && ids.contains(other)));
    CHECK((paged.size() == 2 && sparse.size() == 2 && ids.size() == 2));
    CHECK((paged.check_invariants() && sparse.check_invariants() && ids.check_invariants()));
}
