// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The locks of the Python package without Python: threads that hold a lock like the GIL read, write, pin and detach one object.
// For ThreadSanitizer, whose reports of the interpreter itself would hide those of the package. The package needs exceptions.
#if defined(__cpp_exceptions)
#include "../../python/src/lock.hpp"

#include "reader.hpp"

#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/exportable.hpp>

#include <mutex>
#include <thread>
#include <vector>

using namespace slotwise;

namespace {

std::mutex gil; // as each thread of Python holds one while it runs Python's code

struct WithoutGil {
    WithoutGil() { gil.unlock(); }
    ~WithoutGil() { gil.lock(); }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
};
using Map = MapStorage<std::uint64_t, double>;
struct Object {
    Exportable<Map> data;
    slotwise_python::Lock lock;
};
template <class F>
auto briefly(Object& object, F&& f) {
    return slotwise_python::with_lock_briefly<WithoutGil>(object.lock, f);
}
template <class F>
auto at_length(Object& object, F&& f) {
    return slotwise_python::with_lock_at_length<WithoutGil>(object.lock, f);
}
template <class F>
void on_threads(std::size_t count, F&& f) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != count; ++i)
        threads.emplace_back([&f, i] {
            const std::lock_guard held(gil);
            f(i);
        });
    for (std::thread& thread : threads) thread.join();
}

} // namespace

TEST_CASE("Threads of Python that write one object lose no row, and never wait for each other's locks", "[arrow][readers]") {
    Object object;
    constexpr std::uint64_t rounds = 40, rows = 50;
    on_threads(8, [&](std::uint64_t thread) {
        for (std::uint64_t round = 0; round != rounds; ++round) {
            if (thread % 2 == 0)
                at_length(object, [&] {
                    for (std::uint64_t i = 0; i != rows; ++i)
                        object.data.write(OnWrite::detach)->insert_or_assign((thread * rounds + round) * rows + i, 1.0);
                });
            else
                for (std::uint64_t i = 0; i != rows; ++i)
                    briefly(object, [&] {
                        object.data.write(OnWrite::detach)->insert_or_assign((thread * rounds + round) * rows + i, 1.0);
                    });
        }
    });
    CHECK(object.data.read().size() == 8 * rounds * rows);
}

TEST_CASE("Streams that Python threads take and drop see whole states, while others write and detach", "[arrow][readers]") {
    Object object;
    for (std::uint64_t i = 0; i != 3000; ++i) object.data.write()->insert(i, 0.0);
    std::atomic<int> wrong{0};
    on_threads(8, [&](std::size_t thread) {
        for (int round = 0; round != 12; ++round) {
            if (thread % 4 == 0) {
                at_length(object, [&] {
                    Map& map = *object.data.write(OnWrite::detach);
                    for (auto [key, value] : map.items()) value = static_cast<double>(round);
                });
                continue;
            }
            auto pin = at_length(object, [&] { return object.data.pin(); });
            ArrowArrayStream raw;
            export_stream(std::move(pin), &raw, {.least_shared = thread % 4 == 1 ? 1u : 100000u});
            OwnedStream stream(&raw);
            const WithoutGil released; // a consumer reads and drops it on its own thread
            double first = -1;
            for (OwnedArray batch = stream.next(); batch; batch = stream.next())
                for (std::int64_t i = 0; i != batch->length; ++i) {
                    const auto value = arrow_test::value_at<double>(batch->children[1]->buffers[1], i);
                    if (first < 0) first = value;
                    if (value < first || first < value) ++wrong;
                }
        }
    });
    CHECK(wrong == 0);
    CHECK_FALSE(object.data.pinned());
}

TEST_CASE("A stream that uses the object which it is read into is refused, and the lock stays usable", "[arrow][readers]") {
    Object object;
    on_threads(2, [&](std::size_t) {
        for (int round = 0; round != 50; ++round) {
            bool refused = false;
            at_length(object, [&] {
                const std::lock_guard held(gil); // get_next of a Python stream
                try {
                    briefly(object, [] {});
                } catch (const std::runtime_error&) {
                    refused = true;
                }
            });
            if (!refused) std::abort();
            briefly(object, [&] { object.data.write()->insert_or_assign(1u, 1.0); });
        }
    });
    CHECK(object.data.read().size() == 1);
}
#endif
