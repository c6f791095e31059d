// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of every container: damage is refused, whatever state the damaged bytes might be, and so are elements of another type.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/snapshots.hpp"

#include <set>
#include <string>
#include <string_view>

namespace {
using namespace test::every;
using Bytes = std::vector<std::byte>;

/// Of the ints that described containers hold, as ints.
const AnyCodec& ints() {
    static const AnyCodec codec = [] {
        AnyCodec made;
        made.add<int>();
        return made;
    }();
    return codec;
}
/// Writes an int as a float's bytes, and says so.
struct AsFloat {
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return test::tag_of<std::conditional_t<std::is_same_v<T, int>, float, T>>();
    }
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        DefaultCodec::write(value, out);
    }
    template <class T>
    T read(ByteReader& in) const {
        return DefaultCodec::read<T>(in);
    }
};
const AnyCodec& floats() {
    static const AnyCodec codec = [] {
        AnyCodec made;
        made.add<int, AsFloat>();
        return made;
    }();
    return codec;
}
template <class C>
constexpr bool has_own_codec = requires(const C& c) { c.snapshot(); };
template <class C>
constexpr bool has_snapshot = has_own_codec<C> || requires(const C& c) { c.snapshot(ints()); };

template <class C>
Bytes snapshot_of(const C& c) {
    if constexpr (has_own_codec<C> && !std::is_same_v<C, slotwise::ArchetypeStore>)
        return c.snapshot();
    else
        return c.snapshot(ints());
}
template <class C>
const char* try_to_restore(C& c, const Bytes& bytes) {
    if constexpr (has_own_codec<C> && !std::is_same_v<C, slotwise::ArchetypeStore>)
        return c.try_restore(bytes);
    else
        return c.try_restore(bytes, ints());
}
/// The same with another codec for ints. A container without one has no type of its own to write.
template <class C>
const char* try_as_float(C& c, const Bytes& bytes) {
    if constexpr (std::is_same_v<C, slotwise::ArchetypeStore> || !has_own_codec<C>)
        return c.try_restore(bytes, floats());
    else if constexpr (requires { c.try_restore(bytes, AsFloat()); })
        return c.try_restore(bytes, AsFloat());
    else
        return "";
}
template <class C>
void fill(C& c, auto&& insert) {
    for (int i = 0; i != 5; ++i) insert(c, i * 7);
}

std::size_t containers = 0, flips = 0, typed = 0;
std::set<std::string> reasons;

struct DamageIsRefused {
    template <class Entry, class C>
    static void run() {
        if constexpr (has_snapshot<C>) {
            ++containers;
            C c = made<C>(), target = made<C>();
            fill(c, [](C& to, int n) { Entry::insert(to, n); });
            Entry::insert(target, 3);
            const Bytes bytes = snapshot_of(c), before = snapshot_of(target);
            const auto refused = [&](const Bytes& damaged) {
                const char* const error = try_to_restore(target, damaged);
                if (error == nullptr) FAIL("damaged bytes were taken: " << SLOTWISE_TEST_FUNCTION);
                if (!std::string_view(error).starts_with("snapshot: ")) FAIL(error);
                reasons.insert(error);
            };
            for (std::size_t at = 0; at != bytes.size(); ++at)
                for (unsigned bit = 0; bit != 8; ++bit) {
                    Bytes damaged = bytes;
                    damaged[at] ^= static_cast<std::byte>(1u << bit);
                    refused(damaged);
                    ++flips;
                }
            for (std::size_t length = 0; length != bytes.size(); ++length)
                refused({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
            for (const std::byte more : {std::byte{0}, std::byte{0xFF}}) {
                Bytes longer = bytes;
                longer.push_back(more);
                refused(longer);
                longer = bytes;
                longer.insert(longer.begin(), more);
                refused(longer);
            }
            for (std::size_t at = 0; at + 1 < bytes.size(); ++at) { // two neighbours in the wrong order
                Bytes damaged = bytes;
                std::swap(damaged[at], damaged[at + 1]);
                if (damaged != bytes) refused(damaged);
            }
            CHECK(snapshot_of(target) == before);
            CHECK(target.check_invariants());
            if (try_to_restore(target, bytes) != nullptr) FAIL("its own snapshot is refused: " << SLOTWISE_TEST_FUNCTION);
            CHECK(snapshot_of(target) == bytes);
        }
    }
};

struct OtherTypesAreRefused {
    template <class Entry, class C>
    static void run() {
        if constexpr (has_snapshot<C> && !std::is_base_of_v<PoolVerbs, Entry> &&
                      !std::is_same_v<Entry, entry::SparseSet>) { // a pool has no elements, and ids need no codec
            C c = made<C>(), target = made<C>();
            fill(c, [](C& to, int n) { Entry::insert(to, n); });
            const Bytes bytes = snapshot_of(c);
            const char* const error = try_as_float(target, bytes);
            if (error == nullptr) FAIL("ints were taken for floats: " << SLOTWISE_TEST_FUNCTION);
            if (*error == '\0') return;
            INFO(error);
            CHECK(std::string_view(error).find("are int32, and those of this container are of another type") !=
                  std::string_view::npos);
            ++typed;
        }
    }
};

} // namespace

TEST_CASE("a snapshot with a bit flipped, cut off or longer is refused by every container, and nothing changes", "[snapshot]") {
    containers = flips = 0;
    for_each_container_here<DamageIsRefused>();
    CHECK(containers >= here(60));
    CHECK(flips > 10'000);
    for (const char* const reason :
         {"snapshot: the bytes are damaged: their checksum is another one", "snapshot: the bytes end too early",
          "snapshot: these bytes are not a slotwise snapshot, are cut off, or are of version 0.2 or earlier"})
        CHECK(reasons.contains(reason));
}

TEST_CASE("a snapshot of ints is refused by every container that would read them as floats", "[snapshot]") {
    typed = 0;
    for_each_container_here<OtherTypesAreRefused>();
    CHECK(typed >= here(50));
}
