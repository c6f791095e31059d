// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arrow streams of another library, written by hand: every field can be made wrong, and every release is counted. Each buffer is
// an allocation of exactly its size, so that AddressSanitizer sees the first byte read beyond it.
#ifndef SLOTWISE_TESTS_ARROW_FOREIGN_HPP
#define SLOTWISE_TESTS_ARROW_FOREIGN_HPP

#include <slotwise/arrow/c_data.hpp>

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace test {

using Buffer = std::vector<unsigned char>;

/// The bytes of numbers.
template <class S>
Buffer bytes_of(const std::vector<S>& numbers) {
    Buffer bytes(numbers.size() * sizeof(S));
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}
/// Bits, the lowest first.
inline Buffer bits_of(const std::vector<bool>& bits) {
    Buffer bytes((bits.size() + 7) / 8);
    for (std::size_t i = 0; i != bits.size(); ++i)
        if (bits[i]) bytes[i / 8] = static_cast<unsigned char>(bytes[i / 8] | 1u << i % 8);
    return bytes;
}

/// A column with its buffers. A missing buffer is a null pointer.
struct Column {
    std::string name, format;
    std::vector<std::optional<Buffer>> buffers;
    std::int64_t length = 0, null_count = 0, offset = 0;

    /// Makes these rows null: a bit each, and `offset` bits before them.
    Column& nulls(const std::vector<bool>& null) {
        std::vector<bool> valid(static_cast<std::size_t>(offset), true);
        null_count = 0;
        for (const bool n : null) {
            valid.push_back(!n);
            null_count += n ? 1 : 0;
        }
        buffers[0] = bits_of(valid);
        return *this;
    }
};
template <class S>
Column numbers(std::string name, std::string format, const std::vector<S>& values, std::int64_t offset = 0) {
    return {std::move(name),
            std::move(format),
            {std::nullopt, bytes_of(values)},
            static_cast<std::int64_t>(values.size()) - offset,
            0,
            offset};
}
inline Column bools(std::string name, const std::vector<bool>& values, std::int64_t offset = 0) {
    return {std::move(name), "b", {std::nullopt, bits_of(values)}, static_cast<std::int64_t>(values.size()) - offset, 0,
            offset};
}
/// utf8, or large_utf8 with 64-bit offsets.
template <class Offset = std::int32_t>
Column texts(std::string name, const std::vector<std::string>& values, std::int64_t offset = 0) {
    std::vector<Offset> offsets{0};
    Buffer chars;
    for (const std::string& value : values) {
        chars.insert(chars.end(), value.begin(), value.end());
        offsets.push_back(static_cast<Offset>(chars.size()));
    }
    return {std::move(name),
            sizeof(Offset) == 4 ? "u" : "U",
            {std::nullopt, bytes_of(offsets), chars},
            static_cast<std::int64_t>(values.size()) - offset,
            0,
            offset};
}
/// utf8_view, with one buffer for each long text.
inline Column views(std::string name, const std::vector<std::string>& values) {
    Column column{std::move(name), "vu", {std::nullopt, Buffer()}, static_cast<std::int64_t>(values.size())};
    std::vector<std::int64_t> sizes;
    for (const std::string& value : values) {
        std::int32_t view[4] = {static_cast<std::int32_t>(value.size()), 0, 0, 0};
        if (value.size() <= 12)
            std::memcpy(view + 1, value.data(), value.size());
        else {
            std::memcpy(view + 1, value.data(), 4);
            view[2] = static_cast<std::int32_t>(sizes.size());
            view[3] = 3;
            column.buffers.emplace_back(Buffer(3, '?'));
            column.buffers.back()->insert(column.buffers.back()->end(), value.begin(), value.end());
            sizes.push_back(static_cast<std::int64_t>(value.size()) + 3);
        }
        const auto* const bytes = reinterpret_cast<const unsigned char*>(view);
        column.buffers[1]->insert(column.buffers[1]->end(), bytes, bytes + 16);
    }
    column.buffers.emplace_back(bytes_of(sizes));
    return column;
}

/// A stream. What it hands out stays here, so that tests can change it before it is handed out.
class Foreign {
public:
    struct Batch {
        ArrowArray root{};
        std::deque<ArrowArray> columns;
        std::vector<ArrowArray*> children;
        std::deque<std::vector<const void*>> buffers;
        std::vector<std::unique_ptr<unsigned char[]>> memory;
        const void* no_bitmap[1] = {nullptr};
        int releases = 0;
    };

    /// The schema of these columns, and a batch of their rows, unless they are to be `without` one.
    explicit Foreign(const std::vector<Column>& columns, bool without_batch = false) {
        for (const Column& column : columns) {
            names_.push_back(column.name);
            formats_.push_back(column.format);
            schemas.push_back({formats_.back().c_str(), names_.back().c_str(), nullptr, 2, 0, nullptr, nullptr,
                               [](ArrowSchema* s) { s->release = nullptr; }, nullptr});
        }
        for (ArrowSchema& child : schemas) schema_children.push_back(&child);
        schema = {"+s",
                  "",
                  nullptr,
                  0,
                  static_cast<std::int64_t>(schemas.size()),
                  schema_children.data(),
                  nullptr,
                  [](ArrowSchema* s) {
                      ++*static_cast<int*>(s->private_data);
                      s->release = nullptr;
                  },
                  &schema_releases};
        if (!without_batch) add(columns);
        stream = {[](ArrowArrayStream* s, ArrowSchema* out) {
                      auto& self = *static_cast<Foreign*>(s->private_data);
                      *out = self.schema;
                      if (self.schema_error == 0) ++self.schemas_taken; // what comes along with an error is nobody's
                      return self.schema_error;
                  },
                  [](ArrowArrayStream* s, ArrowArray* out) {
                      auto& self = *static_cast<Foreign*>(s->private_data);
                      *out = ArrowArray{};
                      if (self.next_error != 0 && !self.batches.empty()) *out = self.batches[0].root; // the same
                      if (self.next_error != 0) return self.next_error;
                      if (self.batches_taken != self.batches.size()) *out = self.batches[self.batches_taken++].root;
                      return 0;
                  },
                  [](ArrowArrayStream*) { return "as the test wants it"; },
                  [](ArrowArrayStream* s) {
                      ++static_cast<Foreign*>(s->private_data)->stream_releases;
                      s->release = nullptr;
                  },
                  this};
    }
    Foreign(const Foreign&) = delete;
    Foreign& operator=(const Foreign&) = delete;

    /// One more batch.
    void add(const std::vector<Column>& columns) {
        Batch& batch = batches.emplace_back();
        for (const Column& column : columns) {
            auto& pointers = batch.buffers.emplace_back();
            for (const auto& buffer : column.buffers) {
                if (!buffer) {
                    pointers.push_back(nullptr);
                    continue;
                }
                batch.memory.push_back(std::make_unique<unsigned char[]>(buffer->size()));
                if (!buffer->empty()) std::memcpy(batch.memory.back().get(), buffer->data(), buffer->size());
                pointers.push_back(batch.memory.back().get());
            }
            batch.columns.push_back({column.length, column.null_count, column.offset,
                                     static_cast<std::int64_t>(pointers.size()), 0, pointers.data(), nullptr, nullptr,
                                     [](ArrowArray* a) { a->release = nullptr; }, nullptr});
        }
        for (ArrowArray& child : batch.columns) batch.children.push_back(&child);
        batch.root = {columns.empty() ? 0 : columns[0].length,
                      0,
                      0,
                      1,
                      static_cast<std::int64_t>(batch.children.size()),
                      batch.no_bitmap,
                      batch.children.data(),
                      nullptr,
                      [](ArrowArray* a) {
                          ++*static_cast<int*>(a->private_data);
                          a->release = nullptr;
                      },
                      &batch.releases};
    }
    /// Whether all that was handed out was released, each once, and the stream too.
    bool all_released_once() const {
        for (std::size_t i = 0; i != batches.size(); ++i)
            if (batches[i].releases != (i < batches_taken ? 1 : 0)) return false;
        return schema_releases == schemas_taken && stream_releases == 1;
    }

    ArrowSchema schema{};
    std::deque<ArrowSchema> schemas;
    std::vector<ArrowSchema*> schema_children;
    std::deque<Batch> batches;
    ArrowArrayStream stream{};
    int schema_error = 0, next_error = 0;
    int schemas_taken = 0, schema_releases = 0, stream_releases = 0;
    std::size_t batches_taken = 0;

private:
    std::deque<std::string> names_, formats_;
};

} // namespace test

#endif
