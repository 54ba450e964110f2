// Typical uses of warp-level functions: shuffles, votes, matches and groups.
#include "../cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <numeric>

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffff;

// clean reductions_of_all_types
template <class T>
__device__ T sum_of_warp(T value) {
    for (int mask = 16; mask > 0; mask >>= 1) value += __shfl_xor_sync(kAll, value, mask);
    return value;
}
__global__ void all_types(double* out, const int* in) {
    const int x = in[threadIdx.x];
    const double sums[] = {static_cast<double>(sum_of_warp(x)),
                           static_cast<double>(sum_of_warp(static_cast<long long>(x) << 33)),
                           static_cast<double>(sum_of_warp(x * 0.5f)), sum_of_warp(x * 0.25),
                           static_cast<double>(sum_of_warp(static_cast<unsigned>(x)))};
    for (int k = 0; k < 5; ++k) out[k * 64 + threadIdx.x] = sums[k];
}
static void reductions_of_all_types() {
    const auto in = random_numbers(64, 1000);
    double* out = device_zeros<double>(5 * 64);
    all_types<<<1, 64>>>(out, to_device(in));
    const auto host = to_host(out, 5 * 64);
    const double factors[] = {1, 8589934592.0, 0.5, 0.25, 1};
    for (int i = 0; i < 5 * 64; ++i) {
        const auto first = in.begin() + i % 64 / 32 * 32;
        expect(host[i] == factors[i / 64] * std::accumulate(first, first + 32, 0), "sum");
    }
}

// clean room_for_a_warp_at_once
// One active lane reserves output space for all active lanes of the warp.
__device__ int next_place(int* counter) {
    auto lanes = cg::coalesced_threads();
    int first = 0;
    if (lanes.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(lanes.size()));
    return lanes.shfl(first, 0) + lanes.thread_rank();
}
__global__ void keep_primes(int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i < 2) return;
    for (int d = 2; d * d <= i; ++d) {
        if (i % d == 0) return;
    }
    out[next_place(count)] = i;
}
static void room_for_a_warp_at_once() {
    int *out = device_zeros<int>(300), *count = device_zeros<int>(1);
    keep_primes<<<8, 128>>>(out, count, 1000);
    const int found = to_host(count, 1)[0];
    expect(found == 168, "count");
    auto primes = to_host(out, 300);
    std::sort(primes.begin(), primes.begin() + 168);
    expect(primes[0] == 2 && primes[167] == 997, "first and last");
    for (int i = 1; i < 168; ++i) {
        for (int d = 2; d * d <= primes[i]; ++d) expect(primes[i] % d != 0, "prime");
        expect(primes[i - 1] < primes[i], "each once");
    }
}

// clean equal_lanes_add_once
__global__ void count_by_value(int* counts, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned there = __ballot_sync(kAll, i < n);
    if (i >= n) return;
    const unsigned equal = __match_any_sync(there, in[i]);
    if (__ffs(equal) - 1 == threadIdx.x % 32) atomicAdd(&counts[in[i]], __popc(equal));
}
static void equal_lanes_add_once() {
    const auto in = random_numbers(500, 12);
    int* counts = device_zeros<int>(12);
    count_by_value<<<4, 128>>>(counts, to_device(in), 500);
    for (int v = 0; v < 12; ++v)
        expect(to_host(counts, 12)[v] == std::count(in.begin(), in.end(), v), "count");
}

// clean work_of_one_lane_by_all
// The lengths of the lists vary widely, so all lanes of a warp read each list together.
__global__ void sum_lists(int* sums, const int* values, const int* first, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int begin = 0, end = 0;
    if (i < n) {
        begin = first[i];
        end = first[i + 1];
    }
    while (__any_sync(kAll, begin < end)) {
        const int leader = __ffs(__ballot_sync(kAll, begin < end)) - 1;
        const int from = __shfl_sync(kAll, begin, leader), to = __shfl_sync(kAll, end, leader);
        int sum = 0;
        for (int k = from + lane; k < to; k += 32) sum += values[k];
        sum = __reduce_add_sync(kAll, sum);
        if (lane == leader) {
            sums[i] = sum;
            begin = end;
        }
    }
}
static void work_of_one_lane_by_all() {
    const int n = 90;
    std::vector<int> first{0}, want(n);
    for (const int length : random_numbers(n, 20))
        first.push_back(first.back() + length * length / 4);
    const auto values = random_numbers(first.back(), 50, 3);
    for (int i = 0; i < n; ++i)
        want[i] = std::accumulate(values.begin() + first[i], values.begin() + first[i + 1], 0);
    int* sums = device_zeros<int>(n);
    sum_lists<<<2, 64>>>(sums, to_device(values), to_device(first), n);
    expect(to_host(sums, n) == want, "sums");
}

// clean bitonic_sort_of_lanes
__global__ void sort_warps(int* values) {
    int mine = values[threadIdx.x];
    const int lane = threadIdx.x % 32;
    for (int size = 2; size <= 32; size *= 2) {
        for (int by = size / 2; by > 0; by /= 2) {
            const int other = __shfl_xor_sync(kAll, mine, by);
            const bool up = (lane & size) == 0, is_low = (lane & by) == 0;
            mine = up == is_low ? min(mine, other) : max(mine, other);
        }
    }
    values[threadIdx.x] = mine;
}
static void bitonic_sort_of_lanes() {
    auto in = random_numbers(128, 1000);
    int* values = to_device(in);
    sort_warps<<<1, 128>>>(values);
    for (int w = 0; w < 4; ++w) std::sort(in.begin() + 32 * w, in.begin() + 32 * w + 32);
    expect(to_host(values, 128) == in, "sorted by warps");
}

// clean best_with_its_place
struct Candidate {
    float score;
    int place;
};
__device__ Candidate best_of_warp(Candidate mine) {
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
        Candidate other;
        other.score = __shfl_down_sync(kAll, mine.score, by);
        other.place = __shfl_down_sync(kAll, mine.place, by);
        if (other.score > mine.score || (other.score == mine.score && other.place < mine.place))
            mine = other;
    }
    return mine;
}
__global__ void best_of_rows(Candidate* out, const float* in, int cols) {
    __shared__ Candidate of_warps[4];
    Candidate mine{-1e30f, -1};
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        const float score = in[blockIdx.x * cols + col];
        if (score > mine.score) mine = {score, col};
    }
    mine = best_of_warp(mine);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < 4 ? of_warps[threadIdx.x] : Candidate{-1e30f, 1 << 30};
        mine = best_of_warp(mine);
        if (threadIdx.x == 0) out[blockIdx.x] = mine;
    }
}
static void best_with_its_place() {
    const int rows = 20, cols = 300;
    std::vector<float> in;
    for (const int x : random_numbers(rows * cols, 250)) in.push_back(x * 0.5f);
    Candidate* out = device_zeros<Candidate>(rows);
    best_of_rows<<<rows, 128>>>(out, to_device(in), cols);
    const auto host = to_host(out, rows);
    for (int row = 0; row < rows; ++row) {
        const auto begin = in.begin() + row * cols, best = std::max_element(begin, begin + cols);
        expect(host[row].place == best - begin && host[row].score == *best, "best");
    }
}

// clean transpose_in_registers
// Each lane holds a column of a 32 x 32 matrix. Five rounds of shuffles transpose the matrix.
__global__ void transpose_lanes(int* out, const int* in) {
    int row[32];
    const int lane = threadIdx.x;
    for (int i = 0; i < 32; ++i) row[i] = in[i * 32 + lane];
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i & by) continue;
            const bool is_high = lane & by;
            const int give = is_high ? row[i] : row[i | by];
            const int got = __shfl_xor_sync(kAll, give, by);
            if (is_high)
                row[i] = got;
            else
                row[i | by] = got;
        }
    }
    for (int i = 0; i < 32; ++i) out[i * 32 + lane] = row[i];
}
static void transpose_in_registers() {
    int* out = device_zeros<int>(1024);
    transpose_lanes<<<1, 32>>>(out, device_iota<int>(1024));
    const auto host = to_host(out, 1024);
    for (int i = 0; i < 1024; ++i) expect(host[i] == i % 32 * 32 + i / 32, "transposed");
}

// clean stop_when_any_lane_has_found
__global__ void find_word(int* found, const char* text, int n, const char* word, int length) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int begin = warp * 256, end = min(begin + 256, n - length + 1);
    for (int first = begin; first < end; first += 32) {
        const int at = first + lane;
        bool fits = at < end;
        for (int k = 0; fits && k < length; ++k) fits = text[at + k] == word[k];
        const unsigned hits = __ballot_sync(kAll, fits);
        if (hits) {
            if (lane == 0) atomicMin(found, first + __ffs(hits) - 1);
            break;
        }
    }
}
static void stop_when_any_lane_has_found() {
    const int n = 2000;
    std::vector<char> text;
    for (const int x : random_numbers(n, 3)) text.push_back(static_cast<char>('a' + x));
    const std::vector<char> word(text.begin() + 1234, text.begin() + 1242);
    int* found = to_device<int>({n});
    find_word<<<2, 128>>>(found, to_device(text), n, to_device(word), 8);
    const auto want = std::search(text.begin(), text.end(), word.begin(), word.end());
    expect(to_host(found, 1)[0] == want - text.begin(), "first place");
}

// clean tiles_of_a_block
__global__ void rows_by_tiles(float* out, const float* matrix, const float* vector, int rows,
                              int cols) {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    const int row = blockIdx.x * (blockDim.x / 16) + block.thread_rank() / 16;
    if (row >= rows) return;  // all lanes of a tile return together
    float sum = 0;
    for (int col = tile.thread_rank(); col < cols; col += 16)
        sum += matrix[row * cols + col] * vector[col];
    for (int by = 8; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
    if (tile.thread_rank() == 0) out[row] = sum;
}
static void tiles_of_a_block() {
    const int rows = 37, cols = 41;
    std::vector<float> matrix, vector;
    for (const int x : random_numbers(rows * cols, 20)) matrix.push_back(x - 10);
    for (const int x : random_numbers(cols, 20, 2)) vector.push_back(x - 10);
    float* out = device_zeros<float>(rows);
    rows_by_tiles<<<5, 128>>>(out, to_device(matrix), to_device(vector), rows, cols);
    const auto host = to_host(out, rows);
    for (int row = 0; row < rows; ++row) {
        float want = 0;
        for (int col = 0; col < cols; ++col) want += matrix[row * cols + col] * vector[col];
        expect(host[row] == want, "product");
    }
}

// clean scans_of_groups
__global__ void scan_tiles(int* inclusive, int* exclusive, const int* in) {
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int t = threadIdx.x;
    inclusive[t] = cg::inclusive_scan(tile, in[t]);
    exclusive[t] = cg::exclusive_scan(tile, in[t], cg::plus<int>()) +
                   cg::reduce(tile, in[t], cg::greater<int>());
}
static void scans_of_groups() {
    const auto in = random_numbers(96, 100);
    int *inclusive = device_zeros<int>(96), *exclusive = device_zeros<int>(96);
    scan_tiles<<<1, 96>>>(inclusive, exclusive, to_device(in));
    const auto a = to_host(inclusive, 96), b = to_host(exclusive, 96);
    for (int i = 0; i < 96; ++i) {
        const auto first = in.begin() + i / 32 * 32;
        const int sum = std::accumulate(first, in.begin() + i + 1, 0);
        expect(a[i] == sum, "inclusive");
        expect(b[i] == sum - in[i] + *std::max_element(first, first + 32),
               "exclusive, and the largest");
    }
}

// clean private_rows_of_shared_memory
// Each warp stages its data in a row of its own, so no warp waits for another.
__global__ void reverse_words(char* out, const char* in, int words) {
    __shared__ char rows[4][2][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int now = 0;
    for (int word = blockIdx.x * 4 + warp; word < words; word += gridDim.x * 4) {
        const char letter = in[word * 32 + lane];
        rows[warp][now][lane] = letter;
        const int length = __popc(__ballot_sync(kAll, letter != ' '));
        __syncwarp();
        out[word * 32 + lane] = lane < length ? rows[warp][now][length - 1 - lane] : ' ';
        now ^= 1;
    }
}
static void private_rows_of_shared_memory() {
    const int words = 60;
    std::vector<char> in(words * 32, ' ');
    const auto lengths = random_numbers(words, 33);
    for (int w = 0; w < words; ++w) {
        for (int k = 0; k < lengths[w]; ++k)
            in[w * 32 + k] = static_cast<char>('a' + (w + k * 3) % 26);
    }
    char* out = device_zeros<char>(words * 32);
    reverse_words<<<3, 128>>>(out, to_device(in), words);
    for (int w = 0; w < words; ++w)
        std::reverse(in.begin() + w * 32, in.begin() + w * 32 + lengths[w]);
    expect(to_host(out, words * 32) == in, "reversed");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"reductions_of_all_types", reductions_of_all_types},
                        {"room_for_a_warp_at_once", room_for_a_warp_at_once},
                        {"equal_lanes_add_once", equal_lanes_add_once},
                        {"work_of_one_lane_by_all", work_of_one_lane_by_all},
                        {"bitonic_sort_of_lanes", bitonic_sort_of_lanes},
                        {"best_with_its_place", best_with_its_place},
                        {"transpose_in_registers", transpose_in_registers},
                        {"stop_when_any_lane_has_found", stop_when_any_lane_has_found},
                        {"tiles_of_a_block", tiles_of_a_block},
                        {"scans_of_groups", scans_of_groups},
                        {"private_rows_of_shared_memory", private_rows_of_shared_memory},
                    });
}
