// Sparse matrices, graphs, and systems of linear equations.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// A sparse matrix with 1 to 15 elements per row.
struct SparseRows {
    int rows, columns;
    Buffer<int> first, column;
    Buffer<float> value;
    SparseRows(int rows, int columns)
        : rows(rows),
          columns(columns),
          first(starts(rows)),
          column(integers(static_cast<std::size_t>(first.start().back()), columns, 2)),
          value(floats(column.size(), 3)) {}
    static std::vector<int> starts(int rows) {
        std::vector<int> at{0};
        for (int r = 0; r < rows; ++r)
            at.push_back(at.back() + 1 + static_cast<int>(noise(r) % 15));
        return at;
    }
    template <class F>
    double sum(std::size_t row, F term) const {
        return sum_of(first.start(row), first.start(row + 1), term);
    }
};

}  // namespace

// Multiplies a matrix with five diagonals by a vector.
__global__ void diagonals_times_vector(float* out, const float* a, const float* x, int n) {
    const int offsets[5] = {-1024, -1, 0, 1, 1024};
    const int i = thread_in_grid();
    float sum = 0;
    for (int d = 0; d < 5; ++d) {
        const int col = i + offsets[d];
        if (col >= 0 && col < n) sum += a[d * n + i] * x[col];
    }
    out[i] = sum;
}
EXAMPLE(diagonals_times_vector) {
    const int n = pick(1 << 20, 1 << 13);
    const auto a = floats(5 * n, 1), x = floats(n, 2), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        const int offsets[5] = {-1024, -1, 0, 1, 1024};
        double sum = 0;
        for (int d = 0; d < 5; ++d) {
            const int col = static_cast<int>(i) + offsets[d];
            if (col >= 0 && col < n) sum += a.start(d * n + i) * x.start(col);
        }
        return sum;
    };
    return checked([=] { diagonals_times_vector<<<n / 256, 256>>>(out, a, x, n); }, out, expected,
                   1e-5);
}

// Multiplies a block-sparse matrix by a vector.
// Four threads process a row of eight 4 x 4 blocks.
__global__ void blocks_times_vector(float* out, const float* blocks, const int* column,
                                    const float* x) {
    const int row = thread_in_grid() / 4, line = threadIdx.x % 4;
    float sum = 0;
    for (int k = 0; k < 8; ++k) {
        const float4 a = reinterpret_cast<const float4*>(blocks)[(row * 8 + k) * 4 + line],
                     v = reinterpret_cast<const float4*>(x)[column[row * 8 + k]];
        sum += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
    }
    out[thread_in_grid()] = sum;
}
EXAMPLE(blocks_times_vector) {
    const int rows = pick(1 << 15, 1 << 9);
    const auto blocks = floats(rows * 8 * 16, 1), x = floats(rows * 4, 2),
               out = zeros<float>(rows * 4);
    const auto column = integers(rows * 8, rows, 3);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 32, [&](std::size_t k) {
            const std::size_t block = i / 4 * 8 + k / 4;
            return blocks.start(block * 16 + i % 4 * 4 + k % 4) *
                   x.start(column.start(block) * 4 + k % 4);
        });
    };
    return checked([=] { blocks_times_vector<<<rows / 32, 128>>>(out, blocks, column, x); }, out,
                   expected, 1e-4);
}

// Multiplies a sparse matrix by sixteen dense columns, with half a warp per row.
__global__ void sparse_times_dense(float* out, const int* first, const int* column,
                                   const float* value, const float* dense) {
    const int row = thread_in_grid() / 16, col = threadIdx.x % 16;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; ++k) sum += value[k] * dense[column[k] * 16 + col];
    out[row * 16 + col] = sum;
}
EXAMPLE(sparse_times_dense) {
    const int rows = pick(1 << 16, 1 << 10);
    const SparseRows a(rows, rows);
    const auto dense = floats(rows * 16, 5), out = zeros<float>(rows * 16);
    const auto expected = [=](std::size_t i) {
        return a.sum(i / 16, [&](std::size_t k) {
            return a.value.start(k) * dense.start(a.column.start(k) * 16 + i % 16);
        });
    };
    return checked(
        [=] { sparse_times_dense<<<rows / 16, 256>>>(out, a.first, a.column, a.value, dense); },
        out, expected, 1e-4);
}

// Sets the label of each vertex to the smallest label among the vertex and its six neighbours.
__global__ void spread_labels(int* out, const int* label, const int* neighbour, int n) {
    const int v = thread_in_grid();
    int least = label[v];
    for (int k = 0; k < 6; ++k) least = min(least, label[neighbour[k * n + v]]);
    out[v] = least;
}
EXAMPLE(spread_labels) {
    const int n = pick(1 << 19, 1 << 12);
    const auto label = integers(n, 1 << 30, 1), neighbour = integers(6 * n, n, 2),
               out = zeros<int>(n);
    const auto expected = [=](std::size_t v) {
        int least = label.start(v);
        for (std::size_t k = 0; k < 6; ++k)
            least = std::min(least, label.start(neighbour.start(k * n + v)));
        return least;
    };
    return checked([=] { spread_labels<<<n / 256, 256>>>(out, label, neighbour, n); }, out,
                   expected);
}

// Counts the common neighbours of two vertices. Neighbour lists are sorted and have 32
// entries.
__global__ void shared_neighbours(int* out, const int* lists, const int2* pairs) {
    const int2 pair = pairs[thread_in_grid()];
    int a = pair.x * 32, b = pair.y * 32, found = 0;
    const int a_end = a + 32, b_end = b + 32;
    while (a < a_end && b < b_end) {
        const int x = lists[a], y = lists[b];
        found += x == y;
        a += x <= y;
        b += y <= x;
    }
    out[thread_in_grid()] = found;
}
EXAMPLE(shared_neighbours) {
    const int vertices = pick(1 << 14, 1 << 8), count = pick(1 << 16, 1 << 10);
    const auto lists = filled(
        vertices * 32, [](std::size_t i) { return static_cast<int>(i % 32 * 4 + noise(i) % 4); });
    const auto pairs = integers(2 * count, vertices, 2), out = zeros<int>(count);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 32, [&](std::size_t k) {
            return lists.start(pairs.start(2 * i) * 32 + k) ==
                   lists.start(pairs.start(2 * i + 1) * 32 + k);
        });
    };
    return checked(
        [=] {
            shared_neighbours<<<count / 128, 128>>>(out, lists,
                                                    reinterpret_cast<int2*>(pairs.get()));
        },
        out, expected);
}

// Looks up the grandparent of every node (pointer jumping).
__global__ void jump_pointers(int* out, const int* parent) {
    out[thread_in_grid()] = parent[parent[thread_in_grid()]];
}
EXAMPLE(jump_pointers) {
    const int n = pick(1 << 21, 1 << 13);
    const auto parent = filled(n, [](std::size_t i) { return static_cast<int>(i / 2); });
    const auto out = zeros<int>(n);
    return checked([=] { jump_pointers<<<n / 512, 512>>>(out, parent); }, out,
                   [](std::size_t i) { return i / 4; });
}

// Computes dot products of rows of two dense matrices, only for the elements of a sparse matrix.
// Eight lanes compute each product.
__global__ void sampled_products(float* out, const float4* a, const float4* b, const int2* places) {
    const int i = thread_in_grid() / 8, lane = threadIdx.x % 8;
    const int2 at = places[i];
    const float4 x = a[at.x * 8 + lane], y = b[at.y * 8 + lane];
    float sum = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) out[i] = sum;
}
EXAMPLE(sampled_products) {
    const int rows = pick(1 << 15, 1 << 9), count = pick(1 << 17, 1 << 10);
    const auto a = floats(rows * 32, 1), b = floats(rows * 32, 2), out = zeros<float>(count);
    const auto places = integers(2 * count, rows, 3);
    const auto expected = [=](std::size_t i) {
        return sum_of(0, 32, [&](std::size_t k) {
            return a.start(places.start(2 * i) * 32 + k) *
                   b.start(places.start(2 * i + 1) * 32 + k);
        });
    };
    return checked(
        [=] {
            sampled_products<<<count / 32, 256>>>(out, reinterpret_cast<float4*>(a.get()),
                                                  reinterpret_cast<float4*>(b.get()),
                                                  reinterpret_cast<int2*>(places.get()));
        },
        out, expected, 1e-4);
}

// Finds the largest element of each sparse row, with eight lanes per row.
__global__ void largest_in_rows(float* out, const int* first, const float* value) {
    const int row = thread_in_grid() / 8, lane = threadIdx.x % 8;
    float most = 0;
    for (int k = first[row] + lane; k < first[row + 1]; k += 8) most = fmaxf(most, value[k]);
    for (int step = 4; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    if (lane == 0) out[row] = most;
}
EXAMPLE(largest_in_rows) {
    const int rows = pick(1 << 18, 1 << 11);
    const SparseRows a(rows, rows);
    const auto out = zeros<float>(rows);
    const auto expected = [=](std::size_t r) {
        const auto at = [&](std::size_t k) { return a.value.start().begin() + a.first.start(k); };
        return *std::max_element(at(r), at(r + 1));
    };
    return checked([=] { largest_in_rows<<<rows / 32, 256>>>(out, a.first, a.value); }, out,
                   expected);
}

// Solves one tridiagonal system of 32 unknowns per thread (Thomas algorithm). The unknowns of a
// system are far apart in memory.
__global__ void solve_tridiagonal(float* x, const float* right, int n) {
    float c[32], d[32];
    const int i = thread_in_grid();
    c[0] = .25f;
    d[0] = right[i] * .25f;
#pragma unroll
    for (int k = 1; k < 32; ++k) {
        const float m = 1 / (4 - c[k - 1]);
        c[k] = m;
        d[k] = (right[k * n + i] - d[k - 1]) * m;
    }
    float last = 0;
#pragma unroll
    for (int k = 31; k >= 0; --k) x[k * n + i] = last = d[k] - c[k] * last;
}
EXAMPLE(solve_tridiagonal) {
    const int n = pick(1 << 16, 1 << 9);
    const auto right = floats(32 * n), x = zeros<float>(32 * n);
    const auto check = [=] {
        const std::vector<float> found = x.read();
        const auto at = [&](std::size_t k, std::size_t i) {
            return k < 32 ? found[k * right.size() / 32 + i] : 0.0f;
        };
        const std::size_t systems = right.size() / 32;
        return compare(
            right,
            [&](std::size_t e) {
                const std::size_t k = e / systems, i = e % systems;
                return at(k - 1, i) + 4 * at(k, i) + at(k + 1, i);
            },
            1e-4, 1 << 15);
    };
    return {[=] { solve_tridiagonal<<<n / 64, 64>>>(x, right, n); }, check};
}

// Factors one small matrix per block by elimination in shared memory, with 16 x 16 threads.
__global__ void factor_small(float* out, const float* in) {
    __shared__ float s[16][17];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    s[y][x] = in[i];
    for (int k = 0; k < 15; ++k) {
        __syncthreads();
        if (x == k && y > k) s[y][k] /= s[k][k];
        __syncthreads();
        if (x > k && y > k) s[y][x] -= s[y][k] * s[k][x];
    }
    out[i] = s[y][x];
}
EXAMPLE(factor_small) {
    const int count = pick(4096, 30);
    const auto in = filled(count * 256, [](std::size_t i) {
        return (i % 256 % 17 == 0 ? 16.0f : 0.0f) + static_cast<float>(noise(i) % 256) / 256.0f;
    });
    const auto out = zeros<float>(count * 256);
    const auto check = [=] {
        const std::vector<float> lu = out.read();
        return compare(
            in,
            [&](std::size_t i) {
                const std::size_t first = i / 256 * 256, row = i % 256 / 16, col = i % 16;
                return sum_of(0, std::min(row, col) + 1, [&](std::size_t k) {
                    return (k == row ? 1 : lu[first + row * 16 + k]) * lu[first + k * 16 + col];
                });
            },
            1e-4, 1 << 15);
    };
    return {[=] { factor_small<<<count, dim3(16, 16)>>>(out, in); }, check};
}

// Factors one positive definite 4 x 4 matrix per thread (Cholesky).
__global__ void cholesky_fours(float* out, const float* in, int n) {
    const int i = thread_in_grid();
    float l[10];
#pragma unroll
    for (int row = 0, at = 0; row < 4; ++row) {
#pragma unroll
        for (int col = 0; col <= row; ++col, ++at) {
            float sum = in[at * n + i];
#pragma unroll
            for (int k = 0; k < col; ++k)
                sum -= l[row * (row + 1) / 2 + k] * l[col * (col + 1) / 2 + k];
            l[at] = row == col ? sqrtf(sum) : sum / l[col * (col + 1) / 2 + col];
            out[at * n + i] = l[at];
        }
    }
}
EXAMPLE(cholesky_fours) {
    const int n = pick(1 << 18, 1 << 11);
    const auto in = filled(10 * n, [=](std::size_t i) {
        const std::size_t at = i / n;
        const bool is_diagonal = at == 0 || at == 2 || at == 5 || at == 9;
        return static_cast<float>(noise(i) % 256) / 256.0f + (is_diagonal ? 4.0f : 0.0f);
    });
    const auto out = zeros<float>(10 * n);
    const auto check = [=] {
        const std::vector<float> l = out.read();
        return compare(
            in,
            [&](std::size_t i) {
                const std::size_t at = i / n,
                                  row = at < 1   ? 0
                                        : at < 3 ? 1
                                        : at < 6 ? 2
                                                 : 3,
                                  col = at - row * (row + 1) / 2;
                return sum_of(0, col + 1, [&](std::size_t k) {
                    return l[(row * (row + 1) / 2 + k) * n + i % n] *
                           l[(col * (col + 1) / 2 + k) * n + i % n];
                });
            },
            1e-4, 1 << 15);
    };
    return {[=] { cholesky_fours<<<n / 128, 128>>>(out, in, n); }, check};
}
