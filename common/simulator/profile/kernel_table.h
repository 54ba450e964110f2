// The table of counters of every kernel that ran, and the names of the counters in reports and
// JSON.
//
// Builds on  code/kernel.h (counters per memory instruction), counters.h (the meaning of the
//            counters).
// Idea       Every counter is a member of Counters and an element of kCounters. Sums, JSON and
//            tests use kCounters, so a new counter must be added only in these two adjacent places.
// Read next  profile_text.cpp prints the rows, json.cpp writes them.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/coalesce_simulator.h"
#include "simulator/base/types.h"
#include "simulator/code/kernel.h"

namespace coalesce::simulator {

/// The counters of the C interface (coalesce_simulator.h), and counters for textures, surfaces and
/// clusters.
struct Counters : CoalesceCounters {
    Counters() : CoalesceCounters{} {}

    // Counters of texture fetches, of surface loads, and of stores and reductions to surfaces
    // (execute/texel_access.h).
    u64 texture_requests = 0, texture_sectors = 0, texture_useful_bytes = 0;
    u64 surface_load_requests = 0, surface_load_sectors = 0, surface_load_useful_bytes = 0;
    u64 surface_store_requests = 0, surface_store_sectors = 0, surface_store_useful_bytes = 0;
    /// Counters of accesses to the shared memory of other blocks in a cluster.
    u64 cluster_load_requests = 0, cluster_load_sectors = 0, cluster_load_useful_bytes = 0;
    u64 cluster_store_requests = 0, cluster_store_sectors = 0, cluster_store_useful_bytes = 0;
    u64 cluster_atomic_requests = 0, cluster_atomic_sectors = 0, cluster_atomic_useful_bytes = 0;

    Counters& operator+=(const Counters& added);
    bool has_memory_requests() const;
};

struct NamedCounter {
    const char* name;
    u64 Counters::*value;
    bool is_counted_per_line;  ///< true if the counter is also known for every source line
};

inline constexpr NamedCounter kCounters[] = {
    {"load_requests", &Counters::load_requests, true},
    {"load_sectors", &Counters::load_sectors, true},
    {"load_useful_bytes", &Counters::load_useful_bytes, true},
    {"load_waits", &Counters::load_waits, true},
    {"store_requests", &Counters::store_requests, true},
    {"store_sectors", &Counters::store_sectors, true},
    {"store_useful_bytes", &Counters::store_useful_bytes, true},
    {"atomic_requests", &Counters::atomic_requests, true},
    {"atomic_sectors", &Counters::atomic_sectors, true},
    {"atomic_useful_bytes", &Counters::atomic_useful_bytes, true},
    {"copy_waits", &Counters::copy_waits, true},
    {"copy_bytes_under_way", &Counters::copy_bytes_under_way, true},
    {"shared_load_requests", &Counters::shared_load_requests, true},
    {"shared_load_wavefronts", &Counters::shared_load_wavefronts, true},
    {"shared_load_ideal", &Counters::shared_load_ideal, true},
    {"shared_store_requests", &Counters::shared_store_requests, true},
    {"shared_store_wavefronts", &Counters::shared_store_wavefronts, true},
    {"shared_store_ideal", &Counters::shared_store_ideal, true},
    {"shared_atomic_requests", &Counters::shared_atomic_requests, true},
    {"shared_atomic_wavefronts", &Counters::shared_atomic_wavefronts, true},
    {"shared_atomic_ideal", &Counters::shared_atomic_ideal, true},
    {"texture_requests", &Counters::texture_requests, true},
    {"texture_sectors", &Counters::texture_sectors, true},
    {"texture_useful_bytes", &Counters::texture_useful_bytes, true},
    {"surface_load_requests", &Counters::surface_load_requests, true},
    {"surface_load_sectors", &Counters::surface_load_sectors, true},
    {"surface_load_useful_bytes", &Counters::surface_load_useful_bytes, true},
    {"surface_store_requests", &Counters::surface_store_requests, true},
    {"surface_store_sectors", &Counters::surface_store_sectors, true},
    {"surface_store_useful_bytes", &Counters::surface_store_useful_bytes, true},
    {"cluster_load_requests", &Counters::cluster_load_requests, true},
    {"cluster_load_sectors", &Counters::cluster_load_sectors, true},
    {"cluster_load_useful_bytes", &Counters::cluster_load_useful_bytes, true},
    {"cluster_store_requests", &Counters::cluster_store_requests, true},
    {"cluster_store_sectors", &Counters::cluster_store_sectors, true},
    {"cluster_store_useful_bytes", &Counters::cluster_store_useful_bytes, true},
    {"cluster_atomic_requests", &Counters::cluster_atomic_requests, true},
    {"cluster_atomic_sectors", &Counters::cluster_atomic_sectors, true},
    {"cluster_atomic_useful_bytes", &Counters::cluster_atomic_useful_bytes, true},
    {"warp_instructions", &Counters::warp_instructions, true},
    {"thread_instructions", &Counters::thread_instructions, false},
    {"branches", &Counters::branches, false},
    {"divergent_branches", &Counters::divergent_branches, false},
};

/// The numbers of loads and of stores of a source line that ptxas merges into the machine
/// instructions of earlier loads and stores.
struct MergedAccessCounts {
    u32 loads = 0, stores = 0;
};

struct LineRow {
    Place place;
    Counters counters;
    MergedAccessCounts merged_accesses = {};
};

struct KernelRow {
    /// The demangled name. Kernels with the same name and the same source file share a row. If
    /// kernels in different source files have the same name, the name of the file follows in
    /// parentheses.
    std::string name;
    u64 launches = 0;  ///< the number of completed launches
    /// The number of launches that an error stopped. These launches are not included in the other
    /// members.
    u64 stopped_launches = 0;
    /// The number of launches that were not checked (Options::max_checked_launches).
    u64 unchecked_launches = 0;
    Dim3 grid, block;   ///< the dimensions of the last launch, completed or stopped
    u32 registers = 0;  ///< the estimated registers per thread; 0 if unknown
    Counters counters;  ///< the sums over all launches
    CoalesceSpecialRequests special_requests{};
    /// True if warp_instructions is also counted for every line.
    bool has_instructions_by_line = false;
    std::vector<LineRow> lines;  ///< sorted by file and line; unknown lines are omitted
};

/// Returns the launched kernels, in the order in which they were loaded.
std::vector<KernelRow> make_kernel_table(const std::vector<const Kernel*>& kernels);

}  // namespace coalesce::simulator
