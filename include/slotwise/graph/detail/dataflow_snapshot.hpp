// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowBytes: a DataflowGraph as bytes, by handles (snapshots) or by public ids (files), and back from untrusted bytes.
#ifndef SLOTWISE_GRAPH_DETAIL_DATAFLOW_SNAPSHOT_HPP
#define SLOTWISE_GRAPH_DETAIL_DATAFLOW_SNAPSHOT_HPP

#include "../../core/detail/xxh3.hpp"
#include "../../core/public_id.hpp"
#include "../../map/identity_map.hpp"
#include "dataflow_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The kinds(name) of a graph whose nodes have no info.
struct NoKinds {
    const NodeInfo* operator()(std::string_view) const noexcept { return nullptr; }
};
/// What kinds(name) answered.
inline SharedNodeInfo shared_info(const NodeInfo* info) noexcept { return SharedNodeInfo::refer_to(info); }
inline SharedNodeInfo shared_info(SharedNodeInfo info) noexcept { return info; }
/// The names of the pins as a number. The bytes have it, because a node may have other pins than its info says, by set_pins().
inline std::uint64_t tag_of_pins(const NodeInfo& info) noexcept {
    Xxh3 all;
    for (const auto& names : {info.inputs, info.outputs}) {
        all.number(names.size());
        for (const std::string_view name : names) {
            all.number(name.size());
            all.add(std::as_bytes(std::span(name)));
        }
    }
    return all.finish();
}

/// Writes and reads what is known of a node beside its pins.
template <class Record, class Codec, class Kinds>
struct RecordCodec {
    Codec& codec;
    Kinds& kinds;
    static constexpr bool writes_a_part = true;
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return 0; // the graph has the tags of nodes and values
    }

    void write(const Record& record, ByteWriter& out) {
        out.number(record.inputs);
        out.number(record.outputs);
        out.number(static_cast<std::uint32_t>(record.flags));
        out.number(record.edits);
        out.number(record.ran);
        out.number(record.changed);
        out.number(static_cast<std::uint8_t>(static_cast<bool>(record.info)));
        if (record.info) {
            out.number(std::uint64_t{record.info->name.size()});
            out.raw(record.info->name.data(), record.info->name.size());
            out.number(tag_of_pins(*record.info));
        }
        codec.write(record.node, out);
    }
    template <class T>
    T read(ByteReader& in) {
        const auto inputs = in.number<slot_t>(), outputs = in.number<slot_t>();
        const NodeFlags flags{in.number<std::uint32_t>()};
        const auto edits = in.number<change_t>(), ran = in.number<change_t>(), changed = in.number<change_t>();
        if (changed > ran) in.fail("snapshot: an output of a node changed in an evaluation in which it did not run");
        if ((flags & ~(settable_flags | NodeFlags::errored | node_is_due)) != NodeFlags::none)
            in.fail("snapshot: a node has a flag that there is not");
        SharedNodeInfo info = in.flag() ? read_info(in) : SharedNodeInfo();
        T record(std::in_place, codec.template read<decltype(record.node)>(in));
        record.inputs = inputs;
        record.outputs = outputs;
        record.flags = flags;
        record.edits = edits;
        record.ran = ran;
        record.changed = changed;
        record.info = std::move(info);
        return record;
    }

private:
    SharedNodeInfo read_info(ByteReader& in) {
        const auto bytes = in.raw(in.length(1));
        const auto pins = in.number<std::uint64_t>();
        if (in.error() != nullptr) return {};
        const std::string_view name(static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size());
        SharedNodeInfo info = shared_info(kinds(name));
        if (!info || info->name != name)
            in.fail("snapshot: a node has an info; pass kinds(name), which answers the NodeInfo with this name");
        else if (tag_of_pins(*info) != pins)
            in.fail(
                "snapshot: the NodeInfo of the name that kinds(name) was last asked about has other pins, or other names of "
                "them, than the one that was written; answer that one, and give the nodes the new one afterwards");
        return info;
    }
};

/// The steps of snapshot(), restore(), save() and load(). They are apart from the core, because all bytes are read into a fresh
/// one and checked before anything of the graph changes. @tparam Core a DataflowCore
template <class Core>
class DataflowBytes {
    using Record = typename Core::Record;
    using Slots = PlainVector<slot_t>;

public:
    /// The exact state: handles, counters, marks, flags and the order.
    template <class Codec>
    static std::vector<std::byte> snapshot(const Core& core, Codec& codec) {
        ByteWriter out;
        write_header(out, 'S', core);
        NoKinds kinds;
        const auto nodes = core.records.snapshot(RecordCodec<Record, Codec, NoKinds>{codec, kinds});
        out.number(std::uint64_t{nodes.size()});
        out.raw(nodes.data(), nodes.size());
        Slots listed, places; // a source is named by its slot
        for (const slot_t slot : core.records.live_slots()) listed.push_back(slot);
        places.resize(core.by_slot.size());
        for (const slot_t slot : listed) places[slot] = slot;
        for (std::size_t at = 0; at != core.order.positions(); ++at)
            if (const slot_t slot = core.order.slot_at(at); slot != no_slot) out.number(slot);
        write_pins(core, listed, places, out, codec);
        if constexpr (Core::has_ids) {
            const auto ids = core.ids.snapshot(codec);
            out.number(std::uint64_t{ids.size()});
            out.raw(ids.data(), ids.size());
        }
        return Seal::close(out, tags<Codec>);
    }
    /// @pre `fresh` is empty @return the error, or null Throws what the allocator and the codec throw
    template <class Codec, class Kinds>
    static const char* restore(Core& fresh, std::span<const std::byte> bytes, Codec& codec, Kinds& kinds) {
        if (const char* const wrong = Seal::open(bytes, kind('S'), tags<Codec>)) return wrong;
        ByteReader in(bytes);
        read_header(in, 'S', fresh);
        const auto nodes = in.raw(in.length(1));
        if (in.error() != nullptr) return in.error();
        if (const char* const error = fresh.records.try_restore(nodes, RecordCodec<Record, Codec, Kinds>{codec, kinds}))
            return error;
        if (fresh.records.size() > in.left() / sizeof(slot_t)) return "snapshot: the bytes end too early";
        Slots order, listed;
        for (std::size_t left = fresh.records.size(); left != 0; --left) order.push_back(in.number<slot_t>());
        for (const slot_t slot : fresh.records.live_slots()) listed.push_back(slot);
        if (prepare(fresh, listed, in)) {
            Slots places; // of slots are the slots themselves
            for (slot_t slot = 0; slot != fresh.by_slot.size(); ++slot) places.push_back(slot);
            if (take_order(fresh, order, in)) read_pins(fresh, listed, places, in, codec);
        }
        if constexpr (Core::has_ids) {
            const auto ids = in.raw(in.length(1));
            if (in.error() != nullptr) return in.error();
            if (const char* const error = fresh.ids.try_restore(ids, codec)) return error;
            if (!fresh.ids_are_sound()) in.fail("snapshot: a node has no id, or an id names no node");
        }
        if (in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        if (in.error() == nullptr) mark_dirty_nodes(fresh, listed, in);
        return in.error();
    }

    /// The state by ids. Slots, versions and the order are not seen in it.
    template <class Ids, class Codec>
    static std::vector<std::byte> save(const Core& core, const Ids& ids, Codec& codec) {
        using Id = IdOf<Ids>;
        static_assert(is_ordered<Id>,
                      "DataflowGraph save(ids): ids need operator <, because a file lists nodes in the order of ids");
        struct Named {
            const Id* id;
            slot_t slot;
        };
        PlainVector<Named> named;
        for (const slot_t slot : core.records.live_slots()) {
            const Id* const id = ids.id_of(core.handle_at(slot));
            if (id == nullptr)
                throw_invalid_argument("DataflowGraph save(ids): a node has no id; insert one for each node of the graph");
            named.push_back({id, slot});
        }
        std::sort(named.begin(), named.end(), [](const Named& a, const Named& b) { return *a.id < *b.id; });
        ByteWriter out;
        write_header(out, 'F', core);
        out.number(std::uint64_t{named.size()});
        NoKinds kinds;
        RecordCodec<Record, Codec, NoKinds> records{codec, kinds};
        Slots listed, places;
        places.resize(core.by_slot.size());
        for (const auto& [id, slot] : named) {
            if constexpr (std::is_same_v<Id, PublicId>) {
                out.number(id->high);
                out.number(id->low);
            } else
                codec.write(*id, out);
            records.write(*core.by_slot[slot], out);
            places[slot] = static_cast<slot_t>(listed.size());
            listed.push_back(slot);
        }
        write_pins(core, listed, places, out, codec);
        return Seal::close(out, file_tags<Codec, Id>);
    }
    /// @pre `fresh` and `ids` are empty @return the error, or null
    template <class Ids, class Codec, class Kinds>
    static const char* load(Core& fresh, Ids& ids, std::span<const std::byte> bytes, Codec& codec, Kinds& kinds) {
        using Id = IdOf<Ids>;
        static_assert(is_ordered<Id>,
                      "DataflowGraph load(bytes): ids need operator <, because a file lists nodes in their order");
        if (const char* const wrong = Seal::open(bytes, kind('F'), file_tags<Codec, Id>)) return wrong;
        ByteReader in(bytes);
        read_header(in, 'F', fresh);
        RecordCodec<Record, Codec, Kinds> records{codec, kinds};
        Slots listed;
        const Id* before = nullptr;
        for (std::size_t left = in.length(2 * sizeof(std::uint64_t)); left != 0; --left) { // a record takes more than these
            Id id = read_id<Id>(in, codec);
            if (in.error() == nullptr && before != nullptr && !(*before < id))
                in.fail("snapshot: an id occurs twice, or behind a higher one");
            if (in.error() != nullptr) return in.error();
            Record record = records.template read<Record>(in);
            if (in.error() != nullptr) return in.error();
            const auto handle = fresh.records.insert(std::move(record));
            const auto named = fresh.handle_at(handle.index());
            ids.insert(std::move(id), named);
            before = ids.id_of(named);
            listed.push_back(handle.index());
        }
        if (prepare(fresh, listed, in)) read_pins(fresh, listed, listed, in, codec);
        if (in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        if (in.error() == nullptr && sort(fresh, listed, in)) mark_dirty_nodes(fresh, listed, in);
        return in.error();
    }

private:
    using Value = std::remove_cvref_t<decltype(std::declval<const Core&>().pins.value(0))>;
    template <class Codec>
    static constexpr std::array tags = {
        ElementTag{ElementRole::node, detail::type_tag<Codec, std::remove_cvref_t<decltype(std::declval<Record&>().node)>>()},
        ElementTag{ElementRole::value, detail::type_tag<Codec, Value>()}};
    /// A PublicId is written as two numbers, which need no tag.
    template <class Codec, class Id>
    static constexpr auto file_tags = [] {
        if constexpr (std::is_same_v<Id, PublicId>)
            return tags<Codec>;
        else
            return std::array{tags<Codec>[0], tags<Codec>[1], ElementTag { ElementRole::id, detail::type_tag<Codec, Id>() }};
    }();
    /// The type of the ids of an IdentityMap.
    template <class Ids>
    using IdOf = std::remove_cvref_t<decltype(*std::declval<const Ids&>().id_of(std::declval<typename Core::Handle>()))>;
    template <class Id>
    static constexpr bool is_ordered = requires(const Id& a, const Id& b) { static_cast<bool>(a < b); };
    template <class Id, class Codec>
    static Id read_id(ByteReader& in, [[maybe_unused]] Codec& codec) {
        if constexpr (std::is_same_v<Id, PublicId>) {
            const auto high = in.number<std::uint64_t>();
            return {high, in.number<std::uint64_t>()};
        } else
            return codec.template read<Id>(in);
    }
    static std::uint32_t kind(char form) noexcept {
        return number_of(std::array<std::uint8_t, 4>{'S', 'L', 'G', static_cast<std::uint8_t>(form)});
    }
    static void write_header(ByteWriter& out, char form, const Core& core) {
        for (const char c : {'S', 'L', 'G', form, '1'}) out.number(static_cast<std::uint8_t>(c));
        out.number(static_cast<std::uint8_t>(std::endian::native == std::endian::little ? 1 : 2));
        out.number(core.clock);
        out.number(core.evaluations);
    }
    static void read_header(ByteReader& in, char form, Core& fresh) {
        bool same = true;
        for (const char c : {'S', 'L', 'G', form, '1'})
            same = in.number<std::uint8_t>() == static_cast<std::uint8_t>(c) && same;
        same = in.number<std::uint8_t>() == (std::endian::native == std::endian::little ? 1 : 2) && same;
        if (!same) in.fail("snapshot: these bytes are no snapshot, or no file, of a DataflowGraph");
        fresh.clock = in.number<change_t>();
        fresh.evaluations = in.number<change_t>();
        // Both only count up, by one: no graph gets this far, and one that begins there would give its first numbers again.
        constexpr change_t most = change_t{1} << 63;
        if (fresh.clock >= most || fresh.evaluations >= most) in.fail("snapshot: a count is higher than any graph can reach");
    }
    template <class Codec>
    static void write_pins(const Core& core, const Slots& listed, const Slots& places, ByteWriter& out, Codec& codec) {
        for (const slot_t slot : listed) {
            const Record& record = *core.by_slot[slot];
            for (slot_t i = 0; i != record.inputs + record.outputs; ++i) {
                const slot_t pin = record.first + i;
                out.number(core.pins.counters[pin]);
                if (i < record.inputs) {
                    out.number(core.pins.seen[pin]);
                    const slot_t source = core.pins.links[pin].source;
                    const bool linked = core.pins.linked(pin);
                    const slot_t from = core.pins.links[source].owner;
                    out.number(linked ? places[from] : no_slot);
                    if (linked) out.number(source - core.by_slot[from]->first - core.by_slot[from]->inputs);
                }
                codec.write(core.pins.value(pin), out);
            }
        }
    }
    /// Gives the nodes their runs of pins, and room by slot.
    static bool prepare(Core& fresh, const Slots& listed, ByteReader& in) {
        slot_t end = 0;
        std::uint64_t pins = 0;
        for (const slot_t slot : listed) end = slot < end ? end : slot + 1;
        fresh.list_records(end);
        for (const slot_t slot : listed) pins += std::uint64_t{fresh.by_slot[slot]->inputs} + fresh.by_slot[slot]->outputs;
        if (pins > in.left() / sizeof(change_t)) return in.fail("snapshot: the bytes end too early");
        fresh.stateful.reserve(end);
        fresh.dirty.reserve(listed.size());
        for (const slot_t slot : listed) {
            Record& record = *fresh.by_slot[slot];
            record.first = fresh.pins.make_run(std::size_t{record.inputs} + record.outputs, slot);
            fresh.reserve_scratch(record.inputs, record.outputs);
        }
        if (end != 0) fresh.order.reserve(end - 1, listed.size());
        return true;
    }
    static bool take_order(Core& fresh, const Slots& order, ByteReader& in) {
        for (const slot_t slot : order) {
            if (slot >= fresh.by_slot.size() || fresh.by_slot[slot] == nullptr || fresh.order.contains(slot))
                return in.fail("snapshot: the order of the nodes is none of all nodes");
            fresh.order.append(slot);
        }
        return true;
    }
    template <class Codec>
    static void read_pins(Core& fresh, const Slots& listed, const Slots& places, ByteReader& in, Codec& codec) {
        struct Link {
            slot_t to, from, output;
        };
        PlainVector<Link> links;
        for (const slot_t slot : listed) {
            const Record& record = *fresh.by_slot[slot];
            for (slot_t i = 0; i != record.inputs + record.outputs; ++i) {
                const slot_t pin = record.first + i;
                fresh.pins.counters[pin] = in.number<change_t>();
                if (i < record.inputs) {
                    fresh.pins.seen[pin] = in.number<change_t>();
                    if (const auto from = in.number<slot_t>(); from != no_slot)
                        links.push_back({pin, from, in.number<slot_t>()});
                    if (fresh.pins.seen[pin] > fresh.clock)
                        in.fail("snapshot: an input has seen a counter that was never given");
                }
                if (in.error() != nullptr) return;
                fresh.pins.value(pin) = codec.template read<std::remove_cvref_t<decltype(fresh.pins.value(pin))>>(in);
            }
        }
        for (const Link& link : links) {
            const slot_t slot = link.from < places.size() ? places[link.from] : no_slot;
            if (slot >= fresh.by_slot.size() || fresh.by_slot[slot] == nullptr || link.output >= fresh.by_slot[slot]->outputs) {
                in.fail("snapshot: an input is linked to an output that there is not");
                return;
            }
            const Record& to = *fresh.by_slot[fresh.pins.links[link.to].owner];
            if (!fresh.fit(*fresh.by_slot[slot], link.output, to, link.to - to.first)) {
                in.fail("snapshot: a link is one that the rule of the graph refuses");
                return;
            }
            fresh.pins.link(Core::output_pin(*fresh.by_slot[slot], link.output), link.to);
            ++fresh.links;
        }
    }
    /// An order that follows from the links (Kahn 1962): each node as soon as its sources have their places.
    static bool sort(Core& fresh, const Slots& listed, ByteReader& in) {
        Slots waits, ready;
        waits.resize(fresh.by_slot.size());
        for (const slot_t slot : listed) {
            const Record& record = *fresh.by_slot[slot];
            for (slot_t i = 0; i != record.inputs; ++i) waits[slot] += fresh.pins.linked(record.first + i);
            if (waits[slot] == 0) ready.push_back(slot);
        }
        for (std::size_t i = 0; i != ready.size(); ++i) {
            const Record& record = *fresh.by_slot[ready[i]];
            fresh.order.append(ready[i]);
            for (slot_t o = 0; o != record.outputs; ++o)
                for (slot_t to = fresh.pins.links[Core::output_pin(record, o)].next; to != no_slot;
                     to = fresh.pins.links[to].next)
                    if (--waits[fresh.pins.links[to].owner] == 0) ready.push_back(fresh.pins.links[to].owner);
        }
        return ready.size() == listed.size() || in.fail("snapshot: the links of the nodes close a cycle");
    }
    /// The last checks, and what follows from the rest: which nodes are dirty.
    static void mark_dirty_nodes(Core& fresh, const Slots& listed, ByteReader& in) {
        fresh.list_places();
        PlainVector<change_t> counters;
        counters.reserve(fresh.pins.size());
        for (const slot_t slot : listed) {
            Record& record = *fresh.by_slot[slot];
            if (record.ran > fresh.evaluations) in.fail("snapshot: a node ran in an evaluation that there was not");
            bool dirty = has_any(record.flags, runs_anyway);
            for (slot_t i = 0; i != record.inputs + record.outputs; ++i) {
                const slot_t pin = record.first + i, source = fresh.pins.links[pin].source;
                counters.push_back(fresh.pins.counters[pin]);
                if (i >= record.inputs) continue;
                dirty = dirty || fresh.pins.counters[source] != fresh.pins.seen[pin];
                if (source != pin && fresh.order.position(fresh.pins.links[source].owner) >= fresh.order.position(slot))
                    in.fail("snapshot: the order of the nodes contradicts a link");
            }
            if (dirty) fresh.mark_dirty(slot);
            if (has_any(record.flags, NodeFlags::stateful)) fresh.stateful.set(slot);
        }
        std::sort(counters.begin(), counters.end());
        if (!counters.empty() && (counters.front() == 0 || counters.back() > fresh.clock))
            in.fail("snapshot: a counter was never given");
        if (std::adjacent_find(counters.begin(), counters.end()) != counters.end())
            in.fail("snapshot: two values have one counter");
    }
};

} // namespace detail
SLOTWISE_END

#endif
