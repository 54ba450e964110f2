// Prefix sums and their uses: stream compaction, run-length encoding and segmented scans.
#include "../cases.h"

#include <algorithm>
#include <iterator>
#include <numeric>

static std::vector<int> inclusive(std::vector<int> numbers) {
    std::partial_sum(numbers.begin(), numbers.end(), numbers.begin());
    return numbers;
}

// clean hillis_and_steele
// The two halves of a buffer alternate as input and output, so one barrier per step is enough.
__global__ void scan_naive(int* out, const int* in, int n) {
    extern __shared__ int temp[];
    const int t = threadIdx.x;
    int now = 0, before = 1;
    temp[t] = t > 0 ? in[t - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        now = 1 - now;
        before = 1 - now;
        if (t >= offset)
            temp[now * n + t] = temp[before * n + t] + temp[before * n + t - offset];
        else
            temp[now * n + t] = temp[before * n + t];
        __syncthreads();
    }
    out[t] = temp[now * n + t];
}
static void hillis_and_steele() {
    const int n = 200;
    const auto in = random_numbers(n, 100);
    int* out = device_zeros<int>(n);
    scan_naive<<<1, n, 2 * n * sizeof(int)>>>(out, to_device(in), n);
    auto want = inclusive(in);
    want.insert(want.begin(), 0);
    want.pop_back();
    expect(to_host(out, n) == want, "exclusive scan");
}

// clean blelloch_without_conflicts
__device__ int padded(int i) {
    return i + (i >> 5);
}
__global__ void scan_work_efficient(int* out, const int* in) {
    __shared__ int temp[256 + 8];
    const int t = threadIdx.x, n = 256;
    temp[padded(t)] = in[t];
    temp[padded(t + n / 2)] = in[t + n / 2];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            const int a = padded(offset * (2 * t + 1) - 1), b = padded(offset * (2 * t + 2) - 1);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (t == 0) temp[padded(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int a = padded(offset * (2 * t + 1) - 1), b = padded(offset * (2 * t + 2) - 1);
            const int left = temp[a];
            temp[a] = temp[b];
            temp[b] += left;
        }
    }
    __syncthreads();
    out[t] = temp[padded(t)];
    out[t + n / 2] = temp[padded(t + n / 2)];
}
static void blelloch_without_conflicts() {
    const auto in = random_numbers(256, 1000);
    int* out = device_zeros<int>(256);
    scan_work_efficient<<<1, 128>>>(out, to_device(in));
    const auto host = to_host(out, 256);
    const auto want = inclusive(in);
    for (int i = 0; i < 256; ++i) expect(host[i] == want[i] - in[i], "exclusive scan");
}

// clean scan_in_three_kernels
__device__ int scan_of_warp(int value) {
    const int lane = threadIdx.x % 32;
    for (int by = 1; by < 32; by *= 2) {
        const int before = __shfl_up_sync(0xffffffff, value, by);
        if (lane >= by) value += before;
    }
    return value;
}
__device__ int scan_of_block(int value, int* total = nullptr) {
    __shared__ int ends[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    value = scan_of_warp(value);
    if (lane == 31) ends[warp] = value;
    __syncthreads();
    if (warp == 0) {
        const int end = scan_of_warp(lane < warps ? ends[lane] : 0);
        if (lane < warps) ends[lane] = end;
    }
    __syncthreads();
    if (warp > 0) value += ends[warp - 1];
    if (total) *total = ends[warps - 1];
    __syncthreads();
    return value;
}
__global__ void scan_blocks(int* out, int* sums, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total;
    const int value = scan_of_block(i < n ? in[i] : 0, &total);
    if (i < n) out[i] = value;
    if (threadIdx.x == 0 && sums) sums[blockIdx.x] = total;
}
__global__ void add_sums(int* out, const int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}
static void scan_in_three_kernels() {
    const int n = 5000, blocks = (n + 127) / 128;
    const auto in = random_numbers(n, 1000);
    int *out = device_zeros<int>(n), *sums = device_zeros<int>(blocks);
    scan_blocks<<<blocks, 128>>>(out, sums, to_device(in), n);
    scan_blocks<<<1, 64>>>(sums, nullptr, sums, blocks);
    add_sums<<<blocks, 128>>>(out, sums, n);
    expect(to_host(out, n) == inclusive(in), "scan");
}

// clean scan_with_carry
// One block processes all tiles, and passes the running maximum from tile to tile.
__global__ void running_maximum(int* out, const int* in, int n) {
    __shared__ int tile[2][64];
    __shared__ int carry;
    const int t = threadIdx.x;
    if (t == 0) carry = -1;
    for (int first = 0; first < n; first += 64) {
        int now = 0;
        tile[0][t] = first + t < n ? in[first + t] : -1;
        __syncthreads();
        for (int by = 1; by < 64; by <<= 1, now ^= 1) {
            tile[now ^ 1][t] = t >= by ? max(tile[now][t], tile[now][t - by]) : tile[now][t];
            __syncthreads();
        }
        const int result = max(carry, tile[now][t]);
        if (first + t < n) out[first + t] = result;
        __syncthreads();
        if (t == 63) carry = result;
        __syncthreads();
    }
}
static void scan_with_carry() {
    auto in = random_numbers(1000, 500);
    for (int i = 0; i < 1000; ++i) in[i] += i;
    int* out = device_zeros<int>(1000);
    running_maximum<<<1, 64>>>(out, to_device(in), 1000);
    for (int i = 1; i < 1000; ++i) in[i] = std::max(in[i], in[i - 1]);
    expect(to_host(out, 1000) == in, "maximum so far");
}

// clean chain_of_blocks
// Each block waits until its predecessor sets a volatile flag. An atomic counter numbers blocks.
__global__ void scan_chained(int* out, const int* in, int n, volatile int* flags,
                             volatile int* ends, int* tickets) {
    __shared__ int block, before;
    if (threadIdx.x == 0) block = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = block * blockDim.x + threadIdx.x;
    int total;
    const int value = scan_of_block(i < n ? in[i] : 0, &total);
    if (threadIdx.x == 0) {
        int sum = 0;
        if (block > 0) {
            while (flags[block - 1] == 0) {
            }
            __threadfence();
            sum = ends[block - 1];
        }
        ends[block] = sum + total;
        __threadfence();
        flags[block] = 1;
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = before + value;
}
static void chain_of_blocks() {
    const int n = 3000, blocks = (n + 63) / 64;
    const auto in = random_numbers(n, 1000);
    int* out = device_zeros<int>(n);
    scan_chained<<<blocks, 64>>>(out, to_device(in), n, device_zeros<int>(blocks),
                                 device_zeros<int>(blocks), device_zeros<int>(1));
    expect(to_host(out, n) == inclusive(in), "scan");
}

// clean status_and_value_in_a_word
// Look-back without fences: each flag and its value share a 64-bit word.
__global__ void scan_single_pass(int* out, const int* in, int n, unsigned long long* words,
                                 unsigned* tickets) {
    constexpr unsigned long long kSum = 1ull << 32, kPrefix = 2ull << 32;
    __shared__ unsigned block;
    __shared__ int before;
    if (threadIdx.x == 0) block = atomicAdd(tickets, 1);
    __syncthreads();
    const int i = block * blockDim.x + threadIdx.x;
    int total;
    const int value = scan_of_block(i < n ? in[i] : 0, &total);
    if (threadIdx.x == 0) {
        atomicExch(&words[block], (block == 0 ? kPrefix : kSum) | static_cast<unsigned>(total));
        int sum = 0;
        for (int b = static_cast<int>(block) - 1; b >= 0;) {
            const unsigned long long word = atomicAdd(&words[b], 0ull);
            if (word == 0) continue;
            sum += static_cast<int>(word & 0xffffffff);
            if (word >= kPrefix) break;
            --b;
        }
        before = sum;
        if (block > 0) atomicExch(&words[block], kPrefix | static_cast<unsigned>(sum + total));
    }
    __syncthreads();
    if (i < n) out[i] = before + value;
}
static void status_and_value_in_a_word() {
    const int n = 4000, blocks = (n + 95) / 96;
    const auto in = random_numbers(n, 1000);
    int* out = device_zeros<int>(n);
    scan_single_pass<<<blocks, 96>>>(
        out, to_device(in), n, device_zeros<unsigned long long>(blocks), device_zeros<unsigned>(1));
    expect(to_host(out, n) == inclusive(in), "scan");
}

// clean compaction_that_keeps_order
__global__ void keep_odd(int* out, int* count, const int* in, int n) {
    int kept = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        const int i = first + threadIdx.x;
        const bool keep = i < n && in[i] % 2 != 0;
        int total;
        const int place = scan_of_block(keep, &total);
        if (keep) out[kept + place - 1] = in[i];
        kept += total;
    }
    if (threadIdx.x == 0) *count = kept;
}
static void compaction_that_keeps_order() {
    const int n = 900;
    const auto in = random_numbers(n, 1000);
    int *out = device_zeros<int>(n), *count = device_zeros<int>(1);
    keep_odd<<<1, 128>>>(out, count, to_device(in), n);
    std::vector<int> want;
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), [](int x) { return x % 2 != 0; });
    expect(to_host(out, to_host(count, 1)[0]) == want, "odd numbers in order");
}

// clean split_into_two_sides
__global__ void split(int* out, const bool* is_right, const int* in, int* lefts) {
    const int t = threadIdx.x;
    const int right = is_right[t];
    int rights;
    const int upto = scan_of_block(right, &rights);
    const int left_count = blockDim.x - rights;
    out[right ? left_count + upto - 1 : t - upto] = in[t];
    if (t == 0) *lefts = left_count;
}
static void split_into_two_sides() {
    const int n = 256;
    const auto in = random_numbers(n, 1000);
    bool sides[n];
    for (int i = 0; i < n; ++i) sides[i] = in[i] >= 300;
    bool* device_sides = device_zeros<bool>(n);
    need(cudaMemcpy(device_sides, sides, n, cudaMemcpyHostToDevice));
    int *out = device_zeros<int>(n), *lefts = device_zeros<int>(1);
    split<<<1, n>>>(out, device_sides, to_device(in), lefts);
    std::vector<int> want;
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), [](int x) { return x < 300; });
    expect(to_host(lefts, 1)[0] == static_cast<int>(want.size()), "left side");
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), [](int x) { return x >= 300; });
    expect(to_host(out, n) == want, "both sides in order");
}

// clean run_lengths
__global__ void mark_starts(int* starts, const char* text, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) starts[i] = i == 0 || text[i] != text[i - 1];
}
__global__ void write_runs(char* letters, int* begins, const int* run, const char* text, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    if (i == n) {
        begins[run[n - 1]] = n;
    } else if (i == 0 || run[i] != run[i - 1]) {
        letters[run[i] - 1] = text[i];
        begins[run[i] - 1] = i;
    }
}
static void run_lengths() {
    std::vector<char> text, letters;
    std::vector<int> begins;
    for (const int x : random_numbers(60, 26 * 9)) {
        if (!letters.empty() && letters.back() == 'a' + x % 26) continue;
        letters.push_back(static_cast<char>('a' + x % 26));
        begins.push_back(static_cast<int>(text.size()));
        text.insert(text.end(), 1 + x / 26, letters.back());
    }
    const int n = static_cast<int>(text.size()), blocks = n / 128 + 1;
    begins.push_back(n);
    const char* device_text = to_device(text);
    int *runs = device_zeros<int>(n), *sums = device_zeros<int>(blocks);
    mark_starts<<<blocks, 128>>>(runs, device_text, n);
    scan_blocks<<<blocks, 128>>>(runs, sums, runs, n);
    scan_blocks<<<1, 32>>>(sums, nullptr, sums, blocks);
    add_sums<<<blocks, 128>>>(runs, sums, n);
    char* out_letters = device_zeros<char>(n);
    int* out_begins = device_zeros<int>(n + 1);
    write_runs<<<blocks, 128>>>(out_letters, out_begins, runs, device_text, n);
    expect(to_host(runs, n)[n - 1] == static_cast<int>(letters.size()), "count");
    expect(to_host(out_letters, letters.size()) == letters, "letters");
    expect(to_host(out_begins, begins.size()) == begins, "begins");
}

// clean segmented_scan
struct Marked {
    int value;
    bool starts;
};
__global__ void scan_segments(int* out, const int* in, const int* segment) {
    __shared__ Marked items[2][128];
    const int t = threadIdx.x;
    items[0][t].value = in[t];
    items[0][t].starts = t == 0 || segment[t] != segment[t - 1];
    int now = 0;
    for (int by = 1; by < 128; by *= 2, now = 1 - now) {
        __syncthreads();
        Marked mine = items[now][t];
        if (t >= by && !mine.starts) {
            const Marked other = items[now][t - by];
            mine.value += other.value;
            mine.starts = other.starts;
        }
        items[1 - now][t] = mine;
    }
    out[t] = items[now][t].value;
}
static void segmented_scan() {
    const auto in = random_numbers(128, 100);
    std::vector<int> segment(128), want = in;
    for (int i = 1; i < 128; ++i) {
        segment[i] = segment[i - 1] + (in[i] < 15);
        if (segment[i] == segment[i - 1]) want[i] += want[i - 1];
    }
    int* out = device_zeros<int>(128);
    scan_segments<<<1, 128>>>(out, to_device(in), to_device(segment));
    expect(to_host(out, 128) == want, "sums within segments");
}

// clean fibonacci_by_matrices
struct Matrix2 {
    unsigned a, b, c, d;
    __host__ __device__ Matrix2 operator*(const Matrix2& o) const {
        return {a * o.a + b * o.c, a * o.b + b * o.d, c * o.a + d * o.c, c * o.b + d * o.d};
    }
};
__global__ void powers(unsigned* out) {
    __shared__ Matrix2 products[64];
    const int t = threadIdx.x;
    products[t] = {1, 1, 1, 0};
    __syncthreads();
    for (int by = 1; by < 64; by *= 2) {
        Matrix2 before = {1, 0, 0, 1};
        if (t >= by) before = products[t - by];
        __syncthreads();
        products[t] = before * products[t];
        __syncthreads();
    }
    out[t] = products[t].b;
}
static void fibonacci_by_matrices() {
    unsigned* out = device_zeros<unsigned>(64);
    powers<<<1, 64>>>(out);
    unsigned a = 0, b = 1;
    for (const unsigned got : to_host(out, 64)) {
        expect(got == b, "fibonacci");
        b += a;
        a = b - a;
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"hillis_and_steele", hillis_and_steele},
                        {"blelloch_without_conflicts", blelloch_without_conflicts},
                        {"scan_in_three_kernels", scan_in_three_kernels},
                        {"scan_with_carry", scan_with_carry},
                        {"chain_of_blocks", chain_of_blocks},
                        {"status_and_value_in_a_word", status_and_value_in_a_word},
                        {"compaction_that_keeps_order", compaction_that_keeps_order},
                        {"split_into_two_sides", split_into_two_sides},
                        {"run_lengths", run_lengths},
                        {"segmented_scan", segmented_scan},
                        {"fibonacci_by_matrices", fibonacci_by_matrices},
                    });
}
