// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowGraph: nodes that compute values from the values of others, and run only when an input really changed.
//
//     using Graph = slotwise::DataflowGraph<Operation, double>;
//     Graph graph;
//     const auto a = graph.add(Operation{...}, 0, 1);          // no input, one output
//     const auto b = graph.add(Operation{...}, 2, 1);
//     graph.connect(a, 0, b, 0);                               // false if it would close a cycle
//     graph.set_input(b, 1, 2.5);                              // a constant
//     graph.evaluate([](Operation& op, auto& context) {        // calls those whose inputs changed since their last run
//         context.set_output(0, op(context.input(0), context.input(1)));
//     });
//     graph.output(b, 0);
#ifndef SLOTWISE_GRAPH_DATAFLOW_GRAPH_HPP
#define SLOTWISE_GRAPH_DATAFLOW_GRAPH_HPP

#include "../rows/detail/row_container.hpp"
#include "detail/dataflow_core.hpp"
#include "detail/dataflow_snapshot.hpp"
#include "node_info.hpp"
#include "output_subscriber.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// The arguments With... of a graph.
template <class... With>
using DataflowArguments = Arguments<with_tag | with_alloc | with_id | with_rule, NoOptions, std::byte, NoKey, With...>;
template <class Node, class Value, class Equal, class... With>
using DataflowCoreOf = DataflowCore<Node, Value, Equal, DataflowGraph<Node, Value, Equal, With...>,
                                    rebind_t<typename DataflowArguments<With...>::allocator, std::byte>,
                                    typename DataflowArguments<With...>::template get<with_id, NoId>,
                                    typename DataflowArguments<With...>::template get<with_rule, NoRule>>;

/// A callback that is not given.
struct NoCall {
    template <class... Args>
    void operator()(Args&&...) const noexcept {}
};

/// Whether f(value), which edits a value in place, says if that was a change: it returns bool. A result that converts to bool
/// is no answer: [&](int& value) { return value = 0; } has changed the value.
template <class F, class Value>
inline constexpr bool answers_change = [] {
    using result = std::invoke_result_t<F&, Value&>;
    static_assert(
        std::is_void_v<result> || std::is_same_v<result, bool>,
        "DataflowGraph edit_input, DataflowContext edit_output: f(value) returns nothing, or a bool that says whether "
        "it has changed the value; cast what converts to bool");
    return std::is_same_v<result, bool>;
}();

/// Steps through links: from one pin of an input to the next.
template <class Core, class Link>
class LinkIterator : public IteratorFacade<LinkIterator<Core, Link>, Link, Link> {
public:
    LinkIterator() noexcept = default;
    /// The links into the nodes in slots from `slot` to `end`.
    static LinkIterator into(const Core& core, std::size_t slot, std::size_t end) noexcept {
        LinkIterator it(core, end);
        it.enter(slot);
        return it;
    }
    /// The links from a node.
    static LinkIterator from(const Core& core, const typename Core::Record& record) noexcept {
        LinkIterator it(core, 0);
        it.follow(Core::output_pin(record, 0), Core::output_pin(record, record.outputs));
        return it;
    }
    friend bool operator==(const LinkIterator& a, const LinkIterator& b) noexcept { return a.pin_ == b.pin_; }

private:
    friend IteratorFacade<LinkIterator, Link, Link>;
    LinkIterator(const Core& core, std::size_t end) noexcept : core_(&core), end_(end) {}
    Link dereference() const noexcept {
        const PinLink& link = core_->pins.links[pin_];
        const slot_t from = core_->pins.links[link.source].owner;
        const auto& source = *core_->by_slot[from];
        return {core_->handle_at(from), link.source - source.first - source.inputs, core_->handle_at(link.owner),
                pin_ - core_->by_slot[link.owner]->first};
    }
    void increment() noexcept {
        const PinLink& link = core_->pins.links[pin_];
        if (end_ != 0) {
            const auto& record = *core_->by_slot[link.owner];
            if (!find_input(pin_ + 1, record.first + record.inputs)) enter(std::size_t{link.owner} + 1);
        } else if (link.next != no_slot)
            pin_ = link.next;
        else {
            const auto& record = *core_->by_slot[core_->pins.links[link.source].owner];
            follow(link.source + 1, Core::output_pin(record, record.outputs));
        }
    }
    void enter(std::size_t slot) noexcept {
        for (; slot < end_; ++slot)
            if (const auto* const record = core_->by_slot[slot];
                record != nullptr && find_input(record->first, record->first + record->inputs))
                return;
        pin_ = no_slot;
    }
    bool find_input(slot_t pin, slot_t end) noexcept {
        for (; pin != end; ++pin)
            if (core_->pins.linked(pin)) {
                pin_ = pin;
                return true;
            }
        return false;
    }
    void follow(slot_t output, slot_t end) noexcept {
        for (; output != end; ++output)
            if (const slot_t first = core_->pins.links[output].next; first != no_slot) {
                pin_ = first;
                return;
            }
        pin_ = no_slot;
    }

    const Core* core_ = nullptr;
    std::size_t end_ = 0;  // the slot behind the last; 0: the links from a node
    slot_t pin_ = no_slot; // of an input; no_slot at the end
};
/// A pair of iterators as a range: a view, and borrowed, because it owns nothing.
template <class Iterator>
class LinkRange {
public:
    using iterator = Iterator;
    explicit LinkRange(Iterator first) noexcept : first_(first) {}
    Iterator begin() const noexcept { return first_; }
    Iterator end() const noexcept { return {}; }
    bool empty() const noexcept { return begin() == end(); }

private:
    Iterator first_;
};

/// The handle and the node, or the node alone, of a record.
template <class Handle>
struct NodeItemPart {
    template <class Iterator>
    auto operator()(const Iterator& it) const noexcept {
        using Node = std::remove_reference_t<decltype(((*it).node))>;
        return SlotMapItem<Handle, Node&>(Handle::from_bits(it.handle().to_bits()), (*it).node);
    }
};
struct NodePart {
    template <class Iterator>
    auto& operator()(const Iterator& it) const noexcept {
        return (*it).node;
    }
};
template <class Handle>
struct NodeHandlePart {
    template <class Iterator>
    Handle operator()(const Iterator& it) const noexcept {
        return Handle::from_bits(it.handle().to_bits());
    }
};

} // namespace detail

/// A link from an output to an input. @tparam Name a handle, or an id
template <class Name>
struct NodeLink {
    Name from{};       ///< the node that writes
    slot_t output = 0; ///< the number of its output
    Name to{};         ///< the node that reads
    slot_t input = 0;  ///< the number of its input
    friend bool operator==(const NodeLink&, const NodeLink&) = default;
};

/// How a verb of a DataflowGraph with IdBy<Id> is told a node: by its handle, or by its id.
template <class Handle, class Id>
class NodeName {
public:
    NodeName(Handle handle) noexcept : handle_(handle) {}
    NodeName(const Id& id) noexcept : id_(std::addressof(id)) {}
    /// By what converts to an id, as a text does to a std::string.
    template <class Key>
        requires(!std::is_convertible_v<const Key&, Handle> && !std::is_same_v<Key, Id> && !std::is_same_v<Key, NodeName> &&
                 std::is_convertible_v<const Key&, Id>)
    NodeName(const Key& key) : made_(std::in_place, key), id_(std::addressof(*made_)) {}
    NodeName(const NodeName&) = delete;
    NodeName& operator=(const NodeName&) = delete;
    ~NodeName() = default;

    /// The id, or null: the handle counts.
    const Id* id() const noexcept { return id_; }
    Handle handle() const noexcept { return handle_; }

private:
    Handle handle_{};
    std::optional<Id> made_{};
    const Id* id_ = nullptr;
};

/// Nodes with numbered pins. An input reads the output that it is linked to, or its constant. An output may have any number of
/// consumers. Links never form a cycle.
///
/// Each value has a change counter, which moves when a new value differs by Equal, and only then. A graph never gives the same
/// counter twice, so that a counter names its source too: an input remembers the counter that it read when its node last ran,
/// and any other one is a change, be it after a relink or of a new node in a reused slot. evaluate() runs the nodes with such
/// an input in topological order. A node whose inputs were computed again, to equal values, does not run.
///
/// While evaluate() runs, the callbacks may read the graph, set inputs and mark nodes. They must not add, erase, link or copy
/// (checked at level fast): note such a change, and make it afterwards. would_connect() and up_to_date() only read. What the
/// callbacks make dirty runs in the same evaluation if it comes later in the order, and otherwise in the next one. The same
/// holds for constructors and destructors of Node and Value, and for Equal: they may read the graph that calls them.
/// @tparam Node what the user keeps in a node: any object type, also one that cannot be moved; its address never changes
/// @tparam Value what pins carry: default-initialisable, its moves do not throw; the address of a pin's value stays as long as
/// the node has these pins. A std::shared_ptr is equal by pointer, in O(1); to change what it points to use edit_input() and
/// DataflowContext::edit_output()
/// @tparam Equal decides whether a new value is a change. With EqualTo a NaN equals itself, and -0.0 differs from 0.0
/// @tparam With in any order: AllocBy<A>, from which all memory comes but the lists of subscribers and the texts of a
/// SharedNodeInfo, Tag<X>, and
/// - IdBy<Id>: each node has an id beside its handle, as PublicId or a path, by which each verb finds it too. Ids hash and
///   compare by DefaultHash<Id> and ==, which must not throw
/// - LinkIf<P>: P()(output, input), of two NodePin<Node>, says whether such a link may be made. connect(), link_all() and
///   would_connect() ask it, and bytes that are read; what is linked is not asked about again when a node changes
template <class Node, class Value, class Equal, class... With>
class DataflowGraph {
    static_assert(std::is_default_constructible_v<Value> && std::is_nothrow_move_constructible_v<Value> &&
                      std::is_nothrow_move_assignable_v<Value>,
                  "DataflowGraph<Node, Value>: Value must have a default constructor, and moves that do not throw, because an "
                  "errored node gets its old outputs back; a std::shared_ptr or a std::unique_ptr to the value has both");
    static_assert(std::is_nothrow_copy_constructible_v<Equal> && std::is_nothrow_swappable_v<Equal>,
                  "DataflowGraph<Node, Value, Equal>: copies of Equal must not throw; let it point to what it needs");
    static_assert(
        detail::Argument<Equal>::name == detail::no_name,
        "DataflowGraph<Node, Value, Equal, With...>: Equal is in front of IdBy<Id>, LinkIf<P>, Tag<X> and AllocBy<A>; "
        "write DataflowGraph<Node, Value, slotwise::EqualTo, ...>");
    using Core = detail::DataflowCoreOf<Node, Value, Equal, With...>;
    using Id = typename detail::DataflowArguments<With...>::template get<detail::with_id, detail::NoId>;
    using Rule = typename detail::DataflowArguments<With...>::template get<detail::with_rule, detail::NoRule>;
    static constexpr bool has_ids = Core::has_ids, has_rule = Core::has_rule;
    static_assert(std::is_nothrow_copy_constructible_v<Rule> && std::is_nothrow_swappable_v<Rule>,
                  "DataflowGraph LinkIf<P>: copies of P must not throw; let it point to what it needs");
    template <class Map>
    static constexpr bool is_map_of_ids =
        requires(const Map& map, HandleOf<DataflowGraph> node) { static_cast<bool>(map.id_of(node)); };
    using Bytes = detail::DataflowBytes<Core>;
    using Allocator = typename detail::DataflowArguments<With...>::allocator;
    using Record = typename Core::Record;
    using Running = typename Core::Running;
    using RecordHandle = typename Core::Records::handle_type;

public:
    using node_type = Node;
    using value_type = Value;
    /// Compares values.
    using equal_type = Equal;
    using size_type = std::size_t;
    using allocator_type = Allocator;
    /// Names a node.
    using handle_type = HandleOf<DataflowGraph>;
    /// What evaluate() passes on.
    using context_type = DataflowContext<DataflowGraph>;
    /// What connect() answers.
    using link_result = LinkResult<handle_type>;
    /// How verbs are told a node: its handle, or with IdBy<Id> a NodeName, which a handle and an id convert to.
    using node_name = typename detail::NodeIds<Id, handle_type, detail::rebind_t<Allocator, std::byte>>::name;
    /// A link of the graph.
    using Link = NodeLink<handle_type>;

    /// Base of what subscribe() takes.
    using subscriber = OutputSubscriber<handle_type, Value>;
    /// Keeps a subscriber subscribed. It may outlive the graph.
    using subscription = BasicObserverToken<subscriber>;

    /// An output of a node.
    struct Source {
        handle_type node{}; ///< null: none
        slot_t output = 0;  ///< its number
        /// Whether there is one.
        explicit operator bool() const noexcept { return !node.is_null(); }
        friend bool operator==(const Source&, const Source&) = default;
    };
    /// What an evaluation did.
    struct Evaluation {
        size_type ran = 0;     ///< nodes that f was called for
        size_type errored = 0; ///< those of them that failed
    };

    //=== construction ===//

    DataflowGraph() noexcept(noexcept(Allocator()) && noexcept(Equal()) && noexcept(Rule()))
        requires(std::is_default_constructible_v<Allocator> && std::is_default_constructible_v<Equal> &&
                 std::is_default_constructible_v<Rule>)
        : DataflowGraph(Allocator()) {}
    explicit DataflowGraph(const Allocator& alloc) noexcept(noexcept(Equal()) && noexcept(Rule()))
        requires(std::is_default_constructible_v<Equal> && std::is_default_constructible_v<Rule>)
        : core_(alloc) {}
    /// Compares values with this.
    explicit DataflowGraph(const Equal& equal, const Allocator& alloc = Allocator())
        requires std::is_default_constructible_v<Rule>
        : core_(alloc, equal) {}
    /// Compares values with this, and asks the rule about links.
    DataflowGraph(const Equal& equal, const Rule& rule, const Allocator& alloc = Allocator())
        requires has_rule
        : core_(alloc, equal, rule) {}
    /// The same nodes under the same handles, with all values, counters, marks and flags. @throws what the allocator and the
    /// copies throw
    DataflowGraph(const DataflowGraph& other)
        : DataflowGraph(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {
    }
    DataflowGraph(const DataflowGraph& other, const Allocator& alloc) : core_(other.core_, alloc) {}
    /// `other` is empty then. Addresses and handles stay valid and refer to this graph.
    DataflowGraph(DataflowGraph&& other) noexcept : core_(other.get_allocator(), other.core_.equal, other.core_.rule) {
        core_.swap(other.core_);
    }
    /// As above; nodes and values are moved one by one when the allocators differ, and only handles stay valid.
    /// @throws what the allocator and the moves throw; `other` is empty then
    DataflowGraph(DataflowGraph&& other, const Allocator& alloc)
        requires(detail::always_equal<Allocator> || std::is_move_constructible_v<Node>)
        : core_(alloc, other.core_.equal, other.core_.rule) {
        core_.take(other.core_);
    }
    /// Attached observers stay, and are notified of the end of the old nodes and of the new ones.
    /// @throws what the allocator, the copies and observers throw; strong, but empty if an observer throws
    DataflowGraph& operator=(const DataflowGraph& other) {
        if (this == &other) return *this;
        Core copy(other.core_, detail::propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        core_.adopt(copy);
        return *this;
    }
    /// `other` is empty then. @throws what the allocator and the moves throw when the allocators differ and do not propagate
    DataflowGraph& operator=(DataflowGraph&& other) noexcept(detail::RowRules::nothrow_move<DataflowGraph>)
        requires(detail::always_equal<Allocator> || std::is_move_constructible_v<Node>)
    {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    ~DataflowGraph() = default;
    /// Exchanges the contents; handles and subscribers go with them. Unequal allocators that do not propagate: nodes and values
    /// are moved one by one.
    void swap(DataflowGraph& other) noexcept(detail::RowRules::nothrow_swap<DataflowGraph>)
        requires(detail::always_equal<Allocator> || std::is_move_constructible_v<Node>)
    {
        detail::RowRules::swap(*this, other);
    }
    friend void swap(DataflowGraph& a, DataflowGraph& b) noexcept(noexcept(a.swap(b)))
        requires(detail::always_equal<Allocator> || std::is_move_constructible_v<Node>)
    {
        a.swap(b);
    }
    allocator_type get_allocator() const noexcept { return allocator_type(core_.get_allocator()); }

    //=== capacity ===//

    /// How many nodes there are.
    size_type size() const noexcept { return core_.records.size(); }
    bool empty() const noexcept { return core_.records.empty(); }
    /// How many pins all nodes have.
    size_type pins() const noexcept { return core_.pins.size(); }
    /// How many inputs are linked.
    size_type links() const noexcept { return core_.links; }

    /// Room for `nodes` nodes in all, and `pins` pins. @throws std::length_error when a graph cannot have that many, what the
    /// allocator throws; the graph is as before
    void reserve(size_type nodes, size_type pins = 0) {
        core_.expect_idle();
        core_.reserve(nodes, pins);
    }
    /// Frees memory above the highest slot in use, and gaps in the order. @throws what the allocator throws; the graph is as
    /// before @complexity linear
    void shrink_to_fit() {
        core_.expect_idle();
        core_.compact();
        core_.records.shrink_to_fit();
    }

    //=== nodes ===//

    /// Adds a node. It runs in the next evaluation. Its inputs have the constant Value(), and its outputs that value.
    /// @throws std::length_error when there are too many nodes or pins; what the allocator and the constructors throw; strong
    /// @complexity amortised O(inputs + outputs)
    handle_type add(Node node, size_type inputs, size_type outputs)
        requires(!has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(no_id, {}, inputs, outputs, std::move(node));
    }
    /// The same, with pins and flags as `info` says. @pre info lives as long as the graph and its copies: it is static data
    handle_type add(Node node, const NodeInfo& info)
        requires(!has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(no_id, SharedNodeInfo::refer_to(&info), info.inputs.size(), info.outputs.size(), std::move(node));
    }
    /// The same, with an info that the node shares. @pre info
    handle_type add(Node node, const SharedNodeInfo& info)
        requires(!has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(no_id, info, info->inputs.size(), info->outputs.size(), std::move(node));
    }
    /// Adds a node that is built in place: Node(args...). As add()
    template <class... Args>
        requires(!has_ids && std::is_constructible_v<Node, Args && ...>)
    handle_type emplace(size_type inputs, size_type outputs, Args&&... args) {
        return do_add(no_id, {}, inputs, outputs, std::forward<Args>(args)...);
    }
    /// With IdBy<Id>: adds a node with this id. Null, and no effect, when a node or a reserved handle has it. As add()
    /// otherwise; what the copy of the id throws changes nothing either
    handle_type add(const Id& id, Node node, size_type inputs, size_type outputs)
        requires(has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(id, {}, inputs, outputs, std::move(node));
    }
    handle_type add(const Id& id, Node node, const NodeInfo& info)
        requires(has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(id, SharedNodeInfo::refer_to(&info), info.inputs.size(), info.outputs.size(), std::move(node));
    }
    handle_type add(const Id& id, Node node, const SharedNodeInfo& info)
        requires(has_ids && std::is_move_constructible_v<Node>)
    {
        return do_add(id, info, info->inputs.size(), info->outputs.size(), std::move(node));
    }
    template <class... Args>
        requires(has_ids && std::is_constructible_v<Node, Args && ...>)
    handle_type emplace(const Id& id, size_type inputs, size_type outputs, Args&&... args) {
        return do_add(id, {}, inputs, outputs, std::forward<Args>(args)...);
    }
    /// With IdBy<Id>: the handle of the node with this id, for loops; null when there is none. @complexity O(1) expected
    handle_type find(const Id& id) const noexcept
        requires has_ids
    {
        const handle_type node = core_.ids.handle_of(id);
        return contains(node) ? node : handle_type();
    }
    /// With IdBy<Id>: the id of a node, or of a reserved handle; null when there is none. @complexity O(1)
    const Id* id_of(handle_type node) const noexcept
        requires has_ids
    {
        return core_.ids.id_of(node);
    }
    /// Gives the node this many inputs and outputs. Those that stay keep number, value, counter and link; of those that go the
    /// links are cut. The node runs in the next evaluation. False when there is no such node.
    /// @throws as add(); strong @complexity linear in its pins and the consumers of its outputs
    bool set_pins(node_name name, size_type inputs, size_type outputs) {
        const handle_type node = named(name);
        Record* const record = record_of(node);
        if (record == nullptr) return false;
        const Running running(core_);
        core_.set_pins(*record, node.index(), inputs, outputs);
        return true;
    }
    /// Removes the node with its pins and links. Its consumers read their constants. False when there is no such node.
    /// @complexity linear in its pins and their links
    bool erase(node_name name) noexcept {
        const handle_type node = named(name);
        Record* const record = record_of(node);
        if (record == nullptr) return false;
        const Running running(core_);
        core_.take_out(*record, node.index());
        if constexpr (has_ids) core_.ids.erase(node);
        return core_.records.erase(Core::inner(node));
    }
    /// As erase, but the handle is "reserved" then, and no other node gets it: fulfill() brings it back with a node, cancel()
    /// gives it up. For undo. Links, constants and flags are gone: note them before, and link again. False when there is no
    /// such node. An id stays with the handle.
    /// @throws what the allocator throws, when no handle of this graph was reserved before; strong
    bool erase_reserved(node_name name) {
        const handle_type node = named(name);
        Record* const record = record_of(node);
        if (record == nullptr) return false;
        const Running running(core_);
        detail::SlotMapSteps::prepare(core_.records);
        core_.take_out(*record, node.index());
        return core_.records.erase_reserved(Core::inner(node));
    }
    /// The same, and returns the node; empty when there is none. @throws also what Node's move throws; the node then stays
    std::optional<Node> extract_reserved(node_name name)
        requires std::is_move_constructible_v<Node>
    {
        const handle_type node = named(name);
        std::optional<Node> result;
        Record* const record = record_of(node);
        if (record == nullptr) return result;
        const Running running(core_);
        detail::SlotMapSteps::prepare(core_.records);
        result.emplace(std::move(record->node));
        core_.take_out(*record, node.index());
        core_.records.erase_reserved(Core::inner(node));
        return result;
    }
    /// Adds a node under a reserved handle, without links. It runs in the next evaluation. False, and no effect, when the
    /// handle is not reserved (any more). @throws as add(); the handle is then still reserved
    bool fulfill(node_name node, Node value, size_type inputs, size_type outputs)
        requires std::is_move_constructible_v<Node>
    {
        return do_fulfill(named(node), {}, inputs, outputs, std::move(value));
    }
    /// The same, with pins and flags as `info` says. @pre info lives as long as the graph and its copies: it is static data
    bool fulfill(node_name node, Node value, const NodeInfo& info)
        requires std::is_move_constructible_v<Node>
    {
        return do_fulfill(named(node), SharedNodeInfo::refer_to(&info), info.inputs.size(), info.outputs.size(),
                          std::move(value));
    }
    /// The same, with an info that the node shares. @pre info
    bool fulfill(node_name node, Node value, const SharedNodeInfo& info)
        requires std::is_move_constructible_v<Node>
    {
        return do_fulfill(named(node), info, info->inputs.size(), info->outputs.size(), std::move(value));
    }
    /// Gives a reserved handle up: it is stale for ever. False when it is not reserved.
    bool cancel(node_name name) noexcept {
        core_.expect_idle();
        const handle_type node = named(name);
        if (!core_.records.cancel(Core::inner(node))) return false;
        if constexpr (has_ids) core_.ids.erase(node);
        return true;
    }
    /// Removes all nodes, and gives up reserved handles. @complexity linear
    void clear() noexcept {
        const Running running(core_);
        core_.clear();
    }

    /// The handle of the node in `slot`, null when none lives there.
    handle_type handle_at(slot_t slot) const noexcept { return core_.handle_at(slot); }
    /// The nodes, in slot order: for (Node& node : graph). @invalidates by add(), erase() and what replaces the contents
    auto begin() noexcept { return walk(core_.records.begin(), detail::NodePart()); }
    auto end() noexcept { return walk(core_.records.end(), detail::NodePart()); }
    auto begin() const noexcept { return walk(core_.records.begin(), detail::NodePart()); }
    auto end() const noexcept { return walk(core_.records.end(), detail::NodePart()); }
    /// Handles and nodes, in slot order: for (auto [handle, node] : graph.items()); and the handles alone. As begin()
    auto items() noexcept { return whole(*this, detail::NodeItemPart<handle_type>()); }
    auto items() const noexcept { return whole(*this, detail::NodeItemPart<handle_type>()); }
    auto handles() const noexcept { return whole(*this, detail::NodeHandlePart<handle_type>()); }
    /// Calls f(handle, node) for each node, in slot order. f must not add or erase.
    template <class F>
    void for_each(F&& f) {
        for (auto [handle, record] : core_.records.items()) f(core_.handle_at(handle.index()), record.node);
    }
    template <class F>
    void for_each(F&& f) const {
        for (auto [handle, record] : core_.records.items()) f(core_.handle_at(handle.index()), record.node);
    }
    /// Calls f(handle, node) for each node, sources before their consumers. f must not add, erase or link.
    template <class F>
    void for_each_in_order(F&& f) const {
        for (size_type at = 0; at != core_.order.positions(); ++at)
            if (const slot_t slot = core_.order.slot_at(at); slot != no_slot)
                f(core_.handle_at(slot), std::as_const(core_.by_slot[slot]->node));
    }
    bool contains(node_name node) const noexcept { return record_of(node) != nullptr; }
    /// The node, or null when it was erased. @complexity O(1)
    Node* get(node_name node) noexcept { return node_of(record_of(node)); }
    const Node* get(node_name node) const noexcept { return node_of(std::as_const(*this).record_of(node)); }
    /// The node. @throws std::out_of_range when it was erased
    Node& at(node_name node) { return checked(*this, node, unknown).node; }
    const Node& at(node_name node) const { return checked(*this, node, unknown).node; }
    /// The node. @pre contains(node) (checked at level fast)
    Node& operator[](node_name node) noexcept { return expected(*this, node).node; }
    const Node& operator[](node_name node) const noexcept { return expected(*this, node).node; }
    /// Why a handle does or does not resolve.
    HandleStatus explain(node_name node) const noexcept { return core_.records.explain(Core::inner(named(node))); }
    /// How many inputs and outputs the node has; 0 when there is no such node.
    size_type inputs(node_name node) const noexcept { return part(node, &Record::inputs); }
    size_type outputs(node_name node) const noexcept { return part(node, &Record::outputs); }
    /// The info that the node was added with, or null. One that is shared is valid while a node or a SharedNodeInfo has it.
    const NodeInfo* info(node_name node) const noexcept {
        const Record* const record = record_of(node);
        return record == nullptr ? nullptr : record->info.get();
    }
    /// The same, to keep: what a SharedNodeInfo was made of stays as long as the result.
    SharedNodeInfo shared_info(node_name node) const noexcept { return part(node, &Record::info); }

    //=== links ===//

    /// Links an input to an output. A source that the input had is replaced; the same one again is no change. A link that would
    /// close a cycle is refused, with the path that is there already. Nothing changes when the result is false.
    /// @throws what the allocator throws; strong
    /// @complexity O(1) when `from` is before `to` in the order; amortised O(1) when only few nodes lead to `from`, or follow
    /// from `to`, as of new ones; else n log n in the nodes between them that are connected with one of them, and their links
    link_result connect(node_name from, size_type output, node_name to, size_type input) {
        core_.expect_idle();
        PinsOfLink link;
        if (const LinkStatus wrong = examine(named(from), output, named(to), input, link); wrong != LinkStatus::linked)
            return link_result(wrong);
        if (core_.pins.links[link.input].source != link.output) {
            if (!core_.connect(link.from, link.output, link.to, link.input)) return link_result(path());
            ++core_.by_slot[link.to]->edits;
        }
        return link_result(LinkStatus::linked);
    }
    /// What connect() would answer; nothing changes. It is not const, because its search uses memory of the graph.
    /// @throws, @complexity as connect()
    link_result would_connect(node_name from, size_type output, node_name to, size_type input) {
        PinsOfLink link;
        if (const LinkStatus wrong = examine(named(from), output, named(to), input, link); wrong != LinkStatus::linked)
            return link_result(wrong);
        if (core_.pins.links[link.input].source != link.output && core_.search(link.from, link.to) == Core::Edge::cycle)
            return link_result(path());
        return link_result(LinkStatus::linked);
    }
    /// Makes all these links, in whatever order they stand, or none: connect() for each, but the order of the nodes is sought
    /// once. A result that is false says which link was refused, and why; so does a link whose input another one has too.
    /// @throws what the allocator throws; strong
    /// @complexity linear in the links, the nodes between the ends of those that lead against the order, and their links: at
    /// most linear in the graph
    link_result link_all(std::span<const Link> links) { return do_link_all(links); }
    /// With IdBy<Id>: the same, of nodes that are named by ids.
    link_result link_all(std::span<const NodeLink<Id>> links)
        requires has_ids
    {
        return do_link_all(links);
    }
    /// The input reads its constant again. False when it had no source, or there is no such input.
    bool disconnect(node_name node, size_type input) noexcept {
        core_.expect_idle();
        Record* const record = record_of(node);
        if (record == nullptr || input >= record->inputs || !core_.pins.linked(Core::input_pin(*record, input))) return false;
        core_.cut(Core::input_pin(*record, input));
        ++record->edits;
        return true;
    }
    /// The output that the input reads; false as a bool when it is a constant, or there is no such input.
    Source source(node_name node, size_type input) const noexcept {
        const Record* const record = record_of(node);
        if (record == nullptr || input >= record->inputs || !core_.pins.linked(Core::input_pin(*record, input))) return {};
        const slot_t from = core_.pins.links[Core::input_pin(*record, input)].source;
        const slot_t slot = core_.pins.links[from].owner;
        return {core_.handle_at(slot), from - core_.by_slot[slot]->first - core_.by_slot[slot]->inputs};
    }
    /// Calls f(handle, input) for each consumer of an output, in the order of their links. f must not link.
    template <class F>
    void for_each_consumer(node_name node, size_type output, F&& f) const {
        const Record* const record = record_of(node);
        if (record == nullptr || output >= record->outputs) return;
        for (slot_t to = core_.pins.links[Core::output_pin(*record, output)].next; to != no_slot;
             to = core_.pins.links[to].next) {
            const slot_t slot = core_.pins.links[to].owner;
            f(core_.handle_at(slot), to - core_.by_slot[slot]->first);
        }
    }
    /// All links, by slots and inputs of the nodes that read: for (const Link& link : graph.all_links()). links() is their
    /// number. @complexity the walk is linear in slots and inputs @invalidates by changes of nodes and links
    auto all_links() const noexcept { return range(LinkIterator::into(core_, 0, core_.by_slot.size())); }
    /// The links into a node, by inputs; none when there is no such node. @complexity the walk is linear in its inputs
    auto links_into(node_name node) const noexcept {
        const handle_type to = named(node);
        return range(contains(to) ? LinkIterator::into(core_, to.index(), std::size_t{to.index()} + 1) : LinkIterator());
    }
    /// The links from a node, by outputs, those of one output in the order in which they were made; none when there is no such
    /// node. @complexity the walk is linear in its outputs and these links
    auto links_from(node_name node) const noexcept {
        const Record* const record = record_of(node);
        return range(record == nullptr ? LinkIterator() : LinkIterator::from(core_, *record));
    }

    //=== values ===//

    /// Sets the constant of an input; returns whether it differs. A linked input keeps it for the time after its link.
    /// @throws std::out_of_range when there is no such input; what Equal and the construction of a Value throw; strong
    template <class U = Value>
        requires std::is_constructible_v<Value, U&&>
    bool set_input(node_name node, size_type input, U&& value) {
        Record& record =
            checked(*this, node, "DataflowGraph set_input(node, ...): no node has this handle or id; ask contains(node)");
        const slot_t at = checked_input(record, input);
        if constexpr (std::is_same_v<std::remove_cvref_t<U>, Value>) {
            if (core_.equals(core_.pins.value(at), value)) return false;
            Value fresh(std::forward<U>(value));
            core_.pins.value(at) = std::move(fresh);
        } else {
            auto fresh = static_cast<Value>(std::forward<U>(value));
            if (core_.equals(core_.pins.value(at), fresh)) return false;
            core_.pins.value(at) = std::move(fresh);
        }
        core_.constant_changed(record, at);
        return true;
    }
    /// Lets f(Value&) change the constant of an input in place. That counts as a change, unless f returns false; returns which.
    /// @throws std::out_of_range when there is no such input; what f throws: that counts as a change too
    template <class F>
    bool edit_input(node_name node, size_type input, F&& f) {
        Record& record =
            checked(*this, node, "DataflowGraph edit_input(node, ...): no node has this handle or id; ask contains(node)");
        const slot_t at = checked_input(record, input);
        ScopeGuard changed([&]() noexcept { core_.constant_changed(record, at); });
        if constexpr (!detail::answers_change<F, Value>)
            f(core_.pins.value(at));
        else if (!f(core_.pins.value(at))) {
            changed.dismiss();
            return false;
        }
        return true;
    }
    /// The value that an input reads: that of its source, or its constant. @throws std::out_of_range when there is none
    const Value& input(node_name node, size_type input) const {
        const Record& record =
            checked(*this, node, "DataflowGraph input(node, ...): no node has this handle or id; ask contains(node)");
        return core_.pins.value(core_.pins.links[checked_input(record, input)].source);
    }
    /// The constant of an input, which it reads if it has no source. @throws as input()
    const Value& constant(node_name node, size_type input) const {
        return core_.pins.value(checked_input(
            checked(*this, node, "DataflowGraph constant(node, ...): no node has this handle or id; ask contains(node)"),
            input));
    }
    /// The value of an output. @throws std::out_of_range when there is none
    const Value& output(node_name node, size_type output) const { return core_.pins.value(checked_output(node, output)); }
    /// The change counter of an output: another number whenever the value is another. @throws as output()
    change_t counter(node_name node, size_type output) const { return core_.pins.counters[checked_output(node, output)]; }

    /// Notifies the subscriber of each evaluation in which the output becomes another value, until the token is destroyed. Ends
    /// with the output, and when the graph is assigned to, restored or cleared; goes with the contents in a move or swap.
    /// @pre the subscriber lives as long as the token is attached
    /// @throws std::out_of_range when there is no such output, std::bad_alloc; strong
    [[nodiscard]] subscription subscribe(node_name node, size_type output, subscriber& of) {
        const slot_t pin = checked_output(node, output);
        return core_.subscribers.add(pin, core_.pins.counters[pin], of);
    }
    /// Attaches an observer of the nodes' slots until the token is destroyed, as SlotMap::attach: a column that has a value for
    /// each node, or a map that follows, by its attach_to(). It gets on_insert when a node is built and has no pins yet, and
    /// on_erase when its pins and links are gone. It stays at an assignment, load and restore, and goes with the contents in a
    /// move or swap. While it is notified it may read the graph.
    /// @pre the observer lives as long as the token is attached
    /// @throws std::bad_alloc, what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) {
        const Running running(core_);
        return core_.records.attach(observer);
    }

    //=== flags and counters ===//

    /// The flags of a node; none when there is no such node.
    NodeFlags flags(node_name node) const noexcept { return part(node, &Record::flags) & ~detail::node_is_due; }
    /// Sets these flags, or clears them. NodeFlags::errored is cleared by a run that succeeds, and not here. False when there
    /// is no such node.
    bool set_flags(node_name name, NodeFlags which, bool on = true) noexcept {
        const handle_type node = named(name);
        Record* const record = record_of(node);
        if (record == nullptr) return false;
        which = which & detail::settable_flags;
        core_.set_flags(*record, node.index(), on ? record->flags | which : record->flags & ~which);
        ++record->edits;
        return true;
    }
    /// Makes the node run in the next evaluation: set_flags(node, NodeFlags::manual).
    bool mark(node_name node) noexcept { return set_flags(named(node), NodeFlags::manual); }
    /// How often the node, its constants, links, pins or flags were changed from outside; 0 when there is no such node.
    change_t edits(node_name node) const noexcept { return part(node, &Record::edits); }
    /// The number of the last evaluation in which the node ran; 0: never.
    change_t last_run(node_name node) const noexcept { return part(node, &Record::ran); }
    /// The number of the last evaluation in which one of its outputs changed; 0: never.
    change_t last_change(node_name node) const noexcept { return part(node, &Record::changed); }

    //=== evaluation ===//

    /// Calls f(node, context) for each node that must run, sources first: one that never ran, got pins, is flagged `always` or
    /// `manual`, or has an input whose value changed since the start of its own last run. All others cost nothing.
    ///
    /// A node whose f throws, or calls context.fail(), is errored: its outputs and counters are as before, the evaluation goes
    /// on, and it runs again when an input changes. The next success clears the flag.
    /// @param in_use in_use(node) is called for each node flagged `stateful`, whether it runs or not, before any runs: what
    /// the node holds is in use in this frame
    /// @param failed failed(node, context) is called when a run failed, before its outputs are restored; inside of the handler,
    /// so that `throw;` ends the evaluation there. Nodes that did not run yet stay dirty
    /// @throws what in_use and failed throw; never what f throws. Subscribers are then notified after
    /// the next evaluation
    /// @complexity the nodes that run, their inputs, and the consumers of outputs that changed; and n / 4096 words. Allocates
    /// nothing
    template <class F, class InUse = detail::NoCall, class Failed = detail::NoCall>
        requires(!std::is_convertible_v<F, node_name>)
    Evaluation evaluate(F&& f, InUse&& in_use = {}, Failed&& failed = {}) {
        const Evaluation result = run_dirty<false>(f, in_use, failed);
        core_.notify();
        return result;
    }
    /// Evaluates one node, and what it depends on: of these, those run that must. All others that are dirty stay so, and run in
    /// a later evaluation. It counts as an evaluation; in_use is called for the stateful ones among these nodes only. No effect
    /// when there is no such node. @throws as evaluate(), and what the allocator throws before any node runs: no effect then
    /// @complexity the nodes that it depends on, and their inputs, beside what runs; and n / 4096 words. Allocates when more
    /// nodes are there than in any call before
    template <class F, class InUse = detail::NoCall, class Failed = detail::NoCall>
    Evaluation evaluate(node_name node, F&& f, InUse&& in_use = {}, Failed&& failed = {}) {
        const handle_type wanted = named(node);
        if (!contains(wanted)) return {};
        const Evaluation result = run_dirty<true>(f, in_use, failed, wanted.index());
        core_.notify();
        return result;
    }
    /// Whether evaluate() calls f for the node, whatever other nodes do: it never ran, got pins, is flagged `always` or
    /// `manual`, or an input has another value already than at the start of its last run. When false, the node runs only if a
    /// node that it reads runs first, and changes the output: that is known by running it alone; see up_to_date(). False when
    /// there is no such node. @complexity O(inputs)
    bool would_run(node_name node) const noexcept {
        const Record* const record = record_of(node);
        return record != nullptr && core_.must_run(*record);
    }
    /// Whether neither the node nor any that it depends on would run: its outputs are those that evaluate() would leave. When
    /// false and would_run() is false too, what runs before it decides. True when there is no such node. It is not const,
    /// because its search uses memory of the graph.
    /// @throws what the allocator throws; no effect then @complexity the nodes that it depends on, and their inputs
    bool up_to_date(node_name node) {
        const handle_type of = named(node); // one that is built or destroyed now is in no order
        return !contains(of) || !core_.order.contains(of.index()) || core_.up_to_date(of.index());
    }
    /// How many evaluations there were.
    change_t evaluations() const noexcept { return core_.evaluations; }

    /// Whether evaluate() may call f: a node is dirty, or flagged `always`.
    bool dirty() const noexcept { return !core_.dirty.empty(); }

    //=== whole ===//

    /// The exact state as bytes: restored anywhere, the same handles name the same nodes, with values, counters, marks, flags
    /// and order. Subscribers, and the order of the links of an output, are not part of it. An info is written as its name.
    /// @param codec how nodes and values become bytes; see DefaultCodec for the types that need none
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return Bytes::snapshot(core_, codec);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes.
    /// Handles issued after the snapshot are issued again: drop those that do not resolve right after this.
    /// @param kinds kinds(name) answers the info of this name, a const NodeInfo* or a SharedNodeInfo, or null; it is asked only
    /// about nodes that had one. An info whose pins have other names than the one that was written is refused
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator and the codec throw;
    /// strong; what attached observers throw, and the graph is empty then
    template <class Codec = DefaultCodec, class Kinds = detail::NoKinds>
    void restore(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        if (const char* const error = try_restore(bytes, codec, kinds)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what allocator, codec and observers
    /// throw
    template <class Codec = DefaultCodec, class Kinds = detail::NoKinds>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        Core fresh(core_.get_allocator(), core_.equal, core_.rule);
        const char* const error = Bytes::restore(fresh, bytes, codec, kinds);
        if (error == nullptr) core_.adopt(fresh);
        return error;
    }
    /// The state as bytes of a file: nodes are named by ids, and slots, versions and the order are not seen in it. The same
    /// state gives the same bytes. @param ids an IdentityMap<Id, handle_type> with an id for each node: PublicIds, or others
    /// that have operator < and that the codec writes, as std::string
    /// @throws std::invalid_argument when a node has no id; what the allocator and the codec throw
    template <class Ids, class Codec = DefaultCodec>
        requires is_map_of_ids<Ids>
    std::vector<std::byte> save(const Ids& ids, Codec codec = {}) const {
        return Bytes::save(core_, ids, codec);
    }
    /// The same by the graph's own ids, with IdBy<Id>.
    template <class Codec = DefaultCodec>
        requires(has_ids && !is_map_of_ids<Codec>)
    std::vector<std::byte> save(Codec codec = {}) const {
        return Bytes::save(core_, core_.ids, codec);
    }
    /// Replaces the contents by those of a file, and `ids` by the ids of its nodes, whose handles are new. Reserved handles and
    /// their ids are given up.
    /// @throws as restore()
    template <class Ids, class Codec = DefaultCodec, class Kinds = detail::NoKinds>
        requires(!has_ids)
    void load(std::span<const std::byte> bytes, Ids& ids, Codec codec = {}, Kinds kinds = {}) {
        if (const char* const error = try_load(bytes, ids, codec, kinds)) detail::throw_invalid_argument(error);
    }
    /// As load, but returns the error instead of throwing it; null on success. @throws what the allocator and the codec throw
    template <class Ids, class Codec = DefaultCodec, class Kinds = detail::NoKinds>
        requires(!has_ids)
    const char* try_load(std::span<const std::byte> bytes, Ids& ids, Codec codec = {}, Kinds kinds = {}) {
        Core fresh(core_.get_allocator(), core_.equal, core_.rule);
        Ids fresh_ids(ids.get_allocator());
        const char* const error = Bytes::load(fresh, fresh_ids, bytes, codec, kinds);
        if (error != nullptr) return error;
        core_.adopt(fresh);
        ScopeGuard undo([&]() noexcept { core_.clear(); });
        if constexpr (requires { ids.attached(); })
            if (ids.attached()) fresh_ids.attach_to(*this); // the exchange of both exchanges what they follow
        undo.dismiss();
        ids.swap(fresh_ids);
        return nullptr;
    }
    /// With IdBy<Id>: the same, by the graph's own ids.
    template <class Codec = DefaultCodec, class Kinds = detail::NoKinds>
        requires has_ids
    void load(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        if (const char* const error = try_load(bytes, codec, kinds)) detail::throw_invalid_argument(error);
    }
    template <class Codec = DefaultCodec, class Kinds = detail::NoKinds>
        requires has_ids
    const char* try_load(std::span<const std::byte> bytes, Codec codec = {}, Kinds kinds = {}) {
        Core fresh(core_.get_allocator(), core_.equal, core_.rule);
        const char* const error = Bytes::load(fresh, fresh.ids, bytes, codec, kinds);
        if (error == nullptr) core_.adopt(fresh);
        return error;
    }
    /// Bytes held on the heap, without what nodes and values hold themselves. @complexity O(1); linear in pins if
    /// outputs have subscribers
    size_type memory_usage() const noexcept { return core_.memory_usage(); }
    /// Whether all parts agree, and each link leads forward; for tests. @complexity linear
    bool check_invariants() const { return core_.check_invariants(); }

    /// Whether the same handles name equal nodes with equal ids, pins, links, counters, marks and flags.
    friend bool operator==(const DataflowGraph& a, const DataflowGraph& b) {
        if (a.size() != b.size() || a.core_.clock != b.core_.clock || a.core_.evaluations != b.core_.evaluations) return false;
        for (auto [handle, record] : a.core_.records.items()) {
            const Record* const other = b.core_.records.get(handle);
            if (other == nullptr || !a.core_.same(record, b.core_, *other)) return false;
        }
        if constexpr (has_ids)
            return a.core_.ids == b.core_.ids;
        else
            return true;
    }

private:
    friend context_type;
    friend detail::RowRules;
    static constexpr const char* unknown = "DataflowGraph at(node): no node has this handle or id; ask contains(node)";

    static handle_type outer(RecordHandle node) noexcept { return handle_type::from_bits(node.to_bits()); }
    using LinkIterator = detail::LinkIterator<Core, Link>;
    static auto range(LinkIterator first) noexcept { return detail::LinkRange<LinkIterator>(first); }
    template <class Iterator, class Part>
    static auto walk(Iterator it, Part part) noexcept {
        return detail::PartIterator<Iterator, Part>(it, part);
    }
    template <class Self, class Part>
    static auto whole(Self& self, Part part) noexcept {
        auto& records = self.core_.records;
        return detail::part_range(records.begin(), records.end(), records.size(), part);
    }
    /// The handle that a verb is told.
    handle_type named(const node_name& name) const noexcept {
        if constexpr (has_ids)
            return name.id() == nullptr ? name.handle() : core_.ids.handle_of(*name.id());
        else
            return name;
    }
    Record* record_of(const node_name& node) noexcept { return core_.records.get(Core::inner(named(node))); }
    const Record* record_of(const node_name& node) const noexcept { return core_.records.get(Core::inner(named(node))); }
    template <class T>
    T part(const node_name& node, T detail::DataflowState::*member) const noexcept {
        const Record* const record = record_of(node);
        return record == nullptr ? T{} : record->*member;
    }
    template <class R>
    static auto* node_of(R* record) noexcept {
        return record == nullptr ? nullptr : std::addressof(record->node);
    }
    template <class Self>
    static auto& checked(Self& self, const node_name& node, const char* what) {
        auto* const record = self.record_of(node);
        if (record == nullptr) detail::throw_out_of_range(what);
        return *record;
    }
    template <class Self>
    static auto& expected(Self& self, const node_name& node) noexcept {
        auto* const record = self.record_of(node);
        SLOTWISE_EXPECT(record != nullptr,
                        "DataflowGraph [node]: no node has this handle or id; ask get(node) or explain(node)");
        return *record;
    }
    static slot_t checked_input(const Record& record, size_type input) {
        if (input >= record.inputs)
            detail::throw_out_of_range("DataflowGraph: the node has no input of this number; ask inputs(node)");
        return Core::input_pin(record, input);
    }
    slot_t checked_output(const node_name& node, size_type output) const {
        const Record& record =
            checked(*this, node, "DataflowGraph output(node, ...): no node has this handle or id; ask contains(node)");
        if (output >= record.outputs)
            detail::throw_out_of_range("DataflowGraph: the node has no output of this number; ask outputs(node)");
        return Core::output_pin(record, output);
    }
    std::vector<handle_type> path() const {
        std::vector<handle_type> nodes;
        for (const slot_t slot : core_.order.path()) nodes.push_back(core_.handle_at(slot));
        return nodes;
    }
    /// A link, by slots and pins.
    struct PinsOfLink {
        slot_t from = 0, output = 0, to = 0, input = 0;
    };
    /// LinkStatus::linked, and its pins, when there are such pins and the rule allows it. Throws what the rule throws
    LinkStatus examine(handle_type from, size_type output, handle_type to, size_type input, PinsOfLink& link) {
        const Record* const source = core_.records.get(Core::inner(from));
        if (source == nullptr) return LinkStatus::no_source;
        if (output >= source->outputs) return LinkStatus::no_output;
        const Record* const target = core_.records.get(Core::inner(to));
        if (target == nullptr) return LinkStatus::no_target;
        if (input >= target->inputs) return LinkStatus::no_input;
        if (!core_.fit(*source, output, *target, input)) return LinkStatus::unfit;
        link = {from.index(), Core::output_pin(*source, output), to.index(), Core::input_pin(*target, input)};
        return LinkStatus::linked;
    }
    template <class Name>
    link_result do_link_all(std::span<const NodeLink<Name>> links) {
        core_.expect_idle();
        auto& pairs = core_.pairs;
        pairs.clear();
        pairs.reserve(links.size());
        for (size_type n = 0; n != links.size(); ++n) {
            PinsOfLink link;
            const NodeLink<Name>& each = links[n];
            if (const LinkStatus wrong = examine(named(each.from), each.output, named(each.to), each.input, link);
                wrong != LinkStatus::linked)
                return link_result(wrong, n);
            pairs.push_back({link.output, link.input, {}, false});
        }
        const size_type again = core_.find_twice();
        if (again != links.size()) return link_result(LinkStatus::twice, again);
        if (core_.connect_pairs()) return link_result(LinkStatus::linked, links.size());
        size_type n = 0; // a new one is on the cycle, because there was none before
        while (!pairs[n].linked ||
               !core_.order.close_path(core_.pins.links[pairs[n].output].owner, core_.pins.links[pairs[n].input].owner))
            ++n;
        return link_result(path(), n);
    }

    static constexpr detail::NoId no_id{};
    template <class Named, class... Args>
    handle_type do_add(const Named& id, const SharedNodeInfo& info, size_type inputs, size_type outputs, Args&&... args) {
        const Running running(core_);
        if constexpr (has_ids)
            if (core_.ids.contains(id)) return {};
        const auto enter = [&]([[maybe_unused]] handle_type node) {
            if constexpr (has_ids) static_cast<void>(core_.ids.insert(id, node));
        };
        return outer(core_.add(info, inputs, outputs, enter, std::forward<Args>(args)...));
    }
    bool do_fulfill(handle_type node, const SharedNodeInfo& info, size_type inputs, size_type outputs, Node&& value) {
        const Running running(core_);
        if (core_.records.explain(Core::inner(node)) != HandleStatus::reserved) return false;
        core_.fulfill(node, info, inputs, outputs, std::move(value));
        return true;
    }
    /// Runs what must run: of all nodes, or of those that the one in `slot` depends on.
    template <bool Cone, class F, class InUse, class Failed>
    Evaluation run_dirty(F& f, InUse& in_use, Failed& failed, [[maybe_unused]] slot_t slot = no_slot) {
        const Running running(core_);
        if constexpr (Cone) core_.find_cone(slot);
        const ScopeGuard emptied([&]() noexcept { // also when a callback throws
            if constexpr (Cone) core_.cone.clear();
        });

        ++core_.evaluations;
        if constexpr (!std::is_same_v<std::remove_cv_t<InUse>, detail::NoCall>) {
            for (slot_t n = 0; Cone && n != core_.cone_slots.size(); ++n)
                if (Record& record = *core_.by_slot[core_.cone_slots[n]]; has_any(record.flags, NodeFlags::stateful))
                    in_use(record.node);
            if constexpr (!Cone)
                for (size_type at = core_.stateful.next(0); at != core_.stateful.none; at = core_.stateful.next(at + 1))
                    in_use(core_.by_slot[at]->node);
        }
        Evaluation result;
        context_type context(core_);
        const auto step = [&](size_type at) {
            if constexpr (Cone) {
                if (!core_.dirty.test(at)) return;
                core_.dirty.reset(at);
            }
            const typename Core::Place& place = core_.places[at];
            Record& record = *place.record;
            const bool changed = core_.read_inputs(place);
            if (record.flags != NodeFlags::none) [[unlikely]] {
                if (has_any(record.flags, NodeFlags::always)) core_.dirty.set(at); // for the next evaluation
                if (!changed && !has_any(record.flags, detail::runs_anyway)) return;
                record.flags = record.flags & ~(NodeFlags::manual | NodeFlags::errored | detail::node_is_due);
            } else if (!changed)
                return;
            ++result.ran;
            context.enter(place, at);
            result.errored += !run(record, context, f, failed);
        };
        (Cone ? core_.cone : core_.dirty).pop_each(step);
        return result;
    }

    /// One run of a node; false when it failed.
    template <class F, class Failed>
    SLOTWISE_ALWAYS_INLINE bool run(Record& record, context_type& context, F& f, Failed& failed) {
        record.ran = core_.evaluations;
        ScopeGuard undo([&]() noexcept { // also when `failed` throws
            core_.roll_back();
            core_.finish(record, true);
        });
#if SLOTWISE_EXCEPTIONS
        try {
            f(record.node, context);
        } catch (...) {
            record.flags = record.flags | NodeFlags::errored;
            failed(record.node, context);
            return false;
        }
#else
        f(record.node, context);
#endif
        if (context.failed()) {
            record.flags = record.flags | NodeFlags::errored;
            failed(record.node, context);
            return false;
        }
        undo.dismiss();
        core_.finish(record, context.took_back_);
        return true;
    }
    void swap_contents(DataflowGraph& other) noexcept { core_.swap(other.core_); }

    Core core_;
};

/// Whether a link was made, and why not.
///     if (const auto linked = graph.connect(a, 0, b, 0); !linked) report(linked.what(), linked.path());
template <class Handle>
class LinkResult {
public:
    /// The answer `status`, without a path.
    explicit LinkResult(LinkStatus status, std::size_t which = 0) noexcept : status_(status), which_(which) {}
    /// The answer LinkStatus::cycle.
    explicit LinkResult(std::vector<Handle>&& path, std::size_t which = 0) noexcept
        : status_(LinkStatus::cycle), which_(which), path_(std::move(path)) {}

    /// Whether the input is linked to the output now; of would_connect(): whether it may be.
    explicit operator bool() const noexcept { return status_ == LinkStatus::linked; }
    /// Which.
    LinkStatus status() const noexcept { return status_; }
    /// Of a cycle: the nodes from `to` to `from` that are linked already, each to the next; the link would close them to a
    /// ring. Those of link_all() may be linked by others of its links. Empty otherwise.
    std::span<const Handle> path() const noexcept { return path_; }
    /// Of link_all(): the place of the link that is refused; behind the last when all are made. 0 otherwise.
    std::size_t which() const noexcept { return which_; }
    /// The answer in words.
    const char* what() const noexcept {
        switch (status_) {
        case LinkStatus::linked:
            return "connect: the input is linked to the output";
        case LinkStatus::cycle:
            return "connect(from, output, to, input): `to` already leads to `from` by the nodes of path(), so that the link "
                   "would "
                   "close a cycle; disconnect one of these, or link another node";
        case LinkStatus::no_source:
            return "connect(from, ...): no node has this handle or id; ask contains(from)";
        case LinkStatus::no_output:
            return "connect(from, output, ...): the node has fewer outputs; ask outputs(from)";
        case LinkStatus::no_target:
            return "connect(from, output, to, ...): no node has this handle or id; ask contains(to)";
        case LinkStatus::no_input:
            return "connect(from, output, to, input): the node has fewer inputs; ask inputs(to)";
        case LinkStatus::unfit:
            return "connect(from, output, to, input): the rule of the graph, LinkIf<P>, says that this output does not fit "
                   "this "
                   "input; link pins for which P answers true";
        case LinkStatus::twice:
            return "link_all(links): two of the links have the same input, and it can read one output only; leave one out";
        }
        return "";
    }

private:
    LinkStatus status_;
    std::size_t which_ = 0;
    std::vector<Handle> path_{};
};

/// The numbers of the inputs that changed, ascending; see DataflowContext::changed_inputs(). Allocates nothing. Valid until the
/// node's run ends.
class ChangedInputs {
public:
    /// A number of an input.
    class iterator {
    public:
        using value_type = slot_t;
        using difference_type = std::ptrdiff_t;
        constexpr iterator() noexcept = default;
        /// The number of the input.
        constexpr slot_t operator*() const noexcept {
            return static_cast<slot_t>(word_ * bits::word_bits + bits::lowest(rest_));
        }
        constexpr iterator& operator++() noexcept {
            rest_ &= rest_ - 1;
            skip_zero_words();
            return *this;
        }
        constexpr iterator operator++(int) noexcept {
            const iterator before = *this;
            ++*this;
            return before;
        }
        friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
            return a.word_ == b.word_ && a.rest_ == b.rest_;
        }

    private:
        friend ChangedInputs;
        constexpr iterator(const bits::word_t* words, std::size_t word, std::size_t end) noexcept
            : words_(words), word_(word), end_(end), rest_(word == end ? 0 : words[word]) {
            skip_zero_words();
        }
        constexpr void skip_zero_words() noexcept {
            while (rest_ == 0 && word_ != end_)
                if (++word_ != end_) rest_ = words_[word_];
        }
        const bits::word_t* words_ = nullptr;
        std::size_t word_ = 0, end_ = 0;
        bits::word_t rest_ = 0;
    };
    /// Reads these words, a bit for each input.
    constexpr ChangedInputs(const bits::word_t* words, std::size_t count) noexcept : words_(words), count_(count) {}
    constexpr iterator begin() const noexcept { return {words_, 0, count_}; }
    constexpr iterator end() const noexcept { return {words_, count_, count_}; }
    constexpr bool empty() const noexcept { return begin() == end(); }
    /// How many changed.
    constexpr std::size_t size() const noexcept {
        std::size_t changed = 0;
        for (std::size_t i = 0; i != count_; ++i) changed += bits::count(words_[i]);
        return changed;
    }

private:
    const bits::word_t* words_;
    std::size_t count_;
};

/// What a node sees while it runs: its inputs, which of them changed since its last run, and its outputs. Pins are numbered
/// from 0. Valid during the call only.
template <class Graph>
class DataflowContext {
    using Value = typename Graph::value_type;

public:
    using value_type = Value;
    using handle_type = typename Graph::handle_type;

    DataflowContext(const DataflowContext&) = delete;
    DataflowContext& operator=(const DataflowContext&) = delete;
    ~DataflowContext() = default;

    /// The running node.
    handle_type handle() const noexcept { return core_->handle_at(core_->order.slot_at(position_)); }
    /// How many inputs it has.
    slot_t inputs() const noexcept { return inputs_; }
    /// How many outputs it has.
    slot_t outputs() const noexcept { return outputs_; }

    /// The value of an input: the output that it is linked to, or its constant.
    /// @throws std::out_of_range when the node has fewer inputs: it is errored, if nothing catches that
    const Value& input(slot_t i) const {
        expect(i < inputs(), "DataflowContext input(i): the node has fewer inputs; ask inputs()");
        return *core_->pins.reads[first_ + i];
    }
    /// Whether the input's value differs from the one of the start of the node's last run, wherever it comes from. True for
    /// each input in the first run. @throws as input()
    bool changed(slot_t i) const {
        expect(i < inputs(), "DataflowContext changed(i): the node has fewer inputs; ask inputs()");
        return (core_->changed[bits::word_of(i)] & bits::bit_of(i)) != 0;
    }
    /// The numbers of the inputs that changed: a range. Empty if the node runs only because it is always or manually run.
    ChangedInputs changed_inputs() const noexcept { return {core_->changed.data(), bits::word_count(inputs())}; }

    /// The value of an output as it is now.
    /// @throws std::out_of_range when the node has fewer outputs: it is errored, if nothing catches that
    const Value& output(slot_t o) const {
        expect(o < outputs(), "DataflowContext output(o): the node has fewer outputs; ask outputs()");
        return *core_->pins.reads[output_pin(o)];
    }
    /// Gives an output its value; returns whether that differs from the one of before the run. Only then do consumers run, and
    /// the counter moves. An output that is not set keeps its value.
    /// @throws as output(); what Equal and Value's construction throw; the output is as before
    template <class U = Value>
        requires std::is_constructible_v<Value, U&&>
    SLOTWISE_ALWAYS_INLINE bool set_output(slot_t o, U&& value) {
        expect(o < outputs(), "DataflowContext set_output(o, value): the node has fewer outputs; ask outputs()");
        if constexpr (std::is_same_v<std::remove_cvref_t<U>, Value>)
            return write(output_pin(o), std::forward<U>(value));
        else
            return write(output_pin(o), Value(std::forward<U>(value)));
    }
    /// Lets f(Value&) change the value of an output in place, without a copy. That counts as a change, unless f returns false.
    /// A run that fails then cannot bring the old value back: the output keeps what f left, and consumers run.
    /// @throws as output(); what Value() throws: the output is as before; what f throws: that counts as a change too
    template <class F>
    bool edit_output(slot_t o, F&& f) {
        expect(o < outputs(), "DataflowContext edit_output(o, f): the node has fewer outputs; ask outputs()");
        const slot_t pin = output_pin(o);
        if (core_->pins.seen[pin] != core_->evaluations) {
            Value none = Value(); // may throw; the output counts as written behind it
            core_->pins.seen[pin] = core_->evaluations;
            core_->written.push(pin, false, core_->pins.counters[pin], std::move(none));
        }
        ScopeGuard changed([&]() noexcept { core_->publish(pin); }); // also when f throws
        if constexpr (!detail::answers_change<F, Value>)
            f(*core_->pins.reads[pin]);
        else if (!f(*core_->pins.reads[pin])) {
            changed.dismiss();
            took_back_ = true;
            return false;
        }
        return true;
    }

    /// Says that the node cannot do its work: it is errored, its outputs are as before the run, and it runs again when an input
    /// changes. The same as throwing, for programs without exceptions. The caller should return then.
    void fail() noexcept { failed_ = true; }
    /// Whether fail() was called in this run.
    bool failed() const noexcept { return failed_; }

private:
    friend Graph;
    using Core = typename Graph::Core;
    explicit DataflowContext(Core& core) noexcept : core_(&core) {}

    static void expect(bool there, const char* what) {
        if (!there) [[unlikely]]
            detail::throw_out_of_range(what);
    }
    void enter(const typename Core::Place& place, std::size_t position) noexcept {
        position_ = position;
        first_ = place.first;
        inputs_ = place.inputs;
        outputs_ = place.record->outputs;
        failed_ = took_back_ = false;
    }
    slot_t output_pin(slot_t o) const noexcept { return first_ + inputs_ + o; }
    template <class U>
    SLOTWISE_ALWAYS_INLINE bool write(slot_t pin, U&& value) {
        Value& here = *core_->pins.reads[pin];
        if (core_->pins.seen[pin] == core_->evaluations) [[unlikely]]
            return write_again(pin, std::forward<U>(value));
        if (core_->equals(here, value)) return false;
        Value fresh(std::forward<U>(value));
        core_->pins.seen[pin] = core_->evaluations;
        core_->written.push(pin, true, core_->pins.counters[pin], std::move(here));
        here = std::move(fresh);
        core_->publish(pin);
        return true;
    }
    template <class U>
    SLOTWISE_NEVER_INLINE bool write_again(slot_t pin, U&& value) {
        auto& entry = core_->written.at_pin(pin, output_pin(0));
        const bool differs = !entry.kept || !core_->equals(entry.before, value);
        Value fresh(std::forward<U>(value));
        *core_->pins.reads[pin] = std::move(fresh);
        if (differs)
            core_->publish(pin);
        else {
            core_->pins.counters[pin] = entry.counter;
            took_back_ = true;
        }
        return differs;
    }

    Core* core_;
    std::size_t position_ = 0;
    slot_t first_ = 0, inputs_ = 0, outputs_ = 0;
    bool failed_ = false;
    bool took_back_ = false; // an output that was written may be as before
};

/// The error for const, volatile and reference types.
template <class Node, class Value, class Equal, class... With>
    requires(detail::is_qualified<Node> || detail::is_qualified<Value>)
class DataflowGraph<Node, Value, Equal, With...>
    : public detail::OfPlain<DataflowGraph<std::remove_cvref_t<Node>, std::remove_cvref_t<Value>, Equal, With...>> {};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Iterator>
inline constexpr bool std::ranges::enable_view<slotwise::detail::LinkRange<Iterator>> = true;
template <class Iterator>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::LinkRange<Iterator>> = true;

#endif
