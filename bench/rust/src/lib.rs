// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! Slot maps in Rust, measured as those in C++ are: src/bin holds the workloads of bench/iteration, bench/slot_map and
//! bench/memory, [`element`], [`sequence`] and [`harness`] are bench/support, [`contenders`] the crates.

pub mod contenders;
pub mod element;
pub mod harness;
pub mod sequence;
