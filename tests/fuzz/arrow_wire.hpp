// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arrow streams as plain values that bytes can change: made up, or copied from an export. Handed out, each buffer, text and list
// is a heap block of exactly its size, freed by the one release, so that AddressSanitizer sees what is read beyond or afterwards.
#ifndef SLOTWISE_TESTS_FUZZ_ARROW_WIRE_HPP
#define SLOTWISE_TESTS_FUZZ_ARROW_WIRE_HPP

#include "input.hpp"

#include <slotwise/arrow/c_data.hpp>
#include <slotwise/arrow/fields.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wire {

using test::Input;
using Bytes = std::vector<unsigned char>;

/// A number of a buffer. @pre it has the bytes
template <class S>
S load(const Bytes& bytes, std::size_t index) {
    S value;
    FUZZ_CHECK((index + 1) * sizeof(S) <= bytes.size());
    std::memcpy(&value, bytes.data() + index * sizeof(S), sizeof(S));
    return value;
}
template <class S>
void store(Bytes& bytes, std::size_t index, S value) {
    FUZZ_CHECK((index + 1) * sizeof(S) <= bytes.size());
    std::memcpy(bytes.data() + index * sizeof(S), &value, sizeof(S));
}
template <class S>
void append(Bytes& bytes, S value) {
    bytes.resize(bytes.size() + sizeof(S));
    store(bytes, bytes.size() / sizeof(S) - 1, value);
}
inline bool bit(const Bytes& bytes, std::size_t at) { return (bytes.at(at / 8) >> at % 8 & 1) != 0; }
inline void append_bit(Bytes& bytes, std::size_t at, bool set) {
    if (at % 8 == 0) bytes.push_back(0);
    if (set) bytes.back() = static_cast<unsigned char>(bytes.back() | 1u << at % 8);
}

struct Field {
    std::optional<std::string> name, format;
    std::int64_t n_children = 0;
    bool dictionary = false, released = false, missing = false;
};
struct Part {
    std::vector<std::optional<Bytes>> buffers{};
    std::int64_t length = 0, null_count = 0, offset = 0, n_buffers = 0, n_children = 0;
    bool dictionary = false, released = false, missing = false, no_list = false;
};
struct Batch {
    Part root{};
    std::vector<Part> columns{};
    bool no_children = false;
};
struct Stream {
    std::vector<Field> fields{};
    std::optional<std::string> format = "+s";
    slotwise::ArrowPairs metadata{};
    std::vector<Batch> batches{};
    std::int64_t n_children = 0;
    std::size_t error_at = static_cast<std::size_t>(-1); ///< the batch that comes as an error
    bool schema_error = false, negative_metadata = false, no_children = false, schema_released = false;
};

/// A root of these columns.
inline Batch batch_of(std::vector<Part> columns, std::int64_t rows) {
    Batch batch;
    batch.root.buffers.emplace_back();
    batch.root.n_buffers = 1;
    batch.root.length = rows;
    batch.root.n_children = static_cast<std::int64_t>(columns.size());
    batch.columns = std::move(columns);
    return batch;
}

/// Bytes of a value in a buffer of fixed width; 0 for other formats.
inline std::size_t width_of(std::string_view format) {
    if (format == "c" || format == "C") return 1;
    if (format == "s" || format == "S") return 2;
    if (format == "i" || format == "I" || format == "f") return 4;
    if (format == "l" || format == "L" || format == "g") return 8;
    return 0;
}
inline bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "z" || format == "Z"; }
inline bool is_view(std::string_view format) { return format == "vu" || format == "vz"; }
inline bool is_large(std::string_view format) { return format == "U" || format == "Z"; }

/// Whether a reader has a reason to look into the buffers: extents that nobody could have are refused before.
inline bool is_plausible(const Part& part) {
    return part.length >= 0 && part.length <= 4096 && part.offset >= 0 && part.offset <= 4096;
}

/// The interface states no sizes of buffers. Whatever it cannot show is made true here: buffers have what lengths and offsets say.
inline void fit(Stream& stream) {
    constexpr std::int64_t most_text = 512;
    const auto at_least = [](std::optional<Bytes>& bytes, std::size_t size) {
        if (bytes && bytes->size() < size) bytes->resize(size, 0xA5);
    };
    const auto bitmap = [&](Part& part) {
        if (!part.buffers.empty() && is_plausible(part))
            at_least(part.buffers[0], static_cast<std::size_t>(part.offset + part.length + 7) / 8);
    };
    const auto offsets = [&]<class Offset>(Part& part, std::size_t first, std::size_t last, Offset) {
        at_least(part.buffers[1], (last + 1) * sizeof(Offset));
        if (!part.buffers[1]) return;
        std::int64_t end = 0;
        for (std::size_t i = first; i <= last; ++i) {
            const auto offset = load<Offset>(*part.buffers[1], i);
            if (offset > most_text) store(*part.buffers[1], i, static_cast<Offset>(most_text));
            end = std::max<std::int64_t>(end, load<Offset>(*part.buffers[1], i));
        }
        at_least(part.buffers[2], static_cast<std::size_t>(end));
    };
    const auto column = [&](Part& part, std::string_view format) {
        if (!is_plausible(part) || part.buffers.size() < 2) return;
        const auto first = static_cast<std::size_t>(part.offset), last = static_cast<std::size_t>(part.offset + part.length);
        if (format == "b") return at_least(part.buffers[1], (last + 7) / 8);
        if (is_view(format)) {
            at_least(part.buffers[1], last * 16);
            // A shorter list would make a text the buffer of sizes, and its own size is nowhere.
            const auto all = static_cast<std::int64_t>(part.buffers.size());
            if (part.n_buffers > 3 && part.n_buffers < all) part.n_buffers = 3;
            if (part.n_buffers > all) part.n_buffers = all;
            if (part.n_buffers < 4) return;
            const auto texts = static_cast<std::size_t>(part.n_buffers) - 3;
            std::optional<Bytes>& sizes = part.buffers[texts + 2];
            at_least(sizes, texts * 8);
            for (std::size_t i = 0; sizes && i != texts; ++i) {
                const auto real = static_cast<std::int64_t>(part.buffers[2 + i] ? part.buffers[2 + i]->size() : 0);
                if (load<std::int64_t>(*sizes, i) > real) store(*sizes, i, real);
            }
            return;
        }
        if (is_text(format) && part.buffers.size() >= 3) {
            if (is_large(format))
                offsets(part, first, last, std::int64_t{});
            else
                offsets(part, first, last, std::int32_t{});
            return;
        }
        at_least(part.buffers[1], last * width_of(format));
    };
    for (Batch& batch : stream.batches) {
        bitmap(batch.root);
        for (std::size_t i = 0; i != batch.columns.size(); ++i) {
            Part& part = batch.columns[i];
            bitmap(part);
            if (i < stream.fields.size() && stream.fields[i].format) column(part, *stream.fields[i].format);
        }
    }
}

//=== changes ===//

inline std::int64_t odd_number(Input& in, std::int64_t now) {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                           highest = std::numeric_limits<std::int64_t>::max();
    const auto sum = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    };
    switch (in.below(10)) {
    case 0:
        return -1;
    case 1:
        return lowest;
    case 2:
        return highest;
    case 3:
        return highest / 16;
    case 4:
        return highest - static_cast<std::int64_t>(in.below(8));
    case 5:
        return sum(now, 1);
    case 6:
        return sum(now, -1);
    case 7:
        return sum(now, 8);
    default:
        return static_cast<std::int64_t>(in.below(12));
    }
}
inline void change_part(Input& in, Part& part) {
    switch (in.below(13)) {
    case 0:
        part.length = odd_number(in, part.length);
        break;
    case 1:
        part.offset = odd_number(in, part.offset);
        break;
    case 2:
        part.null_count = odd_number(in, part.null_count);
        break;
    case 3:
        part.n_buffers = odd_number(in, part.n_buffers);
        break;
    case 4:
        part.n_children = odd_number(in, 0);
        break;
    case 5:
        part.dictionary = true;
        break;
    case 6:
        part.released = true;
        break;
    case 7:
        part.missing = true;
        break;
    case 8:
        part.no_list = true;
        break;
    case 9:
        if (!part.buffers.empty()) part.buffers[in.below(part.buffers.size())].reset();
        break;
    case 10: // a bitmap that agrees, or not
        if (!part.buffers.empty() && is_plausible(part)) {
            Bytes bits;
            for (std::int64_t i = 0; i != part.offset + part.length; ++i)
                append_bit(bits, static_cast<std::size_t>(i), in.below(8) != 0);
            std::int64_t nulls = 0;
            for (std::int64_t i = part.offset; i != part.offset + part.length; ++i)
                nulls += bit(bits, static_cast<std::size_t>(i)) ? 0 : 1;
            part.buffers[0] = std::move(bits);
            part.null_count = in.below(4) == 0 ? -1 : nulls;
        }
        break;
    default: {
        if (part.buffers.size() < 2) break;
        auto& bytes = part.buffers[1 + in.below(part.buffers.size() - 1)];
        if (bytes && !bytes->empty()) (*bytes)[in.below(bytes->size())] = in.byte();
    }
    }
}
inline void change_field(Input& in, Field& field) {
    static constexpr const char* formats[] = {"c",  "C",  "s",   "S",    "i",   "I",  "l",  "L",    "f", "g",
                                              "b",  "u",  "U",   "vu",   "z",   "Z",  "vz", "",     "n", "e",
                                              "+s", "+l", "w:4", "tsu:", "tDs", "ii", "v",  "d:3,2"};
    static constexpr const char* names[] = {"key", "value", "op", "time", "a", "b", "", "other", "shard", "state"};
    switch (in.below(9)) {
    case 0:
        field.n_children = odd_number(in, 0);
        break;
    case 1:
        field.dictionary = true;
        break;
    case 2:
        field.released = true;
        break;
    case 3:
        field.missing = true;
        break;
    case 4:
        field.name.reset();
        break;
    case 5:
        field.format.reset();
        break;
    case 6:
        field.name = names[in.below(std::size(names))];
        break;
    default:
        field.format = formats[in.below(std::size(formats))];
    }
}
/// One thing, or a few, are made otherwise. What the interface cannot show is as it says afterwards.
inline void change(Input& in, Stream& stream) {
    for (std::size_t left = 1 + in.below(3); left != 0; --left) {
        Batch* const batch = stream.batches.empty() ? nullptr : &stream.batches[in.below(stream.batches.size())];
        switch (in.below(16)) {
        case 0:
            if (!stream.fields.empty()) change_field(in, stream.fields[in.below(stream.fields.size())]);
            break;
        case 1:
            stream.n_children = in.flip() ? -1 : std::numeric_limits<std::int64_t>::min();
            break;
        case 2:
            stream.no_children = true;
            break;
        case 3:
            if (in.flip())
                stream.format.reset();
            else
                stream.format = in.flip() ? "+l" : "";
            break;
        case 4:
            if (in.flip())
                stream.schema_error = true;
            else
                stream.error_at = in.below(stream.batches.size() + 1);
            break;
        case 5:
            if (in.flip())
                stream.schema_released = true;
            else
                stream.negative_metadata = true;
            break;
        case 6:
            if (!stream.metadata.empty()) {
                auto& [key, value] = stream.metadata[in.below(stream.metadata.size())];
                static constexpr const char* values[] = {
                    "", "1", "0", "2", "-1", "99999999999999999999", "x", "1 ", "9223372036854775807"};
                if (in.below(4) == 0) key.clear();
                value = values[in.below(std::size(values))];
            }
            break;
        case 7: // fewer columns, or one twice
            if (!stream.fields.empty()) {
                const std::size_t at = in.below(stream.fields.size());
                const bool twice = in.flip(), batches_too = in.below(4) != 0;
                const auto both = [&](auto& list, std::int64_t& count) {
                    if (at >= list.size()) return;
                    const auto place = list.begin() + static_cast<std::ptrdiff_t>(at);
                    if (twice) {
                        const auto copy = *place;
                        list.push_back(copy);
                    } else
                        list.erase(place);
                    count = static_cast<std::int64_t>(list.size());
                };
                both(stream.fields, stream.n_children);
                for (Batch& each : stream.batches)
                    if (batches_too) both(each.columns, each.root.n_children);
            }
            break;
        case 8:
            if (batch != nullptr) stream.batches.push_back(Batch(*batch));
            break;
        case 9:
            if (batch != nullptr) batch->no_children = true;
            break;
        case 10:
        case 11:
            if (batch != nullptr) change_part(in, batch->root);
            break;
        default:
            if (batch != nullptr && !batch->columns.empty()) change_part(in, batch->columns[in.below(batch->columns.size())]);
        }
        // More children than there are would be read, and no reader could know.
        if (stream.n_children > 0) stream.n_children = static_cast<std::int64_t>(stream.fields.size());
        for (Batch& each : stream.batches)
            if (each.root.n_children == stream.n_children)
                each.root.n_children = static_cast<std::int64_t>(each.columns.size());
        fit(stream);
    }
}

//=== handing out ===//

/// Hands a stream out as foreign structs, and counts. A child is released by its parent, an output of an error by nobody.
class Producer {
public:
    explicit Producer(const Stream& stream) : stream_(stream) {
        out = {&get_schema, &get_next, [](ArrowArrayStream*) -> const char* { return "as the input wants it"; },
               [](ArrowArrayStream* self) {
                   ++static_cast<Producer*>(self->private_data)->stream_releases_;
                   self->release = nullptr;
               },
               this};
    }
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;
    ~Producer() { FUZZ_CHECK(out.release == nullptr && stream_releases_ == 1 && given_ == released_); }

    ArrowArrayStream out{};

private:
    /// What a struct refers to.
    struct Held {
        Producer* owner;
        std::vector<std::unique_ptr<unsigned char[]>> memory{};
        std::vector<std::unique_ptr<const void*[]>> lists{};
        std::vector<std::unique_ptr<ArrowArray>> arrays{};
        std::vector<std::unique_ptr<ArrowSchema>> schemas{};
        std::unique_ptr<ArrowArray*[]> array_list{};
        std::unique_ptr<ArrowSchema*[]> schema_list{};

        const void* copy(const void* from, std::size_t size) {
            memory.push_back(std::make_unique<unsigned char[]>(size));
            if (size != 0) std::memcpy(memory.back().get(), from, size);
            return memory.back().get();
        }
        const char* text(const std::optional<std::string>& from) {
            return from ? static_cast<const char*>(copy(from->c_str(), from->size() + 1)) : nullptr;
        }
        void fill(ArrowArray& array, const Part& part) {
            array = {part.length, part.null_count, part.offset, part.n_buffers, part.n_children,
                     nullptr,     nullptr,         nullptr,     nullptr,        nullptr};
            if (part.no_list) return;
            lists.push_back(std::make_unique<const void*[]>(part.buffers.size()));
            array.buffers = lists.back().get();
            for (std::size_t i = 0; i != part.buffers.size(); ++i)
                array.buffers[i] = part.buffers[i] ? copy(part.buffers[i]->data(), part.buffers[i]->size()) : nullptr;
        }
    };
    template <class S>
    static void release_child(S*) {
        test::fuzz_fail("a child was released in place of its parent", __FILE__, __LINE__);
    }
    template <class S>
    static void release_output_of_error(S*) {
        test::fuzz_fail("what came along with an error was released", __FILE__, __LINE__);
    }
    template <class S>
    static void release(S* self) {
        FUZZ_CHECK(self->release != nullptr);
        auto* const held = static_cast<Held*>(self->private_data);
        ++held->owner->released_;
        delete held;
        self->release = nullptr;
    }
    static Producer& of(ArrowArrayStream* self) {
        FUZZ_CHECK(self->release != nullptr);
        return *static_cast<Producer*>(self->private_data);
    }
    static int get_schema(ArrowArrayStream* self, ArrowSchema* schema) {
        Producer& producer = of(self);
        const Stream& from = producer.stream_;
        *schema = ArrowSchema{};
        if (from.schema_error) {
            schema->release = &release_output_of_error<ArrowSchema>;
            return 5;
        }
        if (from.schema_released) return 0;
        auto held = std::make_unique<Held>(Held{&producer});
        schema->format = held->text(from.format);
        schema->name = held->text("");
        std::string metadata = slotwise::encode_metadata(from.metadata);
        if (from.negative_metadata && !metadata.empty()) {
            const std::int32_t size = -7;
            std::memcpy(metadata.data() + 4, &size, sizeof size);
        }
        if (!metadata.empty()) schema->metadata = static_cast<const char*>(held->copy(metadata.data(), metadata.size()));
        schema->n_children = from.n_children;
        held->schema_list = std::make_unique<ArrowSchema*[]>(from.fields.size());
        for (std::size_t i = 0; i != from.fields.size(); ++i) {
            const Field& field = from.fields[i];
            held->schema_list[i] = nullptr;
            if (field.missing) continue;
            held->schemas.push_back(std::make_unique<ArrowSchema>());
            ArrowSchema& child = *(held->schema_list[i] = held->schemas.back().get());
            child = ArrowSchema{};
            if (field.released) { // what moved out left addresses that nobody may follow
                child.format = child.name = reinterpret_cast<const char*>(std::uintptr_t{16});
                continue;
            }
            child.format = held->text(field.format);
            child.name = held->text(field.name);
            child.flags = ARROW_FLAG_NULLABLE;
            child.n_children = field.n_children;
            child.dictionary = field.dictionary ? &child : nullptr;
            child.release = &release_child<ArrowSchema>;
        }
        schema->children = from.no_children ? nullptr : held->schema_list.get();
        schema->release = &release<ArrowSchema>;
        schema->private_data = held.release();
        ++producer.given_;
        return 0;
    }
    static int get_next(ArrowArrayStream* self, ArrowArray* array) {
        Producer& producer = of(self);
        const Stream& from = producer.stream_;
        *array = ArrowArray{};
        if (producer.next_ == from.error_at) {
            array->release = &release_output_of_error<ArrowArray>;
            return 12;
        }
        if (producer.next_ >= from.batches.size()) return 0;
        const Batch& batch = from.batches[producer.next_++];
        auto held = std::make_unique<Held>(Held{&producer});
        held->fill(*array, batch.root);
        held->array_list = std::make_unique<ArrowArray*[]>(batch.columns.size());
        for (std::size_t i = 0; i != batch.columns.size(); ++i) {
            const Part& part = batch.columns[i];
            held->array_list[i] = nullptr;
            if (part.missing) continue;
            held->arrays.push_back(std::make_unique<ArrowArray>());
            ArrowArray& child = *(held->array_list[i] = held->arrays.back().get());
            held->fill(child, part);
            child.dictionary = part.dictionary ? &child : nullptr;
            child.release = part.released ? nullptr : &release_child<ArrowArray>;
        }
        array->dictionary = batch.root.dictionary ? array : nullptr;
        array->children = batch.no_children ? nullptr : held->array_list.get();
        array->release = &release<ArrowArray>;
        array->private_data = held.release();
        ++producer.given_;
        return 0;
    }

    const Stream& stream_;
    std::size_t next_ = 0, given_ = 0, released_ = 0;
    int stream_releases_ = 0;
};

/// A copy of what an export hands out, each buffer with the bytes that its length says.
inline Stream copy_of(ArrowArrayStream* raw) {
    slotwise::OwnedStream owned(raw);
    const slotwise::OwnedSchema schema = owned.schema();
    Stream stream;
    stream.metadata = slotwise::decode_metadata(schema->metadata);
    stream.n_children = schema->n_children;
    for (std::int64_t i = 0; i != schema->n_children; ++i)
        stream.fields.push_back({schema->children[i]->name, schema->children[i]->format});
    for (slotwise::OwnedArray batch = owned.next(); batch; batch = owned.next()) {
        std::vector<Part> parts;
        for (std::int64_t i = 0; i != batch->n_children; ++i) {
            const ArrowArray& child = *batch->children[i];
            const std::string& format = *stream.fields[static_cast<std::size_t>(i)].format;
            Part part;
            part.length = child.length;
            part.null_count = child.null_count;
            part.n_buffers = child.n_buffers;
            const auto rows = static_cast<std::size_t>(child.length);
            std::size_t sizes[3] = {(rows + 7) / 8, format == "b" ? (rows + 7) / 8 : rows * width_of(format), 0};
            if (is_text(format)) {
                sizes[1] = (rows + 1) * 4;
                std::int32_t end = 0;
                if (child.buffers[1] != nullptr)
                    std::memcpy(&end, static_cast<const unsigned char*>(child.buffers[1]) + rows * 4, sizeof end);
                sizes[2] = static_cast<std::size_t>(end);
            }
            for (std::size_t b = 0; b != static_cast<std::size_t>(child.n_buffers); ++b) {
                part.buffers.emplace_back();
                const auto* const bytes = static_cast<const unsigned char*>(child.buffers[b]);
                if (bytes != nullptr) part.buffers.back().emplace(bytes, bytes + sizes[b]);
            }
            parts.push_back(std::move(part));
        }
        stream.batches.push_back(batch_of(std::move(parts), batch->length));
    }
    return stream;
}

} // namespace wire

#endif
