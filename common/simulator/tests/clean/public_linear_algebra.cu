// Matrices and vectors: products, solvers and transforms. All sums are exact for some
// inputs. For other inputs, results may differ from the host's by rounding errors.
#include "../cases.h"

#include <algorithm>
#include <cmath>
#include <complex>

/// Returns pseudo-random integers from -9 to 9, converted to T.
template <class T>
static std::vector<T> whole_numbers(std::size_t count, unsigned seed) {
    std::vector<T> result;
    for (const int x : random_numbers(count, 19, seed)) result.push_back(static_cast<T>(x - 9));
    return result;
}
/// Returns the product of `a` (m x k) and `b` (k x n), computed on the host. Both are row-major.
template <class T>
static std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int m, int n,
                              int k) {
    std::vector<T> c(m * n);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
        }
    }
    return c;
}

// clean product_by_tiles
__global__ void multiply_tiled(float* c, const float* a, const float* b, int m, int n, int k) {
    __shared__ float a_tile[16][16], b_tile[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += 16) {
        a_tile[threadIdx.y][threadIdx.x] =
            row < m && first + threadIdx.x < k ? a[row * k + first + threadIdx.x] : 0;
        b_tile[threadIdx.y][threadIdx.x] =
            col < n && first + threadIdx.y < k ? b[(first + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
static void product_by_tiles() {
    const int m = 40, n = 50, k = 35;
    const auto a = whole_numbers<float>(m * k, 1), b = whole_numbers<float>(k * n, 2);
    float* c = device_zeros<float>(m * n);
    multiply_tiled<<<dim3(4, 3), dim3(16, 16)>>>(c, to_device(a), to_device(b), m, n, k);
    expect(to_host(c, m * n) == product(a, b, m, n, k), "product");
}

// clean product_in_registers
// A block of 64 threads computes a 32 x 32 tile. Each thread holds 4 x 4 elements in registers.
__global__ void multiply_blocked(float* c, const float* a, const float* b, int n, int k) {
    __shared__ float a_tile[8 * 32], b_tile[8 * 32];
    const int thread_row = threadIdx.x / 8, thread_col = threadIdx.x % 8;
    a += blockIdx.y * 32 * k;
    b += blockIdx.x * 32;
    c += blockIdx.y * 32 * n + blockIdx.x * 32;
    float sums[4][4] = {};
    for (int first = 0; first < k; first += 8) {
        for (int i = threadIdx.x; i < 8 * 32; i += 64) {
            a_tile[i % 8 * 32 + i / 8] = a[i / 8 * k + i % 8];
            b_tile[i] = b[i / 32 * n + i % 32];
        }
        __syncthreads();
        a += 8;
        b += 8 * n;
#pragma unroll
        for (int dot = 0; dot < 8; ++dot) {
            float left[4], right[4];
            for (int i = 0; i < 4; ++i) left[i] = a_tile[dot * 32 + thread_row * 4 + i];
            for (int i = 0; i < 4; ++i) right[i] = b_tile[dot * 32 + thread_col * 4 + i];
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) c[(thread_row * 4 + i) * n + thread_col * 4 + j] = sums[i][j];
    }
}
static void product_in_registers() {
    const int m = 64, n = 96, k = 32;
    const auto a = whole_numbers<float>(m * k, 3), b = whole_numbers<float>(k * n, 4);
    float* c = device_zeros<float>(m * n);
    multiply_blocked<<<dim3(3, 2), 64>>>(c, to_device(a), to_device(b), n, k);
    expect(to_host(c, m * n) == product(a, b, m, n, k), "product");
}

// clean product_with_two_buffers
// The next two tiles are loaded while the current ones are used, so one barrier per pass suffices.
__global__ void multiply_double_buffered(int* c, const int* a, const int* b, int n) {
    __shared__ int a_tile[2][16][17], b_tile[2][16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    a_tile[0][y][x] = a[row * n + x];
    b_tile[0][y][x] = b[y * n + col];
    __syncthreads();
    int sum = 0, now = 0;
    for (int tile = 0; tile < n / 16; ++tile) {
        if (tile + 1 < n / 16) {
            a_tile[now ^ 1][y][x] = a[row * n + (tile + 1) * 16 + x];
            b_tile[now ^ 1][y][x] = b[((tile + 1) * 16 + y) * n + col];
        }
        for (int i = 0; i < 16; ++i) sum += a_tile[now][y][i] * b_tile[now][i][x];
        __syncthreads();
        now ^= 1;
    }
    c[row * n + col] = sum;
}
static void product_with_two_buffers() {
    const int n = 64;
    const auto a = whole_numbers<int>(n * n, 5), b = whole_numbers<int>(n * n, 6);
    int* c = device_zeros<int>(n * n);
    multiply_double_buffered<<<dim3(4, 4), dim3(16, 16)>>>(c, to_device(a), to_device(b), n);
    expect(to_host(c, n * n) == product(a, b, n, n, n), "product");
}

struct Sparse {
    std::vector<int> first{0}, cols;
    std::vector<double> values;
};
static Sparse make_sparse(int n) {
    Sparse matrix;
    const auto lengths = random_numbers(n, 40, 7);
    for (int row = 0; row < n; ++row) {
        for (int k = 0; k < lengths[row] * lengths[row] / 40; ++k) {
            matrix.cols.push_back((row * 7 + k * 11) % n);
            matrix.values.push_back((row + k) % 13 - 6);
        }
        matrix.first.push_back(static_cast<int>(matrix.cols.size()));
    }
    return matrix;
}
static std::vector<double> product(const Sparse& matrix, const std::vector<double>& x) {
    std::vector<double> y(matrix.first.size() - 1);
    for (std::size_t row = 0; row < y.size(); ++row) {
        for (int e = matrix.first[row]; e < matrix.first[row + 1]; ++e)
            y[row] += matrix.values[e] * x[matrix.cols[e]];
    }
    return y;
}

// clean sparse_by_threads
__global__ void multiply_rows(double* y, const int* first, const int* cols, const double* values,
                              const double* x, int rows) {
    const int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= rows) return;
    double dot = 0;
    const int row_start = first[row], row_end = first[row + 1];
    for (int jj = row_start; jj < row_end; jj++) dot += values[jj] * x[cols[jj]];
    y[row] += dot;
}
static void sparse_by_threads() {
    const int n = 200;
    const auto matrix = make_sparse(n);
    const auto x = whole_numbers<double>(n, 8);
    double* y = device_zeros<double>(n);
    multiply_rows<<<2, 128>>>(y, to_device(matrix.first), to_device(matrix.cols),
                              to_device(matrix.values), to_device(x), n);
    expect(to_host(y, n) == product(matrix, x), "product");
}

// clean sparse_by_warps
__global__ void multiply_rows_by_warps(double* y, const int* first, const int* cols,
                                       const double* values, const double* x, int rows) {
    __shared__ double sums[128];
    __shared__ int bounds[4][2];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = gridDim.x * 4;
    for (int row = blockIdx.x * 4 + warp; row < rows; row += warps) {
        if (lane < 2) bounds[warp][lane] = first[row + lane];
        __syncwarp();
        double sum = 0;
        for (int e = bounds[warp][0] + lane; e < bounds[warp][1]; e += 32)
            sum += values[e] * x[cols[e]];
        sums[threadIdx.x] = sum;
        __syncwarp();
        for (int by = 16; by > 0; by /= 2) {
            if (lane < by) sums[threadIdx.x] += sums[threadIdx.x + by];
            __syncwarp();
        }
        if (lane == 0) y[row] = sums[threadIdx.x];
    }
}
static void sparse_by_warps() {
    const int n = 200;
    const auto matrix = make_sparse(n);
    const auto x = whole_numbers<double>(n, 9);
    double* y = device_zeros<double>(n);
    multiply_rows_by_warps<<<5, 128>>>(y, to_device(matrix.first), to_device(matrix.cols),
                                       to_device(matrix.values), to_device(x), n);
    expect(to_host(y, n) == product(matrix, x), "product");
}

// clean jacobi
__global__ void jacobi_step(double* next, const double* x, const double* a, const double* b, int n,
                            double* error) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = b[row];
    for (int col = 0; col < n; ++col) {
        if (col != row) sum -= a[row * n + col] * x[col];
    }
    next[row] = sum / a[row * n + row];
    atomicAdd(error, fabs(next[row] - x[row]));
}
static void jacobi() {
    const int n = 80;
    auto a = whole_numbers<double>(n * n, 10), wanted = whole_numbers<double>(n, 11);
    for (int i = 0; i < n; ++i) a[i * n + i] = 900 + i;
    const auto b = product(a, wanted, n, 1, n);
    const double *device_a = to_device(a), *device_b = to_device(b);
    double *x = device_zeros<double>(n), *next = device_zeros<double>(n);
    double *error = device_zeros<double>(1), change = 1;
    for (int round = 0; round < 100 && change > 1e-9; ++round, std::swap(x, next)) {
        need(cudaMemset(error, 0, sizeof(double)));
        jacobi_step<<<2, 64>>>(next, x, device_a, device_b, n, error);
        need(cudaMemcpy(&change, error, sizeof change, cudaMemcpyDeviceToHost));
    }
    const auto host = to_host(x, n);
    for (int i = 0; i < n; ++i) expect(std::abs(host[i] - wanted[i]) < 1e-8, "solution");
}

// clean conjugate_gradients
// One block solves a tridiagonal system with 2.5 on the diagonal and -1 next to the diagonal.
__device__ double sum_of_products(double a, double b) {
    __shared__ double sums[128];
    sums[threadIdx.x] = a * b;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    const double sum = sums[0];
    __syncthreads();
    return sum;
}
__global__ void solve_rod(double* x_out, const double* b, int* rounds) {
    __shared__ double p[130];
    const int t = threadIdx.x;
    double x = 0, r = b[t];
    p[t + 1] = r;
    if (t == 0) p[0] = p[129] = 0;
    double rr = sum_of_products(r, r);
    int round = 0;
    while (rr > 1e-20 && round < 200) {
        const double ap = 2.5 * p[t + 1] - p[t] - p[t + 2];
        const double alpha = rr / sum_of_products(p[t + 1], ap);
        x += alpha * p[t + 1];
        r -= alpha * ap;
        const double before = rr;
        rr = sum_of_products(r, r);
        p[t + 1] = r + rr / before * p[t + 1];
        __syncthreads();
        ++round;
    }
    x_out[t] = x;
    if (t == 0) *rounds = round;
}
static void conjugate_gradients() {
    const auto wanted = whole_numbers<double>(128, 12);
    std::vector<double> b(128);
    for (int i = 0; i < 128; ++i)
        b[i] = 2.5 * wanted[i] - (i > 0 ? wanted[i - 1] : 0) - (i < 127 ? wanted[i + 1] : 0);
    double* x = device_zeros<double>(128);
    int* rounds = device_zeros<int>(1);
    solve_rod<<<1, 128>>>(x, to_device(b), rounds);
    const auto host = to_host(x, 128);
    for (int i = 0; i < 128; ++i) expect(std::abs(host[i] - wanted[i]) < 1e-8, "solution");
    expect(to_host(rounds, 1)[0] < 100, "rounds");
}

// clean gaussian_elimination
__global__ void factors_of_column(double* m, const double* a, int n, int t) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1 - t) m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
__global__ void subtract_rows(const double* m, double* a, double* b, int n, int t) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 1 - t || y >= n - t) return;
    a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
    if (y == 0) b[x + 1 + t] -= m[n * (x + 1 + t) + t] * b[t];
}
static void gaussian_elimination() {
    const int n = 24;
    auto a = whole_numbers<double>(n * n, 13);
    const auto wanted = whole_numbers<double>(n, 14);
    for (int i = 0; i < n; ++i) a[i * n + i] = 100 + i;
    auto b = product(a, wanted, n, 1, n);
    double *device_a = to_device(a), *device_b = to_device(b), *m = device_zeros<double>(n * n);
    for (int t = 0; t < n - 1; ++t) {
        factors_of_column<<<1, 32>>>(m, device_a, n, t);
        subtract_rows<<<dim3(2, 3), dim3(16, 8)>>>(m, device_a, device_b, n, t);
    }
    a = to_host(device_a, n * n);
    b = to_host(device_b, n);
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
        expect(std::abs(b[i] - wanted[i]) < 1e-9, "solution");
    }
}

// clean cholesky_in_shared
__global__ void factorise(double* out, const double* in) {
    constexpr int n = 20;
    __shared__ double a[n][n + 1];
    const int t = threadIdx.x;
    for (int row = 0; row < n; ++row) {
        if (t < n) a[row][t] = in[row * n + t];
    }
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        if (t == k) a[k][k] = sqrt(a[k][k]);
        __syncthreads();
        if (t > k && t < n) a[t][k] /= a[k][k];
        __syncthreads();
        if (t > k && t < n) {
            for (int col = k + 1; col <= t; ++col) a[t][col] -= a[t][k] * a[col][k];
        }
        __syncthreads();
    }
    for (int row = 0; row < n; ++row) {
        if (t < n) out[row * n + t] = t <= row ? a[row][t] : 0;
    }
}
static void cholesky_in_shared() {
    const int n = 20;
    auto lower = whole_numbers<double>(n * n, 15), upper = lower;
    for (int row = 0; row < n; ++row) {
        for (int col = row; col < n; ++col) lower[row * n + col] = col == row ? 10 + row : 0;
    }
    for (int i = 0; i < n * n; ++i) upper[i % n * n + i / n] = lower[i];
    double* out = device_zeros<double>(n * n);
    factorise<<<1, 64>>>(out, to_device(product(lower, upper, n, n, n)));
    const auto host = to_host(out, n * n);
    for (int i = 0; i < n * n; ++i) expect(std::abs(host[i] - lower[i]) < 1e-9, "factor");
}

// clean cyclic_reduction
// Tridiagonal systems: each step doubles the distance between coupled equations.
__global__ void reduce_tridiagonal(double* x, const double* below, const double* diagonal,
                                   const double* above, const double* right) {
    __shared__ double a[64], b[64], c[64], d[64];
    const int t = threadIdx.x;
    a[t] = t > 0 ? below[t] : 0;
    b[t] = diagonal[t];
    c[t] = t < 63 ? above[t] : 0;
    d[t] = right[t];
    __syncthreads();
    for (int by = 1; by < 64; by *= 2) {
        double na = 0, nb = b[t], nc = 0, nd = d[t];
        if (t >= by) {
            const double f = a[t] / b[t - by];
            na = -a[t - by] * f;
            nb -= c[t - by] * f;
            nd -= d[t - by] * f;
        }
        if (t + by < 64) {
            const double f = c[t] / b[t + by];
            nc = -c[t + by] * f;
            nb -= a[t + by] * f;
            nd -= d[t + by] * f;
        }
        __syncthreads();
        a[t] = na;
        b[t] = nb;
        c[t] = nc;
        d[t] = nd;
        __syncthreads();
    }
    x[t] = d[t] / b[t];
}
static void cyclic_reduction() {
    const int n = 64;
    auto below = whole_numbers<double>(n, 16), above = whole_numbers<double>(n, 17);
    const auto wanted = whole_numbers<double>(n, 18);
    std::vector<double> diagonal(n), right(n);
    for (int i = 0; i < n; ++i) {
        diagonal[i] = 25 + i;
        right[i] = diagonal[i] * wanted[i] + (i > 0 ? below[i] * wanted[i - 1] : 0) +
                   (i < n - 1 ? above[i] * wanted[i + 1] : 0);
    }
    double* x = device_zeros<double>(n);
    reduce_tridiagonal<<<1, 64>>>(x, to_device(below), to_device(diagonal), to_device(above),
                                  to_device(right));
    const auto host = to_host(x, n);
    for (int i = 0; i < n; ++i) expect(std::abs(host[i] - wanted[i]) < 1e-9, "solution");
}

// clean fourier_transform
__constant__ double2 unit_roots[64];
__global__ void transform(double2* out, const double2* in) {
    __shared__ double2 values[128];
    const int t = threadIdx.x;
    for (int i = t; i < 128; i += 64) values[__brev(i) >> 25] = in[i];
    __syncthreads();
    for (int half = 1; half < 128; half *= 2) {
        const int k = t % half, at = t / half * 2 * half + k;
        const double2 w = unit_roots[k * (64 / half)], odd = values[at + half], even = values[at];
        const double2 turned = {w.x * odd.x - w.y * odd.y, w.x * odd.y + w.y * odd.x};
        values[at] = {even.x + turned.x, even.y + turned.y};
        values[at + half] = {even.x - turned.x, even.y - turned.y};
        __syncthreads();
    }
    out[t] = values[t];
    out[t + 64] = values[t + 64];
}
static void fourier_transform() {
    const double pi = std::acos(-1.0);
    std::vector<double2> roots(64), in(128);
    for (int k = 0; k < 64; ++k) roots[k] = {std::cos(pi * k / 64), -std::sin(pi * k / 64)};
    const auto numbers = whole_numbers<double>(256, 19);
    for (int i = 0; i < 128; ++i) in[i] = {numbers[2 * i], numbers[2 * i + 1]};
    need(cudaMemcpyToSymbol(unit_roots, roots.data(), sizeof unit_roots));
    double2* out = device_zeros<double2>(128);
    transform<<<1, 64>>>(out, to_device(in));
    const auto host = to_host(out, 128);
    for (int k = 0; k < 128; ++k) {
        std::complex<double> want = 0;
        for (int i = 0; i < 128; ++i)
            want += std::complex(in[i].x, in[i].y) * std::polar(1.0, -pi * (i * k % 128) / 64);
        expect(std::abs(want - std::complex(host[k].x, host[k].y)) < 1e-9, "coefficient");
    }
}

// clean all_shortest_ways_by_tiles
// Floyd-Warshall in three phases: the diagonal tile, the tiles in its row and column, and the rest.
__global__ void improve_tiles(int* distance, int n, int round, int phase) {
    __shared__ int left[8][8], up[8][8];
    int tile_row = blockIdx.y, tile_col = blockIdx.x;
    if (phase == 0) tile_row = tile_col = round;
    if (phase == 1 && blockIdx.y == 0) tile_row = round;
    if (phase == 1 && blockIdx.y == 1) tile_row = blockIdx.x, tile_col = round;
    const bool in_row = tile_row == round, in_col = tile_col == round;
    if (phase == 1 && in_row && in_col) return;
    if (phase == 2 && (in_row || in_col)) return;
    const int x = threadIdx.x, y = threadIdx.y;
    int* mine = &distance[(tile_row * 8 + y) * n + tile_col * 8 + x];
    int best = *mine;
    left[y][x] = distance[(tile_row * 8 + y) * n + round * 8 + x];
    up[y][x] = distance[(round * 8 + y) * n + tile_col * 8 + x];
    for (int k = 0; k < 8; ++k) {
        __syncthreads();
        best = min(best, left[y][k] + up[k][x]);
        __syncthreads();
        if (in_col) left[y][x] = best;
        if (in_row) up[y][x] = best;
    }
    *mine = best;
}
static void all_shortest_ways_by_tiles() {
    const int n = 32;
    auto want = random_numbers(n * n, 1000);
    for (int i = 0; i < n; ++i) want[i * n + i] = 0;
    int* distance = to_device(want);
    for (int round = 0; round < n / 8; ++round) {
        improve_tiles<<<1, dim3(8, 8)>>>(distance, n, round, 0);
        improve_tiles<<<dim3(n / 8, 2), dim3(8, 8)>>>(distance, n, round, 1);
        improve_tiles<<<dim3(n / 8, n / 8), dim3(8, 8)>>>(distance, n, round, 2);
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j)
                want[i * n + j] = std::min(want[i * n + j], want[i * n + k] + want[k * n + j]);
        }
    }
    expect(to_host(distance, n * n) == want, "distances");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"product_by_tiles", product_by_tiles},
                        {"product_in_registers", product_in_registers},
                        {"product_with_two_buffers", product_with_two_buffers},
                        {"sparse_by_threads", sparse_by_threads},
                        {"sparse_by_warps", sparse_by_warps},
                        {"jacobi", jacobi},
                        {"conjugate_gradients", conjugate_gradients},
                        {"gaussian_elimination", gaussian_elimination},
                        {"cholesky_in_shared", cholesky_in_shared},
                        {"cyclic_reduction", cyclic_reduction},
                        {"fourier_transform", fourier_transform},
                        {"all_shortest_ways_by_tiles", all_shortest_ways_by_tiles},
                    });
}
