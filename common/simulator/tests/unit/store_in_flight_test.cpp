// Tests that the race check compares a store with a store that another worker has not yet finished.
#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <latch>
#include <thread>

#include "global_race_fixture.h"

using namespace coalesce::simulator;

namespace {

/// Two workers, each of which runs one block and stores the same value with all lanes.
struct TwoWorkers : GlobalRaceFixture {
    StoreInFlight in_flight[2];
    u32 values[2] = {7, 7};

    /// Starts a launch whose memory contains zeros.
    void start() {
        launch();
        std::fill(memory.begin(), memory.end(), 0);
        for (u64 b = 0; b < 2; ++b) race.begin_block(blocks[b], b, &in_flight[b]);
    }
    StoredValue value_of(u64 block) const {
        return {[](const void* context, int, u8* bytes) { std::memcpy(bytes, context, 4); },
                &values[block]};
    }
    /// Checks a store to the rows at `first` and `second`, or to a single whole row if they are
    /// equal.
    void check(u64 block, u64 first, u64 second) {
        if (first == second) {
            CHECK(race.try_write_lines(blocks[block], 0, 0, kBase + first, 4, value_of(block)));
            return;
        }
        u64 addresses[kLanes];
        for (u64 l = 0; l < kLanes; ++l)
            addresses[l] = kBase + (l < 16 ? first : second) + l % 16 * 4;
        race.check_access(blocks[block], {.kind = GlobalAccess::Kind::write,
                                          .active = kAllLanes,
                                          .addresses = addresses,
                                          .value = value_of(block)});
    }
    void finish(u64 block, u64 first, u64 second) {
        for (u64 l = 0; l < kLanes; ++l)
            __atomic_store_n(
                reinterpret_cast<u32*>(
                    memory.data() +
                    (first == second ? first + l * 4 : (l < 16 ? first : second) + l % 16 * 4)),
                values[block], __ATOMIC_RELAXED);
        GlobalRace::finish_store(blocks[block]);
    }
    /// Returns the number of races between two stores that were found in the launch, and ends the
    /// launch.
    std::size_t count_races() {
        race.end_launch();
        const std::size_t count = reports().all().size();
        reports().clear();
        return count;
    }
};

TEST_CASE_FIXTURE(TwoWorkers, "a store is compared with a store that has not reached memory yet") {
    for (const u32 value : {7, 8}) {
        values[1] = value;
        for (const u64 second : {0, 512}) {
            start();
            std::latch checked(1);
            std::thread other([&] {
                check(0, 0, second);
                checked.count_down();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                finish(0, 0, second);
            });
            checked.wait();
            check(1, 0, second);  // waits for the other worker
            finish(1, 0, second);
            other.join();
            CHECK(count_races() == (value == 7 ? 0 : 1));
        }
    }
}

TEST_CASE_FIXTURE(TwoWorkers, "two stores that wait for each other are compared with each other") {
    for (const u32 value : {7, 8}) {
        values[1] = value;
        for (int round = 0; round < 300; ++round) {
            start();
            std::latch ready(2);
            const auto store = [&](u64 block, u64 first, u64 second) {
                ready.arrive_and_wait();
                check(block, first, second);
                finish(block, first, second);
            };
            std::thread other(store, 0, 0, 512);
            store(1, 512, 0);
            other.join();
            const std::size_t races = count_races();
            if (value == 7) REQUIRE(races == 0);
        }
    }
}

}  // namespace
