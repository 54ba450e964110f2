// Block-wide prefix sums, and algorithms that use them.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "tutorial.h"

using namespace tutorial;
namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 256;

int length() {
    return pick(1 << 22, 1 << 16);
}

/// Returns inclusive or exclusive prefix sums, which restart after every `run` elements.
std::vector<int> prefix_sums(const std::vector<int>& in, std::size_t run, bool is_inclusive) {
    std::vector<int> sums(in.size());
    int sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (i % run == 0) sum = 0;
        sums[i] = is_inclusive ? sum + in[i] : sum;
        sum += in[i];
    }
    return sums;
}

std::string compare_scan(const Buffer<int>& out, const Buffer<int>& in, std::size_t run,
                         bool is_inclusive) {
    const auto sums = prefix_sums(in.start(), run, is_inclusive);
    return compare(out, [&](std::size_t i) { return sums[i]; });
}

/// Returns an example whose kernel scans `run` elements in each block.
template <class Kernel>
Example scan_of_blocks(Kernel kernel, int run, int threads, bool is_inclusive) {
    const int n = length();
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n);
    return {[=] { kernel<<<n / run, threads>>>(out.get(), in.get()); },
            [=] { return compare_scan(out, in, static_cast<std::size_t>(run), is_inclusive); }};
}

__device__ int warp_scan(int v) {
    const int lane = threadIdx.x % 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, v, offset);
        if (lane >= offset) v += other;
    }
    return v;
}

/// Returns the inclusive scan of `v` over a block of up to 1024 threads.
__device__ int block_scan(int v) {
    __shared__ int of_warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_scan(v);
    if (lane == 31) of_warps[warp] = v;
    __syncthreads();
    if (warp == 0) of_warps[lane] = warp_scan(lane < blockDim.x / 32 ? of_warps[lane] : 0);
    __syncthreads();
    return warp > 0 ? v + of_warps[warp - 1] : v;
}

}  // namespace

// Implements the Hillis-Steele scan with two buffers.
__global__ void scan_hillis_steele(int* out, const int* in) {
    __shared__ int s[2 * kThreads];
    const int t = threadIdx.x;
    int from = 0, to = kThreads;
    s[t] = in[blockIdx.x * kThreads + t];
    __syncthreads();
    for (int offset = 1; offset < kThreads; offset *= 2) {
        s[to + t] = t >= offset ? s[from + t] + s[from + t - offset] : s[from + t];
        __syncthreads();
        const int swapped = from;
        from = to;
        to = swapped;
    }
    out[blockIdx.x * kThreads + t] = s[from + t];
}
EXAMPLE(scan_hillis_steele) {
    return scan_of_blocks(scan_hillis_steele, kThreads, kThreads, true);
}

// Scans in place, with two barriers per step.
__global__ void scan_two_barriers(int* out, const int* in) {
    __shared__ int s[kThreads];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * kThreads + t];
    __syncthreads();
    for (int offset = 1; offset < kThreads; offset *= 2) {
        const int before = t >= offset ? s[t - offset] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    out[blockIdx.x * kThreads + t] = s[t];
}
EXAMPLE(scan_two_barriers) {
    return scan_of_blocks(scan_two_barriers, kThreads, kThreads, true);
}

// Implements the Blelloch scan, which moves up a tree of sums and then down again.
__global__ void scan_blelloch(int* out, const int* in) {
    __shared__ int s[2 * kThreads];
    const int t = threadIdx.x, first = blockIdx.x * 2 * kThreads;
    int offset = 1;
    s[2 * t] = in[first + 2 * t];
    s[2 * t + 1] = in[first + 2 * t + 1];
    for (int d = kThreads; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[2 * kThreads - 1] = 0;
    for (int d = 1; d < 2 * kThreads; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            const int left = s[a];
            s[a] = s[b];
            s[b] += left;
        }
    }
    __syncthreads();
    out[first + 2 * t] = s[2 * t];
    out[first + 2 * t + 1] = s[2 * t + 1];
}
EXAMPLE(scan_blelloch) {
    return scan_of_blocks(scan_blelloch, 2 * kThreads, kThreads, false);
}

namespace {

/// Returns the index of element `i` in an array with one unused word after every 32 words.
__device__ int padded(int i) {
    return i + (i >> 5);
}

}  // namespace

// Implements the Blelloch scan with padding against bank conflicts.
__global__ void scan_blelloch_padded(int* out, const int* in) {
    __shared__ int s[2 * kThreads + 2 * kThreads / 32];
    const int t = threadIdx.x, first = blockIdx.x * 2 * kThreads;
    int offset = 1;
    s[padded(t)] = in[first + t];
    s[padded(t + kThreads)] = in[first + t + kThreads];
    for (int d = kThreads; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[padded(offset * (2 * t + 2) - 1)] += s[padded(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) s[padded(2 * kThreads - 1)] = 0;
    for (int d = 1; d < 2 * kThreads; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = padded(offset * (2 * t + 1) - 1), b = padded(offset * (2 * t + 2) - 1);
            const int left = s[a];
            s[a] = s[b];
            s[b] += left;
        }
    }
    __syncthreads();
    out[first + t] = s[padded(t)];
    out[first + t + kThreads] = s[padded(t + kThreads)];
}
EXAMPLE(scan_blelloch_padded) {
    return scan_of_blocks(scan_blelloch_padded, 2 * kThreads, kThreads, false);
}

// Implements the Brent-Kung scan, with two elements per thread.
__global__ void scan_brent_kung(int* out, const int* in) {
    __shared__ int s[2 * kThreads];
    const int t = threadIdx.x, first = blockIdx.x * 2 * kThreads;
    s[t] = in[first + t];
    s[t + kThreads] = in[first + t + kThreads];
    for (int stride = 1; stride <= kThreads; stride *= 2) {
        __syncthreads();
        const int at = (t + 1) * 2 * stride - 1;
        if (at < 2 * kThreads) s[at] += s[at - stride];
    }
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        const int at = (t + 1) * 2 * stride - 1;
        if (at + stride < 2 * kThreads) s[at + stride] += s[at];
    }
    __syncthreads();
    out[first + t] = s[t];
    out[first + t + kThreads] = s[t + kThreads];
}
EXAMPLE(scan_brent_kung) {
    return scan_of_blocks(scan_brent_kung, 2 * kThreads, kThreads, true);
}

// Scans within each warp.
__global__ void scan_warp(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = warp_scan(in[i]);
}
EXAMPLE(scan_warp) {
    const int n = pick(1 << 23, 1 << 16);
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n);
    return {[=] { scan_warp<<<n / kThreads, kThreads>>>(out, in); },
            [=] { return compare_scan(out, in, 32, true); }};
}

// Scans within each warp, and then exchanges sums between warps.
__global__ void scan_block_of_warps(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = block_scan(in[i]);
}
EXAMPLE(scan_block_of_warps) {
    return scan_of_blocks(scan_block_of_warps, 1024, 1024, true);
}

// Loads and scans four elements per thread as a vector.
__global__ void scan_int4(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = reinterpret_cast<const int4*>(in)[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const int before = block_scan(v.w) - v.w;
    reinterpret_cast<int4*>(out)[i] =
        make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
EXAMPLE(scan_int4) {
    return scan_of_blocks(scan_int4, 4 * kThreads, kThreads, true);
}

// Scans eight adjacent elements per thread in a loop, with strided loads.
__global__ void scan_thread_coarsened(int* out, const int* in) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int sums[8], sum = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) sums[k] = sum += in[first + k];
    const int before = block_scan(sum) - sum;
#pragma unroll
    for (int k = 0; k < 8; ++k) out[first + k] = sums[k] + before;
}
EXAMPLE(scan_thread_coarsened) {
    return scan_of_blocks(scan_thread_coarsened, 8 * kThreads, kThreads, true);
}

// Scans several elements per thread through shared memory, so that global accesses are coalesced.
__global__ void scan_shared_coarsened(int* out, const int* in) {
    __shared__ int s[4 * kThreads];
    const int t = threadIdx.x, first = blockIdx.x * 4 * kThreads;
    for (int k = 0; k < 4; ++k) s[t + k * kThreads] = in[first + t + k * kThreads];
    __syncthreads();
    for (int k = 1; k < 4; ++k) s[4 * t + k] += s[4 * t + k - 1];
    const int sum = s[4 * t + 3], before = block_scan(sum) - sum;
    for (int k = 0; k < 4; ++k) s[4 * t + k] += before;
    __syncthreads();
    for (int k = 0; k < 4; ++k) out[first + t + k * kThreads] = s[t + k * kThreads];
}
EXAMPLE(scan_shared_coarsened) {
    return scan_of_blocks(scan_shared_coarsened, 4 * kThreads, kThreads, true);
}

// Performs the third pass of a device-wide scan: adds the sums of the preceding blocks.
__global__ void scan_add_block_sums(int* data, const int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) data[i] += sums[blockIdx.x - 1];
}
EXAMPLE(scan_add_block_sums) {
    const int n = pick(10'000'000, 100'000), blocks = blocks_for(n, kThreads);
    const Buffer<int> data = integers(n, 100), sums = integers(blocks, 1000, 2);
    const auto sum = [=](std::size_t i) {
        return data.start(i) + (i >= kThreads ? sums.start(i / kThreads - 1) : 0);
    };
    return {[=] { scan_add_block_sums<<<blocks, kThreads>>>(data, sums, n); },
            [=] { return compare(data, sum); }, [=] { data.restore(); }};
}

// Scans all elements in one pass, in which each block waits for the sum of the preceding block.
__global__ void scan_chained(int* out, const int* in, int* volatile_sums, int* flags) {
    __shared__ int before;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, sum = block_scan(in[i]);
    if (threadIdx.x == blockDim.x - 1) {
        before = 0;
        if (blockIdx.x > 0) {
            while (atomicAdd(flags + blockIdx.x - 1, 0) == 0) {
            }
            before = atomicAdd(volatile_sums + blockIdx.x - 1, 0);
        }
        atomicExch(volatile_sums + blockIdx.x, before + sum);
        __threadfence();
        atomicExch(flags + blockIdx.x, 1);
    }
    __syncthreads();
    out[i] = sum + before;
}
EXAMPLE(scan_chained) {
    // Launch only as many blocks as can be resident at once, because a block must not wait for one
    // that has not started.
    const int n = pick(1 << 17, 1 << 14), threads = 512;
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n), sums = zeros<int>(n / threads),
                      flags = zeros<int>(n / threads);
    return {[=] { scan_chained<<<n / threads, threads>>>(out, in, sums, flags); },
            [=] { return compare_scan(out, in, in.size(), true); }, [=] { flags.restore(); }};
}

// Computes prefix sums that restart wherever a flag is set.
__global__ void scan_segmented(int* out, const int* in, const unsigned char* heads) {
    __shared__ int s[kThreads];
    __shared__ int starts[kThreads];
    const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
    s[t] = in[i];
    starts[t] = heads[i];
    __syncthreads();
    for (int offset = 1; offset < kThreads; offset *= 2) {
        int sum = s[t], start = starts[t];
        if (t >= offset) {
            if (!start) sum += s[t - offset];
            start |= starts[t - offset];
        }
        __syncthreads();
        s[t] = sum;
        starts[t] = start;
        __syncthreads();
    }
    out[i] = s[t];
}
EXAMPLE(scan_segmented) {
    const int n = length();
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n);
    const auto heads =
        filled(n, [](std::size_t i) { return static_cast<unsigned char>(noise(i, 3) % 10 == 0); });
    return {[=] { scan_segmented<<<n / kThreads, kThreads>>>(out, in, heads); },
            [=] {
                std::vector<int> sums(in.size());
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    const bool begins = i % kThreads == 0 || heads.start(i);
                    sums[i] = in.start(i) + (begins ? 0 : sums[i - 1]);
                }
                return compare(out, [&](std::size_t i) { return sums[i]; });
            }};
}

// Counts, for each thread, the flags of the lower lanes of its warp.
__global__ void prefix_of_flags(int* out, const unsigned char* flags) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned set = __ballot_sync(0xffffffffu, flags[i] != 0);
    out[i] = __popc(set & ((1u << threadIdx.x % 32) - 1));
}
EXAMPLE(prefix_of_flags) {
    const int n = pick(1 << 23, 1 << 17);
    const auto flags = integers<unsigned char>(n, 2);
    const Buffer<int> out = zeros<int>(n);
    const std::vector<int> ones(flags.start().begin(), flags.start().end());
    return {[=] { prefix_of_flags<<<n / kThreads, kThreads>>>(out, flags); },
            [=] {
                const auto sums = prefix_sums(ones, 32, false);
                return compare(out, [&](std::size_t i) { return sums[i]; });
            }};
}

// Scans with the scan function of cooperative groups.
__global__ void scan_tiles(int* out, const int* in) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = cg::inclusive_scan(tile, in[i], cg::plus<int>());
}
EXAMPLE(scan_tiles) {
    const int n = length();
    const Buffer<int> in = integers(n, 100), out = zeros<int>(n);
    return {[=] { scan_tiles<<<n / kThreads, kThreads>>>(out, in); },
            [=] { return compare_scan(out, in, 32, true); }};
}
