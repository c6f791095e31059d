// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "columns.hpp"

#include "huge.hpp"
#include "source.hpp"

#include <slotwise/core/utf8.hpp>

#include <cstdlib>
#include <cstring>

namespace slotwise_python {

namespace {

/// As grow_run(), but the new values are zero. Large blocks of the system are zero already.
template <class T>
void grow_zeroed(T*& data, std::size_t& room, std::size_t to, std::size_t size) {
    if (to <= room) return;
    if (data == nullptr) {
        data = static_cast<T*>(std::calloc(to, size));
        if (data == nullptr) throw std::bad_alloc();
        room = to;
        prefer_huge_pages(data, to * size);
        return;
    }
    const std::size_t from = room;
    grow_run(data, room, to, size);
    std::memset(reinterpret_cast<std::byte*>(data) + from * size, 0, (to - from) * size);
}
template <class T>
bool equal_floats(const void* a, const void* b, std::size_t count) noexcept {
    for (std::size_t i = 0; i != count; ++i) {
        T x, y;
        std::memcpy(&x, static_cast<const T*>(a) + i, sizeof x);
        std::memcpy(&y, static_cast<const T*>(b) + i, sizeof y);
        if (!slotwise::EqualTo()(x, y)) return false;
    }
    return true;
}

} // namespace

//=== whole ===//

void Columns::init(std::shared_ptr<const Schema> schema, std::size_t slot_count) {
    std::vector<Place> places;
    places.reserve(schema->fields().size());
    for (const Field& field : schema->fields()) {
        Place place;
        place.size = field.size();
        place.text = field.is_text();
        place.nullable = field.nullable;
        places.push_back(place);
    }
    schema_ = std::move(schema);
    places_ = std::move(places);
    const std::size_t known = slots_ > slot_count ? slots_ : slot_count; // a default-made one has followed the capacity
    slots_ = 0;
    if (known != 0) grow(known);
}
Columns::Columns(const Columns& other) {
    if (other.schema_ == nullptr) {
        slots_ = other.slots_;
        return;
    }
    init(other.schema_);
    try {
        grow(other.slots_);
    } catch (...) {
        free_all();
        throw;
    }
    try {
        for (std::size_t i = 0; i != places_.size(); ++i) {
            const Place &to = places_[i], &from = other.places_[i];
            if (slots_ == 0) continue;
            if (to.nullable) std::memcpy(to.valid, from.valid, slots_);
            if (!to.text) {
                std::memcpy(to.data, from.data, slots_ * to.size);
                continue;
            }
            for (std::size_t slot = 0; slot != slots_; ++slot)
                if (from.texts()[slot].size() != 0) to.texts()[slot] = from.texts()[slot];
        }
    } catch (...) {
        free_all();
        throw;
    }
}
void Columns::swap(Columns& other) noexcept {
    schema_.swap(other.schema_);
    places_.swap(other.places_);
    std::swap(slots_, other.slots_);
}
void Columns::grow(std::size_t slots) {
    for (Place& place : places_) {
        grow_zeroed(place.data, place.room, slots, place.size);
        if (place.nullable) grow_zeroed(place.valid, place.valid_room, slots, 1);
    }
    slots_ = slots;
}
void Columns::free_all() noexcept {
    for (Place& place : places_) {
        if (place.text)
            for (std::size_t slot = 0; slot != slots_; ++slot) place.texts()[slot] = Text();
        shrink_run(place.data, place.room, 0, place.size);
        shrink_run(place.valid, place.valid_room, 0, 1);
    }
    slots_ = 0;
}
std::size_t Columns::memory_usage() const noexcept {
    std::size_t bytes = places_.capacity() * sizeof(Place);
    for (const Place& place : places_) {
        bytes += place.room * place.size + place.valid_room;
        if (place.text)
            for (std::size_t slot = 0; slot != slots_; ++slot) bytes += place.texts()[slot].memory_usage();
    }
    return bytes;
}

//=== hooks ===//

void Columns::on_capacity(slot_t, slot_t new_slots) {
    if (new_slots >= slots_) return grow(new_slots);
    for (Place& place : places_) {
        if (place.text)
            for (std::size_t slot = new_slots; slot != slots_; ++slot) place.texts()[slot] = Text();
        shrink_run(place.data, place.room, new_slots, place.size);
        shrink_run(place.valid, place.valid_room, new_slots, 1);
    }
    slots_ = new_slots;
}
void Columns::on_clear(Occupancy cleared) noexcept {
    for (const Place& place : places_)
        for_each_run(cleared, [&](Run run) {
            if (place.nullable) std::memset(place.valid + run.first, 0, run.size());
            if (place.text)
                for (std::size_t slot = run.first; slot != run.last; ++slot) place.texts()[slot] = Text();
            else
                std::memset(place.data + run.first * place.size, 0, run.size() * place.size);
        });
}
void Columns::on_reset() noexcept { free_all(); }

//=== rows ===//

void Columns::reset(slot_t slot) noexcept {
    for (const Place& place : places_) {
        if (place.nullable) place.valid[slot] = 0;
        if (place.text)
            place.texts()[slot] = Text();
        else
            std::memset(place.data + slot * place.size, 0, place.size);
    }
}
nb::object Columns::object(slot_t slot) const {
    return schema_->object([&](const Field& field) -> const void* { return valid(field, slot) ? at(field, slot) : nullptr; });
}
bool Columns::equal(slot_t slot, const Columns& other, slot_t other_slot) const noexcept {
    for (const Field& field : schema_->fields()) {
        const bool there = valid(field, slot);
        if (there != other.valid(field, other_slot)) return false;
        if (!there) continue;
        const void *const a = at(field, slot), *const b = other.at(field, other_slot);
        const std::size_t count = field.length == 0 ? 1 : field.length;
        const bool same = field.is_text()               ? *static_cast<const Text*>(a) == *static_cast<const Text*>(b)
                          : field.kind == Kind::float64 ? equal_floats<double>(a, b, count)
                          : field.kind == Kind::float32 ? equal_floats<float>(a, b, count)
                                                        : std::memcmp(a, b, field.size()) == 0;
        if (!same) return false;
    }
    return true;
}

//=== many rows ===//

namespace {

/// Value i of `from` goes to place slots[i] of `to`.
template <class T>
void scatter(std::byte* to, const std::byte* from, std::span<const slot_t> slots) noexcept {
    auto* const values = reinterpret_cast<T*>(to);
    const auto* const given = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i != slots.size(); ++i) values[slots[i]] = given[i];
}
void scatter(std::byte* to, const std::byte* from, std::size_t size, std::span<const slot_t> slots) noexcept {
    switch (size) {
    case 1:
        return scatter<std::uint8_t>(to, from, slots);
    case 2:
        return scatter<std::uint16_t>(to, from, slots);
    case 4:
        return scatter<std::uint32_t>(to, from, slots);
    case 8:
        return scatter<std::uint64_t>(to, from, slots);
    default:
        for (std::size_t i = 0; i != slots.size(); ++i) std::memcpy(to + slots[i] * size, from + i * size, size);
    }
}
/// Whether the slots are consecutive, as those of a load into an empty container are.
bool are_a_run(std::span<const slot_t> slots) noexcept {
    for (std::size_t i = 0; i != slots.size(); ++i)
        if (slots[i] != slots[0] + i) return false;
    return true;
}

} // namespace

void Columns::write(std::span<const slot_t> slots, const Chunk& chunk) {
    if (slots.empty()) return;
    const bool run = are_a_run(slots);
    for (const Field& field : schema_->fields()) {
        const Cells* const cells = chunk.find(field);
        if (cells == nullptr) continue;
        const Place& place = places_[field.number];
        const std::uint8_t* const valid = cells->valid();
        if (place.text) {
            for (std::size_t i = 0; i != slots.size(); ++i)
                place.texts()[slots[i]] = valid == nullptr || valid[i] != 0 ? Text(cells->text(i)) : Text();
        } else if (run)
            std::memcpy(place.data + slots[0] * place.size, cells->values(), slots.size() * place.size);
        else
            scatter(place.data, cells->values(), place.size, slots);
        if (!place.nullable) continue;
        if (valid == nullptr)
            for (const slot_t slot : slots) place.valid[slot] = 1;
        else if (run)
            std::memcpy(place.valid + slots[0], valid, slots.size());
        else
            scatter<std::uint8_t>(reinterpret_cast<std::byte*>(place.valid), reinterpret_cast<const std::byte*>(valid), slots);
    }
}

//=== bytes ===//

// What is saved: a number that says what this is, the schema as a text, the number of rows, and field by field its validity (a byte a
// row), and its values: those of plain columns as they are, those of texts as all sizes (4 bytes) and then all bytes.
namespace {

constexpr std::uint32_t saved_kind = 0x4C43'5753; // "SWCL"

[[noreturn]] void refuse(const char* what) {
    throw std::invalid_argument(std::string("data: the columns of this snapshot are damaged: ") + what);
}
void put(std::byte*& to, const void* from, std::size_t bytes) noexcept {
    if (bytes != 0) std::memcpy(to, from, bytes);
    to += bytes;
}
std::size_t count_of(const std::vector<Run>& runs) noexcept {
    std::size_t rows = 0;
    for (const Run run : runs) rows += run.size();
    return rows;
}
/// Whether every byte is 0 or 1.
bool are_flags(const std::byte* data, std::size_t count) noexcept {
    std::byte all{};
    for (std::size_t i = 0; i != count; ++i) all |= data[i];
    return static_cast<unsigned>(all) <= 1;
}

/// The bytes to be read. @throws std::invalid_argument when there are too few
struct Input {
    std::span<const std::byte> left;
    std::span<const std::byte> take(std::size_t bytes) {
        if (bytes > left.size()) refuse("the bytes end too early");
        const auto taken = left.first(bytes);
        left = left.subspan(bytes);
        return taken;
    }
    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
};

} // namespace

std::size_t Columns::saved_size(Occupancy live) const {
    const std::vector<Run> runs = runs_of(live);
    const std::size_t rows = count_of(runs);
    std::size_t bytes = 4 + 8 + schema_->spelled().size() + 8;
    for (const Place& place : places_) {
        bytes += place.nullable ? rows : 0;
        bytes += rows * (place.text ? 4 : place.size);
        if (place.text)
            for (const Run run : runs)
                for (std::size_t slot = run.first; slot != run.last; ++slot) bytes += place.texts()[slot].size();
    }
    return bytes;
}
std::byte* Columns::save(Occupancy live, std::byte* to) const {
    const std::vector<Run> runs = runs_of(live);
    const std::string schema = schema_->spelled();
    const std::uint64_t size = schema.size(), rows = count_of(runs);
    put(to, &saved_kind, sizeof saved_kind);
    put(to, &size, sizeof size);
    put(to, schema.data(), schema.size());
    put(to, &rows, sizeof rows);
    for (const Place& place : places_) {
        if (place.nullable)
            for (const Run run : runs) put(to, place.valid + run.first, run.size());
        if (!place.text) {
            for (const Run run : runs) put(to, place.data + run.first * place.size, run.size() * place.size);
            continue;
        }
        for (const Run run : runs)
            for (std::size_t slot = run.first; slot != run.last; ++slot) {
                const auto length = static_cast<std::uint32_t>(place.texts()[slot].size());
                put(to, &length, sizeof length);
            }
        for (const Run run : runs)
            for (std::size_t slot = run.first; slot != run.last; ++slot) {
                const std::string_view text = place.texts()[slot].view();
                put(to, text.data(), text.size());
            }
    }
    return to;
}
void Columns::save(Occupancy live, std::vector<std::byte>& out) const {
    const std::size_t before = out.size();
    out.resize(before + saved_size(live));
    save(live, out.data() + before);
}
void Columns::load(Occupancy live, std::span<const std::byte> bytes) {
    const std::vector<Run> runs = runs_of(live);
    const std::size_t rows = count_of(runs);
    Input in{bytes};
    if (in.number<std::uint32_t>() != saved_kind) refuse("they do not begin as they should");
    const auto spelled = in.take(static_cast<std::size_t>(in.number<std::uint64_t>()));
    const std::string_view schema(reinterpret_cast<const char*>(spelled.data()), spelled.size());
    if (schema != schema_->spelled())
        throw std::invalid_argument("data: this snapshot has values of another schema (" + std::string(schema.substr(0, 200)) +
                                    ") than this object (" + schema_->spelled() + ")");
    if (in.number<std::uint64_t>() != rows) refuse("they have another number of rows");
    for (const Field& field : schema_->fields()) {
        const Place& place = places_[field.number];
        if (place.nullable) {
            const auto valid = in.take(rows);
            if (!are_flags(valid.data(), rows)) refuse("a flag is neither 0 nor 1");
            std::size_t at = 0;
            for (const Run run : runs) {
                std::memcpy(place.valid + run.first, valid.data() + at, run.size());
                at += run.size();
            }
        }
        if (!place.text) {
            if (rows > in.left.size() / place.size) refuse("the bytes end too early");
            const auto values = in.take(rows * place.size);
            if (field.kind == Kind::boolean && !are_flags(values.data(), values.size())) refuse("a bool is neither 0 nor 1");
            std::size_t at = 0;
            for (const Run run : runs) {
                std::memcpy(place.data + run.first * place.size, values.data() + at, run.size() * place.size);
                at += run.size() * place.size;
            }
            continue;
        }
        if (rows > in.left.size() / 4) refuse("the bytes end too early");
        const std::byte* size = in.take(rows * 4).data();
        std::uint64_t all = 0;
        for (std::size_t row = 0; row != rows; ++row) {
            std::uint32_t length;
            std::memcpy(&length, size + row * 4, sizeof length);
            all += length;
        }
        if (all > in.left.size()) refuse("the bytes end too early");
        const auto texts = in.take(static_cast<std::size_t>(all));
        const char* text = reinterpret_cast<const char*>(texts.data());
        // Most texts are ASCII, and are asked together: a text that ends inside of a character is found only alone.
        const bool known = field.kind == Kind::bytes || slotwise::detail::is_ascii({text, texts.size()});
        for (const Run run : runs)
            for (std::size_t slot = run.first; slot != run.last; ++slot, size += 4) {
                std::uint32_t length;
                std::memcpy(&length, size, sizeof length);
                const std::string_view view(text, length);
                if (!known && !slotwise::detail::is_utf8(view)) refuse("a text is not UTF-8");
                place.texts()[slot] = Text(view);
                text += length;
            }
    }
    if (!in.left.empty()) refuse("there are more bytes than rows");
}

} // namespace slotwise_python
