// Compares components of the model with results that were computed by hand: sets of sectors, the
// order of operations, and a multiprocessor with a single bottleneck.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "timing/multiprocessor.h"
#include "timing/predict.h"
#include "timing/schedule.h"

using namespace coalesce::timing;
using doctest::Approx;
using Kind = Operation::Kind;

namespace {

/// Returns a GPU with round numbers, on which every load takes 1000 cycles, however busy memory is.
Gpu plain_gpu() {
    Gpu gpu;
    gpu.name = "plain";
    gpu.multiprocessors = 100;
    gpu.shared_bytes = 233472;
    gpu.clock_ghz = 1;
    gpu.copy_gbps = gpu.read_gbps = gpu.write_gbps = 3200;  // 32 bytes per cycle and multiprocessor
    gpu.latency_ns = 1000;
    gpu.l1_latency_cycles = 30;
    gpu.shared_latency_cycles = 30;
    gpu.l2_read_bytes_per_cycle = gpu.l2_write_bytes_per_cycle = 1e9;
    gpu.add_issue_cycles = gpu.multiply_issue_cycles = gpu.divide_issue_cycles = 2;
    gpu.block_interval_cycles = 1;
    gpu.run_costs = {{32, 128, 4096}, {1, 0.5, 0}, {1, 0.5, 0}};
    gpu.partial_sectors = {4, 4, 4};
    return gpu;
}

Operation operation(Kind kind, std::vector<std::uint32_t> dependences = {}) {
    Operation o;
    o.kind = kind;
    o.dependences = std::move(dependences);
    return o;
}

Operation load(std::uint16_t sectors) {
    Operation o = operation(Kind::load);
    o.sectors = sectors;
    o.lines = static_cast<std::uint16_t>((sectors + 3) / 4);
    o.half_lines = static_cast<std::uint16_t>((sectors + 1) / 2);
    o.passes = 1;
    return o;
}

/// Returns the work of blocks of `warps` warps that all execute the same operations.
MultiprocessorWork work_of(std::vector<Operation> operations, std::uint32_t warps,
                           int resident_blocks, double blocks) {
    MultiprocessorWork work;
    BlockProgram& block = work.programs_by_kind.emplace_back();
    operations.push_back(operation(Kind::exit));
    block.programs.push_back({.operations = std::move(operations), .instructions_per_recorded = 1});
    block.program_of_warp.assign(warps, 0);
    work.kind_by_block = {0};
    work.resident_blocks = resident_blocks;
    work.blocks = blocks;
    return work;
}

std::uint64_t pieces_of(const std::set<std::uint64_t>& sectors, std::uint64_t of_piece) {
    std::set<std::uint64_t> pieces;
    for (const std::uint64_t s : sectors) pieces.insert(s / of_piece);
    return pieces.size();
}

/// A simple reference implementation of SectorSet::run_lengths().
std::vector<std::uint64_t> runs_of(const std::set<std::uint64_t>& sectors) {
    constexpr std::uint64_t of_page = 2048 / 32;
    std::vector<std::uint64_t> runs;
    std::uint64_t before = ~std::uint64_t{0};
    for (const std::uint64_t s : sectors) {
        if (s != before + 1 && s / of_page != before / of_page) runs.push_back(0);
        ++runs.back();
        before = s;
    }
    return runs;
}

}  // namespace

TEST_CASE("SectorSet counts like a std::set of sector indices") {
    SectorSet set;
    std::set<std::uint64_t> plain;
    std::uint64_t state = 1;
    for (int k = 0; k < 3000; ++k) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const SectorRun run{state >> 50, static_cast<std::uint32_t>(state >> 30 & 127) + 1};
        set.add(run);
        for (std::uint32_t s = 0; s < run.count; ++s) plain.insert(run.first + s);
        if (k % 500 != 0) continue;
        CHECK(set.size() == plain.size());
        CHECK(set.run_lengths() == runs_of(plain));
        CHECK(set.count_lines() == pieces_of(plain, 4));
        CHECK(set.count_pages() == pieces_of(plain, 64));
        CHECK(set.extend_to_pairs().size() == 2 * pieces_of(plain, 2));
    }
    SectorSet other;
    other.add({1u << 20, 64});
    set.add(other);
    CHECK(set.size() == plain.size() + 64);
    set.clear();
    CHECK(set.empty());
    CHECK(set.size() == 0);
    CHECK(set.run_lengths().empty());
}

TEST_CASE("a page with few sectors is stored as ranges") {
    SectorSet sparse, dense;
    for (std::uint64_t k = 0; k < 64; k += 8) sparse.add({k, 2});
    for (std::uint64_t k = 0; k < 64; k += 4) dense.add({k, 2});
    CHECK(sparse.run_lengths() == std::vector<std::uint64_t>{16});
    CHECK(sparse.dense_page_run_lengths() == std::vector<std::uint64_t>(8, 2));
    CHECK(dense.dense_page_run_lengths() == std::vector<std::uint64_t>{32});
}

TEST_CASE("independent chains of arithmetic run in parallel") {
    // Two chains of three operations each, with a latency of 10. In program order, the second chain
    // follows the first.
    std::vector<Draft> drafts(6);
    for (std::uint32_t k = 0; k < 6; ++k) {
        drafts[k].operation = operation(Kind::arithmetic);
        // In this test, the number only identifies the draft.
        drafts[k].operation.issue_slots = static_cast<float>(k + 1);
        drafts[k].operation.latency_cycles = 10;
        if (k % 3 != 0) drafts[k].operation.dependences = {k - 1};
    }
    const auto order_of = [](const std::vector<Draft>& all) {
        std::vector<int> order;
        for (const Operation& o : schedule_operations(all, false))
            order.push_back(static_cast<int>(o.issue_slots) - 1);
        return order;
    };
    CHECK(order_of(drafts) == std::vector<int>{0, 3, 1, 4, 2, 5});
    // If there is an access to global memory, operations keep their order.
    drafts.emplace_back().operation = operation(Kind::store);
    drafts.back().operation.issue_slots = 7;
    CHECK(order_of(drafts) == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("loads and their addresses are issued first, and users of the loaded values later") {
    // The drafts are address, load, use, address, load, use, barrier, load.
    std::vector<Draft> drafts(8);
    const auto set = [&](std::size_t k, Kind kind, Priority priority,
                         std::vector<std::uint32_t> dependences) {
        drafts[k].operation = operation(kind, std::move(dependences));
        // In this test, the number only identifies the draft.
        drafts[k].operation.issue_slots = static_cast<float>(k + 1);
        drafts[k].priority = priority;
    };
    set(0, Kind::arithmetic, Priority::none, {});
    set(1, Kind::load, Priority::load, {0});
    set(2, Kind::arithmetic, Priority::none, {1});
    set(3, Kind::arithmetic, Priority::none, {});
    set(4, Kind::load, Priority::load, {3});
    set(5, Kind::arithmetic, Priority::none, {4});
    set(6, Kind::barrier, Priority::none, {});
    drafts[6].is_scheduling_barrier = true;
    set(7, Kind::load, Priority::load, {});
    const std::vector<Operation> ordered = schedule_operations(drafts, true);
    std::vector<int> order;
    for (const Operation& o : ordered) order.push_back(static_cast<int>(o.issue_slots) - 1);
    CHECK(order == std::vector<int>{0, 1, 3, 4, 6, 7, 2, 5});
    CHECK(ordered[6].dependences == std::vector<std::uint32_t>{1});
    CHECK(ordered[7].dependences == std::vector<std::uint32_t>{3});
}

TEST_CASE("the operands of a store before a barrier do not wait for the barrier") {
    // The drafts are a load, a use of the loaded value, a store of the result, a barrier, and
    // another use of the result.
    std::vector<Draft> drafts(5);
    drafts[0].operation = operation(Kind::load);
    drafts[0].priority = Priority::load;
    drafts[1].operation = operation(Kind::arithmetic, {0});
    drafts[2].operation = operation(Kind::shared_store, {1});
    drafts[3].operation = operation(Kind::barrier);
    drafts[3].is_scheduling_barrier = true;
    drafts[4].operation = operation(Kind::arithmetic, {1});
    std::vector<Kind> kinds;
    for (const Operation& o : schedule_operations(drafts, true)) kinds.push_back(o.kind);
    CHECK(kinds == std::vector<Kind>{Kind::load, Kind::arithmetic, Kind::shared_store,
                                     Kind::barrier, Kind::arithmetic});
}

TEST_CASE("loads that ptxas moves down stay there, but in groups of at least two") {
    // Returns the order of four loads and of the stores of their values to shared memory. `places`
    // contains the positions in ptxas's order.
    const auto order = [](const std::vector<std::uint32_t>& places, bool is_short = true) {
        std::vector<Draft> drafts(8);
        for (std::uint32_t k = 0; k < 8; ++k) {
            drafts[k].operation = k % 2 == 0 ? load(static_cast<std::uint16_t>(k))
                                             : operation(Kind::shared_store, {k - 1});
            drafts[k].priority = k % 2 == 0 ? Priority::load : Priority::none;
            drafts[k].schedule_position = places[k];
        }
        std::string order;
        for (const Operation& o : schedule_operations(drafts, is_short))
            order += o.kind == Kind::load ? 'L' : 's';
        return order;
    };
    CHECK(order({0, 4, 1, 5, 2, 6, 3, 7}) == "LLLLssss");
    CHECK(order({0, 3, 1, 4, 2, 6, 5, 7}) == "LLLssLss");
    CHECK(order({0, 1, 2, 3, 4, 5, 6, 7}) == "LLssLLss");
    CHECK(order({0, 1, 2, 3, 4, 5, 6, 7}, false) == "LLLLssss");
}

TEST_CASE("operations without cost are removed, and their users inherit their dependences") {
    std::vector<Draft> drafts(3);
    drafts[0].operation = operation(Kind::load);
    drafts[0].priority = Priority::load;
    drafts[1].operation = operation(Kind::arithmetic, {0});
    drafts[1].operation.issue_slots = 0;
    drafts[2].operation = operation(Kind::store, {1});
    const std::vector<Operation> ordered = schedule_operations(drafts, true);
    REQUIRE(ordered.size() == 2);
    CHECK(ordered[1].dependences == std::vector<std::uint32_t>{0});
}

TEST_CASE("with one load at a time, latency is the bottleneck") {
    // A warp loads, stores the value and ends. Only one block, of one warp, is resident at a time.
    const MultiprocessorWork work = work_of({load(4), operation(Kind::store, {0})}, 1, 1, 100);
    const SimulatedOutcome o = simulate(work, plain_gpu());
    CHECK(o.cycles == Approx(100 * 1003).epsilon(0.01));
    // According to Little's law, 128 bytes are in flight nearly all of the time.
    CHECK(o.bytes_in_flight == Approx(128).epsilon(0.02));
    CHECK(o.warp_life.loads == Approx(1000).epsilon(0.01));
}

TEST_CASE("with enough loads, memory is the bottleneck") {
    // 64 warps with eight loads of 128 bytes each have 64 KiB in flight, but 32 bytes per cycle
    // require only 32 KB in flight.
    MultiprocessorWork work = work_of(std::vector<Operation>(8, load(4)), 32, 2, 400);
    work.read_cycles = 1;  // one sector per cycle
    const SimulatedOutcome o = simulate(work, plain_gpu());
    CHECK(o.cycles_per_block == Approx(32 * 8 * 4).epsilon(0.02));
    CHECK(o.utilization.memory > 0.95);
}

TEST_CASE("the L1 cache limits the number of loads in flight") {
    MultiprocessorWork work = work_of(std::vector<Operation>(8, load(4)), 32, 2, 400);
    work.read_cycles = .1;  // memory could deliver 320 bytes per cycle
    work.l1_bytes = 8192;
    const SimulatedOutcome o = simulate(work, plain_gpu());
    CHECK(o.bytes_in_flight == Approx(8192).epsilon(0.05));
    // According to Little's law, with a latency of 1000 cycles, 8192 bytes in flight allow 8.2
    // bytes per cycle.
    CHECK(o.cycles_per_block == Approx(32 * 8 * 128 / 8.192).epsilon(0.05));

    // A load of a single sector takes the space of a whole line.
    MultiprocessorWork of_sectors = work_of(std::vector<Operation>(8, load(1)), 32, 2, 400);
    of_sectors.l1_bytes = 8192;
    CHECK(simulate(of_sectors, plain_gpu()).bytes_in_flight == Approx(2048).epsilon(0.05));
}

TEST_CASE("an uneven number of blocks costs time unless memory is the bottleneck") {
    // Memory is the bottleneck. Nine of ten multiprocessors execute ten blocks each, and the tenth
    // executes nine.
    MultiprocessorWork full = work_of(std::vector<Operation>(8, load(4)), 32, 2, 10);
    full.programs_by_kind[0].sectors_read = 32 * 32;
    full.read_cycles = 1;
    MultiprocessorWork uneven = full;
    uneven.blocks = 9.9;
    CHECK(simulate(uneven, plain_gpu()).cycles ==
          Approx(.99 * simulate(full, plain_gpu()).cycles).epsilon(0.004));
    // Latency is the bottleneck. The launch ends when the multiprocessors with ten blocks have
    // finished.
    const MultiprocessorWork alone = work_of({load(4), operation(Kind::store, {0})}, 1, 1, 9.1);
    CHECK(simulate(alone, plain_gpu()).cycles == Approx(10 * 1003).epsilon(0.01));
}

TEST_CASE("if half of the blocks do nothing, their position within a round matters little") {
    const auto with_idle = [](int idle_first) {
        MultiprocessorWork work = work_of(std::vector<Operation>(64, load(4)), 8, 3, 1000);
        work.programs_by_kind.push_back(work_of({}, 8, 1, 1).programs_by_kind.front());
        work.has_uneven_blocks = true;
        work.kind_by_block.clear();
        for (int k = 0; k < 16; ++k) work.kind_by_block.push_back(k < idle_first);
        for (int k = 0; k < 16; ++k) work.kind_by_block.push_back(k >= idle_first);
        return work;
    };
    // Half of the 1000 blocks load 64 * 4 sectors in each of their 8 warps. Memory delivers one
    // sector per cycle.
    const double utilization = 1000. / 2 * 8 * 64 * 4;
    for (const int idle_first : {0, 5, 16}) {
        MultiprocessorWork work = with_idle(idle_first);
        work.read_cycles = 1;
        CHECK(simulate(work, plain_gpu()).cycles == Approx(utilization).epsilon(.05));
        work.has_uneven_blocks = false;  // the first kinds of blocks then count as typical
        if (idle_first == 16) CHECK(simulate(work, plain_gpu()).cycles < .9 * utilization);
    }
}

TEST_CASE("an uneven number of iterations costs no extra time if memory is the bottleneck") {
    // The blocks are persistent. On one of four multiprocessors, the block has one iteration fewer.
    const auto turns = [](std::size_t count) {
        MultiprocessorWork work = work_of(std::vector<Operation>(8 * count, load(4)), 32, 1, 1);
        work.programs_by_kind[0].sectors_read = 32. * 32 * static_cast<double>(count);
        work.read_cycles = 1;
        return work;
    };
    const MultiprocessorWork full = turns(8);
    MultiprocessorWork uneven = full;
    uneven.programs_by_kind.push_back(turns(7).programs_by_kind[0]);
    uneven.kind_by_block = {0, 0, 0, 1};
    CHECK(simulate(uneven, plain_gpu()).cycles ==
          Approx(7.75 / 8 * simulate(full, plain_gpu()).cycles).epsilon(0.01));
}

TEST_CASE("the time for which the last loads wait for memory is not counted twice") {
    // Loads wait longer while memory is busy, but this does not give memory more work.
    MultiprocessorWork work = work_of(std::vector<Operation>(8, load(4)), 32, 2, 8);
    work.read_cycles = 1;
    Gpu patient = plain_gpu();
    patient.queueing_ns = 100;
    CHECK(simulate(work, patient).cycles ==
          Approx(simulate(work, plain_gpu()).cycles).epsilon(0.05));
}

TEST_CASE("a barrier waits for the slowest warp") {
    Operation slow = operation(Kind::arithmetic);
    slow.latency_cycles = 500;
    MultiprocessorWork work = work_of({operation(Kind::barrier)}, 4, 1, 10);
    BlockProgram& block = work.programs_by_kind[0];
    block.programs.push_back(
        {.operations = {slow, operation(Kind::barrier, {0}), operation(Kind::exit)},
         .instructions_per_recorded = 1});
    block.program_of_warp[3] = 1;
    const SimulatedOutcome o = simulate(work, plain_gpu());
    CHECK(o.cycles == Approx(10 * 503).epsilon(0.03));
    CHECK(o.warp_life.barrier == Approx(0.75 * 500).epsilon(0.05));
}

TEST_CASE("a warp that has ended does not block a barrier") {
    MultiprocessorWork work = work_of({operation(Kind::barrier)}, 2, 1, 5);
    work.programs_by_kind[0].programs.push_back(
        {.operations = {operation(Kind::exit)}, .instructions_per_recorded = 1});
    work.programs_by_kind[0].program_of_warp[1] = 1;
    const SimulatedOutcome o = simulate(work, plain_gpu());
    CHECK(o.cycles > 0);
    CHECK(o.cycles < 200);
}

TEST_CASE("the rate at which blocks start is limited") {
    Gpu gpu = plain_gpu();
    gpu.block_interval_cycles = 150;
    const SimulatedOutcome o = simulate(work_of({}, 1, 8, 1000), gpu);
    CHECK(o.cycles == Approx(150 * 1000).epsilon(0.02));
}

TEST_CASE("with bank conflicts, shared memory is the bottleneck") {
    Operation conflict = operation(Kind::shared_load);
    conflict.passes = 32;
    const SimulatedOutcome o = simulate(work_of({conflict, conflict}, 8, 4, 200), plain_gpu());
    CHECK(o.cycles_per_block == Approx(8 * 2 * 32).epsilon(0.03));
    CHECK(o.utilization.shared > 0.95);
}

TEST_CASE("the rest of an incomplete recording is assumed to resemble the recorded part") {
    std::vector<Operation> turns;
    for (std::uint32_t k = 0; k < 20; ++k) {
        turns.push_back(load(4));
        if (k > 0) turns.back().dependences = {k - 1};
    }
    MultiprocessorWork all = work_of(turns, 1, 1, 1), half = work_of(turns, 1, 1, 1);
    half.programs_by_kind[0].programs[0].instructions_per_recorded = 4;
    const double once = simulate(all, plain_gpu()).cycles,
                 four = simulate(half, plain_gpu()).cycles;
    CHECK(four == Approx(4 * once).epsilon(0.15));
}

TEST_CASE("the last cycles of an incomplete recording count, even if it ends at a barrier") {
    std::vector<Operation> turns;
    for (std::uint32_t k = 0; k < 20; ++k)
        turns.push_back(k % 2 ? operation(Kind::barrier) : load(4));
    for (std::uint32_t k = 2; k < 20; k += 2) turns[k].dependences = {k - 2};
    MultiprocessorWork all = work_of(turns, 1, 1, 1), half = work_of(turns, 1, 1, 1);
    half.programs_by_kind[0].programs[0].instructions_per_recorded = 4;
    const double once = simulate(all, plain_gpu()).cycles,
                 four = simulate(half, plain_gpu()).cycles;
    CHECK(four == Approx(4 * once).epsilon(0.15));
}

namespace {

/// Returns a recording of one warp of a kernel. Its instructions have the given opcodes. add_step()
/// adds steps.
Recording recording_of(std::initializer_list<const char*> opcodes) {
    Recording recording;
    recording.threads = 32;
    recording.blocks = 1000;
    recording.recorded_blocks.emplace_back().warps.emplace_back();
    for (const char* opcode : opcodes) {
        Instruction& i = recording.instructions.emplace_back();
        i.opcode = opcode;
    }
    return recording;
}

/// Adds a step in which 32 lanes access 4 bytes each, at distances of `pitch` sectors.
void add_step(Recording& recording, AccessKind kind, std::uint64_t first, std::uint64_t pitch) {
    RecordedBlock& block = recording.recorded_blocks[0];
    WarpPath& path = block.warps[0];
    const auto run = static_cast<std::uint32_t>(block.runs.size()),
               access = static_cast<std::uint32_t>(block.accesses.size());
    for (std::uint64_t lane = 0; lane < 32; ++lane) block.runs.push_back({first + lane * pitch, 1});
    block.accesses.push_back({kind, 32, 4, 32, run, 32});
    path.steps.push_back({static_cast<std::uint32_t>(path.steps.size()), access, 1});
    path.executed_steps = path.steps.size();
}

}  // namespace

TEST_CASE("data that does not fit into the L1 cache is fetched repeatedly") {
    Recording recording = recording_of({"ld", "st", "ld"});
    add_step(recording, AccessKind::load, 0, 4096);
    add_step(recording, AccessKind::store, 1 << 20, 4096);
    add_step(recording, AccessKind::load, 0, 4096);
    const auto fetched = [&](double lines) {
        const BlockProgram block =
            build_block_program(recording, recording.recorded_blocks[0], {}, lines);
        return block.sectors_read;
    };
    CHECK(fetched(1000) == 32);
    CHECK(fetched(38) == 32);
    CHECK(fetched(2) > 60);
    CHECK(build_block_program(recording, recording.recorded_blocks[0], {}, 1000)
              .uncertain_line_fraction == 0);
    CHECK(build_block_program(recording, recording.recorded_blocks[0], {}, 38)
              .uncertain_line_fraction == 0.5);
}

namespace {

/// Predicts a launch whose blocks read 32 sectors each, at distances of `pitch` sectors, and also
/// write a row if `writes` is true. Together, adjacent blocks move runs of `sectors_read` and
/// `sectors_written` sectors.
Prediction moving_runs(std::uint32_t sectors_read, std::uint32_t sectors_written,
                       std::uint64_t pitch, bool writes) {
    Recording recording = recording_of({"ld", "st"});
    add_step(recording, AccessKind::load, 0, pitch);
    if (writes) add_step(recording, AccessKind::store, 1 << 20, 1);
    recording.registers = 16;
    for (std::uint64_t row = 0; row < 1000; ++row) {
        recording.reads.sectors.add({row << 12, sectors_read});
        if (writes) recording.writes.sectors.add({row << 12, sectors_written});
    }
    recording.reads.sectors_summed_over_blocks = recording.reads.sectors.size();
    recording.writes.sectors_summed_over_blocks = recording.writes.sectors.size();
    recording.writes.bytes = 32 * recording.writes.sectors_summed_over_blocks;
    return predict(recording, plain_gpu());
}

bool has_half_lines(const Prediction& p) {
    return std::find(p.unknown.begin(), p.unknown.end(), Unknown::half_lines) != p.unknown.end();
}

}  // namespace

TEST_CASE("short runs of writes cause a warning") {
    constexpr std::uint64_t side_by_side = 1, apart = 4096;
    CHECK(has_half_lines(moving_runs(4, 2, side_by_side, true)));
    CHECK_FALSE(has_half_lines(moving_runs(4, 4, side_by_side, true)));
    // A block reads one sector of each line. Other blocks read the rest of the line, or of two
    // lines.
    CHECK(has_half_lines(moving_runs(4, 4, apart, true)));
    CHECK_FALSE(has_half_lines(moving_runs(8, 4, apart, true)));
}

TEST_CASE("short runs of reads widen the error band, but cause no warning") {
    constexpr std::uint64_t side_by_side = 1;
    const Prediction half = moving_runs(2, 0, side_by_side, false),
                     whole = moving_runs(4, 0, side_by_side, false);
    CHECK(half.unknown.empty());
    CHECK(whole.unknown.empty());
    CHECK(half.error_band >= .4);
}

TEST_CASE("constants that lanes read at different addresses cause a warning") {
    const auto unknown = [](bool by_lane) {
        Recording recording = recording_of({"ld", "ld"});
        recording.instructions[0].modifiers = {"global", "u32"};
        recording.instructions[0].written_registers = {1};
        recording.instructions[1].modifiers = {"const", "f32"};
        recording.instructions[1].read_registers = {by_lane ? 1u : 2u};
        add_step(recording, AccessKind::load, 0, 1);
        recording.registers = 16;
        recording.reads.sectors.add({0, 1 << 16});
        recording.reads.sectors_summed_over_blocks = 1 << 16;
        const std::vector<Unknown> found = predict(recording, plain_gpu()).unknown;
        return std::find(found.begin(), found.end(), Unknown::constants) != found.end();
    };
    CHECK(unknown(true));
    CHECK_FALSE(unknown(false));
}

TEST_CASE("matrix instructions cause a warning") {
    const auto unknown = [](const char* opcode, std::vector<std::string> modifiers) {
        Recording recording = recording_of({"ld", opcode});
        recording.instructions.back().modifiers = std::move(modifiers);
        add_step(recording, AccessKind::load, 0, 4096);
        recording.registers = 16;
        return predict(recording, plain_gpu()).unknown;
    };
    CHECK(unknown("mma", {"sync"}) == std::vector{Unknown::tensor_cores});
    CHECK(unknown("wmma", {"mma", "sync"}) == std::vector{Unknown::tensor_cores});
    CHECK(unknown("wmma", {"load", "sync"}).empty());
}

TEST_CASE("a request for a line that the block has already requested takes no more space") {
    // Each of 32 lanes reads its own sector: first one sector of each line, then the next sector of
    // each line, and finally all four sectors of each of eight lines.
    Recording recording = recording_of({"ld", "ld", "ld"});
    add_step(recording, AccessKind::load, 0, 4);
    add_step(recording, AccessKind::load, 1, 4);
    add_step(recording, AccessKind::load, 1000, 1);
    const BlockProgram block =
        build_block_program(recording, recording.recorded_blocks[0], {}, 1000);
    std::vector<int> lines, half_lines;
    for (const Operation& o : block.programs[0].operations) {
        if (o.kind != Kind::load) continue;
        lines.push_back(o.lines);
        half_lines.push_back(o.half_lines);
    }
    CHECK(lines == std::vector<int>{32, 0, 8});
    CHECK(half_lines == std::vector<int>{32, 32, 16});
}

TEST_CASE("the L2 cache delivers half lines") {
    const auto cycles_of = [](std::uint16_t sectors) {
        Gpu gpu = plain_gpu();
        gpu.l2_read_bytes_per_cycle = 4;
        std::vector<Operation> operations(8, load(sectors));
        operations.push_back(operation(Kind::store, {0, 1, 2, 3, 4, 5, 6, 7}));
        return simulate(work_of(operations, 32, 2, 400), gpu).cycles_per_block;
    };
    CHECK(cycles_of(2) == Approx(32 * 8 * 16).epsilon(.02));
    CHECK(cycles_of(1) == Approx(cycles_of(2)).epsilon(.02));
    CHECK(cycles_of(4) == Approx(2 * cycles_of(2)).epsilon(.02));
}

TEST_CASE("a request for a sector costs nothing if another warp has requested it before") {
    Recording recording = recording_of({"ld", "ld"});
    RecordedBlock& block = recording.recorded_blocks[0];
    add_step(recording, AccessKind::load, 0, 4);
    add_step(recording, AccessKind::load, 4096, 4);
    block.warps.push_back(block.warps[0]);
    // The other warp executes the same instructions, but makes the requests in the opposite order.
    std::swap(block.warps[1].steps[0].first_access, block.warps[1].steps[1].first_access);
    const BlockProgram program = build_block_program(recording, block, {}, 1000);
    for (const std::uint32_t p : program.program_of_warp) {
        std::vector<int> sectors;
        for (const Operation& o : program.programs[p].operations)
            if (o.kind == Kind::load) sectors.push_back(o.sectors);
        CHECK(sectors == std::vector<int>{32, 0});
    }
}

TEST_CASE("partial sectors along a row are distinguished from those along a column") {
    Recording recording = recording_of({"st", "st"});
    add_step(recording, AccessKind::store, 0, 2);
    add_step(recording, AccessKind::store, 1 << 20, 4096);
    const BlockProgram block =
        build_block_program(recording, recording.recorded_blocks[0], {}, 1000);
    CHECK(block.partial_sectors == 64);
    CHECK(block.partial_sectors_along_row == 32);
    CHECK(block.partial_sectors_at_ends == 0);
    CHECK(block.bytes_per_line == std::vector<float>(32, 4));  // down a column, 4 bytes per row
    CHECK(block.lines_left_for_other_blocks == 32);
}

TEST_CASE("rows that start within a sector cause a warning") {
    const auto unknown = [](std::uint32_t sectors) {
        Recording recording = recording_of({"st"});
        recording.registers = 16;
        RecordedBlock& block = recording.recorded_blocks[0];
        block.runs.push_back({0, sectors});
        block.accesses.push_back({AccessKind::store, 32, 4, 2, 0, 1});
        block.warps[0].steps.push_back({0, 0, 1});
        block.warps[0].executed_steps = 1;
        recording.writes.sectors.add({0, 1000});
        recording.writes.sectors_summed_over_blocks = 1000;
        recording.writes.bytes = 32000;
        return predict(recording, plain_gpu()).unknown;
    };
    CHECK(unknown(5) == std::vector{Unknown::parts});
    CHECK(unknown(4).empty());
}

TEST_CASE("partial sectors that other blocks complete cause a warning") {
    const auto unknown = [](std::uint64_t own_parts) {
        Recording recording = recording_of({"st", "st", "st", "st"});
        recording.registers = 16;
        // Each store writes 8 bytes of each sector in a column.
        for (std::uint64_t k = 0; k < own_parts; ++k) {
            add_step(recording, AccessKind::store, 0, 64);
            recording.recorded_blocks[0].accesses.back().bytes_per_lane = 8;
        }
        recording.writes.sectors.add({0, 1000});
        recording.writes.sectors_summed_over_blocks = 1000;
        recording.writes.bytes = 32000;
        return predict(recording, plain_gpu()).unknown;
    };
    CHECK(unknown(4).empty());
    CHECK(unknown(1) == std::vector{Unknown::parts});
}

TEST_CASE("a 64-bit parameter is fetched once for each condition under which it is used") {
    // Returns the number of operations for an ld.param and a branch around an address computation
    // and a load.
    const auto operations = [](const char* type) {
        Recording recording = recording_of({"ld", "bra", "add", "ld"});
        recording.instructions[0].modifiers = {"param", type};
        recording.instructions[0].written_registers = {1};
        recording.instructions[1].target = 4;
        recording.instructions[2].modifiers = {"s64"};
        recording.instructions[2].read_registers = {1, 2};
        recording.instructions[2].written_registers = {3};
        recording.instructions[3].modifiers = {"global", "f32"};
        recording.instructions[3].read_registers = {3};
        recording.recorded_blocks[0].warps[0].steps = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
        recording.recorded_blocks[0].warps[0].executed_steps = 3;
        add_step(recording, AccessKind::load, 0, 1);
        const BlockProgram block =
            build_block_program(recording, recording.recorded_blocks[0], {}, 1000);
        return block.programs[0].operations.size();
    };
    CHECK(operations("u64") == operations("u32") + 1);
}

TEST_CASE("each contiguous range of a bulk copy counts as a row") {
    const auto load_of = [](std::vector<std::string> modifiers) {
        Recording recording = recording_of({"cp"});
        recording.instructions[0].modifiers = std::move(modifiers);
        RecordedBlock& block = recording.recorded_blocks[0];
        // Two rows of 1024 and 512 bytes. One access is recorded for every 512 bytes.
        block.runs = {{0, 16}, {16, 16}, {1 << 10, 16}};
        for (std::uint32_t k = 0; k < 3; ++k)
            block.accesses.push_back({AccessKind::copy_from, 32, 16, 0, k, 1});
        block.warps[0].steps = {{0, 0, 3}};
        block.warps[0].executed_steps = 1;
        const BlockProgram program = build_block_program(recording, block, {}, 1000);
        for (const Operation& o : program.programs[0].operations)
            if (o.kind == Kind::bulk_load) return o;
        return Operation{};
    };
    const Operation row = load_of({"async", "bulk"}),
                    box = load_of({"async", "bulk", "tensor", "2d"});
    CHECK(row.rows == 2);
    CHECK(row.sectors == 48);
    CHECK(!row.is_box);
    CHECK(box.rows == 2);
    CHECK(box.is_box);
}

TEST_CASE("each row of a bulk copy occupies the copy unit") {
    // Returns the number of cycles that a multiprocessor needs for 1000 copies of 16 KiB in `rows`
    // rows. Memory alone would take 512000 cycles.
    const auto cycles = [](const BulkCopyCosts& bulk_copies, bool is_box, std::uint16_t rows) {
        Gpu gpu = plain_gpu();
        gpu.bulk_copies = bulk_copies;
        Operation copy = operation(Kind::bulk_load);
        copy.rows = rows;
        copy.sectors = 512;
        copy.is_box = is_box;
        MultiprocessorWork work = work_of({copy, operation(Kind::bulk_wait)}, 1, 8, 1000);
        work.programs_by_kind[0].bulk_loads = work.programs_by_kind[0].programs[0].loads_per_wait =
            1;
        work.read_cycles = 1;
        return simulate(work, gpu).cycles;
    };
    const BulkCopyCosts bulk{{128, 384}, {20, 40}, {4, 8}};  // for rows of 256 bytes: 30 and 6
    const double free = cycles({}, false, 64);
    CHECK(free == Approx(512e3).epsilon(0.03));
    CHECK(cycles(bulk, true, 64) == Approx(free).epsilon(0.03));
    CHECK(cycles(bulk, false, 64) == Approx(64 * 30 * 1000).epsilon(0.03));
    // Rows shorter than those in the table cost as much as the shortest of these. For longer rows,
    // the cost is proportional to the length.
    CHECK(cycles(bulk, false, 256) == Approx(256 * 20 * 1000).epsilon(0.03));
    CHECK(cycles(bulk, false, 2) == Approx(2 * 40 * 8192 / 384. * 1000).epsilon(0.03));
}

TEST_CASE("the sectors that two sets have in common are counted") {
    SectorSet a, b;
    a.add({100, 200});
    b.add({250, 1000});
    CHECK(a.count_common(b) == 50);
    CHECK(b.count_common(a) == 50);
    CHECK(a.count_common({}) == 0);
}

TEST_CASE("the prediction for a copy states its bytes, runs and resident blocks") {
    // A block has 256 threads. Each of its warps reads and writes 128 contiguous bytes.
    Recording recording;
    recording.kernel = "copy";
    recording.blocks = 100000;
    recording.threads = 256;
    recording.registers = 16;
    const auto add = [&](const char* opcode, std::vector<std::uint32_t> written_registers,
                         std::vector<std::uint32_t> read_registers) {
        Instruction& i = recording.instructions.emplace_back();
        i.opcode = opcode;
        i.written_registers = std::move(written_registers);
        i.read_registers = std::move(read_registers);
    };
    add("ld", {1}, {});
    add("st", {}, {1});
    add("ret", {}, {});
    RecordedBlock& block = recording.recorded_blocks.emplace_back();
    for (std::uint32_t w = 0; w < 8; ++w) {
        WarpPath& path = block.warps.emplace_back();
        const auto at = static_cast<std::uint32_t>(block.accesses.size());
        block.runs.push_back({1000 + 4 * w, 4});
        block.runs.push_back({90000 + 4 * w, 4});
        block.accesses.push_back({AccessKind::load, 32, 4, 1, at, 1});
        block.accesses.push_back({AccessKind::store, 32, 4, 1, at + 1, 1});
        path.steps = {{0, at, 1}, {1, at + 1, 1}, {2, 0, 0}};
        path.executed_steps = 3;
    }
    recording.neighbour_blocks = 100;
    recording.reads.sectors_summed_over_blocks = recording.writes.sectors_summed_over_blocks = 3200;
    recording.reads.bytes = recording.writes.bytes = 3200 * 32;
    recording.reads.sectors.add({1000, 3200});
    recording.writes.sectors.add({90000, 3200});

    const Prediction p = predict(recording, plain_gpu());
    CHECK(p.memory_bytes == Approx(100000. * 2 * 1024));
    CHECK(p.run_bytes_read == Approx(3200 * 32));
    CHECK(p.resident_blocks == 8);
    CHECK(p.occupancy_limit == OccupancyLimit::threads);
    CHECK(p.unknown.empty());
    // 64 warps with 128 bytes each have 8 KiB in flight. During the latency of 1000 cycles, memory
    // could read 16 KB and write another 16 KB.
    CHECK(p.bytes_in_flight < 8193);
    CHECK(p.ms > 100000. * 1024 / (100 * 8192) * 1000 * 1e-6);
    CHECK(p.bottleneck == Bottleneck::flight);

    // At 32 registers eight blocks fit, and at 33 only six, a difference that is too small to
    // report. With 1024 threads per block, two blocks fit at 32 registers but only one at 33, which
    // is reported.
    recording.registers = 33;
    CHECK(predict(recording, plain_gpu()).unknown.empty());
    recording.threads = 1024;
    CHECK(predict(recording, plain_gpu()).unknown == std::vector<Unknown>{Unknown::registers});
    recording.threads = 256;
    recording.registers = 16;

    // The next row of blocks reads data of which half has been read before. That half is still in
    // the L2 cache, unless a row has too many blocks.
    Gpu gpu = plain_gpu();
    gpu.l2_bytes = 1e6;
    recording.next_row_reads.add({1000, 100});
    recording.next_row_reads.add({500000, 100});
    recording.blocks_per_row = 100;
    CHECK(predict(recording, gpu).memory_bytes == Approx(100000. * 1.5 * 1024));
    CHECK(predict(recording, gpu).ms < p.ms);
    recording.blocks_per_row = 90000;
    CHECK(predict(recording, gpu).memory_bytes == p.memory_bytes);
    recording.next_row_reads.clear();

    // Memory takes 1.5 times as long for scattered runs of 128 bytes.
    recording.writes.sectors.clear();
    for (std::uint64_t k = 0; k < 800; ++k) recording.writes.sectors.add({k * 4096, 4});
    CHECK(predict(recording, plain_gpu()).run_bytes_written == Approx(128));
    // Only half of each sector is written, so memory must read the rest.
    recording.writes.bytes /= 2;
    CHECK(predict(recording, plain_gpu()).utilization.memory > 1.3 * p.utilization.memory);

    // This block does twice as much work, and the model does not know how many other blocks do.
    recording.recorded_blocks.push_back(recording.recorded_blocks.front());
    for (WarpPath& path : recording.recorded_blocks.back().warps) path.executed_steps *= 2;
    CHECK(predict(recording, plain_gpu()).unknown ==
          std::vector<Unknown>{Unknown::unlike_blocks, Unknown::parts});

    recording.has_waiting_blocks = true;
    recording.recorded_blocks.clear();
    const Prediction none = predict(recording, plain_gpu());
    CHECK(none.ms == 0);
    CHECK(none.unknown == std::vector<Unknown>{Unknown::waits});
}
