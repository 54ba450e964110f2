// Measures how fast a multiprocessor performs bulk copies (compute capability 9.0). The lanes of a
// few warps request one row each, or one thread requests boxes of a matrix, with a fixed number of
// requests in flight. All data is in the L2 cache, so memory has no influence. Long rows
// are limited by the path from that cache.
#include <cuda.h>

#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr unsigned copy_rounds = 128, lanes_per_warp = 32;
constexpr unsigned copies_in_flight_per_warp =
    4;  // groups of copies, or boxes, that each warp has in flight
constexpr unsigned max_warps = 8, max_row_bytes = 1024, rows_per_box = 64;
/// Bytes that each multiprocessor reads repeatedly. Together, the multiprocessors read less than
/// half of the L2 cache.
constexpr unsigned footprint_bytes = 128 << 10, pitch_bytes = footprint_bytes / rows_per_box;

enum class CopyShape { rows, boxes };
// Bulk copies require compute capability 9.0 or higher.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ unsigned to_shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void init_mbarrier(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect_bytes(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
__device__ void wait_for_parity(unsigned barrier, unsigned parity) {
    unsigned is_done = 0;
    while (is_done == 0) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "  selp.u32 %0, 1, 0, p; }"
            : "=r"(is_done)
            : "r"(barrier), "r"(parity)
            : "memory");
    }
}
__device__ void load_row(unsigned shared_to, const char* from, unsigned bytes, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_to),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
}
__device__ void load_box(unsigned shared_to, const CUtensorMap& tensor_map, unsigned column,
                         unsigned row, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(shared_to),
        "l"(&tensor_map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}
/// Requests one row per lane, or one box per warp. No thread reads the data, so all requests may
/// write to the same addresses.
template <CopyShape HOW>
__device__ void issue_bulk_copies(const CUtensorMap& map, const char* data, unsigned bytes,
                                  unsigned shared_space, unsigned barrier, unsigned round) {
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    const unsigned warp_round = round * (blockDim.x / lanes_per_warp) + warp;
    if constexpr (HOW == CopyShape::rows) {
        const unsigned row_offset_bytes =
            (warp_round * lanes_per_warp + lane) * bytes % footprint_bytes;
        load_row(shared_space + lane * bytes,
                 data + std::size_t{blockIdx.x} * footprint_bytes + row_offset_bytes, bytes,
                 barrier);
    } else if (lane == 0) {
        load_box(shared_space, map, warp_round * bytes % pitch_bytes / 4, blockIdx.x * rows_per_box,
                 barrier);
    }
}

template <CopyShape HOW>
__device__ void issue_copies_and_wait(const CUtensorMap& map, const char* data, unsigned bytes,
                                      std::uint64_t* barriers, unsigned shared_space) {
    const unsigned round_bytes = bytes * (HOW == CopyShape::boxes ? rows_per_box : lanes_per_warp);
    for (unsigned round = 0; round < copy_rounds + copies_in_flight_per_warp; ++round) {
        const unsigned barrier = to_shared_address(&barriers[round % copies_in_flight_per_warp]);
        if (round >= copies_in_flight_per_warp)
            wait_for_parity(barrier, (round / copies_in_flight_per_warp - 1) % 2);
        if (round >= copy_rounds) continue;
        if (threadIdx.x % lanes_per_warp == 0) expect_bytes(barrier, round_bytes);
        __syncwarp();
        issue_bulk_copies<HOW>(map, data, bytes, shared_space, barrier, round);
    }
}
#else
__device__ unsigned to_shared_address(const void*) {
    return 0;
}
__device__ void init_mbarrier(unsigned) {}
template <CopyShape HOW>
__device__ void issue_copies_and_wait(const CUtensorMap&, const char*, unsigned, std::uint64_t*,
                                      unsigned) {}
#endif

/// Runs the copies twice; the first run only warms up the caches.
template <CopyShape HOW>
__global__ void __launch_bounds__(lanes_per_warp* max_warps)
    copy_in_bulk(const __grid_constant__ CUtensorMap map, const char* data, unsigned bytes,
                 std::uint64_t* result_counters) {
    extern __shared__ __align__(128) uint4 shared_space[];
    __shared__ std::uint64_t barriers[2][max_warps][copies_in_flight_per_warp];
    const unsigned warp = threadIdx.x / lanes_per_warp;
    long long start = 0;
    if (threadIdx.x % lanes_per_warp == 0) {
        for (unsigned k = 0; k < 2 * copies_in_flight_per_warp; ++k)
            init_mbarrier(to_shared_address(&barriers[k % 2][warp][k / 2]));
    }
    for (auto& barriers_of_pass : barriers) {
        __syncthreads();
        start = cycles_now();
        issue_copies_and_wait<HOW>(map, data, bytes, barriers_of_pass[warp],
                                   to_shared_address(shared_space));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        result_counters[blockIdx.x] = static_cast<std::uint64_t>(cycles_now() - start);
}

/// Returns the tensor map of a matrix of words. The matrix covers the footprints of all
/// multiprocessors, and its boxes have rows of `bytes` bytes.
CUtensorMap make_tensor_map(char* data, unsigned multiprocessors, unsigned bytes) {
    void* encode_function = nullptr;
    cudaDriverEntryPointQueryResult entry_point_result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode_function, 12000,
                                                cudaEnableDefault, &entry_point_result));
    const cuuint64_t matrix_size[] = {pitch_bytes / 4, cuuint64_t{rows_per_box} * multiprocessors},
                     row_stride_bytes[] = {pitch_bytes};
    const cuuint32_t box_size[] = {bytes / 4, rows_per_box}, element_strides[] = {1, 1};
    CUtensorMap tensor_map{};
    if (!encode_function ||
        reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode_function)(
            &tensor_map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, matrix_size, row_stride_bytes,
            box_size, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
        throw std::runtime_error("this driver cannot create tensor maps");
    }
    return tensor_map;
}

template <CopyShape HOW>
void measure(Bench& bench, RawMeasurements& raw, const char* method, unsigned warps,
             unsigned bytes) {
    const auto blocks = static_cast<unsigned>(bench.multiprocessors());
    const unsigned rows_per_copy = HOW == CopyShape::boxes ? rows_per_box : lanes_per_warp;
    const auto kernel = copy_in_bulk<HOW>;
    // Each block uses more than half of the shared memory, so each multiprocessor runs only one
    // block.
    const std::size_t shared_bytes = shared_bytes_for_residency(raw.machine, 1);
    allow_dynamic_shared_memory(kernel, shared_bytes);
    kernel<<<blocks, lanes_per_warp * warps, shared_bytes>>>(
        HOW == CopyShape::boxes ? make_tensor_map(bench.in(), blocks, bytes) : CUtensorMap{},
        bench.in(), bytes, bench.result_counters());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    double cycles = 0;
    for (const std::uint64_t block_cycles : bench.read_result_counters(blocks))
        cycles += static_cast<double>(block_cycles) / blocks;
    raw.bulk_rates.push_back({method, static_cast<int>(warps), static_cast<double>(bytes),
                              cycles / (copy_rounds * rows_per_copy * warps)});
}

}  // namespace

void measure_bulk(Bench& bench, RawMeasurements& raw) {
    if (bench.compute() < 90) return;
    for (const unsigned bytes : {16u, 64u, 128u, 256u, 512u, max_row_bytes}) {
        for (const unsigned warps : {1u, 2u, 4u, max_warps})
            measure<CopyShape::rows>(bench, raw, "rows", warps, bytes);
        for (const unsigned warps : {1u, 2u, 4u})
            measure<CopyShape::boxes>(bench, raw, "boxes", warps, bytes);
    }
}

}  // namespace coalesce::timing
