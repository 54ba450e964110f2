// Tests cooperative_groups::this_cluster().
// expect: ranks and shapes: ok
// expect: map_shared_rank: ok
// expect: query_shared_rank: ok
// expect: arriving and waiting: ok
// expect: threads of a cluster: ok
// expect: one block is a cluster: ok
#include <cooperative_groups.h>

#include <utility>

#include "cluster_check.h"

namespace cg = cooperative_groups;

__global__ void shapes(unsigned* out) {
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    unsigned* to = out + (blockIdx.x + gridDim.x * blockIdx.y) * 8;
    const dim3 index = cluster.block_index(), blocks = cluster.dim_blocks();
    to[0] = index.x;
    to[1] = index.y;
    to[2] = blocks.x;
    to[3] = blocks.y;
    to[4] = blocks.z;
    to[5] = cluster.block_rank();
    to[6] = cluster.num_blocks();
    to[7] = cluster.num_threads();
}

__global__ void mapped_rank(int* out) {
    __shared__ int value;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = static_cast<int>(cluster.block_rank()) * 7;
    cluster.sync();
    const int there = static_cast<int>((cluster.block_rank() + 1) % cluster.num_blocks());
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&value, there);
    cluster.sync();
}

__global__ void queried(unsigned* out) {
    __shared__ int value;
    const cg::cluster_group cluster = cg::this_cluster();
    unsigned ranks = cluster.query_shared_rank(&value);
    for (int r = 3; r >= 0; --r)
        ranks = ranks * 10 + cluster.query_shared_rank(cluster.map_shared_rank(&value, r));
    out[blockIdx.x] = ranks;
}

__global__ void apart(int* out) {
    __shared__ int value;
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = 100 + static_cast<int>(blockIdx.x);
    auto token = cluster.barrier_arrive();
    int private_work = 0;
    for (int i = 0; i < 10; ++i) private_work += i;
    cluster.barrier_wait(std::move(token));
    const int theirs = *cluster.map_shared_rank(&value, static_cast<int>(cluster.block_rank() ^ 1));
    if (threadIdx.x == 0) out[blockIdx.x] = theirs + private_work;
    cluster.sync();
}

__global__ void threads(unsigned* out) {
    const cg::cluster_group cluster = cg::this_cluster();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        cluster.thread_rank() * 1000 + cluster.num_threads();
}

int main() {
    const DeviceArray<unsigned> shape(8 * 16);
    MUST(launch_clusters(shapes, dim3(8, 2), dim3(16, 4), dim3(4, 2), 0,
                         static_cast<unsigned*>(shape)));
    std::vector<unsigned> wanted;
    for (unsigned y = 0; y < 2; ++y)
        for (unsigned x = 0; x < 8; ++x)
            wanted.insert(wanted.end(), {x % 4, y, 4, 2, 1, y * 4 + x % 4, 8, 512});
    expect_equal("ranks and shapes", shape.read(), wanted);
    const DeviceArray<int> out(8);
    in_clusters(mapped_rank, 8, 64, 4, static_cast<int*>(out));
    expect_equal("map_shared_rank", out.read(), {7, 14, 21, 0, 7, 14, 21, 0});
    const DeviceArray<unsigned> ranks(4);
    in_clusters(queried, 4, 1, 4, static_cast<unsigned*>(ranks));
    expect_equal("query_shared_rank", ranks.read(), {3210, 13210, 23210, 33210});
    in_clusters(apart, 8, 32, 2, static_cast<int*>(out));
    expect_equal("arriving and waiting", out.read(), {146, 145, 148, 147, 150, 149, 152, 151});
    const DeviceArray<unsigned> all(8 * 48);
    in_clusters(threads, 8, 48, 4, static_cast<unsigned*>(all));
    expect_equal("threads of a cluster", all.read(),
                 for_threads<unsigned>(8 * 48, [](int i) { return i % 192 * 1000u + 192; }));
    mapped_rank<<<8, 32>>>(out);
    expect_equal("one block is a cluster", out.read(), std::vector<int>(8));
}
