// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The structs of the Arrow C data and stream interfaces, and classes that own them. The structs are all that two libraries need
// to exchange data, so no library of Arrow needs to be installed.
#ifndef SLOTWISE_ARROW_C_DATA_HPP
#define SLOTWISE_ARROW_C_DATA_HPP

#include "../config/error.hpp"

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

// Members, their order and the guards are those of the specification: https://arrow.apache.org/docs/format/CDataInterface.html
// and https://arrow.apache.org/docs/format/CStreamInterface.html. Whichever library is included first declares them.
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

/// As throw_invalid_argument, for a text that is made at run time.
[[noreturn]] SLOTWISE_COLD inline void throw_arrow_error(const std::string& what) { throw_invalid_argument(what.c_str()); }

/// Owns one struct of the interface and releases it once. An owner that was moved from is empty.
template <class T>
class ArrowOwner {
public:
    ArrowOwner() noexcept = default;
    /// Takes over the struct at `source`, which is marked as released.
    explicit ArrowOwner(T* source) noexcept : value_(*source) { source->release = nullptr; }
    ArrowOwner(ArrowOwner&& other) noexcept : ArrowOwner(&other.value_) {}
    ArrowOwner& operator=(ArrowOwner&& other) noexcept {
        ArrowOwner taken(std::move(other));
        std::swap(value_, taken.value_);
        return *this;
    }
    ~ArrowOwner() { reset(); }

    /// Whether it owns a struct that was not released yet.
    explicit operator bool() const noexcept { return value_.release != nullptr; }
    /// The struct, for functions that read it or take it over. One that takes it over sets its `release` to null.
    T* get() noexcept { return &value_; }
    const T* get() const noexcept { return &value_; }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }
    T& operator*() noexcept { return value_; }
    const T& operator*() const noexcept { return value_; }
    /// Releases the struct, and returns where a producer may write another one.
    T* out() noexcept {
        reset();
        return &value_;
    }
    /// Moves the struct to `target`, which is overwritten and owned by the caller.
    void move_to(T* target) noexcept {
        *target = value_;
        value_.release = nullptr;
    }
    /// Drops the struct without a release: after an error of a callback its contents are undefined and not the caller's.
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
/// Owns an ArrowArray: movable, not copyable, released once. It may outlive the stream and the container that it comes from.
using OwnedArray = detail::ArrowOwner<ArrowArray>;

/// Owns an ArrowArrayStream: movable, not copyable, released once. One thread may use it at a time.
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
