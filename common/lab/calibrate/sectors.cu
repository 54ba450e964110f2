// Measures reads of single sectors, in random order and at a fixed stride. Such reads show what a
// sector costs when little of the data around it is read, and how that cost depends on the size of
// the memory range from which the sectors are taken.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr unsigned kSectorBytes = 32, kLoadsPerThread = 8, kThreadsPerBlock = 256;

__device__ unsigned scramble_bits(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/// Reads 4 bytes from each of kLoadsPerThread sectors per thread. Groups of `lanes_per_group` lanes
/// read neighbouring sectors.
__global__ void read_random_sectors(const char* in, unsigned sector_count, unsigned lanes_per_group,
                                    void* sink) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v[kLoadsPerThread];
#pragma unroll
    for (unsigned k = 0; k < kLoadsPerThread; ++k) {
        const unsigned request_index = k * gridDim.x * blockDim.x + thread;
        const unsigned first = scramble_bits(request_index / lanes_per_group) & (sector_count - 1) &
                               ~(lanes_per_group - 1);
        const char* at = in + std::size_t{first + request_index % lanes_per_group} * kSectorBytes;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(at));
    }
    unsigned sum = 0;
#pragma unroll
    for (unsigned k = 0; k < kLoadsPerThread; ++k) sum ^= v[k];
    keep_alive(sum, sink);
}

/// Reads or writes 4 bytes in each of kLoadsPerThread sectors per thread. The sectors are
/// `stride_bytes` bytes apart.
template <bool WRITES>
__global__ void touch_strided_sectors(char* data, unsigned stride_bytes, void* sink) {
    const unsigned first_sector = blockIdx.x * blockDim.x * kLoadsPerThread + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (unsigned k = 0; k < kLoadsPerThread; ++k) {
        char* at = data + std::size_t{first_sector + k * blockDim.x} * stride_bytes;
        if (WRITES) {
            *reinterpret_cast<uint4*>(at) = {first_sector, k, 0, 0};
            *reinterpret_cast<uint4*>(at + 16) = {first_sector, k, 1, 1};
        } else {
            unsigned v;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
            sum ^= v;
        }
    }
    if (!WRITES) keep_alive(sum, sink);
}

}  // namespace

void measure_sectors(Bench& bench, RawMeasurements& raw) {
    constexpr std::size_t mib = std::size_t{1} << 20;
    constexpr unsigned blocks = 16384;
    const double sectors_read = static_cast<double>(blocks) * kThreadsPerBlock * kLoadsPerThread;
    for (const unsigned group : {1u, 2u, 4u, 8u}) {
        for (const std::size_t size : {4, 8, 16, 24, 32, 64, 128, 256, 512, 1024}) {
            if (size * mib > bench.bytes() || (size & (size - 1)) != 0) continue;
            const auto sector_count = static_cast<unsigned>(size * mib / kSectorBytes);
            const double ms = bench.ms([&] {
                read_random_sectors<<<blocks, kThreadsPerBlock>>>(bench.in(), sector_count, group,
                                                                  bench.out());
            });
            raw.sector_bandwidths.push_back(
                {"random read", static_cast<double>(group) * kSectorBytes,
                 static_cast<double>(size), sectors_read * kSectorBytes / ms / 1e6});
        }
    }
    for (const unsigned stride : {32u, 64u, 96u, 128u, 256u, 512u, 1024u, 4096u}) {
        const std::size_t of_block = std::size_t{kThreadsPerBlock} * kLoadsPerThread * stride;
        const auto block_count = static_cast<unsigned>(bench.bytes() / of_block);
        const double bytes =
            static_cast<double>(block_count) * kThreadsPerBlock * kLoadsPerThread * kSectorBytes;
        const double read_ms = bench.ms([&] {
            touch_strided_sectors<false>
                <<<block_count, kThreadsPerBlock>>>(bench.in(), stride, bench.out());
        });
        const double write_ms = bench.ms([&] {
            touch_strided_sectors<true>
                <<<block_count, kThreadsPerBlock>>>(bench.out(), stride, bench.out());
        });
        const double size_mib = static_cast<double>(bench.bytes() / mib);
        raw.sector_bandwidths.push_back(
            {"strided read", static_cast<double>(stride), size_mib, bytes / read_ms / 1e6});
        raw.sector_bandwidths.push_back(
            {"strided write", static_cast<double>(stride), size_mib, bytes / write_ms / 1e6});
    }
}

}  // namespace coalesce::timing
