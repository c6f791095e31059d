// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories by the bodies of the fuzz targets, whose model foretells every answer, over what these do not have: each
// index, the adapters of other libraries' tables where the library is installed, each policy, described maps.
#include "fuzz/keyed_body.hpp"
#include "support/catch.hpp"

#if __has_include(<ankerl/unordered_dense.h>)
#include <slotwise/keyed/ankerl_index.hpp>
#endif
#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
#include <slotwise/keyed/boost_index.hpp>
#endif
#if __has_include(<tsl/robin_set.h>)
#include <slotwise/keyed/robin_index.hpp>
#endif

namespace {

template <class C>
void histories(std::uint64_t seed) {
    CHECK(run_random(run<C>, seed, 3, 8192) > 3000);
}
template <template <class> class Index>
void over_index(std::uint64_t seed) {
#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
    histories<MapC<U64, Counted, HighHash<U64>, worn(false, retire, Reuse::lowest, 4), Index>>(seed);
    histories<MapC<U32, Counted, FourHash<U32>, worn(true, retire, Reuse::fifo, 4), Index>>(seed + 50);
#else
    histories<MapC<std::string, Counted, LengthHash, worn(true, retire, Reuse::fifo, 4), Index>>(seed + 100);
#endif
}

} // namespace

TEMPLATE_TEST_CASE_SIG("a random history of a map agrees with the oracle, with and without deferred erase", "[model]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
#if defined(SLOTWISE_TEST_REST)
    histories<MapC<U64, Counted, DefaultHash<U64>, worn(false, retire, R, 4)>>(100);
    histories<MapC<U64, Counted, HighHash<U64>, worn(true, wrap, R, 4)>>(400);
#else
    histories<MapC<U64, Counted, LowHash<U64>, worn(false, wrap, R, 4)>>(200);
    histories<MapC<U64, Counted, FourHash<U64>, worn(true, retire, R, 4)>>(300);
#endif
}

#if !defined(SLOTWISE_TEST_REST)
TEST_CASE("a random history agrees with the oracle for keys that own something, and for wide handles", "[model]") {
    histories<MapC<Counted, Counted, CountedHash, worn(true, retire, Reuse::lowest, 4)>>(500);
    histories<MapC<std::string, Counted, DefaultHash<std::string>, wide(true, Reuse::lifo)>>(600);
}

TEST_CASE("a random history of a described map agrees with the oracle", "[model]") {
    histories<AnyC<U32, Counted, wide(true, Reuse::lowest)>>(700);
    histories<AnyC<std::string, std::string, worn(false, wrap, Reuse::fifo, 4)>>(800);
}
#endif

TEST_CASE("a random history agrees with the oracle over the portable index", "[model]") { over_index<PortableHashIndex>(900); }
#if __has_include(<boost/unordered/unordered_flat_set.hpp>)
TEST_CASE("a random history agrees with the oracle over BoostIndex", "[model]") { over_index<BoostIndex>(1100); }
#endif
#if __has_include(<tsl/robin_set.h>)
TEST_CASE("a random history agrees with the oracle over RobinIndex", "[model]") { over_index<RobinIndex>(1300); }
#endif
#if __has_include(<ankerl/unordered_dense.h>)
TEST_CASE("a random history agrees with the oracle over AnkerlIndex", "[model]") { over_index<AnkerlIndex>(1500); }
#endif
