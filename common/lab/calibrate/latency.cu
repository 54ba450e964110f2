// Measures latencies. One thread follows pointers, so that each load waits for the load before it
// and nothing else is in flight. The location of the pointers determines which memory responds: the
// L1 cache, the L2 cache, memory or shared memory. To measure loads of 128
// bytes, a whole warp follows lines in the same way, and each lane reads its own copy of the
// pointer.
#include <algorithm>
#include <numeric>
#include <random>

#include "harness/flush.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr std::size_t line_bytes = 128;

enum class CacheLevel { first_level, second_level };

template <CacheLevel THROUGH>
__device__ std::uint64_t load_next_pointer(std::uint64_t pointer) {
    std::uint64_t next;
    if constexpr (THROUGH == CacheLevel::first_level) {
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(pointer) : "memory");
    } else {
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(pointer) : "memory");
    }
    return next;
}

/// Follows pointers with one thread per block. A multiprocessor is closer to some parts of the
/// cache than to others. Each block starts at a different point of the ring, so that the
/// measurement is the mean over all parts. The first `warm_up_loads` loads are not timed.
template <CacheLevel THROUGH>
__global__ void chase_pointers(int warm_up_loads, int loads, std::uint64_t* result_counters) {
    std::uint64_t pointer = result_counters[3 * blockIdx.x];
    for (int i = 0; i < warm_up_loads; ++i) pointer = load_next_pointer<THROUGH>(pointer);
    const long long ns = nanoseconds_now(), cycles = cycles_now();
    for (int i = 0; i < loads; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) pointer = load_next_pointer<THROUGH>(pointer);
    }
    result_counters[3 * blockIdx.x] = static_cast<std::uint64_t>(cycles_now() - cycles);
    result_counters[3 * blockIdx.x + 1] = static_cast<std::uint64_t>(nanoseconds_now() - ns);
    result_counters[3 * blockIdx.x + 2] = pointer;
}

/// Follows a chain of lines. Every word of a line holds the index of the next line. The time
/// includes each lane's address computation, a 64-bit multiply-add.
__global__ void chase_lines(const unsigned* ring_lines, int warm_up_loads, int loads,
                            std::uint64_t* result_counters) {
    const unsigned lane = threadIdx.x;
    auto line = static_cast<unsigned>(result_counters[3 * blockIdx.x]);
    const auto load_next_line = [&](unsigned line_number) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(v)
                     : "l"(ring_lines + std::size_t{line_number} * (line_bytes / 4) + lane)
                     : "memory");
        return v;
    };
    for (int i = 0; i < warm_up_loads; ++i) line = load_next_line(line);
    const long long ns = nanoseconds_now(), cycles = cycles_now();
    for (int i = 0; i < loads; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; ++k) line = load_next_line(line);
    }
    const long long cycles_after = cycles_now(), ns_after = nanoseconds_now();
    if (lane != 0) return;
    result_counters[3 * blockIdx.x] = static_cast<std::uint64_t>(cycles_after - cycles);
    result_counters[3 * blockIdx.x + 1] = static_cast<std::uint64_t>(ns_after - ns);
    result_counters[3 * blockIdx.x + 2] = line;
}

/// Follows pointers in shared memory, where addresses are 32 bits wide.
__global__ void chase_shared(int loads, std::uint64_t* result_counters) {
    __shared__ unsigned pointer_ring[256];
    const auto ring_address = static_cast<unsigned>(__cvta_generic_to_shared(pointer_ring));
    // 37 is odd, so the ring visits all 256 words.
    for (unsigned i = 0; i < 256; ++i) pointer_ring[i] = ring_address + (i + 37) % 256 * 4;
    unsigned pointer = ring_address;
    long long cycles = 0, ns = 0;
    for (int repetition = 0; repetition < 2; ++repetition) {
        ns = nanoseconds_now();
        cycles = cycles_now();
        for (int i = 0; i < loads; i += 8) {
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(pointer)::"memory");
            }
        }
        cycles = cycles_now() - cycles;
        ns = nanoseconds_now() - ns;
    }
    result_counters[0] = static_cast<std::uint64_t>(cycles);
    result_counters[1] = static_cast<std::uint64_t>(ns);
    result_counters[2] = pointer;
}

__device__ unsigned load_word_from_l2(const char* address) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");
    return v;
}

/// Times a warp's loads of single lines. Each line has been loaded once already, so that the
/// L2 cache contains it.
__global__ void time_loads(const char* data, int load_count, std::uint64_t* result_counters) {
    constexpr std::size_t load_spacing = 64 << 10;
    unsigned sum = 0;
    long long cycles = 0;
    for (int load = 0; load < load_count; ++load) {
        const char* line = data + load * load_spacing + 4 * threadIdx.x;
        sum ^= load_word_from_l2(line);
        if (__any_sync(~0u, sum == 0x9e3779b9u)) keep_alive(sum, result_counters + 1);
        const long long start = cycles_now();
        sum ^= load_word_from_l2(line);
        if (__any_sync(~0u, sum == 0x9e3779b9u)) keep_alive(sum, result_counters + 1);
        // The first iteration only warms up the instruction cache.
        if (load > 0) cycles += cycles_now() - start;
    }
    if (threadIdx.x == 0) result_counters[0] = static_cast<std::uint64_t>(cycles);
}

/// Links the lines of a buffer into one ring, in a random order that no prefetcher can predict. The
/// lines hold pointers, or line numbers if `holds_line_numbers`. The blocks' starting points are
/// spaced equally along the ring, and are written to every third result counter.
void link_lines_into_ring(Bench& bench, std::size_t line_count, int blocks,
                          bool holds_line_numbers) {
    std::vector<std::uint32_t> line_order(line_count);
    std::iota(line_order.begin(), line_order.end(), 0u);
    std::mt19937_64 random(1);
    std::shuffle(line_order.begin(), line_order.end(), random);
    const auto address_of_line = [&](std::size_t i) {
        return reinterpret_cast<std::uint64_t>(bench.in()) + line_order[i] * line_bytes;
    };
    std::vector<std::uint64_t> words(line_count * line_bytes / 8);
    for (std::size_t i = 0; i < line_count; ++i) {
        const std::size_t next_line = i + 1 == line_count ? 0 : i + 1,
                          word_index = line_order[i] * line_bytes / 8;
        if (holds_line_numbers) {
            std::fill_n(&words[word_index], line_bytes / 8, line_order[next_line] * 0x100000001ull);
        } else {
            words[word_index] = address_of_line(next_line);
        }
    }
    CUDA_CHECK(cudaMemcpy(bench.in(), words.data(), words.size() * 8, cudaMemcpyHostToDevice));
    std::vector<std::uint64_t> start_points(3 * static_cast<std::size_t>(blocks));
    for (std::size_t b = 0; b < start_points.size(); b += 3) {
        const std::size_t start_line = line_count / start_points.size() * b;
        start_points[b] = holds_line_numbers ? line_order[start_line] : address_of_line(start_line);
    }
    CUDA_CHECK(cudaMemcpy(bench.result_counters(), start_points.data(), start_points.size() * 8,
                          cudaMemcpyHostToDevice));
}

PointerChase get_mean(Bench& bench, const char* memory_level, double bytes, int blocks, int loads) {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const auto counters = bench.read_result_counters(3 * static_cast<std::size_t>(blocks));
    PointerChase chase_pointers = {memory_level, bytes};
    for (std::size_t i = 0; i < counters.size(); i += 3) {
        chase_pointers.cycles += static_cast<double>(counters[i]) / blocks / loads;
        chase_pointers.ns += static_cast<double>(counters[i + 1]) / blocks / loads;
    }
    return chase_pointers;
}

}  // namespace

void measure_latencies(Bench& bench, RawMeasurements& raw) {
    constexpr int loads = 2048;
    const auto chase_pointers_in = [&](const char* target, std::size_t bytes, CacheLevel level,
                                       int warm_up_loads, int blocks) {
        link_lines_into_ring(bench, bytes / line_bytes, blocks, false);
        // The copy left part of the ring in the L2 cache, so flush it.
        if (std::string(target) == "memory") flush_by_reading(bench.out(), bench.bytes());
        const auto kernel = level == CacheLevel::first_level
                                ? chase_pointers<CacheLevel::first_level>
                                : chase_pointers<CacheLevel::second_level>;
        kernel<<<blocks, 1>>>(warm_up_loads, loads, bench.result_counters());
        raw.pointer_chases.push_back(
            get_mean(bench, target, static_cast<double>(bytes), blocks, loads));
    };
    const auto chase_lines_in = [&](const char* target, std::size_t bytes, int warm_up_loads,
                                    int blocks) {
        link_lines_into_ring(bench, bytes / line_bytes, blocks, true);
        if (std::string(target) == "memory, lines") flush_by_reading(bench.out(), bench.bytes());
        chase_lines<<<blocks, 32>>>(reinterpret_cast<const unsigned*>(bench.in()), warm_up_loads,
                                    loads, bench.result_counters());
        raw.pointer_chases.push_back(
            get_mean(bench, target, static_cast<double>(bytes), blocks, loads));
    };
    const int all_sms = bench.multiprocessors();
    const auto l2_bytes = static_cast<std::size_t>(raw.machine.l2_bytes);
    // One trip around the ring brings all of it into the cache, if the cache is large enough.
    for (const std::size_t kib : {4, 16}) {
        chase_pointers_in("first level", kib << 10, CacheLevel::first_level,
                          static_cast<int>(kib * 8), 1);
    }
    // The blocks go around the ring together, and each warms up both its own section and the next
    // block's.
    for (const std::size_t bytes : {std::size_t{1} << 20, l2_bytes / 8, l2_bytes / 4}) {
        const auto line_count = static_cast<int>(bytes / line_bytes);
        chase_pointers_in("second level", bytes, CacheLevel::second_level,
                          2 * line_count / all_sms + loads, all_sms);
        chase_lines_in("second level, lines", bytes, 2 * line_count / all_sms + loads, all_sms);
    }
    // No block visits a line twice here, so the warm-up only fills the TLBs.
    const std::size_t large_bytes = std::min(bench.bytes() / 2, 8 * l2_bytes);
    for (const std::size_t bytes : {large_bytes / 2, large_bytes}) {
        chase_pointers_in("memory", bytes, CacheLevel::second_level, 512, 1);
        chase_pointers_in("memory", bytes, CacheLevel::second_level, 512, all_sms);
        chase_lines_in("memory, lines", bytes, 512, all_sms);
    }
    chase_shared<<<1, 1>>>(loads, bench.result_counters());
    raw.pointer_chases.push_back(get_mean(bench, "shared", 1024, 1, loads));
    bench.fill_buffers();
    constexpr int timed_loads = 64;
    time_loads<<<1, 32>>>(bench.in(), timed_loads, bench.result_counters());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    raw.timed_load_cycles =
        static_cast<double>(bench.read_result_counters(1)[0]) / (timed_loads - 1);
}

}  // namespace coalesce::timing
