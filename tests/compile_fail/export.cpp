// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/export.hpp>

using namespace slotwise;

struct Inner {
    int x = 0;
};
struct Outer {
    Inner inner;
    int y = 0;
};
template <>
struct slotwise::ArrowFields<Inner> {
    static constexpr auto members = std::tuple(slotwise::field("x", &Inner::x));
};
template <bool Whole>
struct Case : Outer {};
template <>
struct slotwise::ArrowFields<Case<false>> {
    static constexpr auto members = std::tuple(slotwise::field("x", &Case<false>::inner, &Inner::x));
};
template <>
struct slotwise::ArrowFields<Case<true>> {
    static constexpr auto members = std::tuple(slotwise::field("inner", &Case<true>::inner));
};

//=== schema_of_no_container ===//
// expect: no matching function
// covers: arrow/export.hpp requires "detail::ArrowExportable<C>"
ArrowSchema schema;
export_schema(SlotMap<int>(), &schema); // control
export_schema(Inner(), &schema);        // faulty
return schema.n_children == 0;

//=== value_without_a_column ===//
// expect: the type T has no column
ArrowSchema schema;
export_schema(SlotMap<Inner>(), &schema); // control
export_schema(SlotMap<Outer>(), &schema); // faulty
return schema.n_children == 0;

//=== field_that_is_a_struct ===//
// expect: a field is a struct; name its members one by one
// covers: arrow/column.hpp static_assert "a field is a struct"
ArrowSchema schema;
export_schema(SlotMap<Case<false>>(), &schema); // control
export_schema(SlotMap<Case<true>>(), &schema);  // faulty
return schema.n_children == 0;

//=== freeze_what_stays ===//
// expect: no matching function || constraints not satisfied
// covers: arrow/export.hpp requires "(!std::is_lvalue_reference_v<C>)"
SlotMap<int> map;
freeze(SlotMap<int>()); // control
freeze(map);            // faulty
return 0;
