// Wraps the PTX instructions of TMA, for which CUDA C++ has no functions, and creates the tensor
// map of a matrix on the host.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

//! [mbarrier]
using Mbarrier = unsigned long long;  // 8 bytes of shared memory

__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Initializes an mbarrier that waits for one thread to arrive, and for the announced bytes.
__device__ inline void init(Mbarrier& arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived))
                 : "memory");
    // Makes the initialized mbarrier visible to TMA, which performs the copies.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives at the mbarrier, and announces how many bytes it must still wait for.
__device__ inline void expect(Mbarrier& arrived, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
        "r"(bytes)
        : "memory");
}

// Waits until the phase with this parity is complete, that is, until all threads and bytes have
// arrived. The parity alternates from phase to phase: 0, 1, 0, and so on.
__device__ inline void wait(Mbarrier& arrived, unsigned parity) {
    unsigned over = 0;
    while (!over) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&arrived)), "r"(parity)
            : "memory");
    }
}
//! [mbarrier]

//! [row]
// Requests a copy of `bytes` bytes, which `arrived` counts as they arrive. The number of bytes and
// both addresses must be multiples of 16.
__device__ inline void load_row(float4* to, const float* from, unsigned bytes, Mbarrier& arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrived))
        : "memory");
}
//! [row]

//! [boxes]
// Requests the box that begins at (row, col). `arrived` counts its bytes as they arrive.
__device__ inline void load_box(float4* box, const CUtensorMap& in, int row, int col,
                                Mbarrier& arrived) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
        "l"(&in), "r"(col), "r"(row), "r"(shared_address(&arrived))
        : "memory");
}

__device__ inline void store_box(const CUtensorMap& out, const float4* box, int row, int col) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&out),
        "r"(shared_address(box)), "r"(col), "r"(row)
        : "memory");
}

// Closes a group of stores. As with cp.async, the thread that requested the stores waits for
// groups.
__device__ inline void commit_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until TMA has read all but the newest LEFT groups from shared memory.
template <int LEFT>
__device__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// Makes the threads' writes to shared memory visible to TMA's subsequent reads.
__device__ inline void fence_before_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
//! [boxes]

//! [map]
// Returns the tensor map of a matrix of `rows` x `cols` floats, for boxes of `box_rows` x
// `box_cols`.
inline CUtensorMap map_of(const float* matrix, int rows, int cols, unsigned box_rows,
                          unsigned box_cols, CUtensorMapSwizzle swizzle) {
    // The driver has this function. It is looked up at run time, so that programs need not link the
    // driver.
    static void* encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (!encode) {
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found);
    }
    // The innermost dimension comes first, and needs no stride.
    cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
    cuuint64_t stride[] = {cols * sizeof(float)};
    cuuint32_t box[] = {box_cols, box_rows}, every[] = {1, 1};
    CUtensorMap map{};
    if (!encode || reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
                       &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(matrix), size,
                       stride, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        std::fputs("This driver makes no tensor maps: TMA needs CUDA 12 or later.\n", stderr);
        std::exit(2);
    }
    return map;
}
//! [map]
