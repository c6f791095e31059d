// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "frame.hpp"

#include <slotwise/arrow/detail/exported_structs.hpp>
#include <slotwise/arrow/py_capsule.hpp>

#include "parts.hpp"
#include "whole.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace slotwise_python {

namespace {

/// The run that live slots are, or nothing when they have holes.
std::optional<Run> one_run(const Occupancy& live) {
    const slot_t first = live.find_next(0);
    if (first == no_slot) return Run{};
    const std::size_t count = live.count();
    const std::size_t last = std::size_t{live.find_previous(live.size())} + 1;
    if (last - first != count) return std::nullopt;
    return Run{first, last};
}

struct LiveSlots {
    const Occupancy& live;
    template <class F>
    void operator()(F&& f) const {
        for_each_run(live, [&](Run run) { f(run.first, run.size()); });
    }
};
struct ListedSlots {
    std::span<const slot_t> slots;
    template <class F>
    void operator()(F&& f) const {
        for (const slot_t slot : slots) f(slot == no_slot ? Field::none : std::size_t{slot}, std::size_t{1});
    }
};

void copy_values(std::byte* to, const std::byte* from, std::size_t bytes) {
    switch (bytes) { // a constant size is one move
    case 1:
        std::memcpy(to, from, 1);
        break;
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 8:
        std::memcpy(to, from, 8);
        break;
    default:
        std::memcpy(to, from, bytes);
    }
}

} // namespace

void Frame::push(Column column, std::size_t rows) {
    if (!columns_.empty() && rows != rows_) throw std::invalid_argument("frame: columns of different lengths");
    rows_ = rows;
    columns_.push_back(std::move(column));
}

void Frame::add(const Field& field, const void* values, const std::uint8_t* valid, std::size_t rows,
                std::shared_ptr<const void> owner) {
    if (valid != nullptr && (rows == 0 || std::memchr(valid, 0, rows) == nullptr)) valid = nullptr;
    push({field, values, valid, std::move(owner), nullptr, nullptr}, rows);
}

template <class Slots>
void Frame::gather_rows(const Field& field, const void* values, const std::uint8_t* valid, std::size_t rows,
                        const Slots& each_slot) {
    struct Memory {
        std::unique_ptr<std::byte[]> values;
        std::unique_ptr<std::uint8_t[]> valid;
    };
    Column column{field, nullptr, nullptr, nullptr, nullptr, nullptr};
    auto memory = std::make_shared<Memory>();
    bool any_null = false;
    std::size_t row = 0;
    // A byte for each row, where one can be null.
    std::unique_ptr<std::uint8_t[]> nulls(new std::uint8_t[rows + 1]);
    each_slot([&](std::size_t slot, std::size_t count) {
        if (slot == Field::none) {
            nulls[row] = 0;
            any_null = true;
        } else if (valid == nullptr)
            std::memset(nulls.get() + row, 1, count);
        else {
            std::memcpy(nulls.get() + row, valid + slot, count);
            any_null = any_null || std::memchr(valid + slot, 0, count) != nullptr;
        }
        row += count;
    });
    row = 0;
    if (field.is_text()) {
        const auto* const texts = static_cast<const Text*>(values);
        auto offsets = std::make_shared<std::vector<std::int64_t>>(rows + 1);
        auto bytes = std::make_shared<std::string>();
        each_slot([&](std::size_t slot, std::size_t count) {
            for (std::size_t i = 0; i != count; ++i) {
                if (nulls[row] != 0) bytes->append(texts[slot + i].view());
                (*offsets)[++row] = static_cast<std::int64_t>(bytes->size());
            }
        });
        column.offsets = std::move(offsets);
        column.bytes = std::move(bytes);
    } else {
        const std::size_t size = field.size();
        const auto* const from = static_cast<const std::byte*>(values);
        memory->values.reset(new std::byte[rows * size + 1]);
        std::byte* to = memory->values.get();
        each_slot([&](std::size_t slot, std::size_t count) {
            if (slot == Field::none)
                std::memset(to, 0, size);
            else if (count == 1)
                copy_values(to, from + slot * size, size);
            else
                std::memcpy(to, from + slot * size, count * size);
            to += count * size;
        });
        column.values = memory->values.get();
    }
    if (any_null) {
        memory->valid = std::move(nulls);
        column.valid = memory->valid.get();
    }
    column.owner = std::move(memory);
    push(std::move(column), rows);
}

void Frame::gather(const Field& field, const void* values, const std::uint8_t* valid, std::span<const slot_t> slots) {
    gather_rows(field, values, valid, slots.size(), ListedSlots{slots});
}
void Frame::add(const Columns& columns, Occupancy live, std::shared_ptr<const void> owner) {
    const auto run = owner == nullptr ? std::nullopt : one_run(live);
    const std::size_t rows = run ? run->size() : live.count();
    for (const Field& field : columns.schema().fields()) {
        const std::byte* const values = columns.data(field);
        const std::uint8_t* const valid = columns.validity(field);
        if (run)
            add(field, rows == 0 ? nullptr : values + run->first * field.size(),
                valid == nullptr || rows == 0 ? nullptr : valid + run->first, rows, owner);
        else
            gather_rows(field, values, valid, rows, LiveSlots{live});
    }
}
void Frame::gather(const Columns& columns, std::span<const slot_t> slots) {
    for (const Field& field : columns.schema().fields()) gather(field, columns.data(field), columns.validity(field), slots);
}

template <class Slots>
void Frame::gather_parts(const KeyType& type, const void* keys, std::size_t rows, const Slots& each_slot) {
    const auto* const texts = static_cast<const Text*>(keys);
    const std::size_t parts = type.fields().size();
    struct Part {
        std::shared_ptr<std::vector<std::uint64_t>> numbers;
        std::shared_ptr<std::vector<std::int64_t>> offsets;
        std::shared_ptr<std::string> bytes;
    };
    std::vector<Part> made(parts);
    for (std::size_t i = 0; i != parts; ++i)
        if (type.fields()[i].is_text()) {
            made[i].offsets = std::make_shared<std::vector<std::int64_t>>(1);
            made[i].offsets->reserve(rows + 1);
            made[i].bytes = std::make_shared<std::string>();
        } else {
            made[i].numbers = std::make_shared<std::vector<std::uint64_t>>();
            made[i].numbers->reserve(rows);
        }
    struct Take {
        std::vector<Part>& made;
        void operator()(std::size_t i, const void* number) const {
            std::uint64_t value;
            std::memcpy(&value, number, sizeof value);
            made[i].numbers->push_back(value);
        }
        void operator()(std::size_t i, std::string_view text) const {
            made[i].bytes->append(text);
            made[i].offsets->push_back(static_cast<std::int64_t>(made[i].bytes->size()));
        }
    };
    each_slot([&](std::size_t slot, std::size_t count) {
        for (std::size_t n = 0; n != count; ++n) {
            if (slot == Field::none) throw std::invalid_argument("frame: a key at no slot");
            type.unpack(texts[slot + n].view(), Take{made});
        }
    });
    for (std::size_t i = 0; i != parts; ++i) {
        Column column{type.fields()[i], nullptr, nullptr, nullptr, made[i].offsets, made[i].bytes};
        if (made[i].numbers != nullptr) {
            column.values = made[i].numbers->data();
            column.owner = made[i].numbers;
        }
        push(std::move(column), rows);
    }
}
void Frame::add(const KeyType& type, const void* keys, Occupancy live, std::shared_ptr<const void> owner) {
    if (type.is_tuple()) return gather_parts(type, keys, live.count(), LiveSlots{live});
    const Field& field = type.fields()[0];
    if (const auto run = owner == nullptr ? std::nullopt : one_run(live))
        return add(field, run->size() == 0 ? nullptr : static_cast<const std::byte*>(keys) + run->first * field.size(), nullptr,
                   run->size(), std::move(owner));
    gather_rows(field, keys, nullptr, live.count(), LiveSlots{live});
}
void Frame::gather(const KeyType& type, const void* keys, std::span<const slot_t> slots) {
    if (type.is_tuple()) return gather_parts(type, keys, slots.size(), ListedSlots{slots});
    gather(type.fields()[0], keys, nullptr, slots);
}

// ---------------------------------------------------------------------------------------------------------------- NumPy

namespace {

nb::object numpy_module() { return nb::module_::import_("numpy"); }
nb::object bytes_array(const void* data, std::size_t size, std::shared_ptr<const void> owner) {
    return to_array(static_cast<const std::uint8_t*>(data), size, std::move(owner));
}

} // namespace

nb::object Frame::array_of(const Column& column) const {
    const Field& field = column.field;
    nb::object array;
    if (field.is_text()) {
        array = numpy_module().attr("empty")(rows_, nb::str("O"));
        nb::list values = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(rows_)));
        if (!values.is_valid()) raise_again();
        for (std::size_t row = 0; row != rows_; ++row) {
            PyObject* value = nullptr;
            if (column.valid != nullptr && column.valid[row] == 0)
                value = Py_NewRef(Py_None);
            else {
                const std::string_view text = column.text(row);
                const auto size = static_cast<Py_ssize_t>(text.size());
                value = field.kind == Kind::text ? PyUnicode_DecodeUTF8(text.data(), size, nullptr)
                                                 : PyBytes_FromStringAndSize(text.data(), size);
            }
            if (value == nullptr) raise_again();
            PyList_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(row), value);
        }
        array[nb::slice(nb::none(), nb::none(), nb::none())] = values;
        array.attr("flags").attr("writeable") = false;
    } else {
        // A column without rows has no memory: views of it need an address.
        static const std::uint64_t nothing = 0;
        const void* const data = rows_ == 0 ? &nothing : column.values;
        const std::size_t items = field.length == 0 ? 1 : field.length;
        array = bytes_array(data, rows_ * field.size(), column.owner).attr("view")(nb::str(field.dtype().c_str()));
        if (field.length != 0) array = array.attr("reshape")(rows_, items);
    }
    if (!field.nullable) return array;
    // The mask is NumPy's own: it says where a value is null.
    nb::object mask;
    if (column.valid == nullptr)
        mask = numpy_module().attr("zeros")(nb::object(array.attr("shape")), nb::str("?"));
    else {
        std::vector<std::uint8_t> nulls(rows_ * (field.length == 0 ? 1 : field.length));
        const std::size_t items = field.length == 0 ? 1 : field.length;
        for (std::size_t row = 0; row != rows_; ++row) std::memset(nulls.data() + row * items, column.valid[row] == 0, items);
        mask = to_array(std::move(nulls)).attr("view")(nb::str("?")).attr("reshape")(nb::object(array.attr("shape")));
    }
    return nb::module_::import_("numpy.ma").attr("MaskedArray")(array, mask);
}
nb::dict Frame::numpy() const {
    nb::dict arrays;
    for (const Column& column : columns_)
        arrays[nb::str(column.field.path.data(), column.field.path.size())] = array_of(column);
    return arrays;
}
nb::object Frame::numpy(std::string_view path) const {
    std::string known;
    for (const Column& column : columns_) {
        if (column.field.path == path) return array_of(column);
        known += (known.empty() ? "'" : ", '") + column.field.path + "'";
    }
    raise(PyExc_KeyError, "there is no column '" + std::string(path) + "'; it has " + (known.empty() ? "none" : known));
}

nb::list Frame::head(std::size_t count) const {
    nb::list columns;
    for (const Column& column : columns_) {
        const Field& field = column.field;
        nb::list values;
        for (std::size_t row = 0; row != std::min(count, rows_); ++row) {
            if (column.valid != nullptr && column.valid[row] == 0) {
                values.append(nb::none());
            } else if (field.is_text()) {
                const BorrowedText text(column.text(row));
                values.append(leaf_object(field, &text.text()));
            } else
                values.append(leaf_object(field, static_cast<const std::byte*>(column.values) + row * field.size()));
        }
        columns.append(nb::make_tuple(nb::str(field.path.data(), field.path.size()), field.spelled(), values));
    }
    return columns;
}

// ---------------------------------------------------------------------------------------------------------------- Arrow

namespace {

using slotwise::detail::ArrowChildren;

/// What an array owns: its buffers, the memory behind them that it has made, and its children.
struct ArrayNode {
    std::array<const void*, 4> buffers{};
    std::shared_ptr<const void> owner, made, bitmap;
    ArrowChildren<ArrowArray> children{0};
    explicit ArrayNode(std::size_t count) : children(count) {}
};
ArrowArray give(std::unique_ptr<ArrayNode> node, std::size_t rows, std::size_t nulls, std::int64_t buffers,
                std::size_t children) {
    ArrowArray array{};
    array.length = static_cast<std::int64_t>(rows);
    array.null_count = static_cast<std::int64_t>(nulls);
    array.n_buffers = buffers;
    array.buffers = node->buffers.data();
    array.n_children = static_cast<std::int64_t>(children);
    array.children = node->children.list();
    array.release = &slotwise::detail::release_node<ArrayNode, ArrowArray>;
    array.private_data = node.release();
    return array;
}

template <class T>
std::shared_ptr<T[]> make_array(std::size_t count) {
    return std::shared_ptr<T[]>(new T[count + 1]);
}

/// A bit for each byte, which is 0 or 1. @return how many are 0
std::size_t bytes_to_bits(const std::uint8_t* bytes, std::size_t count, std::uint8_t* bits) {
    std::size_t ones = 0, done = 0;
#ifdef __SSE2__ // 0.06 ms for a million, by words 0.25
    __m128i sums = _mm_setzero_si128();
    for (; count - done >= 16; done += 16) {
        const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + done));
        const auto mask = static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_slli_epi16(sixteen, 7)));
        std::memcpy(bits + done / 8, &mask, 2);
        sums = _mm_add_epi64(sums, _mm_sad_epu8(sixteen, _mm_setzero_si128()));
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &sums, sizeof halves);
    ones = halves[0] + halves[1];
#endif
    for (; count - done >= 8; done += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, bytes + done, 8);
        ones += (eight * 0x0101'0101'0101'0101u) >> 56;
        if constexpr (std::endian::native == std::endian::little)
            eight = (eight * 0x0102'0408'1020'4080u) >> 56; // gathers the lowest bits of the bytes
        else
            eight = (eight * 0x8040'2010'0804'0201u) >> 56;
        bits[done / 8] = static_cast<std::uint8_t>(eight);
    }
    if (done != count) bits[done / 8] = 0;
    for (; done != count; ++done) {
        bits[done / 8] = static_cast<std::uint8_t>(bits[done / 8] | bytes[done] << done % 8);
        ones += bytes[done];
    }
    return count - ones;
}
std::shared_ptr<std::uint8_t[]> bits_of(const std::uint8_t* bytes, std::size_t count, std::size_t& zeros) {
    auto bits = make_array<std::uint8_t>(count / 8 + 64);
    zeros = bytes_to_bits(bytes, count, bits.get());
    return bits;
}

const char* format_of(const Field& field) {
    const auto of_unit = [&](const char* ns, const char* us, const char* ms, const char* s) {
        return field.unit == "ns" ? ns : field.unit == "us" ? us : field.unit == "ms" ? ms : s;
    };
    switch (field.kind) {
    case Kind::boolean:
        return "b";
    case Kind::int8:
        return "c";
    case Kind::int16:
        return "s";
    case Kind::int32:
        return "i";
    case Kind::int64:
        return "l";
    case Kind::uint8:
        return "C";
    case Kind::uint16:
        return "S";
    case Kind::uint32:
        return "I";
    case Kind::uint64:
        return "L";
    case Kind::float32:
        return "f";
    case Kind::float64:
        return "g";
    case Kind::datetime:
        return field.unit == "D" ? "tdD" : of_unit("tsn:", "tsu:", "tsm:", "tss:");
    case Kind::timedelta:
        return of_unit("tDn", "tDu", "tDm", "tDs"); // Arrow counts no days: they are seconds
    case Kind::text:
        return "U";
    default:
        return "Z";
    }
}

/// A level of the tree that nested paths are.
struct Branch {
    std::string name;
    std::size_t column = Field::none; // of a leaf
    std::vector<Branch> children;
};
void add_branch(std::vector<Branch>& level, std::string_view path, std::size_t column) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (dot == std::string_view::npos) {
        level.push_back({std::string(name), column, {}});
        return;
    }
    for (Branch& each : level)
        if (each.name == name && each.column == Field::none) return add_branch(each.children, path.substr(dot + 1), column);
    level.push_back({std::string(name), Field::none, {}});
    add_branch(level.back().children, path.substr(dot + 1), column);
}

} // namespace

/// The one batch of a frame, as ArrowStream asks for batches.
class Batches {
public:
    Batches(std::shared_ptr<const Frame> frame, std::vector<std::pair<std::string, std::string>> metadata)
        : frame_(std::move(frame)), metadata_(std::move(metadata)) {
        for (std::size_t i = 0; i != frame_->columns_.size(); ++i) {
            add_branch(branches_, frame_->columns_[i].field.path, i);
            formats_.push_back(format_of(frame_->columns_[i].field));
        }
    }
    void make_schema(ArrowSchema* out) const {
        ArrowSchema schema = slotwise::detail::make_schema("+s", "", 0, metadata_, branches_.size());
        slotwise::OwnedSchema owned(&schema);
        for (std::size_t i = 0; i != branches_.size(); ++i) *owned->children[i] = schema_of(branches_[i]);
        owned.move_to(out);
    }
    slotwise::OwnedArray next() {
        if (done_) return {};
        auto node = std::make_unique<ArrayNode>(branches_.size());
        for (std::size_t i = 0; i != branches_.size(); ++i) *node->children.list()[i] = array_of(branches_[i]);
        ArrowArray batch = give(std::move(node), frame_->rows(), 0, 1, branches_.size());
        done_ = true;
        return slotwise::OwnedArray(&batch);
    }
    /// Takes those columns in the order of `wanted`, and texts in the forms that it names.
    /// @throws ValueError for what it cannot give
    void request(const ArrowSchema& wanted);

private:
    ArrowSchema schema_of(const Branch& branch) const {
        if (branch.column == Field::none) {
            ArrowSchema schema = slotwise::detail::make_schema("+s", branch.name, 0, {}, branch.children.size());
            slotwise::OwnedSchema owned(&schema);
            for (std::size_t i = 0; i != branch.children.size(); ++i) *owned->children[i] = schema_of(branch.children[i]);
            owned.move_to(&schema);
            return schema;
        }
        const Field& field = frame_->columns_[branch.column].field;
        // A NaT is null in Arrow, whether the field is nullable or not.
        const std::int64_t flags = field.nullable || (field.is_time() && field.length == 0) ? ARROW_FLAG_NULLABLE : 0;
        if (field.length == 0) return slotwise::detail::make_schema(formats_[branch.column], branch.name, flags, {}, 0);
        ArrowSchema schema = slotwise::detail::make_schema(list_format(field.length), branch.name, flags, {}, 1);
        slotwise::OwnedSchema owned(&schema);
        *owned->children[0] =
            slotwise::detail::make_schema(formats_[branch.column], "item", field.is_time() ? ARROW_FLAG_NULLABLE : 0, {}, 0);
        owned.move_to(&schema);
        return schema;
    }
    static const char* list_format(std::uint32_t length);
    static const std::uint8_t* without_nat(const Frame::Column& column, const std::uint8_t* valid, std::size_t count,
                                           std::vector<std::uint8_t>& memory);
    ArrowArray array_of(const Branch& branch) const {
        if (branch.column != Field::none) return array_of(frame_->columns_[branch.column], formats_[branch.column]);
        auto node = std::make_unique<ArrayNode>(branch.children.size());
        for (std::size_t i = 0; i != branch.children.size(); ++i) *node->children.list()[i] = array_of(branch.children[i]);
        return give(std::move(node), frame_->rows(), 0, 1, branch.children.size());
    }
    ArrowArray array_of(const Frame::Column& column, std::string_view format) const;
    void texts(const Frame::Column& column, std::string_view format, ArrayNode& node) const;

    std::shared_ptr<const Frame> frame_;
    std::vector<std::pair<std::string, std::string>> metadata_;
    std::vector<Branch> branches_;
    std::vector<const char*> formats_; // of columns
    bool done_ = false;
};

/// `valid`, a byte a row, without rows that are NaT: Arrow has no such time, and its readers would show one of 1677.
const std::uint8_t* Batches::without_nat(const Frame::Column& column, const std::uint8_t* valid, std::size_t count,
                                         std::vector<std::uint8_t>& memory) {
    if (!column.field.is_time() || column.values == nullptr) return valid;
    const auto* const times = static_cast<const std::int64_t*>(column.values);
    bool any = false;
    for (std::size_t i = 0; i != count; ++i) any |= times[i] == not_a_time;
    if (!any) return valid;
    memory.resize(count);
    for (std::size_t i = 0; i != count; ++i) memory[i] = times[i] != not_a_time && (valid == nullptr || valid[i] != 0);
    return memory.data();
}

const char* Batches::list_format(std::uint32_t length) {
    // Formats live as long as the process, of which there are few. The GIL need not be held here.
    static std::mutex mutex;
    static auto& known = *new std::vector<std::pair<std::uint32_t, std::unique_ptr<std::string>>>(); // never destroyed
    const std::lock_guard held(mutex);
    for (const auto& [of, text] : known)
        if (of == length) return text->c_str();
    known.emplace_back(length, std::make_unique<std::string>("+w:" + std::to_string(length)));
    return known.back().second->c_str();
}

ArrowArray Batches::array_of(const Frame::Column& column, std::string_view format) const {
    const std::size_t rows = frame_->rows();
    const Field& field = column.field;
    auto node = std::make_unique<ArrayNode>(field.length != 0 ? 1 : 0);
    node->owner = column.owner;
    const std::size_t items = field.length == 0 ? rows : rows * field.length;
    std::size_t nulls = 0;
    const auto add_bits = [](ArrayNode& to, const std::uint8_t* valid, std::size_t count) {
        std::size_t zeros = 0;
        if (valid == nullptr) return zeros;
        auto bits = bits_of(valid, count, zeros);
        if (zeros != 0) {
            to.buffers[0] = bits.get();
            to.bitmap = std::move(bits);
        }
        return zeros;
    };
    std::vector<std::uint8_t> memory;
    if (field.length == 0)
        nulls = add_bits(*node, without_nat(column, column.valid, items, memory), rows);
    else
        nulls = add_bits(*node, column.valid, rows);
    ArrayNode* values = node.get();
    std::unique_ptr<ArrayNode> inner;
    std::size_t inner_nulls = 0;
    if (field.length != 0) {
        inner = std::make_unique<ArrayNode>(0);
        inner->owner = column.owner;
        values = inner.get();
        inner_nulls = add_bits(*inner, without_nat(column, nullptr, items, memory), items);
    }
    std::int64_t buffers = 2;
    if (field.is_text()) {
        texts(column, format, *values);
        buffers = 3;
    } else if (field.kind == Kind::boolean) {
        std::size_t zeros = 0;
        auto bits = bits_of(static_cast<const std::uint8_t*>(column.values), items, zeros);
        values->buffers[1] = bits.get();
        values->made = std::move(bits);
    } else if (field.unit == "D") {
        // Days of Arrow have 32 bits; a span of days is one of seconds.
        const auto* const from = static_cast<const std::int64_t*>(column.values);
        if (field.kind == Kind::datetime) {
            auto days = make_array<std::int32_t>(items);
            for (std::size_t i = 0; i != items; ++i) {
                days[i] = static_cast<std::int32_t>(from[i]);
                const bool is_null = column.valid != nullptr && column.valid[field.length == 0 ? i : i / field.length] == 0;
                if (days[i] == from[i] || is_null || from[i] == not_a_time) continue;
                throw std::invalid_argument("column '" + field.path + "': row " + std::to_string(i) + " is " +
                                            std::to_string(from[i]) + " days, and Arrow's dates have 32 bits");
            }
            values->buffers[1] = days.get();
            values->made = std::move(days);
        } else {
            auto seconds = make_array<std::int64_t>(items);
            for (std::size_t i = 0; i != items; ++i)
                if (from[i] == not_a_time)
                    seconds[i] = from[i];
                else if (multiply_overflows(from[i], 86'400, seconds[i]))
                    throw std::invalid_argument("column '" + field.path + "': row " + std::to_string(i) + " is " +
                                                std::to_string(from[i]) + " days, which are too many seconds for Arrow");
            values->buffers[1] = seconds.get();
            values->made = std::move(seconds);
        }
    } else {
        static const std::uint64_t nothing = 0;
        values->buffers[1] = column.values == nullptr ? &nothing : column.values;
    }
    if (inner == nullptr) return give(std::move(node), rows, nulls, buffers, 0);
    *node->children.list()[0] = give(std::move(inner), items, inner_nulls, buffers, 0);
    return give(std::move(node), rows, nulls, 1, 1);
}

void Batches::texts(const Frame::Column& column, std::string_view format, ArrayNode& node) const {
    const std::size_t rows = frame_->rows();
    const bool large = format == "U" || format == "Z";
    if (large && column.offsets != nullptr) {
        struct Both {
            std::shared_ptr<const void> offsets, bytes;
        };
        node.buffers[1] = column.offsets->data();
        node.buffers[2] = column.bytes->data();
        node.made = std::make_shared<Both>(Both{column.offsets, column.bytes});
        return;
    }
    const auto is_null = [&](std::size_t row) { return column.valid != nullptr && column.valid[row] == 0; };
    std::size_t bytes = 0;
    for (std::size_t row = 0; row != rows; ++row)
        if (!is_null(row)) bytes += column.text(row).size();
    const std::size_t each = large ? 8 : 4;
    if (!large && bytes > 0x7fff'ffff)
        throw std::invalid_argument("column '" + column.field.path +
                                    "': it has more text than offsets of 32 bits; ask for large_utf8");
    auto memory = make_array<char>((rows + 1) * each + bytes + 16);
    char* const data = memory.get() + (rows + 1) * each;
    char* end = data;
    const auto fill = [&](auto* offsets) {
        offsets[0] = 0;
        for (std::size_t row = 0; row != rows; ++row) {
            if (!is_null(row)) {
                const std::string_view text = column.text(row);
                if (!text.empty()) std::memcpy(end, text.data(), text.size());
                end += text.size();
            }
            offsets[row + 1] = static_cast<std::remove_reference_t<decltype(*offsets)>>(end - data);
        }
    };
    if (large)
        fill(reinterpret_cast<std::int64_t*>(memory.get()));
    else
        fill(reinterpret_cast<std::int32_t*>(memory.get()));
    node.buffers[1] = memory.get();
    node.buffers[2] = data;
    node.made = std::move(memory);
}

// ---------------------------------------------------------------------------------------------------- the requested schema

namespace {

std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// A schema that a consumer asks for: it is the consumer's, so every pointer that is read later is checked here.
/// @throws ValueError when it was released or has no format, no list of children, too many, or a child like that
void expect_sound(const ArrowSchema* schema, int level = 0) {
    const auto refuse = [](const std::string& what) { raise(PyExc_ValueError, "requested_schema: " + what); };
    if (schema == nullptr) refuse("a child of it is missing");
    if (schema->release == nullptr) refuse("it or a child of it was released, or moved out of its capsule; make a new one");
    if (schema->format == nullptr) refuse("it or a child of it has no format");
    if (schema->n_children < 0 || (schema->n_children != 0 && schema->children == nullptr))
        refuse("it has " + std::to_string(schema->n_children) + " children, or no list of them");
    if (schema->n_children > 10'000 || level > 32)
        refuse("it has " + std::to_string(schema->n_children) + " children, more than any object here has columns");
    for (std::int64_t i = 0; i < schema->n_children; ++i) expect_sound(schema->children[i], level + 1);
}
const ArrowSchema& requested_schema_of(nb::handle capsule) {
    const auto* const schema = slotwise::from_py_capsule<ArrowSchema>(capsule.ptr(), "requested_schema");
    if (schema == nullptr) throw nb::python_error();
    expect_sound(schema);
    return *schema;
}

} // namespace

void Batches::request(const ArrowSchema& wanted) {
    const auto refuse = [&](const std::string& what) { raise(PyExc_ValueError, "requested_schema: " + what); };
    if (text_or_empty(wanted.format) != "+s")
        refuse("it is none of a table: its format is '" + std::string(text_or_empty(wanted.format)) + "', not '+s'");
    const auto choose = [&](auto&& self, std::vector<Branch>& level, const ArrowSchema& asked,
                            const std::string& path) -> void {
        std::vector<Branch> chosen;
        for (std::int64_t i = 0; i < asked.n_children; ++i) {
            const ArrowSchema& child = *asked.children[i];
            const std::string name(text_or_empty(child.name));
            const auto found = std::find_if(level.begin(), level.end(), [&](const Branch& each) { return each.name == name; });
            if (found == level.end()) {
                std::string known;
                for (const Branch& each : level) known += (known.empty() ? "'" : ", '") + each.name + "'";
                refuse("there is no column '" + path + name + "'; it has " + known);
            }
            for (const Branch& each : chosen)
                if (each.name == name) refuse("column '" + path + name + "' is asked for twice");
            chosen.push_back(*found);
            const std::string_view format = child.format;
            if (found->column == Field::none) {
                if (format != "+s")
                    refuse("column '" + path + name + "' is a struct, Arrow's format '+s', not '" + std::string(format) + "'");
                self(self, chosen.back().children, child, path + name + ".");
                continue;
            }
            const Field& field = frame_->columns_[found->column].field;
            const char*& ours = formats_[found->column];
            if (field.length != 0) {
                const bool same = format == list_format(field.length) && child.n_children == 1 &&
                                  std::string_view(child.children[0]->format) == ours;
                if (!same)
                    refuse("column '" + path + name + "' is a list '" + list_format(field.length) + "' of '" + ours +
                           "', not '" + std::string(format) + "'; cast the result");
                continue;
            }
            if (field.kind == Kind::text && (format == "u" || format == "U"))
                ours = format == "u" ? "u" : "U";
            else if (field.kind == Kind::bytes && (format == "z" || format == "Z"))
                ours = format == "z" ? "z" : "Z";
            else if (format != ours)
                refuse("column '" + path + name + "' has Arrow's format '" + ours + "', not '" + std::string(format) +
                       "'; cast the result");
            if (child.dictionary != nullptr) refuse("column '" + path + name + "' is not dictionary-encoded; cast the result");
        }
        level = std::move(chosen);
    };
    choose(choose, branches_, wanted, "");
}

namespace {

/// The object of Frame::arrow().
struct Stream {
    std::shared_ptr<const Frame> frame;
    std::vector<std::pair<std::string, std::string>> metadata;
};
template <class Struct>
nb::object to_capsule(slotwise::detail::ArrowOwner<Struct> owner) {
    PyObject* const capsule = slotwise::to_py_capsule(std::move(owner));
    if (capsule == nullptr) throw nb::python_error();
    return nb::steal(capsule);
}

} // namespace

nb::object Frame::arrow(std::vector<std::pair<std::string, std::string>> metadata) const {
    return nb::cast(Stream{std::make_shared<Frame>(*this), std::move(metadata)});
}

void bind_frame(nb::module_& m) {
    nb::class_<Stream>(m, "ArrowStream", nb::is_weak_referenceable(),
                       "Rows as an Arrow stream, for anything that takes an object with __arrow_c_stream__: pyarrow.table(), "
                       "polars.DataFrame(), pandas.DataFrame.from_arrow(), DuckDB and others. It may be read more than once.")
        .def(
            "__arrow_c_stream__",
            [](const Stream& self, nb::handle requested) {
                Batches batches(self.frame, self.metadata);
                if (!requested.is_none()) batches.request(requested_schema_of(requested));
                ArrowArrayStream stream{};
                slotwise::detail::ArrowStream<Batches>::give(std::move(batches), &stream);
                return to_capsule<ArrowArrayStream>(slotwise::OwnedStream(&stream));
            },
            argument("requested_schema", nb::none()),
            nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
            "A capsule with a new stream of all rows. requested_schema: some of the columns in any order, texts as utf8 or "
            "large_utf8; anything else raises ValueError.")
        .def(
            "__arrow_c_schema__",
            [](const Stream& self) {
                ArrowSchema schema{};
                Batches(self.frame, self.metadata).make_schema(&schema);
                return to_capsule<ArrowSchema>(slotwise::OwnedSchema(&schema));
            },
            nb::sig("def __arrow_c_schema__(self) -> object"), "A capsule with the schema of __arrow_c_stream__.")
        .def(
            "to_numpy", [](const Stream& self) { return self.frame->numpy(); },
            nb::sig("def to_numpy(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
            "The columns as read-only arrays by path. Texts are arrays of objects, and columns that may be null masked arrays.")
        .def(
            "_column", [](const Stream& self, nb::handle path) { return self.frame->numpy(text_from(path, "path")); },
            argument("path"), nb::sig("def _column(self, path: str) -> numpy.typing.NDArray[typing.Any]"),
            "One column of to_numpy().")
        .def(
            "_head",
            [](const Stream& self, nb::handle count) { return self.frame->head(count_from(count, "count", most_slots)); },
            argument("count"), nb::sig("def _head(self, count: int) -> list[tuple[str, str, list[typing.Any]]]"),
            "The first rows by column: path, type, values.")
        .def(
            "__len__", [](const Stream& self) { return self.frame->rows(); }, "Rows.");
}

} // namespace slotwise_python
