// expect: this is no Key and does not convert to one; for other types hash and equality must be transparent
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/key_set.hpp>

using namespace slotwise;

struct Name {
    int id;
    friend bool operator==(const Name&, const Name&) = default;
};
struct NameHash {
    std::size_t operator()(const Name& name) const noexcept { return static_cast<std::size_t>(name.id); }
};

int main() {
    const KeySet<Name, NameHash> set;
    bool found = set.contains(Name{7});
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    found = set.contains(7);
#endif
    return found;
}
