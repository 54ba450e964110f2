#include "kernel/grid_causes.h"

#include <algorithm>
#include <utility>

#include "harness/text.h"
#include "kernel/source_lines.h"

namespace coalesce {
namespace {

long long blocks_for(long long count, long long size) {
    return (count + size - 1) / size;
}

/// The grid for a matrix so tall and wide, with a thread for each element.
bool is_grid_for(const LaunchShape& launch, long long tall, long long wide) {
    return launch.grid[0] == blocks_for(wide, launch.block[0]) &&
           launch.grid[1] == blocks_for(tall, launch.block[1]);
}

bool is_exchanged(const LaunchShape& launch, Shape shape) {
    if (covers_by_threads(launch, shape)) return false;
    LaunchShape turned = launch;
    std::swap(turned.grid[0], turned.grid[1]);
    return is_grid_for(turned, shape.rows, shape.cols) ||
           is_grid_for(launch, shape.cols, shape.rows);
}

std::string numbers(const Trial& trial) {
    return "configure(" + std::to_string(trial.shape.rows) + ", " +
           std::to_string(trial.shape.cols) + ") gives " + trial.launch.text();
}

/// In a square many mistakes of a grid look alike: another shape is asked as well.
constexpr Shape rectangle{64, 128};

bool takes_rectangle(const Exercise& exercise) {
    return !exercise.takes_squares() && rectangle.rows % exercise.rows_multiple == 0 &&
           rectangle.cols % exercise.cols_multiple == 0;
}

/// The learner's grid reaches every element, so the sentence need not doubt it.
void acquit_grid(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::size_t doubt = std::min(failure.headline.find(". The grid is too small"),
                                       failure.headline.find(". A loop over the tile"));
    if (doubt == std::string::npos) return;
    failure.headline = failure.headline.substr(0, doubt) +
                       ". There are threads enough for all: some take the same cells, or a check "
                       "of the bounds keeps them out.";
    failure.details += wrap(numbers(trial) + ".");
    failure.next =
        "Work out row and col for the first thread of block (1, 0) and of block (0, 1), and for "
        "threads (1, 0) and (0, 1) of a block: does each come to a cell of its own?";
    if (const int line = line_of_mixed_axes(evidence.source.text); line > 0) {
        failure.place.line = line;
    }
}

/// Every thread stores equally often, and no sector twice: then more blocks are what is missing.
bool all_store_all(const Trial& seen, std::uint64_t right) {
    const auto threads = static_cast<std::uint64_t>(seen.launch.blocks()) *
                         static_cast<std::uint64_t>(seen.launch.threads());
    constexpr std::uint64_t floats_in_sector = 8;
    return threads > 0 && right > 0 && right % threads == 0 &&
           seen.counters.store_sectors * floats_in_sector == right;
}

}  // namespace

bool covers_by_threads(const LaunchShape& launch, Shape shape) {
    return launch.grid[0] * launch.block[0] >= shape.cols &&
           launch.grid[1] * launch.block[1] >= shape.rows;
}

std::optional<Failure> exchanged_grid(const Trial& trial, const Evidence& evidence) {
    if (!is_exchanged(trial.launch, trial.shape)) return std::nullopt;
    if (trial.shape.rows == trial.shape.cols) {
        if (!evidence.can_try_again || !takes_rectangle(evidence.exercise)) return std::nullopt;
        const Trial seen = evidence.try_again({.shape = rectangle, .watch = Watch::result_alone});
        if (!seen.is_launched || !is_exchanged(seen.launch, rectangle)) return std::nullopt;
    }
    return Failure{
        .kind = FailureKind::grid_exchanged,
        .headline =
            "the grid does not cover the matrix, but would if rows and cols, or its two "
            "sizes, changed places.",
        .place = {evidence.source.name, line_of_launch(evidence.source.text, ".grid"), 0},
        .shape = trial.shape,
        .details = wrap(numbers(trial) + "."),
        .next = "The first size is across: it has to cover the columns, the second one the rows."};
}

void look_at_launch(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (covers_by_threads(trial.launch, trial.shape)) {
        acquit_grid(failure, trial, evidence);
        return;
    }
    if (failure.fault != Fault::grid_too_small || !evidence.can_try_again) return;
    const Trial seen = evidence.try_again(
        {.shape = trial.shape, .watch = Watch::result_alone, .wants_counters = true});
    if (!seen.comparison || !all_store_all(seen, seen.comparison->right)) return;
    const std::size_t doubt = failure.headline.find(". The grid is too small");
    if (doubt != std::string::npos) {
        failure.headline = failure.headline.substr(0, doubt) + ". The grid is too small.";
    }
    failure.place.line = line_of_launch(evidence.source.text, ".grid");
    failure.details +=
        wrap(numbers(trial) + "; all of these threads store, no two the same cells.");
}

}  // namespace coalesce
