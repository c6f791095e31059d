// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series of described types beside those of known types: the same calls, the same bytes, and the same answer to hostile bytes.
#ifndef SLOTWISE_TESTS_FUZZ_ANY_SERIES_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_ANY_SERIES_BODY_HPP

#include "keyed_world.hpp"

#include <slotwise/rows/any_codec.hpp>
#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>
#include <slotwise/series/apply_delta.hpp>
#include <slotwise/series/tsd_storage.hpp>

namespace {

using namespace test;

/// One of known types and one of described types, which go the same way. @tparam V void: a set
template <class K, class V, SeriesOptions O>
class AnyWorld {
    static constexpr bool is_dict = !std::is_void_v<V>;
    using Known = typename std::conditional_t<is_dict, std::type_identity<TSDStorage<K, V, Options<O>>>,
                                              std::type_identity<TSSStorage<K, Options<O>>>>::type;
    using Any = std::conditional_t<is_dict, BasicAnyTSDStorage<Options<O>>, BasicAnyTSSStorage<Options<O>>>;

public:
    AnyWorld() {
        codec_.add<K, ByteCodec>();
        if constexpr (is_dict) codec_.add<V, ByteCodec>();
    }

    void step(Input& in) {
        const unsigned kind = in.byte() % 16, id = in.byte() % 64;
        if (kind < 12)
            change(kind, id);
        else if (kind == 12)
            ++time_;
        else if (kind == 13)
            move(id);
        else if (kind == 14)
            restore_hostile(in);
        else
            follow();
    }
    void check() const {
        FUZZ_CHECK(any_.check_invariants());
        FUZZ_CHECK(bytes_of(any_) == known_.snapshot(ByteCodec()));
    }

private:
    static Any made() {
        if constexpr (is_dict)
            return Any(TypeDescriptor::of<K>(), TypeDescriptor::of<V>());
        else
            return Any(TypeDescriptor::of<K>());
    }
    std::vector<std::byte> bytes_of(const Any& any) const { return any.snapshot(codec_, ByteCodec()); }

    void change(unsigned kind, unsigned id) {
        const K key = key_of<K>(id);
        auto known = known_.write(time_);
        auto any = any_.write(time_);
        if constexpr (is_dict) {
            V value = value_of(kind + id);
            switch (kind) {
            case 0:
                FUZZ_CHECK(known.create(key).kind == any.create(&key).kind);
                return;
            case 1: {
                const auto taken = known.extract(key);
                const auto other = any.extract(&key);
                FUZZ_CHECK(taken.has_value() == other.has_value());
                if (taken) FUZZ_CHECK(taken->second == other->second.template as<V>());
                return;
            }
            case 2:
            case 3:
                FUZZ_CHECK(known.update(key, [&](V& it) { it = value; }) ==
                           any.update(&key, [&](void* it) { *static_cast<V*>(it) = value; }));
                return;
            case 4:
                FUZZ_CHECK(known.insert(key, value).inserted == any.insert(&key, &value).inserted);
                return;
            case 5:
            case 6:
            case 7:
                FUZZ_CHECK(known.set(key, value).it.slot() == any.set(&key, &value).it.slot());
                return;
            default:
                break;
            }
        } else if (kind < 8) {
            FUZZ_CHECK(known.add(key) == any.add(&key));
            return;
        }
        if (kind == 8 && id == 0) {
            known.clear();
            any.clear();
        } else
            FUZZ_CHECK(known.remove(key) == any.remove(&key));
    }
    static auto value_of(unsigned number) {
        if constexpr (std::is_same_v<V, std::string>)
            return "a value that lives on the heap, number " + std::to_string(number);
        else if constexpr (!is_dict)
            return 0;
        else
            return V(static_cast<int>(number));
    }
    void move(unsigned id) {
        if (id % 2 == 0) {
            Any copy(any_);
            FUZZ_CHECK(copy == any_);
            any_ = std::move(copy);
        } else {
            Any moved(std::move(any_));
            any_ = made();
            any_.swap(moved);
        }
        check();
    }
    /// A replica that gets the window's delta is the same.
    void follow() {
        if (known_.window() == Known::never) return;
        const auto delta = capture(any_, any_.window());
        Any again(any_);
        again.write(any_.window()).apply(delta, Strictness::lenient); // it is there already
        const auto from = any_.window() - 1;
        const auto bytes = delta.to_bytes(from, any_.delta_codec(codec_, ByteCodec()));
        FUZZ_CHECK(bytes == capture(known_, known_.window()).to_bytes(from, ByteCodec())); // as those of known types
        const auto read = Any::delta_type::from_bytes(bytes, any_.delta_codec(codec_, ByteCodec()));
        FUZZ_CHECK(equal_deltas(read.delta, delta, any_.hash_function(), any_.key_eq()) && read.from == from);
        FUZZ_CHECK(try_apply_delta(again, bytes, Strictness::lenient, codec_).applied == Applied::already);
        FUZZ_CHECK(again == any_);
        FUZZ_CHECK(equal_deltas(capture(again, any_.window()), delta, any_.hash_function(), any_.key_eq()));
    }
    /// Both take what was changed, or both refuse it, for the same reason.
    void restore_hostile(Input& in) {
        auto bytes = known_.snapshot(ByteCodec());
        const auto good = bytes;
        corrupt_snapshot(bytes, in);
        Known known(known_);
        Any any(any_);
        const char* const reason = known.try_restore(bytes, ByteCodec());
        const char* const other = any.try_restore(bytes, codec_, ByteCodec());
        FUZZ_CHECK((reason == nullptr) == (other == nullptr));
        FUZZ_CHECK(any.check_invariants());
        if (reason != nullptr) {
            FUZZ_CHECK(is_reason(other) && std::string_view(reason) == other);
            FUZZ_CHECK(bytes_of(any) == good);
        } else
            FUZZ_CHECK(bytes_of(any) == known.snapshot(ByteCodec()));
    }

    AnyCodec codec_{};
    Known known_{};
    Any any_ = made();
    std::int64_t time_ = 1;
};

template <class K, class V, SeriesOptions O>
std::uint64_t run_any(Input& input) {
    std::uint64_t operations = 0;
    static_cast<void>(key_of<K>(0)); // the table of keys stays
    const NothingLeft scope;
    AnyWorld<K, V, O> world;
    while (!input.done()) {
        world.step(input);
        if (++operations % 16 == 0) world.check();
    }
    world.check();
    return operations;
}

} // namespace

#endif
