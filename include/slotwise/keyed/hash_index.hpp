// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HashIndex: the index of keyed containers, a GroupIndex.
#ifndef SLOTWISE_KEYED_HASH_INDEX_HPP
#define SLOTWISE_KEYED_HASH_INDEX_HPP

#include "../slots/detail/group_index.hpp"

SLOTWISE_BEGIN

/// The default index. Compares fingerprints by SSE2 or NEON where available.
template <class Allocator>
class HashIndex : public GroupIndex<Allocator, detail::NativeFingerprints> {
public:
    using GroupIndex<Allocator, detail::NativeFingerprints>::GroupIndex;
};

/// The same without vector instructions: what HashIndex is on other machines.
template <class Allocator>
class PortableHashIndex : public GroupIndex<Allocator, detail::PortableFingerprints> {
public:
    using GroupIndex<Allocator, detail::PortableFingerprints>::GroupIndex;
};

SLOTWISE_END

#endif
