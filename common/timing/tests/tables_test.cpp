// Tests which memory counts as a table, and which fraction of a table the caches hold.
#include "timing/tables.h"

#include <doctest/doctest.h>

#include "timing/bands.h"

using namespace coalesce::timing;
using doctest::Approx;

namespace {

constexpr double kFirstLevel = 200 << 10;

Gpu gpu() {
    Gpu gpu;
    gpu.multiprocessors = 100;
    gpu.l2_bytes = 50e6;
    return gpu;
}

/// Returns a recording of four of a launch's 1000 blocks. Each block reads `count` sectors at
/// distances of `pitch` sectors, beginning at sector first(block).
template <class First>
Recording reading(std::uint64_t count, std::uint64_t pitch, First first) {
    Recording recording;
    recording.blocks = 1000;
    recording.instructions.emplace_back().opcode = "ld";
    for (const std::uint64_t number : {100, 350, 600, 900}) {
        RecordedBlock& block = recording.recorded_blocks.emplace_back();
        block.number = number;
        WarpPath& path = block.warps.emplace_back();
        for (std::uint64_t k = 0; k < count; ++k)
            block.runs.push_back({first(number) + k * pitch, 1});
        block.accesses.push_back(
            {AccessKind::load, 32, 4, 1, 0, static_cast<std::uint32_t>(count)});
        path.steps.push_back({0, 0, 1});
        path.executed_steps = 1;
    }
    return recording;
}

std::uint64_t everywhere(std::uint64_t) {
    return 0;
}

}  // namespace

TEST_CASE("memory is not classified as a table if each block reads a different part of it") {
    const Recording stream = reading(32, 1, [](std::uint64_t block) { return 32 * block; });
    CHECK(Tables(stream, gpu(), kFirstLevel, 1).empty());
    Recording alone = reading(32, 1, everywhere);
    alone.recorded_blocks.resize(2);
    CHECK(Tables(alone, gpu(), kFirstLevel, 1).empty());
}

TEST_CASE("each multiprocessor loads a small table once") {
    const Recording recording = reading(32, 1, everywhere);
    const Tables tables(recording, gpu(), kFirstLevel, 1);
    const Table* table = tables.find_table(0);
    REQUIRE(table);
    // Each multiprocessor executes ten of the 1000 blocks, and every block reads the whole table.
    CHECK(table->l1_miss_fraction == Approx(.1));
    CHECK(table->memory_fraction == Approx(.001));
    CHECK(tables.find_table(1) == nullptr);
    CHECK(tables.count_requested_sectors(10) == Approx(320));
    CHECK(tables.count_distinct_sectors(1e9) == Approx(32));
}

TEST_CASE("caches hold only a part of a table that exceeds their size") {
    // The table has 100 MB. Each block reads one sector per 3.2 kB.
    const Recording recording = reading(31250, 100, everywhere);
    const Tables tables(recording, gpu(), kFirstLevel, 1);
    const Table* table = tables.find_table(0);
    REQUIRE(table);
    CHECK(table->l1_miss_fraction > .99);
    const double kept = .6 * 50e6 / 1e8, first = .1;
    CHECK(table->memory_fraction == Approx(first + (1 - first) * (1 - kept)).epsilon(.01));
    // The fraction of a table's reads that memory serves is at most that of all reads.
    CHECK(Tables(recording, gpu(), kFirstLevel, .25).find_table(0)->memory_fraction == .25);
}

TEST_CASE("error bands are narrow for copies, and wider for other launches") {
    BandFacts copy{.ms = 1, .utilization = {.memory = .9}, .rounds = 10, .write_fraction = .5};
    const double narrow = error_band(copy);
    CHECK(narrow < .1);
    const auto with = [&](auto change) {
        BandFacts changed = copy;
        change(changed);
        return error_band(changed);
    };
    CHECK(with([](BandFacts& f) { f.write_fraction = .1; }) > narrow);
    CHECK(with([](BandFacts& f) { f.requests_per_sector = 3; }) > narrow);
    CHECK(with([](BandFacts& f) { f.ms = .01; }) == Approx(narrow + .0005 / .01 - .0005));
    CHECK(with([](BandFacts& f) { f.is_gpu_measured = false; }) == Approx(narrow + .07));
    const double issue = with([](BandFacts&f) { f.bottleneck = Bottleneck::issue; }),
                 first_level = with([](BandFacts&f) { f.bottleneck = Bottleneck::shared; }),
                 shared = with([](BandFacts&f) {
                     f.bottleneck = Bottleneck::shared;
                     f.uses_shared_memory = true;
                 }),
                 random = with([](BandFacts&f) { f.has_short_runs = true; }),
                 in_place = with([](BandFacts&f) { f.is_in_place = true; });
    CHECK(shared > narrow + .1);
    CHECK(issue > shared);
    CHECK(random > issue);
    CHECK(in_place > random);
    CHECK(first_level > in_place);
    CHECK(with([](BandFacts& f) { f.bottleneck = Bottleneck::cache; }) == shared);
    CHECK(with([](BandFacts& f) {
              f.bottleneck = Bottleneck::few_blocks;
              f.write_fraction = .1;
          }) == random);
    CHECK(with([](BandFacts& f) { f.utilization.memory = .5; }) > narrow);
}

TEST_CASE("error bands are narrow if the rate at which blocks start is the bottleneck") {
    BandFacts reads{.ms = 1, .utilization = {.memory = .6}, .rounds = 10, .write_fraction = .1};
    reads.bottleneck = Bottleneck::flight;
    const double wide = error_band(reads);
    CHECK(wide > .15);
    reads.bottleneck = Bottleneck::blocks;
    CHECK(error_band(reads) < .1);
    reads.has_short_runs = true;
    CHECK(error_band(reads) > wide);
}
