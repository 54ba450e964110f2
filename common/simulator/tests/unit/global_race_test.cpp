// Tests which accesses to global memory race. Each test records accesses one by one, without a
// kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "global_race_fixture.h"

using namespace coalesce::simulator;
using Kind = GlobalAccess::Kind;

namespace {

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "accesses by different blocks are not ordered, whatever their size") {
    for (const u32 bytes : {1u, 2u, 4u, 8u, 16u}) {
        for (const u64 offset : {u64{0}, u64{64}, u64{4096}}) {
            CAPTURE(bytes);
            CAPTURE(offset);
            write(0, 0, 0, offset, bytes);
            read(1, 0, 1, offset, bytes);
            CHECK(found() == Found{"read after write 11 10"});
            read(0, 0, 0, offset, bytes);
            write(1, 0, 1, offset, bytes);
            CHECK(found() == Found{"write after read 11 10"});
            write(0, 0, 0, offset, bytes);
            write(1, 0, 1, offset, bytes);
            CHECK(found() == Found{"write after write 11 10"});
            read(0, 0, 0, offset, bytes);
            read(1, 0, 1, offset, bytes);
            CHECK(found() == Found{});
        }
    }
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "only bytes that both blocks access race") {
    // Block k writes byte k of every word.
    for (u32 b = 0; b < 4; ++b) write(b, 0, 0, b, 1, 4);
    CHECK(found() == Found{});
    for (u32 b = 0; b < 4; ++b) write(b, 0, 0, b, 1, 4);
    read(3, 1, 5, 2, 1, 4, 1u << 31);
    CHECK(found() == Found{"read after write 15 10"});
    // Two blocks each write one half of a cache line.
    write(0, 0, 0, 0, 4, 0, 0x0000ffff);
    write(1, 0, 0, 0, 4, 0, 0xffff0000);
    CHECK(found() == Found{});
    write(0, 0, 0, 0, 4, 0, 0x0001ffff);
    write(1, 0, 1, 0, 4, 0, 0xffff0000);
    CHECK(found() == Found{"write after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "after a whole line's record is split, each byte still has its thread") {
    write(0, 2, 0, 0, 8);        // lane l writes bytes 8 * l to 8 * l + 7
    read(1, 0, 1, 84, 4, 0, 1);  // byte 84 belongs to lane 10 of warp 2
    race.end_launch();
    REQUIRE(reports().all().size() == 1);
    const Report r = reports().all()[0];
    CHECK(r.other_thread == Dim3{2 * 32 + 10, 0, 0});
    CHECK(r.thread == Dim3{0, 0, 0});
    CHECK(r.block == Dim3{1, 0, 0});
    CHECK(r.address == kBase + 84);
    CHECK(r.message.find("byte 84 of") != std::string::npos);
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "a barrier orders threads of a block, and program order the lanes of a warp") {
    write(0, 0, 0, 0);
    read(0, 0, 1, 4, 4, 0, 0x7fffffff);
    CHECK(found() == Found{});
    write(0, 0, 0, 0);
    read(0, 1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    write(0, 0, 0, 0);
    race.complete_block_barrier(blocks[0]);
    read(0, 1, 1, 0);
    race.complete_block_barrier(blocks[0]);
    write(0, 3, 2, 0);
    CHECK(found() == Found{});
    // A barrier in a different block does not order these accesses.
    write(0, 0, 0, 0);
    race.complete_block_barrier(blocks[1]);
    read(1, 1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "a barrier of some warps orders only these warps") {
    constexpr u32 kBarrier = 1;
    for (const bool writer_was_there : {true, false}) {
        write(0, 0, 0, 0);
        race.complete_partial_barrier(blocks[0], kBarrier, writer_was_there ? 0b0011 : 0b1110);
        read(0, 1, 1, 0);
        CHECK(found() == (writer_was_there ? Found{} : Found{"read after write 11 10"}));
    }
    // Order is transitive: a warp also releases what it has acquired.
    write(0, 0, 0, 0);
    race.complete_partial_barrier(blocks[0], kBarrier, 0b0011);
    race.complete_partial_barrier(blocks[0], kBarrier, 0b0110);
    read(0, 2, 1, 0);
    CHECK(found() == Found{});
    read(0, 3, 1, 0);
    write(0, 2, 0, 0);
    CHECK(found() == Found{"write after read 10 11"});
    // A warp that arrives at a barrier without waiting releases its accesses, but acquires nothing.
    for (const bool before : {true, false}) {
        if (before) write(0, 0, 0, 0);
        race.record_barrier_arrival(blocks[0], kBarrier, 0);
        if (!before) write(0, 0, 0, 0);
        race.complete_partial_barrier(blocks[0], kBarrier, 0b0010);
        read(0, 1, 1, 0);
        CHECK(found() == (before ? Found{} : Found{"read after write 11 10"}));
    }
    write(0, 1, 0, 0);
    race.record_barrier_arrival(blocks[0], kBarrier, 0);
    race.complete_partial_barrier(blocks[0], kBarrier, 0b0010);
    read(0, 0, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "a phase of an mbarrier orders threads that arrive before threads that wait") {
    constexpr u32 kHere = 64, kElsewhere = 72;
    for (const u32 address : {kHere, kElsewhere}) {
        write(0, 0, 0, 0);
        race.record_mbarrier_arrival(blocks[0], kHere, 0);
        race.record_mbarrier_arrival(blocks[0], kElsewhere, 2);
        race.record_phase_end(blocks[0], address);
        race.record_mbarrier_wait(blocks[0], address, 1);
        read(0, 1, 1, 0);
        CHECK(found() == (address == kHere ? Found{} : Found{"read after write 11 10"}));
    }
    // An arrival in the next phase releases nothing to a warp that waits for the previous phase.
    race.record_mbarrier_arrival(blocks[0], kHere, 0);
    race.record_phase_end(blocks[0], kHere);
    write(0, 0, 0, 0);
    race.record_mbarrier_arrival(blocks[0], kHere, 0);
    race.record_mbarrier_wait(blocks[0], kHere, 1);
    read(0, 1, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    // An asynchronous copy reads its source after it is issued, and signals its mbarrier when it is
    // complete.
    for (const bool complete : {true, false}) {
        read(0, 0, 1, 0);
        const u64 issued = race.record_copy_issue(blocks[0]);
        if (complete) race.record_copy_completion(blocks[0], kHere, 0, issued);
        race.record_phase_end(blocks[0], kHere);
        race.record_mbarrier_wait(blocks[0], kHere, 1);
        write(0, 1, 0, 0);
        CHECK(found() == (complete ? Found{} : Found{"write after read 10 11"}));
    }
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "barriers and fences give the same order after any number of them") {
    for (const int times : {1000, 1023, 1024, 5000}) {
        CAPTURE(times);
        for (int i = 0; i < times; ++i) race.complete_block_barrier(blocks[0]);
        write(0, 0, 0, 0);
        read(0, 1, 1, 0);
        CHECK(found() == Found{"read after write 11 10"});
        for (int i = 0; i < times; ++i) race.record_fence(blocks[0], 0);
        write(0, 0, 0, 0);
        write(1, 0, 1, 0);
        CHECK(found() == Found{"write after write 11 10"});
        write(0, 0, 0, 0);
        for (int i = 0; i < times; ++i) race.complete_block_barrier(blocks[0]);
        read(0, 1, 1, 0);
        CHECK(found() == Found{});
        write(0, 0, 0, 0);
        for (int i = 0; i < times; ++i) race.record_fence(blocks[0], 0);
        read(0, 1, 1, 0);
        CHECK(found() == Found{"read after write 11 10"});
        // Accesses of the same warp are ordered, and so are accesses of a warp that has waited for
        // this warp's flag.
        write(0, 0, 0, 0);
        for (int i = 0; i < times; ++i) race.record_fence(blocks[0], 0);
        read(0, 0, 1, 0);
        access(0, 0, 9, Kind::write, 8192, 4, 0, 1, true);
        access(1, 0, 9, Kind::read, 8192, 4, 0, 1, true);
        read(1, 0, 1, 0);
        CHECK(found() == Found{});
    }
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "a write races with another block's read even if the writer has also read") {
    for (const bool other_first : {false, true}) {
        read(other_first ? 0 : 1, 0, 0, 256);
        read(other_first ? 1 : 0, 0, 1, 256);
        write(1, 0, 2, 256);
        const Found all = found();
        REQUIRE(all.size() == 1);
        CHECK(all[0].substr(0, 16) == "write after read");
    }
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "atomic and volatile accesses race only with plain ones") {
    access(0, 0, 9, Kind::atomic, 0);
    access(1, 0, 9, Kind::atomic, 0);
    access(2, 0, 1, Kind::read, 0, 4, 0, kAllLanes, true);
    access(3, 0, 2, Kind::write, 0, 4, 0, kAllLanes, true);
    CHECK(found() == Found{});
    access(0, 0, 9, Kind::atomic, 0);
    read(1, 0, 1, 0);
    CHECK(found() == Found{"read after write 11 19"});
    read(0, 0, 1, 0);
    access(1, 0, 9, Kind::atomic, 0);
    CHECK(found() == Found{"write after read 19 11"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "a fence and a flag publish data, but a flag alone does not") {
    const auto flag = [&](u64 block, Kind kind) { access(block, 0, 9, kind, 8192, 4, 0, 1, true); };
    for (const bool with_fence : {true, false}) {
        write(0, 0, 0, 0);
        if (with_fence) race.record_fence(blocks[0], 0);
        flag(0, Kind::write);
        flag(1, Kind::read);
        read(1, 0, 1, 0);
        CHECK(found() == (with_fence ? Found{} : Found{"read after write 11 10"}));
    }
    // The fence does not cover writes that follow it.
    race.record_fence(blocks[0], 0);
    write(0, 0, 0, 0);
    flag(0, Kind::write);
    flag(1, Kind::read);
    read(1, 0, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
    // The fence does not cover another warp's writes, unless a barrier precedes the fence.
    for (const bool with_barrier : {true, false}) {
        write(0, 3, 0, 0);
        if (with_barrier) race.complete_block_barrier(blocks[0]);
        race.record_fence(blocks[0], 0);
        flag(0, Kind::write);
        flag(1, Kind::read);
        read(1, 0, 1, 0);
        CHECK(found() == (with_barrier ? Found{} : Found{"read after write 11 10"}));
    }
    // Alternatively, all threads execute a fence and then a barrier, before one thread sets the
    // flag.
    write(0, 3, 0, 0);
    race.record_fence(blocks[0], 3);
    race.complete_block_barrier(blocks[0]);
    flag(0, Kind::write);
    flag(1, Kind::read);
    race.complete_block_barrier(blocks[1]);
    read(1, 5, 1, 0);
    CHECK(found() == Found{});
    // A read of the flag before the flag is set acquires nothing.
    write(0, 0, 0, 0);
    flag(1, Kind::read);
    race.record_fence(blocks[0], 0);
    flag(0, Kind::write);
    read(1, 0, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "order between blocks is transitive") {
    const auto flag = [&](u64 block, Kind kind) { access(block, 0, 9, kind, 8192, 4, 0, 1, true); };
    write(0, 0, 0, 0);
    for (const u64 block : {0, 1, 2}) {
        flag(block, Kind::atomic);
        race.record_fence(blocks[block], 0);
        flag(block, Kind::atomic);
    }
    flag(3, Kind::read);
    read(3, 0, 1, 0);
    write(3, 0, 2, 0);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "the end of a launch orders everything") {
    // Make more launches than there are launch stamps, so that stamps are reused.
    for (int i = 0; i < 200; ++i) {
        write(i % 4, 0, 0, 0);
        write(i % 4, 0, 0, 4, 4, 8);
        CHECK(found() == Found{});
    }
    write(0, 0, 0, 0);
    read(1, 0, 1, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "stores of equal values are harmless, and stores of different values race") {
    u32 values[kLanes];
    const StoredValue value{[](const void* context, int lane, u8* bytes) {
                                std::memcpy(bytes, static_cast<const u32*>(context) + lane, 4);
                            },
                            values};
    const auto store = [&](u64 block, u32 site, u64 offset, u64 stride) {
        access(block, 0, site, Kind::write, offset, 4, stride, kAllLanes, false, value);
        std::memcpy(memory.data() + offset, values, 4 * kLanes);
    };
    std::fill(values, values + kLanes, 7);
    store(0, 0, 0, 0);
    store(1, 1, 0, 0);
    CHECK(found() == Found{});
    store(0, 0, 0, 0);
    values[20] = 8;
    store(1, 1, 0, 0);
    race.end_launch();
    REQUIRE(reports().all().size() == 1);
    CHECK(reports().all()[0].kind == "write after write");
    CHECK(reports().all()[0].thread == Dim3{20, 0, 0});
    reports().clear();
    launch();

    // All lanes of an instruction use the same address.
    u64 addresses[kLanes];
    std::fill(addresses, addresses + kLanes, kBase + 512);
    GlobalAccess same{.kind = Kind::write,
                      .site = 3,
                      .active = kAllLanes,
                      .addresses = addresses,
                      .value = value};
    race.check_access(blocks[0], same);
    CHECK(found() == Found{"write after write 13 13"});
    values[20] = 7;
    race.check_access(blocks[0], same);
    CHECK(found() == Found{});
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "races between the same two lines are one report with a count") {
    for (u32 i = 0; i < 10; ++i) {
        write(0, 0, 0, i * 128);
        read(1, 0, 1, i * 128);
        read(1, 0, 1, 4096 + i * 128);
        write(2, 0, 0, 4096 + i * 128);
    }
    race.end_launch();
    REQUIRE(reports().all().size() == 1);
    CHECK(reports().all()[0].count == 20);
    CHECK(reports().all()[0].kind == "read after write");
}

TEST_CASE_FIXTURE(GlobalRaceFixture,
                  "the access by the lower block counts as the earlier one, in either order") {
    read(2, 0, 1, 0);
    write(1, 0, 0, 0);
    CHECK(found() == Found{"read after write 11 10"});
}

TEST_CASE_FIXTURE(GlobalRaceFixture, "workers may split the records of lines concurrently") {
    for (int round = 0; round < 50; ++round) {
        std::vector<std::thread> workers;
        for (u64 b = 0; b < 4; ++b) {
            workers.emplace_back([&, b] {
                for (u64 i = 0; i < 256; ++i) write(b, 0, 0, i * 128 + b * 32, 4, 0, 0xff);
                for (u64 i = 0; i < 256; ++i) write(b, 1, 0, 32768 + i * 32 + b, 1, 4, 0xff);
            });
        }
        for (auto& worker : workers) worker.join();
        REQUIRE(found() == Found{});
    }
}

TEST_CASE("memory that a kernel only reads is not checked until the first store to it") {
    GlobalRaceFixture f;
    Allocation other = f.table.live_allocations[0];
    f.table.live_allocations[0].end = kBase + 4096;
    other.begin = kBase + 4096;
    f.table.live_allocations.push_back(other);
    CHECK_FALSE(
        f.race.is_read_only(f.table.live_allocations[0]));  // no writes have been announced yet
    f.race.expect_writes({&f.table.live_allocations[0]});
    CHECK_FALSE(f.race.is_read_only(f.table.live_allocations[0]));
    CHECK(f.race.is_read_only(f.table.live_allocations[1]));
    f.write(0, 0, 1, 0);
    f.write(0, 0, 1, 4, 4, 64);
    CHECK_FALSE(f.race.had_unexpected_write());

    f.write(1, 0, 2, 8192);
    f.write(1, 0, 3, 8192);
    CHECK(f.race.had_unexpected_write());
    CHECK(f.found() == Found{"not checked 12 0"});
    CHECK_FALSE(f.race.had_unexpected_write());  // the next launch begins
    f.race.expect_writes({&f.table.live_allocations[0]});
    f.write(1, 0, 4, 4092, 4, 4);  // some lanes write to each of the two allocations
    CHECK(f.found() == Found{"not checked 14 0"});
}
