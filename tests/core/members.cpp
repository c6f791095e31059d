// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The members of structs: which there are, and that each is met once, in order.
#include <slotwise/core/codec.hpp>

#include "support/catch.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace slotwise::detail;

struct One {
    int a;
};
struct Empty {};
struct Arrays {
    int a[3];
    char name[17];
    std::string text;
    One ones[2];
    float grid[2][3];
};
struct Rich {
    Empty empty;
    int number = 3;
    std::optional<int> maybe;
    std::vector<int> list;
    std::array<int, 4> four;
    std::unique_ptr<int> owner;
    One one;
    int* address;
};
struct BitField {
    unsigned a : 3;
    unsigned b;
};
struct WithBase : One {
    int b;
};
struct OnlyBase : One {};
struct Reference {
    int& r;
};
class Hides {
    [[maybe_unused]] int a_ = 0;

public:
    int b = 0;
};
struct Constructed {
    explicit Constructed(int n) : a(n) {}
    int a;
};
struct Long {
    char name[300];
};
struct Seventeen {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
union Either {
    int a;
    float b;
};

template <class T, class... Ms>
constexpr bool has = std::is_same_v<members_of<T>, TypeList<Ms...>>;
template <class T>
constexpr bool has_none = std::is_same_v<members_of<T>, NoMembers>;

static_assert(has<One, int>);
static_assert(has<Arrays, int[3], char[17], std::string, One[2], float[2][3]>);
static_assert(has<Rich, Empty, int, std::optional<int>, std::vector<int>, std::array<int, 4>, std::unique_ptr<int>, One, int*>);
static_assert(has_none<Empty> && has_none<BitField> && has_none<WithBase> && has_none<OnlyBase> && has_none<Reference>);
static_assert(has_none<Hides> && has_none<Constructed> && has_none<Long> && has_none<Seventeen> && has_none<Either>);
static_assert(has_none<int> && has_none<int[2]>);

#define STRUCT(n, ...)                                                                                                         \
    struct S##n {                                                                                                              \
        int __VA_ARGS__;                                                                                                       \
    };
STRUCT(1, a)
STRUCT(2, a, b)
STRUCT(3, a, b, c)
STRUCT(4, a, b, c, d)
STRUCT(5, a, b, c, d, e)
STRUCT(6, a, b, c, d, e, f)
STRUCT(7, a, b, c, d, e, f, g)
STRUCT(8, a, b, c, d, e, f, g, h)
STRUCT(9, a, b, c, d, e, f, g, h, i)
STRUCT(10, a, b, c, d, e, f, g, h, i, j)
STRUCT(11, a, b, c, d, e, f, g, h, i, j, k)
STRUCT(12, a, b, c, d, e, f, g, h, i, j, k, l)
STRUCT(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
STRUCT(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
STRUCT(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
STRUCT(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
#undef STRUCT

template <class S>
void visits_all() {
    constexpr std::size_t count = count_members<S>();
    REQUIRE(count * sizeof(int) == sizeof(S));
    S s{};
    visit_members<count>(s, [](auto&... members) {
        int next = 0;
        ((members = next++), ...);
    });
    int seen = 0;
    visit_members<count>(std::as_const(s), [&](const auto&... members) { ((seen += members == seen ? 1 : 100), ...); });
    REQUIRE(static_cast<std::size_t>(seen) == count);
}

} // namespace

TEMPLATE_TEST_CASE("each of up to 16 members is met once, in the order of declaration", "[members]", S1, S2, S3, S4, S5, S6, S7,
                   S8, S9, S10, S11, S12, S13, S14, S15, S16) {
    visits_all<TestType>();
}

TEST_CASE("a bit-field is no member that can be referred to: the struct is said to have none", "[members]") {
    BitField bits{1, 2};
    STATIC_REQUIRE(std::is_same_v<decltype(visit_members<2>(bits, ListTypes{})), NoMembers>);
    visit_members<2>(bits, ListTypes{});
    REQUIRE(bits.b == 2);
}
