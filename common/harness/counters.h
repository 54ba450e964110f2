/// \file
/// What the simulated GPU counts, and how it is asked: by the names of its functions, at run time.
/// With NVIDIA's libcudart loaded the names are not there, and nothing is counted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coalesce {

/// Sums over the kernels that a variant launched. The names are those of the simulator's JSON.
struct Counters {
    std::uint64_t load_requests = 0;             ///< warp-wide loads from global memory
    std::uint64_t load_sectors = 0;              ///< sectors that they touched
    std::uint64_t load_waits = 0;                ///< times that a warp waited for such loads
    std::uint64_t store_requests = 0;            ///< warp-wide stores to global memory
    std::uint64_t store_sectors = 0;             ///< sectors that they touched
    std::uint64_t atomic_requests = 0;           ///< warp-wide atomics on global memory
    std::uint64_t atomic_sectors = 0;            ///< sectors that they touched, same words in turn
    std::uint64_t copy_waits = 0;                ///< for asynchronous copies to shared memory
    std::uint64_t copy_bytes_under_way = 0;      ///< while shared memory was read, added up
    std::uint64_t shared_load_requests = 0;      ///< warp-wide loads from shared memory
    std::uint64_t shared_load_wavefronts = 0;    ///< passes that they took
    std::uint64_t shared_load_ideal = 0;         ///< passes without any bank conflict
    std::uint64_t shared_store_requests = 0;     ///< warp-wide stores to shared memory
    std::uint64_t shared_store_wavefronts = 0;   ///< passes that they took
    std::uint64_t shared_store_ideal = 0;        ///< passes without any bank conflict
    std::uint64_t shared_atomic_requests = 0;    ///< warp-wide atomics on shared memory
    std::uint64_t shared_atomic_wavefronts = 0;  ///< passes that they took
    std::uint64_t shared_atomic_ideal = 0;       ///< passes with a bank for each lane
    std::uint64_t warp_instructions = 0;         ///< instructions that warps executed
    std::uint64_t kernels = 0;                   ///< kernels that were launched; not in the JSON
    std::string kernel = {};                     ///< the last of them, its name alone

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

/// Those that are written to JSON, under their names there.
inline constexpr std::pair<const char*, std::uint64_t Counters::*> kCounterNames[] = {
    {"load_requests", &Counters::load_requests},
    {"load_sectors", &Counters::load_sectors},
    {"load_waits", &Counters::load_waits},
    {"store_requests", &Counters::store_requests},
    {"store_sectors", &Counters::store_sectors},
    {"atomic_requests", &Counters::atomic_requests},
    {"atomic_sectors", &Counters::atomic_sectors},
    {"copy_waits", &Counters::copy_waits},
    {"copy_bytes_under_way", &Counters::copy_bytes_under_way},
    {"shared_load_requests", &Counters::shared_load_requests},
    {"shared_load_wavefronts", &Counters::shared_load_wavefronts},
    {"shared_load_ideal", &Counters::shared_load_ideal},
    {"shared_store_requests", &Counters::shared_store_requests},
    {"shared_store_wavefronts", &Counters::shared_store_wavefronts},
    {"shared_store_ideal", &Counters::shared_store_ideal},
    {"shared_atomic_requests", &Counters::shared_atomic_requests},
    {"shared_atomic_wavefronts", &Counters::shared_atomic_wavefronts},
    {"shared_atomic_ideal", &Counters::shared_atomic_ideal},
    {"warp_instructions", &Counters::warp_instructions},
};

/// The simulator, when it is the libcudart of this process.
namespace simulator {

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

}  // namespace simulator
}  // namespace coalesce
