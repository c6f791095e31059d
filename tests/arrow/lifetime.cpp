// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Who owns what: streams, batches and columns that outlive what they came from, errors across the interface, and pins.
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/exportable.hpp>

#include "reader.hpp"

#include <atomic>
#include <cerrno>
#include <thread>

using namespace slotwise;
using arrow_test::read_all;

namespace {

using Numbers = SlotMap<std::uint64_t>;
using Names = MapStorage<std::uint64_t, std::string>;

Numbers numbers(std::uint64_t n) {
    Numbers map;
    map.reserve(n);
    for (std::uint64_t i = 0; i != n; ++i) map.insert(i);
    return map;
}
Names names(std::uint64_t n) {
    Names map;
    map.reserve(n);
    for (std::uint64_t i = 0; i != n; ++i) map.insert(i, "name " + std::to_string(i));
    return map;
}
template <class C>
OwnedStream stream_of(std::shared_ptr<const C> container, ExportOptions options = {}) {
    ArrowArrayStream raw;
    export_stream(std::move(container), &raw, options);
    return OwnedStream(&raw);
}
template <class C>
OwnedStream copy_of(const C& container, ExportOptions options = {}) {
    ArrowArrayStream raw;
    export_stream(container, &raw, options);
    return OwnedStream(&raw);
}
std::uint64_t sum(const ArrowArray& column) {
    std::uint64_t total = 0;
    for (std::int64_t i = 0; i != column.length; ++i) total += arrow_test::value_at<std::uint64_t>(column.buffers[1], i);
    return total;
}
constexpr std::uint64_t sum_to(std::uint64_t n) { return n * (n - 1) / 2; }

} // namespace

TEST_CASE("A copy is as the container was, whatever happens to the container afterwards", "[arrow]") {
    OwnedStream stream;
    {
        Names map = names(5000);
        stream = copy_of(map);
        map.clear();
        map.shrink_to_fit();
    }
    const auto sheet = read_all(stream);
    CHECK((sheet.rows() == 5000 && sheet["value"][4999] == "name 4999"));
}

TEST_CASE("A shared batch refers to the container's own memory and keeps it alive", "[arrow]") {
    auto frozen = freeze(numbers(10000));
    const std::weak_ptr<const Numbers> watched = frozen;
    const void* const first = &*frozen->begin();
    OwnedArray batch;
    {
        OwnedStream stream = stream_of(std::move(frozen));
        batch = stream.next();
    }
    CHECK((batch->length == 10000 && batch->children[0]->buffers[1] == first && !watched.expired()));
    CHECK(sum(*batch->children[0]) == sum_to(10000));
    batch.reset();
    CHECK(watched.expired());
}

TEST_CASE("Every column may be moved out of its batch and outlives batch, stream and container", "[arrow]") {
    const auto frozen = freeze(names(9000));
    const std::weak_ptr<const Names> watched = frozen;
    OwnedArray keys, texts;
    {
        auto moved = frozen;
        OwnedStream stream = stream_of(std::move(moved), {.handles = true});
        OwnedArray batch = stream.next();
        keys = OwnedArray(batch->children[0]);
        texts = OwnedArray(batch->children[1]);
        CHECK(batch->children[0]->release == nullptr);
    }
    CHECK(watched.use_count() == 2); // the keys, and the name here
    CHECK(arrow_test::cell("u", *texts, 7) == "name 7");
    keys.reset();
    CHECK(watched.use_count() == 1);
    CHECK(arrow_test::cell("u", *texts, 8999 % texts->length) != "");
}

TEST_CASE("Schemas own their children, which may be moved out", "[arrow]") {
    OwnedSchema child;
    {
        OwnedStream stream = copy_of(names(1));
        OwnedSchema schema = stream.schema();
        child = OwnedSchema(schema->children[1]);
    }
    CHECK((std::string(child->name) == "value" && std::string(child->format) == "u"));
}

TEST_CASE("Streams that are abandoned give everything back", "[arrow]") {
    auto frozen = freeze(names(200000));
    for (const std::size_t batches : {0u, 1u, 2u}) {
        OwnedStream stream = stream_of(frozen);
        for (std::size_t i = 0; i != batches; ++i) CHECK(stream.next());
        CHECK(frozen.use_count() >= 2);
        stream.reset();
        CHECK(frozen.use_count() == 1);
        copy_of(*frozen).next();
    }
}

TEST_CASE("A gathered batch pins nothing, nor does a stream at its end", "[arrow]") {
    const auto frozen = freeze(names(1000));
    OwnedStream stream = stream_of(frozen); // 1000 keys are too few to be shared
    CHECK(frozen.use_count() == 2);
    const OwnedArray batch = stream.next();
    CHECK((batch->length == 1000 && frozen.use_count() == 2));
    CHECK_FALSE(stream.next());
    CHECK(frozen.use_count() == 1);
}

TEST_CASE("Batches are released on any thread, columns one by one", "[arrow][readers]") {
    Exportable<Numbers> owner(numbers(50000));
    std::vector<std::thread> threads;
    {
        OwnedStream stream = stream_of(owner.pin(), {.handles = true});
        for (OwnedArray batch = stream.next(); batch; batch = stream.next()) {
            auto handles = std::make_shared<OwnedArray>(batch->children[1]);
            auto rest = std::make_shared<OwnedArray>(std::move(batch));
            threads.emplace_back([handles] { handles->reset(); });
            threads.emplace_back([rest] {
                std::uint64_t total = sum(*(*rest)->children[0]);
                static_cast<void>(total);
                rest->reset();
            });
        }
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(owner.pinned());
    Numbers* const map = owner.write();
    REQUIRE(map != nullptr);
    for (std::uint64_t& value : *map) value = 1; // what the threads read came before
    CHECK(*owner.read().begin() == 1);
}

TEST_CASE("Errors come as a number and a text, and the stream stays usable", "[arrow]") {
    const auto frozen = freeze(names(10));
    detail::ArrowPlan plan = detail::arrow_plan(*frozen, {});
    plan.most_text = 3; // as if there were less than 2 GiB
    ArrowArrayStream raw;
    detail::export_plan(std::move(plan), frozen, &raw);
    OwnedStream stream(&raw);
#if defined(__cpp_exceptions)
    for (int times = 0; times != 2; ++times) {
        ArrowArray out{};
        CHECK(stream->get_next(stream.get(), &out) == EINVAL);
        CHECK(out.release == nullptr);
        CHECK(std::string(stream->get_last_error(stream.get())) == "Arrow export: one text has 2 GiB or more");
    }
#endif
    ArrowSchema schema;
    CHECK(stream->get_schema(stream.get(), &schema) == 0);
    CHECK(stream->get_last_error(stream.get()) == nullptr);
    schema.release(&schema);
}

TEST_CASE("Exportable hands its container out for writing only while nothing is pinned", "[arrow]") {
    Exportable<Names> owner;
    REQUIRE(owner.write() == &owner.read());
    owner.write()->insert(1u, "a");
    {
        const auto pin = owner.pin();
        CHECK((owner.pinned() && owner.write() == nullptr && pin.get() == &owner.read()));
        const auto second = owner.pin();
        CHECK(owner.write(OnWrite::refuse) == nullptr);
    }
    CHECK((!owner.pinned() && owner.write() == &owner.read()));
    OwnedStream stream = stream_of(owner.pin());
    CHECK(owner.pinned());
    stream.reset();
    CHECK_FALSE(owner.pinned());
}

TEST_CASE("Exportable detaches: exports keep what was there, slots and handles go on in the copy", "[arrow]") {
    Exportable<Numbers> owner(numbers(20000));
    Numbers& before = *owner.write();
    const auto gone = before.insert(7u);
    before.erase(gone);
    const auto kept = before.handle_of(before.begin());
    OwnedStream stream = stream_of(owner.pin());
    Numbers* const map = owner.write(OnWrite::detach);
    CHECK((map != nullptr && map != &before && map == &owner.read()));
    CHECK((map->get(kept) != nullptr && map->get(gone) == nullptr && !owner.pinned()));
    for (std::uint64_t& value : *map) value = 0;
    map->clear();
    std::uint64_t total = 0;
    for (OwnedArray batch = stream.next(); batch; batch = stream.next()) total += sum(*batch->children[0]);
    CHECK(total == sum_to(20000));
    CHECK(owner.write(OnWrite::detach) == map); // not pinned: no copy
}

TEST_CASE("A pin outlives the Exportable, which may be moved", "[arrow]") {
    std::shared_ptr<const Numbers> pin;
    {
        Exportable<Numbers> first(numbers(10));
        pin = first.pin();
        Exportable<Numbers> second(std::move(first));
        CHECK(second.pinned());
        Exportable<Numbers> third;
        third = std::move(second);
        CHECK(&third.read() == pin.get());
    }
    CHECK(pin->size() == 10);
}

TEST_CASE("Readers on threads see what was pinned while the owner detaches and writes", "[arrow][readers]") {
    constexpr std::uint64_t n = 5000;
    Exportable<Numbers> owner(numbers(n));
    std::vector<std::thread> readers;
    for (std::uint64_t round = 0; round != 20; ++round) {
        Numbers* const map = owner.write(OnWrite::detach);
        for (std::uint64_t& value : *map) value = round;
        auto stream = std::make_shared<OwnedStream>(stream_of(owner.pin(), {.least_shared = round % 2 == 0 ? 1u : 100000u}));
        readers.emplace_back([stream, round] {
            std::uint64_t total = 0;
            for (OwnedArray batch = stream->next(); batch; batch = stream->next()) total += sum(*batch->children[0]);
            if (total != round * n) std::abort();
        });
    }
    for (std::thread& reader : readers) reader.join();
    CHECK_FALSE(owner.pinned());
}

TEST_CASE("What other threads read comes before what is written once their pins are gone, without a join", "[arrow][readers]") {
    constexpr std::uint64_t n = 5000;
    Exportable<Numbers> owner(numbers(n));
    std::atomic<bool> wrong{false};
    std::vector<std::thread> readers;
    for (std::uint64_t round = 0; round != 20; ++round) {
        OwnedStream stream = stream_of(owner.pin(), {.handles = true, .least_shared = 1});
        while (OwnedArray batch = stream.next()) { // each column has an owner of its own, and so a thread
            for (const std::size_t c : {0u, 1u}) {
                auto column = std::make_shared<OwnedArray>(batch->children[c]);
                readers.emplace_back([column, &wrong, round, c] {
                    if (c == 0 && round != 0 && sum(**column) != round * static_cast<std::uint64_t>((*column)->length))
                        wrong = true;
                    column->reset();
                });
            }
        }
        stream.reset();
        Numbers* map = nullptr;
        while ((map = owner.write()) == nullptr) std::this_thread::yield();
        for (std::uint64_t& value : *map) value = round + 1;
    }
    for (std::thread& reader : readers) reader.join();
    CHECK_FALSE(wrong);
}

TEST_CASE("Pins are taken by the owner while other threads give theirs back", "[arrow][readers]") {
    Exportable<Numbers> owner(numbers(100));
    std::vector<std::thread> threads;
    for (int i = 0; i != 200; ++i) {
        threads.emplace_back([pin = owner.pin()]() mutable {
            const bool whole = pin->size() == 100;
            pin.reset();
            if (!whole) std::abort();
        });
        if (i % 10 == 0) owner.write(OnWrite::detach)->begin();
        if (threads.size() == 8) {
            for (std::thread& thread : threads) thread.join();
            threads.clear();
        }
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(owner.pinned());
}
