// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Subscribers of nested series are told after the outermost writer has closed, once, and before those of what they are nested
// in.
#include "replica.hpp"

namespace {

using namespace test;

/// The notified subscribers, in order.
struct Ear final : SeriesSubscriber<Time> {
    Ear(std::string its_name, std::vector<std::string>& all) : name(std::move(its_name)), log(all) {}
    std::string name;
    std::vector<std::string>& log;
    void on_tick(const SeriesTick<Time>& tick) noexcept override { log.push_back(name + " " + std::to_string(tick.time)); }
};
using Log = std::vector<std::string>;

using Leaf = TSSStorage<int>;
using Middle = TSDStorage<int, Leaf>;
using Root = TSDStorage<int, Middle>;

struct Tree {
    Root root;
    Tree() {
        auto w = root.write(1);
        for (const int i : {1, 2}) {
            w.create(i);
            auto middle = w.modify(i);
            for (const int k : {1, 2}) {
                middle.create(k);
                middle.modify(k).add(0);
            }
        }
    }
    const Leaf& leaf(int i, int k) const { return *root.get(i)->get(k); }
};

} // namespace

TEST_CASE("a deep subscriber is notified after the root writer closes, and once", "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear deep("leaf", log);
    const auto token = tree.leaf(1, 1).subscribe(deep);
    auto w = tree.root.write(2);
    {
        auto middle = w.modify(1);
        middle.modify(1).add(5);
        middle.modify(1).add(6);
        REQUIRE(log.empty());
    }
    w.modify(1).modify(1).add(7);
    w.modify(2).modify(1).add(7); // another one
    auto beside = tree.root.write(2);
    w.close();
    REQUIRE(log.empty());
    beside.close();
    REQUIRE(log == Log{"leaf 2"});
    tree.root.write(3).modify(2).modify(2).add(9);
    REQUIRE(log.size() == 1);
    tree.root.write(4).modify(1).modify(1).touch();
    REQUIRE(log == Log{"leaf 2", "leaf 4"});
    tree.root.write(5).modify(1).modify(1).add(5); // is there: nothing
    REQUIRE(log.size() == 2);
}

TEST_CASE("bug: a nested writer that changed nothing notified the subscribers of its element", "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear leaf("leaf", log), element("root[1]", log), slot("slot", log), middle_element("middle[1]", log);
    const auto tokens =
        std::make_tuple(tree.leaf(1, 1).subscribe(leaf), tree.root.subscribe(1, element),
                        tree.root.subscribe_slot(tree.root.slot_of(1), slot), tree.root.get(1)->subscribe(1, middle_element));
    tree.root.write(2).modify(1).modify(1).remove(7); // is not there: nothing
    tree.root.write(3).modify(1).remove(7);
    static_cast<void>(tree.root.write(4).modify(1).modify(1));
    REQUIRE(log.empty());
    tree.root.write(5).modify(1).modify(1).add(7);
    REQUIRE(log == Log{"leaf 5", "middle[1] 5", "slot 5", "root[1] 5"});
}

TEST_CASE("inner subscribers are notified before outer ones, elements before the whole", "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear root("root", log), keys("root keys", log), element("root[1]", log), middle("middle", log),
        middle_element("middle[1]", log), leaf("leaf", log), key("leaf[5]", log);
    const auto tokens =
        std::make_tuple(tree.root.subscribe(root), tree.root.subscribe_keys(keys), tree.root.subscribe(1, element),
                        tree.root.get(1)->subscribe(middle), tree.root.get(1)->subscribe(1, middle_element),
                        tree.leaf(1, 1).subscribe(leaf), tree.leaf(1, 1).subscribe(5, key));
    tree.root.write(2).modify(1).modify(1).add(5);
    REQUIRE(log == Log{"leaf[5] 2", "leaf 2", "middle[1] 2", "middle 2", "root[1] 2", "root 2"});
    log.clear();
    {
        auto w = tree.root.write(3);
        w.create(9);
        w.modify(1).modify(1).remove(5);
    }
    REQUIRE(log == Log{"leaf[5] 3", "leaf 3", "middle[1] 3", "middle 3", "root[1] 3", "root keys 3", "root 3"});
}

TEST_CASE("a subscriber added to a nested series while a writer of it is open is notified when the outermost one closes",
          "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear deep("leaf", log), key("leaf[8]", log);
    auto w = tree.root.write(2);
    auto middle = w.modify(1);
    auto leaf = middle.modify(1);
    leaf.add(5);
    const auto token = tree.leaf(1, 1).subscribe(deep);
    const auto key_token = tree.leaf(1, 1).subscribe(8, key);
    leaf.add(8);
    leaf.close();
    REQUIRE(log.empty());
    middle.close();
    REQUIRE(log.empty());
    w.close();
    REQUIRE(log == Log{"leaf[8] 2", "leaf 2"});
}

TEST_CASE("a nested writer that outlives the root writer is the outermost one", "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear deep("leaf", log), root("root", log);
    const auto token = tree.leaf(2, 2).subscribe(deep);
    const auto root_token = tree.root.subscribe(root);
    auto middle = tree.root.write(2).modify(2);
    auto leaf = middle.modify(2);
    middle.close();
    leaf.add(4);
    REQUIRE(log.empty());
    leaf.close();
    REQUIRE(log == Log{"leaf 2", "root 2"});
}

TEST_CASE("a subscriber of a nested series hears of what was written before its element was removed",
          "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear deep("leaf", log), element("middle[1]", log);
    const auto token = tree.leaf(1, 1).subscribe(deep);
    const auto element_token = tree.root.get(1)->subscribe(1, element);
    {
        auto middle = tree.root.write(2).modify(1);
        middle.modify(1).add(5);
        middle.remove(1);
    }
    REQUIRE(log == Log{"leaf 2", "middle[1] 2"});
    (void)tree.root.write(3).modify(1); // rolls: the nested one dies
    REQUIRE_FALSE(token.attached());
    REQUIRE(element_token.attached());
    {
        auto middle = tree.root.write(4).modify(1);
        middle.create(1);
        middle.modify(1).add(1);
    }
    REQUIRE(log == Log{"leaf 2", "middle[1] 2", "middle[1] 4"});
}

TEST_CASE("a deep subscriber may write to the open window; all subscribers are notified of it",
          "[series][nested][subscriber]") {
    struct Writer final : SeriesSubscriber<Time> {
        Root* root = nullptr;
        int told = 0;
        void on_tick(const SeriesTick<Time>& tick) noexcept override {
            ++told;
            root->write(tick.time).modify(2).modify(2).add(100 + told);
        }
    } writer;
    Tree tree;
    writer.root = &tree.root;
    Log log;
    Ear other("other leaf", log), root("root", log);
    const auto tokens =
        std::make_tuple(tree.leaf(1, 1).subscribe(writer), tree.leaf(2, 2).subscribe(other), tree.root.subscribe(root));
    tree.root.write(2).modify(1).modify(1).add(5);
    REQUIRE(writer.told == 1);
    REQUIRE(tree.leaf(2, 2).was_added(101, 2));
    REQUIRE(log == Log{"other leaf 2", "root 2"});
    REQUIRE(all_sound(tree.root));
    REQUIRE(capture(tree.root, 2).modified.size() == 2);
}

TEST_CASE("a subscriber of only the keys of a nested dictionary is notified when the outermost writer closes",
          "[series][nested][subscriber]") {
    Tree tree;
    Log log;
    Ear keys("keys", log), root("root", log);
    const auto of_keys = tree.root.get(1)->subscribe_keys(keys), of_root = tree.root.subscribe(root);
    auto w = tree.root.write(2);
    w.modify(1).create(9);
    REQUIRE(log.empty());
    w.close();
    REQUIRE(log == Log{"keys 2", "root 2"});
    tree.root.write(3).modify(1).modify(9).add(1); // no key came or went
    REQUIRE(log == Log{"keys 2", "root 2", "root 3"});
}
