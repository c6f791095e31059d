// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Messages from one thread to another: through a loopback socket where the system has socketpair(), else through memory.
#ifndef SERVER_ENTITIES_LINK_HPP
#define SERVER_ENTITIES_LINK_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>
#else
#include <condition_variable>
#include <deque>
#include <mutex>
#endif

namespace server_entities {

#if defined(__unix__) || defined(__APPLE__)

/// A message is its length and its bytes.
class Link {
public:
    Link() { ok_ = ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_) == 0; }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() {
        finish();
        if (ends_[0] >= 0) ::close(ends_[0]);
    }
    /// Blocks while the socket is full. False when it failed.
    bool send(std::span<const std::byte> message) {
        const std::uint64_t size = message.size();
        return ok_ && write(std::as_bytes(std::span(&size, 1))) && write(message);
    }
    /// No more messages.
    void finish() {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }
    /// The next message; empty at the end.
    std::optional<std::vector<std::byte>> receive() {
        std::uint64_t size = 0;
        if (!ok_ || !read(std::as_writable_bytes(std::span(&size, 1)))) return std::nullopt;
        std::vector<std::byte> message(static_cast<std::size_t>(size));
        if (!read(message)) return std::nullopt;
        return message;
    }

private:
    bool write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const auto done = ::write(ends_[1], bytes.data(), bytes.size());
            if (done <= 0) return ok_ = false;
            bytes = bytes.subspan(static_cast<std::size_t>(done));
        }
        return true;
    }
    bool read(std::span<std::byte> bytes) {
        while (!bytes.empty()) {
            const auto done = ::read(ends_[0], bytes.data(), bytes.size());
            if (done <= 0) return false;
            bytes = bytes.subspan(static_cast<std::size_t>(done));
        }
        return true;
    }

    int ends_[2] = {-1, -1};
    bool ok_ = false;
};

#else

class Link {
public:
    bool send(std::span<const std::byte> message) {
        const std::lock_guard lock(mutex_);
        messages_.emplace_back(message.begin(), message.end());
        arrived_.notify_one();
        return true;
    }
    void finish() {
        const std::lock_guard lock(mutex_);
        finished_ = true;
        arrived_.notify_one();
    }
    std::optional<std::vector<std::byte>> receive() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return finished_ || !messages_.empty(); });
        if (messages_.empty()) return std::nullopt;
        auto message = std::move(messages_.front());
        messages_.pop_front();
        return message;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::vector<std::byte>> messages_;
    bool finished_ = false;
};

#endif

} // namespace server_entities

#endif
