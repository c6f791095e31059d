// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Bytes as decisions. One body a family of containers reads them (map.cpp, keyed.cpp, ...) and compares the container with a model
// after every step; libFuzzer brings the bytes, or replay: files of the corpus and seeds. When the bytes are used up, every further
// decision is 0 and done() is true: a body stops there.
//
//     std::uint64_t fuzz_one(test::Input& input);          // what a body defines: returns how many operations it did
//     #include "driver.hpp"                                // main(), or LLVMFuzzerTestOneInput with SLOTWISE_LIBFUZZER
#ifndef SLOTWISE_TESTS_FUZZ_INPUT_HPP
#define SLOTWISE_TESTS_FUZZ_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

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

/// Ends the program: libFuzzer keeps the input, replay fails.
[[noreturn]] inline void fuzz_fail(const char* what, const char* file, int line) {
    std::fprintf(stderr, "fuzz: %s (%s:%d)\n", what, file, line);
    std::abort();
}

} // namespace test

/// The body's check: on in every build.
#define FUZZ_CHECK(condition) ((condition) ? static_cast<void>(0) : ::test::fuzz_fail(#condition, __FILE__, __LINE__))

#endif
