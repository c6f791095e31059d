// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! Tells the programs which compiler built them, for their reports.

fn main() {
    let rustc = std::env::var_os("RUSTC").expect("cargo says which compiler it uses");
    let told = std::process::Command::new(rustc).arg("--version").output().expect("the compiler runs");
    let version: Vec<String> =
        String::from_utf8_lossy(&told.stdout).split_whitespace().take(2).map(str::to_string).collect();
    println!("cargo:rustc-env=SLOTWISE_BENCH_COMPILER={}", version.join(" "));
    println!("cargo:rerun-if-changed=build.rs");
}
