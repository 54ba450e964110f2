// What a run is asked to do, read once from the environment (see simulate/README or --help).
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Checks {
    bool memory = true;       ///< memcheck: out of bounds, misaligned
    bool race = true;         ///< racecheck: shared memory
    bool global_race = true;  ///< globalrace
    bool init = true;         ///< initcheck: global and shared
    bool sync = true;         ///< synccheck
    bool api = true;          ///< apicheck: calls of the runtime API that fail by mistake
    bool leak = false;        ///< leakcheck at exit

    /// Whether the check of this name is on. What has another name ("execution": asserts, the instruction budget,
    /// unknown instructions) cannot be switched off.
    bool wants(const std::string& name) const;
    /// Those of "all" that are off.
    std::vector<std::string> names_of_missing() const;
};

struct Options {
    Checks checks;
    u32 workers = 0;           ///< host threads that run blocks; 0: one per core
    u64 seed = 0;              ///< varies the order of warps and blocks; 0: the natural order
    u64 max_instructions = 0;  ///< warp instructions a launch may execute; 0: no limit
    /// Every register in a slot of its own, every instruction carried out by every warp, every lane's access
    /// by itself, every block checked in full: what the fast mode is compared with.
    bool plain = false;
    u32 devices = 1;                 ///< how many a program sees; they share memory and counters
    u64 memory_bytes = 64ull << 30;  ///< size of the simulated device's memory
    bool quiet = false;              ///< no reports on stderr while running
    std::string json_file;           ///< written at exit when set
    bool print_report = false;       ///< the table at exit
    bool print_lines = false;
    u64 sample = 0;             ///< launches with the same arguments that are checked; 0: all are
    u64 progress_after_ms = 0;  ///< of a launch, on a terminal; 0: never
    std::string time_on;        ///< the GPU on which launches' times are predicted; none when empty
};

/// COALESCE_SIM_CHECK=all|none|memcheck,racecheck,...  COALESCE_SIM_THREADS  COALESCE_SIM_SEED
/// COALESCE_SIM_MAX_INSTRUCTIONS  COALESCE_SIM_DEVICES  COALESCE_SIM_MEMORY  COALESCE_SIM_QUIET  COALESCE_SIM_JSON
/// COALESCE_SIM_REPORT  COALESCE_SIM_LINES  COALESCE_SIM_PLAIN  COALESCE_SIM_TIME=H200
/// COALESCE_SIM_SAMPLE  COALESCE_SIM_PROGRESS
Options& options();

/// Turns on exactly the checks that `list` names: "all", "none" or names with commas between. "all"
/// leaves leakcheck out, which is on request: "all,leakcheck". Returns what is wrong with the list,
/// empty when nothing is; `checks` is unchanged then.
std::string set_checks(Checks& checks, const std::string& list);

}  // namespace coalesce::simulator
