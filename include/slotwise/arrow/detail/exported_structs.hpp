// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The structs that exports hand out: schemas, batches, columns and streams, each with what it owns and how it is released.
#ifndef SLOTWISE_ARROW_DETAIL_EXPORTED_STRUCTS_HPP
#define SLOTWISE_ARROW_DETAIL_EXPORTED_STRUCTS_HPP

#include "../c_data.hpp"
#include "../fields.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <new>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Releases a struct whose private data is a Node. Any thread may call it, without a lock: it only frees what the node owns.
template <class Node, class S>
void release_node(S* self) noexcept {
    delete static_cast<Node*>(self->private_data);
    self->release = nullptr;
}

/// The children of a struct, and the list of their addresses. Children that were not moved out are released with it.
template <class S>
class ArrowChildren {
public:
    /// Children count as released until they are made.
    explicit ArrowChildren(std::size_t count) : children_(count, S{}) {
        pointers_.reserve(count);
        for (S& child : children_) pointers_.push_back(&child);
    }
    ArrowChildren(const ArrowChildren&) = delete;
    ArrowChildren& operator=(const ArrowChildren&) = delete;
    ~ArrowChildren() {
        for (S& child : children_)
            if (child.release != nullptr) child.release(&child);
    }
    S** list() noexcept { return pointers_.empty() ? nullptr : pointers_.data(); }

private:
    std::vector<S> children_;
    std::vector<S*> pointers_{};
};

/// What a schema owns.
struct ArrowSchemaNode {
    std::string name, metadata;
    ArrowChildren<ArrowSchema> children;
};
/// A schema with room for `children`. @param format a string that lives as long as the program
inline ArrowSchema make_schema(const char* format, std::string name, std::int64_t flags, const ArrowPairs& metadata,
                               std::size_t children) {
    std::unique_ptr<ArrowSchemaNode> node(
        new ArrowSchemaNode{std::move(name), encode_metadata(metadata), ArrowChildren<ArrowSchema>(children)});
    ArrowSchema schema{};
    schema.format = format;
    schema.name = node->name.c_str();
    schema.metadata = node->metadata.empty() ? nullptr : node->metadata.data();
    schema.flags = flags;
    schema.n_children = static_cast<std::int64_t>(children);
    schema.children = node->children.list();
    schema.release = &release_node<ArrowSchemaNode, ArrowSchema>;
    schema.private_data = node.release();
    return schema;
}

/// What a batch owns.
struct ArrowBatchNode {
    const void* no_bitmap = nullptr;
    ArrowChildren<ArrowArray> children;
};
/// A batch with room for columns.
inline ArrowArray make_batch(std::size_t rows, std::size_t columns) {
    std::unique_ptr<ArrowBatchNode> node(new ArrowBatchNode{nullptr, ArrowChildren<ArrowArray>(columns)});
    ArrowArray batch{};
    batch.length = static_cast<std::int64_t>(rows);
    batch.n_buffers = 1;
    batch.n_children = static_cast<std::int64_t>(columns);
    batch.buffers = &node->no_bitmap;
    batch.children = node->children.list();
    batch.release = &release_node<ArrowBatchNode, ArrowArray>;
    batch.private_data = node.release();
    return batch;
}
/// A column of a batch. It owns the node, so it may be moved out of its batch and released on its own.
/// @tparam Node has `buffers`, a std::array of addresses, and owns the memory behind them
template <class Node>
ArrowArray arrow_column_of(std::unique_ptr<Node> node, std::size_t rows, std::size_t nulls, std::int64_t buffers) noexcept {
    ArrowArray column{};
    column.length = static_cast<std::int64_t>(rows);
    column.null_count = static_cast<std::int64_t>(nulls);
    column.n_buffers = buffers;
    column.buffers = node->buffers.data();
    column.release = &release_node<Node, ArrowArray>;
    column.private_data = node.release();
    return column;
}

/// What a stream owns. No exception may cross the interface, so errors are reported by number and text.
/// @tparam Batches has make_schema(ArrowSchema*) and next(), which returns a released array at the end. What throws may be
/// called again.
template <class Batches>
class ArrowStream {
public:
    /// Moves a stream of these batches to `out`, which is overwritten and owned by the caller.
    static void give(Batches batches, ArrowArrayStream* out) {
        auto stream = std::make_unique<ArrowStream>(std::move(batches));
        *out = ArrowArrayStream{};
        out->get_schema = &get_schema;
        out->get_next = &get_next;
        out->get_last_error = [](ArrowArrayStream* self) -> const char* {
            return of(self).error_.empty() ? nullptr : of(self).error_.c_str();
        };
        out->release = &release_node<ArrowStream, ArrowArrayStream>;
        out->private_data = stream.release();
    }
    explicit ArrowStream(Batches&& batches) : batches_(std::move(batches)) {}

private:
    static ArrowStream& of(ArrowArrayStream* self) noexcept { return *static_cast<ArrowStream*>(self->private_data); }
    static int get_schema(ArrowArrayStream* self, ArrowSchema* out) noexcept {
        *out = ArrowSchema{};
        return of(self).guarded([&](Batches& batches) { batches.make_schema(out); });
    }
    static int get_next(ArrowArrayStream* self, ArrowArray* out) noexcept {
        *out = ArrowArray{};
        return of(self).guarded([&](Batches& batches) { batches.next().move_to(out); });
    }
    template <class F>
    int guarded(F&& f) noexcept {
#if SLOTWISE_EXCEPTIONS
        try {
            f(batches_);
            error_.clear();
            return 0;
        } catch (const std::bad_alloc&) {
            return failed(ENOMEM, "out of memory");
        } catch (const std::exception& error) {
            return failed(EINVAL, error.what());
        } catch (...) {
            return failed(EINVAL, "an unknown exception");
        }
#else
        f(batches_);
        return 0;
#endif
    }
#if SLOTWISE_EXCEPTIONS
    int failed(int code, const char* what) noexcept {
        try {
            error_ = what;
        } catch (...) {
            error_.clear(); // no memory for the text: the number remains
        }
        return code;
    }
#endif

    Batches batches_;
    std::string error_{};
};

} // namespace detail

SLOTWISE_END

#endif
