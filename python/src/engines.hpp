// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The containers of Series and SeriesSet: type-erased series whose fields are Columns by slot, with the members that keyed.hpp
// asks for.
#ifndef SLOTWISE_PYTHON_ENGINES_HPP
#define SLOTWISE_PYTHON_ENGINES_HPP

#include "keyed.hpp"

#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>

namespace slotwise_python {

using Time = std::int64_t;
inline constexpr Time never = slotwise::TimeTraits<Time>::never();

inline constexpr slotwise::SeriesOptions series_options{.max_slots = most_slots};

/// The value of the erased dictionary is one byte that says nothing: the fields are in Columns.
using SeriesEngine =
    slotwise::BasicAnyTSDStorage<Columns, slotwise::AllocBy<Moving<std::byte>>, slotwise::Options<series_options>>;
using SeriesSetEngine = slotwise::BasicAnyTSSStorage<slotwise::AllocBy<Moving<std::byte>>, slotwise::Options<series_options>>;

using NoValue = unsigned char;
inline constexpr NoValue no_value = 0;

inline Field field_named(const char* name, Kind kind) {
    Field field;
    field.path = name;
    field.kind = kind;
    return field;
}

/// The column "time": when each member was last written (of a set: added).
template <class Engine>
std::optional<ExtraColumn> time_column(const Engine& engine, std::string_view name) {
    if (name != "time") return std::nullopt;
    return ExtraColumn{field_named("time", Kind::int64), engine.capacity() == 0 ? nullptr : engine.times().pages().ptr(0)};
}
/// The codec of keys, and of the byte that stands for a value, with the functions of an AnyCodec: it searches no table of types.
class KeyCodec {
public:
    static bool covers(const slotwise::TypeDescriptor&) noexcept { return true; }
    static std::uint32_t size_check(const slotwise::TypeDescriptor&) noexcept { return 0; }
    static std::uint64_t tag(const slotwise::TypeDescriptor& type) noexcept { return is_text(type) ? 0 : type.size; }
    static void write(const slotwise::TypeDescriptor& type, const void* value, slotwise::ByteWriter& out) {
        if (!is_text(type)) return out.raw(value, type.size);
        const std::string_view text = static_cast<const Text*>(value)->view();
        out.number(static_cast<std::uint32_t>(text.size()));
        out.raw(text.data(), text.size());
    }
    static void read(const slotwise::TypeDescriptor& type, void* to, slotwise::ByteReader& in) {
        const auto bytes = in.raw(is_text(type) ? in.number<std::uint32_t>() : type.size);
        if (is_text(type))
            ::new (to) Text(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        else if (bytes.size() == type.size)
            std::memcpy(to, bytes.data(), bytes.size());
        else
            std::memset(to, 0, type.size);
    }

private:
    static bool is_text(const slotwise::TypeDescriptor& type) noexcept { return &type == &Text::type(); }
};
/// @throws std::invalid_argument when a key that was read from bytes is none of this type
template <class Engine>
void expect_sound_keys(const Engine& engine, const KeyType& type) {
    if (type.is_int()) return; // any number is one
    for (slot_t slot = 0; slot != engine.occupancy().size(); ++slot)
        if (const auto state = engine.state(slot); state == slotwise::SlotState::live || state == slotwise::SlotState::pending)
            if (!type.is_sound(engine.key(slot))) throw std::invalid_argument("snapshot: a key is damaged, or no UTF-8");
}

/// Frees a container at once. Its destructor would notify its columns of each element.
template <class Engine>
void release(Engine& engine) noexcept {
    slotwise::detail::SeriesAccess::state(engine).store().reset();
}

/// The container of a Series.
class SeriesStorage : public SeriesEngine {
public:
    SeriesStorage(std::shared_ptr<const KeyType> keys, std::shared_ptr<const Schema> schema)
        : SeriesEngine(keys->type(), slotwise::TypeDescriptor::of<NoValue>()), key_type_(std::move(keys)) {
        columns().init(std::move(schema));
    }
    SeriesStorage(const SeriesStorage&) = default;
    SeriesStorage(SeriesStorage&&) = default;
    SeriesStorage& operator=(const SeriesStorage&) = default;
    SeriesStorage& operator=(SeriesStorage&&) = default;
    ~SeriesStorage() { release(*this); }
    const set_type& keys() const noexcept { return as_set(); }
    const Columns& columns() const noexcept { return this->template observer<Columns>(); }
    Columns& columns() noexcept { return this->template observer<Columns>(); }
    bool has_value(slot_t slot) const noexcept { return count_valid() == size() || valid_at(slot); }
    bool all_have_values() const noexcept { return count_valid() == size(); }
    std::optional<ExtraColumn> extra(std::string_view name) const { return time_column(*this, name); }
    void add_to(Frame& frame, std::shared_ptr<const void> owner) const {
        frame.add(*key_type_, key_data(*this), occupancy(), owner);
        if (all_have_values()) return frame.add(columns(), occupancy(), std::move(owner));
        const auto slots = slots_with_values();
        for (Field field : columns().schema().fields()) {
            const auto* const data = columns().data(field);
            const auto* const valid = columns().validity(field);
            field.nullable = true;
            frame.gather(field, data, valid, slots);
        }
    }
    /// The slots of members, no_slot for one without a value.
    std::vector<slot_t> slots_with_values() const {
        std::vector<slot_t> slots;
        slots.reserve(size());
        for (const slot_t slot : live_slots()) slots.push_back(valid_at(slot) ? slot : no_slot);
        return slots;
    }

private:
    std::shared_ptr<const KeyType> key_type_;
};

/// The container of a SeriesSet.
class SeriesSetStorage : public SeriesSetEngine {
public:
    SeriesSetStorage(std::shared_ptr<const KeyType> keys, const std::shared_ptr<const Schema>&)
        : SeriesSetEngine(keys->type()), key_type_(std::move(keys)) {}
    SeriesSetStorage(const SeriesSetStorage&) = default;
    SeriesSetStorage(SeriesSetStorage&&) = default;
    SeriesSetStorage& operator=(const SeriesSetStorage&) = default;
    SeriesSetStorage& operator=(SeriesSetStorage&&) = default;
    ~SeriesSetStorage() { release(*this); }
    const set_type& keys() const noexcept { return as_set(); }
    /// Without a schema, and asked for nothing.
    static const Columns& columns() noexcept {
        static const Columns none;
        return none;
    }
    static constexpr bool has_value(slot_t) noexcept { return true; }
    std::optional<ExtraColumn> extra(std::string_view name) const { return time_column(*this, name); }
    void add_to(Frame& frame, std::shared_ptr<const void> owner) const {
        frame.add(*key_type_, key_data(*this), occupancy(), std::move(owner));
    }

private:
    std::shared_ptr<const KeyType> key_type_;
};

template <class C>
inline constexpr bool has_values = std::is_base_of_v<SeriesEngine, C>;

/// A key in an error, without the GIL.
std::string spelled_key(const KeyType& type, const void* key);

} // namespace slotwise_python

#endif
