// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The callers of fuzz_one. Included last by each body. With SLOTWISE_LIBFUZZER: libFuzzer. Otherwise replay, a program that
// needs nothing but the standard library and so runs on every target and under every tool:
//     fuzz_map FILE|FOLDER...             these inputs
//     fuzz_map --random COUNT SEED        COUNT inputs of 64 to 2,048 bytes, made of SEED, SEED + 1, ...
//     fuzz_map --write FILE SEED          the input of this seed as a file; runs nothing
// Prints one line: inputs and operations. An operation is one decision of the bytes: a call that changes the container, or a
// look-up asked for; what the body compares after each is not counted. Both count; libFuzzer's count is printed at exit. When a
// run ends early the last line says which input it was.
#ifndef SLOTWISE_TESTS_FUZZ_DRIVER_HPP
#define SLOTWISE_TESTS_FUZZ_DRIVER_HPP

#include "input.hpp"

#ifdef SLOTWISE_LIBFUZZER

namespace {
struct Count {
    unsigned long long inputs = 0, operations = 0;
    Count() = default;
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    ~Count() { std::fprintf(stderr, "fuzz: %llu inputs, %llu operations\n", inputs, operations); }
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static Count count;
    test::Input input(bytes, size);
    count.operations += fuzz_one(input);
    ++count.inputs;
    return 0;
}

#else

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#ifndef __wasi__ // libc++ has no folders there: tests/support/wasi.mjs names their files
#include <filesystem>
#endif

namespace {

/// What runs now, for readers of the end of a run that failed.
std::string fuzz_current;

extern "C" void fuzz_report(int signal) {
    std::fprintf(stderr, "fuzz: failed: %s\n", fuzz_current.c_str());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

int main(int argc, char** argv) {
    unsigned long long inputs = 0, operations = 0;
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) std::signal(signal, fuzz_report);
    const auto one = [&](const std::vector<std::uint8_t>& bytes, std::string name) {
        fuzz_current = std::move(name);
        test::Input input(bytes.data(), bytes.size());
        operations += fuzz_one(input);
        ++inputs;
    };
    const auto file = [&](const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        if (!stream) {
            std::fprintf(stderr, "cannot read %s\n", path.c_str());
            std::exit(2);
        }
        one(std::vector<std::uint8_t>(std::istreambuf_iterator<char>(stream), {}), path);
    };
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--random") == 0 && i + 2 < argc) {
            const auto rounds = std::strtoull(argv[i + 1], nullptr, 10), seed = std::strtoull(argv[i + 2], nullptr, 10);
            for (unsigned long long round = 0; round != rounds; ++round)
                one(test::random_input(seed + round), "--random 1 " + std::to_string(seed + round));
            i += 2;
        } else if (std::strcmp(argv[i], "--write") == 0 && i + 2 < argc) {
            const auto bytes = test::random_input(std::strtoull(argv[i + 2], nullptr, 10));
            std::ofstream stream(argv[i + 1], std::ios::binary);
            for (const auto byte : bytes) stream.put(static_cast<char>(byte));
            return stream.flush() ? 0 : 2;
#ifndef __wasi__
        } else if (std::filesystem::is_directory(argv[i])) {
            std::vector<std::filesystem::path> files;
            for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
                if (entry.is_regular_file()) files.push_back(entry.path());
            std::sort(files.begin(), files.end());
            for (const auto& path : files) file(path.string());
#endif
        } else {
            file(argv[i]);
        }
    }
    std::printf("fuzz: %llu inputs, %llu operations\n", inputs, operations);
    return inputs == 0 ? 2 : 0; // nothing replayed proves nothing
}

#endif

#endif
