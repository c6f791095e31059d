// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "model_keyed.hpp"

TEST_CASE("a random history agrees with the oracle for keys that own something, and for wide handles", "[model]") {
    using namespace test;
    keyed_histories<ModelMap<std::string, false, Reuse::lowest, Exhaustion::retire>>(800, 700);
    keyed_histories<ModelMap<Tracked, true, Reuse::lowest, Exhaustion::retire>>(900, 700);
    keyed_histories<ModelMap<std::string, true, Reuse::lifo, Exhaustion::retire, HandleLayout{}>>(1000, 700);
}
