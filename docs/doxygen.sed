# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
#
# What Doxygen is given of a header.
# Doxygen does not look through an alias of a base: without this the page of SlotMap has no insert.
s/: public detail::(PagedInterface|DenseInterface|SoaInterface|AnySlotMapInterface)</: public SlotMapInterface</
# Indented code in a comment needs an empty line in front of it.
/^ *\/\/\/ {1,4}[^ -]/{
$!N
s/\n( *\/\/\/)     /\n\1\n\1     /
P
D
}
