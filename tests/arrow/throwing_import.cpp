// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What throws when memory runs out in imports, deltas and restore points: streams are released, containers as promised.
#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/described_import.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/arrow/restore_point.hpp>

#include "support/sweep.hpp"
#include "support/thrown.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Map = MapStorage<std::string, std::string>;
using Dict = TSDStorage<std::string, std::string>;
using Delta = Dict::delta_type;

std::string text(int n) { return "a text that is too long for the string itself " + std::to_string(n); }
Dict state(int windows) {
    Dict dict;
    for (int n = 0; n != 10; ++n) dict.write(1).set(text(n), text(n));
    if (windows < 2) return dict;
    auto writer = dict.write(2);
    for (int n = 5; n != 15; ++n) writer.set(text(n), text(-n));
    for (int n = 0; n != 3; ++n) writer.remove(text(n));
    return dict;
}
bool equal(const Delta& a, const Delta& b) { return equal_deltas(a, b, DefaultHash<std::string>(), std::equal_to<>()); }
/// What a stream has to give, made before: it reports no ENOMEM of its own, which would be an error of the stream.
struct Ready {
    OwnedSchema schema;
    std::vector<OwnedArray> batches{};
    std::size_t given = 0;
    static Ready& of(ArrowArrayStream* stream) { return *static_cast<Ready*>(stream->private_data); }
};
template <class Fill>
ArrowArrayStream stream_by(Fill&& fill) {
    ArrowArrayStream raw{};
    fill(&raw);
    OwnedStream stream(&raw);
    auto ready = std::make_unique<Ready>(Ready{stream.schema()});
    for (OwnedArray batch = stream.next(); batch; batch = stream.next()) ready->batches.push_back(std::move(batch));
    raw = ArrowArrayStream{};
    raw.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
        Ready::of(self).schema.move_to(out);
        return 0;
    };
    raw.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
        Ready& from = Ready::of(self);
        *out = ArrowArray{};
        if (from.given != from.batches.size()) from.batches[from.given++].move_to(out);
        return 0;
    };
    raw.release = [](ArrowArrayStream* self) {
        delete &Ready::of(self);
        self->release = nullptr;
    };
    raw.private_data = ready.release();
    return raw;
}
ArrowArrayStream window() {
    const Dict dict = state(2);
    return stream_by([&](ArrowArrayStream* out) { export_delta(dict, 1, out); });
}
/// Each allocation of act(stream) fails in turn; the stream is released in each case, and check(failed) says what holds then.
template <class Make, class Source, class Act, class Check>
void import_fails(const char* function, Make&& make, Source&& source, Act&& act, Check&& check) {
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        auto to = make();
        ArrowArrayStream stream = source();
        const bool failed = attempt([&] { act(&stream, to); });
        CHECK(stream.release == nullptr);
        check(to, failed);
    });
    report_sweep(swept(function), failures);
    CHECK(failures > 3);
}
/// Each allocation of an export fails in turn; there is no stream then.
template <class Export>
void export_fails(const char* function, Export&& make) {
    const std::size_t failures = run_out_of_memory([&](auto&& attempt) {
        ArrowArrayStream raw{};
        const bool failed = attempt([&] { make(&raw); });
        CHECK((raw.release == nullptr) == failed);
        if (!failed) OwnedStream{&raw};
    });
    report_sweep(swept(function), failures);
    CHECK(failures > 3);
}

} // namespace

TEST_CASE("An export of a delta, a change feed or a restore point that runs out of memory makes no stream", "[arrow][throws]") {
    const Dict dict = state(2);
    const Delta delta = capture(dict, 2);
    const ArrowPairs extra{{"a key that takes memory", "a value that does so too"}};
    export_fails("export_delta", [&](ArrowArrayStream* out) { export_delta(delta, 1, out, extra); });
    export_fails("export_delta", [&](ArrowArrayStream* out) { export_delta(dict, 1, out, extra); });
    export_fails("export_change_feed", [&](ArrowArrayStream* out) { export_change_feed(delta, out, extra); });
    export_fails("export_restore_point", [&](ArrowArrayStream* out) { export_restore_point(dict, 3, out, extra); });
    CHECK(dict == state(2));
}

TEST_CASE("An import that runs out of memory keeps the rows before, and releases the stream", "[arrow][throws]") {
    Map source;
    for (int n = 0; n != 20; ++n) source.insert(text(n), text(n));
    const auto stream = [&] { return stream_by([&](ArrowArrayStream* out) { export_stream(source, out); }); };
    const auto check = [&](const Map& map, bool failed) {
        CHECK(map.check_invariants());
        CHECK((map.size() == 20 || (failed && map.size() < 20)));
        for (const auto& [key, value] : map.items()) CHECK(source.at(key) == value);
    };
    const auto empty = [] { return Map(); };
    const auto import = [](ArrowArrayStream* in, Map& map) { import_stream(in, map); };
    const auto try_import = [](ArrowArrayStream* in, Map& map) { static_cast<void>(try_import_stream(in, map)); };
    import_fails("import_stream", empty, stream, import, check);
    import_fails("try_import_stream", empty, stream, try_import, check);
}

TEST_CASE("An import into described types that runs out of memory keeps the rows before, and releases the stream",
          "[arrow][throws]") {
    Map source;
    for (int n = 0; n != 20; ++n) source.insert(text(n), text(n));
    KeySet<std::string> keys;
    for (int n = 0; n != 20; ++n) keys.insert(text(n));
    const auto& type = TypeDescriptor::of<std::string>();
    const auto rows = [&] { return stream_by([&](ArrowArrayStream* out) { export_stream(source, out); }); };
    const auto key_rows = [&] { return stream_by([&](ArrowArrayStream* out) { export_stream(keys, out); }); };
    const auto check = [&](const AnyMapStorage& map, bool failed) {
        CHECK(map.check_invariants());
        CHECK((map.size() == 20 || (failed && map.size() < 20)));
        map.for_each([&](const void* key, const void* value) {
            CHECK(source.at(*static_cast<const std::string*>(key)) == *static_cast<const std::string*>(value));
        });
    };
    const auto check_set = [&](const AnySetStorage& set, bool failed) {
        CHECK(set.check_invariants());
        CHECK((set.size() == 20 || (failed && set.size() < 20)));
    };
    const auto empty = [&] { return AnyMapStorage(type, type); };
    const auto empty_set = [&] { return AnySetStorage(type); };
    const auto import = [](ArrowArrayStream* in, auto& to) { import_stream(in, to); };
    const auto try_import = [](ArrowArrayStream* in, auto& to) { static_cast<void>(try_import_stream(in, to)); };
    import_fails("import_stream", empty, rows, import, check);
    import_fails("try_import_stream", empty, rows, try_import, check);
    import_fails("import_stream", empty_set, key_rows, import, check_set);
    import_fails("try_import_stream", empty_set, key_rows, try_import, check_set);
}

TEST_CASE("A delta that is read while memory runs out gives nothing, and releases the stream", "[arrow][throws]") {
    const auto none = [] { return Delta(); };
    const auto check = [&](const Delta& delta, bool failed) { CHECK(equal(delta, failed ? Delta() : capture(state(2), 2))); };
    const auto import = [](ArrowArrayStream* in, Delta& to) { to = import_delta<Delta>(in).delta; };
    const auto try_import = [](ArrowArrayStream* in, Delta& to) { to = try_import_delta<Delta>(in).delta; };
    import_fails("import_delta", none, window, import, check);
    import_fails("try_import_delta", none, window, try_import, check);
}

TEST_CASE("A delta that is applied while memory runs out leaves a sound series, and releases the stream", "[arrow][throws]") {
    const auto before = [] { return state(1); };
    const auto check = [&](const Dict& dict, bool failed) {
        CHECK(dict.check_invariants());
        CHECK((dict.window() == 2 || (failed && dict == state(1))));
        if (!failed) CHECK(equal(capture(dict, 2), capture(state(2), 2)));
    };
    const auto apply = [](ArrowArrayStream* in, Dict& dict) { apply_delta(dict, in); };
    const auto try_apply = [](ArrowArrayStream* in, Dict& dict) { static_cast<void>(try_apply_delta(dict, in)); };
    import_fails("apply_delta", before, window, apply, check);
    import_fails("try_apply_delta", before, window, try_apply, check);
}

TEST_CASE("A series that is restored from its row while memory runs out is as before", "[arrow][throws]") {
    const auto row = [] {
        const Dict dict = state(2);
        return stream_by([&](ArrowArrayStream* out) { export_restore_point(dict, 3, out); });
    };
    const auto before = [] { return state(1); };
    const auto check = [&](const Dict& dict, bool failed) {
        CHECK(dict.check_invariants());
        CHECK(dict == state(failed ? 1 : 2));
    };
    const auto restore = [](ArrowArrayStream* in, Dict& dict) { restore_point(in, dict); };
    const auto try_restore = [](ArrowArrayStream* in, Dict& dict) { static_cast<void>(try_restore_point(in, dict)); };
    import_fails("restore_point", before, row, restore, check);
    import_fails("try_restore_point", before, row, try_restore, check);
}
