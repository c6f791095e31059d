// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "keyed_body.hpp"

namespace {

constexpr std::uint64_t (*bodies[])(Input&) = {
    &run<Config<KeySet<U32, Options<wide(false, Reuse::lowest)>>, U32, void>>,
    &run<Config<KeySet<Counted, HashBy<CountedHash>, Options<worn(true, retire, Reuse::lowest, 2, 100)>>, Counted, void>>,
    &run<SetC<U32, FourHash<U32>, worn(false, retire, Reuse::fifo, 3), PortableHashIndex>>,
    &run<SetC<U64, HighHash<U64>, worn(true, retire, Reuse::lifo, 4)>>,
    &run<SetC<std::string, DefaultHash<std::string>, worn(true, wrap, Reuse::fifo, 2, 120)>>,
    &run<BareMapC<U32, U32, DefaultHash<U32>, wide(false, Reuse::lowest)>>,
    &run<MapC<U32, Counted, LowHash<U32>, worn(false, retire, Reuse::lowest, 3, 100), PortableHashIndex>>,
    &run<MapC<std::string, Counted, LengthHash, worn(true, retire, Reuse::lowest, 3)>>,
    &run<MapC<std::string, std::string, DefaultHash<std::string>, worn(false, wrap, Reuse::lifo, 4, 90)>>,
    &run<MapC<U64, Counted, HighHash<U64>, wide(true, Reuse::fifo), PortableHashIndex>>,
    &run<BareMapC<U64, U64, FourHash<U64>, worn(true, wrap, Reuse::lowest, 7)>>,
    &run<AnyC<std::string, Counted, wide(false, Reuse::lowest)>>,
    &run<AnyC<U32, std::string, worn(true, retire, Reuse::lifo, 3)>>,
    &run<AnySetC<std::string, worn(false, retire, Reuse::fifo, 3)>>,
    &run<AnySetC<Counted, worn(true, retire, Reuse::lowest, 2)>>,
    &run<AnyC<Counted, Counted, worn(false, retire, Reuse::lowest, 4)>>,
    &run<MapC<U32, std::string, OwnHash<U32>, worn(false, retire, Reuse::lowest, 3), StdIndex>>,
    &run<SetC<Counted, OwnHash<Counted>, worn(true, retire, Reuse::lifo, 2), StdIndex>>,
};

std::uint64_t fuzz_one(Input& input) { return bodies[input.below(std::size(bodies))](input); }

} // namespace

#include "driver.hpp"
