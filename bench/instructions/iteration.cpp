// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The walks of bench/iteration once each, without Google Benchmark, for a machine that is only emulated: prints what each adds up to.
// tools/verify/suite.py counts the instructions of sum_of() in the order of these lines.
#include "../support/article_slot_map.hpp"
#include "../support/contender.hpp"
#include "../support/dense_slot_map.hpp"
#include "../support/hive.hpp"
#include "../support/sequence.hpp"
#include "../support/slot_map.hpp"
#include "../support/vector.hpp"

#include <cstdio>

namespace {

using namespace bench;

template <class C>
void walk(const char* name, std::size_t n) {
    for (const int percent : {100, 50, 10}) {
        C contender;
        const std::size_t live = n * static_cast<std::size_t>(percent) / 100;
        static_cast<void>(populate(contender, n, shuffled(n, 1), n - live));
        const auto sum = static_cast<unsigned long long>(sum_of(contender));
        std::printf("%s|%zu|%d|%zu|%llu\n", name, sizeof(typename C::value_type), percent, live, sum);
    }
}

} // namespace

int main() {
    for_each_element_type([]<class T>(std::type_identity<T>) {
        constexpr std::size_t n = 2'000;
        walk<Vector<T>>("vector.dense", n);
        walk<DenseSlotMap<T>>("DenseSlotMap.dense", n);
        walk<SlotMap<T>>("SlotMap.sparse", n);
        walk<SlotMapIterator<T>>("SlotMap.sparse_iterator", n);
        walk<ArticleSlotMap<T>>("article_slot_map.free_list", n);
        walk<Colony<T>>("plf_colony", n);
    });
}
