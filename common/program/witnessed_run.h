// One run of a learner's program on the simulated GPU: how it ended, what it asked of CUDA's runtime
// library, and what the simulator's checks found.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/child.h"
#include "kernel/loaded_kernel.h"

namespace coalesce {

/// A launch, as the program asked for it.
struct SeenLaunch {
    LaunchShape shape;
    bool is_good = false;  ///< it was possible
    /// In all its blocks.
    long long threads() const { return shape.blocks() * shape.threads(); }
};

/// What a check of the simulator found.
struct SeenReport {
    std::string check, kind, kernel, message, cure;
    int line = 0;  ///< of the learner's file; 0: none is known
    std::array<long long, 3> block{}, thread{};
};

/// How a program is run.
struct ProgramRun {
    std::filesystem::path program;
    int elements = 0;            ///< its only argument
    bool launches_fail = false;  ///< each is refused, as one with a block too large is
};

/// What came of it.
struct WitnessedRun {
    Ended ended;
    std::vector<SeenLaunch> launches;
    std::vector<std::string> failed_copies;  ///< "to-gpu: cudaErrorInvalidValue"
    bool is_asked_for = false;               ///< the error of a launch, after it
    bool is_copied_in = false;               ///< something came to the GPU before a launch
    bool is_copied_back = false;             ///< something came back after one
    std::vector<float> in, out;              ///< what the last copies each way have moved
    std::vector<SeenReport> reports;
};

/// Seconds after which a program is ended.
constexpr int seconds_of_program = 10;

/// Runs it, in a folder of its own.
WitnessedRun run_witnessed(const ProgramRun& run);

}  // namespace coalesce
