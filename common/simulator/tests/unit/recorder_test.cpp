// Tests which blocks of a launch are recorded: a small sample, or a larger one if the blocks do
// different work.
#include "simulator/execute/recorder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "simulator/device/device.h"
#include "simulator/ptx/parser.h"
#include "simulator/report/reports.h"

using namespace coalesce::simulator;

namespace {

constexpr u64 kResident = 1056;

/// Returns the recording of a launch whose recorded blocks execute `steps_of(block)` steps each.
template <class StepsOf>
coalesce::timing::Recording recording_of(const LaunchConfig& config, StepsOf steps_of) {
    coalesce::timing::Recording recording;
    recording.blocks = config.grid.count();
    for (const u64 number : Recorder::choose_blocks(config, kResident)) {
        coalesce::timing::RecordedBlock& block = recording.recorded_blocks.emplace_back();
        block.number = number;
        block.warps.emplace_back().executed_steps = steps_of(number);
    }
    return recording;
}

LaunchConfig grid(u32 x, u32 y) {
    LaunchConfig config;
    config.grid = {x, y, 1};
    return config;
}

}  // namespace

TEST_CASE("one block is recorded of a single-round launch, and up to six of other launches") {
    CHECK(Recorder::choose_blocks(grid(1000, 1), kResident).size() == 1);
    CHECK(Recorder::choose_blocks(grid(512, 512), kResident).size() == 6);
    CHECK(Recorder::choose_blocks(grid(2, 1), 1).size() == 2);
}

TEST_CASE("several blocks are recorded if their short loops may differ by an iteration") {
    const LaunchConfig config = grid(1000, 1);
    const auto others = [&](u64 steps, bool shares_iterations) {
        const auto recording = recording_of(config, [=](u64) { return steps; });
        return Recorder::choose_blocks_near_first(config, recording, shares_iterations);
    };
    CHECK(others(800, false).empty());
    CHECK(others(100000, true).empty());  // blocks with so many steps need no further samples
    REQUIRE(others(800, true).size() == 5);
    const u64 first = Recorder::choose_blocks(config, kResident).front();
    for (const u64 other : others(800, true)) CHECK(other != first);

    const LaunchConfig many = grid(512, 512);
    const auto recording = recording_of(many, [](u64) { return 800; });
    CHECK(Recorder::choose_blocks_near_first(many, recording, true).empty());
}

TEST_CASE("kernels whose blocks may be persistent are recognized: they read the grid size") {
    const auto asks = [](const std::string& what) {
        const auto module = ptx::parse(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
            ".reg .b32 %r1;\nmov.u32 %r1, " +
            what + ";\nret;\n}\n");
        return reads_grid_size(*module->functions.at("k"));
    };
    CHECK(asks("%nctaid.x"));
    CHECK(!asks("%ntid.x"));
}

TEST_CASE("no further blocks are recorded if all blocks are equal") {
    const LaunchConfig config = grid(512, 512);
    CHECK(Recorder::choose_additional_blocks(config, recording_of(config, [](u64) { return 100; }))
              .empty());
}

TEST_CASE("if half of the blocks return at once, they make up half of the sample") {
    for (const u32 side : {128u, 512u, 1024u}) {
        const LaunchConfig config = grid(side, side);
        const auto works = [&](u64 number) { return number % side < number / side; };
        const auto recording =
            recording_of(config, [&](u64 number) { return works(number) ? 500u : 10u; });
        const std::vector<u64> more = Recorder::choose_additional_blocks(config, recording);
        CHECK(more.size() > 20);
        CHECK(more.back() < config.grid.count());
        for (const auto& block : recording.recorded_blocks)
            CHECK(std::find(more.begin(), more.end(), block.number) == more.end());
        const auto working = std::count_if(more.begin(), more.end(), works);
        CHECK(static_cast<double>(working) / static_cast<double>(more.size()) ==
              doctest::Approx(.5).epsilon(.06));
    }
}

TEST_CASE("neighbours of working blocks are recorded, and more of them if many blocks are idle") {
    coalesce::timing::Recording recording;
    recording.blocks = 1 << 20;
    const auto add = [&](u64 number, std::size_t accesses) {
        coalesce::timing::RecordedBlock& block = recording.recorded_blocks.emplace_back();
        block.number = number;
        block.warps.emplace_back().executed_steps = 10 + 10 * accesses;
        for (std::size_t k = 0; k < accesses; ++k)
            block.accesses.push_back({.lanes = 32, .bytes_per_lane = 4, .runs = 1});
    };
    for (const u64 number : {1000, 3000, 5000}) add(number, 64);
    const auto alike = Recorder::choose_neighbours(recording, kResident);
    for (const u64 number : {500, 2000, 4000}) add(number, 0);
    const auto unlike = Recorder::choose_neighbours(recording, kResident);
    CHECK(unlike.first == 3000);
    // Half of the blocks do nothing. An average block therefore has half as many sectors, so that
    // twice as many blocks are needed. This number doubles again, because every other block is
    // idle.
    CHECK(unlike.second == 4 * alike.second);
}

TEST_CASE("blocks in the next row of the grid are recorded unless they are neighbours") {
    coalesce::timing::Recording recording;
    recording.blocks = 512 * 512;
    recording.blocks_per_row = 512;
    CHECK(Recorder::choose_blocks_below(recording, {1000, 300}) == std::pair<u64, u64>{1512, 16});
    CHECK(Recorder::choose_blocks_below(recording, {1000, 600}).second == 0);
    CHECK(Recorder::choose_blocks_below(recording, {512 * 512 - 300, 300}).second == 0);
}

TEST_CASE("a launch that is only recorded does not change memory, whatever its accesses") {
    const std::string begin =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        ".shared .align 16 .b8 tile[512];\n.shared .b64 arrived;\nld.param.u64 %rd1, [in];\n"
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\n"
        "mov.u32 %r2, tile;\nmad.lo.s32 %r3, %r1, 16, %r2;\n";
    const std::string asks[] = {
        "ld.global.u32 %r4, [%rd3];",
        "cp.async.cg.shared.global [%r3], [%rd3], 16;\ncp.async.wait_all;",
        "atom.global.add.u32 %r4, [%rd3], 1;", "red.global.add.f32 [%rd3], 0f3F800000;",
        "mbarrier.init.shared.b64 [arrived], 1;\ncp.async.bulk.shared::cluster.global.mbarrier::"
        "complete_tx::bytes [tile], [%rd1], 512, [arrived];"};
    auto& memory = Device::instance().memory();
    const u64 real = memory.allocate(4096);
    std::fill_n(memory.host_view(real, 4096), 4096, u8{7});
    for (const std::string& ask : asks) {
        CAPTURE(ask);
        std::string error;
        const auto module = Device::instance().load_module(begin + ask + "\nret;\n}\n", error);
        REQUIRE_MESSAGE(module, error);
        LaunchConfig config;
        config.block = {32, 1, 1};
        // Test an address far beyond all allocations, and one inside an allocation.
        for (u64 in : {real + (u64{1} << 40), real}) {
            void* arguments[] = {&in};
            recorder().begin_recording(Recorder::RecordMode::alone);
            CHECK(Device::instance().launch(*module->kernel("k"), config, arguments) ==
                  Status::success);
            REQUIRE(recorder().recordings().size() == 1);
            CHECK(recorder().recordings()[0].recorded_blocks.size() == 1);
            recorder().begin_recording(Recorder::RecordMode::nothing);
        }
        Device::instance().unload_module(*module);
    }
    CHECK(std::count(memory.host_view(real, 4096), memory.host_view(real, 4096) + 4096, 7) == 4096);
}

TEST_CASE("a block that is recorded in turns with other blocks stays one recorded block") {
    // In each of four rounds, the first warp waits for the second, and then the second for the
    // first. While both wait, another block runs.
    const std::string wait = "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], %r5;\n@!%p2 bra ";
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        ".reg .pred %p<5>;\n.shared .align 8 .b64 full;\n.shared .align 8 .b64 empty;\n"
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"
        "@%p1 bra begun;\nmbarrier.init.shared.b64 [full], 32;\n"
        "mbarrier.init.shared.b64 [empty], 32;\nbegun:\nbar.sync 0;\n"
        "mov.u32 %r2, 0;\nsetp.lt.u32 %p3, %r1, 32;\n@!%p3 bra second;\n"
        "first:\nst.global.u32 [%rd1], %r2;\nmbarrier.arrive.shared.b64 _, [full];\n"
        "mov.u32 %r4, empty;\nand.b32 %r5, %r2, 1;\nwait1:\n" +
        wait +
        "wait1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 4;\n@%p4 bra first;\nret;\n"
        "second:\nmov.u32 %r4, full;\nand.b32 %r5, %r2, 1;\nwait2:\n" +
        wait +
        "wait2;\nst.global.u32 [%rd1+4], %r2;\nmbarrier.arrive.shared.b64 _, [empty];\n"
        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p4, %r2, 4;\n@%p4 bra second;\nret;\n}\n";
    std::string error;
    const auto module = Device::instance().load_module(text, error);
    REQUIRE_MESSAGE(module, error);
    LaunchConfig config = grid(100'000, 1);
    config.block = {64, 1, 1};
    u64 out = Device::instance().memory().allocate(64);
    void* arguments[] = {&out};
    recorder().begin_recording(Recorder::RecordMode::alone);
    CHECK(Device::instance().launch(*module->kernel("k"), config, arguments) == Status::success);
    const auto& blocks = recorder().recordings().at(0).recorded_blocks;
    CHECK(blocks.size() == Recorder::choose_blocks(config, kResident).size());
    for (const coalesce::timing::RecordedBlock& block : blocks)
        CHECK(std::ranges::count(block.accesses, coalesce::timing::AccessKind::store,
                                 &coalesce::timing::Access::kind) == 8);
    recorder().begin_recording(Recorder::RecordMode::nothing);
    Device::instance().unload_module(*module);
}

TEST_CASE("a request for scattered sectors counts once per block, even if several warps make it") {
    // Both warps store a word to each of 32 sectors, then to each of the next 32 sectors, and then
    // to each of the first 32 again.
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\n"
        "shr.u32 %r3, %r1, 5;\nshl.b32 %r2, %r2, 12;\nmad.lo.u32 %r2, %r3, 4, %r2;\n"
        "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r2, %r4, 64, %r2;\ncvt.u64.u32 %rd2, %r2;\n"
        "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\n"
        "st.global.u32 [%rd3+32], %r1;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";
    std::string error;
    const auto module = Device::instance().load_module(text, error);
    REQUIRE_MESSAGE(module, error);
    LaunchConfig config;
    config.grid = {20, 1, 1};
    config.block = {64, 1, 1};
    u64 out = Device::instance().memory().allocate(32 * 4096);
    void* arguments[] = {&out};
    recorder().begin_recording(Recorder::RecordMode::beside);
    CHECK(Device::instance().launch(*module->kernel("k"), config, arguments) == Status::success);
    REQUIRE(recorder().recordings().size() == 1);
    const coalesce::timing::Recording& recording = recorder().recordings()[0];
    // Blocks that are recorded step by step do not count as neighbours.
    const u64 heard = recording.neighbour_blocks - recording.recorded_blocks.size();
    REQUIRE(heard > 0);
    CHECK(recording.writes.sectors_summed_over_blocks == 64 * heard);
    CHECK(recording.writes.sectors.size() == 64 * heard);
    CHECK(recording.writes.bytes == 3 * 64 * 4 * heard);
    recorder().begin_recording(Recorder::RecordMode::nothing);
    Device::instance().unload_module(*module);
}

namespace {

/// The reports and recordings of a launch of `blocks` blocks. Each warp stores to one half of
/// `tile` and loads from the other half. In the block `racy`, no barrier orders these accesses. The
/// block `idle` does nothing.
struct Seen {
    std::string found;
    u64 requests = 0, wavefronts = 0, instructions = 0;
    bool operator==(const Seen&) const = default;
};

Seen seen_of(Recorder::RecordMode what, u32 blocks, u32 racy, u32 idle) {
    const auto is_block = [](const char* predicate, u32 block) {
        return "setp.eq.u32 " + std::string(predicate) + ", %r1, " + std::to_string(block) + ";\n";
    };
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %r<9>;\n.reg .pred %p<3>;\n.shared .align 4 .b8 tile[256];\n"
        "mov.u32 %r1, %ctaid.x;\n" +
        is_block("%p1", idle) + "@%p1 ret;\n" + is_block("%p2", racy) +
        "mov.u32 %r2, %tid.x;\nshl.b32 %r2, %r2, 2;\nmov.u32 %r3, tile;\nadd.s32 %r4, %r3, %r2;\n"
        "st.shared.u32 [%r4], %r1;\n@%p2 bra over;\nbar.sync 0;\nover:\nxor.b32 %r5, %r2, 128;\n"
        "add.s32 %r5, %r3, %r5;\nld.shared.u32 %r6, [%r5];\nret;\n}\n";
    std::string error;
    const auto module = Device::instance().load_module(text, error);
    REQUIRE_MESSAGE(module, error);
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {64, 1, 1};
    reports().clear();
    reports().print_immediately(false);
    recorder().begin_recording(what);
    Kernel& kernel = *module->kernel("k");
    CHECK(Device::instance().launch(kernel, config, nullptr) == Status::success);
    recorder().begin_recording(Recorder::RecordMode::nothing);
    Seen seen;
    for (const Report& report : reports().all())
        seen.found += report.check + ", block " + std::to_string(report.block.x) + "\n";
    for (const SiteCounters& site : kernel.totals.sites) {
        seen.requests += site.shared_requests;
        seen.wavefronts += site.wavefronts;
    }
    seen.instructions = kernel.totals.warp_instructions;
    reports().clear();
    Device::instance().unload_module(*module);
    return seen;
}

}  // namespace

TEST_CASE("a recorded launch reports the same races in recorded blocks and in other blocks") {
    constexpr u32 blocks = 20, none = 1000;
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    const auto recorded = static_cast<u32>(Recorder::choose_blocks(config, kResident).front());
    CHECK(seen_of(Recorder::RecordMode::nothing, blocks, none, none).found.empty());
    for (const u32 racy : {none, 0u, 7u, recorded, blocks - 1}) {
        for (const u32 idle : {none, 1u, recorded}) {
            if (idle == racy && idle != none) continue;
            CAPTURE(racy);
            CAPTURE(idle);
            const Seen alone = seen_of(Recorder::RecordMode::nothing, blocks, racy, idle);
            CHECK(alone.found.empty() == (racy == none));
            CHECK(seen_of(Recorder::RecordMode::beside, blocks, racy, idle) == alone);
        }
    }
}

TEST_CASE("a launch that is only recorded reads the program's variables") {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 flag = 1;\n"
        ".visible .entry k() {\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\n"
        "ld.global.u32 %r1, [flag];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\n"
        "st.global.u32 [flag], %r1;\nret;\n}\n";
    std::string error;
    const auto module = Device::instance().load_module(text, error);
    REQUIRE_MESSAGE(module, error);
    LaunchConfig config;
    config.grid = {20, 1, 1};
    config.block = {32, 1, 1};
    recorder().begin_recording(Recorder::RecordMode::alone);
    CHECK(Device::instance().launch(*module->kernel("k"), config, nullptr) == Status::success);
    // If the loads returned zeros, no thread would store.
    CHECK(recorder().recordings().at(0).writes.sectors.size() == 1);
    recorder().begin_recording(Recorder::RecordMode::nothing);
    Device::instance().unload_module(*module);
}

TEST_CASE("atomics on shared memory are recorded as the hardware executes them") {
    struct Case {
        std::string atomic;
        u32 lanes, passes;
    };
    const Case cases[] = {
        {"red.shared.add.u32 [word], 1;", 1, 1},           // one lane adds the sum of all lanes
        {"red.shared.add.u32 [%r3], 1;", 32, 1},           // one lane adds the sum of all lanes
        {"red.shared.add.u32 [%r3], %r1;", 32, 32},        // lanes add one after the other
        {"red.shared.add.f32 [%r3], 0f3F800000;", 32, 96}  // each lane loads and exchanges
    };
    for (const Case& one : cases) {
        CAPTURE(one.atomic);
        std::string error;
        const auto module = Device::instance().load_module(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
            ".reg .b32 %r<9>;\n.shared .align 4 .b8 word[4];\nmov.u32 %r1, %tid.x;\n"
            "and.b32 %r2, %r1, 128;\nmov.u32 %r4, word;\nadd.s32 %r3, %r4, %r2;\n" +
                one.atomic + "\nret;\n}\n",
            error);
        REQUIRE_MESSAGE(module, error);
        LaunchConfig config;
        config.block = {32, 1, 1};
        recorder().begin_recording(Recorder::RecordMode::alone);
        CHECK(Device::instance().launch(*module->kernel("k"), config, nullptr) == Status::success);
        REQUIRE(recorder().recordings().size() == 1);
        REQUIRE(recorder().recordings()[0].recorded_blocks.size() == 1);
        const auto& accesses = recorder().recordings()[0].recorded_blocks[0].accesses;
        REQUIRE(accesses.size() == 1);
        CHECK(accesses[0].lanes == one.lanes);
        CHECK(accesses[0].passes == one.passes);
        recorder().begin_recording(Recorder::RecordMode::nothing);
        Device::instance().unload_module(*module);
    }
}
