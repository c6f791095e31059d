// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "text.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace slotwise_python {

namespace {

struct HashOfText {
    using is_avalanching = void;
    std::size_t operator()(const Text& text) const noexcept { return slotwise::DefaultHash<std::string_view>()(text.view()); }
};

} // namespace

const slotwise::TypeDescriptor& Text::type() noexcept { return slotwise::TypeDescriptor::of<Text, HashOfText>(); }

// In front of the bytes on the heap stands how many more Texts there are that share them.
namespace {

using Count = std::uint32_t;
std::atomic_ref<Count> count_of(const char* bytes) noexcept {
    return std::atomic_ref<Count>(*reinterpret_cast<Count*>(const_cast<char*>(bytes) - sizeof(Count)));
}

} // namespace

const char* Text::own(std::string_view bytes) {
    if (bytes.size() > most_size) slotwise::detail::throw_length_error("a text of 2**32 bytes or more does not fit");
    auto* const block = static_cast<char*>(std::malloc(sizeof(Count) + bytes.size()));
    if (block == nullptr) slotwise::detail::throw_bad_alloc("the system gives no memory for a text");
    ::new (static_cast<void*>(block)) Count(0);
    std::memcpy(block + sizeof(Count), bytes.data(), bytes.size());
    return block + sizeof(Count);
}
void Text::share() {
    constexpr Count most = Count{1} << 31; // no count reaches its end
    const char* const bytes = data();
    if ((pointer() & foreign) == 0 && count_of(bytes).load(std::memory_order_relaxed) < most) {
        count_of(bytes).fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const std::string_view text(bytes, size_);
    size_ = 0; // nothing is to be freed when it throws
    keep(own(text));
    size_ = static_cast<std::uint32_t>(text.size());
}
void Text::free_bytes() noexcept {
    const char* const bytes = data();
    if ((pointer() & foreign) != 0) return;
    // The only owner need not write: nobody else can share what nobody else has.
    if (count_of(bytes).load(std::memory_order_acquire) != 0 && count_of(bytes).fetch_sub(1, std::memory_order_acq_rel) != 0)
        return;
    std::free(const_cast<char*>(bytes) - sizeof(Count));
}

} // namespace slotwise_python
