/// \file
/// What the simulated GPU counts, and how it is asked: by the names of its functions, at run time.
/// With NVIDIA's libcudart loaded the names are not there, and nothing is counted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/coalesce_simulator.h"

namespace coalesce {

/// Sums over the kernels that a variant launched, as the simulator counts them. Requests are warp-wide
/// loads, stores or atomics, and sectors those of global memory that they touched (atomics on the same
/// words touch them in turn). Wavefronts are the passes that shared memory took, and the ideal those that
/// it would take without any bank conflict.
struct Counters : CoalesceCounters {
    Counters() : CoalesceCounters{} {}

    std::uint64_t kernels = 0;  ///< kernels that were launched; not in the JSON
    std::string kernel;         ///< the last of them, its name alone

    /// Wavefronts beyond the ideal.
    std::uint64_t bank_conflicts() const {
        return shared_load_wavefronts - shared_load_ideal + shared_store_wavefronts -
               shared_store_ideal + shared_atomic_wavefronts - shared_atomic_ideal;
    }
    /// Whether global or shared memory was touched at all.
    bool has_memory_requests() const {
        return load_requests + store_requests + atomic_requests + shared_load_requests +
                   shared_store_requests + shared_atomic_requests >
               0;
    }
    /// Bytes that moved between global memory and the multiprocessors.
    std::uint64_t bytes_moved() const {
        return 32 * (load_sectors + store_sectors + atomic_sectors);
    }
};

/// Those that we know and write to JSON, under their names there.
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

/// The simulator, when it is the libcudart of this process.
namespace simulator_library {

/// Whether it is.
bool is_loaded();
/// Counts from zero.
void reset_counters();
/// The counts since then.
Counters counters();
/// What its checks (memcheck, racecheck, ...) had to say since the last `forget_reports`, each a
/// text of a few lines.
std::vector<std::string> reports();
/// Whether one of those reports is of a race in shared memory.
bool reported_a_shared_race();
/// Forgets reports, and the error that stopped a kernel, so that the next one can run.
void forget_reports();
/// Whether it prints reports as they come; the harness shows them itself.
void set_quiet(bool quiet);

}  // namespace simulator_library
}  // namespace coalesce
