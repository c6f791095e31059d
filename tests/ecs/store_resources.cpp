// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Resources of a store: one value of each type, where it is, when it dies, and how it is saved.
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/command_buffer.hpp>

#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Bytes = std::vector<std::byte>;

struct Clock {
    double seconds = 0;
};
struct Settings {
    std::string language{};
    int volume = 0;
};
struct Marker {};
struct Health {
    int left = 0;
};
/// Says when it dies.
struct Dies {
    Dies(std::string own, std::vector<std::string>& log) : name(std::move(own)), to(&log) {}
    Dies(const Dies&) = delete;
    Dies& operator=(const Dies&) = delete;
    ~Dies() { to->push_back(name); }
    std::string name;
    std::vector<std::string>* to;
};
struct First : Dies {
    using Dies::Dies;
};
struct Second : Dies {
    using Dies::Dies;
};
struct Part {
    std::vector<std::string>* to = nullptr;
    explicit Part(std::vector<std::string>& log) : to(&log) {}
    Part(Part&& other) noexcept : to(std::exchange(other.to, nullptr)) {}
    Part& operator=(Part&& other) noexcept {
        std::swap(to, other.to);
        return *this;
    }
    ~Part() {
        if (to != nullptr) to->push_back("component");
    }
};
/// Can be neither copied nor moved, by words of its own.
struct Pinned {
    explicit Pinned(int n) : number(n) {}
    Pinned(Pinned&&) = delete;
    Pinned& operator=(Pinned&&) = delete;
    ~Pinned() { number = 0; }
    int number;
};
struct alignas(128) Wide {
    int value = 7;
};

AnyCodec codec() { return AnyCodec().add<Settings>().add<Clock>().add<Health>(); }

} // namespace

TEST_CASE("ArchetypeStore::resource: one value of a type, which stays where it is", "[ecs]") {
    ArchetypeStore store;
    const ArchetypeStore& constant = store;
    CHECK((store.find_resource<Clock>() == nullptr && constant.find_resource<Clock>() == nullptr));
    Clock& clock = store.emplace_resource<Clock>(2.5);
    CHECK((clock.seconds == 2.5 && &store.resource<Clock>() == &clock && &constant.resource<Clock>() == &clock));
    CHECK((store.find_resource<Clock>() == &clock && store.find_resource<const Clock>() == &clock));
    store.emplace_resource<Marker>();
    store.emplace_resource<Wide>();
    CHECK((reinterpret_cast<std::uintptr_t>(&store.resource<Wide>()) % 128 == 0 && store.resource<Wide>().value == 7));
    for (int i = 0; i != 200; ++i) store.spawn(Health{i}, Marker{});
    ArchetypeStore moved(std::move(store));
    CHECK(&moved.resource<Clock>() == &clock);
    moved.clear();
    CHECK((&moved.resource<Clock>() == &clock && moved.find_resource<Marker>() != nullptr));
    CHECK(moved.emplace_resource<Clock>(3.0).seconds == 3);
    CHECK((moved.erase_resource<Clock>() && !moved.erase_resource<Clock>() && !moved.erase_resource<Health>()));
    CHECK(moved.find_resource<Clock>() == nullptr);
    const std::string text = thrown_text<std::out_of_range>([&] { static_cast<void>(moved.resource<Clock>()); });
    CHECK((text.find("there is no") != std::string::npos && text.find("Clock") != std::string::npos));
    CHECK(moved.memory_usage() > 0);
    // The component of a type has nothing to do with its resource.
    const Entity entity = moved.spawn(Wide{});
    moved.at<Wide>(entity).value = 1;
    CHECK(moved.resource<Wide>().value == 7);
}

TEST_CASE("ArchetypeStore::emplace_resource: in walks and hooks, by a constructor, and in place of another", "[ecs]") {
    const NothingLeaks leaks;
    ArchetypeStore store;
    store.spawn(Health{1});
    store.query<Health>().for_each([&](Health& health) { store.emplace_resource<Clock>(double(health.left)); });
    store.on_add<Marker>([&](Entity) { store.resource<Clock>().seconds += store.emplace_resource<Health>(2).left; });
    store.spawn(Marker{});
    CHECK(store.resource<Clock>().seconds == 3);
    store.emplace_resource<NonMovable>(5);
    CHECK(store.resource<NonMovable>().value() == 5);
    store.emplace_resource<NonMovable>(6);
    CHECK(store.resource<NonMovable>().value() == 6);
    struct Maker {
        explicit Maker(ArchetypeStore& in) : made(in.emplace_resource<Tracked>(9)) {}
        Tracked& made;
    };
    CHECK(store.emplace_resource<Maker>(store).made.value() == 9);
    CHECK(&store.resource<Maker>().made == &store.resource<Tracked>());
}

TEST_CASE("ArchetypeStore::emplace_resource: of a type that can be neither copied nor moved", "[ecs]") {
    ArchetypeStore store;
    store.register_resource<std::mutex>("lock");
    std::mutex& lock = store.emplace_resource<std::mutex>();
    store.emplace_resource<std::atomic<int>>(3);
    store.emplace_resource<Pinned>(4);
    store.register_resource<std::mutex>("lock");
    CHECK((std::unique_lock(lock).owns_lock() && std::as_const(store).find_resource<std::mutex>() == &lock));
    store.register_resource<Clock>("clock");
    store.emplace_resource<Clock>(2.0);
    ArchetypeStore alone;
    alone.register_resource<Clock>("clock");
    alone.emplace_resource<Clock>(2.0);
    CHECK((store.snapshot() == alone.snapshot())); // they are left out
    store.restore(alone.snapshot());
    CHECK((store.find_resource<std::mutex>() == &lock && store.resource<Pinned>().number == 4)); // and left alone
    CHECK(store.resource<std::atomic<int>>() == 3);
    store.rebind_resource<Pinned>();
    ArchetypeStore moved(std::move(store));
    CHECK((moved.find_resource<std::mutex>() == &lock && moved.emplace_resource<Pinned>(6).number == 6));
    CHECK((moved.erase_resource<std::atomic<int>>() && moved.find_resource<std::atomic<int>>() == nullptr));
    // The components of a table move: there the trait is asked for.
    CHECK(thrown_text<std::invalid_argument>([&] { moved.registry().add<Pinned>(); }).find("{.sparse = true}") !=
          std::string::npos);
}

TEST_CASE("ArchetypeStore: components die before resources, the last resource first", "[ecs]") {
    std::vector<std::string> log;
    {
        ArchetypeStore store;
        store.registry().add<Part>({.sparse = true});
        store.emplace_resource<First>("first", log);
        store.emplace_resource<Second>("second", log);
        store.spawn(Part(log));
    }
    CHECK(log == std::vector<std::string>{"component", "second", "first"});
    log.clear();
    {
        ArchetypeStore store;
        store.emplace_resource<First>("first", log);
        store.emplace_resource<Second>("second", log);
        store.emplace_resource<First>("new", log);
        CHECK(log == std::vector<std::string>{"first"});
        store = ArchetypeStore();
        CHECK(log == std::vector<std::string>{"first", "new", "second"});
    }
    CHECK(log.size() == 3);
    // One may hold what refers to the store.
    ArchetypeStore store;
    store.spawn(Health{1});
    using Kept = Query<ArchetypeStore, Health>;
    CHECK(store.emplace_resource<Kept>(store.query<Health>()).size() == 1);
    store.emplace_resource<CommandBuffer>(store);
    store.resource<CommandBuffer>().spawn(Health{2});
    CHECK(store.apply(store.resource<CommandBuffer>()) == 0);
    CHECK(store.resource<Kept>().size() == 2);
}

TEST_CASE("ArchetypeStore::snapshot: resources are saved by their names, if they can be written", "[ecs]") {
    ArchetypeStore store;
    store.registry().add<Health>("health");
    store.spawn(Health{3});
    const Bytes without = store.snapshot(codec());
    int number = 5;
    store.register_resource<Settings>("settings");
    store.register_resource<Clock>("clock");
    CHECK((store.snapshot(codec()) == without)); // none is there
    store.emplace_resource<int*>(&number);
    store.emplace_resource<NonMovable>(4);
    CHECK((store.snapshot(codec()) == without)); // both are left out
    store.emplace_resource<Settings>("de", 7);
    store.emplace_resource<Clock>(2.5);
    store.register_resource<Marker>("marker");
    store.emplace_resource<Marker>();
    const Bytes bytes = store.snapshot(codec());

    ArchetypeStore other;
    other.registry().add<Health>("health");
    const auto text = [&](const Bytes& from, const AnyCodec& by) {
        return thrown_text<std::invalid_argument>([&] { other.restore(from, by); });
    };
    CHECK(text(bytes, codec()).find("a resource of a name that the store does not know") != std::string::npos);
    other.register_resource<Marker>("marker");
    other.register_resource<Settings>("settings");
    other.register_resource<Clock>("clock");
    other.emplace_resource<NonMovable>(8);
    other.emplace_resource<Wide>();
    CHECK(text(bytes, AnyCodec().add<Settings>().add<Health>()).find("in one place only") != std::string::npos);
    other.restore(bytes, codec());
    CHECK((other.resource<Settings>().language == "de" && other.resource<Settings>().volume == 7));
    CHECK((other.resource<Clock>().seconds == 2.5 && other.find_resource<Marker>() != nullptr));
    CHECK(other.resource<NonMovable>().value() == 8); // no part of the state
    CHECK(other.find_resource<Wide>() == nullptr);    // part of the state, and not in the bytes
    CHECK((other.snapshot(codec()) == bytes));
    other.resource<Clock>().seconds = 9;
    store.restore(other.snapshot(codec()), codec());
    CHECK((store.resource<Clock>().seconds == 9 && store.resource<int*>() == &number));
    other.restore(without, codec()); // also of a version that knew no resources
    CHECK((other.find_resource<Clock>() == nullptr && other.resource<NonMovable>().value() == 8));
    CHECK((other.size() == 1 && other.snapshot(codec()) == without));

    ArchetypeStore third;
    third.registry().add<Health>("health");
    third.register_resource<Settings>("clock");
    CHECK(thrown_text<std::invalid_argument>([&] { third.register_resource<Clock>("clock"); }).find("has this name") !=
          std::string::npos);
    CHECK(thrown_text<std::invalid_argument>([&] { third.register_resource<Settings>("other"); }).find("another name") !=
          std::string::npos);
    ArchetypeStore one;
    one.register_resource<Clock>("clock");
    one.emplace_resource<Clock>(1.0);
    CHECK(thrown_text<std::invalid_argument>([&] { third.restore(one.snapshot(codec()), codec()); }).find("of another type") !=
          std::string::npos);
    ArchetypeStore fourth;
    fourth.register_resource<Health>("clock");
    CHECK(thrown_text<std::invalid_argument>([&] { fourth.restore(one.snapshot()); }).find("of another size") !=
          std::string::npos);
}

TEST_CASE("ArchetypeStore::restore: hostile bytes of resources are refused, and what is accepted is canonical", "[ecs]") {
    const auto made = [] {
        ArchetypeStore store;
        store.registry().add<Health>("health");
        store.register_resource<Settings>("settings");
        store.register_resource<Clock>("clock");
        return store;
    };
    ArchetypeStore store = made();
    store.spawn(Health{1});
    const std::size_t begin = store.snapshot(codec()).size() - test::seal_bytes - sizeof(std::uint32_t);
    store.emplace_resource<Settings>("english", 3);
    store.emplace_resource<Clock>(4.0);
    const Bytes sound = store.snapshot(codec());
    std::mt19937 random(3);
    std::size_t refused = 0, accepted = 0;
    for (int i = 0; i != 6000; ++i) {
        Bytes wrong = sound;
        const std::size_t at = begin + random() % (wrong.size() - test::seal_bytes - begin);
        if (i % 4 == 0)
            wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(at));
        else if (i % 4 == 1)
            wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(at), wrong[at]);
        else
            wrong[at] ^= static_cast<std::byte>(1u << random() % 8);
        wrong = test::reseal(wrong);
        ArchetypeStore other = made();
        other.emplace_resource<Clock>(7.0);
        if (other.try_restore(wrong, codec()) != nullptr) {
            ++refused;
            REQUIRE((other.empty() && other.resource<Clock>().seconds == 7 && other.find_resource<Settings>() == nullptr));
        } else {
            ++accepted;
            REQUIRE((other.snapshot(codec()) == wrong));
        }
    }
    CHECK((refused > 1000 && accepted > 100));
    const Bytes empty = test::forged(store.snapshot_of(store.query<>(), codec()), [](auto&) {});
    CHECK(store.try_restore(empty, codec()) != nullptr); // a part has none
    ArchetypeStore plain = made();
    const Bytes listed = test::forged(plain.snapshot(), [](auto& state) { state.resize(state.size() + 8); });
    CHECK(plain.try_restore(listed) != nullptr); // a list of no resources
}

#if SLOTWISE_EXCEPTIONS
namespace {

struct ThrowingCodec {
    void write(const Throwing& value, ByteWriter& out) const { out.number(static_cast<std::uint32_t>(value.value())); }
    template <class T>
    T read(ByteReader& in) const {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};

} // namespace

TEST_CASE("ArchetypeStore: a resource that cannot be made or restored leaves the one of before", "[ecs][throws]") {
    const NothingLeaks leaks;
    const auto emplace = [](auto&& attempt) {
        ArchetypeStore store;
        store.emplace_resource<Throwing>(1);
        const Throwing* const before = store.find_resource<Throwing>();
        if (attempt([&] { store.emplace_resource<Throwing>(2); }))
            CHECK((store.find_resource<Throwing>() == before && before->value() == 1));
        if (attempt([&] { store.emplace_resource<Settings>("a language with a long name", 2); }))
            CHECK(store.find_resource<Settings>() == nullptr);
    };
    const std::size_t made = fail_at_every_step(emplace) + run_out_of_memory(emplace);
    CHECK(made > 4);
    report_sweep(swept("ArchetypeStore::emplace_resource"), made);
    const auto declare = [](auto&& attempt) {
        ArchetypeStore store;
        if (!attempt([&] { store.register_resource<Clock>("a clock with a name that is long"); })) return;
        CHECK(store.find_resource<Clock>() == nullptr);
        store.register_resource<Clock>("another name");
        CHECK(store.emplace_resource<Clock>(1.0).seconds == 1);
    };
    const std::size_t declared = run_out_of_memory(declare);
    report_sweep(swept("ArchetypeStore::register_resource"), declared);
    const std::size_t rebound = run_out_of_memory([](auto&& attempt) {
        ArchetypeStore store;
        store.emplace_resource<Settings>("a language with a long name", 2);
        attempt([&] { store.rebind_resource<Settings>(); });
        CHECK(store.resource<Settings>().volume == 2);
    });
    report_sweep(swept("ArchetypeStore::rebind_resource"), rebound);
    CHECK((declared != 0 && rebound + 1 != 0));

    const AnyCodec all = codec().add<Throwing, ThrowingCodec>();
    ArchetypeStore source;
    source.emplace_resource<Throwing>(5);
    source.emplace_resource<Clock>(5.0);
    const Bytes bytes = source.snapshot(all);
    const auto restore = [&](auto&& attempt) {
        ArchetypeStore store;
        const Clock* const clock = &store.emplace_resource<Clock>(1.0);
        store.emplace_resource<Throwing>(1);
        if (attempt([&] { store.restore(bytes, all); }))
            CHECK((store.resource<Throwing>().value() == 1 && store.find_resource<Clock>() == clock && clock->seconds == 1));
        else
            CHECK((store.resource<Throwing>().value() == 5 && store.resource<Clock>().seconds == 5));
    };
    CHECK(fail_at_every_step(restore) + run_out_of_memory(restore) > 10);
}
#endif
