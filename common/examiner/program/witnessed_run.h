// Runs a learner's program once on the simulated GPU. Records the exit code, the output, the calls
// to the CUDA runtime, and the reports of the simulator's checks.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/child.h"
#include "examiner/launch_shape.h"

namespace coalesce {

/// A launch that the program requested.
struct RecordedLaunch {
    LaunchShape shape;
    bool is_good = false;  ///< whether the launch was valid
    long long threads() const { return shape.blocks() * shape.threads(); }
};

/// A copy that the program requested.
struct RecordedCopy {
    std::string direction;  ///< the kind of copy: "to-gpu", "to-host" or "elsewhere"
    std::string error;      ///< the error, such as "cudaErrorInvalidValue"; "" on success
    bool is_after_launch = false;
};

/// The stores of a kernel.
struct RecordedStores {
    long long launches = 0;
    long long bytes = 0;  ///< bytes stored in all launches; an address stored twice counts twice
    int line = 0;         ///< line in the learner's file that stored the most bytes; 0 if unknown
};

/// A report of one of the simulator's checks.
struct RecordedReport {
    std::string check, kind, message, cure;
    int line = 0;  ///< line in the learner's file; 0 if unknown
    std::array<long long, 3> block{}, thread{};
};

/// The parameters of a run of the program.
struct ProgramRun {
    std::filesystem::path program;
    int elements = 0;  ///< number of elements, the program's only argument
    /// Whether to make every launch fail, as if its blocks were too large.
    bool should_fail_launches = false;
};

/// The result of a run of the program.
struct RecordedRun {
    ProcessResult process_result;
    std::vector<RecordedLaunch> launches;
    std::vector<RecordedCopy> copies;  ///< all copies in order, including those that failed
    /// Whether the program called cudaGetLastError or cudaPeekAtLastError.
    bool has_checked_error = false;
    std::vector<float> in, out;          ///< the data of the last copy in each direction
    std::vector<RecordedStores> stores;  ///< the stores of each kernel that ran to completion
    std::vector<RecordedReport> reports;
};

/// The time limit for one run of a program, in seconds.
constexpr int kProgramSeconds = 10;

/// Runs the program once, and records its calls in a temporary folder.
RecordedRun run_recorded(const ProgramRun& run);

}  // namespace coalesce
