// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyCodec: how values of types that are known only at run time become bytes, and how they are read back.
#ifndef SLOTWISE_ROWS_ANY_CODEC_HPP
#define SLOTWISE_ROWS_ANY_CODEC_HPP

#include "../core/detail/seal.hpp"
#include "../core/type_descriptor.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What f is called with by EntitiesIn.
struct EntityVisit {
    void operator()(Entity& entity) const { call(context, entity); }
    void* context;
    void (*call)(void* context, Entity& entity);
};

/// The entities that values of type T have in them, as far as their codec knows the parts of a T: an entity itself, members,
/// elements, and what a CodecFor<T> names.
template <class T>
struct EntitiesIn {
    /// Whether there may be some.
    static consteval bool any() noexcept {
        if constexpr (std::is_same_v<T, Entity> || (!std::is_const_v<T> && names_them<CodecFor<T>>))
            return true;
        else if constexpr (std::is_const_v<T>)
            return false;
        else if constexpr (CustomCodec<T>)
            return any_member();
        else
            return any_of(parts_of<T>());
    }
    static void visit(T& value, const EntityVisit& f) {
        constexpr Form form = form_of<T>();
        const auto each_part = [&](auto&... parts) { (visit_part(parts, f), ...); };
        if constexpr (std::is_same_v<T, Entity>)
            f(value);
        else if constexpr (!any())
            return;
        else if constexpr (names_them<CodecFor<T>>)
            CodecFor<T>::for_each_entity(value, f);
        else if constexpr (form == Form::custom)
            CodecFor<T>::for_each_member(value, each_part);
        else if constexpr (form == Form::array || form == Form::sequence)
            for (auto& each : value) each_part(each);
        else if constexpr (form == Form::optional) {
            if (value) each_part(*value);
        } else if constexpr (form == Form::variant)
            visit_held(value, each_part);
        else if constexpr (form == Form::tuple)
            std::apply(each_part, value);
        else
            visit_members<count_members<T>()>(value, each_part);
    }
    /// Whether a codec says itself where they are.
    template <class Codec>
    static constexpr bool names_them = requires(T& value, const EntityVisit& f) { Codec::for_each_entity(value, f); };

private:
    template <class P>
    static void visit_part(P& part, const EntityVisit& f) {
        if constexpr (EntitiesIn<P>::any()) EntitiesIn<P>::visit(part, f);
    }
    template <class... Ps>
    static consteval bool any_of(TypeList<Ps...>) noexcept {
        return (EntitiesIn<Ps>::any() || ... || false);
    }
    static consteval bool any_member() noexcept {
        if constexpr (requires { typename CodecFor<T>::parts; })
            return any_of(typename CodecFor<T>::parts{});
        else
            return false;
    }
};

} // namespace detail

/// Writes and reads values by their descriptors, for the types that it was given:
///     AnyCodec codec;
///     codec.add<Position>().add<std::string>();
///     const auto bytes = rows.snapshot(codec);
/// A type is recognised by the id of its descriptor.
class AnyCodec {
public:
    AnyCodec() = default;
    /// Values of type T are written and read as DefaultCodec does it, or by another codec without state. Entities in them are
    /// found where DefaultCodec knows the members. A codec of your own, or a CodecFor<T>, that writes entities which are not
    /// visible members says where they are: `static void for_each_entity(T& value, const auto& f)` calls f(entity) for each.
    /// @throws std::bad_alloc; strong
    template <class T, class Codec = DefaultCodec>
    AnyCodec& add() {
        types_.push_back({TypeDescriptor::id_of<T>(), detail::size_check_of<T>(), detail::type_tag<Codec, T>(),
                          [](const void* value, ByteWriter& out) { Codec().write(*static_cast<const T*>(value), out); },
                          [](void* to, ByteReader& in) { ::new (to) T(Codec().template read<T>(in)); }, visit_of<T, Codec>()});
        return *this;
    }

    /// Whether values of this type can be written and read.
    bool covers(const TypeDescriptor& type) const noexcept { return find(type) != nullptr; }
    /// What a snapshot has to tell types apart beside tag(): the size of a type that is written as its bytes; 0 of one that is
    /// written as its parts. @pre covers(type)
    std::uint32_t size_check(const TypeDescriptor& type) const noexcept { return find(type)->size_check; }
    /// The tag of the type in snapshots: the one that containers of T write with the same codec. @pre covers(type)
    std::uint64_t tag(const TypeDescriptor& type) const noexcept { return find(type)->tag; }
    /// Appends a value. @pre covers(type) @throws what the codec of the type throws
    void write(const TypeDescriptor& type, const void* value, ByteWriter& out) const { find(type)->write(value, out); }
    /// Builds a value at `to`, any value when the bytes are wrong; in.error() says what is. @pre covers(type)
    /// @throws what the codec of the type throws
    void read(const TypeDescriptor& type, void* to, ByteReader& in) const { find(type)->read(to, in); }
    /// Whether values of this type may have entities in them. @pre covers(type)
    bool has_entities(const TypeDescriptor& type) const noexcept { return find(type)->visit != nullptr; }
    /// Calls f(Entity&) for each entity in a value. @pre covers(type) @throws what f throws
    template <class F>
    void for_each_entity(const TypeDescriptor& type, void* value, F&& f) const {
        if (const auto visit = find(type)->visit)
            visit(value, {const_cast<void*>(static_cast<const void*>(std::addressof(f))),
                          [](void* context, Entity& entity) { (*static_cast<std::remove_reference_t<F>*>(context))(entity); }});
    }

private:
    using Visit = void (*)(void* value, const detail::EntityVisit& f);
    template <class T, class Codec>
    static Visit visit_of() noexcept {
        if constexpr (detail::EntitiesIn<T>::template names_them<Codec>)
            return [](void* value, const detail::EntityVisit& f) { Codec::for_each_entity(*static_cast<T*>(value), f); };
        else if constexpr (detail::EntitiesIn<T>::any())
            return [](void* value, const detail::EntityVisit& f) { detail::EntitiesIn<T>::visit(*static_cast<T*>(value), f); };
        else
            return nullptr;
    }
    struct Entry {
        TypeId id;
        std::uint32_t size_check;
        std::uint64_t tag;
        void (*write)(const void* value, ByteWriter& out);
        void (*read)(void* to, ByteReader& in);
        Visit visit; // null: there are no entities in them
    };

    const Entry* find(const TypeDescriptor& type) const noexcept {
        for (const Entry& each : types_)
            if (type.id && each.id == type.id) return &each;
        return nullptr;
    }

    std::vector<Entry> types_;
};

SLOTWISE_END

#endif
