// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Most warnings of a template come when it is used: each family of containers is, so that they would come here.
#include <slotwise/slotwise.hpp>

#include <cstdio>

int main() {
    slotwise::SlotMap<int> map;
    const auto seven = map.insert(7);
    slotwise::SecondaryMap<decltype(map)::handle_type, int> dense_column;
    slotwise::SparseSecondaryMap<decltype(map)::handle_type, int> sparse_column;
    slotwise::IdentityMap<int, decltype(map)::handle_type> names;
    dense_column.attach_to(map);
    sparse_column.attach_to(map);
    names.attach_to(map);
    bool right = dense_column.insert(seven, 1).inserted && sparse_column.insert(seven, 2).inserted && names.insert(70, seven);
    right = right && names.handle_of(70) == seven && map.erase(seven) && !sparse_column.contains(seven);

    slotwise::DenseSlotMap<int> dense;
    slotwise::SoaSlotMap<int, char> rows;
    const auto one = dense.insert(1);
    const auto row = rows.insert(1, 'a');
    right = right && dense.at(one) == rows.column<int>()[0] && dense.erase(one) && rows.erase(row);

    slotwise::SetStorage<int> set{1, 2};
    slotwise::MapStorage<int, int> stock{{1, 10}, {2, 20}};
    stock.erase(1);
    stock[3] = 30;
    right = right && set.contains(2) && stock == slotwise::MapStorage<int, int>{{2, 20}, {3, 30}};

    slotwise::TSSStorage<int> members;
    slotwise::TSDStorage<int, int> price, replica;
    members.write(1).add(1);
    price.write(1).set(1, 10);
    replica.write(1).apply(capture(price, 1));
    int sum = 0;
    for (const auto [key, value] : price.modified_items(1)) sum += key + value;
    right = right && sum == 11 && replica == price && members.size() == 1;

    std::puts(right ? "works" : "is broken");
    return right ? 0 : 1;
}
