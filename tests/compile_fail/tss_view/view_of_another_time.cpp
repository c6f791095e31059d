// expect: conversion from || no viable conversion
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

int main() {
    TSSStorage<int, double> set;
    TSSView<int, double> view = set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSSView<int> other = set;
#endif
    return static_cast<int>(view.size());
}
