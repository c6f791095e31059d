// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/c_data.hpp>
#include <slotwise/config/error.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/tss_storage.hpp>

#include "support/thrown.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace slotwise;

TEST_CASE("each error is the standard exception of its name and carries the text") {
    const auto starts = [](const std::string& text, std::string_view words) { return text.find(words) == 0; };
    using Few = SlotMap<int, Options<SlotMapOptions{.handle = {8, 8, 0}}>>;
    CHECK(starts(test::thrown_text<std::out_of_range>([] { static_cast<void>(SlotMap<int>().at({})); }),
                 "slot map at(handle): "));
    CHECK(starts(test::thrown_text<std::length_error>([] { Few().reserve(1000); }), "slot map reserve(count): "));
    CHECK(starts(
        test::thrown_text<std::invalid_argument>([] { static_cast<void>(TSSStorage<int>().write(TSSStorage<int>::never)); }),
        "series write(time): "));
}

TEST_CASE("running out of memory is std::bad_alloc, which carries no text") {
    CHECK(!test::thrown_text<std::bad_alloc>([] {
               ArrowArrayStream poor{};
               poor.get_schema = [](ArrowArrayStream*, ArrowSchema*) { return ENOMEM; };
               poor.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
               poor.release = [](ArrowArrayStream* stream) { stream->release = nullptr; };
               static_cast<void>(OwnedStream(&poor).schema());
           }).empty());
}

TEST_CASE("no macro of error.hpp is left behind") {
#ifdef SLOTWISE_THROW_OR_FAIL
    FAIL("SLOTWISE_THROW_OR_FAIL is still defined");
#endif
    SUCCEED();
}
