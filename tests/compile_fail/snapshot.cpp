// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/codec.hpp>
#include <slotwise/core/utf8.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/snapshot.hpp>
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

//=== a_column_without_a_codec ===//
// expect: the codec has no way to write a static column of this container
// expect: Texture
struct Texture;

using Textures = ValueArray<Texture*>;
SlotMap<int, Textures> map;
map.insert(1);
auto size = map.snapshot(dropping<Textures>()).size();
size += map.snapshot().size(); // faulty

//=== a_pointer ===//
// expect: T is a pointer, which another process cannot use; store a handle in its place
SlotMap<int> numbers;
SlotMap<std::vector<int*>> pointers;
auto size = numbers.snapshot().size();
size += pointers.snapshot().size(); // faulty
return static_cast<int>(size + pointers.size());

//=== a_long_double ===//
// expect: long double has padding here, and another size on other platforms; store a double
SlotMap<double> numbers;
SlotMap<long double> more;
auto size = numbers.snapshot().size();
size += more.snapshot().size(); // faulty
return static_cast<int>(size + more.size());

//=== a_type_with_padding ===//
// expect: T has no codec: it has padding or members that cannot be seen from outside
// expect: Hidden
class Hidden {
    char a = 0;
    long b = 0;

public:
    long sum() const { return a + b; }
};
struct Seen {
    char a = 0;
    long b = 0;
};

SlotMap<std::pair<int, Seen>> seen;
SlotMap<std::pair<int, Hidden>> hidden;
auto size = seen.snapshot().size();
size += hidden.snapshot().size(); // faulty
return static_cast<int>(size + hidden.size());

//=== an_enum_codec_of_numbers ===//
// expect: EnumCodec<First, Last>: give the lowest and the highest enumerator
enum class Kind { rock, ship };
using Right = slotwise::EnumCodec<Kind::rock, Kind::ship>;
using Wrong = slotwise::EnumCodec<Kind::ship, Kind::rock>; // faulty
using Wrong = Right;                                       // control

slotwise::ByteWriter out;
Right::write(Kind::rock, out);
Wrong::write(Kind::rock, out);
return static_cast<int>(out.take().size());

//=== an_enumeration ===//
// expect: T is an enumeration, and its range of values is not known
// expect: Kind
enum class Kind { rock, ship };
template <>                                                                       // control
struct slotwise::CodecFor<Kind> : slotwise::EnumCodec<Kind::rock, Kind::ship> {}; // control

SlotMap<Kind> kinds;
kinds.insert(Kind::ship);
return static_cast<int>(kinds.snapshot().size());

//=== raw_codec_of_an_open_enumeration ===//
// expect: not each number is a value of an enumeration without a fixed underlying type
enum Fixed : int { one };
enum Open { two };
template <>
struct slotwise::CodecFor<Fixed> : slotwise::RawCodec<Fixed> {};
template <>                                                    // faulty
struct slotwise::CodecFor<Open> : slotwise::RawCodec<Open> {}; // faulty

return static_cast<int>(one) + static_cast<int>(two);

//=== raw_codec_of_padding ===//
// expect: RawCodec<T>: T has padding, floating-point members or more than bytes
struct Tight {
    long a, b;
};
struct Padded {
    char a;
    long b;
};
template <>
struct slotwise::CodecFor<Tight> : slotwise::RawCodec<Tight> {};
template <>                                                        // faulty
struct slotwise::CodecFor<Padded> : slotwise::RawCodec<Padded> {}; // faulty

return static_cast<int>(sizeof(Padded) - sizeof(Tight));

//=== reading_what_needs_a_codec ===//
// expect: T has no codec: it has padding or members that cannot be seen from outside
// expect: Hidden
class Hidden {
    long a = 0;

public:
    long get() const { return a; }
};

SlotMap<long> seen;
SlotMap<Hidden> hidden;
seen.restore(seen.snapshot());
hidden.restore(seen.snapshot()); // faulty

//=== writing_a_number_with_a_sign ===//
// expect: is_unsigned
ByteWriter out;
out.number(1u);
out.number(-1); // faulty
return static_cast<int>(out.take().size());

//=== a_pointer_by_the_codec_of_texts ===//
// expect: Snapshotable
ByteWriter out;
const int number = 1;
Utf8Codec::write(number, out);
Utf8Codec::write(&number, out); // faulty
return static_cast<int>(out.written().size());
