// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Exports read by Arrow's own library, in one process: each stream is imported, each of its batches validated in full, its values
// compared with the container's; then the library's own stream of the same batches is imported by slotwise. `tools/dev arrow` builds
// it against the library in pyarrow's wheel and runs it; --quick leaves out the largest size. Built with AddressSanitizer it leaves
// out options between the extremes, which take the same ways: it asks what is read and freed, and the program without it what is said.
#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/described_import.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/exportable.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/arrow/store_export.hpp>

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace slotwise;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool only_extremes = true;
#else
constexpr bool only_extremes = false;
#endif
std::size_t streams = 0, batches_read = 0, rows_read = 0;
std::string what; // is being checked

void check(bool holds, const std::string& promise) {
    if (holds) return;
    std::cerr << "FAILED: " << what << ": " << promise << '\n';
    std::exit(1);
}
template <class R>
auto value_of(R&& result) {
    check(result.ok(), result.status().ToString());
    return *std::forward<R>(result);
}
void check(const arrow::Status& status) { check(status.ok(), status.ToString()); }

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

/// All batches of a stream, each validated with its values.
Batches read(ArrowArrayStream* stream) {
    const auto reader = value_of(arrow::ImportRecordBatchReader(stream));
    Batches batches;
    for (auto batch = value_of(reader->Next()); batch; batch = value_of(reader->Next())) {
        check(batch->ValidateFull());
        check(batch->schema()->Equals(*reader->schema(), true), "a batch has the schema of its stream");
        check(batch->num_rows() != 0, "a batch has rows");
        for (const auto& column : batch->columns()) {
            const std::int64_t said = column->null_count();
            std::int64_t counted = 0;
            for (std::int64_t row = 0; row != column->length(); ++row) counted += column->IsNull(row) ? 1 : 0;
            check(said == counted, "null counts are exact");
        }
        rows_read += static_cast<std::size_t>(batch->num_rows());
        batches.push_back(batch);
    }
    ++streams;
    batches_read += batches.size();
    return batches;
}
/// The values of a column as texts.
std::vector<std::string> texts_of(const Batches& batches, int column) {
    std::vector<std::string> texts;
    for (const auto& batch : batches)
        for (std::int64_t row = 0; row != batch->num_rows(); ++row)
            texts.push_back(value_of(batch->column(column)->GetScalar(row))->ToString());
    return texts;
}
std::int64_t rows_of(const Batches& batches) {
    std::int64_t rows = 0;
    for (const auto& batch : batches) rows += batch->num_rows();
    return rows;
}

/// Every combination of options with every way to export; see(batches, options) compares.
template <class C, class See>
void each_export(const std::string& name, std::shared_ptr<const C> container, bool has_time, bool has_handles, See&& see) {
    const std::string before = what + ", " + name;
    for (const Rows rows : {Rows::live, Rows::slots})
        for (const bool handles : {false, true})
            for (const bool time : {false, true})
                for (const std::size_t least : {std::size_t{1}, std::size_t{64}, std::size_t{4096}})
                    for (const std::size_t most : {std::size_t{64}, std::size_t{1000}, std::size_t{65536}})
                        for (const bool share : {false, true}) {
                            if ((handles && !has_handles) || (time && !has_time)) continue;
                            if (container->size() > 10'000 && (most != 65536 || least == 1)) continue;
                            if (only_extremes && (most == 1000 || least == 64)) continue;
                            ExportOptions options;
                            options.rows = rows;
                            options.handles = handles;
                            options.time = time;
                            options.least_shared = least;
                            options.most_gathered = most;
                            what = before + (rows == Rows::live ? ", live" : ", slots") + (handles ? ", handles" : "") +
                                   (time ? ", time" : "") + ", least " + std::to_string(least) + ", most " +
                                   std::to_string(most) + (share ? ", shared" : ", copied");
                            ArrowArrayStream raw;
                            if (share)
                                export_stream(container, &raw, options);
                            else
                                export_stream(*container, &raw, options);
                            see(read(&raw), rows);
                        }
    what = before;
}

enum class Holes { none, one, alternate };
bool is_hole(Holes holes, std::size_t i, std::size_t n) {
    return holes == Holes::alternate ? i % 2 == 1 : holes == Holes::one && i == n / 2;
}

template <class T>
T made(std::size_t n) {
    if constexpr (std::is_same_v<T, std::string>)
        return n % 3 == 0   ? std::string()
               : n % 3 == 1 ? "s" + std::to_string(n)
                            : "a text that does not fit in place " + std::to_string(n);
    else if constexpr (std::is_same_v<T, bool>)
        return n % 3 == 0;
    else
        return static_cast<T>(n);
}

/// A slot map of T: live rows are the values in slot order, rows by slots have a null where none lives.
template <class T, class Map>
void slot_maps(const std::string& name, std::size_t n, Holes holes) {
    Map map;
    std::vector<typename Map::handle_type> handles;
    for (std::size_t i = 0; i != n; ++i) handles.push_back(map.insert(made<T>(i)));
    for (std::size_t i = 0; i != n; ++i)
        if (is_hole(holes, i, n)) map.erase(handles[i]);
    std::vector<std::string> values;
    for (const T& value : map) {
        if constexpr (std::is_same_v<T, bool>)
            values.push_back(value ? "true" : "false");
        else if constexpr (std::is_same_v<T, std::string>)
            values.push_back(value);
        else
            values.push_back(arrow::MakeScalar(value)->ToString());
    }
    each_export(name, freeze(std::move(map)), false, true, [&](const Batches& batches, Rows) {
        std::vector<std::string> got = texts_of(batches, 0);
        std::erase(got, "null");
        check(got == values, "values are those of the container, in its order");
    });
}

/// What Arrow's library exports of the same batches is read back.
template <class M>
void back(const Batches& batches, const M& original) {
    if (batches.empty()) return;
    ArrowArrayStream raw;
    check(arrow::ExportRecordBatchReader(value_of(arrow::RecordBatchReader::Make(batches, batches[0]->schema())), &raw));
    M copy;
    check(import_stream(&raw, copy) == original.size(), "import has as many rows");
    check(copy == original, "import has the same");
    Batches parts; // bitmaps, texts and numbers from the middle of a buffer on
    for (const auto& batch : batches) {
        parts.push_back(batch->Slice(0, batch->num_rows() / 3));
        parts.push_back(batch->Slice(batch->num_rows() / 3));
    }
    check(arrow::ExportRecordBatchReader(value_of(arrow::RecordBatchReader::Make(parts, batches[0]->schema())), &raw));
    M sliced;
    import_stream(&raw, sliced);
    check(sliced == original, "import of slices has the same");
    if constexpr (requires { typename M::mapped_type; }) {
        using T = typename M::mapped_type;
        check(arrow::ExportRecordBatchReader(value_of(arrow::RecordBatchReader::Make(parts, batches[0]->schema())), &raw));
        AnyMapStorage described(TypeDescriptor::of<typename M::key_type>(), TypeDescriptor::of<T>());
        check(import_stream(&raw, described) == original.size(), "import into described types has as many rows");
        bool same = described.size() == original.size();
        for (const auto& [key, value] : original.items()) {
            const auto* const there = static_cast<const T*>(described.get(&key));
            same = same && there != nullptr && *there == value;
        }
        check(same, "import into described types has the same");
    }
}

template <class K, class T>
void maps(const std::string& name, std::size_t n, Holes holes) {
    using M = MapStorage<K, T>;
    M map;
    const auto key = [](std::size_t i) {
        if constexpr (std::is_same_v<K, std::string>)
            return "key " + std::to_string(i);
        else
            return static_cast<K>(i * 7);
    };
    for (std::size_t i = 0; i != n; ++i) map.insert(key(i), made<T>(i));
    for (std::size_t i = 0; i != n; ++i)
        if (is_hole(holes, i, n)) map.erase(key(i));
    const auto owner = freeze(std::move(map));
    each_export(name, owner, false, true, [&](const Batches& batches, Rows rows) {
        if (rows == Rows::slots) return;
        check(rows_of(batches) == static_cast<std::int64_t>(owner->size()), "a row for each element");
        if (!batches.empty() && batches[0]->num_columns() == 2) back(batches, *owner);
    });
}

template <class K>
void sets(std::size_t n, Holes holes) {
    SetStorage<K> set;
    for (std::size_t i = 0; i != n; ++i) set.insert(made<K>(i * 3 + 1));
    for (std::size_t i = 0; i != n; ++i)
        if (is_hole(holes, i, n)) set.erase(made<K>(i * 3 + 1));
    const auto owner = freeze(std::move(set));
    each_export("SetStorage", owner, false, true, [&](const Batches& batches, Rows rows) {
        if (rows == Rows::live && !batches.empty() && batches[0]->num_columns() == 1) back(batches, *owner);
    });
}

/// A dictionary over time, some of whose members have no value; its window as a delta through Arrow's library.
void series(std::size_t n, Holes holes) {
    using Dict = TSDStorage<std::uint64_t, double>;
    Dict dict, replica;
    for (Dict* each : {&dict, &replica}) {
        auto writer = each->write(1);
        for (std::size_t i = 0; i != n; ++i)
            if (i % 5 == 4)
                writer.create(i);
            else
                writer.set(i, made<double>(i));
    }
    {
        auto writer = dict.write(2);
        for (std::size_t i = 0; i != n; ++i)
            if (is_hole(holes, i, n)) writer.remove(i);
        for (std::size_t i = 0; i < n; i += 3)
            if (!is_hole(holes, i, n)) writer.set(i, 0.5);
        writer.set(n + 1, 1.5);
    }
    ArrowArrayStream raw, again;
    export_delta(dict, 1, &raw);
    const auto reader = value_of(arrow::ImportRecordBatchReader(&raw));
    check(arrow::ExportRecordBatchReader(reader, &again));
    check(apply_delta(replica, &again) == Applied::done, "a delta comes through");
    check(replica == dict, "a replica equals its original");
    export_delta(dict, 1, &raw);
    read(&raw);
    each_export("TSDStorage", freeze(std::move(dict)), true, true, [](const Batches&, Rows) {});
}

struct Place {
    double x = 0;
    std::int16_t y = 0;
    std::string name{};
};

} // namespace

template <>
struct slotwise::ArrowFields<Place> {
    static constexpr auto members = std::tuple(field("x", &Place::x), field("y", &Place::y), field("name", &Place::name));
};

namespace {

void rows(std::size_t n) {
    SoaVector<double, std::int16_t, std::uint8_t, float> columns;
    SlotMap<Place> places;
    ArchetypeStore store;
    for (std::size_t i = 0; i != n; ++i) {
        columns.push_back(made<double>(i), static_cast<std::int16_t>(i % 1000), static_cast<std::uint8_t>(i % 200),
                          made<float>(i));
        places.insert(Place{made<double>(i), static_cast<std::int16_t>(i % 1000), made<std::string>(i)});
        if (i % 2 == 0)
            store.spawn(made<double>(i), static_cast<int>(i));
        else
            store.spawn(made<double>(i));
    }
    const auto as_many = [n](const Batches& batches, Rows) {
        check(rows_of(batches) == static_cast<std::int64_t>(n), "a row each");
    };
    each_export("SoaVector", freeze(std::move(columns)), false, false, as_many);
    each_export("SlotMap of a struct", freeze(std::move(places)), false, true, as_many);
    what += ", ArchetypeStore";
    ArrowArrayStream raw;
    export_stream(store.query<const double, Optional<const int>>(), &raw);
    check(rows_of(read(&raw)) == static_cast<std::int64_t>(n), "a row for each entity");
}

} // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    const std::size_t page = 1024;
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{63},
                                std::size_t{64}, std::size_t{65}, page - 1, page, page + 1, std::size_t{100'000}}) {
        if (quick && n > 10'000) continue;
        for (const Holes holes : {Holes::none, Holes::one, Holes::alternate}) {
            if (n == 0 && holes != Holes::none) continue;
            what = std::to_string(n) + (holes == Holes::none  ? " rows"
                                        : holes == Holes::one ? " rows, one hole"
                                                              : " rows, every other a hole");
            const std::string here = what;
            const auto one = [&](auto&& f) {
                what = here;
                f();
            };
            one([&] { slot_maps<double, SlotMap<double>>("SlotMap<double>", n, holes); });
            one([&] { slot_maps<std::int8_t, SlotMap<std::int8_t>>("SlotMap<int8>", n, holes); });
            one([&] { slot_maps<bool, SlotMap<bool>>("SlotMap<bool>", n, holes); });
            one([&] { slot_maps<std::string, SlotMap<std::string>>("SlotMap<string>", n, holes); });
            one([&] { slot_maps<double, DenseSlotMap<double>>("DenseSlotMap<double>", n, holes); });
            one([&] { maps<std::uint64_t, double>("MapStorage<uint64, double>", n, holes); });
            one([&] { maps<std::string, bool>("MapStorage<string, bool>", n, holes); });
            one([&] { maps<std::int16_t, std::string>("MapStorage<int16, string>", std::min<std::size_t>(n, 4000), holes); });
            one([&] { sets<std::int32_t>(n, holes); });
            one([&] { series(n, holes); });
            if (holes == Holes::none) one([&] { rows(n); });
        }
    }
    std::cout << streams << " streams with " << batches_read << " batches of " << rows_read << " rows are valid to Arrow "
              << ARROW_VERSION_STRING << '\n';
}
