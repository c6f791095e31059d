// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The structs that exports hand out: what each refers to, and how it is released.
#ifndef SLOTWISE_ARROW_DETAIL_NODES_HPP
#define SLOTWISE_ARROW_DETAIL_NODES_HPP

#include "../c_data.hpp"
#include "../fields.hpp"

#include <array>
#include <memory>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Releases a struct whose private data is a Node. Called on any thread, without any lock: it gives back what the node has.
template <class Node, class S>
void release_node(S* self) noexcept {
    delete static_cast<Node*>(self->private_data);
    self->release = nullptr;
}

/// The children of a struct, and the list of their addresses. Those that were not moved out are released with it.
template <class S>
class ArrowChildren {
public:
    /// Children that are released, until they are made.
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

/// What a node of a schema refers to.
struct ArrowSchemaNode {
    std::string name, metadata;
    ArrowChildren<ArrowSchema> children;
};
/// A schema with room for `children`. @param format lives as long as the program
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

/// What a batch refers to.
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
/// A column of a batch, which takes the node. It is its own owner: it may be moved out of its batch and released anywhere.
/// @tparam Node has `buffers`, a std::array, and what they refer to
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

} // namespace detail

SLOTWISE_END

#endif
