// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// export_schema, export_stream, freeze: containers as streams of the Arrow C interface.
#ifndef SLOTWISE_ARROW_EXPORT_HPP
#define SLOTWISE_ARROW_EXPORT_HPP

#include "../core/type_descriptor.hpp"
#include "../keyed/any_storage.hpp"
#include "../keyed/map_storage.hpp"
#include "../map/any_slot_map.hpp"
#include "../map/dense_slot_map.hpp"
#include "../map/slot_map.hpp"
#include "../map/soa_slot_map.hpp"
#include "../rows/soa_struct.hpp"
#include "../series/any_tsd_storage.hpp"
#include "../series/any_tss_storage.hpp"
#include "../series/tsd_storage.hpp"
#include "detail/batch.hpp"

SLOTWISE_BEGIN
namespace detail {

//=== plans of containers ===//

/// Puts together a plan of one segment.
class ArrowPlanner {
public:
    explicit ArrowPlanner(const ExportOptions& options) {
        plan_.options = options;
        plan_.segments.resize(1);
    }
    ArrowSegment& segment() noexcept { return plan_.segments.front(); }
    const ExportOptions& options() const noexcept { return plan_.options; }

    /// Makes a row of each slot of a container. @param count how many are live
    void rows_of(Occupancy live, std::size_t count);
    /// Makes packed rows.
    void rows_of(std::size_t rows) { segment().rows = rows; }

    void add(ArrowColumn column, ArrowSource source) {
        plan_.columns.push_back(std::move(column));
        segment().sources.push_back(std::move(source));
    }
    /// Adds the columns of values of T. @param stamped whether they are null where the element was never written
    template <class T>
    void add(const char* name, const ArrowSource& source, bool stamped = false) {
        for_each_arrow_column<T>(name, [&](ArrowColumn column) {
            column.stamped = stamped;
            add(std::move(column), source);
        });
    }
    template <class T>
    void add(const char* name, const ColumnView<const T>& view, bool stamped = false) {
        add<T>(name, source_of(view), stamped);
    }
    template <class T>
    static ArrowSource source_of(const ColumnView<const T>& view) {
        const auto pages = view.pages();
        return arrow_pages(pages.shift, pages.pages);
    }

    /// Adds the static observers of a container that are columns of the user: column0, column1 ... by the number of the
    /// observer.
    /// @param slot_list the slot of each row, if rows are packed
    template <class... With, class C>
    void add_further(const C& container, const std::shared_ptr<const std::vector<slot_t>>& slot_list = nullptr) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (add_observer<Nth>(container, slot_list), ...);
        }(std::make_index_sequence<((Argument<With>::name == no_name ? 1 : 0) + ... + 0)>());
    }
    template <std::size_t Nth, class C>
    void add_observer(const C& container, const std::shared_ptr<const std::vector<slot_t>>& slot_list) {
        using Observer = std::remove_cvref_t<decltype(container.template observer<Nth>())>;
        if constexpr (requires(const Observer& o) {
                          typename Observer::value_type;
                          o.pages();
                      }) {
            using T = typename Observer::value_type;
            const Observer& observer = container.template observer<Nth>();
            const auto pages = observer.pages();
            ArrowSource source = arrow_pages(pages.shift, pages.pages);
            source.slot_list = slot_list;
            const std::string name = "column" + std::to_string(Nth);
            add<T>(name.c_str(), source);
        }
    }
    /// Adds the column of handles, if the options ask for it.
    template <class C>
    void add_handles(const C& container, const std::shared_ptr<const std::vector<slot_t>>& slot_list = nullptr) {
        if (!options().handles) return;
        ArrowColumn column = arrow_column<std::uint64_t>("handle");
        column.shares = false;
        column.gather = &ArrowHandles<C>::gather;
        ArrowSource source;
        source.container = &container;
        source.slot_list = slot_list;
        add(std::move(column), std::move(source));
    }
    /// Takes the times of a series: what was never written is null. @param unset whether there is such an element
    template <class Time>
    void stamps(const ColumnView<const Time>& view, bool unset) {
        segment().stamps = source_of(view);
        if (unset) segment().written = &written<Time>;
        if (options().time) add<Time>("time", segment().stamps, true);
    }

    /// The plan, with the names of the options. @throws std::invalid_argument when there are not as many names as columns
    ArrowPlan take() {
        if (plan_.options.names != nullptr) rename(plan_.options.names);
        plan_.options.names = nullptr; // it may not live as long as the plan
        return std::move(plan_);
    }
    /// @throws std::invalid_argument when the options ask for what the container lacks
    void refuse_handles() const {
        if (options().handles) throw_invalid_argument("Arrow export: ExportOptions::handles: the container has no handles");
    }
    void refuse_time() const {
        if (options().time) throw_invalid_argument("Arrow export: ExportOptions::time: the container is no series");
    }

private:
    /// As ArrowSegment::written.
    template <class Time>
    static std::size_t written(const ArrowSource& stamps, const ArrowRows& rows, std::byte* bitmap) {
        std::size_t count = 0;
        const auto one = [&](std::size_t row, std::size_t place) {
            Time time;
            std::memcpy(&time, stamps.at(row), sizeof time);
            if (time == TimeTraits<Time>::never()) return;
            set_arrow_bit(bitmap, place);
            ++count;
        };
        rows.walk(
            [&](std::size_t row, std::size_t place, std::size_t n) {
                for (std::size_t i = 0; i != n; ++i) one(row + i, place + i);
            },
            one);
        return count;
    }
    /// Gives the columns but handle and time these names, which are separated by commas.
    void rename(std::string_view names);

    ArrowPlan plan_{};
};

/// The slot of each row of a packed container.
template <class C>
std::shared_ptr<const std::vector<slot_t>> slots_of_rows(const C& map) {
    auto slot_list = std::make_shared<std::vector<slot_t>>();
    slot_list->reserve(map.size());
    for (std::size_t row = 0; row != map.size(); ++row) slot_list->push_back(map.handle_of_row(row).index());
    return slot_list;
}

/// The plan of a container whose elements are by slot: the columns that add_own(plan) adds, the columns of the user, the times
/// of a series and the handles.
template <class... With, class C, class AddOwn>
ArrowPlan plan_by_slot(const C& container, const ExportOptions& options, AddOwn&& add_own) {
    constexpr bool is_stamped = requires { container.stamps(); };
    ArrowPlanner plan(options);
    if constexpr (!is_stamped) plan.refuse_time();
    plan.rows_of(container.occupancy(), container.size());
    add_own(plan);
    plan.template add_further<With...>(container);
    if constexpr (is_stamped) plan.stamps(container.stamps(), container.count_valid() != container.size());
    plan.add_handles(container);
    return plan.take();
}
template <class T, class... With>
ArrowPlan arrow_plan(const SlotMap<T, With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) { plan.add<T>("value", map.values()); });
}
/// Adds what packed slot maps have besides their values.
template <class... With, class C>
void add_by_slot(ArrowPlanner& plan, const C& map) {
    constexpr bool further = ((Argument<With>::name == no_name) || ...);
    const auto slot_list = further || plan.options().handles ? slots_of_rows(map) : nullptr;
    plan.template add_further<With...>(map, slot_list);
    plan.add_handles(map, slot_list);
}
template <class T, class... With>
ArrowPlan arrow_plan(const DenseSlotMap<T, With...>& map, const ExportOptions& options) {
    ArrowPlanner plan(options);
    plan.refuse_time();
    plan.rows_of(map.size());
    plan.template add<T>("value", arrow_span(map.values().data()));
    add_by_slot<With...>(plan, map);
    return plan.take();
}
/// Adds column Nth of packed rows: value0, value1 ... A tag has none.
template <std::size_t Nth, class T, class C>
void add_member(ArrowPlanner& plan, const C& rows, const std::string& name = "value" + std::to_string(Nth)) {
    if constexpr (!(std::is_empty_v<T> && std::is_trivially_copyable_v<T>))
        plan.template add<T>(name.c_str(), arrow_span(rows.template column<Nth>().data()));
}
template <class... Ts, class... With>
ArrowPlan arrow_plan(const BasicSoaSlotMap<Members<Ts...>, With...>& map, const ExportOptions& options) {
    ArrowPlanner plan(options);
    plan.refuse_time();
    plan.rows_of(map.size());
    [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
        (add_member<Nth, Ts>(plan, map), ...);
    }(std::index_sequence_for<Ts...>());
    add_by_slot<With...>(plan, map);
    return plan.take();
}
template <class... Ts, class... With>
ArrowPlan arrow_plan(const BasicSoaVector<Members<Ts...>, With...>& rows, const ExportOptions& options) {
    ArrowPlanner plan(options);
    plan.refuse_time();
    plan.refuse_handles();
    plan.rows_of(rows.size());
    [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
        (add_member<Nth, Ts>(plan, rows), ...);
    }(std::index_sequence_for<Ts...>());
    return plan.take();
}

/// The name of a member, as the compiler writes it: "x" of &Point::x.
template <auto M>
constexpr std::string_view member_name() noexcept {
    std::string_view text = text_with_name<Fields<M>>(); // ... slotwise::Fields<&Point::x>]
    text = text.substr(0, text.rfind('>'));
    while (!text.empty() && (text.back() == ')' || text.back() == ' ')) text.remove_suffix(1);
    return text.substr(text.rfind(':') + 1);
}
template <auto... Ms, class... With>
ArrowPlan arrow_plan(const BasicSoaStruct<Fields<Ms...>, With...>& rows, const ExportOptions& options) {
    ArrowPlanner plan(options);
    plan.refuse_time();
    plan.refuse_handles();
    plan.rows_of(rows.size());
    using Types = std::tuple<typename member_pointer<Ms>::type...>;
    const std::string_view names[] = {member_name<Ms>()...};
    [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
        (add_member<Nth, std::tuple_element_t<Nth, Types>>(plan, rows, std::string(names[Nth])), ...);
    }(std::make_index_sequence<sizeof...(Ms)>());
    return plan.take();
}
template <class Key, class... With>
ArrowPlan arrow_plan(const SetStorage<Key, With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { plan.add<Key>("key", set.keys()); });
}
template <class Key, class T, class... With>
ArrowPlan arrow_plan(const MapStorage<Key, T, With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) {
        plan.add<Key>("key", map.keys());
        plan.add<T>("value", map.values());
    });
}
template <class Key, class... With>
ArrowPlan arrow_plan(const TSSStorage<Key, With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { plan.add<Key>("key", set.keys()); });
}
template <class Key, class T, class... With>
ArrowPlan arrow_plan(const TSDStorage<Key, T, With...>& dict, const ExportOptions& options) {
    return plan_by_slot<With...>(dict, options, [&](ArrowPlanner& plan) {
        plan.add<Key>("key", dict.as_map().keys());
        plan.add<T>("value", dict.values(), true);
    });
}

//=== plans of type-erased containers ===//

/// The column of type-erased values.
/// @throws std::invalid_argument that names the column when the type has no id, or is none of AnyColumnTypes
ArrowColumn any_column(const TypeDescriptor& type, std::string name);
/// Adds the column of type-erased values.
void add_any(ArrowPlanner& plan, const char* name, const ConstAnyColumnView& view, bool stamped = false);

template <class... With>
ArrowPlan arrow_plan(const BasicAnySlotMap<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) { add_any(plan, "value", map.values()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnySetStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_any(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyMapStorage<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) {
        add_any(plan, "key", map.keys());
        add_any(plan, "value", map.values());
    });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSSStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_any(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSDStorage<With...>& dict, const ExportOptions& options) {
    return plan_by_slot<With...>(dict, options, [&](ArrowPlanner& plan) {
        add_any(plan, "key", dict.keys());
        add_any(plan, "value", dict.values(), true);
    });
}

//=== streams ===//

/// All batches of a plan, made in advance.
class CopiedBatches {
public:
    /// @throws as ArrowBatcher::next
    explicit CopiedBatches(ArrowPlan plan);
    void make_schema(ArrowSchema* out) const { batcher_.make_schema(out); }
    /// The next batch, or a released one at the end.
    OwnedArray next() noexcept { return given_ == batches_.size() ? OwnedArray() : std::move(batches_[given_++]); }

private:
    ArrowBatcher batcher_;
    std::vector<OwnedArray> batches_{};
    std::size_t given_ = 0;
};

/// Makes the stream of a plan. @param owner of the memory that batches share; null: everything is copied now
void export_plan(ArrowPlan plan, std::shared_ptr<const void> owner, ArrowArrayStream* out);

/// A container that can be exported.
template <class C>
concept ArrowExportable = requires(const C& c, const ExportOptions& options) { detail::arrow_plan(c, options); };

} // namespace detail

/// The schema of an export: that of the batches of export_stream(container, ..., options). Columns come in this order:
///     key    of sets, maps and series
///     value  of slot maps, maps and dictionaries; value0, value1 ... of the members of rows, by name those of a SoaStruct
///     column0, column1 ... the columns of the user, by the number of the static observer
///     time   of series, if the options ask for it
///     handle if the options ask for it
/// A struct with ArrowFields makes a column for each field instead, with the field's name. The schema declares nulls for all
/// columns with Rows::all_slots, and for columns of a series that may lack a value.
/// @throws std::invalid_argument when the options ask for times or handles that the container lacks, or do not have as many
/// names as there are columns; std::bad_alloc
template <class C>
    requires detail::ArrowExportable<C>
void export_schema(const C& container, ArrowSchema* out, ExportOptions options = {}) {
    detail::make_schema(detail::arrow_plan(container, options), out);
}

/// The container as a stream of batches, copied now: container and stream do not depend on each other afterwards. Elements come
/// in slot order, rows of packed containers in their order. An element that is removed and still readable has no row. An empty
/// container makes a schema and no batch. `out` is overwritten and owned by the caller.
/// @throws as export_schema; std::length_error if one text has 2 GiB or more; what allocation throws
/// @complexity linear in rows and slots / 64
template <class C>
    requires detail::ArrowExportable<C>
void export_stream(const C& container, ArrowArrayStream* out, ExportOptions options = {}) {
    detail::export_plan(detail::arrow_plan(container, options), nullptr, out);
}

/// The same without a copy where that is possible: a column of numbers, times or handles is the container's own memory, in
/// batches of at least ExportOptions::least_shared adjacent live elements. Shorter runs are gathered, and so are bools, texts,
/// members of structs and by-slot columns of packed slot maps. Batches are made when get_next() asks for them. The stream and
/// the batches that share memory keep the container alive, and any thread may release them. get_next() reports ENOMEM or
/// EINVAL, with a text.
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

/// Makes a container that nobody can change any more, to be shared by exports. Passes on what the move and the allocation
/// throw; the container is then as its move left it.
template <class C>
    requires(!std::is_lvalue_reference_v<C>)
std::shared_ptr<const C> freeze(C&& container) {
    return std::make_shared<C>(std::forward<C>(container));
}

SLOTWISE_END

#if SLOTWISE_BODIES
#include "export.inl.hpp"
#endif

#endif
