// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex by itself under every kind of allocator. Its container decides what travels, so a swap always takes the allocator
// along.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "subjects.hpp"

using namespace test;

namespace {

/// An index with the entries it should have.
template <class A>
class Indexed {
public:
    using allocator_type = A;
    using reported_class = HashIndex<A>;
    explicit Indexed(const A& alloc) : index_(alloc), alloc_(alloc) {}
    Indexed(const Indexed&) = delete;
    Indexed(const Indexed& other, const A& alloc) : index_(other.index_, alloc), entries_(other.entries_), alloc_(alloc) {}
    Indexed(Indexed&&, const A&) = delete;
    Indexed(Indexed&& other) noexcept
        : index_(std::move(other.index_)), entries_(std::exchange(other.entries_, {})), alloc_(other.alloc_) {}
    Indexed& operator=(const Indexed&) = delete;
    Indexed& operator=(Indexed&&) = delete;
    ~Indexed() = default;
    void swap(Indexed& other) noexcept {
        index_.swap(other.index_);
        entries_.swap(other.entries_);
        std::swap(alloc_, other.alloc_);
    }
    A get_allocator() const noexcept { return alloc_; }

    void add(slot_t slot) {
        index_.make_room(source());
        index_.place(mix_bits(slot), slot);
        entries_[slot] = mix_bits(slot);
    }
    void drop(slot_t slot) {
        index_.erase(mix_bits(slot), slot);
        entries_.erase(slot);
    }
    bool sound() const { return index_.size() == entries_.size() && index_.is_sound(source()); }
    const std::map<slot_t, std::uint64_t>& entries() const noexcept { return entries_; }

private:
    auto source() const {
        return [this](auto&& entry) {
            for (const auto& [slot, hash] : entries_) entry(slot, hash);
        };
    }
    HashIndex<A> index_;
    std::map<slot_t, std::uint64_t> entries_{};
    A alloc_;
};

struct Indices {
    static constexpr bool swap_travels = true;
    using element = std::byte;
    template <class A>
    using container = Indexed<A>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = first; i != first + count; ++i) c.add(static_cast<slot_t>(i));
        for (int i = first + 4; i < first + count; i += 5) c.drop(static_cast<slot_t>(i));
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (const auto& [slot, hash] : c.entries()) all.push_back(slot);
        return all;
    }
    template <class C>
    static bool sound(const C& c) {
        return c.sound();
    }
};

} // namespace

TEST_CASE("HashIndex: copies, moves and swaps are exact under every kind of allocator", "[allocators][alloc]") {
    alloc_matrix<Indices>();
}
