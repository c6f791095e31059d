// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "containers.hpp"

template class slotwise::SlotMap<engine::Body>;
template class slotwise::DenseSlotMap<engine::Body>;
template class slotwise::BasicSoaSlotMap<slotwise::Members<engine::Body, int>>;
template class slotwise::BasicAnySlotMap<>;
template class slotwise::HandlePool<engine::Body>;
template class slotwise::SecondaryMap<engine::LightHandle, engine::Body>;
template class slotwise::SparseSecondaryMap<engine::LightHandle, engine::Body>;
template class slotwise::IdentityMap<slotwise::PublicId, engine::LightHandle>;
template class slotwise::SetStorage<int>;
template class slotwise::MapStorage<int, engine::Body>;
template class slotwise::BasicAnySetStorage<>;
template class slotwise::BasicAnyMapStorage<>;
template class slotwise::SparseSet<std::uint32_t>;
template class slotwise::SparseMap<std::uint32_t, engine::Body>;
template class slotwise::SwitchMap<std::uint32_t, int>;
template class slotwise::EntityIndex<slotwise::Entity, engine::Body>;
template class slotwise::RelationMap<int, int, int>;
template class slotwise::BasicSoaVector<slotwise::Members<engine::Body, int>>;
template class slotwise::BasicAnyRows<>;
template class slotwise::TSSStorage<int>;
template class slotwise::TSDStorage<int, engine::Body>;
template class slotwise::EventQueue<engine::Body>;
template class slotwise::DataflowGraph<engine::Body, double>;
