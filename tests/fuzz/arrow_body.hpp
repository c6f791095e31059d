// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Drives import_stream, apply_delta and restore_point with foreign streams, beside a plain reader: what it refuses is refused and
// changes nothing, what it reads is in the container afterwards. Streams are made up, or exports, and then changed or not.
#ifndef SLOTWISE_TESTS_FUZZ_ARROW_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_ARROW_BODY_HPP

#include "arrow_reader.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/arrow/restore_point.hpp>

#include <map>
#include <set>

struct FuzzPair {
    std::int16_t a = 0;
    std::string b{};
    friend bool operator==(const FuzzPair&, const FuzzPair&) = default;
};
template <>
struct slotwise::ArrowFields<FuzzPair> {
    static constexpr auto members = std::tuple(slotwise::field("a", &FuzzPair::a), slotwise::field("b", &FuzzPair::b));
};

namespace wire {

using namespace slotwise;

inline std::string said(const FuzzPair& pair) { return said(pair.a) + '|' + pair.b; }
/// Keys as texts, with the text of the value; a set has empty ones.
using Contents = std::map<std::string, Cell>;

template <class T>
std::vector<Want> wants_of(const char* name, bool is_value) {
    if constexpr (std::is_same_v<T, FuzzPair>)
        return {{"a", 's', is_value}, {"b", 'u', is_value}};
    else
        return {{name, format_of<T>[0], is_value}};
}
template <class K, class T>
std::vector<Want> wants_of_rows() {
    std::vector<Want> wants = wants_of<K>("key", false);
    if constexpr (!std::is_void_v<T>)
        for (Want& want : wants_of<T>("value", true)) wants.push_back(std::move(want));
    return wants;
}
/// The value of a row, which begins at column `first`.
inline Cell value_of(const Row& row, std::size_t first) {
    if (first == row.size()) return "";
    if (!row[first]) return {};
    std::string value = *row[first];
    for (std::size_t i = first + 1; i != row.size(); ++i) value += '|' + *row[i];
    return value;
}

template <class C>
Contents contents_of(const C& container) {
    Contents contents;
    if constexpr (requires {
                      typename C::mapped_type;
                      container.window();
                  }) {
        for (const auto& [key, value] : container.items())
            contents[said(key)] = container.valid(key) ? Cell(said(value)) : Cell();
    } else if constexpr (requires { typename C::mapped_type; }) {
        for (const auto& [key, value] : container.items()) contents[said(key)] = said(value);
    } else {
        for (const auto& key : container) contents[said(key)] = "";
    }
    FUZZ_CHECK(contents.size() == container.size());
    return contents;
}

/// A container that takes rows, with the model beside it. @tparam Writes how it is written: itself, or a writer of its next window
template <class C, class K, class T, bool IsSeries>
class ImportWorld {
    static constexpr bool takes_nulls = IsSeries && !std::is_void_v<T>;

public:
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        while (!in.done()) {
            const unsigned how = in.byte();
            Stream stream;
            if (how % 4 == 0) {
                ArrowArrayStream raw;
                ExportOptions options;
                options.most_gathered = 64;
                export_stream(container_, &raw, options);
                stream = copy_of(&raw);
            } else
                stream = made_stream(in, wants_, takes_nulls ? in.flip() : in.below(8) == 0);
            fit(stream);
            if (how / 4 % 2 != 0) change(in, stream);
            import(stream);
            ++operations;
        }
        return operations;
    }

private:
    void import(const Stream& stream) {
        PlainReader reader(wants_);
        bool refused = !reader.bind(stream);
        std::size_t rows = 0;
        for (std::size_t i = 0; !refused && i <= stream.batches.size(); ++i) {
            if (i == stream.error_at) refused = true;
            if (refused || i == stream.batches.size()) break;
            const auto read = reader.read(stream, stream.batches[i]);
            refused = !read;
            for (std::size_t row = 0; !refused && row != read->size(); ++row)
                refused = !(*read)[row][0] || (!takes_nulls && !value_of((*read)[row], 1));
            if (refused) break;
            for (const Row& row : *read) model_[*row[0]] = value_of(row, 1);
            rows += read->size();
        }
        Producer producer(stream);
        ImportResult result;
        if constexpr (IsSeries) {
            auto writer = container_.write(++window_);
            result = try_import_stream(&producer.out, writer);
        } else
            result = try_import_stream(&producer.out, container_);
        FUZZ_CHECK(refused == !result);
        FUZZ_CHECK(result.rows == rows);
        FUZZ_CHECK(contents_of(container_) == model_);
        if constexpr (requires { container_.check_invariants(); }) FUZZ_CHECK(container_.check_invariants());
    }

    C container_{};
    Contents model_{};
    std::vector<Want> wants_ = wants_of_rows<K, T>();
    std::int64_t window_ = 0;
};

/// A series that goes ahead, and a replica that follows it by deltas and restore points, some of them changed.
template <class Series, class T>
class DeltaWorld {
    using Delta = typename Series::delta_type;
    using Key = typename Series::key_type;
    static constexpr bool has_values = !std::is_void_v<T>;

public:
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done(); ++operations) {
            switch (in.below(8)) {
            case 0:
            case 1:
                go_ahead(in);
                break;
            case 2:
                restore(in);
                break;
            case 3: {
                Stream stream = made(in);
                fit(stream);
                if (in.below(4) == 0) change(in, stream);
                apply(in, stream);
                break;
            }
            default:
                if (sent_.empty()) break;
                // The next one, most of the time; sometimes one that came before, or comes too early.
                Stream stream = sent_[in.below(4) == 0 ? in.below(sent_.size()) : next_to_send()];
                if (const auto how = in.below(6); how < 2) {
                    change(in, stream);
                    if (how == 1) without_checksum(stream); // or hardly a change would be looked at
                }
                apply(in, stream);
            }
        }
        return operations;
    }

private:
    static Key key_of(Input& in) {
        if constexpr (std::is_same_v<Key, std::string>) {
            const std::size_t number = in.below(12);
            return number % 4 == 3 ? "a long key of number " + std::to_string(number) : std::string(number, 'a');
        } else
            return static_cast<Key>(in.below(16));
    }
    std::size_t next_to_send() const {
        for (std::size_t i = 0; i != sent_.size(); ++i)
            if (sent_from_[i] == replica_.window()) return i;
        return sent_.size() - 1;
    }
    void go_ahead(Input& in) {
        const auto from = original_.window();
        if (from > std::numeric_limits<std::int64_t>::max() - 8) return; // a stream said so
        const std::int64_t to = (from < 0 ? 0 : from) + 1 + static_cast<std::int64_t>(in.below(3));
        {
            auto writer = original_.write(to);
            for (std::size_t left = in.below(8); left != 0; --left) {
                const Key key = key_of(in);
                const std::size_t what = in.below(5);
                if (what == 0)
                    writer.remove(key);
                else if constexpr (has_values) {
                    if (what == 1)
                        static_cast<void>(writer.create(key));
                    else
                        writer.set(key, T(in.below(100)));
                } else
                    static_cast<void>(writer.insert(key));
            }
        }
        ArrowArrayStream raw;
        export_delta(original_, from, &raw);
        if (sent_.size() == 6) {
            sent_.erase(sent_.begin());
            sent_from_.erase(sent_from_.begin());
        }
        sent_.push_back(copy_of(&raw));
        sent_from_.push_back(from);
    }
    static std::vector<Want> wants() {
        std::vector<Want> all{{"time", 'l'}, {"op", 'c'}};
        for (Want& want : wants_of_rows<Key, T>()) all.push_back(std::move(want));
        return all;
    }
    /// As version 0.2 wrote it.
    static void without_checksum(Stream& stream) {
        std::erase_if(stream.metadata, [](const auto& pair) { return pair.first == "slotwise.checksum"; });
        for (auto& [name, value] : stream.metadata)
            if (name == "slotwise.delta" && value == "2") value = "1";
    }
    /// Rows by chance, for the window that the replica has.
    Stream made(Input& in) const {
        Stream stream = made_stream(in, wants(), true);
        const auto from = replica_.window();
        const std::int64_t to = from < 0 ? 1 : from > std::numeric_limits<std::int64_t>::max() - 8 ? from : from + 1;
        stream.metadata = {{"slotwise.delta", "1"},
                           {"slotwise.from", std::to_string(from)},
                           {"slotwise.to", std::to_string(to)},
                           {"slotwise.ticked", "1"},
                           {"slotwise.keys_ticked", in.flip() ? "1" : "0"}};
        if (in.below(4) == 0) stream.metadata.emplace_back("slotwise.invalidated", in.flip() ? "1" : "0");
        for (std::size_t i = 0; i != stream.fields.size(); ++i) {
            const bool is_time = stream.fields[i].name == "time", is_op = stream.fields[i].name == "op";
            if (!is_time && !is_op) continue;
            stream.fields[i].format = is_time ? "l" : "c";
            for (Batch& batch : stream.batches) {
                Part& part = batch.columns[i];
                Bytes bytes;
                for (std::int64_t row = 0; row != part.offset + part.length; ++row)
                    if (is_time)
                        append(bytes, to);
                    else
                        append(bytes, static_cast<std::int8_t>(1 + in.below(4)));
                part.buffers[1] = std::move(bytes);
            }
        }
        if constexpr (has_values) // so that a value is null where the op wants it, most of the time
            for (Batch& batch : stream.batches) agree(stream, batch);
        return stream;
    }
    static void agree(const Stream& stream, Batch& batch) {
        const auto part_of = [&](const char* name) -> Part& {
            for (std::size_t i = 0; i != stream.fields.size(); ++i)
                if (stream.fields[i].name == name) return batch.columns[i];
            std::abort();
        };
        Part &ops = part_of("op"), &values = part_of("value");
        if (!values.buffers[0]) return;
        Bytes& bits = *values.buffers[0];
        std::int64_t nulls = 0;
        for (std::int64_t row = 0; row != values.length; ++row) {
            const auto at = static_cast<std::size_t>(values.offset + row);
            if (row < ops.length) {
                const auto op = load<std::int8_t>(*ops.buffers[1], static_cast<std::size_t>(ops.offset + row));
                const auto mask = static_cast<unsigned char>(1u << at % 8);
                if (op == 2) bits[at / 8] = static_cast<unsigned char>(bits[at / 8] | mask);
                if (op == 3) bits[at / 8] = static_cast<unsigned char>(bits[at / 8] & ~mask);
            }
            nulls += bit(bits, at) ? 0 : 1;
        }
        values.null_count = nulls;
    }

    /// What a plain reader makes of it; nothing if it is refused.
    struct Plain {
        Applied applied = Applied::gap;
        std::int64_t from = 0, to = 0;
        bool ticked = false, keys_ticked = false, invalidated = false;
        std::vector<Row> rows{};
    };
    static bool number_of(const std::string* text, std::int64_t& number) {
        if (text == nullptr || text->empty()) return false;
        number = static_cast<std::int64_t>(std::strtoll(text->c_str(), nullptr, 10));
        return std::to_string(number) == *text;
    }
    std::optional<Plain> read(const Stream& stream, Strictness mode) const {
        Plain plain;
        PlainReader reader(wants());
        if (stream.negative_metadata && !stream.metadata.empty()) return {};
        const auto said = [&](const char* key) -> const std::string* {
            for (const auto& [name, value] : stream.metadata)
                if (name == key) return &value;
            return nullptr;
        };
        const auto flag = [&](const char* key, bool& to, bool required) {
            const std::string* const text = said(key);
            if (text == nullptr) return !required;
            to = *text == "1";
            return to || *text == "0";
        };
        const std::string* const version = said("slotwise.delta");
        if (stream.schema_error || stream.schema_released || version == nullptr || (*version != "1" && *version != "2"))
            return {};
        if (*version == "2" && said("slotwise.checksum") == nullptr) return {};
        if (!number_of(said("slotwise.from"), plain.from) || !number_of(said("slotwise.to"), plain.to) || plain.from > plain.to)
            return {};
        if (!flag("slotwise.ticked", plain.ticked, true) || !flag("slotwise.keys_ticked", plain.keys_ticked, true) ||
            !flag("slotwise.invalidated", plain.invalidated, false) || !reader.bind(stream))
            return {};
        if (!(replica_.window() < plain.to)) {
            plain.applied = Applied::already;
            return plain;
        }
        if (replica_.window() != plain.from) return plain;
        plain.applied = Applied::done;
        if (stream.error_at <= stream.batches.size()) return {};
        for (const Batch& batch : stream.batches) {
            const auto rows = reader.read(stream, batch);
            if (!rows) return {};
            plain.rows.insert(plain.rows.end(), rows->begin(), rows->end());
        }
        const Contents before = plain.invalidated ? Contents() : contents_of(replica_);
        std::set<std::string> keys;
        for (const Row& row : plain.rows) {
            if (!row[0] || !row[1] || !row[2] || *row[0] != std::to_string(plain.to)) return {};
            const bool is_member = before.contains(*row[2]);
            if (!keys.insert(*row[2]).second) return {};
            const std::string& op = *row[1];
            if (op != "1" && op != "3" && (!has_values || (op != "2" && op != "4"))) return {};
            if (has_values && ((op == "2" && !row[3]) || (op == "3" && row[3]))) return {};
            if (mode == Strictness::strict && (op == "1") == is_member) return {};
        }
        return plain;
    }
    static Key as_key(const std::string& text) {
        if constexpr (std::is_same_v<Key, std::string>)
            return text;
        else
            return static_cast<Key>(std::strtoull(text.c_str(), nullptr, 10));
    }
    static Delta delta_of(const Plain& plain) {
        Delta delta;
        delta.time = plain.to;
        delta.ticked = plain.ticked;
        delta.invalidated = plain.invalidated;
        if constexpr (has_values) delta.keys_ticked = plain.keys_ticked;
        for (const Row& row : plain.rows) {
            const std::string& op = *row[1];
            if (op == "1") delta.added.push_back(as_key(*row[2]));
            if (op == "3") delta.removed.push_back(as_key(*row[2]));
            if constexpr (has_values) {
                if (op == "4") delta.reset.push_back(as_key(*row[2]));
                if (row[3])
                    delta.modified.emplace_back(as_key(*row[2]), static_cast<T>(std::strtoll(row[3]->c_str(), nullptr, 10)));
            }
        }
        return delta;
    }
    void apply(Input& in, const Stream& stream) {
        const Strictness mode = in.below(3) == 0 ? Strictness::lenient : Strictness::strict;
        const auto plain = read(stream, mode);
        const auto before = replica_.snapshot();
        Series twin;
        FUZZ_CHECK(twin.try_restore(before) == nullptr);
        Producer producer(stream);
        const AppliedDelta result = try_apply_delta(replica_, &producer.out, mode);
        // The model knows no checksums: what it takes may be refused as damaged, and only for that.
        const bool damaged = plain && !result && result.error.find("checksum") != std::string::npos;
        FUZZ_CHECK(!plain == !result || damaged);
        FUZZ_CHECK(!plain || damaged || plain->applied == result.applied);
        if (!plain || damaged || plain->applied != Applied::done) {
            FUZZ_CHECK(replica_.snapshot() == before);
            return;
        }
        twin.write(plain->to).apply(delta_of(*plain), Strictness::lenient);
        FUZZ_CHECK(replica_.window() == plain->to);
        expect_same(twin);
    }
    void expect_same(const Series& other) const {
        FUZZ_CHECK(contents_of(replica_) == contents_of(other));
        FUZZ_CHECK(replica_.window() == other.window() && replica_.last_modified() == other.last_modified());
        FUZZ_CHECK(capture(replica_, replica_.window()) == capture(other, other.window()));
        FUZZ_CHECK(replica_.check_invariants());
    }
    void restore(Input& in) {
        ArrowArrayStream raw;
        export_restore_point(original_, 5, &raw);
        Stream stream = copy_of(&raw);
        const bool changed = in.flip();
        if (changed) change(in, stream);
        const auto before = replica_.snapshot();
        Producer producer(stream);
        const RestorePoint point = try_restore_point(&producer.out, replica_);
        if (!point)
            FUZZ_CHECK(changed && replica_.snapshot() == before);
        else if (!changed) {
            FUZZ_CHECK(point.shard == 5 && replica_.snapshot() == original_.snapshot());
            expect_same(original_);
        }
        FUZZ_CHECK(replica_.check_invariants());
        static_cast<void>(contents_of(replica_));
    }

    Series original_{}, replica_{};
    std::vector<Stream> sent_{};
    std::vector<std::int64_t> sent_from_{};
};

template <class World>
std::uint64_t run(Input& in) {
    return World().run(in);
}
template <class K, class T>
using MapWorld = ImportWorld<MapStorage<K, T>, K, T, false>;
template <class K>
using SetWorld = ImportWorld<SetStorage<K>, K, void, false>;
using Times = TimeBy<std::int64_t>;

} // namespace wire

#endif
