// Textbook and contest algorithms: dynamic programming, backtracking, simulation, text processing.
#include "../cases.h"

#include <algorithm>
#include <cmath>

// clean common_subsequence_by_antidiagonals
__global__ void common_length(int* out, const char* a, const char* b, int n, int m) {
    __shared__ int diagonals[3][65];
    const int t = threadIdx.x;  // the row that this thread computes
    for (int k = 0; k < 3; ++k) {
        diagonals[k][t] = 0;
        if (t == 0) diagonals[k][64] = 0;
    }
    __syncthreads();
    int now = 2, last = 1, before = 0;
    for (int d = 0; d < n + m - 1; ++d) {
        const int col = d - t;
        if (t < n && col >= 0 && col < m) {
            diagonals[now][t + 1] =
                a[t] == b[col] ? (col > 0 ? diagonals[before][t] + 1 : 1)
                               : max(diagonals[last][t], col > 0 ? diagonals[last][t + 1] : 0);
        }
        __syncthreads();
        const int oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    if (t == n - 1) *out = diagonals[last][n];
}
static void common_subsequence_by_antidiagonals() {
    const int n = 60, m = 75;
    std::vector<char> a, b;
    for (const int x : random_numbers(n, 3, 1)) a.push_back(x);
    for (const int x : random_numbers(m, 3, 2)) b.push_back(x);
    int* out = device_zeros<int>(1);
    common_length<<<1, 64>>>(out, to_device(a), to_device(b), n, m);
    std::vector<std::vector<int>> want(n + 1, std::vector<int>(m + 1));
    for (int i = 1; i <= n; ++i) {
        for (int k = 1; k <= m; ++k) {
            want[i][k] = a[i - 1] == b[k - 1] ? want[i - 1][k - 1] + 1
                                              : std::max(want[i - 1][k], want[i][k - 1]);
        }
    }
    expect(to_host(out, 1)[0] == want[n][m], "length");
}

// clean edit_distances
// Each thread compares the pattern with one word. A row of the table is in local memory.
__global__ void compare_words(int* out, const char* words, int words_count, const char* pattern,
                              int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words_count) return;
    int row[17];
    for (int k = 0; k <= length; ++k) row[k] = k;
    for (int k = 0; k < 12 && words[i * 12 + k] != 0; ++k) {
        int diagonal = row[0];
        row[0] = k + 1;
        for (int j = 1; j <= length; ++j) {
            const int up = row[j];
            row[j] = words[i * 12 + k] == pattern[j - 1] ? diagonal
                                                         : 1 + min(diagonal, min(row[j - 1], up));
            diagonal = up;
        }
    }
    out[i] = row[length];
}
static void edit_distances() {
    const int n = 100;
    std::vector<char> words(n * 12);
    const auto letters = random_numbers(n * 12, 4), lengths = random_numbers(n, 13, 2);
    for (int i = 0; i < n * 12; ++i) words[i] = i % 12 < lengths[i / 12] ? 'a' + letters[i] : 0;
    const std::vector<char> pattern{'a', 'b', 'c', 'd', 'a', 'b', 'b', 'a'};
    int* out = device_zeros<int>(n);
    compare_words<<<2, 64>>>(out, to_device(words), n, to_device(pattern), 8);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) {
        std::vector<std::vector<int>> d(lengths[i] + 1, std::vector<int>(9));
        for (int a = 0; a <= lengths[i]; ++a) {
            for (int b = 0; b <= 8; ++b) {
                if (a == 0 || b == 0) {
                    d[a][b] = a + b;
                } else {
                    d[a][b] =
                        std::min({d[a - 1][b] + 1, d[a][b - 1] + 1,
                                  d[a - 1][b - 1] + (words[i * 12 + a - 1] != pattern[b - 1])});
                }
            }
        }
        expect(host[i] == d[lengths[i]][8], "distance");
    }
}

// clean knapsack
__global__ void best_loads(int* best, const int* weights, const int* values, int items,
                           int capacity) {
    extern __shared__ int table[];  // two rows of the table
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x) table[c] = 0;
    __syncthreads();
    for (int i = 0; i < items; ++i) {
        const int* from = table + i % 2 * (capacity + 1);
        int* to = table + (i + 1) % 2 * (capacity + 1);
        for (int c = threadIdx.x; c <= capacity; c += blockDim.x)
            to[c] = c >= weights[i] ? max(from[c], from[c - weights[i]] + values[i]) : from[c];
        __syncthreads();
    }
    for (int c = threadIdx.x; c <= capacity; c += blockDim.x)
        best[c] = table[items % 2 * (capacity + 1) + c];
}
static void knapsack() {
    const int items = 25, capacity = 200;
    auto weights = random_numbers(items, 30, 1), values = random_numbers(items, 100, 2);
    for (int& weight : weights) ++weight;
    int* best = device_zeros<int>(capacity + 1);
    best_loads<<<1, 96, 2 * (capacity + 1) * sizeof(int)>>>(best, to_device(weights),
                                                            to_device(values), items, capacity);
    std::vector<int> want(capacity + 1);
    for (int i = 0; i < items; ++i) {
        for (int c = capacity; c >= weights[i]; --c)
            want[c] = std::max(want[c], want[c - weights[i]] + values[i]);
    }
    expect(to_host(best, capacity + 1) == want, "values");
}

// clean queens_by_recursion
__device__ int place_queens(int n, int row, unsigned cols, unsigned left, unsigned right) {
    if (row == n) return 1;
    int count = 0;
    for (unsigned free = ~(cols | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        const unsigned at = free & (0u - free);
        count += place_queens(n, row + 1, cols | at, (left | at) << 1, (right | at) >> 1);
    }
    return count;
}
__global__ void count_queens(int* total, int n) {
    const unsigned first = 1u << threadIdx.x % n, second = 1u << threadIdx.x / n;
    if (second & (first | first << 1 | first >> 1)) return;
    const int count =
        place_queens(n, 2, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
    atomicAdd(total, count);
}
static void queens_by_recursion() {
    int* total = device_zeros<int>(1);
    count_queens<<<1, 49>>>(total, 7);
    expect(to_host(total, 1)[0] == 40, "solutions");
}

// Each thread solves its own 6 x 6 Sudoku, whose boxes have 2 x 3
// cells.
__device__ bool may_stand(const signed char* fields, int at, int digit) {
    const int row = at / 6, col = at % 6;
    for (int k = 0; k < 6; ++k) {
        if (fields[row * 6 + k] == digit || fields[k * 6 + col] == digit) return false;
        if (fields[(row / 2 * 2 + k / 3) * 6 + col / 3 * 3 + k % 3] == digit) return false;
    }
    return true;
}
__global__ void complete(signed char* squares, bool* solved) {
    signed char fields[36];
    short blank[36];
    int open = 0;
    for (int i = 0; i < 36; ++i) {
        fields[i] = squares[threadIdx.x * 36 + i];
        if (fields[i] == 0) blank[open++] = i;
    }
    int depth = 0;
    while (depth >= 0 && depth < open) {
        const int at = blank[depth];
        int digit = fields[at] + 1;
        fields[at] = 0;
        while (digit <= 6 && !may_stand(fields, at, digit)) digit++;
        if (digit <= 6) {
            fields[at] = digit;
            depth++;
        } else {
            depth--;
        }
    }
    solved[threadIdx.x] = depth == open;
    for (int i = 0; i < 36; ++i) squares[threadIdx.x * 36 + i] = fields[i];
}
static void sudoku_by_backtracking() {
    const int n = 20;
    std::vector<signed char> squares(n * 36);
    const auto blanks = random_numbers(n * 36, 10);
    for (int i = 0; i < n * 36; ++i) {
        const int square = i / 36, row = i % 36 / 6, col = i % 6;
        const int digit = (row % 2 * 3 + row / 2 + col + square) % 6 + 1;
        squares[i] = blanks[i] < 5 ? 0 : digit;
    }
    signed char* on_device = to_device(squares);
    bool* solved = device_zeros<bool>(n);
    complete<<<1, n>>>(on_device, solved);
    const auto host = to_host(on_device, n * 36);
    bool all[n];
    need(cudaMemcpy(all, solved, n, cudaMemcpyDeviceToHost));
    for (int s = 0; s < n; ++s) {
        expect(all[s], "solved");
        for (int k = 0; k < 6; ++k) {
            int row = 0, col = 0, box = 0;
            for (int i = 0; i < 6; ++i) {
                row |= 1 << host[s * 36 + k * 6 + i];
                col |= 1 << host[s * 36 + i * 6 + k];
                box |= 1 << host[s * 36 + (k / 2 * 2 + i / 3) * 6 + k % 2 * 3 + i % 3];
            }
            expect(row == 126 && col == 126 && box == 126, "each digit once");
        }
    }
    for (int i = 0; i < n * 36; ++i) expect(squares[i] == 0 || squares[i] == host[i], "as given");
}

// clean means_of_clusters
__global__ void assign(int* label, const float2* points, int n, const float2* centres, int k,
                       float2* sums, int* counts) {
    __shared__ float2 near[8];
    if (threadIdx.x < k) near[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = points[i];
    int best = 0;
    float best_distance = 1e30f;
    for (int c = 0; c < k; ++c) {
        const float dx = p.x - near[c].x, dy = p.y - near[c].y, distance = dx * dx + dy * dy;
        if (distance < best_distance) {
            best_distance = distance;
            best = c;
        }
    }
    label[i] = best;
    atomicAdd(&sums[best].x, p.x);
    atomicAdd(&sums[best].y, p.y);
    atomicAdd(&counts[best], 1);
}
__global__ void move_centres(float2* centres, float2* sums, int* counts) {
    const int c = threadIdx.x;
    if (counts[c] > 0) centres[c] = make_float2(sums[c].x / counts[c], sums[c].y / counts[c]);
    sums[c] = make_float2(0, 0);
    counts[c] = 0;
}
static void means_of_clusters() {
    const int n = 300, k = 5;
    std::vector<float2> points(n);
    const auto numbers = random_numbers(2 * n, 20);
    for (int i = 0; i < n; ++i) {
        points[i].x = i % k * 100.f + numbers[2 * i];
        points[i].y = i % k % 2 * 200.f + numbers[2 * i + 1];
    }
    float2 *device_points = to_device(points),
           *centres = to_device(std::vector(points.begin(), points.begin() + k));
    float2* sums = device_zeros<float2>(k);
    int *counts = device_zeros<int>(k), *label = device_zeros<int>(n);
    for (int round = 0; round < 5; ++round) {
        assign<<<3, 128>>>(label, device_points, n, centres, k, sums, counts);
        move_centres<<<1, k>>>(centres, sums, counts);
    }
    const auto labels = to_host(label, n);
    const auto host = to_host(centres, k);
    for (int i = 0; i < n; ++i) expect(labels[i] == i % k, "cluster");
    for (int c = 0; c < k; ++c) {
        float x = 0;
        for (int i = c; i < n; i += k) x += points[i].x;
        expect(std::abs(host[c].x - x / (n / k)) < 1e-3f, "centre");
    }
}

// clean bodies_that_attract
struct Body {
    double x, y, z, mass;
};
__global__ void attract(double3* force, const Body* bodies, int n) {
    extern __shared__ Body tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Body me = i < n ? bodies[i] : Body{0, 0, 0, 0};
    double3 sum = {0, 0, 0};
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] =
            first + threadIdx.x < n ? bodies[first + threadIdx.x] : Body{0, 0, 0, 0};
        __syncthreads();
        for (int k = 0; k < blockDim.x; ++k) {
            const double dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            const double square = dx * dx + dy * dy + dz * dz + 1;
            const double strength = tile[k].mass / (square * sqrt(square));
            sum.x += dx * strength;
            sum.y += dy * strength;
            sum.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < n) force[i] = sum;
}
static void bodies_that_attract() {
    const int n = 150;
    std::vector<Body> bodies(n);
    const auto numbers = random_numbers(4 * n, 100);
    for (int i = 0; i < n; ++i) {
        bodies[i].x = numbers[4 * i];
        bodies[i].y = numbers[4 * i + 1];
        bodies[i].z = numbers[4 * i + 2];
        bodies[i].mass = numbers[4 * i + 3] + 1;
    }
    double3* force = device_zeros<double3>(n);
    attract<<<3, 64, 64 * sizeof(Body)>>>(force, to_device(bodies), n);
    const auto host = to_host(force, n);
    for (int i = 0; i < n; ++i) {
        double x = 0, z = 0;
        for (const Body& body : bodies) {
            const double dx = body.x - bodies[i].x, dy = body.y - bodies[i].y,
                         dz = body.z - bodies[i].z;
            const double square = dx * dx + dy * dy + dz * dz + 1;
            x += dx * body.mass / (square * std::sqrt(square));
            z += dz * body.mass / (square * std::sqrt(square));
        }
        expect(std::abs(host[i].x - x) < 1e-9 && std::abs(host[i].z - z) < 1e-9, "force");
    }
}

// clean sample_by_reservoir
// Each thread keeps a random sample of four of the numbers that it has read.
__host__ __device__ inline unsigned next_random(unsigned* state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
__host__ __device__ inline void sample(int* kept, const int* stream, int n, int step,
                                       unsigned seed) {
    for (int i = 0; i < n; ++i) {
        const int at = i < 4 ? i : static_cast<int>(next_random(&seed) % (i + 1));
        if (at < 4) kept[at] = stream[i * step];
    }
}
__global__ void sample_columns(int4* out, const int* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    int kept[4];
    sample(kept, in + col, rows, cols, 1234567u + col);
    out[col] = make_int4(kept[0], kept[1], kept[2], kept[3]);
}
static void sample_by_reservoir() {
    const int rows = 50, cols = 90;
    const auto in = random_numbers(rows * cols, 100000);
    int4* out = device_zeros<int4>(cols);
    sample_columns<<<3, 32>>>(out, to_device(in), rows, cols);
    const auto host = to_host(out, cols);
    for (int col = 0; col < cols; ++col) {
        int want[4];
        sample(want, in.data() + col, rows, cols, 1234567u + col);
        const int4 got = host[col];
        expect(got.x == want[0] && got.y == want[1] && got.z == want[2] && got.w == want[3],
               "kept");
    }
}

// clean search_in_a_tree_of_blocks
// Each node of the tree has 16 keys, and each lane of half a warp compares one key.
struct TreeNode {
    int keys[16];
    unsigned char count;
    bool is_leaf;
    int children[17];
};
__global__ void find_in_tree(int* out, const TreeNode* tree, const int* wanted, int n) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    if (i >= n) return;
    const unsigned half = 0xffffu << (threadIdx.x & 16);
    int node = 0;
    for (;;) {
        const bool is_less = lane < tree[node].count && tree[node].keys[lane] <= wanted[i];
        const int at = __popc(__ballot_sync(half, is_less) & half);
        if (tree[node].is_leaf) {
            if (lane == 0)
                out[i] = at > 0 && tree[node].keys[at - 1] == wanted[i] ? node * 16 + at - 1 : -1;
            break;
        }
        node = tree[node].children[at];
    }
}
static void search_in_a_tree_of_blocks() {
    // The root contains the first key of every leaf except the first one.
    std::vector<TreeNode> tree(18);
    for (int leaf = 1; leaf <= 17; ++leaf) {
        tree[leaf].is_leaf = true;
        tree[leaf].count = static_cast<unsigned char>(10 + leaf % 7);
        for (int k = 0; k < 16; ++k) tree[leaf].keys[k] = leaf * 100 + k * 3;
        if (leaf > 1) tree[0].keys[leaf - 2] = leaf * 100;
        tree[0].children[leaf - 1] = leaf;
    }
    tree[0].count = 16;
    const int n = 300;
    std::vector<int> wanted(n);
    for (int i = 0; i < n; ++i) wanted[i] = 60 + i * 6;
    int* out = device_zeros<int>(n);
    find_in_tree<<<38, 128>>>(out, to_device(tree), to_device(wanted), n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) {
        const int leaf = wanted[i] / 100, key = wanted[i] % 100;
        const bool there = leaf >= 1 && leaf <= 17 && key % 3 == 0 && key / 3 < 10 + leaf % 7;
        expect(host[i] == (there ? leaf * 16 + key / 3 : -1), "found");
    }
}

// clean checksums_by_table
__constant__ unsigned crc_table[256];
__global__ void checksums(unsigned* out, const unsigned char* data, int each) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = 0xffffffff;
    for (int k = 0; k < each; ++k) crc = crc >> 8 ^ crc_table[(crc ^ data[i * each + k]) & 0xff];
    out[i] = ~crc;
}
static void checksums_by_table() {
    unsigned table[256];
    for (unsigned i = 0; i < 256; ++i) {
        table[i] = i;
        for (int k = 0; k < 8; ++k)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
    }
    need(cudaMemcpyToSymbol(crc_table, table, sizeof table));
    std::vector<unsigned char> data{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    for (const int x : random_numbers(63 * 9, 256)) data.push_back(x);
    unsigned* out = device_zeros<unsigned>(64);
    checksums<<<2, 32>>>(out, to_device(data), 9);
    const auto host = to_host(out, 64);
    expect(host[0] == 0xcbf43926, "the known checksum");
    for (int i = 0; i < 64; ++i) {
        unsigned crc = ~0u;
        for (int bit = 0; bit < 72; ++bit) {
            const bool odd = (crc ^ data[i * 9 + bit / 8] >> bit % 8) & 1;
            crc = crc >> 1 ^ (odd ? 0xedb88320 : 0);
        }
        expect(host[i] == ~crc, "checksum");
    }
}

// clean stack_machine
// A small interpreter: a switch in a loop, a stack in local memory, and divergent jumps.
enum Instruction : unsigned char { kPush, kAdd, kMultiply, kSwap, kDecrement, kRepeat, kHalt };
__global__ void interpret(int* out, const unsigned char* program) {
    int stack[8], top = 0, at = 0;
    stack[top++] = threadIdx.x % 20 + 1;
    for (bool runs = true; runs;) {
        switch (program[at++]) {
            case kPush: stack[top++] = program[at++]; break;
            case kAdd:
                --top;
                stack[top - 1] += stack[top];
                break;
            case kMultiply:
                --top;
                stack[top - 1] = stack[top - 1] * stack[top] % 10007;
                break;
            case kSwap: {
                const int below = stack[top - 2];
                stack[top - 2] = stack[top - 1];
                stack[top - 1] = below;
                break;
            }
            case kDecrement: --stack[top - 1]; break;
            case kRepeat: at = stack[top - 1] > 0 ? program[at] : at + 1; break;
            case kHalt: runs = false; break;
        }
    }
    out[threadIdx.x] = stack[top - 2];
}
static void stack_machine() {
    // The loop count is above the result on the stack. Each pass doubles the result and adds three.
    const std::vector<unsigned char> program{kPush, 1,          kSwap,   kSwap, kPush,
                                             2,     kMultiply,  kPush,   3,     kAdd,
                                             kSwap, kDecrement, kRepeat, 3,     kHalt};
    int* out = device_zeros<int>(64);
    interpret<<<1, 64>>>(out, to_device(program));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) {
        int want = 1;
        for (int turn = 0; turn < i % 20 + 1; ++turn) want = want * 2 % 10007 + 3;
        expect(host[i] == want, "result");
    }
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"common_subsequence_by_antidiagonals", common_subsequence_by_antidiagonals},
            {"edit_distances", edit_distances},
            {"knapsack", knapsack},
            {"queens_by_recursion", queens_by_recursion},
            {"sudoku_by_backtracking", sudoku_by_backtracking},
            {"means_of_clusters", means_of_clusters},
            {"bodies_that_attract", bodies_that_attract},
            {"sample_by_reservoir", sample_by_reservoir},
            {"search_in_a_tree_of_blocks", search_in_a_tree_of_blocks},
            {"checksums_by_table", checksums_by_table},
            {"stack_machine", stack_machine},
        });
}
