// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the bodies of all families share: elements that notice misuse at next to no cost, an observer that keeps book, bytes
// gone bad, hostile handles. Everything fails through FUZZ_CHECK; nothing here needs Catch.
#ifndef SLOTWISE_TESTS_FUZZ_WORLD_HPP
#define SLOTWISE_TESTS_FUZZ_WORLD_HPP

#include "input.hpp"
#include "support/snapshots.hpp"

#include <slotwise/core/codec.hpp>
#include <slotwise/slots/slot_observer.hpp>

#include <compare>
#include <utility>
#include <vector>

namespace test {

using namespace slotwise;

/// An int that counts its objects and knows its own address: FUZZ_CHECK ends the program when one is destroyed twice, read
/// after its end or its move, or was copied byte by byte. At the end of a body Counted::alive() must be what it was at the
/// begin.
class Counted {
public:
    Counted() noexcept : Counted(0) {}
    Counted(int value) noexcept : value_(value) { begin(); }
    Counted(const Counted& other) noexcept : value_(other.value()) { begin(); }
    Counted(Counted&& other) noexcept : value_(other.take()) { begin(); }
    Counted& operator=(const Counted& other) noexcept { return assign(other.value()); }
    Counted& operator=(Counted&& other) noexcept { return assign(other.take()); }
    ~Counted() {
        check();
        self_ = 0;
        --alive_;
    }

    int value() const noexcept {
        FUZZ_CHECK(self_ == mark());
        return value_;
    }
    friend bool operator==(const Counted& a, const Counted& b) noexcept { return a.value() == b.value(); }
    friend std::strong_ordering operator<=>(const Counted& a, const Counted& b) noexcept { return a.value() <=> b.value(); }
    static std::size_t alive() noexcept { return alive_; }

private:
    /// Odd: objects lie at multiples of four. That of one that was moved from is one less.
    std::uint32_t mark() const noexcept {
        return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this)) ^ 0xA5C3'96E1u;
    }
    void begin() noexcept {
        self_ = mark();
        ++alive_;
    }
    void check() const noexcept { FUZZ_CHECK((self_ | 1u) == mark()); }
    int take() noexcept { // moving what was moved from gives a value too: nobody may rely on it
        check();
        self_ = mark() - 1;
        return value_;
    }
    Counted& assign(int value) noexcept {
        check();
        value_ = value;
        self_ = mark();
        return *this;
    }

    static inline std::size_t alive_ = 0;
    int value_;
    volatile std::uint32_t self_; // volatile: what the destructor writes must be seen by the next one
};

} // namespace test

/// Snapshots of Counted.
template <>
struct slotwise::CodecFor<test::Counted> {
    template <class Writer>
    static void write(const test::Counted& value, Writer& out) {
        out.number(static_cast<std::uint32_t>(value.value()));
    }
    template <class Reader>
    static test::Counted read(Reader& in) {
        return test::Counted(static_cast<int>(in.template number<std::uint32_t>()));
    }
};

namespace test {

/// At its end as many Counted live as at its begin.
class NothingLeft {
public:
    NothingLeft() = default;
    NothingLeft(const NothingLeft&) = delete;
    NothingLeft& operator=(const NothingLeft&) = delete;
    ~NothingLeft() { FUZZ_CHECK(Counted::alive() == before_); }

private:
    std::size_t before_ = Counted::alive();
};

/// A dynamic observer that keeps book of every slot and refuses any event that does not fit what it was notified before.
class Shadow final : public SlotObserver {
public:
    enum class Is : std::uint8_t { gone, live, removed };

    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        FUZZ_CHECK(old_slots == slots_.size());
        for (std::size_t slot = new_slots; slot < slots_.size(); ++slot) FUZZ_CHECK(slots_[slot] == Is::gone);
        slots_.resize(new_slots, Is::gone);
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        FUZZ_CHECK(slot < slots_.size());
        FUZZ_CHECK(slots_[slot] == (kind == InsertKind::fresh ? Is::gone : Is::removed));
        removed_ -= slots_[slot] == Is::removed;
        slots_[slot] = Is::live;
        ++live_;
    }
    void on_remove(slot_t slot) noexcept override {
        FUZZ_CHECK(slot < slots_.size() && slots_[slot] == Is::live);
        slots_[slot] = Is::removed;
        --live_;
        ++removed_;
    }
    void on_erase(slot_t slot) noexcept override {
        FUZZ_CHECK(slot < slots_.size() && slots_[slot] != Is::gone); // live: another observer has refused the insert
        --(slots_[slot] == Is::live ? live_ : removed_);
        slots_[slot] = Is::gone;
    }
    void on_reset() noexcept override {
        FUZZ_CHECK(live_ == 0 && removed_ == 0);
        slots_.clear();
    }
    /// For a container whose contents go without a word: as new, to be attached again.
    void forget() noexcept {
        slots_.clear();
        live_ = removed_ = 0;
    }

    Is operator[](std::size_t slot) const noexcept { return slot < slots_.size() ? slots_[slot] : Is::gone; }
    std::size_t capacity() const noexcept { return slots_.size(); }
    std::size_t live() const noexcept { return live_; }
    std::size_t removed() const noexcept { return removed_; }

private:
    std::vector<Is> slots_{};
    std::size_t live_ = 0, removed_ = 0;
};

/// One to four defects such as files and networks make: bits, bytes and numbers changed, runs moved, the end lost or more
/// added.
inline void corrupt(std::vector<std::byte>& bytes, Input& input) {
    for (std::size_t defects = 1 + input.below(4); defects != 0; --defects) {
        const unsigned kind = input.byte();
        if (bytes.empty() || kind % 8 == 0) {
            for (std::size_t more = 1 + input.below(9); more != 0; --more)
                bytes.push_back(static_cast<std::byte>(input.byte()));
            continue;
        }
        // Heads hold the counts and flags on which everything hangs: half of the defects lie in the first 64 bytes.
        const std::size_t reach = kind < 128 && bytes.size() > 64 ? 64 : bytes.size();
        const std::size_t at = static_cast<std::size_t>(input.number(2)) % reach;
        switch (kind % 8) {
        case 1:
        case 2:
            bytes[at] ^= std::byte{1} << (input.byte() % 8);
            break;
        case 3:
            bytes[at] = static_cast<std::byte>(input.byte());
            break;
        case 4:
            bytes.resize(at);
            break;
        case 5: { // a number of 32 bits, a little more or less
            std::uint32_t value = 0;
            for (std::size_t i = 0; i != 4 && at + i < bytes.size(); ++i)
                value |= static_cast<std::uint32_t>(std::to_integer<unsigned>(bytes[at + i])) << (8 * i);
            value += static_cast<std::uint32_t>(input.byte()) - 128u;
            for (std::size_t i = 0; i != 4 && at + i < bytes.size(); ++i)
                bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
            break;
        }
        case 6: { // a run over another place
            const std::size_t from = static_cast<std::size_t>(input.number(2)) % bytes.size();
            for (std::size_t count = 1 + input.below(16), i = 0; i != count && at + i < bytes.size() && from + i < bytes.size();
                 ++i)
                bytes[at + i] = bytes[from + i];
            break;
        }
        default:
            bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        }
    }
}

/// A snapshot gone bad. Either as it lies in a file, and then its checksum says so; or with a checksum, and often the length of
/// a section, that agree with it again, so that what is behind these is reached.
inline void corrupt_snapshot(std::vector<std::byte>& bytes, Input& input) {
    const unsigned how = input.byte();
    if (how % 4 == 0) {
        const auto before = bytes;
        corrupt(bytes, input);
        FUZZ_CHECK(bytes == before || is_damaged(bytes));
        return;
    }
    OpenSnapshot open(bytes);
    auto& state = open.state;
    const auto length_at = [&](std::size_t at) {
        std::uint64_t length = 0;
        for (std::size_t i = 0; i != sizeof length; ++i) length |= std::to_integer<std::uint64_t>(state[at + i]) << (8 * i);
        return length;
    };
    std::vector<std::size_t> sections; // what looks like a length with its bytes behind
    for (std::size_t at = 0; at + 8 < state.size(); ++at)
        if (const auto length = length_at(at); length > 3 && length <= state.size() - at - 8) sections.push_back(at);
    if (how % 4 == 1 || sections.empty()) {
        corrupt(state, input);
        if (how % 32 == 1) corrupt(open.tags, input);
    } else {
        const std::size_t at = sections[input.number(2) % sections.size()] + 8;
        const auto first = state.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last = first + static_cast<std::ptrdiff_t>(length_at(at - 8));
        std::vector<std::byte> section(first, last);
        corrupt(section, input);
        state.erase(first, last);
        state.insert(state.begin() + static_cast<std::ptrdiff_t>(at), section.begin(), section.end());
        for (std::size_t i = 0; i != 8; ++i)
            state[at - 8 + i] = static_cast<std::byte>(std::uint64_t{section.size()} >> (8 * i));
    }
    bytes = open.close();
}

/// A handle that was never issued: any bit pattern, or a plausible one of a slot below `slots` and a low or the highest
/// versions.
template <class H>
H hostile_handle(Input& input, std::size_t slots) {
    using bits_type = typename H::bits_type;
    const unsigned kind = input.byte();
    if (kind % 4 == 0) return H::from_bits(static_cast<bits_type>(input.number(sizeof(bits_type))));
    const auto slot = static_cast<slot_t>(input.below(slots == 0 ? 1 : slots));
    const std::uint32_t low = static_cast<std::uint32_t>(kind / 4) & H::max_version;
    return H(slot & H::max_index, kind % 4 == 3 ? H::max_version - low : low);
}

} // namespace test

#endif
