// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

//! The random orders of bench/support/sequence.hpp, number by number.

/// splitmix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> u32 {
        (((self.next() >> 32) * bound as u64) >> 32) as u32
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1) as usize);
        }
    }
}

/// The numbers 0..n in random order, which depends on n and purpose only.
pub fn shuffled(n: usize, purpose: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    Random::new(n as u64 * 31 + purpose).shuffle(&mut order);
    order
}

/// count random numbers below n, with repetition.
pub fn random_positions(count: usize, n: usize, purpose: u64) -> Vec<u32> {
    let mut random = Random::new(n as u64 * 37 + purpose);
    (0..count).map(|_| random.below(n)).collect()
}
