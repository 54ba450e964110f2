// Tests which accesses to shared memory race, and which bytes count as written. Each test records
// accesses one by one, without a kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "simulator/checks/shared_race.h"

using namespace coalesce::simulator;

namespace {

/// A block of 4 warps with 4 KB of shared memory. Memory instruction i is on line 10 + i, and the
/// instruction on line 19 is an atomic.
struct SharedRaceFixture {
    ptx::Module ptx;
    Module module;
    Kernel kernel;
    RaceLog log{"racecheck"};
    std::vector<u8> memory = std::vector<u8>(4096);
    SharedRace race;
    u64 blocks = 0;

    SharedRaceFixture() {
        reports().clear();
        reports().print_immediately(false);
        module.ast = std::make_unique<ptx::Module>();
        module.ast->files[1] = "main.cu";
        kernel.display_name = "kernel";
        kernel.module = &module;
        for (u32 i = 0; i < 10; ++i) {
            Site site;
            site.where = {1, 10 + i};
            site.is_atomic = i == 9;
            kernel.sites.push_back(site);
        }
        launch({.checks_races = true, .checks_uninitialised = false});
    }

    void launch(SharedRace::EnabledChecks wanted) {
        log.begin_launch(kernel, {1000, 1, 1}, {128, 1, 1});
        race.begin_launch(kernel, log, wanted);
        next_block();
    }
    void next_block() { race.begin_block(blocks++ % 1000, 4096, memory.data()); }

    /// An access in which the addresses of consecutive lanes are `stride` bytes apart. A stride of
    /// 0 stands for adjacent elements.
    struct Lanes {
        u32 addresses[kLanes];
        SharedAccess access;
        Lanes(u32 warp, u32 site, u32 offset, u32 bytes, u32 stride, Mask active) {
            for (u32 l = 0; l < kLanes; ++l) addresses[l] = offset + l * (stride ? stride : bytes);
            access.warp = warp;
            access.site = site;
            access.active = active;
            access.addresses = addresses;
            access.bytes_per_lane = bytes;
        }
    };
    void read(u32 warp, u32 site, u32 offset, u32 bytes = 4, u32 stride = 0,
              Mask active = kAllLanes) {
        race.check_read(Lanes(warp, site, offset, bytes, stride, active).access);
    }
    void write(u32 warp, u32 site, u32 offset, u32 bytes = 4, u32 stride = 0,
               Mask active = kAllLanes) {
        race.check_write(Lanes(warp, site, offset, bytes, stride, active).access);
    }
    /// Sets the flag from lane 0 of the warp.
    void raise_flag(u32 warp) {
        Lanes lanes(warp, 8, 4000, 4, 0, 1);
        lanes.access.is_strong = true;
        race.check_write(lanes.access);
    }
    void see_flag(u32 warp) {
        Lanes lanes(warp, 8, 4000, 4, 0, 1);
        lanes.access.is_strong = true;
        race.check_read(lanes.access);
        race.acquire(lanes.access);
    }
    void barrier(u32 id = 0, Mask warps = 0xf) {
        for (u32 w = 0; w < 4; ++w) {
            if (warps >> w & 1) race.record_barrier_arrival(id, w);
        }
        race.complete_barrier(id, warps, warps == 0xf);
    }

    /// Returns the reports, each in the form "write after read 12 10": its kind, its line, and the
    /// line of the other access.
    std::vector<std::string> found() {
        log.end_launch();
        race.end_launch();
        std::vector<std::string> all;
        for (const Report& r : reports().all()) {
            all.push_back(r.kind + " " + std::to_string(r.where.line) + " " +
                          std::to_string(r.other.line));
        }
        std::sort(all.begin(), all.end());
        CHECK(all.empty() == (race.report_count() == 0));
        reports().clear();
        log.begin_launch(kernel, {1000, 1, 1}, {128, 1, 1});
        next_block();
        return all;
    }
};

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "warps are not ordered without a barrier, whatever the access size") {
    for (const u32 bytes : {1u, 2u, 4u, 8u, 16u}) {
        CAPTURE(bytes);
        write(0, 0, 64, bytes);
        read(1, 1, 64, bytes);
        CHECK(found() == Found{"read after write 11 10"});
        read(0, 0, 64, bytes);
        write(1, 1, 64, bytes);
        CHECK(found() == Found{"write after read 11 10"});
        write(0, 0, 64, bytes);
        write(1, 1, 64, bytes);
        CHECK(found() == Found{"write after write 11 10"});
        read(0, 0, 64, bytes);
        read(1, 1, 64, bytes);
        CHECK(found() == Found{});
        write(0, 0, 64, bytes);
        barrier();
        read(1, 1, 64, bytes);
        barrier();
        write(2, 2, 64, bytes);
        CHECK(found() == Found{});
    }
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "__syncwarp orders lanes of a warp, program order the accesses of a thread") {
    write(0, 0, 0);
    read(0, 1, 0);
    write(0, 2, 0);
    CHECK(found() == Found{});
    write(0, 0, 0);
    read(0, 1, 4, 4, 0, 0x7fffffff);
    CHECK(found() == Found{"read after write 11 10"});
    write(0, 0, 0);
    race.record_syncwarp(0, kAllLanes);
    read(0, 1, 4, 4, 0, 0x7fffffff);
    race.record_syncwarp(0, kAllLanes);
    write(0, 2, 0);
    CHECK(found() == Found{});
    // Another warp's __syncwarp does not order this warp's accesses.
    write(0, 0, 0);
    race.record_syncwarp(1, kAllLanes);
    read(1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "a write after many reads races with a read that is not ordered before it") {
    // All lanes read a word, which one lane then writes.
    for (const u32 writer : {0u, 7u, 31u}) {
        read(0, 0, 0, 4, 0, 0);
        u32 same[kLanes] = {};
        SharedAccess all{.warp = 0, .site = 1, .active = kAllLanes, .addresses = same, .value = {}};
        race.check_read(all);
        all.active = 1u << writer;
        all.site = 2;
        race.check_write(all);
        CHECK(found() == Found{"write after read 12 11"});
    }
    // The warp that writes the word has also read it.
    for (const u32 writer : {0u, 1u}) {
        read(0, 0, 0);
        read(1, 0, 0);
        write(writer, 1, 0);
        CHECK(found() == Found{"write after read 11 10"});
    }
}

TEST_CASE_FIXTURE(SharedRaceFixture, "only bytes that both warps access race") {
    for (u32 w = 0; w < 4; ++w) write(w, 0, w, 1, 4);
    for (u32 w = 0; w < 4; ++w) read(w, 1, w, 1, 4);
    CHECK(found() == Found{});
    for (u32 w = 0; w < 4; ++w) write(w, 0, w, 1, 4);
    read(0, 1, 0, 4, 0, 1);
    CHECK(found() == Found{"read after write 11 10"});
    write(0, 0, 0, 4, 0, 1);
    write(1, 1, 3, 1, 0, 1);
    CHECK(found() == Found{"write after write 11 10"});
    write(0, 0, 0, 2, 0, 1);
    write(1, 1, 2, 2, 0, 1);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(SharedRaceFixture, "partial and named barriers order the warps that take part") {
    write(0, 0, 0);
    barrier(1, 0b0011);
    read(1, 1, 0);
    CHECK(found() == Found{});
    write(0, 0, 0);
    barrier(1, 0b0011);
    read(2, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    // The producer calls bar.arrive, and the consumer calls bar.sync. This orders the producer
    // before the consumer, but not vice versa.
    for (const bool consumer_writes_first : {false, true}) {
        write(consumer_writes_first ? 1 : 0, 0, 0);
        race.record_barrier_arrival(2, 0);
        race.record_barrier_arrival(2, 1);
        race.complete_barrier(2, 0b10, false);
        read(consumer_writes_first ? 0 : 1, 1, 0);
        CHECK(found() == (consumer_writes_first ? Found{"read after write 11 10"} : Found{}));
    }
    // Order is transitive: warp 0 is ordered before warp 1, and warp 1 before warp 2.
    write(0, 0, 0);
    barrier(1, 0b0011);
    barrier(2, 0b0110);
    read(2, 1, 0);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(SharedRaceFixture, "a fence and a flag publish data, but a flag alone does not") {
    for (const bool with_fence : {true, false}) {
        write(0, 0, 0);
        if (with_fence) race.record_fence(0);
        raise_flag(0);
        see_flag(1);
        read(1, 1, 0);
        CHECK(found() == (with_fence ? Found{} : Found{"read after write 11 10"}));
    }
    // A fence does not order accesses that follow the fence.
    race.record_fence(0);
    write(0, 0, 0);
    raise_flag(0);
    see_flag(1);
    read(1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    // A flag at another address does not order these accesses.
    write(0, 0, 0);
    race.record_fence(0);
    raise_flag(0);
    Lanes lanes(1, 8, 3000, 4, 0, 1);
    lanes.access.is_strong = true;
    race.check_read(lanes.access);
    race.acquire(lanes.access);
    read(1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(SharedRaceFixture, "atomics race only with plain accesses") {
    for (u32 w = 0; w < 4; ++w) {
        Lanes lanes(w, 9, 0, 4, 0, kAllLanes);
        race.check_atomic(lanes.access);
    }
    CHECK(found() == Found{});
    write(0, 0, 0);
    race.check_atomic(Lanes(1, 9, 0, 4, 0, kAllLanes).access);
    CHECK(found() == Found{"write after write 19 10"});
    race.check_atomic(Lanes(1, 9, 0, 4, 0, kAllLanes).access);
    read(0, 0, 0);
    CHECK(found() == Found{"read after write 10 19"});
}

TEST_CASE_FIXTURE(SharedRaceFixture, "arriving at an mbarrier releases, and waiting acquires") {
    write(0, 0, 0);
    race.record_mbarrier_arrival(0, 512);
    race.record_mbarrier_wait(1, 512);
    read(1, 1, 0);
    CHECK(found() == Found{});
    write(0, 0, 0);
    race.record_mbarrier_wait(1, 512);
    race.record_mbarrier_arrival(0, 512);
    read(1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "an mbarrier may be used only after the store that initialises it") {
    const auto use = [&](u32 warp, u32 site) {
        race.check_mbarrier_use(Lanes(warp, site, 512, 8, 0, 1).access);
    };
    write(0, 0, 512, 8);
    use(1, 1);
    CHECK(found() == Found{"read after write 11 10"});
    next_block();
    write(0, 0, 512, 8);
    barrier();
    use(1, 1);
    use(2, 2);
    CHECK(race.report_count() == 0);
    // An mbarrier is invalidated or reinitialised while other threads may still use it.
    write(0, 3, 512, 8);
    CHECK(race.report_count() > 0);
}

TEST_CASE_FIXTURE(SharedRaceFixture, "the data of asynchronous copies may be read after a wait") {
    const auto copy = [&](u32 warp, u32 offset) {
        race.begin_async_copy(Lanes(warp, 0, offset, 16, 0, kAllLanes).access);
    };
    copy(0, 0);
    race.commit_async_copies(0, kAllLanes);
    barrier();
    read(0, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    copy(0, 0);
    race.commit_async_copies(0, kAllLanes);
    race.wait_for_async_copies(0, kAllLanes, 0);
    read(0, 1, 0, 16);
    CHECK(found() == Found{});
    copy(0, 0);
    race.commit_async_copies(0, kAllLanes);
    race.wait_for_async_copies(0, kAllLanes, 0);
    barrier();
    read(1, 1, 0);
    CHECK(found() == Found{});
    // The latest group of copies is still in flight.
    copy(0, 0);
    race.commit_async_copies(0, kAllLanes);
    copy(0, 1024);
    race.commit_async_copies(0, kAllLanes);
    race.wait_for_async_copies(0, kAllLanes, 1);
    barrier();
    read(1, 1, 0, 16);
    CHECK(race.report_count() == 0);
    read(1, 2, 1024, 16);
    CHECK(found() == Found{"read after write 12 10"});
    // wait_group does not wait for uncommitted copies, but wait_all does.
    for (const bool everything : {false, true}) {
        copy(0, 0);
        race.wait_for_async_copies(0, kAllLanes, 0, everything);
        read(0, 1, 0, 16);
        CHECK(found() == (everything ? Found{} : Found{"read after write 11 10"}));
    }
    // Warp 1 waits for the copies through an mbarrier.
    copy(0, 0);
    race.record_async_arrival(0, kAllLanes, 2048);
    race.record_mbarrier_wait(1, 2048);
    read(1, 1, 0);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "stores of equal values are harmless, and stores of different values race") {
    u32 values[kLanes];
    std::fill(values, values + kLanes, 7);
    const auto store = [&](u32 warp, u32 site, u32 stride) {
        Lanes lanes(warp, site, 0, 4, stride, kAllLanes);
        if (stride == 1) std::fill(lanes.addresses, lanes.addresses + kLanes, 0);
        lanes.access.value = {[](const void* context, int lane, u8* bytes) {
                                  std::memcpy(bytes, static_cast<const u32*>(context) + lane, 4);
                              },
                              values};
        race.check_write(lanes.access);
        for (u32 l = 0; l < kLanes; ++l)
            std::memcpy(memory.data() + lanes.addresses[l], &values[l], 4);
    };
    store(0, 0, 0);
    store(1, 1, 0);
    CHECK(found() == Found{});
    store(0, 0, 0);
    values[20] = 8;
    store(1, 1, 0);
    CHECK(found() == Found{"write after write 11 10"});
    // All lanes store to one address.
    store(0, 3, 1);
    CHECK(found() == Found{"write after write 13 13"});
    values[20] = 7;
    store(0, 3, 1);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "the record starts again in a new block, and when an epoch overflows") {
    for (int i = 0; i < 3000; ++i) {
        write(0, 0, 0);
        next_block();
        write(1, 0, 0);
        barrier();
        write(2, 0, 0);
        next_block();
    }
    // Advance a warp's epoch beyond the largest epoch that a cell can store.
    for (int i = 0; i < 70000; ++i) {
        write(0, 0, 0, 4, 0, 1);
        race.record_syncwarp(0, kAllLanes);
    }
    CHECK(found() == Found{});
    write(0, 0, 0);
    read(1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "reads of bytes that this block has not written are reported") {
    launch({.checks_races = false, .checks_uninitialised = true});
    write(0, 0, 0);
    read(0, 1, 0);
    read(1, 1, 0, 16, 0, 0xff);
    CHECK(found() == Found{});
    read(0, 1, 0);
    CHECK(found() == Found{"uninitialised shared read 11 0"});
    write(0, 0, 0, 1, 4);
    read(0, 1, 0, 1, 4);
    CHECK(race.report_count() == 0);
    read(0, 2, 1, 1, 4, 1);
    CHECK(race.report_count() == 1);
    CHECK(found() == Found{"uninitialised shared read 12 0"});
    write(0, 0, 0, 4, 0, 0x7fffffff);
    read(0, 3, 0);
    race.end_launch();
    REQUIRE(reports().all().size() == 1);
    CHECK(reports().all()[0].thread == Dim3{31, 0, 0});
    CHECK(reports().all()[0].address == 124);
    reports().clear();
    next_block();
    race.mark_written(0, 128);
    race.check_atomic(Lanes(0, 9, 0, 4, 0, kAllLanes).access);
    CHECK(found() == Found{});
    race.begin_async_copy(Lanes(0, 0, 0, 4, 0, kAllLanes).access);
    read(0, 1, 0);
    CHECK(found() == Found{});
    // Repeated errors are counted, but reported only once.
    for (int i = 0; i < 5; ++i) read(0, 1, 256);
    race.end_launch();
    REQUIRE(reports().all().size() == 1);
    CHECK(reports().all()[0].count == 5);
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "warps count as parallel, although one is simulated before the other") {
    // Warp 0 writes and reads before warp 1 runs, without a barrier in between.
    launch({.checks_races = true, .checks_uninitialised = true});
    write(0, 0, 0);
    read(0, 1, 0, 4, 8, 0xffff);
    read(0, 1, 128);
    write(1, 0, 128);
    // Warp 0 read the words before warp 1 wrote them, which must be reported as a race, not as an
    // uninitialised read.
    CHECK(found() == Found{"read after write 11 10"});
    // Warp 0 reads, and then writes in the next iteration, without a barrier in between.
    write(0, 0, 0);
    write(1, 0, 128);
    barrier();
    read(0, 1, 0);
    write(0, 0, 0);
    read(1, 1, 0);
    CHECK(found() == Found{"write after read 10 11"});
}

TEST_CASE_FIXTURE(SharedRaceFixture, "the report names both lines and the missing barrier") {
    write(0, 2, 64);
    read(1, 7, 64);
    log.end_launch();
    REQUIRE(reports().all().size() == 1);
    const Report report = reports().all()[0];
    CHECK(report.check == "racecheck");
    CHECK(report.where.file == "main.cu");
    CHECK(report.where.line == 17);
    CHECK(report.other.line == 12);
    CHECK(report.thread == Dim3{32, 0, 0});
    CHECK(report.other_thread == Dim3{0, 0, 0});
    CHECK(report.count == 32);
    CHECK(report.cure == "__syncthreads() is missing between line 12 and line 17.");
}

TEST_CASE_FIXTURE(SharedRaceFixture, "a race between warps is not hidden by one within a warp") {
    write(0, 2, 0, 4, 0, 1);  // lane 0 of warp 0
    write(0, 2, 512, 4, 0, 1);
    read(0, 7, 4, 4, -4u, 2);  // lane 1 of warp 0 reads the word at offset 0
    read(1, 7, 512);
    log.end_launch();
    REQUIRE(reports().all().size() == 1);
    const Report report = reports().all()[0];
    CHECK(report.thread == Dim3{32, 0, 0});
    CHECK(report.other_thread == Dim3{0, 0, 0});
    CHECK(report.count == 2);
    CHECK(report.cure == "__syncthreads() is missing between line 12 and line 17.");
}

TEST_CASE_FIXTURE(SharedRaceFixture, "__syncwarp() is suggested if only lanes of one warp race") {
    write(0, 2, 0, 4, 0, 1);
    write(0, 3, 512, 4, 0, 1);
    read(0, 7, 4, 4, -4u, 2);  // a race within warp 0, which a barrier of all warps fixes too
    read(1, 7, 512);
    read(0, 6, 1024, 4, 0, 1);  // a race within a warp, between two iterations of a loop
    write(0, 5, 1028, 4, -4u, 2);
    log.end_launch();
    std::vector<std::string> cures;
    for (const Report& report : reports().all()) cures.push_back(report.cure);
    std::sort(cures.begin(), cures.end());
    CHECK(cures == Found{"__syncthreads() is missing between line 12 and line 17.",
                         "__syncthreads() is missing between line 13 and line 17.",
                         "__syncwarp() is missing between line 16 and line 15."});
}

/// Sets the value that each lane stores to 0.
static void store_zero(const void*, int, u8* bytes) {
    std::memset(bytes, 0, 4);
}

TEST_CASE_FIXTURE(SharedRaceFixture,
                  "a block that has no race only because its stores are equal is marked") {
    const auto write_zero = [this](u32 warp) {
        Lanes lanes(warp, 2, 0, 4, 0, kAllLanes);
        lanes.access.value = {store_zero, nullptr};
        race.check_write(lanes.access);
    };
    write_zero(0);
    CHECK_FALSE(race.has_ignored_equal_stores());
    write_zero(1);
    CHECK(race.report_count() == 0);
    CHECK(race.has_ignored_equal_stores());
    next_block();
    CHECK_FALSE(race.has_ignored_equal_stores());
    Lanes together(0, 2, 0, 4, 0, 3);
    together.addresses[1] = 0;
    together.access.value = {store_zero, nullptr};
    race.check_write(together.access);
    CHECK(race.report_count() == 0);
    CHECK(race.has_ignored_equal_stores());
}
