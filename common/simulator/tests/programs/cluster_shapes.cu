// not built by clang: clang drops __cluster_dims__
// clang says: launch with cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension
// Tests the shapes of clusters: the blocks of each cluster, and the values of special registers.
// expect: a row of 2: ok
// expect: a row of 8: ok
// expect: 2 x 2: ok
// expect: 1 x 2 x 4: ok
// expect: 16 blocks: ok
// expect: one block, explicitly: ok
// expect: no cluster: ok
// expect: by __cluster_dims__: ok
// expect: by __cluster_dims__, 2 x 2: ok
// expect: by cudaFuncSetAttribute: ok
// expect: a large grid: ok
// expect: registers that were computed from ranks: ok
#include "cluster_check.h"

constexpr int kWords = 9;

__device__ void write_registers(unsigned* out) {
    if (threadIdx.x != 0) return;
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned* to = out + block * kWords;
    unsigned is_explicit;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(to[0]));
    asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(to[1]));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(to[2]));
    asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(to[3]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(to[4]));
    asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(to[5]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(to[6]));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
                 : "=r"(is_explicit));
    to[7] = rank_in_cluster() * 100 + blocks_in_cluster();
    to[8] = is_explicit;
}

__global__ void registers(unsigned* out) {
    write_registers(out);
}
__global__ void __cluster_dims__(2, 1, 1) pairs(unsigned* out) {
    write_registers(out);
}
__global__ void __cluster_dims__(2, 2, 1) squares(unsigned* out) {
    write_registers(out);
}
__global__ void by_attribute(unsigned* out) {
    write_registers(out);
}

std::vector<unsigned> wanted(dim3 grid, dim3 cluster, bool is_explicit) {
    std::vector<unsigned> words;
    for (unsigned z = 0; z < grid.z; ++z)
        for (unsigned y = 0; y < grid.y; ++y)
            for (unsigned x = 0; x < grid.x; ++x) {
                const unsigned in_x = x % cluster.x, in_y = y % cluster.y, in_z = z % cluster.z;
                const unsigned rank = in_x + cluster.x * (in_y + cluster.y * in_z);
                for (unsigned word :
                     {x / cluster.x, y / cluster.y, grid.x / cluster.x, grid.z / cluster.z, in_x,
                      in_y, cluster.y, rank * 100 + cluster.x * cluster.y * cluster.z,
                      unsigned{is_explicit}})
                    words.push_back(word);
            }
    return words;
}

void test(const char* name, dim3 grid, dim3 cluster) {
    DeviceArray<unsigned> out(std::size_t{kWords} * grid.x * grid.y * grid.z);
    MUST(launch_clusters(registers, grid, dim3(32), cluster, 0, static_cast<unsigned*>(out)));
    expect_equal(name, out.read(), wanted(grid, cluster, true));
}

/// Packs the address of a shared variable, the block's rank and the thread's index into one value.
__global__ void mixed(unsigned* out) {
    __shared__ unsigned values[64];
    const unsigned scaled = rank_in_cluster() * 64 + threadIdx.x;
    values[threadIdx.x] = scaled * 3;
    cluster_sync();
    const unsigned next = (rank_in_cluster() + 1) % blocks_in_cluster();
    out[blockIdx.x * 64 + threadIdx.x] =
        load_from(mapped(&values[63 - threadIdx.x], next)) + scaled;
    cluster_sync();
}

int main() {
    test("a row of 2", dim3(6), dim3(2));
    test("a row of 8", dim3(16, 2), dim3(8));
    test("2 x 2", dim3(4, 4, 2), dim3(2, 2));
    test("1 x 2 x 4", dim3(3, 4, 8), dim3(1, 2, 4));
    MUST(cudaFuncSetAttribute(registers, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    test("16 blocks", dim3(32), dim3(16));
    test("one block, explicitly", dim3(3, 2), dim3(1));
    {
        DeviceArray<unsigned> out(kWords * 6);
        registers<<<dim3(3, 2), 32>>>(out);
        expect_equal("no cluster", out.read(), wanted(dim3(3, 2), dim3(1), false));
    }
    {
        DeviceArray<unsigned> out(kWords * 6);
        pairs<<<6, 32>>>(out);
        expect_equal("by __cluster_dims__", out.read(), wanted(dim3(6), dim3(2), true));
    }
    {
        DeviceArray<unsigned> out(kWords * 16);
        squares<<<dim3(4, 4), 32>>>(out);
        expect_equal("by __cluster_dims__, 2 x 2", out.read(),
                     wanted(dim3(4, 4), dim3(2, 2), true));
    }
    {
        DeviceArray<unsigned> out(kWords * 8);
        MUST(cudaFuncSetAttribute(by_attribute, cudaFuncAttributeRequiredClusterWidth, 4));
        MUST(cudaFuncSetAttribute(by_attribute, cudaFuncAttributeRequiredClusterHeight, 1));
        MUST(cudaFuncSetAttribute(by_attribute, cudaFuncAttributeRequiredClusterDepth, 1));
        by_attribute<<<8, 32>>>(out);
        MUST(cudaGetLastError());
        expect_equal("by cudaFuncSetAttribute", out.read(), wanted(dim3(8), dim3(4), true));
    }
    test("a large grid", dim3(1000, 4), dim3(4, 2));
    DeviceArray<unsigned> out(8 * 64);
    in_clusters(mixed, 8, 64, 4, static_cast<unsigned*>(out));
    expect_equal("registers that were computed from ranks", out.read(),
                 for_threads<unsigned>(512, [](int i) {
                     const unsigned rank = i / 64 % 4, t = i % 64, next = (rank + 1) % 4;
                     return (next * 64 + 63 - t) * 3 + rank * 64 + t;
                 }));
}
