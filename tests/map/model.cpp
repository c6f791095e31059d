// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of every storage under every policy, of secondary maps and columns that follow it and of an IdentityMap, by
// the bodies of the fuzz targets: a model knows each handle in advance.
#include "fuzz/identity_body.hpp"
#include "fuzz/map_body.hpp"
#include "support/catch.hpp"

namespace {

[[maybe_unused]] constexpr HandleLayout bits16{.index_bits = 8, .version_bits = 4, .user_bits = 4};
[[maybe_unused]] constexpr HandleLayout bits32{.index_bits = 20, .version_bits = 12, .user_bits = 0};
[[maybe_unused]] constexpr HandleLayout bits64{.index_bits = 24, .version_bits = 16, .user_bits = 24};

template <class Storage, class T, HandleLayout L, Reuse R, Exhaustion E>
void histories(std::uint64_t seed) {
    using Map = typename Storage::template map<T, few(L, R, E)>;
    const NothingLeft objects;
    CHECK(run_random(run<MapBody<Map>>, seed, 3, 8192) > 3000);
}

} // namespace

TEMPLATE_TEST_CASE("a random history agrees with the oracle: lifo", "[model]", ALL_STORAGES) {
#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
    histories<TestType, int, HandleLayout{}, Reuse::lifo, Exhaustion::wrap>(101);
#else
    histories<TestType, Counted, bits16, Reuse::lifo, Exhaustion::retire>(1);
#endif
}

TEMPLATE_TEST_CASE("a random history agrees with the oracle: fifo", "[model]", ALL_STORAGES) {
#if defined(SLOTWISE_TEST_REST)
    histories<TestType, Counted, bits16, Reuse::fifo, Exhaustion::wrap>(201);
#else
    histories<TestType, int, bits32, Reuse::fifo, Exhaustion::retire>(301);
#endif
}

TEMPLATE_TEST_CASE("a random history agrees with the oracle: lowest", "[model]", ALL_STORAGES) {
#if defined(SLOTWISE_TEST_REST)
    histories<TestType, int, bits16, Reuse::lowest, Exhaustion::retire>(401);
    histories<TestType, Counted, bits64, Reuse::lowest, Exhaustion::retire>(501);
#else
    histories<TestType, int, bits16, Reuse::lowest, Exhaustion::wrap>(601);
#endif
}

#if !defined(SLOTWISE_TEST_REST)
TEST_CASE("An IdentityMap of public ids agrees with a model over random histories", "[model]") {
    CHECK(run_random(run<IdentityBody<PublicId, layout(4)>>, 701, 3, 8192) > 2000);
}
#endif
