// Blocks that wait for each other, or finish each other's work. Where a block waits for others,
// either all blocks are resident at once, or blocks are numbered in the order in which they start.
#include "../cases.h"

#include <cooperative_groups.h>

#include <algorithm>
#include <numeric>

namespace cg = cooperative_groups;

// clean last_block_again_and_again
// The arrival counter wraps around to zero, so that the next launch starts in the same state.
__device__ unsigned arrivals = 0;
__global__ void sum_in_one_launch(float* out, volatile float* partial, const float* in, int n) {
    __shared__ float shared[128];
    __shared__ bool am_last;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    const auto block_sum = [&](float value) {
        shared[threadIdx.x] = value;
        __syncthreads();
        for (int s = 64; s > 0; s >>= 1) {
            if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
            __syncthreads();
        }
    };
    block_sum(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = shared[0];
        __threadfence();
        const unsigned ticket = atomicInc(&arrivals, gridDim.x - 1);
        am_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (!am_last) return;
    __threadfence();
    float total = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) total += partial[i];
    block_sum(total);
    if (threadIdx.x == 0) *out = shared[0];
}
static void last_block_again_and_again() {
    const int n = 3000;
    float *out = device_zeros<float>(3), *partial = device_zeros<float>(9);
    for (int run = 0; run < 3; ++run) {
        std::vector<float> in;
        for (const int x : random_numbers(n, 100, run)) in.push_back(x);
        sum_in_one_launch<<<7 + run, 128>>>(out + run, partial, to_device(in), n);
        expect(to_host(out, 3)[run] == std::accumulate(in.begin(), in.end(), 0.f), "sum");
    }
}

// clean persistent_blocks_and_tiles
__global__ void transpose_by_tickets(int* out, const int* in, int rows, int cols, int* next) {
    __shared__ int tile[16][17];
    __shared__ int ticket;
    const int tiles_across = (cols + 15) / 16, tiles = tiles_across * ((rows + 15) / 16);
    const int x = threadIdx.x, y = threadIdx.y;
    while (true) {
        if (x == 0 && y == 0) ticket = atomicAdd(next, 1);
        __syncthreads();
        if (ticket >= tiles) return;
        const int row = ticket / tiles_across * 16, col = ticket % tiles_across * 16;
        if (row + y < rows && col + x < cols) tile[y][x] = in[(row + y) * cols + col + x];
        __syncthreads();
        if (row + x < rows && col + y < cols) out[(col + y) * rows + row + x] = tile[x][y];
        __syncthreads();
    }
}
static void persistent_blocks_and_tiles() {
    const int rows = 70, cols = 150;
    int* out = device_zeros<int>(rows * cols);
    transpose_by_tickets<<<3, dim3(16, 16)>>>(out, device_iota<int>(rows * cols), rows, cols,
                                              device_zeros<int>(1));
    const auto host = to_host(out, rows * cols);
    for (int i = 0; i < rows * cols; ++i)
        expect(host[i] == i % rows * cols + i / rows, "transpose");
}

// clean warp_looks_back
// The 32 lanes of a warp examine the 32 preceding blocks in parallel (decoupled look-back).
struct ObservedCell {
    int state, value;  // state 0: nothing, 1: the block's sum, 2: its inclusive prefix
};
__device__ ObservedCell read_look(const unsigned long long* word) {
    const unsigned long long bits = *static_cast<const volatile unsigned long long*>(word);
    return {static_cast<int>(bits >> 32), static_cast<int>(bits & 0xffffffff)};
}
__device__ void write_look(unsigned long long* word, int state, int value) {
    *static_cast<volatile unsigned long long*>(word) =
        static_cast<unsigned long long>(state) << 32 | static_cast<unsigned>(value);
}
__global__ void scan_by_look_back(int* out, const int* in, unsigned long long* looks,
                                  int* tickets) {
    __shared__ int block, before;
    const int lane = threadIdx.x;
    if (lane == 0) block = atomicAdd(tickets, 1);
    __syncthreads();
    int value = in[block * 32 + lane];
    for (int by = 1; by < 32; by *= 2) {
        const int left = __shfl_up_sync(0xffffffff, value, by);
        if (lane >= by) value += left;
    }
    const int sum = __shfl_sync(0xffffffff, value, 31);
    if (lane == 0) write_look(&looks[block], block == 0 ? 2 : 1, sum);
    int prefix = 0;
    for (int last = block - 1; last >= 0; last -= 32) {
        ObservedCell look{2, 0};
        do {
            if (last - lane >= 0) look = read_look(&looks[last - lane]);
        } while (__any_sync(0xffffffff, look.state == 0));
        const unsigned whole = __ballot_sync(0xffffffff, look.state == 2);
        const int end = whole ? __ffs(whole) - 1 : 31;
        prefix += __reduce_add_sync(0xffffffff, lane <= end ? look.value : 0);
        if (whole) break;
    }
    if (lane == 0 && block > 0) write_look(&looks[block], 2, prefix + sum);
    if (lane == 0) before = prefix;
    __syncwarp();
    out[block * 32 + lane] = before + value;
}
static void warp_looks_back() {
    const int blocks = 150, n = 32 * blocks;
    auto in = random_numbers(n, 1000);
    int* out = device_zeros<int>(n);
    scan_by_look_back<<<blocks, 32>>>(out, to_device(in), device_zeros<unsigned long long>(blocks),
                                      device_zeros<int>(1));
    std::partial_sum(in.begin(), in.end(), in.begin());
    expect(to_host(out, n) == in, "scan");
}

// clean barrier_of_generations
// The last block to arrive increments the generation. The other blocks wait for this increment.
struct GridBarrier {
    unsigned arrived, generation;
    __device__ void wait() {
        __syncthreads();
        if (threadIdx.x == 0) {
            volatile unsigned* now = &generation;
            const unsigned mine = *now;
            __threadfence();
            if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
                atomicExch(&arrived, 0);
                __threadfence();
                *now = mine + 1;
            } else {
                while (*now == mine) {
                }
            }
            __threadfence();
        }
        __syncthreads();
    }
};
__global__ void smooth(int* a, int* b, int n, int rounds, GridBarrier* barrier) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        const int* from = round % 2 ? b : a;
        int* to = round % 2 ? a : b;
        to[i] = (from[(i + n - 1) % n] + 2 * from[i] + from[(i + 1) % n]) / 4;
        barrier->wait();
    }
}
static void barrier_of_generations() {
    const int n = 5 * 64, rounds = 20;
    auto now = random_numbers(n, 10000), next = now;
    int *a = to_device(now), *b = device_zeros<int>(n);
    smooth<<<5, 64>>>(a, b, n, rounds, device_zeros<GridBarrier>(1));
    for (int round = 0; round < rounds; ++round, std::swap(now, next)) {
        for (int i = 0; i < n; ++i)
            next[i] = (now[(i + n - 1) % n] + 2 * now[i] + now[(i + 1) % n]) / 4;
    }
    expect(to_host(a, n) == now, "values");
}

// clean barrier_of_flags
// Each block sets a flag. The first block waits for all flags, and then releases all blocks.
__device__ void wait_for_all(volatile int* in, volatile int* out, int goal) {
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        if (t > 0 && t < gridDim.x) {
            while (in[t] != goal) {
            }
        }
        __threadfence();
        __syncthreads();
        __threadfence();
        if (t > 0 && t < gridDim.x) out[t] = goal;
    } else {
        __syncthreads();
        if (t == 0) {
            __threadfence();
            in[blockIdx.x] = goal;
            while (out[blockIdx.x] != goal) {
            }
            __threadfence();
        }
    }
    __syncthreads();
}
__global__ void rotate_blocks(int* values, volatile int* in, volatile int* out, int rounds) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        const int next = values[(i + blockDim.x) % n];
        wait_for_all(in, out, 2 * round + 1);
        values[i] = next + 1;
        wait_for_all(in, out, 2 * round + 2);
    }
}
static void barrier_of_flags() {
    int* values = device_iota<int>(6 * 32);
    rotate_blocks<<<6, 32>>>(values, device_zeros<int>(6), device_zeros<int>(6), 8);
    const auto host = to_host(values, 6 * 32);
    for (int i = 0; i < 6 * 32; ++i) expect(host[i] == (i + 8 * 32) % (6 * 32) + 8, "value");
}

// clean relaxation_with_grid_sync
__global__ void relax_until_still(float* a, float* b, int n, int* changed, int* rounds) {
    const auto grid = cg::this_grid();
    int round = 0;
    for (;; ++round) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            const bool is_edge = i == 0 || i == n - 1;
            b[i] = is_edge ? a[i] : max(a[i], max(a[i - 1], a[i + 1]) - 1);
            if (b[i] != a[i]) atomicAdd(&changed[round % 3], 1);
        }
        if (grid.thread_rank() == 0) changed[(round + 1) % 3] = 0;
        grid.sync();
        if (*static_cast<volatile int*>(&changed[round % 3]) == 0) break;
        float* swap = a;
        a = b;
        b = swap;
    }
    if (grid.thread_rank() == 0) *rounds = round;
}
static void relaxation_with_grid_sync() {
    int n = 200;
    std::vector<float> in(n);
    in[50] = 20;
    in[120] = 33;
    float *a = to_device(in), *b = to_device(in);
    int *changed = device_zeros<int>(3), *rounds = device_zeros<int>(1);
    void* arguments[] = {&a, &b, &n, &changed, &rounds};
    need(cudaLaunchCooperativeKernel(relax_until_still, 3, 64, arguments));
    expect(to_host(rounds, 1)[0] == 32, "rounds");
    const auto host = to_host(a, n);
    for (int i = 1; i < n - 1; ++i)
        expect(host[i] == std::max({0, 20 - std::abs(i - 50), 33 - std::abs(i - 120)}), "height");
}

// clean producers_and_consumers
// Half of the blocks fill two buffers in turn, and the other half empty them.
__global__ void fill_and_empty(int* buffers, volatile int* full, long long* sums, int rounds) {
    const int pair = blockIdx.x / 2, size = 32;
    const bool produces = blockIdx.x % 2 == 0;
    long long sum = 0;
    for (int round = 0; round < rounds; ++round) {
        volatile int* flag = &full[pair * 2 + round % 2];
        int* buffer = &buffers[(pair * 2 + round % 2) * size];
        if (threadIdx.x == 0) {
            while (*flag != (produces ? 0 : 1)) __nanosleep(50);
            __threadfence();
        }
        __syncthreads();
        if (produces)
            buffer[threadIdx.x] = round * size + threadIdx.x;
        else
            sum += buffer[threadIdx.x] * (pair + 1);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *flag = produces ? 1 : 0;
    }
    if (!produces) atomicAdd(reinterpret_cast<unsigned long long*>(&sums[pair]), sum);
}
static void producers_and_consumers() {
    const int pairs = 3, rounds = 25;
    auto* sums = device_zeros<long long>(pairs);
    fill_and_empty<<<2 * pairs, 32>>>(device_zeros<int>(pairs * 64), device_zeros<int>(pairs * 2),
                                      sums, rounds);
    const int all = 32 * rounds;
    for (int pair = 0; pair < pairs; ++pair)
        expect(to_host(sums, pairs)[pair] == (pair + 1) * all * (all - 1) / 2, "sum");
}

// clean tiles_wait_for_their_neighbours
// Longest common subsequence. Blocks take tiles by antidiagonals, and wait for two adjacent tiles.
__global__ void common_by_tiles(int* lengths, const char* a, const char* b, int tiles,
                                volatile int* done, int* tickets) {
    __shared__ int ticket;
    const int n = tiles * 16, t = threadIdx.x;
    if (t == 0) ticket = atomicAdd(tickets, 1);
    __syncthreads();
    int diagonal = 0, left = ticket;
    for (;; ++diagonal) {
        const int in_it = min(diagonal, tiles - 1) - max(0, diagonal - tiles + 1) + 1;
        if (left < in_it) break;
        left -= in_it;
    }
    const int tile_row = max(0, diagonal - tiles + 1) + left, tile_col = diagonal - tile_row;
    if (t == 0) {
        if (tile_row > 0) {
            while (!done[(tile_row - 1) * tiles + tile_col]) {
            }
        }
        if (tile_col > 0) {
            while (!done[tile_row * tiles + tile_col - 1]) {
            }
        }
        __threadfence();
    }
    __syncthreads();
    for (int step = 0; step < 31; ++step) {
        const int x = step - t;
        if (t < 16 && x >= 0 && x < 16) {
            const int row = tile_row * 16 + t + 1, col = tile_col * 16 + x + 1, width = n + 1;
            lengths[row * width + col] =
                a[row - 1] == b[col - 1]
                    ? lengths[(row - 1) * width + col - 1] + 1
                    : max(lengths[(row - 1) * width + col], lengths[row * width + col - 1]);
        }
        __syncthreads();
    }
    if (t == 0) {
        __threadfence();
        done[tile_row * tiles + tile_col] = 1;
    }
}
static void tiles_wait_for_their_neighbours() {
    const int tiles = 5, n = 16 * tiles;
    std::vector<char> a, b;
    for (const int x : random_numbers(n, 4, 1)) a.push_back(x);
    for (const int x : random_numbers(n, 4, 2)) b.push_back(x);
    int* lengths = device_zeros<int>((n + 1) * (n + 1));
    common_by_tiles<<<tiles * tiles, 32>>>(lengths, to_device(a), to_device(b), tiles,
                                           device_zeros<int>(tiles * tiles), device_zeros<int>(1));
    std::vector<int> want((n + 1) * (n + 1));
    for (int row = 1; row <= n; ++row) {
        for (int col = 1; col <= n; ++col) {
            want[row * (n + 1) + col] =
                a[row - 1] == b[col - 1]
                    ? want[(row - 1) * (n + 1) + col - 1] + 1
                    : std::max(want[(row - 1) * (n + 1) + col], want[row * (n + 1) + col - 1]);
        }
    }
    expect(to_host(lengths, (n + 1) * (n + 1)) == want, "lengths");
}

// clean turns_for_a_sum_in_order
// A reproducible float sum: blocks that share a result add their partial sums in a fixed order.
__global__ void split_product(float* c, const float* a, const float* b, int n, int* turn) {
    const int row = blockIdx.x, part = blockIdx.y, each = n / gridDim.y;
    float mine = 0;
    for (int i = part * each + threadIdx.x; i < (part + 1) * each; i += 32)
        mine += a[row * n + i] * b[i];
    for (int by = 16; by > 0; by /= 2) mine += __shfl_xor_sync(0xffffffff, mine, by);
    if (threadIdx.x == 0) {
        while (atomicAdd(&turn[row], 0) != part) {
        }
        __threadfence();
        c[row] += mine;
        __threadfence();
        atomicExch(&turn[row], part + 1 == gridDim.y ? 0 : part + 1);
    }
}
static void turns_for_a_sum_in_order() {
    const int rows = 6, n = 256;
    std::vector<float> a, b;
    for (const int x : random_numbers(rows * n, 20, 1)) a.push_back(x - 10);
    for (const int x : random_numbers(n, 20, 2)) b.push_back(x - 10);
    float* c = device_zeros<float>(rows);
    int* turn = device_zeros<int>(rows);
    for (int run = 0; run < 2; ++run)
        split_product<<<dim3(rows, 4), 32>>>(c, to_device(a), to_device(b), n, turn);
    const auto host = to_host(c, rows);
    for (int row = 0; row < rows; ++row) {
        float want = 0;
        for (int i = 0; i < n; ++i) want += 2 * a[row * n + i] * b[i];
        expect(host[row] == want, "product");
    }
}

// clean tasks_with_dependencies
// Blocks take tasks in order, and wait for the tasks that their own task depends on.
__global__ void run_tasks(unsigned* results, volatile int* done, const int* needs, int n,
                          int* next) {
    for (;;) {
        const int task = atomicAdd(next, 1);
        if (task >= n) return;
        unsigned result = task + 1;
        for (int k = 0; k < 3; ++k) {
            const int needed = needs[task * 3 + k];
            if (needed < 0) continue;
            while (!done[needed]) __nanosleep(20);
            __threadfence();
            result = result * 31 + results[needed];
        }
        results[task] = result;
        __threadfence();
        done[task] = 1;
    }
}
static void tasks_with_dependencies() {
    const int n = 120;
    auto needs = random_numbers(3 * n, 1000);
    for (int i = 0; i < 3 * n; ++i) needs[i] = needs[i] % (i / 3 + 1) - 1;
    auto* results = device_zeros<unsigned>(n);
    run_tasks<<<8, 1>>>(results, device_zeros<int>(n), to_device(needs), n, device_zeros<int>(1));
    std::vector<unsigned> want(n);
    for (int task = 0; task < n; ++task) {
        want[task] = task + 1;
        for (int k = 0; k < 3; ++k) {
            if (needs[3 * task + k] >= 0) want[task] = want[task] * 31 + want[needs[3 * task + k]];
        }
    }
    expect(to_host(results, n) == want, "results");
}

// clean sparse_triangle_by_flags
// Solves a triangular system. The thread of a row waits for other rows, some of them in its warp.
__global__ void solve_rows(volatile double* x, const double* b, const int* first, const int* cols,
                           const double* values, volatile int* ready, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = b[row];
    int e = first[row];
    const int end = first[row + 1];
    bool done = false;
    while (!done) {
        while (e < end && ready[cols[e]]) {
            __threadfence();
            sum -= values[e] * x[cols[e]];
            e++;
        }
        if (e == end) {
            x[row] = sum;
            __threadfence();
            ready[row] = 1;
            done = true;
        }
    }
}
static void sparse_triangle_by_flags() {
    const int n = 120;
    std::vector<int> first{0}, cols;
    std::vector<double> values, b(n), wanted(n);
    for (int row = 0; row < n; ++row) {
        wanted[row] = row % 11 - 5;
        b[row] = wanted[row];
        for (int col = row % 7; col < row; col += 9) {
            cols.push_back(col);
            values.push_back((row + col) % 5 - 2);
            b[row] += values.back() * wanted[col];
        }
        first.push_back(static_cast<int>(cols.size()));
    }
    double* x = device_zeros<double>(n);
    solve_rows<<<4, 32>>>(x, to_device(b), to_device(first), to_device(cols), to_device(values),
                          device_zeros<int>(n), n);
    expect(to_host(x, n) == wanted, "solution");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"last_block_again_and_again", last_block_again_and_again},
                        {"persistent_blocks_and_tiles", persistent_blocks_and_tiles},
                        {"warp_looks_back", warp_looks_back},
                        {"barrier_of_generations", barrier_of_generations},
                        {"barrier_of_flags", barrier_of_flags},
                        {"relaxation_with_grid_sync", relaxation_with_grid_sync},
                        {"producers_and_consumers", producers_and_consumers},
                        {"tiles_wait_for_their_neighbours", tiles_wait_for_their_neighbours},
                        {"turns_for_a_sum_in_order", turns_for_a_sum_in_order},
                        {"tasks_with_dependencies", tasks_with_dependencies},
                        {"sparse_triangle_by_flags", sparse_triangle_by_flags},
                    });
}
