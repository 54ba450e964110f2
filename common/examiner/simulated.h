// Reads data from the simulated GPU that only the examiner needs: reports with their source
// locations, and the counters of each kernel and line. The functions may be called only if
// coalesce::simulator_library::is_loaded() is true.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "harness/counters.h"

namespace coalesce {

/// The costs of one line in the learner's file.
struct LineCounters {
    int line = 0;       ///< line number, counted from 1
    Counters counters;  ///< the costs; `kernels` is always 0, because a line launches no kernels
};

/// The costs of a launch's bulk copies (TMA). Each bulk copy counts as one request. Other counters
/// include these costs.
struct BulkCopies {
    std::uint64_t load_requests = 0, load_sectors = 0;    ///< copies to shared memory
    std::uint64_t store_requests = 0, store_sectors = 0;  ///< copies to global memory
};

namespace simulated {

/// One thread of a launch.
struct Thread {
    std::array<unsigned, 3> block{}, thread{};
    /// Returns "block (1,0), thread (3,2)".
    std::string text() const;
};

/// A report from one of the simulator's checks.
struct Report {
    std::string check, kind;    ///< names such as "memcheck" and "out of bounds"
    std::string message, cure;  ///< sentences that say what is wrong and how to fix it
    Place place, other_place;   ///< lines are 0 if unknown
    Thread thread, other_thread;
    std::uint64_t address = 0;

    /// Reports whether the report comes from this check and is of this kind. An empty kind matches
    /// any kind.
    bool matches(const char* required_check, const char* required_kind = "") const;
};

/// Returns all reports since the last call of simulator_library::clear_reports. `file_name`
/// replaces the internal name of the learner's file.
std::vector<Report> reports(const std::string& file_name);

/// Returns the total costs of all kernels with this name since the last call of
/// simulator_library::reset_counters. Leaves out loads that move no elements of a matrix: loads from
/// variables of the program in which all lanes read the same address, repeated polls of shared
/// memory, and up to `max_polls` other polls.
Counters read_counters(const std::string& kernel, std::uint64_t max_polls);

/// Returns the bulk copies of all kernels with this name since the last call of
/// simulator_library::reset_counters.
BulkCopies read_bulk_copies(const std::string& kernel);

/// Returns the costs of the learner's lines that access memory in the kernel `kernel`, ordered by
/// line.
std::vector<LineCounters> read_line_counters(const std::string& kernel);

/// A load or store executed by a warp.
struct Access {
    int line = 0;            ///< line in the learner's file; 0 for an access in another file
    bool is_shared = false;  ///< true for shared memory, false for global memory
    bool is_store = false;   ///< true for a store, false for a load
    unsigned bytes_per_lane = 4;
    std::uint32_t active = 0;  ///< bit mask of the active lanes
    /// The address that each active lane accesses. For shared memory, the address is an offset from
    /// the beginning of the block's shared memory.
    std::array<std::uint64_t, 32> addresses{};
    /// The cost of the access: sectors of global memory, or wavefronts of shared memory.
    unsigned cost = 0;
    unsigned ideal = 0;  ///< the minimum cost of an access to the same number of bytes

    std::vector<std::uint64_t> active_addresses() const {
        std::vector<std::uint64_t> addresses_of_lanes;
        for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
            if ((active >> lane & 1) != 0) addresses_of_lanes.push_back(addresses[lane]);
        }
        return addresses_of_lanes;
    }
};

/// Returns the recorded accesses of the traced warp. Accesses in other files, such as headers, have
/// line 0.
std::vector<Access> traced();

/// Returns the steps of the recorded block as JSON (docs/guide/trace.md). Throws std::runtime_error
/// if the simulator could not record them.
std::string block_trace();

/// Enables `checks` ("all" or "none"), and limits each launch to `max_warp_instructions` warp
/// instructions.
void prepare(const char* checks, std::uint64_t max_warp_instructions);

/// Marks bytes of device memory as unwritten, so that a check reports reads from them.
void mark_unwritten(const void* begin, std::size_t bytes);

/// Makes subsequent allocations return addresses that depend on `seed`. Throws std::runtime_error
/// if memory is already allocated.
void randomize_addresses(std::uint64_t seed);

/// Returns an identifier of the loaded simulator, for use in cache keys.
std::string identity();

}  // namespace simulated

}  // namespace coalesce
