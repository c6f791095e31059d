// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/slot_map.hpp"

namespace {

using namespace bench;

const Registered registered([] {
    each_slot_map([]<template <class> class Form>(const char* name) { memory::add_contender<Form>(name, Role::ours); });
});

} // namespace
