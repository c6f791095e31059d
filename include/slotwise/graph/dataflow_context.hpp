// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DataflowContext: what a node of a DataflowGraph sees while it runs.
#ifndef SLOTWISE_GRAPH_DATAFLOW_CONTEXT_HPP
#define SLOTWISE_GRAPH_DATAFLOW_CONTEXT_HPP

#include "dataflow_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A callback that is not given.
struct NoCall {
    template <class... Args>
    void operator()(Args&&...) const noexcept {}
};

} // namespace detail

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
            settle();
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
            settle();
        }
        constexpr void settle() noexcept {
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

    /// The value of an input: the output that it is linked to, or its constant. @pre i < inputs() (checked at level fast)
    const Value& input(slot_t i) const noexcept {
        SLOTWISE_EXPECT(i < inputs(), "DataflowContext input(i): the node has fewer inputs; ask inputs()");
        return *core_->pins.reads[first_ + i];
    }
    /// Whether the input's value differs from the one of the start of the node's last run, wherever it comes from. True for
    /// each input in the first run. @pre i < inputs() (checked at level fast)
    bool changed(slot_t i) const noexcept {
        SLOTWISE_EXPECT(i < inputs(), "DataflowContext changed(i): the node has fewer inputs; ask inputs()");
        return (core_->changed[bits::word_of(i)] & bits::bit_of(i)) != 0;
    }
    /// The numbers of the inputs that changed: a range. Empty if the node runs only because it is always or manually run.
    ChangedInputs changed_inputs() const noexcept { return {core_->changed.data(), bits::word_count(inputs())}; }

    /// The value of an output as it is now. @pre o < outputs() (checked at level fast)
    const Value& output(slot_t o) const noexcept {
        SLOTWISE_EXPECT(o < outputs(), "DataflowContext output(o): the node has fewer outputs; ask outputs()");
        return *core_->pins.reads[output_pin(o)];
    }
    /// Gives an output its value; returns whether that differs from the one of before the run. Only then do consumers run, and
    /// the counter moves. An output that is not set keeps its value.
    /// @pre o < outputs() (checked at level fast) @throws what Equal and Value's construction throw; the output is as before
    template <class U = Value>
        requires std::is_constructible_v<Value, U&&>
    SLOTWISE_ALWAYS_INLINE bool set_output(slot_t o, U&& value) {
        SLOTWISE_EXPECT(o < outputs(), "DataflowContext set_output(o, value): the node has fewer outputs; ask outputs()");
        if constexpr (std::is_same_v<std::remove_cvref_t<U>, Value>)
            return write(output_pin(o), std::forward<U>(value));
        else
            return write(output_pin(o), Value(std::forward<U>(value)));
    }
    /// Lets f(Value&) change the value of an output in place, without a copy. That counts as a change, unless f returns false.
    /// A run that fails then cannot bring the old value back: the output keeps what f left, and consumers run.
    /// @pre o < outputs() (checked at level fast) @throws what Value() throws: the output is as before; what f throws: that
    /// counts as a change too
    template <class F>
    bool edit_output(slot_t o, F&& f) {
        SLOTWISE_EXPECT(o < outputs(), "DataflowContext edit_output(o, f): the node has fewer outputs; ask outputs()");
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

SLOTWISE_END

#endif
