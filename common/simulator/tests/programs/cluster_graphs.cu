// not built by clang: clang drops __cluster_dims__
// Tests cluster launches in graphs and streams.
// expect: captured: ok
// expect: captured, by __cluster_dims__: ok
// expect: a cooperative launch with clusters: ok
// expect: one kernel with and without clusters: ok
#include <cooperative_groups.h>

#include "cluster_check.h"

__device__ void swap_ranks(int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x) + 1;
    cluster_sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] += *mapped_pointer(&value, blocks_in_cluster() - 1 - rank_in_cluster());
    cluster_sync();
}
__global__ void swap(int* out) {
    swap_ranks(out);
}
__global__ void __cluster_dims__(2, 1, 1) swap_pairs(int* out) {
    swap_ranks(out);
}
__global__ void cooperative(int* out) {
    swap_ranks(out);
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (unsigned b = 1; b < gridDim.x; ++b) out[0] += out[b];
}

cudaError_t launch_in(cudaStream_t stream, int* out, int size) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 8;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* arguments[] = {&out};
    return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(swap), arguments);
}

template <class Launch>
void replay_three_times(Launch launch) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch(stream);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; ++i) MUST(cudaGraphLaunch(executable, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

int main() {
    {
        const DeviceArray<int> out(8);
        replay_three_times([&](cudaStream_t stream) { MUST(launch_in(stream, out, 4)); });
        expect_equal("captured", out.read(), {12, 9, 6, 3, 24, 21, 18, 15});
    }
    {
        const DeviceArray<int> out(8);
        replay_three_times([&](cudaStream_t stream) { swap_pairs<<<8, 32, 0, stream>>>(out); });
        expect_equal("captured, by __cluster_dims__", out.read(), {6, 3, 12, 9, 18, 15, 24, 21});
    }
    {
        const DeviceArray<int> out(8);
        cudaLaunchAttribute attributes[2] = {};
        attributes[0].id = cudaLaunchAttributeClusterDimension;
        attributes[0].val.clusterDim.x = 2;
        attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
        attributes[1].id = cudaLaunchAttributeCooperative;
        attributes[1].val.cooperative = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = 8;
        config.blockDim = 64;
        config.attrs = attributes;
        config.numAttrs = 2;
        int* to = out;
        void* arguments[] = {&to};
        MUST(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(cooperative), arguments));
        expect_equal("a cooperative launch with clusters", out.read(), {36, 1, 4, 3, 6, 5, 8, 7});
    }
    const DeviceArray<int> out(8);
    for (int size : {1, 2, 8, 1, 4}) MUST(launch_in(nullptr, out, size));
    swap<<<8, 64>>>(out);
    expect_equal("one kernel with and without clusters", out.read(), for_threads<int>(8, [](int i) {
                     return 3 * (i + 1) + (i ^ 1) + 1 + 8 - i + i / 4 * 4 + 4 - i % 4;
                 }));
}
