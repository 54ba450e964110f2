// The options of a run, read once from the environment (see simulate/README or --help).
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Checks {
    bool runs_memcheck = true;    ///< memcheck: out-of-bounds and misaligned accesses
    bool runs_racecheck = true;   ///< racecheck: races in shared memory
    bool runs_globalrace = true;  ///< globalrace: races in global memory
    bool runs_initcheck = true;   ///< initcheck: reads of uninitialized memory
    bool runs_synccheck = true;   ///< synccheck: incorrect use of barriers and warp masks
    bool runs_apicheck = true;    ///< apicheck: runtime API calls that fail because of a mistake
    /// streamcheck: missing synchronization between streams, or with the host
    bool runs_streamcheck = true;
    bool runs_leakcheck = false;  ///< leakcheck: memory still allocated at exit
    /// equalvalues: also report races in which a store writes the value that the memory already
    /// contains. With different input, such a store may change the memory.
    bool reports_equal_values = false;

    /// Reports whether the check with this name is enabled. Errors named "execution" (asserts, the
    /// instruction limit, unknown instructions) belong to no check and are always reported.
    bool is_enabled(const std::string& name) const;
    /// Returns the names of the checks that are part of "all" but turned off. Neither leakcheck nor
    /// equalvalues is part of "all".
    std::vector<std::string> list_disabled_checks() const;
};

struct Options {
    Checks checks;
    u32 worker_count = 0;  ///< the number of host threads that run blocks; 0 means one per core
    u64 seed = 0;          ///< seeds the order of warps and blocks; 0 selects the natural order
    u64 sample_seed = 0;  ///< seeds the choice of the recorded blocks; 0 selects the default blocks
    u64 max_instructions = 0;  ///< the warp instructions allowed per launch; 0 means no limit
    /// True to turn off all optimizations: every register then has its own slot, every warp
    /// executes every instruction, every lane's access is separate, and every block is checked
    /// completely. Tests compare the results with and without optimizations.
    bool is_plain = false;
    /// The number of devices that the program sees. All devices share memory and counters.
    u32 device_count = 1;
    u64 memory_bytes = 64ull << 30;  ///< the size of the simulated device's memory, in bytes
    bool is_quiet = false;           ///< true to suppress reports on stderr during the run
    /// True if printf in kernels prints its output. If false, kernels skip their printf calls,
    /// which then cost nothing.
    bool has_printf = true;
    /// True if the program is expected to start other programs, as a script does. The program then
    /// prints a report only if it launches a kernel itself.
    bool is_launcher = false;
    /// The folder in which each process writes its JSON report at exit, or empty for no report.
    std::string json_folder;
    std::string kernel_expression;  ///< regular expression that selects kernels; empty selects all
    std::string suppression_rules;  ///< rules for the reports to suppress (report/selection.h)
    bool prints_report = false;     ///< true to print the table of kernels at exit
    bool prints_lines = false;      ///< true to add the counters of each source line to the table
    /// The maximum number of launches to check for each combination of kernel and arguments. 0
    /// means no limit.
    u64 max_checked_launches = 0;
    /// The time in milliseconds after which the progress of a running launch is shown on a
    /// terminal. 0 means never.
    u64 progress_after_ms = 0;
    /// The file to which the trace of one block is written at exit, or empty if no block is traced.
    /// `trace_block` and `trace_launch` select the block and its launch.
    std::string trace_file;
    u64 trace_block = 0, trace_launch = 0;
    std::string predicted_gpu;  ///< the GPU whose times are predicted; empty means no predictions
    /// True if predictions include the time that launches would save without their inefficiencies.
    bool finds_savings = false;
};

/// Returns the options. They are read once from these environment variables:
/// COALESCE_SIM_CHECK=all|none|memcheck,racecheck,... COALESCE_SIM_THREADS COALESCE_SIM_SEED
/// COALESCE_SIM_MAX_INSTRUCTIONS  COALESCE_SIM_DEVICES  COALESCE_SIM_MEMORY  COALESCE_SIM_QUIET
/// COALESCE_SIM_JSON_FOLDER  COALESCE_SIM_LAUNCHER  COALESCE_SIM_KERNEL  COALESCE_SIM_SUPPRESS
/// COALESCE_SIM_REPORT  COALESCE_SIM_LINES  COALESCE_SIM_PLAIN  COALESCE_SIM_TIME=H200
/// COALESCE_SIM_SAMPLE  COALESCE_SIM_PROGRESS  COALESCE_SIM_TRACE  COALESCE_SIM_TRACE_BLOCK
/// COALESCE_SIM_TRACE_LAUNCH  COALESCE_SIM_SAVINGS
Options& options();

/// Turns on exactly the checks in `list`: "all", "none", or names separated by commas. "all" does
/// not include leakcheck and equalvalues; "all,leakcheck" includes leakcheck. Returns "", or a
/// message that says what is wrong with the list. On error, `checks` is not changed.
std::string set_checks(Checks& checks, const std::string& list);

}  // namespace coalesce::simulator
