// Helpers for test programs that use cp.async.bulk: wrappers for PTX instructions, and functions
// that create tensor maps.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstdio>

__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void init(uint64_t& barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
                 "r"(count)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Arrives at the mbarrier, and makes it expect `bytes` bytes from copies.
__device__ inline void expect_bytes(uint64_t& barrier, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
        "r"(bytes)
        : "memory");
}
__device__ inline void wait(uint64_t& barrier, unsigned parity) {
    unsigned over = 0;
    while (!over) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(over)
            : "r"(shared_address(&barrier)), "r"(parity)
            : "memory");
    }
}
/// Orders this thread's writes to shared memory before reads by asynchronous copies.
__device__ inline void fence_for_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void load_run(void* to, const void* from, unsigned bytes, uint64_t& barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&barrier))
        : "memory");
}
__device__ inline void store_run(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}
__device__ inline void load_box(void* to, const CUtensorMap& map, int x, int y, uint64_t& barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_address(&barrier))
        : "memory");
}
__device__ inline void store_box(const CUtensorMap& map, const void* from, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
        "r"(shared_address(from)), "r"(x), "r"(y)
        : "memory");
}
__device__ inline void commit_stores() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Left>
__device__ void wait_for_stores() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Left) : "memory");
}
template <int Left>
__device__ void wait_for_reads() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}

/// Looks up the driver's cuTensorMapEncodeTiled at run time, so that tests do not link libcuda.
inline decltype(&cuTensorMapEncodeTiled) map_encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    static_cast<void>(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                       cudaEnableDefault, &found));
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

struct MapOptions {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    unsigned element_bytes = 4;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    unsigned pitch = 0;  ///< bytes from one row to the next, or 0 for rows without gaps
};

/// Returns a tensor map of an array of `rows` x `cols` elements. A copy moves a box of `box_rows` x
/// `box_cols` elements.
inline CUtensorMap map_of(const void* array, unsigned rows, unsigned cols, unsigned box_rows,
                          unsigned box_cols, const MapOptions& options = {}) {
    CUtensorMap map;
    const cuuint64_t size[] = {cols, rows};
    const cuuint64_t pitch[] = {options.pitch ? options.pitch : cols * options.element_bytes};
    const cuuint32_t box[] = {box_cols, box_rows}, steps[] = {1, 1};
    const CUresult result =
        map_encoder()(&map, options.type, 2, const_cast<void*>(array), size, pitch, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, options.swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, options.fill);
    if (result != CUDA_SUCCESS)
        std::printf("cuTensorMapEncodeTiled: %d\n", static_cast<int>(result));
    return map;
}
