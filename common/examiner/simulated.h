// The simulated GPU, asked for more than the harness asks: reports with their places, counters of
// one kernel, its lines. Works only where coalesce::simulator_library::is_loaded().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "harness/counters.h"

namespace coalesce {

/// What one line of the learner's file cost.
struct LineCounters {
    int line = 0;       ///< from 1
    Counters counters;  ///< `kernels` is 0
};

namespace simulated {

/// One thread of a launch.
struct Thread {
    std::array<unsigned, 3> block{}, thread{};
    /// "block (1,0), thread (3,2)"
    std::string text() const;
};

/// What one of the simulator's checks has to say.
struct Report {
    std::string check, kind;    ///< "memcheck", "out of bounds"
    std::string message, cure;  ///< sentences
    Place place, other_place;   ///< in the learner's file when `file` is it; line 0: not known
    Thread thread, other_thread;
    std::uint64_t address = 0;

    /// Of that check and, unless "", of that kind.
    bool is(const char* wanted_check, const char* wanted_kind = "") const;
};

/// Everything since the last simulator_library::forget_reports, with `file_name` for the learner's file.
std::vector<Report> reports(const std::string& file_name);

/// What kernels of that name cost since simulator_library::reset_counters.
Counters counters_of(const std::string& kernel);

/// The lines of the learner's file that touched memory in kernels of that name, in their order.
std::vector<LineCounters> lines_of(const std::string& kernel);

/// One load or store of a warp, as it was executed.
struct Access {
    int line = 0;            ///< in the learner's file
    bool is_shared = false;  ///< of shared memory; else of global memory
    bool is_store = false;   ///< else a load
    unsigned bytes_per_lane = 4;
    std::uint32_t active = 0;                   ///< one bit per lane
    std::array<std::uint64_t, 32> addresses{};  ///< of active lanes; in shared memory the offset
    unsigned cost = 0;                          ///< sectors; of shared memory wavefronts
    unsigned ideal = 0;                         ///< the least for these bytes

    /// The addresses of its active lanes alone.
    std::vector<std::uint64_t> of_active() const {
        std::vector<std::uint64_t> found;
        for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
            if ((active >> lane & 1) != 0) found.push_back(addresses[lane]);
        }
        return found;
    }
};

/// What was written down, of the learner's file.
std::vector<Access> traced();

/// These checks on ("all", "none"), and a launch may execute that many warp instructions.
void prepare(const char* checks, std::uint64_t most_warp_instructions);

/// Nobody has written these bytes of device memory, whatever they hold: who reads them is told.
void mark_unwritten(const void* begin, std::size_t bytes);

/// Memory lies elsewhere from now on. Throws std::runtime_error when something is allocated already.
void draw_addresses(std::uint64_t seed);

/// Changes when another simulator is loaded: for caches.
std::string identity();

}  // namespace simulated

}  // namespace coalesce
