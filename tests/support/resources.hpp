// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Memory resources that count, refuse, and must get back what they gave.
#ifndef SLOTWISE_TESTS_SUPPORT_RESOURCES_HPP
#define SLOTWISE_TESTS_SUPPORT_RESOURCES_HPP

#include "catch.hpp"
#include "tracked.hpp"

#include <memory_resource>
#include <new>

namespace test {

/// Counts what it gave out and has not got back; gives `left` times more, and no more than `most` bytes. Spends the budget.
class CountingResource final : public std::pmr::memory_resource {
public:
    std::size_t out = 0, left = ~std::size_t{0}, most = ~std::size_t{0};
    CountingResource() = default;
    ~CountingResource() override { CHECK((out == 0 && matched_)); }

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        Budget::spend();
        if (left == 0 || bytes > most - out) TEST_THROW(std::bad_alloc());
        --left;
        out += bytes;
        return ::operator new(bytes, std::align_val_t{align});
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t align) override {
        matched_ = matched_ && out >= bytes;
        out -= bytes;
        ::operator delete(data, std::align_val_t{align}); // clang 16 has no sized one without a flag
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
    bool matched_ = true;
};

/// While one lives, memory without a named resource is an error.
struct NoDefaultResource {
    std::pmr::memory_resource* before = std::pmr::set_default_resource(std::pmr::null_memory_resource());
    NoDefaultResource() = default;
    NoDefaultResource(const NoDefaultResource&) = delete;
    NoDefaultResource& operator=(const NoDefaultResource&) = delete;
    ~NoDefaultResource() { std::pmr::set_default_resource(before); }
};

} // namespace test

#endif
