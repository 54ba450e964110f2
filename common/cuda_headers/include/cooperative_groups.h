// The basics of cooperative groups: blocks, grids, clusters, tiles of a warp, and coalesced lanes.
//
// memcpy_async is available only with the CUDA toolkit.
#pragma once

#include "cuda_runtime.h"

#ifdef __CUDA__
namespace cooperative_groups {

/// All threads of a block.
class thread_block {
public:
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned int thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned int size() { return num_threads(); }
    __device__ static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    __device__ static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    __device__ static dim3 dim_threads() { return blockDim; }
    __device__ static dim3 group_dim() { return blockDim; }
};
__device__ inline thread_block this_thread_block() {
    return {};
}

/// All threads of a grid that was launched with cudaLaunchCooperativeKernel.
class grid_group {
public:
    __device__ static bool is_valid() { return workspace() != nullptr; }
    __device__ static unsigned int num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned int block_rank() {
        return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long thread_rank() {
        return 1ull * block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    __device__ static unsigned long long num_threads() {
        return 1ull * num_blocks() * thread_block::size();
    }
    __device__ static unsigned long long size() { return num_threads(); }
    __device__ static dim3 dim_blocks() { return gridDim; }
    __device__ static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    __device__ static dim3 group_dim() { return gridDim; }

    /// Waits until all threads of the grid have called this function. One thread of each block
    /// arrives by adding a value to a counter. The values of all blocks add up to 2^31, so the
    /// counter's highest bit flips when the last block arrives.
    __device__ static void sync() {
        unsigned int* arrived = workspace();
        if (!arrived) __trap();
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            const unsigned int last = 0x80000000u - (num_blocks() - 1);
            __threadfence();
            const unsigned int before = atomicAdd(arrived, block_rank() == 0 ? last : 1u);
            while (((before ^ *static_cast<volatile unsigned int*>(arrived)) & 0x80000000u) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
    }

private:
    /// Returns the address of the workspace, which a cooperative launch passes in two special
    /// registers.
    __device__ static unsigned int* workspace() {
        unsigned int high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        const unsigned long long address = static_cast<unsigned long long>(high) << 32 | low;
        return address == 0 ? nullptr : reinterpret_cast<unsigned int*>(address) + 1;
    }
};
__device__ inline grid_group this_grid() {
    return {};
}

/// All threads of a cluster. The launch attribute cudaLaunchAttributeClusterDimension sets the size
/// of the clusters. (clang ignores __cluster_dims__, see host_defines.h.)
class cluster_group {
public:
    struct arrival_token {};

    __device__ static void sync() {
        barrier_arrive();
        barrier_wait();
    }
    __device__ static arrival_token barrier_arrive() {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        return {};
    }
    __device__ static void barrier_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
    __device__ static void barrier_wait(arrival_token&&) { barrier_wait(); }

    __device__ static dim3 block_index() {
        dim3 index;
        asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(index.x));
        asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(index.y));
        asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(index.z));
        return index;
    }
    __device__ static unsigned int block_rank() {
        unsigned int rank;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        return rank;
    }
    __device__ static dim3 dim_blocks() {
        dim3 blocks;
        asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks.x));
        asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(blocks.y));
        asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(blocks.z));
        return blocks;
    }
    __device__ static unsigned int num_blocks() {
        unsigned int count;
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
        return count;
    }
    __device__ static dim3 dim_threads() {
        const dim3 blocks = dim_blocks();
        return {blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z};
    }
    __device__ static unsigned int num_threads() { return num_blocks() * thread_block::size(); }
    __device__ static unsigned int size() { return num_threads(); }
    __device__ static dim3 thread_index() {
        const dim3 block = block_index();
        return {block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z};
    }
    __device__ static unsigned int thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }

    /// Returns the address of `*variable` in the shared memory of the block with rank `rank`.
    template <class T>
    __device__ static T* map_shared_rank(T* variable, int rank) {
        T* result;
        asm("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(variable), "r"(rank));
        return result;
    }
    __device__ static unsigned int query_shared_rank(const void* variable) {
        unsigned int rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(variable));
        return rank;
    }
};
__device__ inline cluster_group this_cluster() {
    return {};
}

/// The common base class of tiles and coalesced groups: a set of lanes of one warp.
class warp_part {
public:
    __device__ explicit warp_part(unsigned int mask) : mask_(mask) {}
    __device__ unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int thread_rank() const {
        return static_cast<unsigned int>(__popc(mask_ & ((1u << lane()) - 1)));
    }
    __device__ void sync() const { __syncwarp(mask_); }
    __device__ int any(int p) const { return __any_sync(mask_, p); }
    __device__ int all(int p) const { return __all_sync(mask_, p); }
    __device__ unsigned int ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
    template <class T>
    __device__ unsigned int match_any(T value) const {
        return packed(__match_any_sync(mask_, value));
    }
    template <class T>
    __device__ T shfl(T value, unsigned int rank) const {
        return __shfl_sync(mask_, value, lane_of(rank));
    }
    template <class T>
    __device__ T shfl_up(T value, unsigned int by) const {
        const unsigned int rank = thread_rank();
        return __shfl_sync(mask_, value, lane_of(rank < by ? rank : rank - by));
    }
    template <class T>
    __device__ T shfl_down(T value, unsigned int by) const {
        const unsigned int rank = thread_rank();
        return __shfl_sync(mask_, value, lane_of(rank + by < size() ? rank + by : rank));
    }
    template <class T>
    __device__ T shfl_xor(T value, unsigned int by) const {
        const unsigned int rank = thread_rank();
        return __shfl_sync(mask_, value, lane_of((rank ^ by) < size() ? rank ^ by : rank));
    }

    __device__ unsigned int lanes() const { return mask_; }

protected:
    __device__ static unsigned int lane() {
        unsigned int lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    /// Returns the lane with this rank, which is the index of the `rank`-th set bit of the mask.
    /// Ranks start at 0.
    __device__ int lane_of(unsigned int rank) const {
        unsigned int rest = mask_;
        for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
        return __ffs(static_cast<int>(rest)) - 1;
    }
    /// Converts a lane mask to a mask of ranks in the group.
    __device__ unsigned int packed(unsigned int lanes) const {
        unsigned int result = 0, bit = 1;
        for (unsigned int rest = mask_; rest; rest &= rest - 1, bit <<= 1) {
            if (lanes & rest & (0u - rest)) result |= bit;
        }
        return result;
    }
    unsigned int mask_;
};

/// Any set of lanes of a warp, such as the lanes that are currently active.
class coalesced_group : public warp_part {
public:
    using warp_part::warp_part;
};
__device__ inline coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

/// Returns the lanes of the group that pass the same label as the caller.
template <class Group, class Label>
__device__ coalesced_group labeled_partition(const Group& group, Label label) {
    return coalesced_group(__match_any_sync(group.lanes(), static_cast<int>(label)));
}
/// Returns the lanes of the group that pass the same truth value as the caller.
template <class Group>
__device__ coalesced_group binary_partition(const Group& group, bool yes) {
    const unsigned int all = __ballot_sync(group.lanes(), yes);
    return coalesced_group(yes ? all : group.lanes() & ~all);
}

/// A tile: SIZE consecutive threads of a block, all in one warp.
template <unsigned int SIZE, class Parent = void>
class thread_block_tile : public warp_part {
    static_assert(SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    __device__ thread_block_tile()
        : warp_part(SIZE == 32 ? 0xffffffffu
                               : ((1u << (SIZE % 32)) - 1) << (lane() / SIZE * SIZE)) {}
    __device__ static constexpr unsigned int size() { return SIZE; }
    __device__ static constexpr unsigned int num_threads() { return SIZE; }
    __device__ static unsigned int thread_rank() { return lane() % SIZE; }
    __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    __device__ static unsigned int meta_group_size() {
        return (thread_block::size() + SIZE - 1) / SIZE;
    }
    template <class T>
    __device__ T shfl(T value, unsigned int rank) const {
        return __shfl_sync(mask_, value, static_cast<int>(rank), SIZE);
    }
    template <class T>
    __device__ T shfl_up(T value, unsigned int by) const {
        return __shfl_up_sync(mask_, value, by, SIZE);
    }
    template <class T>
    __device__ T shfl_down(T value, unsigned int by) const {
        return __shfl_down_sync(mask_, value, by, SIZE);
    }
    template <class T>
    __device__ T shfl_xor(T value, unsigned int by) const {
        return __shfl_xor_sync(mask_, value, static_cast<int>(by), SIZE);
    }
    __device__ unsigned int ballot(int p) const {
        return (__ballot_sync(mask_, p) & mask_) >> (lane() / SIZE * SIZE);
    }
};
template <unsigned int SIZE, class Parent>
__device__ thread_block_tile<SIZE, Parent> tiled_partition(const Parent&) {
    return {};
}

template <class Group>
__device__ void sync(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
#endif
