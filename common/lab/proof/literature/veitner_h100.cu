// veitner_h100 -- the three transposes by TMA whose bandwidth on an H100 Simon Veitner has published, rewritten.
//
// veitner_h100.toml has the figures, and where they stand. A block fetches a box of 32 x 32 floats by TMA, turns it
// from one piece of shared memory into another, and stores that by TMA. All threads arrive at the mbarrier.

#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "harness/harness.h"

namespace {

constexpr int SIDE = 32, FLOATS = SIDE * SIDE;

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void init(uint64_t& arrived) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&arrived)),
                 "r"(blockDim.x)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One thread asks for the box that begins at (row, col); all arrive, and wait until it is there.
__device__ void fetch(float* box, const CUtensorMap& in, int row, int col, uint64_t& arrived) {
    if (threadIdx.x == 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
            "l"(&in), "r"(col), "r"(row), "r"(shared_address(&arrived))
            : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         shared_address(&arrived)),
                     "n"(FLOATS * sizeof(float))
                     : "memory");
    } else {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&arrived))
                     : "memory");
    }
    unsigned is_over = 0;
    while (!is_over) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(is_over)
            : "r"(shared_address(&arrived))
            : "memory");
    }
}

__device__ void store(const CUtensorMap& out, const float* box, int row, int col) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&out),
        "r"(shared_address(box)), "r"(col), "r"(row)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Where a box keeps an element: as it comes, or by TMA's swizzle of 128 bytes.
template <bool IS_SWIZZLED>
__device__ int place(int row, int col) {
    return row * SIDE + (IS_SWIZZLED ? (row ^ col / 4) % 8 * 4 + col % 4 : col);
}

// Each thread turns EACH neighbours of a row.
template <bool IS_SWIZZLED, int EACH>
__global__ void by_tma(const __grid_constant__ CUtensorMap out,
                       const __grid_constant__ CUtensorMap in) {
    __shared__ __align__(1024) float box[FLOATS];
    __shared__ __align__(1024) float turned[FLOATS];
    __shared__ uint64_t arrived;
    const int in_row = blockIdx.y * SIDE, in_col = blockIdx.x * SIDE;
    if (threadIdx.x == 0) init(arrived);
    __syncthreads();
    fetch(box, in, in_row, in_col, arrived);
    const int row = threadIdx.x / (SIDE / EACH), col = threadIdx.x % (SIDE / EACH) * EACH;
#pragma unroll
    for (int i = 0; i < EACH; ++i)
        turned[place<IS_SWIZZLED>(col + i, row)] = box[place<IS_SWIZZLED>(row, col + i)];
    store(out, turned, in_col, in_row);
}

// The map of a square matrix, for boxes of SIDE x SIDE.
CUtensorMap map_of(const float* matrix, int side, CUtensorMapSwizzle swizzle) {
    static void* encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (!encode) {
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found);
    }
    const cuuint64_t length = side;
    cuuint64_t size[] = {length, length}, stride[] = {length * sizeof(float)};
    cuuint32_t box[] = {SIDE, SIDE}, every[] = {1, 1};
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

template <bool IS_SWIZZLED, int EACH>
void launch(float* out, const float* in, int rows, int) {
    const auto swizzle = IS_SWIZZLED ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
    const dim3 grid(rows / SIDE, rows / SIDE);
    by_tma<IS_SWIZZLED, EACH>
        <<<grid, FLOATS / EACH>>>(map_of(out, rows, swizzle), map_of(in, rows, swizzle));
}

coalesce::Variant square(const char* name, coalesce::LaunchFunction launch) {
    return {.name = name,
            .launch = launch,
            .rows_multiple = SIDE,
            .cols_multiple = SIDE,
            .square_only = true};
}

}  // namespace

int main(int argc, char** argv) {
    return run_step(argc, argv,
                    {
                        square("transpose_naive", launch<false, 1>),
                        square("transpose_swizzle", launch<true, 1>),
                        square("transpose_swizzle_batched", launch<true, 8>),
                    });
}
