// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What throws in exports, when memory runs out and when elements are copied: containers stay as they were, nothing leaks.
#include <slotwise/arrow/exportable.hpp>
#include <slotwise/arrow/store_export.hpp>

#include "arrow/inside.hpp"
#include "support/sweep.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <cerrno>
#include <stdexcept>

using namespace slotwise;
using namespace test;

namespace {

using Map = MapStorage<std::uint64_t, std::string, Column<bool>>;

Map filled() {
    Map map;
    for (std::uint64_t i = 0; i != 300; ++i)
        map.insert(i, "a text that is too long for the string itself " + std::to_string(i));
    for (std::uint64_t i = 100; i != 110; ++i) map.erase(i);
    return map;
}
/// Makes act fail at each allocation, of the rest of the test none.
template <class Act>
void out_of_memory(const char* function, Act&& act) {
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) { attempt(act); });
    report_sweep(swept(function), failures);
    CHECK(failures != 0);
}
constexpr ExportOptions options{.handles = true, .least_shared = 16};

} // namespace

TEST_CASE("An export that runs out of memory has no effect", "[arrow][throws]") {
    const auto map = std::make_shared<const Map>(filled());
    ArchetypeStore store;
    for (int i = 0; i != 10; ++i) store.spawn(i, std::string("a component that is too long for the string itself"));
    const auto query = store.query<const int, const std::string>();
    const auto as_stream = [](auto&& fill) {
        ArrowArrayStream raw{};
        fill(&raw);
        OwnedStream taken(&raw);
    };
    out_of_memory("export_stream", [&] { as_stream([&](ArrowArrayStream* out) { export_stream(*map, out, options); }); });
    out_of_memory("export_stream", [&] { as_stream([&](ArrowArrayStream* out) { export_stream(map, out, options); }); });
    out_of_memory("export_stream", [&] { as_stream([&](ArrowArrayStream* out) { export_stream(query, out); }); });
    out_of_memory("export_schema", [&] {
        ArrowSchema raw{};
        export_schema(*map, &raw, options);
        OwnedSchema taken(&raw);
    });
    out_of_memory("freeze", [&] { static_cast<void>(freeze(SlotMap<int>())); });
    out_of_memory("encode_metadata", [] { static_cast<void>(encode_metadata({{"a key that takes memory", "a value"}})); });
    const std::string bytes = encode_metadata({{"a key that takes memory", "a value that does so too"}});
    out_of_memory("decode_metadata", [&] { static_cast<void>(decode_metadata(bytes.data())); });
    CHECK((map.use_count() == 1 && map->size() == 290));
}

TEST_CASE("A stream that runs out of memory says ENOMEM, and gives the same rows when it is asked again", "[arrow][throws]") {
    const auto map = std::make_shared<const Map>(filled());
    std::size_t failures = 0;
    for (std::size_t step = 0, failed = 1; failed != 0; ++step) {
        ArrowArrayStream raw;
        export_stream(map, &raw, options);
        OwnedStream stream(&raw);
        std::int64_t rows = 0;
        failed = 0;
        for (bool end = false; !end;) {
            ArrowArray array{};
            ArrowSchema schema{};
            HeapBudget::arm(step);
            const int code = stream->get_next(stream.get(), &array);
            const int schema_code = stream->get_schema(stream.get(), &schema);
            HeapBudget::disarm();
            REQUIRE((code == 0 || code == ENOMEM));
            REQUIRE((schema_code == 0 || schema_code == ENOMEM));
            failed += (code != 0) + (schema_code != 0);
            end = code == 0 && array.release == nullptr;
            rows += array.length;
            const OwnedArray batch(&array);
            const OwnedSchema whole(&schema);
            if (code != 0) { // once more, with memory
                ArrowArray again{};
                REQUIRE(stream->get_next(stream.get(), &again) == 0);
                rows += again.length;
                end = again.release == nullptr;
                const OwnedArray taken(&again);
            }
        }
        CHECK(rows == 290);
        failures += failed;
    }
    CHECK(failures > 10);
    out_of_memory("OwnedStream::next", [&] {
        ArrowArrayStream raw{};
        export_stream(map, &raw);
        OwnedStream stream(&raw);
        while (stream.next()) {}
    });
    out_of_memory("OwnedStream::schema", [&] {
        ArrowArrayStream raw{};
        export_stream(map, &raw);
        OwnedStream stream(&raw);
        static_cast<void>(stream.schema());
    });
    CHECK(map.use_count() == 1);
}

#if defined(__cpp_exceptions)
TEST_CASE("Whatever is thrown while a batch is made, a number comes out", "[arrow][throws]") {
    const auto code_of = [](auto gather) {
        SlotMap<bool> map;
        map.insert(true);
        OwnedStream stream =
            arrow_test::changed_export(map, {}, std::make_shared<int>(0), [&](auto& plan) { plan.columns[0].gather = gather; });
        ArrowArray array{};
        const int code = stream->get_next(stream.get(), &array);
        HeapBudget::disarm();
        CHECK(array.release == nullptr);
        const char* const text = stream->get_last_error(stream.get());
        return std::pair(code, std::string(text == nullptr ? "no text" : text));
    };
    CHECK(code_of([](const auto&, const auto&, auto&) -> bool { throw 1; }) ==
          std::pair(EINVAL, std::string("an unknown exception")));
    CHECK(code_of([](const auto&, const auto&, auto&) -> bool { throw std::bad_alloc(); }) ==
          std::pair(ENOMEM, std::string("out of memory")));
    CHECK(code_of([](const auto&, const auto&, auto&) -> bool {
              const std::runtime_error error("a text that is too long for the string itself");
              HeapBudget::arm(0); // the text cannot be kept
              throw error;
          }) == std::pair(EINVAL, std::string("no text")));
}
#endif

TEST_CASE("Exportable: what fails leaves the container, and who shares it, as before", "[arrow][throws]") {
    using Values = SlotMap<ThrowingCopy>;
    const NothingLeaks leaks;
    const auto scenario = [](auto&& attempt) {
        Exportable<Values> owner;
        owner.write()->insert(ThrowingCopy(1));
        owner.write()->insert(ThrowingCopy(2));
        const auto pin = owner.pin();
        const bool failed = attempt([&] { static_cast<void>(owner.write(OnWrite::detach)); });
        if (failed) CHECK((&owner.read() == pin.get() && owner.pinned()));
        CHECK((pin->size() == 2 && owner.read().size() == 2));
    };
    report_sweep(swept("Exportable::write"), fail_at_every_step(scenario) + run_out_of_memory(scenario));
    out_of_memory("Exportable::()", [] { Exportable<SlotMap<int>> owner; });
    out_of_memory("Exportable::(...)", [] { Exportable<SlotMap<int>> owner{SlotMap<int>()}; });
    Exportable<SlotMap<int>> owner;
    out_of_memory("Exportable::pin", [&] { static_cast<void>(owner.pin()); });
    CHECK_FALSE(owner.pinned());
    never_throws<std::is_nothrow_move_constructible_v<Exportable<Values>>>(swept("Exportable::(move)"));
    never_throws<std::is_nothrow_move_assignable_v<Exportable<Values>>>(swept("Exportable::operator=(move)"));
}
