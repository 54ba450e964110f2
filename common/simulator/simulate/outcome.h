// Determines the exit code of `simulate` from the outcome of a run.
#pragma once

#include <cstddef>

#include "simulator/simulate/child.h"
#include "simulator/simulate/command_line.h"

namespace coalesce::simulator {

/// The exit code with --gate if the program failed. Without --gate, `simulate` returns the
/// program's own exit code.
inline constexpr int kProgramFailed = 1;
/// The exit code if the program, or a part of it, could not be simulated.
inline constexpr int kNotSimulated = 2;
/// The exit code if a cost exceeds a limit, or has grown since an earlier run.
inline constexpr int kTooExpensive = 3;
/// The exit code with --gate if a check has reported a mistake. Without --gate, the exit code in
/// this case is the value of the option --error-exitcode.
inline constexpr int kMistakesReported = 4;

/// The properties of a run that determine the exit code.
struct Outcome {
    bool has_counters = false;        ///< true if any process has written its report
    bool has_kernels = false;         ///< true if the program launched any of the selected kernels
    std::size_t mistake_reports = 0;  ///< the number of reports about mistakes
    /// The number of reports about work that was not simulated.
    std::size_t missing_work_reports = 0;
    std::size_t excessive_costs = 0;  ///< the number of excessive costs
};

int choose_exit_code(const CommandLine& line, const Ending& ending, const Outcome& outcome);

}  // namespace coalesce::simulator
