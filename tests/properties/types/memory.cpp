// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every container of strings that take an allocator, inside a vector that takes one: all memory is of one resource, and none of
// the default.
#include "properties/types/kinds.hpp"
#include "support/resources.hpp"
#include "support/tracked.hpp"

#include <memory_resource>
#include <string>
#include <vector>

namespace test::kinds_of {

using Text = std::pmr::string;
/// Where texts are made.
inline std::pmr::memory_resource* texts = nullptr;

/// Too long for the string itself.
template <>
struct Element<Text> {
    static std::unique_ptr<Text> made(int n) {
        auto text = std::make_unique<Text>("a text that lives in memory of the resource, number ", texts);
        *text += static_cast<char>('0' + n / 10);
        *text += static_cast<char>('0' + n % 10);
        return text;
    }
    static int number(const Text& text) {
        if (text.size() < 2) return -1; // moved from
        return (text[text.size() - 2] - '0') * 10 + text.back() - '0';
    }
};

} // namespace test::kinds_of

namespace {

using namespace test;
using namespace test::kinds_of;

struct Nest {
    template <class Kind>
    void operator()() const {
        using C = typename Kind::template of<Text, std::pmr::polymorphic_allocator<Text>, DefaultHash<Text>, EqualTo>;
        std::pmr::monotonic_buffer_resource pool(std::pmr::new_delete_resource());
        texts = &pool;
        NoDefaultResource none;
        const TypeDescriptor& type = TypeDescriptor::of<Text>();
        std::pmr::vector<C> nest(&pool);
        const auto one_more = [&] {
            if constexpr (requires(C& c) { c.column_count(); })
                nest.emplace_back(std::initializer_list<const TypeDescriptor*>{&type});
            else if constexpr (std::is_constructible_v<C, const TypeDescriptor&, const TypeDescriptor&>)
                nest.emplace_back(type, type);
            else if constexpr (std::is_constructible_v<C, const TypeDescriptor&>)
                nest.emplace_back(type);
            else
                nest.emplace_back();
        };
        one_more();
        std::vector<decltype(Kind::template insert<Text>(nest[0], 0))> names;
        for (int n = 0; n != 40; ++n) names.push_back(Kind::template insert<Text>(nest[0], n));
        const auto whole = [&](const C& c) {
            bool all = c.size() == names.size() && c.check_invariants() && c.get_allocator().resource() == &pool;
            for (int n = 0; n != 40; ++n) all = all && Kind::template has<Text>(c, names[static_cast<std::size_t>(n)], n);
            return all;
        };
        CHECK(whole(nest[0]));
        for (int i = 0; i != 3; ++i) one_more(); // the vector grows, and moves them
        CHECK(whole(nest[0]));
        nest[1] = std::move(nest[0]);
        CHECK(whole(nest[1]));
        // A description's copy knows no allocator.
        if constexpr (!requires { Kind::described; }) {
            nest.push_back(nest[1]);
            CHECK((whole(nest.back()) && whole(nest[1])));
            nest[2] = nest[1];
            CHECK(whole(nest[2]));
        }
        for (int n = 0; n != 40; n += 2) CHECK(Kind::template erase<Text>(nest[1], names[static_cast<std::size_t>(n)], n));
        CHECK((nest[1].size() == 20 && nest[1].check_invariants()));
    }
};

/// What a container of integers says against what its resource has given it, in memory of two resources.
struct Held {
    template <class Kind>
    void operator()() const {
        using C = typename Kind::template of<int, std::pmr::polymorphic_allocator<int>, DefaultHash<int>, EqualTo>;
        CountingResource first, second;
        const NoDefaultResource none;
        const TypeDescriptor& type = TypeDescriptor::of<int>();
        const auto in = [](CountingResource& resource, auto&&... args) {
            return std::make_obj_using_allocator<C>(std::pmr::polymorphic_allocator<int>(&resource),
                                                    std::forward<decltype(args)>(args)...);
        };
        const auto empty = [&]() -> C {
            if constexpr (requires(C& c) { c.column_count(); })
                return in(first, std::initializer_list<const TypeDescriptor*>{&type});
            else if constexpr (std::is_constructible_v<C, const TypeDescriptor&, const TypeDescriptor&>)
                return in(first, type, type);
            else if constexpr (std::is_constructible_v<C, const TypeDescriptor&>)
                return in(first, type);
            else
                return in(first);
        };
        C c = empty();
        CHECK(c.memory_usage() == first.out);
        std::vector<decltype(Kind::template insert<int>(c, 0))> names;
        for (int n = 0; n != 200; ++n) names.push_back(Kind::template insert<int>(c, n));
        CHECK(c.memory_usage() == first.out);
        CHECK(first.out > 200 * sizeof(int));
        for (int n = 0; n != 200; n += 2)
            static_cast<void>(Kind::template erase<int>(c, names[static_cast<std::size_t>(n)], n));
        CHECK(c.memory_usage() == first.out);
        {
            C moved = in(second, std::move(c));
            CHECK(moved.size() == 100);
            CHECK(moved.memory_usage() == second.out);
            CHECK(c.memory_usage() == first.out); // NOLINT(bugprone-use-after-move): it says what it still has
        }
        CHECK(second.out == 0);
    }
};

} // namespace

TEST_CASE("every container in a container takes its memory, and that of its elements, from one resource",
          "[properties][types]") {
    CHECK(for_each_kind(Nest()) == 20);
}

TEST_CASE("memory_usage() of every container is what its memory resource has given, also after a move into another one",
          "[properties][types]") {
    CHECK(for_each_kind(Held()) >= 20);
}
