// What the search had named as not tried, all beside the raw tile of raw_tile.cuh: Hilbert's curve, other policies
// of the second-level cache, bulk stores, clusters.

#ifdef __NVCC__  // the headers of common/cuda_headers have no clusters
#    include <cooperative_groups.h>
#endif

#include "lab/proof/search/candidates.h"
#include "lab/proof/search/raw_tile.cuh"

namespace coalesce::proof {
namespace {

// ---- bulk stores: the turned tile's rows leave shared memory without passing through registers ----

/// values[i] becomes what values[(i + by) % 4] was. No index that the compiler does not know: they are registers.
__device__ void rotate(float4 (&values)[4], int by) {
    const auto exchange = [](float4& one, float4& other) {
        const float4 kept = one;
        one = other;
        other = kept;
    };
    if (by & 1) {
        exchange(values[0], values[1]);
        exchange(values[1], values[2]);
        exchange(values[2], values[3]);
    }
    if (by & 2) {
        exchange(values[0], values[2]);
        exchange(values[1], values[3]);
    }
}

/// `bytes` in a row, both ends at multiples of 16.
__device__ void store_in_bulk(float* to, const float4* from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes)
                 : "memory");
}

/// Tiles of ROWS x 64, 8 rows for each warp. A bulk store wants its bytes in a row, so that a swizzle cannot keep lanes
/// in banks of their own: instead, lanes store the 4 rows of their pieces in different turns.
template <int ROWS, class How>
__global__ void __launch_bounds__(ROWS * 4)
    transpose_bulk(float* out, const float* in, int rows, int cols) {
    constexpr int pitch = ROWS / 4 + 1;  // in float4s
    extern __shared__ float4 turned[];
    const Place at = place_of<How::order, How::width>(blockIdx.x, rows / ROWS, cols / 64);
    const int x = threadIdx.x % 16, quad = threadIdx.x / 16;
    const float* const from = in + (at.row * ROWS + quad * 4) * cols + at.col * 64 + x * 4;
    float4 piece[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) piece[i] = load<How::loads>(from + i * cols);
    const auto [a, b, c, d] = piece;
    float4 column[4] = {
        {a.x, b.x, c.x, d.x}, {a.y, b.y, c.y, d.y}, {a.z, b.z, c.z, d.z}, {a.w, b.w, c.w, d.w}};
    const int first = x / 2 % 4;
    rotate(column, first);
#pragma unroll
    for (int i = 0; i < 4; ++i) turned[(x * 4 + (i + first) % 4) * pitch + quad] = column[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= 64) return;
    const int col = threadIdx.x;
    store_in_bulk(out + (at.col * 64 + col) * rows + at.row * ROWS, turned + col * pitch, ROWS * 4);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::
                     : "memory");  // shared memory goes with the block
}

template <int ROWS, class How>
Launch bulk() {
    return [](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_bulk<ROWS, How>;
        constexpr int bytes = 64 * (ROWS / 4 + 1) * sizeof(float4);
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        kernel<<<rows / ROWS*(cols / 64), ROWS * 4, bytes>>>(out, in, rows, cols);
    };
}

#ifdef __NVCC__
// ---- clusters: blocks that run at the same time, and reach each other's shared memory ----

template <class Kernel>
void launch_in_clusters(Kernel* kernel, int blocks_of_cluster, float* out, const float* in,
                        int rows, int cols) {
    cudaLaunchAttribute size;
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = blocks_of_cluster;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = rows / 64 * (cols / 64);
    config.blockDim = 512;
    config.attrs = &size;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, out, in, rows, cols);
}

/// Two blocks have a tile of 128 x 64, one the upper half, one the lower. Each stores half of its columns,
/// and takes what it lacks of them from the other's shared memory: rows of 512 bytes, where a block has 256.
template <class How>
__global__ void __launch_bounds__(512)
    transpose_exchanging(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[64 * 16];
    const auto cluster = cooperative_groups::this_cluster();
    const int half = cluster.block_rank();
    const Place at = place_of<How::order, How::width>(blockIdx.x / 2, rows / 128, cols / 64);
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const float* const from = in + (at.row * 128 + half * 64 + y) * cols + at.col * 64 + x * 4;
    const float4 near = load<How::loads>(from), far = load<How::loads>(from + 32 * cols);
    tile[y * 16 + (x ^ (y / 4 % 8))] = near;
    tile[(y + 32) * 16 + (x ^ (y / 4 % 8))] = far;
    cluster.sync();
    const int lane = threadIdx.x % 32, quad = lane % 16, col = half * 32 + threadIdx.x / 32 * 2;
    const float4* const its_tile = cluster.map_shared_rank(tile, lane / 16);
    float2 pair[4];
#    pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4* const cell = its_tile + (quad * 4 + i) * 16 + (col / 4 ^ quad % 8);
        pair[i] = reinterpret_cast<const float2*>(cell)[col % 4 / 2];
    }
    float* const to = out + (at.col * 64 + col) * rows + at.row * 128 + lane * 4;
    store<How::stores>(to, {pair[0].x, pair[1].x, pair[2].x, pair[3].x});
    store<How::stores>(to + rows, {pair[0].y, pair[1].y, pair[2].y, pair[3].y});
    cluster.sync();  // the other may still read
}

template <class How>
Launch exchanging() {
    return [](float* out, const float* in, int rows, int cols) {
        launch_in_clusters(transpose_exchanging<How>, 2, out, in, rows, cols);
    };
}

/// The raw tile, in blocks that only begin together.
template <class How>
Launch together(int blocks) {
    return [=](float* out, const float* in, int rows, int cols) {
        launch_in_clusters(transpose_raw<How>, blocks, out, in, rows, cols);
    };
}

#endif

// ---- the questions ----

template <Hint LOADS, Hint STORES>
struct Apart : Both<Order::apart, LOADS> {
    static constexpr Hint stores = STORES;
};

template <Order ORDER, int WIDTH>
struct Staying : InOrder<ORDER, WIDTH> {
    static constexpr Hint loads = Hint::stay;
};

using Down = Plain;
using Fastest = Both<Order::apart, Hint::stay>;

void add_curves(std::vector<Candidate>& all) {
    ask(all, "Squares, Hilbert's curve, bands, when loads stay",
        {{"raw 64 x 64, down columns", raw<Staying<Order::down_columns, 1>>()},
         {"bands of 2 that stay", raw<Staying<Order::bands, 2>>()},
         {"bands of 4 that stay", raw<Staying<Order::bands, 4>>()},
         {"bands of 8 that stay", raw<Staying<Order::bands, 8>>()},
         {"Hilbert in squares of 2", raw<Staying<Order::hilbert, 2>>()},
         {"Hilbert in squares of 4", raw<Staying<Order::hilbert, 4>>()}});
}

void add_policies(std::vector<Candidate>& all) {
    constexpr Hint none = Hint::none, stay = Hint::stay, leave = Hint::leave_first;
    ask(all, "Policies that change, and stores that leave",
        {{"all loads stay", raw<Fastest>()},
         {"half of the lines stay", raw<Apart<Hint::half_stays, none>>()},
         {"all but the last quarter", raw<Apart<Hint::stay_but_at_last, none>>()},
         {"loads stay, stores stream", raw<Apart<stay, Hint::streaming>>()},
         {"loads stay, stores leave first", raw<Apart<stay, leave>>()}});
}

void add_bulk_stores(std::vector<Candidate>& all) {
    ask(all, "Bulk stores of turned tiles",
        {{"bulk, 64 x 64", bulk<64, Down>()},
         {"bulk, 64 x 64, stay and apart", bulk<64, Fastest>()},
         {"bulk, 128 x 64", bulk<128, Down>()},
         {"bulk, 128 x 64, stay and apart", bulk<128, Fastest>()},
         {"bulk, 256 x 64", bulk<256, Down>()},
         {"bulk, 256 x 64, stay and apart", bulk<256, Fastest>()}});
}

#ifdef __NVCC__
void add_clusters(std::vector<Candidate>& all) {
    const Produces transpose = {Produces::transpose};
    const std::string why = "clusters of more than one block";
    ask(all, "Clusters",
        {{"2 that exchange", exchanging<Down>(), transpose, 1, why},
         {"2 that exchange, stay and apart", exchanging<Fastest>(), transpose, 1, why},
         {"2 that begin together", together<Down>(2), transpose, 1, why},
         {"4 that begin together", together<Down>(4), transpose, 1, why},
         {"8 that begin together", together<Down>(8), transpose, 1, why},
         {"8 that begin together, stay and apart", together<Fastest>(8), transpose, 1, why}});
}
#endif

}  // namespace

void add_last_ideas(std::vector<Candidate>& all) {
    add_curves(all);
    add_policies(all);
    add_bulk_stores(all);
#ifdef __NVCC__
    add_clusters(all);
#endif
}

}  // namespace coalesce::proof
