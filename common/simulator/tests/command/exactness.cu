// Each case causes one remark at the end of a report. exactness_test.cpp runs the cases separately.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int kThreads = 32;

__global__ void exact(float* out) {
    out[threadIdx.x] = static_cast<float>(threadIdx.x) * 3.0f;
}

__global__ void approximate(float* out) {
    const float x = static_cast<float>(threadIdx.x);
    out[threadIdx.x] = __expf(x);
}

__global__ void full_division(float* out) {
    const float x = static_cast<float>(threadIdx.x);
    out[threadIdx.x] = __fdividef(1.0f, x + 1.0f);
}

/// Contains an approximate instruction on a branch that no thread takes.
__global__ void unreached(float* out, bool never) {
    if (never) out[threadIdx.x] = __expf(out[threadIdx.x]);
    out[threadIdx.x] = 1.0f;
}

__global__ void half_product(float* out) {
    float d[4] = {0, 0, 0, 0};
    const uint32_t ones = 0x3c003c00;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ones));
    out[threadIdx.x] = d[0];
}

__global__ void integer_product(float* out) {
    int d[4] = {0, 0, 0, 0};
    const uint32_t ones = 0x01010101;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4}, {%4}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(ones));
    out[threadIdx.x] = static_cast<float>(d[0]);
}

__global__ void hints(float* out) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(out));
    __stcs(out + threadIdx.x, __ldcs(out + 64 + threadIdx.x));
}

__global__ void clocks(float* out) {
    out[threadIdx.x] = static_cast<float>(clock64());
}

__global__ void bulk_copy(float* out) {
    __shared__ alignas(16) float tile[kThreads];
    tile[threadIdx.x] = 1.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    const auto from = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(from), "r"(static_cast<uint32_t>(sizeof tile)));
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

/// Launches one kernel in each of `count` streams, after a memset in the default stream.
void use_streams(float* out, int count, unsigned flags) {
    for (int i = 0; i < count; ++i) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, flags);
        exact<<<1, kThreads, 0, stream>>>(out);
    }
    cudaDeviceSynchronize();
}

/// Launches a graph of two kernels, which run in sequence if `is_chain`, and in parallel otherwise.
void launch_graph(float* out, bool is_chain) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t first, second;
    void* arguments[] = {&out};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(exact);
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(kThreads);
    kernel.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
    cudaGraphAddKernelNode(&second, graph, &first, is_chain ? 1 : 0, &kernel);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, nullptr);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

int main(int, char** argv) {
    const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
    float* out;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    if (is("exact")) exact<<<1, kThreads>>>(out);
    if (is("approximate")) approximate<<<1, kThreads>>>(out);
    if (is("full_division")) full_division<<<1, kThreads>>>(out);
    if (is("unreached")) unreached<<<1, kThreads>>>(out, false);
    if (is("half_product")) half_product<<<1, kThreads>>>(out);
    if (is("integer_product")) integer_product<<<1, kThreads>>>(out);
    if (is("hints")) hints<<<1, kThreads>>>(out);
    if (is("clocks")) clocks<<<1, kThreads>>>(out);
    if (is("bulk_copy")) bulk_copy<<<1, kThreads>>>(out);
    if (is("many"))
        for (int i = 0; i < 5; ++i) exact<<<1, kThreads>>>(out);
    if (is("one stream")) use_streams(out, 1, cudaStreamDefault);
    if (is("two streams")) use_streams(out, 2, cudaStreamDefault);
    if (is("non-blocking stream")) use_streams(out, 1, cudaStreamNonBlocking);
    if (is("chain")) launch_graph(out, true);
    if (is("two branches")) launch_graph(out, false);
    if (is("registered")) {
        static float registered[1024];
        cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped);
        exact<<<1, kThreads>>>(registered);
        cudaDeviceSynchronize();
        cudaHostUnregister(registered);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    cudaFree(out);
    return error != cudaSuccess;
}
