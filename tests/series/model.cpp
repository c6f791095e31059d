// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of series by the body of the fuzz target: each delta is held against what a model knows, a replica follows
// by captured deltas, a second one by composed ones, subscribers are notified as they must.
#include "fuzz/series_body.hpp"
#include "support/bounds.hpp"
#include "support/catch.hpp"

namespace {

template <DeltaRepresentation R>
struct Same {
    static constexpr SeriesOptions options = with(R);
};
template <DeltaRepresentation R, unsigned Bits, Exhaustion E, Reuse U = Reuse::lowest>
struct Few { // lives: slots are used up all the time
    static constexpr SeriesOptions options{
        .delta = R, .exhaustion = E, .reuse = U, .page_slots = 64, .handle = {.index_bits = 16 - Bits, .version_bits = Bits}};
};
#define ALL_SERIES                                                                                                             \
    Same<by_list>, Same<by_bits>, Same<by_both>, (Few<by_list, 2, Exhaustion::retire, Reuse::fifo>),                           \
        (Few<by_bits, 3, Exhaustion::retire, Reuse::lifo>), (Few<by_both, 2, Exhaustion::retire>),                             \
        (Few<by_list, 2, Exhaustion::wrap>), (Few<by_both, 3, Exhaustion::wrap, Reuse::lifo>)

// Of a type that has the options: g++ 12 for Windows crashes in an alias of options that depend on a template argument.
template <class Type>
using SetOf = TSSStorage<U32, TimeBy<Clock>, HashBy<DefaultHash<U32>>, Options<Type::options>>;
template <class Type, class T = U32, class Key = U32>
using DictOf = TSDStorage<Key, T, TimeBy<Clock>, HashBy<DefaultHash<Key>>, Options<Type::options>>;

template <class S, unsigned Ids>
void histories(std::uint64_t seed, int count = 3) {
    const auto runs = static_cast<unsigned>(bound(1, count)); // of the histories, all at full bounds
    CHECK(run_random(run<S, Ids>, seed, static_cast<int>(runs), 16384) > 600 * runs);
}

} // namespace

TEMPLATE_TEST_CASE("a replica of a set never diverges, also while slots are used up", "[series][replica][bounds]", ALL_SERIES) {
#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
    histories<SetOf<TestType>, 24>(1);
#else
    histories<SetOf<TestType>, 200>(11);
#endif
}

TEMPLATE_TEST_CASE("a replica of a dictionary never diverges, also while slots are used up", "[series][replica][bounds]",
                   ALL_SERIES) {
#if defined(SLOTWISE_TEST_REST)
    histories<DictOf<TestType>, 200>(31);
#else
    histories<DictOf<TestType>, 12>(21);
#endif
}

#if !defined(SLOTWISE_TEST_REST)
TEMPLATE_TEST_CASE("a replica of a dictionary of strings never diverges", "[series][replica][bounds]", Same<by_list>,
                   Same<by_bits>, Same<by_both>) {
    histories<DictOf<TestType, std::string, std::string>, 12>(41);
}
#endif

TEMPLATE_TEST_CASE("a replica of a dictionary of series never diverges", "[series][replica][bounds]", Same<by_list>,
                   Same<by_bits>, Same<by_both>, (Few<by_both, 2, Exhaustion::retire>)) {
    using Leaf = SetOf<TestType>;
#if defined(SLOTWISE_TEST_REST)
    histories<DictOf<TestType, Leaf>, 6>(51);
    histories<DictOf<TestType, DictOf<TestType>>, 5>(61);
#else
    histories<DictOf<TestType, DictOf<TestType, Leaf>>, 3>(71, 2);
#endif
}
