// Typical uses of clusters. No check may report anything, however blocks and warps are scheduled.
#include <cooperative_groups.h>
#include <cmath>

#include "../bulk.h"
#include "../cases.h"
#include "../clusters.h"

namespace cg = cooperative_groups;

template <class... Parameters, class... Arguments>
static void in_clusters(void (*kernel)(Parameters...), int blocks, int threads, int size,
                        Arguments... arguments) {
    need(launch_clusters(kernel, dim3(blocks), dim3(threads), dim3(size), 0, arguments...));
}

// clean bins
// A histogram whose bins are distributed over the blocks of the cluster.
__global__ void spread_bins(int* bins, const int* data, int n, int bins_per_block) {
    __shared__ int part[64];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bin = data[i];
        atomicAdd(cluster.map_shared_rank(part, bin / bins_per_block) + bin % bins_per_block, 1);
    }
    cluster.sync();
    int* to = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) atomicAdd(&to[i], part[i]);
}
static void bins() {
    const int n = 4096, count = 128;
    const std::vector<int> data = random_numbers(n, count);
    int* result = device_zeros<int>(count);
    in_clusters(spread_bins, 8, 128, 4, result, static_cast<const int*>(to_device(data)), n,
                count / 4);
    std::vector<int> wanted(count);
    for (int value : data) ++wanted[value];
    expect(to_host(result, count) == wanted, "bins");
}

// clean halos
// A stencil whose blocks read the edges of their neighbours' tiles.
__global__ void stencil(int* out, const int* in, int n) {
    __shared__ int tile[64];
    cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, i = blockIdx.x * 64 + t,
              rank = static_cast<int>(cluster.block_rank()),
              last = static_cast<int>(cluster.num_blocks()) - 1;
    tile[t] = in[i];
    cluster.sync();
    const int left = t > 0      ? tile[t - 1]
                     : rank > 0 ? cluster.map_shared_rank(tile, rank - 1)[63]
                     : i > 0    ? in[i - 1]
                                : 0;
    const int right = t < 63        ? tile[t + 1]
                      : rank < last ? cluster.map_shared_rank(tile, rank + 1)[0]
                      : i < n - 1   ? in[i + 1]
                                    : 0;
    out[i] = left + 2 * tile[t] + right;
    cluster.sync();
}
static void halos() {
    const int n = 1024;
    const std::vector<int> data = random_numbers(n, 1000);
    int* result = device_zeros<int>(n);
    in_clusters(stencil, n / 64, 64, 4, result, static_cast<const int*>(to_device(data)), n);
    const auto got = to_host(result, n);
    for (int i = 0; i < n; ++i)
        expect(got[i] == (i ? data[i - 1] : 0) + 2 * data[i] + (i < n - 1 ? data[i + 1] : 0),
               "stencil");
}

// clean row_maxima
// Softmax of rows longer than a block. Block 0 combines the maxima and sums of the blocks.
__global__ void softmax(float* out, const float* in, int length) {
    __shared__ float partial, whole;
    cg::cluster_group cluster = cg::this_cluster();
    const int part = length / static_cast<int>(cluster.num_blocks());
    const int first =
        static_cast<int>(blockIdx.y) * length + static_cast<int>(cluster.block_rank()) * part;
    float most = -1e30f;
    for (int i = threadIdx.x; i < part; i += 32) most = fmaxf(most, in[first + i]);
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (threadIdx.x == 0) partial = most;
    cluster.sync();
    if (threadIdx.x < cluster.num_blocks())
        most = *cluster.map_shared_rank(&partial, static_cast<int>(threadIdx.x));
    for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (threadIdx.x == 0) whole = 0;
    cluster.sync();
    float sum = 0;
    for (int i = threadIdx.x; i < part; i += 32) sum += __expf(in[first + i] - most);
    atomicAdd(cluster.map_shared_rank(&whole, 0), sum);
    cluster.sync();
    const float all = *cluster.map_shared_rank(&whole, 0);
    for (int i = threadIdx.x; i < part; i += 32) out[first + i] = __expf(in[first + i] - most) / all;
    cluster.sync();
}
static void row_maxima() {
    const int rows = 4, length = 512;
    std::vector<float> data;
    for (int value : random_numbers(rows * length, 100))
        data.push_back(static_cast<float>(value) / 10);
    float* result = device_zeros<float>(data.size());
    need(launch_clusters(softmax, dim3(4, rows), dim3(32), dim3(4), 0, result,
                         static_cast<const float*>(to_device(data)), length));
    const auto got = to_host(result, data.size());
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int i = 0; i < length; ++i) sum += got[r * length + i];
        expect(std::fabs(sum - 1) < 1e-4, "a row adds up to 1");
    }
}

// clean tiles_by_multicast
// A matrix product. A multicast copy delivers rows of `a` to both blocks of a cluster.
__global__ void product(float* c, const float* a, const float* b, int n) {
    __shared__ alignas(128) float row[2][64];
    __shared__ uint64_t full;
    const unsigned rank = rank_in_cluster();
    const int t = threadIdx.x, i = blockIdx.y, j = blockIdx.x * 64 + t;
    if (t == 0) init(full, 1);
    cluster_sync();
    float sum = 0;
    for (int k = 0; k < n; k += 128) {
        if (t == 0) {
            expect_bytes(full, sizeof row);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
                "cluster "
                "[%0], [%1], %2, [%3], %4;" ::"r"(shared_at(row[rank])),
                "l"(a + i * n + k + 64 * rank), "r"(256), "r"(shared_at(&full)),
                "h"(static_cast<unsigned short>(3))
                : "memory");
        }
        wait(full, k / 128 % 2);
        for (int l = 0; l < 128; ++l) sum += row[l / 64][l % 64] * b[(k + l) * n + j];
        cluster_sync();  // after this, the rows may be overwritten
    }
    c[i * n + j] = sum;
}
static void tiles_by_multicast() {
    const int n = 256, rows = 8;
    std::vector<float> a, b;
    for (int value : random_numbers(rows * n, 8)) a.push_back(static_cast<float>(value));
    for (int value : random_numbers(n * n, 8, 2)) b.push_back(static_cast<float>(value));
    float* c = device_zeros<float>(rows * n);
    need(launch_clusters(product, dim3(n / 64, rows), dim3(64), dim3(2), 0, c,
                         static_cast<const float*>(to_device(a)),
                         static_cast<const float*>(to_device(b)), n));
    const auto got = to_host(c, rows * n);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            expect(got[i * n + j] == sum, "product");
        }
}

// clean queue
// Block 0 hands out items to the other blocks in turn. Each receiving block has two mbarriers.
__global__ void hand_out(int* out, int items) {
    __shared__ int box;
    __shared__ uint64_t full, empty[4];
    const unsigned rank = rank_in_cluster(), blocks = blocks_in_cluster();
    if (threadIdx.x == 0) {
        init(full, 1);
        for (uint64_t& each : empty) init(each, 1);
    }
    cluster_sync();
    if (threadIdx.x == 0 && rank == 0) {
        for (int item = 0; item < items; ++item) {
            const unsigned to = 1 + item % (blocks - 1);
            const int round = item / static_cast<int>(blocks - 1);
            if (round > 0) wait(empty[to], (round - 1) % 2);
            *mapped_pointer(&box, to) = item * item;
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             mapped(&full, to))
                         : "memory");
        }
    } else if (threadIdx.x == 0) {
        for (int item = static_cast<int>(rank) - 1, round = 0; item < items;
             item += static_cast<int>(blocks) - 1, ++round) {
            wait(full, round % 2);
            out[item] = box + 1;
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             mapped(&empty[rank], 0))
                         : "memory");
        }
    }
    cluster_sync();
}
static void queue() {
    int* result = device_zeros<int>(20);
    in_clusters(hand_out, 4, 32, 4, result, 20);
    const auto got = to_host(result, 20);
    for (int i = 0; i < 20; ++i) expect(got[i] == i * i + 1, "queue");
}

// clean through_global_memory
// The cluster's barrier also orders accesses to global memory.
__global__ void exchange(int* x) {
    for (int round = 0; round < 4; ++round) {
        const int theirs = x[(blockIdx.x ^ 1) * blockDim.x + threadIdx.x];
        cluster_sync();
        x[blockIdx.x * blockDim.x + threadIdx.x] = theirs + 1;
        cluster_sync();
    }
}
static void through_global_memory() {
    int* x = device_iota<int>(512);
    in_clusters(exchange, 8, 64, 2, x);
    const auto got = to_host(x, 512);
    for (int i = 0; i < 512; ++i) expect(got[i] == i + 4, "exchanged");
}

// clean early_exits
__global__ void leave(int* out, int n) {
    __shared__ int value;
    if (threadIdx.x == 0) value = blockIdx.x;
    if (threadIdx.x >= n) return;
    cluster_sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *mapped_pointer(&value, rank_in_cluster() ^ 1);
    cluster_sync();
}
static void early_exits() {
    int* out = device_zeros<int>(4);
    in_clusters(leave, 4, 96, 2, out, 40);
    expect(to_host(out, 4) == std::vector<int>({1, 0, 3, 2}), "those that stay");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"bins", bins},
                        {"halos", halos},
                        {"row_maxima", row_maxima},
                        {"tiles_by_multicast", tiles_by_multicast},
                        {"queue", queue},
                        {"through_global_memory", through_global_memory},
                        {"early_exits", early_exits},
                    });
}
