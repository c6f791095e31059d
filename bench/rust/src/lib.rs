// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! Slot maps in Rust, measured as those in C++ are: src/bin holds the workloads, a program a question, [`element`], [`sequence`],
//! [`harness`] and [`loops`] are bench/support, [`contenders`] the crates.

pub mod contenders;
pub mod element;
pub mod harness;
pub mod loops;
pub mod sequence;
