// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A server's entities on clients, under the same ids. A client joins by a snapshot, and then gets, tick by tick, what died, what
// changed and what was added; all of it over a loopback socket. The ids of shared entities are a range that only the server
// issues, so a client's own entities never meet them. One client joins at the start, one in the middle: both end equal.

#include "client.hpp"
#include "link.hpp"
#include "server.hpp"

#include <iostream>
#include <thread>

namespace {

using namespace server_entities;

/// Follows until the server ends; null on success.
const char* play(Client& client, Link& link, std::size_t& bytes) {
    const auto whole = link.receive();
    if (!whole) return "the server sent nothing";
    bytes += whole->size();
    if (const char* const error = client.join(*whole)) return error;
    while (const auto changes = link.receive()) {
        bytes += changes->size();
        if (const char* const error = client.follow(*changes)) return error;
    }
    return nullptr;
}

} // namespace

int main() {
    constexpr int ticks = 400;
    Server server(7);
    Link early, late;
    std::size_t snapshot_bytes = 0, change_bytes = 0;
    std::thread serving([&] {
        early.send(server.whole());
        for (int tick = 0; tick != ticks; ++tick) {
            const auto changes = server.step();
            change_bytes += changes.size();
            early.send(changes);
            if (tick > ticks / 2) late.send(changes);
            if (tick != ticks / 2) continue;
            const auto whole = server.whole();
            snapshot_bytes = whole.size();
            late.send(whole);
        }
        early.finish();
        late.finish();
    });
    Client first, second;
    const char* errors[2] = {nullptr, nullptr};
    std::size_t received[2] = {0, 0};
    std::thread following([&] { errors[1] = play(second, late, received[1]); });
    errors[0] = play(first, early, received[0]);
    following.join();
    serving.join();

    bool right = true;
    const auto check = [&](bool holds, const char* what) {
        if (!holds) std::cerr << "wrong: " << what << '\n';
        right = right && holds;
    };
    const auto expected = server.world.rows();
    for (Client* const client : {&first, &second}) {
        const std::size_t number = client == &first ? 0 : 1;
        check(errors[number] == nullptr, errors[number] == nullptr ? "" : errors[number]);
        check(client->world.rows() == expected, "a client's world is not the server's");
        check(client->world.store.size() == expected.size() + client->effects.size(),
              "a client has entities that nobody knows");
        for (const Entity effect : client->effects) check(client->world.store.is_alive(effect), "a local entity died");
        check(client->world.store.check_invariants(), "a client's store is not sound");
    }
    std::cout << expected.size() << " shared entities after " << ticks << " ticks; a snapshot of the middle has "
              << snapshot_bytes / 1024 << " KiB, the changes of a tick " << change_bytes / ticks << " bytes on average\n";
    return right ? 0 : 1;
}
