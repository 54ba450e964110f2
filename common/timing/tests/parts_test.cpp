// Compares the number of lines that partial stores keep open, and the cost of these lines, with
// results that were computed by hand.
#include "timing/parts.h"

#include <doctest/doctest.h>

#include "timing/multiprocessor.h"

using namespace coalesce::timing;
using doctest::Approx;

namespace {

/// Returns the partial stores of a launch that writes to very many pages.
UnfinishedSectors scattered(double lines_left_for_other_blocks) {
    return {.multiprocessors = 100,
            .lines_left_for_other_blocks = lines_left_for_other_blocks,
            .pages = 1e9};
}

Gpu some_gpu() {
    Gpu gpu;
    gpu.partial_sectors = {
        .cycles_for_4_bytes = 4, .cycles_for_8_bytes = 3, .cycles_for_16_bytes = 1};
    gpu.l2_bytes = 128e6 / .08;  // large enough for a million open lines
    return gpu;
}

/// Returns the number of cycles that a multiprocessor needs for 64 blocks. The four warps of a
/// block write to different parts of the same 32 lines. Each warp stores four times, and executes
/// `between` before each store. All blocks together write to `pages` pages.
double cycles_of_columns(double pages, std::vector<Operation> between) {
    constexpr std::uint32_t warps = 4;
    MultiprocessorWork work;
    BlockProgram& block = work.programs_by_kind.emplace_back();
    for (std::uint32_t w = 0; w < warps; ++w) {
        Program& program = block.programs.emplace_back();
        for (int turn = 0; turn < 4; ++turn) {
            for (const Operation& o : between) program.operations.push_back(o);
            Operation& store = program.operations.emplace_back();
            store.kind = Operation::Kind::store;
            store.partial_sectors = store.partial_half_lines = 32;
            store.unfinished_sectors = 32 * 8 / 32.f;
            for (std::uint32_t line = 0; line < 32; ++line)
                store.written_parts.push_back({line, 8});
        }
        program.operations.emplace_back().kind = Operation::Kind::exit;
        program.instructions_per_recorded = 1;
        block.program_of_warp.push_back(w);
    }
    block.bytes_per_line.assign(32, static_cast<float>(8 * 4 * warps));
    work.kind_by_block = {0};
    work.resident_blocks = 4;
    work.blocks = 64;
    work.unfinished_sectors = scattered(0);
    work.unfinished_sectors.pages = pages;
    Gpu gpu = some_gpu();
    gpu.clock_ghz = 1;
    gpu.l2_read_bytes_per_cycle = gpu.l2_write_bytes_per_cycle = 1e9;
    gpu.add_issue_cycles = gpu.multiply_issue_cycles = gpu.divide_issue_cycles = 2;
    gpu.run_costs = {{32, 4096}, {1, 0}, {1, 0}};
    gpu.l2_bytes = 128 * 1000 / .08;  // large enough for a thousand open lines
    return simulate(work, gpu).cycles;
}

}  // namespace

TEST_CASE("lines that a block or a warp fills completely are not left for other blocks") {
    PartialLines filled;
    for (std::uint64_t part = 0; part < 16; ++part)
        CHECK(filled.add_written_part(40 + part / 4, 0, 8).line == 0);
    CHECK(filled.bytes_per_line() == std::vector<float>{128});
    CHECK(filled.lines_left_for_other_blocks() == 0);

    PartialLines by_one, has_several_writers, parts;
    for (std::uint32_t part = 0; part < 4; ++part) {
        by_one.add_written_part(40, 0, 8);
        has_several_writers.add_written_part(40, part, 8);
        if (part > 0) parts.add_written_part(40, part, 8);
    }
    CHECK(by_one.lines_left_for_other_blocks() == 0);
    CHECK(has_several_writers.lines_left_for_other_blocks() == Approx(.5));
    CHECK(parts.lines_left_for_other_blocks() == 1);
    CHECK(parts.add_written_part(44, 0, 8).line == 1);
}

TEST_CASE("a line is open from its first store until its last, or until the end of the block") {
    const std::vector<float> bytes = {32, 32};
    OpenLines lines;
    OpenLines::BlockLines block = OpenLines::start_block(bytes);
    CHECK(lines.mean_open_lines(100) == 0);
    lines.write_part(block, {0, 16}, 100);
    lines.write_part(block, {1, 16}, 150);
    CHECK(lines.mean_open_lines(200) == Approx((100 + 50) / 200.0));
    lines.write_part(block, {0, 16}, 200);
    CHECK(lines.mean_open_lines(400) == Approx((100 + 250) / 400.0));
    lines.write_part(block, {0, 16}, 300);  // more bytes than announced, so the line stays closed
    lines.close_lines(block, 400);
    CHECK(lines.mean_open_lines(1000) == Approx((100 + 250) / 1000.0));
}

TEST_CASE("the more lines are open, and the farther apart, the more of them are fetched again") {
    const Gpu gpu = some_gpu();
    CHECK(completion_cycles(scattered(0), 0, gpu) == 0);
    CHECK(completion_cycles(scattered(1e6), 0, gpu) == Approx(6 * 4 / 2));
    CHECK(completion_cycles(scattered(0), 1e4, gpu) == Approx(6 * 4 / 2));
    CHECK(completion_cycles(scattered(1e12), 0, gpu) == Approx(6 * 4));
    UnfinishedSectors narrow = scattered(1e12);
    narrow.pages = 8000;
    CHECK(completion_cycles(narrow, 0, gpu) == Approx(6 * 4 / 2));
    UnfinishedSectors reading = scattered(0);
    reading.read_cycles_per_write = 10;
    CHECK(completion_cycles(reading, 0, gpu) == Approx(10));
}

TEST_CASE("partial sectors cost less if they are combined and a request touches few lines") {
    const PartialSectorCosts partial_sectors = some_gpu().partial_sectors;
    CHECK(partial_write_cycles(32, false, partial_sectors) == Approx(3.6));
    CHECK(partial_write_cycles(32, true, partial_sectors) == Approx(3.6));
    CHECK(partial_write_cycles(16, true, partial_sectors) == 3);
    CHECK(partial_write_cycles(8, true, partial_sectors) == 1);
    CHECK(partial_write_cycles(8, false, partial_sectors) == Approx(3.6));
}

TEST_CASE("waits between stores cost time, because lines stay open") {
    Operation wait;
    wait.kind = Operation::Kind::shared_load;
    wait.latency_cycles = 2000;
    // On few pages, the waits cost nothing.
    CHECK(cycles_of_columns(0, {wait}) < 1.1 * cycles_of_columns(0, {}));
    CHECK(cycles_of_columns(1e9, {wait}) > 1.2 * cycles_of_columns(1e9, {}));
}
