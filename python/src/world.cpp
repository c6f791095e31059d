// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// World: entities with components of any schema, relations between them, and commands for later.
#include "world.hpp"

#include "box.hpp"
#include "frame.hpp"
#include "parts.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <slotwise/core/utf8.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <algorithm>
#include <cstring>

namespace slotwise_python {

namespace {

using slotwise::CommandBuffer;
using slotwise::OnTargetDespawn;
using slotwise::TypeDescriptor;

/// The state of a world as Python hands it from function to function.
using Shared = WorldHandle;
/// What a World of Python holds.
struct World {
    SharedWorld state = std::make_shared<WorldState>();
    World() { state->object = this; }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { state->object = nullptr; }
};

/// A nullable field has a second column: whether its values are null, as masks of NumPy say it.
constexpr std::uint8_t null = 1, no_null = 0;

nb::object numpy() { return nb::module_::import_("numpy"); }

} // namespace

//=== state ===//

std::string with_numbers(const std::string& text) {
    std::string result;
    const auto digits = [&](std::size_t at) {
        while (at != text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        return at;
    };
    std::size_t begin = 0;
    for (const char* const of : {"ArchetypeStore", "CommandBuffer", "ComponentRegistry"})
        if (const std::size_t colon = text.find(": "); text.starts_with(of) && colon != std::string::npos) begin = colon + 2;
    for (std::size_t i = begin; i != text.size();) {
        const std::size_t index = digits(i), last = index == text.size() || text[index] != 'v' ? index : digits(index + 1);
        if (index == i || last < index + 2 || index - i > 9 || last - index > 6) {
            const std::size_t end = index == i ? i + 1 : index;
            result.append(text, i, end - i);
            i = end;
            continue;
        }
        const auto number = [&](std::size_t from, std::size_t to) { return std::stoul(text.substr(from, to - from)); };
        const Entity entity(static_cast<slotwise::slot_t>(number(i, index)),
                            static_cast<std::uint16_t>(number(index + 1, last)));
        result += std::to_string(entity.to_bits());
        i = last;
    }
    return result;
}

void WorldState::expect_changeable() const {
    if (walks != 0)
        throw std::runtime_error(
            "the world can not be changed while a query is iterated: spawn, despawn, add, remove and relate by "
            "commands = world.commands(), and call commands.apply() after the loop");
    if (pins == 0) return;
    std::string which;
    for (const Part& part : parts)
        if (part.pins != 0) which += (which.empty() ? "'" : ", '") + part.name + "'";
    if (entity_pins != 0) which += which.empty() ? "entities" : " and entities";
    throw nb::buffer_error(
        ("the world can not be changed while arrays of a chunk are alive (of " + which +
         "), because their rows would move: delete them, keep a copy() of them instead, or record the change in "
         "world.commands() and apply it later")
            .c_str());
}
std::string WorldState::not_alive(Entity entity) const {
    return "entity " + std::to_string(entity.to_bits()) + ": " + dead_because(entity);
}
std::string WorldState::dead_because(Entity entity) const {
    using slotwise::HandleStatus;
    switch (store.explain(entity)) {
    case HandleStatus::null:
        return "no entity has this number";
    case HandleStatus::out_of_range:
        return "no entity of this world has had this number";
    case HandleStatus::live:
        return "it is recorded in commands that were not applied yet";
    default:
        return "the entity was despawned";
    }
}
void WorldState::expect_alive(Entity entity) const {
    if (!store.is_alive(entity)) raise(PyExc_KeyError, not_alive(entity));
}

nb::capsule pin_of(SharedWorld world, std::atomic<std::uint32_t>& of) {
    using Held = std::pair<SharedWorld, std::atomic<std::uint32_t>*>;
    auto held = std::make_unique<Held>(std::move(world), &of);
    nb::capsule capsule(held.get(), [](void* p) noexcept {
        auto* const each = static_cast<Held*>(p);
        --*each->second;
        --each->first->pins;
        delete each;
    });
    ++held->first->pins;
    ++of;
    held.release();
    return capsule;
}

//=== terms ===//

ComponentId Term::id() const {
    if (part->role != Role::relation) return part->id();
    return target ? slotwise::pair(part->ids[0], target) : slotwise::pair(part->ids[0], slotwise::any);
}
std::string Term::spelled() const {
    if (target) return part->name + "(" + std::to_string(target.to_bits()) + ")";
    return part->name;
}
Term term_from(const SharedWorld& world, nb::handle object, const char* argument) {
    Term* term = nullptr;
    if (!nb::try_cast(object, term, false) || term == nullptr)
        raise_type(argument, "a component, tag, relation or pair of a world, as world.component(...) returns it,", object);
    if (term->world == world) return *term;
    const auto found = world->names.find(term->part->name);
    Part* const part = found == world->names.end() ? nullptr : found->second;
    if (part == nullptr || part->role != term->part->role ||
        (part->schema != nullptr && !(*part->schema == *term->part->schema)))
        raise(PyExc_ValueError, std::string(argument) + ": '" + term->part->name +
                                    "' is of another world, and this one has nothing of that name and schema");
    Term own = *term;
    own.world = world;
    own.part = part;
    return own;
}
nb::object object_of(Term term) {
    switch (term.part->role) {
    case Role::component:
        return nb::cast(ComponentTerm{std::move(term)});
    case Role::tag:
        return nb::cast(TagTerm{std::move(term)});
    default:
        return term.target ? nb::cast(PairTerm{std::move(term)}) : nb::cast(RelationTerm{std::move(term)});
    }
}

//=== entities ===//

Entity entity_from(nb::handle object, const char* argument) {
    return Entity::from_bits(Py<std::uint64_t>::from(object, argument));
}
std::vector<Entity> entities_from(nb::handle object, const char* argument) {
    using Array = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    const auto copied = [](const Array& array) {
        std::vector<Entity> entities(array.size());
        if (!entities.empty()) std::memcpy(static_cast<void*>(entities.data()), array.data(), entities.size() * sizeof(Entity));
        return entities;
    };
    Array array;
    if (nb::try_cast(object, array, false)) return copied(array);
    if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) || !is_iterable(object))
        raise_type(argument, "an array of entities (uint64)", object);
    nb::object numbers = numpy().attr("asarray")(object);
    const std::string kind = utf8_of(nb::object(numbers.attr("dtype").attr("kind")));
    if (nb::cast<std::size_t>(numbers.attr("ndim")) != 1)
        raise(PyExc_ValueError, std::string(argument) + ": an array of one dimension is needed");
    if (nb::cast<std::size_t>(numbers.attr("size")) == 0) return {};
    if (kind == "i") {
        const nb::object least = numbers.attr("min")();
        const int negative = PyObject_RichCompareBool(least.ptr(), nb::int_(0).ptr(), Py_LT);
        if (negative < 0) raise_again();
        if (negative != 0) raise(PyExc_OverflowError, std::string(argument) + ": entities are no negative numbers");
    } else if (kind != "u")
        raise(PyExc_TypeError, std::string(argument) + ": an array of integers (uint64) is needed, not of " +
                                   utf8_of(nb::str(nb::object(numbers.attr("dtype")))));
    numbers = numpy().attr("ascontiguousarray")(numbers, "uint64");
    if (!nb::try_cast(numbers, array, true)) raise_type(argument, "an array of entities (uint64)", object);
    return copied(array);
}
nb::object array_of(std::vector<Entity> entities) {
    auto kept = std::make_unique<std::vector<Entity>>(std::move(entities));
    void* const data = kept->data();
    const std::size_t size = kept->size();
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Entity>*>(p); });
    kept.release();
    return nb::cast(nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(data, {size}, owner));
}

//=== arrays ===//

nb::object array_of(const Field& field, void* data, std::size_t rows, nb::handle owner, bool writable) {
    nb::dlpack::dtype type{};
    type.lanes = 1;
    type.bits = static_cast<std::uint8_t>(field.item_size() * 8);
    const auto code = [&] {
        switch (field.kind) {
        case Kind::boolean:
            return nb::dlpack::dtype_code::Bool;
        case Kind::float32:
        case Kind::float64:
            return nb::dlpack::dtype_code::Float;
        case Kind::uint8:
        case Kind::uint16:
        case Kind::uint32:
        case Kind::uint64:
            return nb::dlpack::dtype_code::UInt;
        default:
            return nb::dlpack::dtype_code::Int;
        }
    };
    type.code = static_cast<std::uint8_t>(code());
    const std::size_t shape[] = {rows, field.length};
    const std::size_t dimensions = field.length == 0 ? 1 : 2;
    nb::object array =
        writable
            ? nb::cast(nb::ndarray<nb::numpy>(data, dimensions, shape, owner, nullptr, type))
            : nb::cast(nb::ndarray<nb::numpy, nb::ro>(static_cast<const void*>(data), dimensions, shape, owner, nullptr, type));
    if (field.is_time()) array = array.attr("view")(nb::str(field.dtype().c_str()));
    return array;
}
nb::object mask_of(const std::uint8_t* nulls, std::size_t rows, nb::handle owner, bool writable) {
    Field flags;
    flags.kind = Kind::boolean;
    return array_of(flags, const_cast<std::uint8_t*>(nulls), rows, owner, writable);
}
nb::object masked_array(const nb::object& values, nb::object mask) {
    const nb::object shape = values.attr("shape");
    if (nb::len(shape) == 2) // one byte for all elements of a row
        mask = nb::module_::import_("numpy.lib.stride_tricks")
                   .attr("as_strided")(mask, shape, nb::make_tuple(1, 0),
                                       nb::arg("writeable") = nb::object(mask.attr("flags").attr("writeable")));
    return nb::module_::import_("numpy.ma").attr("MaskedArray")(values, nb::arg("mask") = mask, nb::arg("copy") = false);
}

//=== given values ===//

namespace {
void build_default(const TypeDescriptor& type, void* to, std::size_t count) {
    if (type.trivial) {
        std::memset(to, 0, type.size * count);
        return;
    }
    for (std::size_t i = 0; i != count; ++i) ::new (static_cast<void*>(static_cast<Text*>(to) + i)) Text();
}
} // namespace

Given::Given(ComponentId id, const TypeDescriptor& type, const Field& field, const std::deque<Chunk>& chunks, bool mask)
    : id_(id), type_(&type), text_(!mask && field.is_text()), mask_(mask) {
    for (const Chunk& chunk : chunks) {
        if (chunk.rows() == 0) continue;
        pieces_.push_back({rows_, chunk.find(field)});
        rows_ += chunk.rows();
    }
}
const Given::Piece& Given::piece_of(std::size_t row) const {
    if (pieces_.size() == 1) return pieces_.front();
    return *(std::upper_bound(pieces_.begin(), pieces_.end(), row,
                              [](std::size_t at, const Piece& each) { return at < each.first; }) -
             1);
}
void Given::build_row(std::size_t row, void* to) const {
    if (pieces_.empty()) {
        if (one_ == nullptr)
            build_default(*type_, to, 1);
        else if (text_ || !type_->trivial)
            ::new (to) Text(*static_cast<const Text*>(one_));
        else
            std::memcpy(to, one_, type_->size);
        return;
    }
    const Piece& piece = piece_of(row);
    const std::size_t at = row - piece.first;
    if (mask_)
        *static_cast<std::uint8_t*>(to) = piece.cells->valid() != nullptr && piece.cells->valid()[at] == 0;
    else if (text_)
        ::new (to) Text(piece.cells->text(at));
    else
        slotwise::detail::copy_bytes(to, piece.cells->values() + at * type_->size, type_->size);
}
void Given::assign_row(std::size_t row, void* to) const {
    if (type_->trivial) return build_row(row, to);
    alignas(Text) std::byte room[sizeof(Text)];
    build_row(row, room);
    Text* const made = std::launder(reinterpret_cast<Text*>(room));
    *static_cast<Text*>(to) = std::move(*made);
    made->~Text();
}
void Given::build(void* to, std::size_t count) const {
    auto* const bytes = static_cast<std::byte*>(to);
    if (pieces_.empty() && one_ == nullptr) return build_default(*type_, to, count);
    if (type_->trivial) {
        if (pieces_.empty()) {
            if (count == 0) return;
            std::memcpy(to, one_, type_->size);
            slotwise::detail::repeat_first(to, type_->size, count);
            return;
        }
        for (std::size_t i = 0; i != pieces_.size(); ++i) {
            const Piece& piece = pieces_[i];
            const std::size_t rows = (i + 1 == pieces_.size() ? rows_ : pieces_[i + 1].first) - piece.first;
            std::byte* const at = bytes + piece.first * type_->size;
            if (!mask_)
                std::memcpy(at, piece.cells->values(), rows * type_->size);
            else if (const std::uint8_t* const valid = piece.cells->valid(); valid != nullptr)
                for (std::size_t row = 0; row != rows; ++row) at[row] = static_cast<std::byte>(valid[row] == 0);
            else
                std::memset(at, no_null, rows);
        }
        return;
    }
    std::size_t built = 0;
    slotwise::ScopeGuard undo([&]() noexcept {
        while (built != 0) static_cast<Text*>(to)[--built].~Text();
    });
    for (; built != count; ++built) build_row(built, static_cast<Text*>(to) + built);
    undo.dismiss();
}
void Given::build(std::span<const std::uint32_t> rows, void* to) const {
    std::size_t built = 0;
    auto* const bytes = static_cast<std::byte*>(to);
    slotwise::ScopeGuard undo([&]() noexcept {
        if (!type_->trivial)
            while (built != 0) static_cast<Text*>(to)[--built].~Text();
    });
    for (; built != rows.size(); ++built) build_row(rows[built], bytes + built * type_->size);
    undo.dismiss();
}
AnyValue Given::value(Room& room) {
    return AnyValue::built(
        [](void* to, void* argument) {
            const Room& of = *static_cast<const Room*>(argument);
            of.given->build_row(of.row, to);
        },
        &room);
}

//=== items ===//

const Given* Items::find(ComponentId id) const {
    for (const Given& each : given)
        if (each.id() == id) return &each;
    return nullptr;
}
void Items::name(const Term& term, bool fresh) {
    const Part& part = *term.part;
    if (part.role == Role::component) {
        if (std::find(parts.begin(), parts.end(), &part) != parts.end())
            raise(PyExc_ValueError, "components: '" + part.name + "' is there twice");
        parts.push_back(term.part);
        ids.insert(ids.end(), part.ids.begin(), part.ids.end());
        return;
    }
    if (part.role == Role::relation && !term.target)
        raise(PyExc_ValueError, "components: '" + part.name + "' is a relation: name a target, as " + part.name + "(entity)");
    if (term.target) targets.push_back(term.target);
    const bool apart = part.role == Role::relation && (part.traits.sparse || (part.traits.acyclic && !fresh));
    (apart ? pairs : ids).push_back(term.id());
}
void Items::take(const SharedWorld& world, nb::tuple arguments, bool some, bool fresh) {
    const auto take_term = [&](nb::handle object, nb::handle value) {
        const Term term = term_from(world, object, "components");
        const Part& part = *term.part;
        if (part.role != Role::component) {
            if (value.is_valid() && !value.is_none() && value.ptr() != Py_True)
                raise(PyExc_TypeError, part.name + ": a " + std::string(part.role == Role::tag ? "tag" : "relation") +
                                           " has no value; give None or True");
            return name(term, fresh);
        }
        name(term, fresh);
        Row* row = nullptr;
        if (value.is_valid()) {
            row = &rows_.emplace_back(*part.schema);
            if (some && !part.is_single() && PyDict_Check(value.ptr()))
                row->take_named(nb::borrow<nb::dict>(value), part.name.c_str());
            else
                row->take(value, part.name.c_str());
        }
        for (const Field& field : part.schema->fields()) {
            if (row != nullptr && !row->has(field.number)) {
                this->partial.emplace_back(term.part, field.path);
                continue;
            }
            const void* const one = row == nullptr ? nullptr : row->get(field.number);
            given.emplace_back(part.ids[field.column], field.type(), one);
            if (field.validity != Field::none)
                given.emplace_back(part.ids[field.validity], TypeDescriptor::of<std::uint8_t>(),
                                   one == nullptr ? &null : &no_null);
        }
    };
    for (nb::handle argument : arguments) {
        Term* term = nullptr;
        if (nb::try_cast(argument, term, false)) {
            take_term(argument, {});
            continue;
        }
        if (PyDict_Check(argument.ptr()) == 0 && !attribute_of(argument, "items").is_valid())
            raise_type("components", "a dict of components and values, or a component, tag or pair,", argument);
        const nb::list pairs = nb::steal<nb::list>(PyMapping_Items(argument.ptr()));
        if (!pairs.is_valid()) raise_again();
        for (nb::handle pair : pairs) {
            const nb::object both = members_of(pair, 2);
            if (!both.is_valid())
                raise(PyExc_TypeError, "components: items() has what is no pair of a component and its value");
            take_term(PyTuple_GET_ITEM(both.ptr(), 0), PyTuple_GET_ITEM(both.ptr(), 1));
        }
    }
}
void Items::take_columns(const SharedWorld& world, nb::list prepared, std::size_t count, bool fresh) {
    for (nb::handle each : prepared) {
        const nb::object three = members_of(each, 3);
        const Term term = term_from(world, PyTuple_GET_ITEM(three.ptr(), 0), "components");
        const nb::handle source = PyTuple_GET_ITEM(three.ptr(), 1), constants = PyTuple_GET_ITEM(three.ptr(), 2);
        const Part& part = *term.part;
        name(term, fresh);
        if (part.role != Role::component) continue;
        std::deque<Chunk>& chunks = sources_.emplace_back();
        const Source* read = nullptr;
        if (!source.is_none()) {
            Source& reader = *readers_.emplace_back(std::make_unique<Source>(
                source, part.name.c_str(), std::span<const Field>(), part.schema->fields(), Source::Missing::allowed));
            std::size_t rows = 0;
            for (;;) {
                Chunk& chunk = chunks.emplace_back();
                if (!reader.next(chunk)) break;
                rows += chunk.rows();
            }
            chunks.pop_back();
            if (rows != count)
                raise(PyExc_ValueError,
                      part.name + ": " + std::to_string(rows) + " rows were given for " + std::to_string(count) + " entities");
            read = &reader;
        }
        for (const Field& field : part.schema->fields()) {
            const ComponentId id = part.ids[field.column];
            const ComponentId mask = field.validity == Field::none ? ComponentId() : part.ids[field.validity];
            const auto& flags = TypeDescriptor::of<std::uint8_t>();
            if (read != nullptr && read->has(field)) {
                given.emplace_back(id, field.type(), field, chunks, false);
                if (mask) given.emplace_back(mask, flags, field, chunks, true);
                continue;
            }
            const nb::object constant = constants.is_none()
                                            ? nb::object()
                                            : nb::steal(PyObject_GetItem(constants.ptr(), nb::str(field.path.c_str()).ptr()));
            if (!constant.is_valid()) {
                if (!constants.is_none()) {
                    if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) raise_again();
                    PyErr_Clear();
                }
                if (!constants.is_none()) {
                    partial.emplace_back(term.part, field.path);
                    continue;
                }
                given.emplace_back(id, field.type(), nullptr); // the component alone was named
                if (mask) given.emplace_back(mask, flags, &null);
                continue;
            }
            const bool is_null = constant.is_none() && mask;
            const void* one = nullptr;
            if (!is_null) {
                void* const room = field.is_text() ? static_cast<void*>(&texts_.emplace_back())
                                                   : plain_.emplace_back((field.size() + 7) / 8).data();
                assign_leaf(field, room, constant, part.name.c_str());
                one = room;
            }
            given.emplace_back(id, field.type(), one);
            if (mask) given.emplace_back(mask, flags, is_null ? &null : &no_null);
        }
    }
}

//=== gathered columns ===//

Gathered::Gathered(const Field& field, std::size_t expected) : field_(field), bytes_(field.size()) {
    if (field_.is_text()) {
        texts_ = std::make_shared<std::vector<Text>>();
        texts_->reserve(expected);
    } else {
        plain_ = std::make_shared<std::vector<std::byte>>();
        plain_->reserve(expected * field_.size());
    }
}
void Gathered::note_nulls(const std::uint8_t* nulls, std::uint8_t all, std::size_t rows) {
    if (nulls == nullptr && all == no_null && nulls_ == nullptr) return;
    if (nulls_ == nullptr) nulls_ = std::make_shared<std::vector<std::uint8_t>>(rows_, no_null);
    if (nulls == nullptr)
        nulls_->insert(nulls_->end(), rows, all);
    else
        nulls_->insert(nulls_->end(), nulls, nulls + rows);
}
void Gathered::append(const void* values, const std::uint8_t* nulls, std::size_t rows) {
    note_nulls(nulls, no_null, rows);
    if (texts_ != nullptr) {
        const auto* const from = static_cast<const Text*>(values);
        texts_->insert(texts_->end(), from, from + rows);
    } else {
        const auto* const from = static_cast<const std::byte*>(values);
        plain_->insert(plain_->end(), from, from + rows * field_.size());
    }
    rows_ += rows;
}
void Gathered::append_null(std::size_t rows) {
    note_nulls(nullptr, null, rows);
    if (texts_ != nullptr)
        texts_->resize(texts_->size() + rows);
    else
        plain_->resize(plain_->size() + rows * field_.size());
    rows_ += rows;
}
namespace {
nb::capsule kept_by(const std::shared_ptr<void>& owner) {
    auto kept = std::make_unique<std::shared_ptr<void>>(owner);
    nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    kept.release();
    return capsule;
}
} // namespace

nb::object Gathered::array(bool writable) const {
    nb::object values;
    if (texts_ != nullptr) {
        nb::list items;
        for (std::size_t i = 0; i != rows_; ++i)
            if (nulls_ != nullptr && (*nulls_)[i] != 0)
                items.append(nb::none());
            else
                items.append(leaf_object(field_, &(*texts_)[i]));
        values = numpy().attr("empty")(rows_, "O");
        values[nb::slice(nb::none(), nb::none(), nb::none())] = items;
        values.attr("flags").attr("writeable") = writable;
    } else {
        values = array_of(field_, plain_->data(), rows_, kept_by(plain_), writable);
    }
    if (!field_.nullable) return values;
    const auto nulls = nulls_ != nullptr ? nulls_ : std::make_shared<std::vector<std::uint8_t>>(rows_, no_null);
    return masked_array(values, mask_of(nulls->data(), rows_, kept_by(nulls), writable));
}
void Gathered::add_to(Frame& frame) const {
    const auto owner = std::make_shared<Gathered>(*this);
    const void* const values = texts_ != nullptr ? static_cast<const void*>(texts_->data()) : plain_->data();
    static const std::uint8_t none = 0;
    if (nulls_ != nullptr) { // Arrow says which are not null
        owner->nulls_ = std::make_shared<std::vector<std::uint8_t>>(*nulls_);
        for (std::uint8_t& each : *owner->nulls_) each = each == 0;
    }
    const std::uint8_t* const valid = nulls_ == nullptr ? nullptr : owner->nulls_->data();
    frame.add(field_, rows_ == 0 ? static_cast<const void*>(&none) : values, rows_ == 0 ? nullptr : valid, rows_, owner);
}

//=== the world ===//

namespace {

/// Bytes, which are any, where a Text is UTF-8: snapshots tell them apart.
struct RawText : Text {};
static_assert(sizeof(RawText) == sizeof(Text));

/// The codec of a world's snapshots: texts that are read are UTF-8, booleans are 0 or 1.
struct TextCodec {
    template <class T>
    static consteval std::uint64_t type_tag() {
        return std::is_same_v<T, Text> ? 0x7478'6574 : 0x7974'6562; // "text", "byte"
    }
    template <class T>
    void write(const T& text, slotwise::ByteWriter& out) const {
        slotwise::CodecFor<Text>::write(text, out);
    }
    template <class T>
    T read(slotwise::ByteReader& in) const {
        T result{slotwise::CodecFor<Text>::read(in)};
        if (std::is_same_v<T, Text> && !slotwise::detail::is_utf8(result.view())) in.fail("snapshot: a text is not UTF-8");
        return result;
    }
};
/// Booleans and what says which values are null. NumPy may have written another byte than 0 and 1 into them.
struct FlagCodec {
    template <class T>
    static consteval std::uint64_t type_tag() {
        return 0x67'616C66; // "flag"
    }
    template <class T>
    void write(const T& flag, slotwise::ByteWriter& out) const {
        std::uint8_t byte = 0;
        std::memcpy(&byte, &flag, 1);
        slotwise::DefaultCodec().write(byte != 0, out);
    }
    template <class T>
    T read(slotwise::ByteReader& in) const {
        return slotwise::DefaultCodec().template read<T>(in);
    }
};
slotwise::AnyCodec codec() {
    slotwise::AnyCodec codec;
    codec.add<Text, TextCodec>().add<RawText, TextCodec>().add<bool, FlagCodec>();
    return codec;
}
/// The type of a leaf in the store.
const TypeDescriptor& type_of_leaf(const Field& field) {
    if (field.kind == Kind::bytes) return TypeDescriptor::of<RawText>();
    if (field.kind == Kind::boolean && field.length == 0) return TypeDescriptor::of<bool>();
    return field.type();
}
const TypeDescriptor& type_of_flags() { return TypeDescriptor::of<bool>(); }

Part& add_part(WorldState& world, std::string name, Role role, slotwise::ComponentTraits traits,
               std::shared_ptr<const Schema> schema) {
    Part& part = world.parts.emplace_back();
    slotwise::ScopeGuard undo([&]() noexcept { world.parts.pop_back(); });
    part.name = std::move(name);
    part.role = role;
    part.number = static_cast<std::uint32_t>(world.parts.size() - 1);
    part.schema = std::move(schema);
    part.traits = std::move(traits);
    auto& registry = world.store.registry();
    world.names.reserve(world.names.size() + 1);
    const auto note = [&](ComponentId id, std::uint32_t column) {
        if (world.of_number.size() <= id.number()) world.of_number.resize(id.number() + 1);
        world.of_number[id.number()] = {&part, column};
    };
    if (role == Role::component) {
        part.ids.resize(part.schema->columns().size());
        for (const Field& field : part.schema->fields()) {
            const std::string path = part.name + "." + field.path;
            slotwise::ComponentTraits of;
            of.tracked = field.number == 0 && part.traits.tracked;
            part.ids[field.column] = registry.add(path, type_of_leaf(field), of);
            if (field.validity != Field::none) part.ids[field.validity] = registry.add(path + "?", type_of_flags());
        }
        for (std::uint32_t i = 0; i != part.ids.size(); ++i) note(part.ids[i], i);
    } else {
        part.ids.push_back(role == Role::tag ? registry.add_tag(part.name, part.traits)
                                             : registry.add_relation(part.name, part.traits));
        note(part.ids[0], 0);
    }
    world.names.emplace(part.name, &part);
    undo.dismiss();
    return part;
}
const char* spelled(OnTargetDespawn what) {
    return what == OnTargetDespawn::remove ? "remove" : what == OnTargetDespawn::despawn ? "despawn" : "refuse";
}
/// The part of this name, which is made if there is none. @throws ValueError when another one has the name
nb::object make_part(const SharedWorld& world, nb::handle name, Role role, const slotwise::ComponentTraits& traits,
                     const std::shared_ptr<const Schema>& schema) {
    const std::string text = text_from(name, "name");
    if (text.empty() || text.find_first_of(".?") != std::string::npos)
        raise(PyExc_ValueError, "name: a name without '.' and '?' is needed, not " + repr_of(name));
    Part* part = nullptr;
    briefly(*world, [&] {
        if (const auto found = world->names.find(text); found != world->names.end()) {
            part = found->second;
            return;
        }
        part = &add_part(*world, text, role, traits, schema);
    });
    if (part->role != role || part->traits != traits || (schema != nullptr && !(*schema == *part->schema)))
        raise(PyExc_ValueError, "name: '" + text + "' is in this world already, with another schema or other options" +
                                    (part->schema != nullptr ? " (" + part->schema->spelled() + ")" : ""));
    return object_of(Term{world, part, {}, false});
}

/// @throws KeyError (std::out_of_range) when the target of a pair does not live
void expect_targets(const WorldState& world, const Items& items) {
    for (const Entity target : items.targets)
        if (!world.store.is_alive(target)) throw std::out_of_range(world.not_alive(target));
}
template <class Range>
std::vector<Entity> collected(Range&& range) {
    std::vector<Entity> all;
    for (const Entity each : range) all.push_back(each);
    return all;
}
/// Finds out before anything changes whether pairs of an acyclic relation, related one after the other, close a cycle.
class Acyclic {
public:
    Acyclic(const WorldState& world, const Part& relation) : world_(world), relation_(relation) {}
    /// @throws ValueError (std::invalid_argument)
    void relate(Entity source, Entity target) {
        if (source == target || ((targets_.contains(source) || has_sources(source)) && leads_to(target, source)))
            throw std::invalid_argument("with " + relation_.name + "(" + std::to_string(target.to_bits()) + ") the entity (" +
                                        std::to_string(source.to_bits()) + ") would be related to itself" +
                                        (source == target ? "" : " over others") +
                                        ", and the relation is acyclic; unrelate what leads there first");
        std::vector<Entity>& own = fresh_[source];
        if (relation_.traits.exclusive) own.clear();
        own.push_back(target);
        targets_.insert(target);
    }

private:
    bool has_sources(Entity target) const {
        const auto sources = world_.store.sources(relation_.ids[0], target);
        return sources.begin() != sources.end();
    }
    bool leads_to(Entity from, Entity wanted) const {
        std::unordered_set<Entity> seen{from};
        std::vector<Entity> waiting{from};
        const auto wait_for = [&](Entity each) {
            if (seen.insert(each).second) waiting.push_back(each);
        };
        while (!seen.contains(wanted) && !waiting.empty()) {
            const Entity at = waiting.back();
            waiting.pop_back();
            const auto fresh = fresh_.find(at);
            if (fresh != fresh_.end())
                for (const Entity each : fresh->second) wait_for(each);
            if (fresh == fresh_.end() || !relation_.traits.exclusive)
                for (const Entity each : world_.store.targets(at, relation_.ids[0])) wait_for(each);
        }
        return seen.contains(wanted);
    }

    const WorldState& world_;
    const Part& relation_;
    std::unordered_map<Entity, std::vector<Entity>> fresh_{};
    std::unordered_set<Entity> targets_{}; // of the fresh ones
};
/// The same of the pairs that all of these get.
void expect_no_cycle(const WorldState& world, std::span<const Entity> entities, const std::vector<ComponentId>& pairs) {
    for (const ComponentId id : pairs) {
        const Part& relation = *world.of_number[id.relation_number()].first;
        if (!relation.traits.acyclic) continue;
        Acyclic check(world, relation);
        for (const Entity entity : entities) check.relate(entity, id.target());
    }
}

} // namespace

std::size_t despawn_all(WorldState& world, std::span<const Entity> entities) {
    ArchetypeStore& store = world.store;
    std::vector<const Part*> guards, followers;
    for (const Part& part : world.parts) {
        if (part.role != Role::relation) continue;
        if (part.traits.on_target_despawn == OnTargetDespawn::refuse) guards.push_back(&part);
        if (part.traits.on_target_despawn == OnTargetDespawn::despawn) followers.push_back(&part);
    }
    if (guards.empty()) return store.despawn(entities);
    std::vector<Entity> dying;
    std::unordered_set<Entity> found;
    const auto add = [&](Entity each) {
        if (store.is_alive(each) && found.insert(each).second) dying.push_back(each);
    };
    for (const Entity each : entities) add(each);
    for (std::size_t i = 0; i != dying.size(); ++i)
        for (const Part* const part : followers)
            for (const Entity source : collected(store.sources(part->ids[0], dying[i]))) add(source);
    struct Guarded {
        Entity source;
        const Part* part;
        Entity target;
    };
    std::vector<Guarded> inner;
    for (const Entity target : dying)
        for (const Part* const part : guards)
            for (const Entity source : store.sources(part->ids[0], target)) {
                if (!found.contains(source))
                    throw std::invalid_argument(std::to_string(source.to_bits()) + " has " + part->name + "(" +
                                                std::to_string(target.to_bits()) +
                                                "), and the relation refuses that its target goes; unrelate them, or despawn "
                                                "the source, too");
                inner.push_back({source, part, target});
            }
    for (const auto& [source, part, target] : inner) store.unrelate(source, part->ids[0], target); // in any order
    return store.despawn(entities);
}

namespace {

/// Gives one entity what the items say. @pre the lock is held, the entity lives
void give(WorldState& world, Entity entity, const Items& items, bool assigns) {
    ArchetypeStore& store = world.store;
    expect_targets(world, items);
    bool all = items.pairs.empty();
    for (const ComponentId id : items.ids) all = all && std::as_const(store).has(entity, id);
    if (!all) {
        for (const auto& [part, field] : items.partial)
            if (!store.has(entity, part->id()))
                raise(PyExc_ValueError, part->name + ": the entity has none yet, and the field '" + field + "' is missing");
        world.expect_changeable();
        if (!items.pairs.empty()) store.add(entity, items.pairs); // first: only this may be refused
    }
    std::vector<const Given*> assigned;
    if (assigns)
        for (const Given& each : items.given)
            if (store.has(entity, each.id())) assigned.push_back(&each);
    if (!all)
        store.add_columns({&entity, 1}, items.ids, [&](ComponentId id, std::span<const std::uint32_t> rows, void* to) {
            const Given* const given = items.find(id);
            if (given != nullptr) given->build(rows, to);
            return given != nullptr;
        });
    for (const Given* const each : assigned) each->assign_row(0, store.get(entity, each->id()));
    if (assigns)
        for (const Part* const part : items.parts) static_cast<void>(store.get(entity, part->id())); // marks it as changed
}
/// Gives each entity its row of the columns. @pre as give(); all live
void give_many(WorldState& world, std::span<const Entity> entities, const Items& items, bool assigns) {
    ArchetypeStore& store = world.store;
    expect_targets(world, items);
    std::vector<ComponentId> asked; // one of each component: an entity has all its columns or none
    for (const Part* const part : items.parts) asked.push_back(part->id());
    for (const ComponentId id : items.ids)
        if (id.is_pair() || world.of_number[id.number()].first->role == Role::tag) asked.push_back(id);
    bool all = true;
    for (std::size_t i = 0; i != entities.size() && all; ++i)
        for (const ComponentId id : asked) all = all && std::as_const(store).has(entities[i], id);
    if (!all || !items.pairs.empty()) {
        for (const auto& [part, field] : items.partial)
            for (const Entity entity : entities)
                if (!store.has(entity, part->id()))
                    throw std::invalid_argument("components: the entity " + std::to_string(entity.to_bits()) + " has no '" +
                                                part->name + "' yet, and the field '" + field + "' is missing");
        world.expect_changeable();
    }
    expect_no_cycle(world, entities, items.pairs);
    if (!items.pairs.empty())
        for (const Entity entity : entities) store.add(entity, items.pairs);
    if (!all)
        store.add_columns(entities, items.ids, [&](ComponentId id, std::span<const std::uint32_t> rows, void* to) {
            const Given* const given = items.find(id);
            if (given != nullptr) given->build(rows, to);
            return given != nullptr;
        });
    if (!assigns) return;
    // What was added has its row already; of an entity that is there twice the last row counts.
    for (const Given& each : items.given)
        for (std::size_t i = 0; i != entities.size(); ++i) each.assign_row(i, store.get(entities[i], each.id()));
    for (const Part* const part : items.parts) // whose tick is that of the first leaf
        if (part->traits.tracked && items.find(part->id()) == nullptr)
            for (const Entity entity : entities) static_cast<void>(store.get(entity, part->id()));
}
std::size_t first_dead(const WorldState& world, std::span<const Entity> entities) {
    std::size_t i = 0;
    while (i != entities.size() && world.store.is_alive(entities[i])) ++i;
    return i;
}
/// @pre the GIL is held, and the lock is not
void expect_all_alive(const WorldState& world, const std::vector<Entity>& entities) {
    const std::size_t i = briefly(world, [&] { return first_dead(world, entities); });
    if (i == entities.size()) return;
    raise(PyExc_KeyError, "entities: number " + std::to_string(i) + " (" + std::to_string(entities[i].to_bits()) +
                              "): " + world.dead_because(entities[i]));
}
void expect_alive_without_gil(const WorldState& world, const std::vector<Entity>& entities) {
    if (const std::size_t i = first_dead(world, entities); i != entities.size())
        throw std::out_of_range("entities: number " + std::to_string(i) + " (" + std::to_string(entities[i].to_bits()) +
                                "): " + world.dead_because(entities[i]));
}

/// The ids that a list of terms names, for remove().
std::vector<ComponentId> ids_of(const SharedWorld& world, nb::tuple terms) {
    std::vector<ComponentId> ids;
    for (nb::handle object : terms) {
        const Term term = term_from(world, object, "components");
        if (term.part->role == Role::component)
            ids.insert(ids.end(), term.part->ids.begin(), term.part->ids.end());
        else if (term.part->role == Role::relation && !term.target)
            raise(PyExc_ValueError,
                  "components: '" + term.part->name + "' is a relation: name a pair, or call unrelate(entity, relation)");
        else
            ids.push_back(term.id());
    }
    return ids;
}
Term relation_from(const SharedWorld& world, nb::handle object) {
    Term term = term_from(world, object, "relation");
    if (term.part->role != Role::relation || term.target)
        raise_type("relation", "a relation, as world.relation(...) returns it,", object);
    return term;
}

bool bind_entity(const SharedWorld& world, Entity entity) {
    return briefly(*world, [&] { return world->store.is_alive(entity); });
}

/// Commands that wait.
struct Commands {
    SharedWorld world;
    CommandBuffer buffer;
    explicit Commands(SharedWorld of) : world(std::move(of)), buffer(world->store) { world->buffers.insert(&buffer); }
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;
    ~Commands() { world->buffers.erase(&buffer); }

    template <class Put>
    void record(Entity entity, const Items& items, std::size_t row, Put&& put) {
        std::vector<ComponentId> ids = items.ids;
        ids.insert(ids.end(), items.pairs.begin(), items.pairs.end());
        for (const Given& each : items.given) {
            Given::Room room{&each, row};
            put(entity, each.id(), Given::value(room));
            std::erase(ids, each.id());
        }
        if (!ids.empty()) buffer.add(entity, ids);
    }
    void add(Entity entity, const Items& items, std::size_t row) {
        record(entity, items, row, [&](Entity of, ComponentId id, const AnyValue& value) { buffer.add(of, id, value); });
    }
    void set(Entity entity, const Items& items, std::size_t row) {
        record(entity, items, row, [&](Entity of, ComponentId id, const AnyValue& value) { buffer.set(of, id, value); });
    }
};
void expect_whole(const Items& items) {
    if (!items.partial.empty())
        raise(PyExc_ValueError, items.partial[0].first->name + ": the field '" + items.partial[0].second + "' is missing");
}

nb::object value_of(const WorldState& world, const Part& part, Entity entity) {
    // Copied under the lock: objects are made without it.
    Row row(*part.schema);
    bool found = true;
    briefly(world, [&] {
        if (!world.store.has(entity, part.id())) {
            found = false;
            return;
        }
        const ArchetypeStore& store = world.store;
        for (const Field& field : part.schema->fields()) {
            if (field.validity != Field::none &&
                *static_cast<const std::uint8_t*>(store.get(entity, part.ids[field.validity])) != 0) {
                row.set_null(field.number);
                continue;
            }
            const void* const value = store.get(entity, part.ids[field.column]);
            if (field.is_text())
                *static_cast<Text*>(row.address(field.number)) = *static_cast<const Text*>(value);
            else
                std::memcpy(row.address(field.number), value, field.size());
            row.set_given(field.number);
        }
    });
    return found ? row.object() : nb::object();
}

/// @throws KeyError when it is no number of an entity, of whatever world
void expect_target(const WorldState& world, Entity target) {
    if (target.generation() == 0) raise(PyExc_KeyError, world.not_alive(target));
}

void bind_terms(nb::module_& m) {
    nb::class_<Term>(m, "Term", "What a query or a change names: a component, a tag, a relation or a pair.")
        .def_prop_ro(
            "name", [](const Term& self) { return nb::str(self.part->name.c_str()); }, nb::sig("def name(self) -> str"),
            "The name in its world.")
        .def(
            "__reduce__",
            [](const Term& self) {
                const nb::object world =
                    self.world->object == nullptr ? nb::object() : nb::find(*static_cast<World*>(self.world->object));
                if (!world.is_valid())
                    raise(PyExc_TypeError, "the world of '" + self.spelled() + "' is gone, so that it can not be copied");
                const nb::object target = self.target ? object_of(self.target) : nb::none();
                return nb::make_tuple(nb::module_::import_("slotwise._world").attr("_term"),
                                      nb::make_tuple(world, self.part->name, target, self.constant));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickles with its world.")
        .def("__hash__",
             [](const Term& self) {
                 return static_cast<Py_ssize_t>((reinterpret_cast<std::uintptr_t>(self.part) >> 4) ^
                                                (self.target.to_bits() * 0x9E37'79B9'7F4A'7C15u >> 2));
             })
        .def(
            "__eq__",
            [](const Term& self, nb::handle object) {
                Term* other = nullptr;
                return nb::try_cast(object, other, false) && other != nullptr && self.part == other->part &&
                       self.target == other->target;
            },
            argument("other"), nb::sig("def __eq__(self, other: object, /) -> bool"));
    nb::class_<ComponentTerm, Term>(m, "Component", "A component of a world, see World.component().")
        .def_prop_ro(
            "const",
            [](const ComponentTerm& self) {
                ComponentTerm copy = self;
                copy.constant = true;
                return copy;
            },
            nb::sig("def const(self) -> Component"),
            "The same, only to be read: arrays of chunks are read-only, and nothing is marked as changed.")
        .def_prop_ro(
            "is_const", [](const ComponentTerm& self) { return self.constant; }, nb::sig("def is_const(self) -> bool"),
            "Whether it is only to be read.")
        .def_prop_ro(
            "tracked", [](const ComponentTerm& self) { return self.part->traits.tracked; },
            nb::sig("def tracked(self) -> bool"), "Whether it is kept when it was changed.")
        .def_prop_ro(
            "fields",
            [](const ComponentTerm& self) {
                nb::list paths;
                for (const Field& field : self.part->schema->fields()) paths.append(nb::str(field.path.c_str()));
                return nb::tuple(paths);
            },
            nb::sig("def fields(self) -> tuple[str, ...]"), "The paths of its columns.")
        .def_prop_ro(
            "schema", [](const ComponentTerm& self) { return schema_object(self.part->schema); },
            nb::sig("def schema(self) -> Schema"), "What its values are.")
        .def_prop_ro(
            "_lengths",
            [](const ComponentTerm& self) {
                nb::dict lengths;
                for (const Field& field : self.part->schema->fields()) lengths[nb::str(field.path.c_str())] = field.length;
                return lengths;
            },
            nb::sig("def _lengths(self) -> dict[str, int]"))
        .def(
            "__repr__",
            [](const ComponentTerm& self) {
                return "<slotwise.Component '" + self.part->name + "' (" + self.part->schema->spelled() + ")" +
                       (self.constant ? ", const>" : ">");
            },
            nb::sig("def __repr__(self) -> str"));
    nb::class_<TagTerm, Term>(m, "Tag", "A component without values, see World.tag().")
        .def("__repr__", [](const TagTerm& self) { return "<slotwise.Tag '" + self.part->name + "'>"; });
    nb::class_<RelationTerm, Term>(m, "Relation", "A relation between entities, see World.relation().")
        .def(
            "__call__",
            [](const RelationTerm& self, nb::handle target) {
                PairTerm made{self};
                made.target = entity_from(target, "target");
                expect_target(*self.world, made.target);
                return made;
            },
            argument("target"), nb::sig("def __call__(self, target: int) -> Pair"),
            "The relation to this entity, for queries and for what entities get.")
        .def_prop_ro(
            "_options",
            [](const RelationTerm& self) {
                const auto& of = self.part->traits;
                return nb::make_tuple(of.exclusive, of.sparse, of.acyclic, spelled(of.on_target_despawn));
            },
            nb::sig("def _options(self) -> tuple[bool, bool, bool, str]"))
        .def("__repr__", [](const RelationTerm& self) { return "<slotwise.Relation '" + self.part->name + "'>"; });
    nb::class_<PairTerm, Term>(m, "Pair", "A relation to one entity.")
        .def_prop_ro(
            "relation",
            [](const PairTerm& self) {
                RelationTerm made{self};
                made.target = Entity();
                return made;
            },
            nb::sig("def relation(self) -> Relation"), "The relation that it is of.")
        .def_prop_ro(
            "target", [](const PairTerm& self) { return self.target.to_bits(); }, nb::sig("def target(self) -> int"),
            "The entity that it leads to.")
        .def("__repr__", [](const PairTerm& self) { return "<slotwise.Pair " + self.spelled() + ">"; });
}

void bind_commands(nb::module_& m) {
    nb::class_<Commands>(m, "CommandBuffer", nb::is_weak_referenceable(), "What Commands stands on.")
        .def(
            "__init__", [](Commands* self, const World& world) { new (self) Commands(world.state); }, nb::arg("world"))
        .def(
            "__len__", [](const Commands& self) { return briefly(*self.world, [&] { return self.buffer.size(); }); },
            "Commands that wait.")
        .def(
            "_spawn",
            [](Commands& self, nb::tuple items) {
                Items given;
                given.take(self.world, items, false, true);
                return briefly(*self.world, [&] {
                    const Entity entity = self.buffer.spawn();
                    self.add(entity, given, 0);
                    return entity.to_bits();
                });
            },
            argument("items"), nb::sig("def _spawn(self, items: tuple[typing.Any, ...]) -> int"))
        .def(
            "_spawn_many",
            [](Commands& self, std::size_t count, nb::list prepared) {
                Items given;
                given.take_columns(self.world, prepared, count, true);
                expect_whole(given);
                std::vector<Entity> made;
                made.reserve(count);
                at_length(*self.world, [&] {
                    self.buffer.reserve(count);
                    for (std::size_t i = 0; i != count; ++i) {
                        made.push_back(self.buffer.spawn());
                        self.add(made.back(), given, i);
                    }
                });
                return array_of(std::move(made));
            },
            argument("count"), argument("prepared"),
            nb::sig("def _spawn_many(self, count: int, prepared: list[tuple[typing.Any, typing.Any, typing.Any]]) -> "
                    "numpy.typing.NDArray[numpy.uint64]"))
        .def(
            "despawn",
            [](Commands& self, nb::handle entity) {
                const Entity which = entity_from(entity, "entity");
                briefly(*self.world, [&] { self.buffer.despawn(which); });
            },
            argument("entity"), nb::sig("def despawn(self, entity: int) -> None"), "Ends an entity.")
        .def(
            "despawn_many",
            [](Commands& self, nb::handle entities) {
                const std::vector<Entity> all = entities_from(entities, "entities");
                at_length(*self.world, [&] {
                    for (const Entity each : all) self.buffer.despawn(each);
                });
            },
            argument("entities"), nb::sig("def despawn_many(self, entities: typing.Any) -> None"), "Ends these entities.")
        .def(
            "_give",
            [](Commands& self, nb::handle entity, nb::tuple items, bool assigns) {
                const Entity which = entity_from(entity, "entity");
                Items given;
                given.take(self.world, items, false, false);
                briefly(*self.world, [&] { assigns ? self.set(which, given, 0) : self.add(which, given, 0); });
            },
            argument("entity"), argument("items"), argument("assigns"),
            nb::sig("def _give(self, entity: int, items: tuple[typing.Any, ...], assigns: bool) -> None"))
        .def(
            "_give_many",
            [](Commands& self, nb::handle entities, nb::list prepared, bool assigns) {
                const std::vector<Entity> all = entities_from(entities, "entities");
                Items given;
                given.take_columns(self.world, prepared, all.size(), false);
                expect_whole(given);
                at_length(*self.world, [&] {
                    for (std::size_t i = 0; i != all.size(); ++i)
                        assigns ? self.set(all[i], given, i) : self.add(all[i], given, i);
                });
            },
            argument("entities"), argument("prepared"), argument("assigns"),
            nb::sig("def _give_many(self, entities: typing.Any, prepared: list[tuple[typing.Any, typing.Any, typing.Any]], "
                    "assigns: bool) -> None"))
        .def(
            "_remove",
            [](Commands& self, nb::handle entity, nb::tuple terms) {
                const Entity which = entity_from(entity, "entity");
                const auto ids = ids_of(self.world, terms);
                briefly(*self.world, [&] { self.buffer.remove(which, ids); });
            },
            argument("entity"), argument("terms"),
            nb::sig("def _remove(self, entity: int, terms: tuple[typing.Any, ...]) -> None"))
        .def(
            "_remove_many",
            [](Commands& self, nb::handle entities, nb::tuple terms) {
                const std::vector<Entity> all = entities_from(entities, "entities");
                const auto ids = ids_of(self.world, terms);
                at_length(*self.world, [&] {
                    for (const Entity each : all) self.buffer.remove(each, ids);
                });
            },
            argument("entities"), argument("terms"),
            nb::sig("def _remove_many(self, entities: typing.Any, terms: tuple[typing.Any, ...]) -> None"))
        .def(
            "relate",
            [](Commands& self, nb::handle entity, nb::handle relation, nb::handle target) {
                const Entity from = entity_from(entity, "entity"), to = entity_from(target, "target");
                const Term term = relation_from(self.world, relation);
                expect_target(*self.world, to);
                briefly(*self.world, [&] { self.buffer.relate(from, term.part->ids[0], to); });
            },
            argument("entity"), argument("relation"), argument("target"),
            nb::sig("def relate(self, entity: int, relation: Relation, target: int) -> None"),
            "Relates an entity to a target, which may be one that these commands spawn.")
        .def(
            "unrelate",
            [](Commands& self, nb::handle entity, nb::handle relation, nb::handle target) {
                const Entity from = entity_from(entity, "entity");
                const Entity to = target.is_none() ? Entity() : entity_from(target, "target");
                const Term term = relation_from(self.world, relation);
                if (!target.is_none()) expect_target(*self.world, to);
                briefly(*self.world, [&] {
                    target.is_none() ? self.buffer.unrelate(from, term.part->ids[0])
                                     : self.buffer.unrelate(from, term.part->ids[0], to);
                });
            },
            argument("entity"), argument("relation"), argument("target", nb::none()),
            nb::sig("def unrelate(self, entity: int, relation: Relation, target: int | None = None) -> None"),
            "Removes a pair, or all pairs of the relation.")
        .def(
            "apply",
            [](Commands& self) {
                return at_length(*self.world, [&] {
                    if (self.buffer.empty()) return std::size_t{0};
                    self.world->expect_changeable();
                    return self.world->store.apply(self.buffer);
                });
            },
            nb::sig("def apply(self) -> int"),
            "Carries the commands out, and returns how many were dropped because their entity or target did not live any more. "
            "Raises RuntimeError while a query is iterated, and BufferError while arrays of a chunk are alive: they wait then. "
            "Raises ValueError when a relation refuses a pair or that its target ends: what was done before stays done, the "
            "commands about other entities still wait, for another apply() or clear(); those about this one are gone.")
        .def(
            "clear", [](Commands& self) { briefly(*self.world, [&] { self.buffer.clear(); }); },
            nb::sig("def clear(self) -> None"), "Drops all commands.");
}

} // namespace

//=== bindings ===//

void bind_world(nb::module_& m) {
    nb::class_<WorldHandle>(m, "_WorldState");
    bind_terms(m);
    nb::class_<World> cls(m, "World", nb::is_weak_referenceable());
    cls.def(nb::init<>());
    cls.def_prop_ro("_state", [](const World& self) { return Shared{self.state}; });
    cls.def(
        "component",
        [](const World& self, nb::handle name, nb::handle schema, nb::handle tracked) {
            slotwise::ComponentTraits traits;
            traits.tracked = flag_from(tracked, "tracked");
            return make_part(self.state, name, Role::component, traits, schema_from(schema, "schema"));
        },
        argument("name"), argument("schema"), nb::kw_only(), argument("tracked", false),
        nb::sig("def component(self, name: str, schema: typing.Any, *, tracked: bool = False) -> Component"),
        "The component of this name, whose values are of this schema; it is made if there is none. A schema is what Schema() "
        "takes: a type, a dict, a dataclass. Each of its fields is an array in each table. tracked: whether it is kept when "
        "the component of an entity was changed, for query(..., changed_since=); it takes 8 bytes an entity, and time. Raises "
        "ValueError when the world has something else of this name.");
    cls.def(
        "tag", [](const World& self, nb::handle name) { return make_part(self.state, name, Role::tag, {}, nullptr); },
        argument("name"), nb::sig("def tag(self, name: str) -> Tag"),
        "The tag of this name, a component without values; it is made if there is none.");
    cls.def(
        "_relation",
        [](const World& self, nb::handle name, nb::handle exclusive, nb::handle sparse, nb::handle acyclic,
           nb::handle on_target_despawn) {
            slotwise::ComponentTraits traits;
            traits.exclusive = flag_from(exclusive, "exclusive");
            traits.sparse = flag_from(sparse, "sparse");
            traits.acyclic = flag_from(acyclic, "acyclic");
            const std::string policy = text_from(on_target_despawn, "on_target_despawn");
            if (policy == "despawn")
                traits.on_target_despawn = OnTargetDespawn::despawn;
            else if (policy == "refuse")
                traits.on_target_despawn = OnTargetDespawn::refuse;
            else if (policy != "remove")
                raise(PyExc_ValueError, "on_target_despawn: 'remove', 'despawn' or 'refuse' is needed, not '" + policy + "'");
            return make_part(self.state, name, Role::relation, traits, nullptr);
        },
        argument("name"), argument("exclusive"), argument("sparse"), argument("acyclic"), argument("on_target_despawn"),
        nb::sig("def _relation(self, name: str, exclusive: bool, sparse: bool, acyclic: bool, on_target_despawn: str) -> "
                "Relation"));
    cls.def(
        "_parts",
        [](const World& self) {
            nb::list all;
            for (Part& part : self.state->parts) all.append(object_of(Term{self.state, &part, {}, false}));
            return all;
        },
        nb::sig("def _parts(self) -> list[Term]"));

    // entities
    cls.def(
        "__len__", [](const World& self) { return briefly(*self.state, [&] { return self.state->store.size(); }); },
        "Entities that live.");
    cls.def(
        "__bool__", [](const World&) { return true; }, "True: a world without entities is one, too.");
    cls.def(
        "alive", [](const World& self, nb::handle entity) { return bind_entity(self.state, entity_from(entity, "entity")); },
        argument("entity"), nb::sig("def alive(self, entity: int) -> bool"),
        "Whether the entity lives. The number of one that was despawned never becomes that of another one.");
    cls.def(
        "__contains__",
        [](const World& self, nb::handle entity) {
            const auto bits = Py<std::uint64_t>::find(entity);
            return bits && bind_entity(self.state, Entity::from_bits(*bits));
        },
        argument("entity"), nb::sig("def __contains__(self, entity: object) -> bool"), "Whether it is an entity that lives.");
    cls.def(
        "contains_many",
        [](const World& self, nb::handle entities) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            Field flags;
            flags.kind = Kind::boolean;
            Gathered result(flags, all.size());
            at_length(*self.state, [&] {
                for (const Entity each : all) {
                    const std::uint8_t lives = self.state->store.is_alive(each);
                    result.append(&lives, nullptr, 1);
                }
            });
            return result.array();
        },
        argument("entities"), nb::sig("def contains_many(self, entities: typing.Any) -> numpy.typing.NDArray[numpy.bool_]"),
        "Which of these entities live: an array of bool.");
    cls.def(
        "entities",
        [](const World& self) {
            std::vector<Entity> all;
            at_length(*self.state, [&] {
                for (const Entity each : self.state->store.entities())
                    if (self.state->store.is_alive(each)) all.push_back(each);
            });
            return array_of(std::move(all));
        },
        nb::sig("def entities(self) -> numpy.typing.NDArray[numpy.uint64]"),
        "All entities that live, in no order: a uint64 array.");
    cls.def(
        "_spawn",
        [](const World& self, nb::tuple items) {
            Items given;
            given.take(self.state, items, false, true);
            return briefly(*self.state, [&] {
                self.state->expect_changeable();
                expect_targets(*self.state, given);
                ArchetypeStore& store = self.state->store;
                const Entity made = store.spawn_columns(1, given.ids, [&](ComponentId id, void* to, std::size_t count) {
                    const Given* const of = given.find(id);
                    if (of != nullptr) of->build(to, count);
                    return of != nullptr;
                })[0];
                if (!given.pairs.empty()) {
                    slotwise::ScopeGuard undo([&]() noexcept { store.despawn(made); });
                    store.add(made, given.pairs);
                    undo.dismiss();
                }
                return made.to_bits();
            });
        },
        argument("items"), nb::sig("def _spawn(self, items: tuple[typing.Any, ...]) -> int"));
    cls.def(
        "_spawn_many",
        [](const World& self, nb::handle number, nb::list prepared) {
            const std::size_t count = count_from(number, "count", std::size_t{1} << 30);
            Items given;
            given.take_columns(self.state, prepared, count, true);
            expect_whole(given);
            std::vector<Entity> made;
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                expect_targets(*self.state, given);
                ArchetypeStore& store = self.state->store;
                const auto all = store.spawn_columns(count, given.ids, [&](ComponentId id, void* to, std::size_t n) {
                    const Given* const of = given.find(id);
                    if (of != nullptr) of->build(to, n);
                    return of != nullptr;
                });
                made.assign(all.begin(), all.end());
                if (given.pairs.empty()) return;
                slotwise::ScopeGuard undo([&]() noexcept { store.despawn(made); });
                for (const Entity each : made) store.add(each, given.pairs);
                undo.dismiss();
            });
            return array_of(std::move(made));
        },
        argument("count"), argument("prepared"),
        nb::sig("def _spawn_many(self, count: int, prepared: list[tuple[typing.Any, typing.Any, typing.Any]]) -> "
                "numpy.typing.NDArray[numpy.uint64]"));
    cls.def(
        "despawn",
        [](const World& self, nb::handle entity) {
            const Entity which = entity_from(entity, "entity");
            return briefly(*self.state, [&] {
                self.state->expect_changeable();
                return self.state->store.despawn(which);
            });
        },
        argument("entity"), nb::sig("def despawn(self, entity: int) -> bool"),
        "Ends an entity with all that it has; what relates to it is treated as its relations ask for. False when it does not "
        "live. Raises ValueError when a relation refuses it.");
    cls.def(
        "despawn_many",
        [](const World& self, nb::handle entities) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            return at_length(*self.state, [&] {
                self.state->expect_changeable();
                return despawn_all(*self.state, all);
            });
        },
        argument("entities"), nb::sig("def despawn_many(self, entities: typing.Any) -> int"),
        "Ends these entities; those that do not live are skipped. Returns how many have ended, with those that went along. "
        "Raises "
        "ValueError when a relation of one that stays refuses it; none has ended then.");
    cls.def(
        "clear",
        [](const World& self) {
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                self.state->store.clear();
            });
        },
        nb::sig("def clear(self) -> None"), "Ends all entities. Components stay, and numbers of entities are not used again.");
    cls.def(
        "reserve",
        [](const World& self, nb::handle count) {
            const std::size_t room = count_from(count, "count", std::size_t{1} << 30);
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                self.state->store.reserve<>(room);
            });
        },
        argument("count"), nb::sig("def reserve(self, count: int) -> None"), "Makes room for `count` entities in all.");

    // components
    cls.def(
        "_give",
        [](const World& self, nb::handle entity, nb::tuple items, bool assigns) {
            const Entity which = entity_from(entity, "entity");
            Items given;
            given.take(self.state, items, assigns, false);
            briefly(*self.state, [&] {
                self.state->expect_alive(which);
                give(*self.state, which, given, assigns);
            });
        },
        argument("entity"), argument("items"), argument("assigns"),
        nb::sig("def _give(self, entity: int, items: tuple[typing.Any, ...], assigns: bool) -> None"));
    cls.def(
        "_give_many",
        [](const World& self, nb::handle entities, nb::list prepared, bool assigns) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            Items given;
            given.take_columns(self.state, prepared, all.size(), false);
            if (!assigns) expect_whole(given);
            expect_all_alive(*self.state, all);
            at_length(*self.state, [&] {
                expect_alive_without_gil(*self.state, all);
                give_many(*self.state, all, given, assigns);
            });
        },
        argument("entities"), argument("prepared"), argument("assigns"),
        nb::sig("def _give_many(self, entities: typing.Any, prepared: list[tuple[typing.Any, typing.Any, typing.Any]], "
                "assigns: bool) -> None"));
    cls.def(
        "_remove",
        [](const World& self, nb::handle entity, nb::tuple terms) {
            const Entity which = entity_from(entity, "entity");
            const auto ids = ids_of(self.state, terms);
            briefly(*self.state, [&] {
                self.state->expect_alive(which);
                bool any = false;
                for (const ComponentId id : ids) any = any || self.state->store.has(which, id);
                if (!any) return;
                self.state->expect_changeable();
                self.state->store.remove(which, ids);
            });
        },
        argument("entity"), argument("terms"),
        nb::sig("def _remove(self, entity: int, terms: tuple[typing.Any, ...]) -> None"));
    cls.def(
        "_remove_many",
        [](const World& self, nb::handle entities, nb::tuple terms) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            const auto ids = ids_of(self.state, terms);
            expect_all_alive(*self.state, all);
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                expect_alive_without_gil(*self.state, all);
                for (const Entity each : all) self.state->store.remove(each, ids);
            });
        },
        argument("entities"), argument("terms"),
        nb::sig("def _remove_many(self, entities: typing.Any, terms: tuple[typing.Any, ...]) -> None"));
    cls.def(
        "has",
        [](const World& self, nb::handle entity, nb::handle term) {
            const Entity which = entity_from(entity, "entity");
            const Term of = term_from(self.state, term, "term");
            return briefly(*self.state, [&] { return self.state->store.has(which, of.id()); });
        },
        argument("entity"), argument("term"), nb::sig("def has(self, entity: int, term: Term) -> bool"),
        "Whether the entity lives and has this component, tag or pair; of a relation any pair.");
    cls.def(
        "has_many",
        [](const World& self, nb::handle entities, nb::handle term) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            const Term of = term_from(self.state, term, "term");
            Field flags;
            flags.kind = Kind::boolean;
            Gathered result(flags, all.size());
            at_length(*self.state, [&] {
                for (const Entity each : all) {
                    const std::uint8_t has = self.state->store.has(each, of.id());
                    result.append(&has, nullptr, 1);
                }
            });
            return result.array();
        },
        argument("entities"), argument("term"),
        nb::sig("def has_many(self, entities: typing.Any, term: Term) -> numpy.typing.NDArray[numpy.bool_]"),
        "has() of each of these entities: an array of bool.");
    cls.def(
        "_get",
        [](const World& self, nb::handle entity, nb::handle component, nb::handle otherwise, bool required) -> nb::object {
            const Entity which = entity_from(entity, "entity");
            const Term of = term_from(self.state, component, "component");
            if (of.part->role != Role::component) raise_type("component", "a component", component);
            nb::object value = value_of(*self.state, *of.part, which);
            if (value.is_valid()) return value;
            if (!required) return nb::borrow(otherwise);
            briefly(*self.state, [&] { self.state->expect_alive(which); });
            raise(PyExc_KeyError, "entity " + std::to_string(which.to_bits()) + ": it has no '" + of.part->name + "'");
        },
        argument("entity"), argument("component"), argument("otherwise"), argument("required"),
        nb::sig("def _get(self, entity: int, component: Component, otherwise: typing.Any, required: bool) -> typing.Any"));
    cls.def(
        "_get_many",
        [](const World& self, nb::handle entities, nb::handle component, bool masked) -> nb::object {
            const std::vector<Entity> all = entities_from(entities, "entities");
            const Term of = term_from(self.state, component, "component");
            if (of.part->role != Role::component) raise_type("component", "a component", component);
            const Part& part = *of.part;
            std::vector<Gathered> columns;
            for (Field field : part.schema->fields()) {
                field.nullable = field.nullable || masked;
                columns.emplace_back(field, all.size());
            }
            std::size_t missing = all.size();
            const ArchetypeStore& store = self.state->store;
            at_length(*self.state, [&] {
                for (Gathered& column : columns) {
                    const Field& field = column.field();
                    for (std::size_t i = 0; i != all.size(); ++i) {
                        const void* const value = store.get(all[i], part.ids[field.column]);
                        if (value == nullptr && !masked) {
                            missing = i;
                            return;
                        }
                        if (value == nullptr)
                            column.append_null(1);
                        else if (field.validity == Field::none)
                            column.append_one(value);
                        else
                            column.append(value, static_cast<const std::uint8_t*>(store.get(all[i], part.ids[field.validity])),
                                          1);
                    }
                }
            });
            if (missing != all.size())
                raise(PyExc_KeyError, "entities: number " + std::to_string(missing) + " (" +
                                          std::to_string(all[missing].to_bits()) + "): " +
                                          (bind_entity(self.state, all[missing]) ? "it has no '" + part.name + "'"
                                                                                 : self.state->dead_because(all[missing])));
            if (part.is_single()) return columns[0].array();
            nb::dict result;
            for (const Gathered& column : columns) result[nb::str(column.field().path.c_str())] = column.array();
            return result;
        },
        argument("entities"), argument("component"), argument("masked"),
        nb::sig("def _get_many(self, entities: typing.Any, component: Component, masked: bool) -> typing.Any"));
    cls.def(
        "terms_of",
        [](const World& self, nb::handle entity) {
            const Entity which = entity_from(entity, "entity");
            std::vector<Term> terms;
            briefly(*self.state, [&] {
                self.state->expect_alive(which);
                self.state->store.for_each_component(which, [&](ComponentId id, const void*) {
                    if (id.is_pair()) {
                        if (id.target())
                            terms.push_back(
                                {self.state, self.state->of_number[id.relation_number()].first, id.target(), false});
                        return;
                    }
                    Part* const part = self.state->of_number[id.number()].first;
                    if (part->role == Role::relation || part->id() != id) return;
                    terms.push_back({self.state, part, {}, false});
                });
            });
            nb::list result;
            for (Term& each : terms) result.append(object_of(std::move(each)));
            return result;
        },
        argument("entity"), nb::sig("def terms_of(self, entity: int) -> list[Term]"),
        "The components, tags and pairs of an entity. Raises KeyError when it does not live.");
    cls.def(
        "clone",
        [](const World& self, nb::handle entity) {
            const Entity which = entity_from(entity, "entity");
            return briefly(*self.state, [&] {
                self.state->expect_alive(which);
                self.state->expect_changeable();
                return self.state->store.clone(which).to_bits();
            });
        },
        argument("entity"), nb::sig("def clone(self, entity: int) -> int"),
        "A new entity with copies of all that this one has. Raises KeyError when it does not live.");

    // relations
    cls.def(
        "relate",
        [](const World& self, nb::handle entity, nb::handle relation, nb::handle target) {
            const Entity from = entity_from(entity, "entity"), to = entity_from(target, "target");
            const Term term = relation_from(self.state, relation);
            briefly(*self.state, [&] {
                self.state->expect_alive(from);
                self.state->expect_alive(to);
                self.state->expect_changeable();
                self.state->store.relate(from, term.part->ids[0], to);
            });
        },
        argument("entity"), argument("relation"), argument("target"),
        nb::sig("def relate(self, entity: int, relation: Relation, target: int) -> None"),
        "Relates an entity to a target. In an exclusive relation it takes the place of the pair that the entity has. Raises "
        "KeyError when one of both does not live, ValueError when an acyclic relation would get a cycle.");
    cls.def(
        "relate_many",
        [](const World& self, nb::handle entities, nb::handle relation, nb::handle targets) {
            const std::vector<Entity> all = entities_from(entities, "entities");
            std::vector<Entity> to;
            if (PyIndex_Check(targets.ptr()) != 0 && !is_iterable(targets))
                to.assign(all.size(), entity_from(targets, "targets"));
            else
                to = entities_from(targets, "targets");
            const Term term = relation_from(self.state, relation);
            if (to.size() != all.size())
                raise(PyExc_ValueError, "targets: one target, or one for each of the " + std::to_string(all.size()) +
                                            " entities is needed, not " + std::to_string(to.size()));
            expect_all_alive(*self.state, all);
            expect_all_alive(*self.state, to);
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                expect_alive_without_gil(*self.state, all);
                expect_alive_without_gil(*self.state, to);
                if (term.part->traits.acyclic) {
                    Acyclic check(*self.state, *term.part);
                    for (std::size_t i = 0; i != all.size(); ++i) check.relate(all[i], to[i]);
                }
                for (std::size_t i = 0; i != all.size(); ++i) self.state->store.relate(all[i], term.part->ids[0], to[i]);
            });
        },
        argument("entities"), argument("relation"), argument("targets"),
        nb::sig("def relate_many(self, entities: typing.Any, relation: Relation, targets: typing.Any) -> None"),
        "relate() of each entity to its target, or of all to one. Raises KeyError when one does not live, ValueError when an "
        "acyclic relation would get a cycle; nothing has changed then.");
    cls.def(
        "unrelate",
        [](const World& self, nb::handle entity, nb::handle relation, nb::handle target) {
            const Entity from = entity_from(entity, "entity");
            const Entity to = target.is_none() ? Entity() : entity_from(target, "target");
            const Term term = relation_from(self.state, relation);
            if (!target.is_none()) expect_target(*self.state, to);
            briefly(*self.state, [&] {
                self.state->expect_alive(from);
                self.state->expect_changeable();
                const ComponentId id = term.part->ids[0];
                target.is_none() ? self.state->store.unrelate(from, id) : self.state->store.unrelate(from, id, to);
            });
        },
        argument("entity"), argument("relation"), argument("target", nb::none()),
        nb::sig("def unrelate(self, entity: int, relation: Relation, target: int | None = None) -> None"),
        "Removes a pair, or all pairs of the relation; a pair that the entity has not is ignored. Raises KeyError when the "
        "entity does not live, or no entity ever had the number of the target.");
    const auto several = [&](const char* name, const char* first, const char* second, const char* signature, const char* text,
                             auto f) {
        cls.def(
            name,
            [f](const World& self, nb::handle a, nb::handle b) {
                const bool entity_first = PyIndex_Check(a.ptr()) != 0;
                const Entity entity = entity_from(entity_first ? a : b, "entity");
                const Term term = relation_from(self.state, entity_first ? b : a);
                std::vector<Entity> all;
                briefly(*self.state, [&] { all = f(self.state->store, entity, term.part->ids[0]); });
                return array_of(std::move(all));
            },
            argument(first), argument(second), nb::sig(signature), text);
    };
    several(
        "targets", "entity", "relation",
        "def targets(self, entity: int, relation: Relation) -> numpy.typing.NDArray[numpy.uint64]",
        "What the entity is related to: a uint64 array, empty when it does not live. In ascending order; of a sparse relation "
        "as they were related.",
        [](const ArchetypeStore& store, Entity entity, ComponentId id) { return collected(store.targets(entity, id)); });
    several("sources", "relation", "target",
            "def sources(self, relation: Relation, target: int) -> numpy.typing.NDArray[numpy.uint64]",
            "What is related to the target, the children of a parent for example: a uint64 array.",
            [](const ArchetypeStore& store, Entity entity, ComponentId id) { return collected(store.sources(id, entity)); });
    several("ancestors", "entity", "relation",
            "def ancestors(self, entity: int, relation: Relation) -> numpy.typing.NDArray[numpy.uint64]",
            "The entity's first target, the target of that, and so on: a uint64 array, the nearest first.",
            [](const ArchetypeStore& store, Entity entity, ComponentId id) { return collected(store.ancestors(entity, id)); });
    several("descendants", "root", "relation",
            "def descendants(self, root: int, relation: Relation) -> numpy.typing.NDArray[numpy.uint64]",
            "What is related to the root, then what is related to that, and so on: a uint64 array, the nearest first.",
            [](const ArchetypeStore& store, Entity entity, ComponentId id) {
                std::vector<Entity> all;
                store.for_each_descendant(entity, id, [&](Entity each, std::size_t) { all.push_back(each); });
                return all;
            });
    cls.def(
        "target",
        [](const World& self, nb::handle entity, nb::handle relation) -> nb::object {
            const Entity from = entity_from(entity, "entity");
            const Term term = relation_from(self.state, relation);
            const Entity found = briefly(*self.state, [&] { return self.state->store.target(from, term.part->ids[0]); });
            return found ? object_of(found) : nb::none();
        },
        argument("entity"), argument("relation"), nb::sig("def target(self, entity: int, relation: Relation) -> int | None"),
        "The entity's target, the first one if there are several; None if there is none.");

    // time, snapshots, memory
    cls.def_prop_ro(
        "tick", [](const World& self) { return self.state->store.tick(); }, nb::sig("def tick(self) -> int"),
        "The tick that changes get, from 1.");
    cls.def(
        "advance", [](const World& self) { return briefly(*self.state, [&] { return self.state->store.advance(); }); },
        nb::sig("def advance(self) -> int"),
        "Goes on to the next tick, and returns the one that ended: what changes from now on is newer, for "
        "query(..., changed_since=).");
    cls.def_prop_ro(
        "pinned", [](const World& self) { return self.state->pins != 0; }, nb::sig("def pinned(self) -> bool"),
        "Whether an array of a chunk is alive: entities and what they have can not change then.");
    cls.def(
        "memory_usage",
        [](const World& self) { return briefly(*self.state, [&] { return self.state->store.memory_usage(); }); },
        nb::sig("def memory_usage(self) -> int"), "Bytes of memory held, without those of texts of more than 12 bytes.");
    cls.def(
        "_bytes",
        [](const World& self) {
            const auto codes = codec();
            return to_bytes(at_length(*self.state, [&] { return self.state->store.snapshot(codes); }));
        },
        nb::sig("def _bytes(self) -> bytes"));
    cls.def(
        "_restore",
        [](const World& self, nb::handle data) {
            const Bytes bytes(data);
            const auto codes = codec();
            at_length(*self.state, [&] {
                self.state->expect_changeable();
                for (const CommandBuffer* const each : self.state->buffers)
                    if (!each->empty())
                        throw std::runtime_error("commands of this world wait: apply() or clear() them before restore()");
                self.state->store.restore(bytes.span(), codes);
            });
        },
        argument("data"), nb::sig("def _restore(self, data: typing.Any) -> None"));
    cls.def(
        "_take_copy",
        [](const World& self, const World& other) {
            const auto codes = codec();
            const auto bytes = at_length(*other.state, [&] { return other.state->store.snapshot(codes); });
            at_length(*self.state, [&] { self.state->store.restore(bytes, codes); });
        },
        argument("other"), nb::sig("def _take_copy(self, other: World) -> None"));
    cls.def(
        "_check", [](const World& self) { return briefly(*self.state, [&] { return self.state->store.check_invariants(); }); },
        nb::sig("def _check(self) -> bool"));

    bind_commands(m);
    bind_world_query(m);
}

} // namespace slotwise_python
