// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What values do while apply_delta writes them.
#include "support/catch.hpp"

#include <slotwise/arrow/apply_delta.hpp>

#include <cstdint>
#include <stdexcept>

using namespace slotwise;

namespace {

struct Calling {
    std::int64_t number = 0;

    Calling() = default;
    explicit Calling(std::int64_t n) : number(n) {}
    Calling(const Calling&) = default;
    Calling& operator=(const Calling& other) {
        number = other.number;
        if (on_assign != nullptr) on_assign();
        return *this;
    }
    bool operator==(const Calling&) const = default;

    static inline void (*on_assign)() = nullptr;
};
using Dict = TSDStorage<std::int64_t, Calling>;

Dict* the_replica = nullptr;

} // namespace

template <>
struct slotwise::ArrowFields<Calling> {
    static constexpr auto members = std::tuple{field("number", &Calling::number)};
};

TEST_CASE("A member that an assignment removes while a delta is applied is not written through its slot", "[arrow][delta]") {
    Dict original, replica;
    for (Dict* const dict : {&original, &replica}) {
        auto writer = dict->write(1);
        for (std::int64_t key = 0; key != 3; ++key) writer.set(key, Calling(key));
    }
    {
        auto writer = original.write(2);
        for (std::int64_t key = 0; key != 3; ++key) writer.set(key, Calling(10 + key));
    }
    ArrowArrayStream stream;
    export_delta(original, 1, &stream);

    the_replica = &replica;
    Calling::on_assign = [] { the_replica->write(2).remove(1); };
    CHECK_THROWS_AS(apply_delta(replica, &stream), std::out_of_range);
    Calling::on_assign = nullptr;

    CHECK(replica.check_invariants());
    CHECK(replica.at(0) == Calling(10)); // the changes until then stay
    CHECK_FALSE(replica.contains(1));
    CHECK(replica.at(2) == Calling(2));
    CHECK(replica.window() == 2);
}
