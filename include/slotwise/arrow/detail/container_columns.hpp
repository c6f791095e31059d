// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The columns of each kind of container: one function a kind, which makes the plan of an export.
#ifndef SLOTWISE_ARROW_DETAIL_CONTAINER_COLUMNS_HPP
#define SLOTWISE_ARROW_DETAIL_CONTAINER_COLUMNS_HPP

#include "../../core/type_descriptor.hpp"
#include "../../keyed/any_storage.hpp"
#include "../../keyed/map_storage.hpp"
#include "../../map/any_slot_map.hpp"
#include "../../map/dense_slot_map.hpp"
#include "../../map/slot_map.hpp"
#include "../../map/soa_slot_map.hpp"
#include "../../rows/soa_struct.hpp"
#include "../../series/any_tsd_storage.hpp"
#include "../../series/any_tss_storage.hpp"
#include "../../series/tsd_storage.hpp"
#include "batch.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Puts a plan of one segment together.
class ArrowPlanner {
public:
    explicit ArrowPlanner(const ExportOptions& options) {
        plan_.options = options;
        plan_.segments.resize(1);
    }
    ArrowSegment& segment() noexcept { return plan_.segments.front(); }
    const ExportOptions& options() const noexcept { return plan_.options; }

    /// The rows are the slots of a container, of which `count` are live.
    void rows_of(Occupancy live, std::size_t count) {
        segment().rows = live.size();
        if (count != live.size()) segment().live = live.words().data(); // else no bit is looked at
    }
    /// The rows are packed.
    void rows_of(std::size_t rows) { segment().rows = rows; }

    void add(ArrowColumn column, ArrowSource source) {
        plan_.columns.push_back(std::move(column));
        segment().sources.push_back(std::move(source));
    }
    /// The columns that values of T make. @param stamped whether they are null where the element was never written
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

    /// The static observers of a container that are columns of the user: column0, column1 ... by the number of the observer.
    /// @param slot_list of packed containers: the slot of each row
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
    /// The column of handles, if it is asked for.
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
    /// The stamps of a series: what was never written is null. @param unset whether there is such an element
    template <class Time>
    void stamps(const ColumnView<const Time>& view, bool unset) {
        segment().stamps = source_of(view);
        if (unset) segment().written = &written<Time>;
        if (options().time) add<Time>("time", segment().stamps, true);
    }

    /// The plan, with the names of the options. @throws std::invalid_argument when they are not as many as the columns
    ArrowPlan take() {
        if (plan_.options.names != nullptr) rename(plan_.options.names);
        plan_.options.names = nullptr; // it may not live as long as the plan
        return std::move(plan_);
    }
    /// @throws std::invalid_argument when the options ask for what the container has not
    void refuse_handles() const {
        if (options().handles) throw_invalid_argument("Arrow export: ExportOptions::handles: the container has no handles");
    }
    void refuse_time() const {
        if (options().time) throw_invalid_argument("Arrow export: ExportOptions::time: the container is no series");
    }

private:
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
    void rename(std::string_view names) {
        std::size_t named = 0;
        const std::size_t last = plan_.columns.size() - (options().handles ? 1 : 0) - (options().time ? 1 : 0);
        for (bool more = true; more; ++named) {
            const std::size_t comma = names.find(',');
            more = comma != std::string_view::npos;
            if (named < last) plan_.columns[named].name = std::string(names.substr(0, comma));
            if (more) names.remove_prefix(comma + 1);
        }
        if (named != last)
            throw_arrow_error("Arrow export: ExportOptions::names has " + std::to_string(named) + " names, and there are " +
                              std::to_string(last) + " columns");
    }

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

/// The plan of a container whose elements lie by slot: what add_own(plan) adds, the columns of the user, the times of a
/// series and the handles.
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
/// What packed slot maps have besides their values.
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
/// Column I of packed rows: value0, value1 ... A tag has none.
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

// The columns of containers whose types are described at run time: those whose id is that of a type that Arrow has.

/// The types that a descriptor may have the id of.
using DescribedColumnTypes = TypeList<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                      unsigned long, long long, unsigned long long, float, double, std::string, Entity>;

/// The column of values of a described type.
/// @throws std::invalid_argument that names the column when the type has no id, or is none that is listed here
inline ArrowColumn described_column(const TypeDescriptor& type, std::string name) {
    ArrowColumn column;
    const auto try_each = [&]<class... Ts>(TypeList<Ts...>) {
        return ((type.id == TypeDescriptor::id_of<Ts>() && (column = arrow_column<Ts>(name), true)) || ...);
    };
    if (!type.id || !try_each(DescribedColumnTypes()))
        throw_arrow_error("Arrow export: column \"" + name +
                          "\": its values are of a type that is described without an id, or "
                          "that is no number, bool, std::string or entity");
    return column;
}
inline void add_described(ArrowPlanner& plan, const char* name, const ConstAnyColumnView& view, bool stamped = false) {
    const AnyPages& pages = view.pages();
    ArrowColumn column = described_column(view.type(), name);
    column.stamped = stamped;
    plan.add(std::move(column), arrow_pages(view.slot_end(), pages.shift, view.type().size,
                                            [&](std::size_t p) { return pages.ptr(p << pages.shift); }));
}

template <class... With>
ArrowPlan arrow_plan(const BasicAnySlotMap<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) { add_described(plan, "value", map.values()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnySetStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_described(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyMapStorage<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) {
        add_described(plan, "key", map.keys());
        add_described(plan, "value", map.values());
    });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSSStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_described(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSDStorage<With...>& dict, const ExportOptions& options) {
    return plan_by_slot<With...>(dict, options, [&](ArrowPlanner& plan) {
        add_described(plan, "key", dict.keys());
        add_described(plan, "value", dict.values(), true);
    });
}

} // namespace detail

SLOTWISE_END

#endif
