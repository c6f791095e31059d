// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The structs of the Arrow C data and stream interface, written out, and their owners. They are the interface: any library that
// reads Arrow takes them, and none needs to be installed.
#ifndef SLOTWISE_ARROW_C_DATA_HPP
#define SLOTWISE_ARROW_C_DATA_HPP

#include "../config/error.hpp"

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

// Members, their order and the guards are those of the specification: https://arrow.apache.org/docs/format/CDataInterface.html
// and https://arrow.apache.org/docs/format/CStreamInterface.html. Whichever library comes first in a program declares them.
extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/// A type, or a field with a name. `release` is null once it has been released.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

/// The data of an array, or of a batch of rows. `release` is null once it has been released.
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

#endif // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/// Batches of one schema, pulled one by one. A batch whose `release` is null is the end.
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

#endif // ARROW_C_STREAM_INTERFACE

} // extern "C"

SLOTWISE_BEGIN
namespace detail {

/// As throw_invalid_argument, with a text put together at run time.
[[noreturn]] SLOTWISE_COLD inline void throw_arrow_error(const std::string& what) { throw_invalid_argument(what.c_str()); }

/// The owner of one struct of the interface: releases it once. What is moved from is released, as the interface has it.
template <class T>
class ArrowOwner {
public:
    ArrowOwner() noexcept = default;
    /// Takes over what is at `source`, which is released afterwards as far as others can see.
    explicit ArrowOwner(T* source) noexcept : value_(*source) { source->release = nullptr; }
    ArrowOwner(ArrowOwner&& other) noexcept : ArrowOwner(&other.value_) {}
    ArrowOwner& operator=(ArrowOwner&& other) noexcept {
        ArrowOwner taken(std::move(other));
        std::swap(value_, taken.value_);
        return *this;
    }
    ~ArrowOwner() { reset(); }

    /// Whether there is something: it was not released, moved from or moved out.
    explicit operator bool() const noexcept { return value_.release != nullptr; }
    /// The struct, for functions that read it or take it over. Owned here unless such a function sets its `release` to null.
    T* get() noexcept { return &value_; }
    const T* get() const noexcept { return &value_; }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }
    T& operator*() noexcept { return value_; }
    const T& operator*() const noexcept { return value_; }
    /// Where a producer writes a struct: releases the one that is here.
    T* out() noexcept {
        reset();
        return &value_;
    }
    /// Moves the struct to `target`, which is overwritten and owned by the caller.
    void move_to(T* target) noexcept {
        *target = value_;
        value_.release = nullptr;
    }
    /// There is nothing here: what a callback leaves along with an error is not the caller's, and may be anything.
    void forget() noexcept { value_ = T{}; }
    /// Releases the struct, if there is one. A release callback does not throw.
    void reset() noexcept {
        if (value_.release != nullptr) value_.release(&value_);
        value_ = T{};
    }

private:
    T value_{};
};

} // namespace detail

/// Owns an ArrowSchema: movable, not copyable, released once.
using OwnedSchema = detail::ArrowOwner<ArrowSchema>;
/// Owns an ArrowArray: movable, not copyable, released once. It may outlive the stream and the container that it came from.
using OwnedArray = detail::ArrowOwner<ArrowArray>;

/// Owns an ArrowArrayStream: movable, not copyable, released once. Not to be used by two threads at a time.
///
///     for (OwnedArray batch = stream.next(); batch; batch = stream.next()) read(*batch);
class OwnedStream : public detail::ArrowOwner<ArrowArrayStream> {
public:
    using ArrowOwner::ArrowOwner;

    /// The schema of all batches.
    /// @throws std::invalid_argument with the stream's own text when the stream was released or reports an error,
    /// std::bad_alloc when it reports ENOMEM
    OwnedSchema schema() {
        OwnedSchema result;
        expect_alive("OwnedStream::schema(): the stream was released; read it before it is moved or reset");
        if (const int code = get()->get_schema(get(), result.out()); code != 0) {
            result.forget();
            fail("OwnedStream::schema()", code);
        }
        return result;
    }
    /// The next batch, or nothing at the end.
    /// @throws std::invalid_argument with the stream's own text when the stream was released or reports an error,
    /// std::bad_alloc when it reports ENOMEM
    OwnedArray next() {
        OwnedArray result;
        expect_alive("OwnedStream::next(): the stream was released; read it before it is moved or reset");
        if (const int code = get()->get_next(get(), result.out()); code != 0) {
            result.forget();
            fail("OwnedStream::next()", code);
        }
        return result;
    }

private:
    void expect_alive(const char* text) const {
        if (!*this) detail::throw_invalid_argument(text);
    }
    [[noreturn]] SLOTWISE_COLD void fail(const char* where, int code) {
        if (code == ENOMEM) detail::throw_bad_alloc("OwnedStream: the stream has no memory");
        const char* const text = get()->get_last_error != nullptr ? get()->get_last_error(get()) : nullptr;
        detail::throw_arrow_error(std::string(where) + ": the stream reports error " + std::to_string(code) + ": " +
                                  (text != nullptr ? text : "it has no text"));
    }
};

SLOTWISE_END

#endif
