// Which blocks of a launch are recorded: a few that stand for all, more where they do unlike things.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "execute/recorder.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace coalesce::sim;

namespace {

constexpr u64 kResident = 1056;

/// What was recorded of such a grid, each block with as many steps as `steps_of` says.
template <class StepsOf>
coalesce::timing::Recording recording_of(const LaunchConfig& config, StepsOf steps_of) {
    coalesce::timing::Recording recording;
    recording.blocks = config.grid.count();
    for (const u64 number : Recorder::chosen_blocks(config, kResident)) {
        coalesce::timing::RecordedBlock& block = recording.recorded.emplace_back();
        block.number = number;
        block.warps.emplace_back().executed = steps_of(number);
    }
    return recording;
}

LaunchConfig grid(u32 x, u32 y) {
    LaunchConfig config;
    config.grid = {x, y, 1};
    return config;
}

}  // namespace

TEST_CASE("one block stands for a single round, six for many, fewer where there are fewer") {
    CHECK(Recorder::chosen_blocks(grid(1000, 1), kResident).size() == 1);
    CHECK(Recorder::chosen_blocks(grid(512, 512), kResident).size() == 6);
    CHECK(Recorder::chosen_blocks(grid(2, 1), 1).size() == 2);
}

TEST_CASE("blocks that do the same need no others") {
    const LaunchConfig config = grid(512, 512);
    CHECK(Recorder::more_blocks(config, recording_of(config, [](u64) { return 100; })).empty());
}

TEST_CASE("half the blocks of a square return at once: half of those that are recorded, too") {
    for (const u32 side : {128u, 512u, 1024u}) {
        const LaunchConfig config = grid(side, side);
        const auto works = [&](u64 number) { return number % side < number / side; };
        const auto recording =
            recording_of(config, [&](u64 number) { return works(number) ? 500u : 10u; });
        const std::vector<u64> more = Recorder::more_blocks(config, recording);
        CHECK(more.size() > 20);
        CHECK(more.back() < config.grid.count());
        for (const auto& block : recording.recorded)
            CHECK(std::find(more.begin(), more.end(), block.number) == more.end());
        const auto working = std::count_if(more.begin(), more.end(), works);
        CHECK(static_cast<double>(working) / static_cast<double>(more.size()) ==
              doctest::Approx(.5).epsilon(.2));
    }
}

TEST_CASE("blocks of the grid's next row are listened to, unless they are neighbours") {
    coalesce::timing::Recording recording;
    recording.blocks = 512 * 512;
    recording.blocks_of_row = 512;
    CHECK(Recorder::below(recording, {1000, 300}) == std::pair<u64, u64>{1512, 16});
    CHECK(Recorder::below(recording, {1000, 600}).second == 0);
    CHECK(Recorder::below(recording, {512 * 512 - 300, 300}).second == 0);
}
