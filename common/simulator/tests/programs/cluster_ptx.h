// A kernel that tests the forms of PTX's cluster instructions. A case gives its body as text.
//
// Kernel A cluster of 2 blocks of 32 threads. The body must set %r9 to the thread's result. Each
// block has an
//         array `box`, where thread t's word is 100 * block + t, and an mbarrier with the number of
//         arrivals that a case sets.
// Names   %r1 thread, %r2 block, %r3 rank, %r4 rank of the other block, %r5 4 * thread, %r6 box,
//         %r7 the address of the thread's word, %r8 its value, %r10 the mbarrier, %r11 the word and
//         %r12 the mbarrier of the other block, %p1 thread 0.
#pragma once

#include <string>

#include "api_check.h"

inline const char* const kClusterHead = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) DIRECTIVES
{
    .reg .pred %p<8>;
    .reg .b16 %h<4>;
    .reg .b32 %r<40>;
    .reg .b64 %d<20>;
    .shared .align 128 .b8 box[128];
    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %cluster_ctarank;
    xor.b32 %r4, %r3, 1;
    shl.b32 %r5, %r1, 2;
    mov.u32 %r6, box;
    add.u32 %r7, %r6, %r5;
    mad.lo.u32 %r8, %r2, 100, %r1;
    st.shared.u32 [%r7], %r8;
    mov.u32 %r10, bar;
    mapa.shared::cluster.u32 %r11, %r7, %r4;
    mapa.shared::cluster.u32 %r12, %r10, %r4;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 mbarrier.init.shared::cta.b64 [%r10], ARRIVALS;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
)";
inline const char* const kClusterTail = R"(
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mad.lo.u32 %r30, %r2, 32, %r1;
    ld.param.u64 %d17, [out];
    cvta.to.global.u64 %d17, %d17;
    mul.wide.u32 %d18, %r30, 4;
    add.u64 %d19, %d17, %d18;
    st.global.u32 [%d19], %r9;
    ret;
}
)";

struct ClusterCase {
    std::string body;
    int arrivals = 1;
    bool with_attribute = true;  ///< whether the launch sets a cluster size of 2 blocks
    const char* directives = "";
};

/// Runs the kernel, and copies its 64 results to `host`.
inline cudaError_t run_cluster_case(const ClusterCase& c, unsigned* host) {
    std::string text = kClusterHead + c.body + kClusterTail;
    text.replace(text.find("DIRECTIVES"), 10, c.directives);
    text.replace(text.find("ARRIVALS"), 8, std::to_string(c.arrivals));
    cudaLibrary_t library;
    cudaKernel_t kernel;
    cudaError_t error =
        cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != cudaSuccess) return error;
    need(cudaLibraryGetKernel(&kernel, library, "k"));
    unsigned* out;
    need(cudaMalloc(&out, 256));
    need(cudaMemset(out, 0, 256));
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 2;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = c.with_attribute;
    void* arguments[] = {&out};
    error = cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost);
    return error;
}
