// One run of a learner's program on the simulated GPU: how it ended, what it asked of CUDA's runtime
// library, and what the simulator's checks found.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/child.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// A launch, as the program asked for it.
struct SeenLaunch {
    LaunchShape shape;
    bool is_good = false;  ///< it was possible
    /// In all its blocks.
    long long threads() const { return shape.blocks() * shape.threads(); }
};

/// A copy, as the program asked for it.
struct SeenCopy {
    std::string way;    ///< "to-gpu", "to-host", "elsewhere", as it was said by its kind
    std::string error;  ///< "cudaErrorInvalidValue"; "": it was possible
    bool is_after_launch = false;
};

/// What a kernel stored.
struct SeenStores {
    long long launches = 0;
    long long bytes = 0;  ///< by all threads of all launches, as often as they stored them
    int line = 0;         ///< of the learner's file, that stored most of them; 0: none is known
};

/// What a check of the simulator found.
struct SeenReport {
    std::string check, kind, message, cure;
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
    std::vector<SeenCopy> copies;    ///< in their order, those that failed as well
    bool is_asked_for = false;       ///< the error of a launch, after it
    std::vector<float> in, out;      ///< what the last copies each way have moved
    std::vector<SeenStores> stores;  ///< of each kernel that came to its end
    std::vector<SeenReport> reports;
};

/// Seconds after which a program is ended.
constexpr int kSecondsOfProgram = 10;

/// Runs it, in a folder of its own.
WitnessedRun run_witnessed(const ProgramRun& run);

}  // namespace coalesce
