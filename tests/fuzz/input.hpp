// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Bytes as decisions. One body a family of containers reads them (map.cpp, keyed.cpp, ...) and compares the container with a
// model after every step; libFuzzer brings the bytes, or replay: files of the corpus and seeds. When the bytes are used up,
// every further decision is 0 and done() is true: a body stops there.
//
//     std::uint64_t fuzz_one(test::Input& input);          // what a body defines: returns how many operations it did
//     #include "driver.hpp"                                // main(), or LLVMFuzzerTestOneInput with SLOTWISE_LIBFUZZER
#ifndef SLOTWISE_TESTS_FUZZ_INPUT_HPP
#define SLOTWISE_TESTS_FUZZ_INPUT_HPP

#include <slotwise/config/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace test {

class Input {
public:
    Input(const std::uint8_t* bytes, std::size_t size) : at_(bytes), end_(bytes + size) {}

    bool done() const { return at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
    /// Of `bytes` bytes, little end first on every machine: a corpus means the same everywhere.
    std::uint64_t number(unsigned bytes = 8) {
        std::uint64_t result = 0;
        for (unsigned i = 0; i != bytes; ++i) result |= std::uint64_t{byte()} << (8 * i);
        return result;
    }
    /// 0 ... limit - 1, from one byte when it is enough. @pre limit > 0
    std::size_t below(std::size_t limit) {
        return static_cast<std::size_t>((limit <= 256 ? std::uint64_t{byte()} : number(4)) % limit);
    }
    bool flip() { return (byte() & 1) != 0; }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// The input of a seed: so many bytes, or 64 to 2,048 of them.
inline std::vector<std::uint8_t> random_input(std::uint64_t seed, std::size_t size = 0) {
    const auto next = [&seed] { // splitmix64 (Steele, Lea, Flood 2014)
        std::uint64_t x = seed += 0x9E37'79B9'7F4A'7C15u;
        x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9u;
        x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBu;
        return x ^ (x >> 31);
    };
    seed = next(); // or the inputs of neighbouring seeds would be shifted copies of each other
    const std::uint64_t random_size = 64 + next() % 1985;
    std::vector<std::uint8_t> bytes(size != 0 ? size : static_cast<std::size_t>(random_size));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i != bytes.size(); ++i) {
        word = i % 8 == 0 ? next() : word >> 8;
        bytes[i] = static_cast<std::uint8_t>(word);
    }
    return bytes;
}

/// How many operations a body does with `count` such inputs: what unit tests run over more types than a fuzz target has.
template <class Body>
std::uint64_t run_random(Body body, std::uint64_t seed, int count, std::size_t size) {
    std::uint64_t operations = 0;
    for (int i = 0; i != count; ++i) {
        const auto bytes = random_input(seed + static_cast<std::uint64_t>(i), size);
        Input input(bytes.data(), bytes.size());
        operations += body(input);
    }
    return operations;
}

/// Ends the program: libFuzzer keeps the input, replay fails.
[[noreturn]] inline void fuzz_fail(const char* what, const char* file, int line) {
    std::fprintf(stderr, "fuzz: %s (%s:%d)\n", what, file, line);
    std::abort();
}

/// Whether f throws an Error. Without exceptions it throws nothing, and one that is refused ends the program.
template <class Error, class F>
bool throws(F&& f) {
#if SLOTWISE_EXCEPTIONS
    try {
        f();
    } catch (const Error&) {
        return true;
    }
#else
    f();
#endif
    return false;
}

/// Whether f is refused with an Error if and only if the model `expects` it. Without exceptions a call that the model expects to be
/// refused is left out, and any other one that is refused ends the program.
template <class Error, class F>
bool refuses(bool expects, F&& f) {
    if (!SLOTWISE_EXCEPTIONS && expects) return true;
    return throws<Error>(f) == expects;
}
template <class Error, class F>
bool refuses(F&& f) {
    return refuses<Error>(true, f);
}

/// Throws; without exceptions nothing happens: an observer then refuses nothing.
template <class Error>
void raise() {
#if SLOTWISE_EXCEPTIONS
    throw Error();
#endif
}

} // namespace test

/// The body's check: on in every build.
#define FUZZ_CHECK(condition) ((condition) ? static_cast<void>(0) : ::test::fuzz_fail(#condition, __FILE__, __LINE__))

#endif
