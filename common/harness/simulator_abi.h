// What the simulator's libcudart exports beside CUDA's functions, declared anew: the project's
// other parts include nothing of it. A test compares these with its own header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce::abi {

/// The version that the declarations below are of.
constexpr int version = 1;

struct Counters {
    std::uint64_t load_requests, load_sectors, load_useful_bytes;
    std::uint64_t store_requests, store_sectors, store_useful_bytes;
    std::uint64_t atomic_requests, atomic_sectors, atomic_useful_bytes;
    std::uint64_t shared_load_requests, shared_load_wavefronts, shared_load_ideal;
    std::uint64_t shared_store_requests, shared_store_wavefronts, shared_store_ideal;
    std::uint64_t shared_atomic_requests, shared_atomic_wavefronts, shared_atomic_ideal;
    std::uint64_t warp_instructions, thread_instructions;
    std::uint64_t branches, divergent_branches;
};

struct Kernel {
    const char* name;
    std::uint64_t launches;
    unsigned grid[3], block[3];
    Counters counters;
};

struct Report {
    const char *check, *kind, *file;
    unsigned line;
    const char* kernel;
    unsigned block[3], thread[3];
    std::uint64_t address, count;
    const char *message, *cure, *other_file;
    unsigned other_line;
    unsigned other_block[3], other_thread[3];
};

}  // namespace coalesce::abi
