// What is wrong with a launch although the result is right: the lesson asks for a thread for each element.
//
// Not everything else is a mistake. Blocks of any size are right, and so is a grid that is rounded up; and
// a loop whose stride is the whole grid, with several blocks, is how CUDA code is written for arrays of any
// size. A single block is right as long as it could have a thread for each element.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernel/failure.h"
#include "program/witnessed_run.h"

namespace coalesce {

// Each failure has a line where that is another one than the launch's.

/// A launch that was refused for its block: <<<threads, blocks>>>.
std::optional<Failure> exchanged_launch(const LaunchShape& launch, std::size_t elements);
/// One thread, or a few, or one block for far more elements: <<<1, 1>>> and a loop.
std::optional<Failure> few_threads(const WitnessedRun& run, std::size_t elements);
/// Threads that all do all of it.
std::optional<Failure> repeated_work(const WitnessedRun& run, std::size_t elements);

/// How many elements would need a block that no device takes, if so many blocks are always launched;
/// nothing where that would be more than a test should take.
std::optional<int> elements_beyond(long long blocks);

}  // namespace coalesce
