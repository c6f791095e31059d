// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Queries of a World, iterated table by table: NumPy arrays over the columns of the tables, without a copy.
#include "box.hpp"
#include "frame.hpp"
#include "world.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

namespace slotwise_python {

namespace {

using StoreQuery = slotwise::Query<ArchetypeStore>;

/// Some rows of a chunk of the store.
struct RowsOf {
    const StoreQuery::Chunk* chunk;
    std::size_t first, last;
    std::size_t size() const { return last - first; }
    const std::byte* read(ComponentId id) const {
        const slotwise::ConstAnySpan all = chunk->const_column(id);
        return static_cast<const std::byte*>(all.data()) + first * all.type().size;
    }
};

/// What is asked for.
struct Asked {
    SharedWorld world;
    std::vector<Term> terms{};    ///< in the order in which they were named
    std::vector<Term> optional{}; ///< components that may be missing
    std::vector<ComponentId> changed{};
    tick_t since = 0;
    std::optional<StoreQuery> query{};

    const Term* find(const Part* part) const {
        for (const auto* list : {&terms, &optional})
            for (const Term& each : *list)
                if (each.part == part) return &each;
        return nullptr;
    }
    /// Calls f(rows) for each run of rows. @pre the lock is held
    template <class F>
    void for_each(const StoreQuery::Chunks& chunks, F&& f) const {
        for (const auto& chunk : chunks) {
            if (changed.size() < 2) {
                f(RowsOf{&chunk, 0, chunk.size()});
                continue;
            }
            std::vector<bool> hit(chunk.size());
            for (const ComponentId id : changed) chunk.for_each_changed(id, since, [&](std::size_t row) { hit[row] = true; });
            for (std::size_t row = 0; row != hit.size();) {
                if (!hit[row]) {
                    ++row;
                    continue;
                }
                const std::size_t first = row;
                while (row != hit.size() && hit[row]) ++row;
                f(RowsOf{&chunk, first, row});
            }
        }
    }
    std::vector<Entity> entities() const {
        std::vector<Entity> all;
        const auto chunks = query->chunks();
        for_each(chunks, [&](const RowsOf& rows) {
            const auto of = rows.chunk->entities();
            all.insert(all.end(), of.begin() + static_cast<std::ptrdiff_t>(rows.first),
                       of.begin() + static_cast<std::ptrdiff_t>(rows.last));
        });
        return all;
    }
};
using SharedAsked = std::shared_ptr<Asked>;

/// One loop over the tables. Structure can not change until it has ended.
class Walk {
public:
    explicit Walk(SharedAsked asked) : asked_(std::move(asked)) {
        briefly(world(), [&] {
            chunks_.emplace(asked_->query->chunks());
            begun_ = world().store.tick();
            ++world().walks;
            asked_->for_each(*chunks_, [&](const RowsOf& rows) { rows_.push_back(rows); });
        });
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk() { end(); }

    WorldState& world() const { return *asked_->world; }
    const Asked& asked() const { return *asked_; }
    const SharedWorld& shared_world() const { return asked_->world; }
    void end() {
        if (!chunks_) return;
        chunks_.reset();
        --world().walks;
        current_ = none;
    }
    bool next() {
        if (!chunks_) return false;
        stamped_.clear();
        if (++current_ != rows_.size()) return true;
        end();
        return false;
    }
    std::size_t current() const { return current_; }
    /// The rows of a step count as changed: noted once for each component and tick. @pre the lock is held
    void stamp(const RowsOf& rows, const Part& part) {
        if (!part.traits.tracked) return;
        const tick_t now = world().store.tick();
        for (const auto& [of, tick] : stamped_)
            if (of == &part && tick == now) return;
        if (rows.size() == rows.chunk->size() && now == begun_)
            static_cast<void>(rows.chunk->column(part.id()));
        else // rows beside these did not change, and the chunk knows the tick in which the loop began
            for (const Entity each : rows.chunk->entities().subspan(rows.first, rows.size()))
                static_cast<void>(world().store.get(each, part.id()));
        stamped_.emplace_back(&part, now);
    }
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// The rows of a step. @throws RuntimeError when it is over
    const RowsOf& rows(std::size_t step) const {
        if (!chunks_ || step != current_)
            raise(PyExc_RuntimeError,
                  "this chunk belongs to a step of the loop that is over; keep a copy() of the arrays that are "
                  "needed later, not the chunk");
        return rows_[step];
    }

private:
    SharedAsked asked_;
    std::optional<StoreQuery::Chunks> chunks_{};
    std::vector<RowsOf> rows_{};
    std::vector<std::pair<const Part*, tick_t>> stamped_{}; // in this step
    tick_t begun_ = 0;
    std::size_t current_ = none;
};
/// The iterator. It alone keeps a walk going: a chunk that a variable keeps does not.
struct WalkIterator {
    std::shared_ptr<Walk> walk;
    explicit WalkIterator(SharedAsked asked) : walk(std::make_shared<Walk>(std::move(asked))) {}
    WalkIterator(WalkIterator&&) = default;
    ~WalkIterator() {
        if (walk != nullptr) walk->end();
    }
};

/// Some rows of a table, in one step of a loop.
struct WorldChunk {
    std::shared_ptr<Walk> walk;
    std::size_t step;
    const RowsOf& rows() const { return walk->rows(step); }
};
/// A component of a chunk, or a struct within it.
struct View {
    WorldChunk chunk;
    Term term;
    std::string prefix; // "" or "place."
};

nb::object array_of_leaf(const WorldChunk& chunk, const Term& term, const Field& field) {
    const Part& part = *term.part;
    const RowsOf& rows = chunk.rows();
    std::byte* data = nullptr;
    const std::uint8_t* nulls = nullptr;
    briefly(chunk.walk->world(), [&] {
        data = const_cast<std::byte*>(rows.read(part.ids[field.column])); // written only by what is not constant
        if (field.validity != Field::none) nulls = reinterpret_cast<const std::uint8_t*>(rows.read(part.ids[field.validity]));
        if (!term.constant) chunk.walk->stamp(rows, part);
    });
    const std::size_t size = rows.size();
    if (field.is_text()) {
        Gathered copy(field, size);
        copy.append(data, nulls, size);
        return copy.array(false);
    }
    const auto pin = [&] { return pin_of(chunk.walk->shared_world(), term.part->pins); };
    nb::object array = array_of(field, data, size, pin(), !term.constant);
    return nulls == nullptr ? array : masked_array(array, mask_of(nulls, size, pin(), !term.constant));
}

/// Whether the array is the column itself: all its rows, in order, with values of the same size.
bool is_column(const Field& field, nb::handle object, const void* data, std::size_t rows) {
    nb::ndarray<nb::ro> array;
    if (!nb::try_cast(object, array, false) || array.data() != data) return false;
    if (array.ndim() != (field.length == 0 ? 1u : 2u) || array.shape(0) != rows || array.dtype().bits != field.item_size() * 8)
        return false;
    const bool is_float = array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
    if (is_float != (field.kind == Kind::float32 || field.kind == Kind::float64)) return false;
    if (field.length != 0 && (array.shape(1) != field.length || array.stride(1) != 1)) return false;
    return array.stride(0) == (field.length == 0 ? 1 : static_cast<std::int64_t>(field.length));
}
/// A copy of an array that may share memory with the column.
nb::object apart_from(const Field& field, nb::handle value, const void* data, std::size_t rows) {
    const nb::object np = nb::module_::import_("numpy");
    const int is_array = PyObject_IsInstance(value.ptr(), np.attr("ndarray").ptr());
    if (is_array < 0) raise_again();
    if (is_array == 0 || field.is_text()) return nb::borrow(value);
    const nb::object column = array_of(field, const_cast<void*>(data), rows, nb::none(), false);
    return nb::cast<bool>(np.attr("may_share_memory")(value, column)) ? nb::object(value.attr("copy")()) : nb::borrow(value);
}
bool is_one_value(const Field& field, nb::handle value) {
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || value.is_none()) return true;
    if (!is_iterable(value)) return true;
    const nb::object dimensions = attribute_of(value, "ndim");
    if (dimensions.is_valid()) return nb::cast<std::size_t>(dimensions) < (field.length == 0 ? 1u : 2u);
    if (field.length == 0) return false;
    const nb::object list = nb::module_::import_("numpy").attr("ndim")(value);
    return nb::cast<std::size_t>(list) < 2;
}
/// Writes values, one or one a row, into a leaf.
void write_leaf(const WorldChunk& chunk, const Term& term, const Field& field, nb::handle value) {
    const Part& part = *term.part;
    if (term.constant) raise(PyExc_ValueError, part.name + ": the query asks for it as const, so that it is only read");
    const ComponentId id = part.ids[field.column];
    const ComponentId mask_id = field.validity == Field::none ? ComponentId() : part.ids[field.validity];
    const std::size_t size = chunk.rows().size();

    // chunk[c].x += y assigns the array that it took from here, and has changed already
    nb::object plain = nb::borrow(value);
    nb::object mask;
    if (mask_id)
        if (const nb::object data = attribute_of(value, "_data"), of = attribute_of(value, "mask");
            data.is_valid() && of.is_valid()) {
            plain = data;
            mask = nb::module_::import_("numpy").attr("ma").attr("getmaskarray")(value);
            if (field.length != 0) mask = mask.attr("all")(nb::arg("axis") = 1);
        }
    const void* const data = chunk.rows().read(id);
    const bool own = !field.is_text() && is_column(field, plain, data, size);

    Items items;
    std::vector<std::uint8_t> flags;
    if (!own) {
        nb::dict constants, columns;
        const nb::str path(field.path.c_str());
        const bool one = is_one_value(field, value);
        if (one)
            constants[path] = value;
        else
            columns[path] = apart_from(field, value, data, size);
        nb::list prepared;
        prepared.append(
            nb::make_tuple(object_of(term), one ? nb::object(nb::none()) : nb::object(columns), nb::object(constants)));
        items.take_columns(chunk.walk->shared_world(), prepared, size, false);
    } else if (mask.is_valid()) {
        const nb::object contiguous = nb::module_::import_("numpy").attr("ascontiguousarray")(mask, "uint8");
        nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig> bytes;
        if (!nb::try_cast(contiguous, bytes, true) || bytes.size() != size)
            raise(PyExc_ValueError, field.path + ": a mask of other size");
        flags.assign(bytes.data(), bytes.data() + size);
    }
    const RowsOf& rows = chunk.rows(); // what was converted may have ended the step
    briefly(chunk.walk->world(), [&] {
        chunk.walk->stamp(rows, part);
        const auto put = [&](ComponentId of, std::size_t bytes) {
            const Given* const given = items.find(of);
            if (given == nullptr) return;
            auto* const to = const_cast<std::byte*>(rows.read(of));
            for (std::size_t row = 0; row != size; ++row) given->assign_row(row, to + row * bytes);
        };
        put(id, field.type().size);
        if (!mask_id) return;
        put(mask_id, 1);
        auto* const nulls = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(rows.read(mask_id)));
        for (std::size_t row = 0; row != flags.size(); ++row) nulls[row] = flags[row] != 0;
    });
}

/// The field or the struct of this name; f(field) or g(prefix).
template <class F, class G>
auto member(const View& view, const std::string& name, F&& f, G&& g) {
    const Schema& schema = *view.term.part->schema;
    const std::string path = view.prefix + name;
    if (const Field* const field = schema.find(path)) return f(*field);
    for (const Field& each : schema.fields())
        if (each.path.starts_with(path + ".")) return g(path + ".");
    std::string names;
    for (const Field& each : schema.fields()) names += (names.empty() ? "" : ", ") + each.path;
    raise(PyExc_AttributeError, "'" + view.term.part->name + "' has no field '" + path + "'; it has " + names);
}
nb::object get_member(const View& view, const std::string& name) {
    return member(
        view, name, [&](const Field& field) { return array_of_leaf(view.chunk, view.term, field); },
        [&](const std::string& prefix) {
            return nb::cast(View{view.chunk, view.term, prefix});
        });
}
void set_member(const View& view, const std::string& name, nb::handle value) {
    member(
        view, name, [&](const Field& field) { write_leaf(view.chunk, view.term, field, value); },
        [&](const std::string& prefix) {
            View* other = nullptr;
            if (nb::try_cast(value, other, false) && other->chunk.walk == view.chunk.walk && other->prefix == prefix) return;
            if (!PyDict_Check(value.ptr())) raise_type(name.c_str(), "a dict of fields", value);
            for (const auto& [key, each] : nb::borrow<nb::dict>(value))
                set_member({view.chunk, view.term, prefix}, text_from(key, "field"), each);
        });
}

/// The term of the query that a chunk is asked for.
const Term& asked_term(const WorldChunk& chunk, nb::handle object, Term& given) {
    given = term_from(chunk.walk->shared_world(), object, "component");
    if (given.part->role != Role::component)
        raise(PyExc_TypeError, given.part->name + ": a tag or relation has no values; ask whether it is in the chunk: `" +
                                   given.part->name + " in chunk`");
    const Term* const found = chunk.walk->asked().find(given.part);
    if (found == nullptr)
        raise(PyExc_KeyError,
              "'" + given.part->name + "' is not asked for by this query: name it in query(...), or in optional=[...]");
    given.constant = given.constant || found->constant;
    return given;
}

std::vector<Term> terms_from(const SharedWorld& world, nb::handle list, const char* argument) {
    std::vector<Term> terms;
    if (list.is_none()) return terms;
    Term* one = nullptr;
    if (nb::try_cast(list, one, false)) return {term_from(world, list, argument)};
    each_item(list, argument, "a list of components, tags, relations and pairs",
              [&](nb::handle each) { terms.push_back(term_from(world, each, argument)); });
    return terms;
}

/// A column for the entities and one for each leaf, under names that tell components apart.
std::vector<Gathered> gathered(const Asked& asked) {
    struct Column {
        const Part* part;
        const Field* field;
    };
    std::vector<Column> sources;
    std::vector<Gathered> columns;
    Field of_entity;
    of_entity.path = "entity";
    of_entity.kind = Kind::uint64;
    columns.emplace_back(of_entity, 0);
    for (const auto* list : {&asked.terms, &asked.optional})
        for (const Term& term : *list) {
            if (term.part->role != Role::component) continue;
            for (const Field& field : term.part->schema->fields()) {
                Field named = field;
                named.path = term.part->is_single() ? term.part->name : term.part->name + "." + field.path;
                named.nullable = named.nullable || list == &asked.optional;
                columns.emplace_back(named, 0);
                sources.push_back({term.part, &field});
            }
        }
    at_length(*asked.world, [&] {
        const auto chunks = asked.query->chunks();
        asked.for_each(chunks, [&](const RowsOf& rows) {
            columns[0].append(rows.chunk->entities().data() + rows.first, nullptr, rows.size());
            for (std::size_t i = 0; i != sources.size(); ++i) {
                const auto& [part, field] = sources[i];
                if (!rows.chunk->contains(part->id())) {
                    columns[i + 1].append_null(rows.size());
                    continue;
                }
                const std::uint8_t* const nulls =
                    field->validity == Field::none
                        ? nullptr
                        : reinterpret_cast<const std::uint8_t*>(rows.read(part->ids[field->validity]));
                columns[i + 1].append(rows.read(part->ids[field->column]), nulls, rows.size());
            }
        });
    });
    return columns;
}

} // namespace

void bind_world_query(nb::module_& m) {
    nb::class_<Asked>(m, "Query", nb::is_weak_referenceable())
        .def(
            "__init__",
            [](Asked* self, nb::handle world_object, nb::tuple terms, nb::handle exclude, nb::handle optional,
               nb::handle either, nb::handle changed_since, nb::handle changed, nb::handle parents_first) {
                SharedWorld world = nb::cast<const WorldHandle&>(world_object.attr("_state")).world;
                auto asked = std::make_unique<Asked>();
                asked->world = world;
                asked->terms = terms_from(world, terms, "terms");
                asked->optional = terms_from(world, optional, "optional");
                const std::vector<Term> without = terms_from(world, exclude, "exclude");
                std::vector<std::vector<ComponentId>> groups;
                if (!either.is_none()) {
                    std::vector<ComponentId>& ids = groups.emplace_back();
                    for (const Term& each : terms_from(world, either, "either")) ids.push_back(each.id());
                    if (ids.empty()) raise(PyExc_ValueError, "either: at least one component, tag or pair is needed");
                }
                for (const Term& each : asked->optional)
                    if (each.part->role != Role::component)
                        raise(PyExc_TypeError,
                              "optional: '" + each.part->name + "' has no values; only components may be optional");
                std::vector<Term> tracked;
                if (!changed_since.is_none()) {
                    asked->since = static_cast<tick_t>(count_from(changed_since, "changed_since", 0xFFFF'FFFFu));
                    tracked = terms_from(world, changed, "changed");
                    if (changed.is_none())
                        for (const Term& each : asked->terms)
                            if (each.part->role == Role::component && each.part->traits.tracked) tracked.push_back(each);
                    for (const Term& each : tracked)
                        if (each.part->role != Role::component || !each.part->traits.tracked)
                            raise(PyExc_ValueError,
                                  "changed: '" + each.part->name +
                                      "' is not tracked: register it by world.component(name, schema, tracked=True)");
                    if (tracked.empty()) raise(PyExc_ValueError, "changed_since: the query names no component that is tracked");
                } else if (!changed.is_none())
                    raise(PyExc_ValueError, "changed: give changed_since=tick, too");
                ComponentId order;
                if (!parents_first.is_none()) {
                    const Term term = term_from(world, parents_first, "parents_first");
                    if (term.part->role != Role::relation || term.target)
                        raise_type("parents_first", "a relation", parents_first);
                    order = term.part->ids[0];
                }
                briefly(*world, [&] {
                    StoreQuery query = world->store.query<>();
                    for (const Term& each : asked->terms) query = query.with(each.id());
                    for (const Term& each : without) query = query.exclude(each.id());
                    for (const auto& each : groups) query = query.either(each);
                    for (const Term& each : tracked) asked->changed.push_back(each.part->id());
                    if (asked->changed.size() == 1) query = query.changed(asked->changed[0], asked->since);
                    if (order) query = query.cascade(order);
                    asked->query.emplace(query);
                });
                new (self) Asked(std::move(*asked));
            },
            nb::arg("world"), nb::arg("terms"), nb::arg("exclude").none(), nb::arg("optional").none(), nb::arg("either").none(),
            nb::arg("changed_since").none(), nb::arg("changed").none(), nb::arg("parents_first").none(),
            nb::sig(
                "def __init__(self, world: World, terms: tuple[Term, ...], exclude: typing.Any, optional: typing.Any, either: "
                "typing.Any, changed_since: int | None, changed: typing.Any, parents_first: Relation | None) -> None"),
            "World.query() makes it.")
        .def(
            "__iter__", [](SharedAsked self) { return WalkIterator(std::move(self)); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[Chunk]"),
            "Walks the tables that match, a Chunk each. Entities and what they have can not change meanwhile.")
        .def(
            "count",
            [](const Asked& self) {
                return at_length(*self.world,
                                 [&] { return self.changed.size() < 2 ? self.query->size() : self.entities().size(); });
            },
            nb::sig("def count(self) -> int"), "How many entities match.")
        .def(
            "first",
            [](const Asked& self) -> nb::object {
                Entity found;
                briefly(*self.world, [&] {
                    if (self.changed.size() < 2)
                        found = self.query->first();
                    else if (const auto all = self.entities(); !all.empty())
                        found = all[0];
                });
                return found ? object_of(found) : nb::none();
            },
            nb::sig("def first(self) -> int | None"), "The first entity that matches; None if there is none.")
        .def(
            "entities",
            [](const Asked& self) {
                std::vector<Entity> all;
                at_length(*self.world, [&] { all = self.entities(); });
                return array_of(std::move(all));
            },
            nb::sig("def entities(self) -> numpy.typing.NDArray[numpy.uint64]"), "The entities that match: a uint64 array.")
        .def(
            "__contains__",
            [](const Asked& self, nb::handle entity) {
                const auto bits = Py<std::uint64_t>::find(entity);
                if (!bits) return false;
                const Entity which = Entity::from_bits(*bits);
                return briefly(*self.world, [&] {
                    if (self.changed.size() < 2) return self.query->contains(which);
                    const auto all = self.entities();
                    return std::find(all.begin(), all.end(), which) != all.end();
                });
            },
            argument("entity"), nb::sig("def __contains__(self, entity: object) -> bool"), "Whether this entity matches.")
        .def(
            "despawn_all",
            [](const Asked& self) {
                return at_length(*self.world, [&] {
                    self.world->expect_changeable();
                    if (self.changed.size() < 2) return self.query->despawn_all();
                    return despawn_all(*self.world, self.entities());
                });
            },
            nb::sig("def despawn_all(self) -> int"),
            "Ends all entities that match; returns how many. Raises ValueError when a relation of one that stays refuses it; "
            "none "
            "has ended then.")
        .def(
            "to_numpy",
            [](const Asked& self) {
                nb::dict result;
                for (const Gathered& each : gathered(self)) result[nb::str(each.field().path.c_str())] = each.array();
                return result;
            },
            nb::sig("def to_numpy(self) -> dict[str, typing.Any]"),
            "The entities that match and their values, copied: arrays by name, 'entity', 'position.x', ... A component of one "
            "leaf has its own name. What may be missing is a numpy.ma.MaskedArray.")
        .def(
            "_frame",
            [](const Asked& self) {
                Frame frame;
                for (const Gathered& each : gathered(self)) each.add_to(frame);
                return frame.arrow();
            },
            nb::sig("def _frame(self) -> ArrowStream"))
        .def("__repr__", [](const Asked& self) {
            std::string names;
            for (const Term& each : self.terms) names += (names.empty() ? "" : ", ") + each.spelled();
            return "<slotwise.Query of " + (names.empty() ? "all" : names) + ">";
        });
    nb::class_<WalkIterator>(m, "_Walk")
        .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
        .def("__next__", [](WalkIterator& self) {
            if (!self.walk->next()) throw nb::stop_iteration();
            return WorldChunk{self.walk, self.walk->current()};
        });

    nb::class_<WorldChunk>(m, "Chunk", "Some rows of a table that match a query, in one step of the loop over it.")
        .def(
            "__len__", [](const WorldChunk& self) { return self.rows().size(); }, "Its rows.")
        .def_prop_ro(
            "entities",
            [](const WorldChunk& self) {
                const RowsOf& rows = self.rows();
                Field field;
                field.kind = Kind::uint64;
                auto* const data = const_cast<Entity*>(rows.chunk->entities().data()) + rows.first; // read-only there
                return array_of(field, data, rows.size(), pin_of(self.walk->shared_world(), self.walk->world().entity_pins),
                                false);
            },
            nb::sig("def entities(self) -> numpy.typing.NDArray[numpy.uint64]"),
            "The entity of each row: a read-only uint64 array, without a copy.")
        .def(
            "__getitem__",
            [](const WorldChunk& self, nb::handle component) -> nb::object {
                Term term;
                asked_term(self, component, term);
                if (!self.rows().chunk->contains(term.part->id())) return nb::none();
                if (term.part->is_single()) return array_of_leaf(self, term, term.part->schema->fields()[0]);
                return nb::cast(View{self, term, ""});
            },
            argument("component"), nb::sig("def __getitem__(self, component: Component) -> typing.Any"),
            "The values of a component: an object with an array for each field, chunk[position].x; of a component of one leaf "
            "the array itself; None when it is optional and missing here. Arrays are those of the table, without a copy, but "
            "for texts, which are copied and read-only. Of a field that may be null it is a numpy.ma.MaskedArray whose mask "
            "is the table's, too: a value written into it is null no more. While one is alive, entities and what they have can "
            "not change. Unless the query "
            "asks for it as const, the rows count as changed. Raises KeyError when the query does not name the component.")
        .def(
            "__setitem__",
            [](const WorldChunk& self, nb::handle component, nb::handle value) {
                Term term;
                asked_term(self, component, term);
                if (!self.rows().chunk->contains(term.part->id()))
                    raise(PyExc_KeyError, "'" + term.part->name + "' is missing in this chunk; add it by world.commands()");
                if (term.part->is_single()) return write_leaf(self, term, term.part->schema->fields()[0], value);
                View* other = nullptr;
                if (nb::try_cast(value, other, false) && other->chunk.walk == self.walk && other->term.part == term.part)
                    return;
                if (!PyDict_Check(value.ptr())) raise_type("value", "a dict of columns by field", value);
                for (const auto& [key, each] : nb::borrow<nb::dict>(value))
                    set_member({self, term, ""}, text_from(key, "field"), each);
            },
            argument("component"), argument("value"),
            nb::sig("def __setitem__(self, component: Component, value: typing.Any) -> None"),
            "Writes the values of all rows: one value, or an array with one for each row; of a record a dict of them by field.")
        .def(
            "__contains__",
            [](const WorldChunk& self, nb::handle object) {
                Term* term = nullptr;
                if (!nb::try_cast(object, term, false)) return false;
                const Term of = term_from(self.walk->shared_world(), object, "term");
                const RowsOf& rows = self.rows();
                if (of.part->role != Role::relation) return rows.chunk->contains(of.part->id());
                return briefly(self.walk->world(),
                               [&] { return self.walk->world().store.has(rows.chunk->entities()[rows.first], of.id()); });
            },
            argument("term"), nb::sig("def __contains__(self, term: object) -> bool"),
            "Whether the entities of this chunk have a component or tag; of relations whether the first one has the pair.")
        .def("__repr__",
             [](const WorldChunk& self) { return "<slotwise.Chunk of " + std::to_string(self.rows().size()) + " entities>"; });

    nb::class_<View>(m, "View", "A component of a chunk: an attribute for each field, an array of all rows.")
        .def(
            "__getattr__", [](const View& self, const char* name) { return get_member(self, name); },
            nb::sig("def __getattr__(self, name: str, /) -> typing.Any"), "The array of a field, or the fields of a struct.")
        .def(
            "__setattr__", [](const View& self, const char* name, nb::handle value) { set_member(self, name, value); },
            nb::arg("name"), nb::arg("value").none(), nb::sig("def __setattr__(self, name: str, value: typing.Any, /) -> None"),
            "Writes all rows of a field: one value, or one for each row.")
        .def(
            "__getitem__", [](const View& self, nb::handle path) { return get_member(self, text_from(path, "field")); },
            argument("field"), nb::sig("def __getitem__(self, field: str) -> typing.Any"),
            "The same, of a field of any name, or by path: 'place.x'.")
        .def(
            "__setitem__",
            [](const View& self, nb::handle path, nb::handle value) { set_member(self, text_from(path, "field"), value); },
            argument("field"), argument("value"), nb::sig("def __setitem__(self, field: str, value: typing.Any) -> None"),
            "The same, of a field of any name.")
        .def(
            "__len__", [](const View& self) { return self.chunk.rows().size(); }, "Rows of the chunk.")
        .def(
            "__dir__",
            [](const View& self) {
                nb::list names;
                std::string last;
                for (const Field& each : self.term.part->schema->fields())
                    if (each.path.starts_with(self.prefix)) {
                        const std::string rest = each.path.substr(self.prefix.size());
                        const std::string name = rest.substr(0, rest.find('.'));
                        if (name != last) names.append(nb::str(name.c_str()));
                        last = name;
                    }
                return names;
            },
            nb::sig("def __dir__(self) -> list[str]"))
        .def("__repr__", [](const View& self) { return "<slotwise.View of '" + self.term.part->name + "'>"; });
}

} // namespace slotwise_python
