// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of component_registry.hpp.
#ifndef SLOTWISE_ECS_COMPONENT_REGISTRY_INL_HPP
#define SLOTWISE_ECS_COMPONENT_REGISTRY_INL_HPP

#include "component_registry.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE void insert_sorted(PlainVector<ComponentId>& ids, ComponentId id) {
    std::size_t at = ids.size();
    while (at != 0 && id <= ids[at - 1]) --at;
    if (at == ids.size() || ids[at] != id) ids.insert(at, id);
}

SLOTWISE_INLINE const char* contradiction(const ComponentTraits& traits, bool has_values, bool relation) noexcept {
    if (!relation) {
        if (traits.switched) return "switched is a trait of relations; register it as one";
        if (traits.exclusive) return "exclusive is a trait of relations; register it as one";
        if (traits.acyclic) return "acyclic is a trait of relations; register it as one";
        if (traits.on_target_despawn != OnTargetDespawn::remove)
            return "on_target_despawn is a trait of relations; register it as one";
    }
    if (traits.sparse && traits.switched)
        return "a switched relation has a mark in tables, a sparse one has none; leave out switched or sparse";
    if (traits.switched && has_values) return "a switched relation has no values; leave out the type, or switched";
    const bool in_no_table = traits.sparse || traits.switched;
    if (in_no_table && traits.toggle)
        return "a sparse component or relation, or a switched one, has no bit in a row; leave out toggle, sparse or switched";
    if (in_no_table && traits.tracked)
        return "a sparse component or relation, or a switched one, is not tracked; leave out tracked, sparse or switched";
    if (traits.hides && (relation || traits.sparse || traits.toggle))
        return "a relation, or a component that is sparse or can be disabled, cannot hide entities, because whole tables are "
               "hidden; use another component for hides";
    return nullptr;
}

SLOTWISE_INLINE std::size_t memory_of_text(const std::string& text) noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(text.data()) - reinterpret_cast<std::uintptr_t>(&text);
    return offset < sizeof(std::string) ? 0 : text.capacity() + 1; // a short one lies inside, and is no allocation
}

SLOTWISE_INLINE KeptTypeIdentity::KeptTypeIdentity(const TypeIdentity& type)
    : hash(type.kept_hash()), library(type.library), local(type.local), name(type.name()) {}

SLOTWISE_INLINE void KeptTypeIdentity::swap(KeptTypeIdentity& other) noexcept {
    std::swap(hash, other.hash);
    std::swap(library, other.library);
    std::swap(local, other.local);
    name.swap(other.name);
}

SLOTWISE_INLINE bool KeptTypeIdentity::same_elsewhere(const TypeIdentity& type) const noexcept {
    return hash == type.kept_hash() && from_elsewhere(type) && !local && !type.local && name == type.name();
}

} // namespace detail

SLOTWISE_INLINE ComponentRegistry::ComponentRegistry() noexcept = default;
SLOTWISE_INLINE ComponentRegistry::~ComponentRegistry() = default;
SLOTWISE_INLINE ComponentRegistry::ComponentRegistry(ComponentRegistry&& other) noexcept
    : records_(std::move(other.records_)), types_(std::move(other.types_)), hashes_(std::move(other.hashes_)),
      names_(std::move(other.names_)), address_(std::move(other.address_)), tag_(std::exchange(other.tag_, 0)),
      any_switched_(std::exchange(other.any_switched_, false)), any_acyclic_(std::exchange(other.any_acyclic_, false)),
      of_entities_(other.of_entities_), library_(other.library_) {
    other.records_.clear();
    other.address_.clear();
}

SLOTWISE_INLINE void ComponentRegistry::swap(ComponentRegistry& other) noexcept {
    records_.swap(other.records_);
    types_.swap(other.types_);
    hashes_.swap(other.hashes_);
    std::swap(of_entities_, other.of_entities_);
    std::swap(library_, other.library_);
    std::swap(any_switched_, other.any_switched_);
    std::swap(any_acyclic_, other.any_acyclic_);
    names_.swap(other.names_);
    address_.swap(other.address_);
    std::swap(tag_, other.tag_);
}

SLOTWISE_INLINE ComponentRegistry::size_type ComponentRegistry::memory_usage() const noexcept {
    size_type bytes = detail::memory_of_vector(records_) + detail::memory_of(types_, hashes_, names_, address_);
    for (const Record& each : records_) bytes += memory_of_record(each);
    return bytes;
}

SLOTWISE_INLINE ComponentId ComponentRegistry::find(std::string_view name) const noexcept {
    return id(static_cast<std::uint32_t>(
        names_.find(DefaultHash<std::string_view>()(name), [&](std::uint64_t number) { return record(number).name == name; })));
}

SLOTWISE_INLINE std::string ComponentRegistry::name(ComponentId id) const {
    if (!id.is_pair()) return name_of(id.number(), is_own(id));
    std::string text = id.has_any_relation() ? "*" : name_of(id.relation_number(), id.relation_number() - 1 < size());
    text += '(';
    if (id.has_any_target())
        text += '*';
    else if (const Entity target = id.target())
        text += to_string(target);
    else
        text += name_of(id.target_number(), id.target_number() - 1 < size());
    return text += ')';
}

SLOTWISE_INLINE const TypeDescriptor* ComponentRegistry::type(ComponentId id) const {
    const Record& of = record_of(id, "ComponentRegistry::type");
    const bool by_target = of.type == nullptr && !of.traits.switched && id.is_pair() && id.target_number() != 0;
    return by_target ? record(id.target_number()).type : of.type;
}

SLOTWISE_INLINE void ComponentRegistry::expect_term(ComponentId id, const char* where) const {
    if (const char* wrong = problem(id)) [[unlikely]]
        refuse(where, wrong, id);
    if (needs_target(id)) [[unlikely]]
        refuse(where,
               "the relation is sparse or switched, and has no meaning without a target; name a pair, as pair(relation, any)",
               id);
}

SLOTWISE_INLINE ComponentRegistry::Layout::Layout(const TypeDescriptor* type) noexcept {
    if (type == nullptr || type->empty || type->size == 0) return;
    size = type->size;
    align = type->align;
    trivial = type->trivial;
    nothrow_move = type->nothrow_move;
}

SLOTWISE_INLINE ComponentRegistry::size_type ComponentRegistry::memory_of_record(const Record& each) noexcept {
    return detail::memory_of_text(each.name) + detail::memory_of_text(each.of.name) +
           detail::memory_of_vector(each.traits.with) + each.closure.memory_usage();
}

SLOTWISE_INLINE const char* ComponentRegistry::problem(ComponentId id) const noexcept {
    if (!id) return "the id is null: no component has it";
    if (!id.is_pair()) {
        if (detail::ComponentIdParts::registry(id) != tag_) return "the component is of another registry; register it here";
        return is_own(id) ? nullptr : "the component is unknown: no registration has returned this id";
    }
    const std::uint32_t relation = id.relation_number() - 1, target = id.target_number() - 1;
    if (!id.has_any_relation() && !(relation < records_.size() && records_[relation].relation))
        return "the pair is without a relation; register its first part by add_relation or relation<T>";
    if (id.has_any_target()) return nullptr;
    if (const Entity entity = id.target()) return entity.version() % 2 == 1 ? nullptr : "the pair's target was never an entity";
    if (target >= records_.size()) return "the pair is without a target: the entity is null or the component unknown";
    if (!id.has_any_relation() && records_[relation].traits.sparse)
        return "the targets of a sparse relation are entities; register it as switched to have components as targets";
    return nullptr;
}

SLOTWISE_INLINE const ComponentRegistry::Record& ComponentRegistry::record_of(ComponentId id, const char* where) const {
    if (const char* wrong = problem(id)) [[unlikely]]
        refuse(where, wrong, id);
    if (id.has_any_relation()) [[unlikely]]
        refuse(where, "a pair of any relation is none in particular; name the relation", id);
    return record(id.is_pair() ? id.relation_number() : id.number());
}

SLOTWISE_INLINE std::string ComponentRegistry::name_of(std::uint32_t number, bool known) const {
    if (known) return record(number).name;
    detail::HandleText text;
    text.append("#");
    text.append(number);
    return std::string(text.chars, text.size);
}

SLOTWISE_INLINE std::string ComponentRegistry::unused(std::string_view name) const {
    std::string text(name);
    for (std::uint64_t count = 2; find(std::string_view(text)); ++count) {
        detail::HandleText number;
        number.append(" #");
        number.append(count);
        text.assign(name);
        text += number.chars;
    }
    return text;
}

SLOTWISE_INLINE ComponentId ComponentRegistry::add_record(std::string_view name, const TypeDescriptor* type,
                                                          ComponentTraits traits, bool relation) {
    const auto refuse_text = [&](const char* wrong) {
        const std::string text = "ComponentRegistry: " + std::string(name) + ": " + wrong;
        detail::throw_invalid_argument(text.c_str());
    };
    if (type != nullptr && (type->empty || type->size == 0)) type = nullptr;
    if (find(name)) refuse_text("a component has this name; choose another");
    if (relation && records_.size() >= ComponentId::max_relation)
        refuse_text("there are too many relations and components for one more relation; register relations first");
    if (records_.size() >= ~std::uint32_t{0} - 1) refuse_text("there are too many components");
    traits = detail::normalised(std::move(traits));
    if (const char* wrong = detail::contradiction(traits, type != nullptr, relation)) refuse_text(wrong);
    if (type != nullptr && !traits.sparse && !type->trivial && type->move == nullptr && type->copy == nullptr)
        refuse_text("values of the type can be neither copied nor moved, and rows of tables move; register it with "
                    "{.sparse = true} before its first use");
    Record fresh{std::string(name), type, std::move(traits), relation};
    for (const ComponentId companion : fresh.traits.with) {
        if (!contains(companion)) refuse_text("`with` names what this registry does not know; register companions first");
        if (is_relation(companion)) refuse_text("`with` names a relation without a target; name a pair of it");
        if (companion.target())
            refuse_text("`with` names a pair with an entity, which may die before; name a pair with a component");
        if (companion.is_pair() && record_of(companion, "").traits.switched)
            refuse_text("`with` names a pair of a switched relation, which cannot come along");
        detail::insert_sorted(fresh.closure, companion);
        for (const ComponentId next : with_closure(companion)) detail::insert_sorted(fresh.closure, next);
    }
    for (size_type i = 1; i < fresh.closure.size(); ++i)
        if (fresh.closure[i].is_pair() && fresh.closure[i].relation_number() == fresh.closure[i - 1].relation_number() &&
            record_of(fresh.closure[i], "").traits.exclusive)
            refuse_text("`with` names two targets of one exclusive relation; name one");
    if (address_.empty()) address_.resize(1);
    names_.reserve_one();
    const std::uint64_t hash = DefaultHash<std::string_view>()(fresh.name);
    records_.push_back(std::move(fresh));
    names_.insert(hash, records_.size()); // the rest throws nothing
    any_switched_ = any_switched_ || records_.back().traits.switched;
    any_acyclic_ = any_acyclic_ || records_.back().traits.acyclic;
    if (tag_ == 0) tag_ = tag_of(address_.data());
    return id(static_cast<std::uint32_t>(records_.size()));
}

SLOTWISE_INLINE std::uint32_t ComponentRegistry::tag_of(const void* address) noexcept {
    const std::uint64_t hash = mix_bits(reinterpret_cast<std::uintptr_t>(address));
    return static_cast<std::uint32_t>(hash % detail::ComponentIdParts::max_registry) + 1;
}

SLOTWISE_INLINE ComponentId ComponentRegistry::bind_or_add(const Named& of) {
    const ComponentId found = find_elsewhere(of.identity);
    if (!found) return add_type(of, nullptr, {}, false);
    bind(of.identity, found);
    return found;
}

SLOTWISE_INLINE ComponentId ComponentRegistry::add_type(const Named& of, const std::string_view* name, ComponentTraits traits,
                                                        bool relation) {
    const detail::TypeIdentity& identity = of.identity;
    const TypeDescriptor& type = of.type;
    ComponentId found = find(identity);
    const bool bound = !found && name != nullptr;
    if (bound) {
        found = find(*name);
        if (found && !record(found.number()).of.from_elsewhere(identity)) found = ComponentId(); // add_record() refuses it
    }
    if (found) {
        const Record& known = record(found.number());
        if (bound && known.layout != Layout(&type))
            refuse("ComponentRegistry", "another library has registered a type of another size under this name", found);
        if (known.relation != relation)
            refuse("ComponentRegistry",
                   relation ? "the type is a component that is no relation; register it as one at first"
                            : "the type is a relation; register it by relation<T>",
                   found);
        if (!(known.traits == detail::normalised(std::move(traits))))
            refuse("ComponentRegistry", "the type is registered with other traits; give them once, at first", found);
        if (name != nullptr && known.name != *name)
            refuse("ComponentRegistry", "the type is registered with another name; give it once, at first", found);
        if (!find_here(identity)) bind(identity, found);
        return found;
    }
    types_.reserve_one();
    hashes_.reserve_one();
    detail::KeptTypeIdentity kept(identity);
    const ComponentId added = name != nullptr ? add_record(*name, &type, std::move(traits), relation)
                                              : add_record(unused(of.name), &type, std::move(traits), relation);
    records_.back().of.swap(kept);
    note_library(identity.library);
    types_.insert(identity.kept_hash(), identity.mark, added.bits());
    hashes_.insert(identity.kept_hash(), added.number());
    return added;
}

bool ComponentRegistry::is_switched(ComponentId id) const noexcept { return is_own(id) && record(id.number()).traits.switched; }

ComponentId ComponentRegistry::find_elsewhere(const detail::TypeIdentity& type) const noexcept {
    if (type.local) return ComponentId();
    return id(static_cast<std::uint32_t>(
        hashes_.find(type.kept_hash(), [&](std::uint64_t number) { return record(number).of.same_elsewhere(type); })));
}

SLOTWISE_INLINE void ComponentRegistry::bind(const detail::TypeIdentity& type, ComponentId id) {
    types_.reserve_one();
    types_.insert(type.kept_hash(), type.mark, id.bits());
}

void ComponentRegistry::refuse(const char* where, const char* wrong, ComponentId id) const {
    const std::string text = std::string(where) + ": " + wrong + " (" + name(id) + ")";
    detail::throw_invalid_argument(text.c_str());
}

SLOTWISE_END

#endif
