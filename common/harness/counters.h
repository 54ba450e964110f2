/// \file
/// Reads the counters of the simulated GPU. The counter functions are looked up by name at run
/// time, because NVIDIA's libcudart does not have them. With NVIDIA's libcudart, nothing is
/// counted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/coalesce_simulator.h"

namespace coalesce {

/// The simulator's counters, summed over the kernels that a variant launched.
///
/// - A request is one load, store or atomic instruction of a warp.
/// - A sector is a 32-byte unit of global memory that a request accesses. If an atomic takes
/// several passes, each pass counts its own sectors.
/// - A wavefront is one pass through shared memory. The ideal is the number of passes that would be
/// enough if there were no bank conflicts.
struct Counters : CoalesceCounters {
    Counters() : CoalesceCounters{} {}

    std::uint64_t kernels = 0;  ///< the number of launched kernels; not written to the JSON
    std::string kernel;         ///< the name of the last kernel, without its parameters

    /// Returns the number of wavefronts in excess of the ideal.
    std::uint64_t bank_conflicts() const {
        return shared_load_wavefronts - shared_load_ideal + shared_store_wavefronts -
               shared_store_ideal + shared_atomic_wavefronts - shared_atomic_ideal;
    }
    /// Reports whether any request to global or shared memory was counted.
    bool has_memory_requests() const {
        return global_requests() + shared_load_requests + shared_store_requests +
                   shared_atomic_requests >
               0;
    }
    /// Returns the number of sectors accessed by loads, stores and atomics.
    std::uint64_t sectors() const { return load_sectors + store_sectors + atomic_sectors; }
    /// Returns the number of requests to global memory.
    std::uint64_t global_requests() const {
        return load_requests + store_requests + atomic_requests;
    }
    /// Returns the number of shared-memory wavefronts of loads, stores and atomics.
    std::uint64_t shared_wavefronts() const {
        return shared_load_wavefronts + shared_store_wavefronts + shared_atomic_wavefronts;
    }
    /// Returns the number of bytes moved between global memory and the multiprocessors.
    std::uint64_t bytes_moved() const { return 32 * sectors(); }
};

/// The counters that are written to the JSON, each with its key.
inline constexpr std::pair<const char*, std::uint64_t CoalesceCounters::*> kCounterNames[] = {
    {"load_requests", &CoalesceCounters::load_requests},
    {"load_sectors", &CoalesceCounters::load_sectors},
    {"load_waits", &CoalesceCounters::load_waits},
    {"store_requests", &CoalesceCounters::store_requests},
    {"store_sectors", &CoalesceCounters::store_sectors},
    {"atomic_requests", &CoalesceCounters::atomic_requests},
    {"atomic_sectors", &CoalesceCounters::atomic_sectors},
    {"copy_waits", &CoalesceCounters::copy_waits},
    {"copy_bytes_under_way", &CoalesceCounters::copy_bytes_under_way},
    {"shared_load_requests", &CoalesceCounters::shared_load_requests},
    {"shared_load_wavefronts", &CoalesceCounters::shared_load_wavefronts},
    {"shared_load_ideal", &CoalesceCounters::shared_load_ideal},
    {"shared_store_requests", &CoalesceCounters::shared_store_requests},
    {"shared_store_wavefronts", &CoalesceCounters::shared_store_wavefronts},
    {"shared_store_ideal", &CoalesceCounters::shared_store_ideal},
    {"shared_atomic_requests", &CoalesceCounters::shared_atomic_requests},
    {"shared_atomic_wavefronts", &CoalesceCounters::shared_atomic_wavefronts},
    {"shared_atomic_ideal", &CoalesceCounters::shared_atomic_ideal},
    {"warp_instructions", &CoalesceCounters::warp_instructions},
};

/// Wrappers for functions of the simulator. They do nothing unless this process has loaded the
/// simulator's libcudart.
namespace simulator_library {

/// Reports whether the simulator is loaded.
bool is_loaded();
/// Sets all counters to zero.
void reset_counters();
/// Returns the counters since the last reset.
Counters counters();
/// Returns the reports of all checks, such as memcheck and racecheck, since the last call of
/// `clear_reports`. Each report is a few lines of text.
std::vector<std::string> reports();
/// Reports whether one of the checks found a race in shared memory.
bool has_shared_race_report();
/// Deletes the reports, and clears the error that stopped a kernel, so that the next kernel can
/// run.
void clear_reports();
/// Sets whether the simulator is quiet, so that it does not print its reports. The harness prints
/// the reports itself.
void set_quiet(bool is_quiet);

}  // namespace simulator_library
}  // namespace coalesce
