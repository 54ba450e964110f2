// The words of PTX that TMA needs and CUDA C++ has no names for, and the map that the host makes of a
// matrix.
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

// Counts who has arrived, and the bytes that are to come. This one waits for one thread.
__device__ inline void init(Mbarrier& arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived))
                 : "memory");
    // The copies, which are not of this thread, must see it too.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives, and says how many bytes are to come besides.
__device__ inline void expect(Mbarrier& arrived, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
        "r"(bytes)
        : "memory");
}

// Waits until the phase is over: all have arrived, and all bytes have come. Phases are told by their
// parity, 0, 1, 0 ...
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
// Asks for `bytes` bytes, 16 or a multiple, from a multiple of 16 on; they are counted at `arrived` as
// they come.
__device__ inline void load_row(float4* to, const float* from, unsigned bytes, Mbarrier& arrived) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&arrived))
        : "memory");
}
//! [row]

//! [boxes]
// Asks for the box that begins at (row, col); its bytes are counted at `arrived` as they come.
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

// Stores are waited for in groups, as cp.async is, by the thread that asked for them.
__device__ inline void commit_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the newest LEFT groups have been read from shared memory.
template <int LEFT>
__device__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// What threads have written to shared memory comes before what TMA reads there.
__device__ inline void fence_before_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
//! [boxes]

//! [map]
// The map of a matrix of `rows` x `cols` floats, for boxes of `box_rows` rows and `box_cols` columns.
inline CUtensorMap map_of(const float* matrix, int rows, int cols, unsigned box_rows,
                          unsigned box_cols, CUtensorMapSwizzle swizzle) {
    // Of the driver's functions; asked for here, no program needs to be linked with the driver.
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
