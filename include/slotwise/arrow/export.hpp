// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// export_schema, export_stream, freeze: containers as streams of the Arrow C interface.
#ifndef SLOTWISE_ARROW_EXPORT_HPP
#define SLOTWISE_ARROW_EXPORT_HPP

#include "detail/container_columns.hpp"

#include <cerrno>

SLOTWISE_BEGIN
namespace detail {

/// What a stream refers to. Functions of the interface report errors by number and text: nothing is thrown across it.
class ArrowStream {
public:
    explicit ArrowStream(ArrowBatcher batches) : batches_(std::move(batches)) {}
    /// Makes all batches now. @throws as ArrowBatcher::next
    void make_all() {
        for (OwnedArray batch = batches_.next(); batch; batch = batches_.next()) ready_.push_back(std::move(batch));
        made_ = true;
    }
    /// Moves a stream to `out`.
    static void give(std::unique_ptr<ArrowStream> stream, ArrowArrayStream* out) noexcept {
        *out = ArrowArrayStream{};
        out->get_schema = &get_schema;
        out->get_next = &get_next;
        out->get_last_error = [](ArrowArrayStream* self) -> const char* {
            return of(self).error_.empty() ? nullptr : of(self).error_.c_str();
        };
        out->release = [](ArrowArrayStream* self) {
            delete static_cast<ArrowStream*>(self->private_data);
            self->release = nullptr;
        };
        out->private_data = stream.release();
    }

private:
    static ArrowStream& of(ArrowArrayStream* self) noexcept { return *static_cast<ArrowStream*>(self->private_data); }
    static int get_schema(ArrowArrayStream* self, ArrowSchema* out) noexcept {
        out->release = nullptr;
        return of(self).guarded([&](ArrowStream& stream) { make_schema(stream.batches_.plan(), out); });
    }
    static int get_next(ArrowArrayStream* self, ArrowArray* out) noexcept {
        *out = ArrowArray{};
        return of(self).guarded([&](ArrowStream& stream) { stream.next().move_to(out); });
    }
    OwnedArray next() {
        if (!made_) return batches_.next();
        return given_ == ready_.size() ? OwnedArray() : std::move(ready_[given_++]);
    }
    template <class F>
    int guarded(F&& f) noexcept {
#if SLOTWISE_EXCEPTIONS
        try {
            f(*this);
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
        f(*this);
        return 0;
#endif
    }
#if SLOTWISE_EXCEPTIONS
    int failed(int code, const char* what) noexcept {
        try {
            error_ = what;
        } catch (...) {
            error_.clear(); // no memory for the text: the number is left
        }
        return code;
    }
#endif

    ArrowBatcher batches_;
    std::vector<OwnedArray> ready_{};
    std::size_t given_ = 0;
    bool made_ = false;
    std::string error_{};
};

/// The stream of a plan. @param owner of the memory that is shared; null: everything is copied now
inline void export_plan(ArrowPlan plan, std::shared_ptr<const void> owner, ArrowArrayStream* out) {
    const bool copies = owner == nullptr;
    auto stream = std::make_unique<ArrowStream>(ArrowBatcher(std::move(plan), std::move(owner)));
    if (copies) stream->make_all();
    ArrowStream::give(std::move(stream), out);
}

/// A container that can be exported.
template <class C>
concept ArrowExportable = requires(const C& c, const ExportOptions& options) { detail::arrow_plan(c, options); };

} // namespace detail

/// The schema of an export: what the batches of export_stream(container, ..., options) have. Columns come in this order:
///     key    of sets, maps and series
///     value  of slot maps, maps and dictionaries; value0, value1 ... of the members of rows, by name those of a SoaStruct
///     column0, column1 ... the columns of the user, by the number of the static observer
///     time   of series, if it is asked for
///     handle, if it is asked for
/// A struct with ArrowFields makes a column a field instead, with the field's name. Columns are declared to have nulls with
/// Rows::all_slots, and where a series has no value.
/// @throws std::invalid_argument when the options ask for a time or handles that the container has not, or have not as many
/// names as there are columns; std::bad_alloc
template <class C>
    requires detail::ArrowExportable<C>
void export_schema(const C& container, ArrowSchema* out, ExportOptions options = {}) {
    detail::make_schema(detail::arrow_plan(container, options), out);
}

/// The container as a stream of batches, copied now: container and stream do not depend on each other afterwards. Elements come
/// in slot order, rows of packed containers in their order; there is no row for what is removed and still readable. An empty
/// container has a schema and no batch. `out` is overwritten and owned by the caller.
/// @throws as export_schema; std::length_error if one text has 2 GiB or more; what allocation throws
/// @complexity linear in rows and slots / 64
template <class C>
    requires detail::ArrowExportable<C>
void export_stream(const C& container, ArrowArrayStream* out, ExportOptions options = {}) {
    detail::export_plan(detail::arrow_plan(container, options), nullptr, out);
}

/// The same without a copy where that is possible: a column of numbers, times or handles is the container's own memory, in
/// batches of at least ExportOptions::least_shared live elements side by side. What lies between is gathered, as are bools,
/// texts, members of structs and columns of packed slot maps by slot. Batches are made when they are asked for. Whatever refers
/// to the container keeps it alive, and may be released by any thread. get_next() reports ENOMEM or EINVAL, with a text.
/// @pre nobody changes the container, or writes to its values, as long as stream or batches live; see freeze(), Exportable
/// @throws as export_schema, std::invalid_argument when the container is null
/// @complexity linear in pages, and in rows that are gathered
template <class C>
    requires detail::ArrowExportable<C>
void export_stream(std::shared_ptr<const C> container, ArrowArrayStream* out, ExportOptions options = {}) {
    if (container == nullptr) detail::throw_invalid_argument("export_stream(container): the pointer is null");
    detail::ArrowPlan plan = detail::arrow_plan(*container, options);
    detail::export_plan(std::move(plan), std::move(container), out);
}

/// A container that nobody can change any more, to be shared by exports. What its move and the allocation
/// throw is passed on; the container is then as its move left it.
template <class C>
    requires(!std::is_lvalue_reference_v<C>)
std::shared_ptr<const C> freeze(C&& container) {
    return std::make_shared<C>(std::forward<C>(container));
}

SLOTWISE_END

#endif
