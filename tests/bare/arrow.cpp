// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The arrow folder without exceptions and RTTI: errors end in the hook.
#include "bare.hpp"

namespace {

using namespace slotwise;
using bare::check;

void run_arrow() {
    check(std::strcmp(format_of<double>, "g") == 0, "format_of");
    const ArrowPairs pairs{{"key", "value"}};
    check(decode_metadata(encode_metadata(pairs).data()) == pairs, "metadata");
    OwnedSchema schema;
    check(!schema, "an owner of nothing");
    SlotMap<double> numbers;
    for (int i = 0; i != 100; ++i) numbers.insert(i);
    ArrowArrayStream raw;
    export_stream(freeze(std::move(numbers)), &raw, {.least_shared = 64});
    OwnedStream stream(&raw);
    std::int64_t rows = 0;
    for (OwnedArray batch = stream.next(); batch; batch = stream.next()) rows += batch->length;
    check(rows == 100 && stream.schema()->n_children == 1, "export_stream");
    check(shard_of(stable_hash("ada"), 4) < 4, "shard_of");
    MapStorage<int, int> map;
    ArrowArrayStream released{};
    TSDStorage<int, double> series, replica;
    series.write(1).set(7, 0.5);
    ArrowArrayStream window;
    export_delta(series, replica.window(), &window);
    check(apply_delta(replica, &window) == Applied::done && replica == series, "apply_delta");
    check(!try_apply_delta(replica, &released), "try_apply_delta");
    check(try_import_stream(&released, map).error == "import_stream: the stream was released", "try_import_stream");
}

constexpr bare::Case cases[] = {
    {"time_of_no_series", "the container is no series",
     [] {
         ArrowArrayStream out;
         export_stream(SlotMap<int>(), &out, {.time = true});
     }},
    {"imported_released_stream", "import_stream: the stream was released",
     [] {
         MapStorage<int, int> map;
         ArrowArrayStream released{};
         import_stream(&released, map);
     }},
    {"released_stream", "the stream was released", [] { static_cast<void>(OwnedStream().next()); }},
    {"negative_metadata", "a length is negative",
     [] {
         const std::int32_t count = -1;
         static_cast<void>(decode_metadata(reinterpret_cast<const char*>(&count)));
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] { run_arrow(); });
}
