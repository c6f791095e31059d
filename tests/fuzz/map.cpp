// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "identity_body.hpp"
#include "map_body.hpp"

namespace {

std::uint64_t fuzz_one(Input& in) {
    using enum Exhaustion;
    using enum Reuse;
    const NothingLeft objects;
    using run_t = std::uint64_t (*)(Input&);
    static constexpr run_t bodies[] = {
        run<MapBody<Paged::map<int>>>,
        run<MapBody<Paged::map<Counted, few(dense(layout(4, 4)), lifo, retire)>>>,
        run<MapBody<Paged::map<int, few(layout(2), fifo, retire, 150)>>>,
        run<MapBody<Paged::map<Counted, few(layout(3), lowest, wrap), std::allocator<Counted>, ValueArray<Counted>>>>,
        run<MapBody<Reserved::map<Counted, few(HandleLayout{24, 32, 8}, lowest, retire, 300)>>>,
        run<MapBody<Dense::map<int, few(layout(3), lowest, retire, 200)>>>,
        run<MapBody<Dense::map<Counted, few(HandleLayout{}, lifo, retire)>>>,
        run<MapBody<Dense::map<Counted, few(layout(4, 2), fifo, wrap), std::allocator<Counted>, ValueArray<Counted>>>>,
        run<MapBody<Soa::map<Counted, few(dense(layout(2)), lowest, retire, 130)>>>,
        run<MapBody<Soa::map<int, few(layout(12), lifo, wrap)>>>,
        run<IdentityBody<PublicId, dense(layout(4))>>,
        run<MapBody<Described::map<int, few(layout(3), lowest, retire, 200)>>>,
        run<MapBody<Described::map<Counted, few(layout(4, 4), fifo, retire), ValueArray<Counted>>>>,
        run<MapBody<Dense::map<Uneasy, few(layout(12), fifo, retire, 180)>>>,
        run<IdentityBody<Counted, HandleLayout{}, HashBy<SeededHash>>>,
    };
    return bodies[in.below(std::size(bodies))](in);
}

} // namespace

#include "driver.hpp"
