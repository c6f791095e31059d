// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An AnySlotMap of Ts under the verbs of SlotMap<T>, so that one body runs on both: addresses become references.
#ifndef SLOTWISE_TESTS_FUZZ_DESCRIBED_MAP_HPP
#define SLOTWISE_TESTS_FUZZ_DESCRIBED_MAP_HPP

#include "support/maps.hpp"

#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <optional>

namespace test {

template <class T, SlotMapOptions O, class... Observers>
class DescribedMap : public BasicAnySlotMap<Options<O>, Observers...> {
    using Base = BasicAnySlotMap<Options<O>, Observers...>;

public:
    using value_type = T;
    using H = typename Base::handle_type;

    DescribedMap() : Base(TypeDescriptor::of<T>()) {}

    H insert(const T& value) { return Base::insert(std::addressof(value)); }
    H insert(T&& value) { return Base::insert_moved(std::addressof(value)); }
    H emplace(int value) { return Base::emplace(AnyValue::of(T(value))); }
    template <class F>
    H insert_with(F&& f) {
        std::optional<T> made;
        return Base::insert_with([&](H handle) { return AnyValue::moved(&made.emplace(f(handle))); });
    }
    T* fulfill(H handle, int value) { return typed(Base::fulfill(handle, AnyValue::of(T(value)))); }
    T* insert_at(H handle, int value) { return typed(Base::insert_at(handle, AnyValue::of(T(value)))); }
    using Base::erase;
    auto erase(typename Base::iterator it) {
        const H handle = this->handle_of(it++);
        Base::erase(handle);
        return it;
    }
    std::optional<T> extract(H handle) { return typed(Base::extract(handle)); }
    std::optional<T> extract_reserved(H handle) { return typed(Base::extract_reserved(handle)); }

    T* get(H handle) { return typed(Base::get(handle)); }
    const T* get(H handle) const { return typed(Base::get(handle)); }
    T& at(H handle) { return *typed(Base::at(handle)); }
    const T& at(H handle) const { return *typed(Base::at(handle)); }
    T& operator[](H handle) { return *typed(Base::operator[](handle)); }
    const T& operator[](H handle) const { return *typed(Base::operator[](handle)); }
    template <class... Handles>
    auto get_many(Handles... handles) {
        return std::tuple{get(handles)...};
    }

    template <class Codec = DefaultCodec>
    auto snapshot(Codec columns = {}) const {
        return Base::snapshot(codec<Codec>(), columns);
    }
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec columns = {}) {
        Base::restore(bytes, codec<Codec>(), columns);
    }
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec columns = {}) {
        return Base::try_restore(bytes, codec<Codec>(), columns);
    }

private:
    static T* typed(void* at) { return static_cast<T*>(at); }
    static const T* typed(const void* at) { return static_cast<const T*>(at); }
    static std::optional<T> typed(DescribedValue taken) {
        return taken.has_value() ? std::optional<T>(std::move(taken.template as<T>())) : std::nullopt;
    }
    template <class Codec>
    static const AnyCodec& codec() {
        static const AnyCodec made = AnyCodec().add<T, Codec>();
        return made;
    }
};

/// As the storages of support/maps.hpp.
struct Described {
    static constexpr SlotMapOptions paged(SlotMapOptions options) {
        options.page_slots = 0; // those of the type's size
        return options;
    }
    template <class T, SlotMapOptions O = SlotMapOptions{}, class... Observers>
    using map = DescribedMap<T, paged(O), Observers...>;
};
template <class Map>
inline constexpr bool is_described = false;
template <class T, SlotMapOptions O, class... Observers>
inline constexpr bool is_described<DescribedMap<T, O, Observers...>> = true;

} // namespace test

#endif
