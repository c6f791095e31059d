// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/rows/soa_struct.hpp>

using namespace slotwise;

struct Point {
    int x = 0, y = 0, z = 0;
    int length() const { return x; }
};
struct Other {
    int a = 0;
};
struct Explicit {
    explicit Explicit(int) {}
    int x = 0;
};

//=== members_not_named ===//
// expect: the members stand first, in Fields<...>
BasicSoaStruct<Fields<&Point::x>> points;
BasicSoaStruct<Point> other; // faulty

//=== function_as_a_member ===//
// expect: name data members of a struct
SoaStruct<&Point::x> points;
SoaStruct<&Point::x, &Point::length> other; // faulty

//=== members_of_two_structs ===//
// expect: all members must be of one struct
SoaStruct<&Point::x, &Point::y> points;
SoaStruct<&Point::x, &Other::a> other; // faulty

//=== member_that_is_not_kept ===//
// expect: this member is not among Fields<...>
SoaStruct<&Point::x, &Point::y> points;
auto xs = points.column<&Point::x>();
auto zs = points.column<&Point::z>(); // faulty

//=== column_of_no_member ===//
// expect: DataMember
SoaStruct<&Point::x> points;
auto xs = points.column<&Point::x>();
auto lengths = points.column<&Point::length>(); // faulty

//=== columns_of_no_members ===//
// expect: DataMember
SoaStruct<&Point::x> points;
auto xs = points.columns<&Point::x>();
auto lengths = points.columns<&Point::length>(); // faulty

//=== struct_without_a_default ===//
// expect: default_initializable
SoaStruct<&Explicit::x> rows;
rows.resize(3, Explicit(1));
rows.resize(3); // faulty

//=== struct_that_cannot_be_made ===//
// expect: default_initializable || no viable conversion
SoaStruct<&Explicit::x> rows;
SoaStruct<&Point::x> points;
rows.push_back(Explicit(1));
const Point point(points[0]);
const auto made = rows[0].operator Explicit(); // faulty
