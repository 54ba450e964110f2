// Sparse matrices, graphs, transforms, clustering, strings.
// Long: it has many small kernels on one theme, each with an example that checks the kernel.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

/// A sparse matrix with about `per_row` elements per row.
struct Csr {
    int rows;
    std::vector<int> start{0}, column;
    std::vector<float> value;

    Csr(int rows_, int per_row) : rows(rows_) {
        for (int r = 0; r < rows; ++r) {
            const auto at = static_cast<std::size_t>(r);
            const int length =
                per_row / 2 + static_cast<int>(noise(at, 1) % static_cast<unsigned>(per_row));
            for (int k = 0; k < length; ++k) {
                const std::size_t seed = at * 64 + static_cast<std::size_t>(k);
                column.push_back(static_cast<int>(noise(seed, 2) % static_cast<unsigned>(rows)));
                value.push_back(static_cast<float>(noise(seed, 3) % 100) / 100);
            }
            start.push_back(static_cast<int>(column.size()));
        }
    }
    double product(std::size_t row, const Buffer<float>& x) const {
        return sum_of(
            static_cast<std::size_t>(start[row]), static_cast<std::size_t>(start[row + 1]),
            [&](std::size_t k) { return value[k] * x.start(static_cast<std::size_t>(column[k])); });
    }
};

/// A matrix and a vector on the device, with their expected product.
struct Sparse {
    std::shared_ptr<const Csr> matrix;
    Buffer<int> start, column;
    Buffer<float> value, x, y;
    Sparse(int rows, int per_row)
        : matrix(std::make_shared<Csr>(rows, per_row)),
          start(matrix->start),
          column(matrix->column),
          value(matrix->value),
          x(floats(static_cast<std::size_t>(rows), 5)),
          y(zeros<float>(static_cast<std::size_t>(rows))) {}
    std::string check() const {
        return compare(
            y, [&](std::size_t row) { return matrix->product(row, x); }, 1e-4);
    }
};

Sparse sparse() {
    return Sparse(pick(1 << 18, 1 << 11), 16);
}

}  // namespace

// Multiplies a CSR matrix by a vector with one thread per row.
__global__ void spmv_csr_thread(float* y, const int* start, const int* column, const float* value,
                                const float* x, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x[column[k]];
    y[row] = sum;
}
EXAMPLE(spmv_csr_thread) {
    const Sparse a = sparse();
    const int rows = a.matrix->rows;
    return {[=] {
                spmv_csr_thread<<<rows / kThreads, kThreads>>>(a.y, a.start, a.column, a.value, a.x,
                                                               rows);
            },
            [=] { return a.check(); }};
}

// Multiplies a CSR matrix by a vector with one warp per row.
__global__ void spmv_csr_warp(float* y, const int* start, const int* column, const float* value,
                              const float* x) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[row] = sum;
}
EXAMPLE(spmv_csr_warp) {
    const Sparse a = sparse();
    return {[=] {
                spmv_csr_warp<<<a.matrix->rows / 8, kThreads>>>(a.y, a.start, a.column, a.value,
                                                                a.x);
            },
            [=] { return a.check(); }};
}

// Multiplies a matrix in ELL format (rows of equal length, stored by columns) by a vector.
__global__ void spmv_ell(float* y, const int* column, const float* value, const float* x, int rows,
                         int longest) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < longest; ++k) {
        const int at = column[k * rows + row];
        if (at >= 0) sum += value[k * rows + row] * x[at];
    }
    y[row] = sum;
}
EXAMPLE(spmv_ell) {
    const Sparse a = sparse();
    const int rows = a.matrix->rows, longest = 24;
    std::vector<int> columns(static_cast<std::size_t>(rows) * longest, -1);
    std::vector<float> values(columns.size());
    for (int row = 0; row < rows; ++row) {
        const auto r = static_cast<std::size_t>(row);
        for (int k = a.matrix->start[r]; k < a.matrix->start[r + 1]; ++k) {
            const auto to = static_cast<std::size_t>((k - a.matrix->start[r]) * rows + row);
            columns[to] = a.matrix->column[static_cast<std::size_t>(k)];
            values[to] = a.matrix->value[static_cast<std::size_t>(k)];
        }
    }
    const Buffer<int> column = columns;
    const Buffer<float> value = values;
    return {
        [=] { spmv_ell<<<rows / kThreads, kThreads>>>(a.y, column, value, a.x, rows, longest); },
        [=] { return a.check(); }};
}

// Multiplies a matrix in coordinate format (COO) by a vector, with one atomic addition per element.
__global__ void spmv_coo(float* y, const int* row, const int* column, const float* value,
                         const float* x, int count) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) atomicAdd(y + row[k], value[k] * x[column[k]]);
}
EXAMPLE(spmv_coo) {
    const Sparse a = sparse();
    const int count = static_cast<int>(a.column.size());
    std::vector<int> rows;
    for (int row = 0; row < a.matrix->rows; ++row)
        rows.resize(static_cast<std::size_t>(a.matrix->start[static_cast<std::size_t>(row) + 1]),
                    row);
    const Buffer<int> row = rows;
    return {[=] {
                spmv_coo<<<blocks_for(a.column.size(), kThreads), kThreads>>>(a.y, row, a.column,
                                                                              a.value, a.x, count);
            },
            [=] { return a.check(); }, [=] { a.y.restore(); }};
}

// Processes one level of a breadth-first search. Every vertex checks whether it is on the level.
__global__ void bfs_level(int* level, const int* start, const int* neighbour, int now,
                          int vertices) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] != now) return;
    for (int k = start[v]; k < start[v + 1]; ++k)
        if (level[neighbour[k]] < 0) level[neighbour[k]] = now + 1;
}
EXAMPLE(bfs_level) {
    const int vertices = pick(1 << 20, 1 << 13);
    const Csr graph(vertices, 8);
    const Buffer<int> start = graph.start, neighbour = graph.column;
    const Buffer<int> level = filled(vertices, [](std::size_t v) { return v % 16 == 0 ? 3 : -1; });
    std::vector<int> expected = level.start();
    for (std::size_t v = 0; v < expected.size(); v += 16)
        for (int k = graph.start[v]; k < graph.start[v + 1]; ++k) {
            int& other =
                expected[static_cast<std::size_t>(graph.column[static_cast<std::size_t>(k)])];
            if (other < 0) other = 4;
        }
    return {
        [=] { bfs_level<<<vertices / kThreads, kThreads>>>(level, start, neighbour, 3, vertices); },
        [=] { return compare(level, [&](std::size_t v) { return expected[v]; }); },
        [=] { level.restore(); }};
}

// Processes one level of a breadth-first search. Each vertex in a queue appends its unvisited
// neighbours to the next queue.
__global__ void bfs_frontier(int* next, int* next_size, int* level, const int* start,
                             const int* neighbour, const int* queue, int size, int now) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const int v = queue[i];
    for (int k = start[v]; k < start[v + 1]; ++k) {
        const int w = neighbour[k];
        if (atomicCAS(level + w, -1, now + 1) == -1) next[atomicAdd(next_size, 1)] = w;
    }
}
EXAMPLE(bfs_frontier) {
    const int vertices = pick(1 << 19, 1 << 12), size = vertices / 16;
    const Csr graph(vertices, 8);
    const Buffer<int> start = graph.start, neighbour = graph.column, next = zeros<int>(vertices),
                      next_size = zeros<int>(1);
    const Buffer<int> level = filled(vertices, [](std::size_t v) { return v % 16 == 0 ? 3 : -1; });
    const Buffer<int> queue = filled(size, [](std::size_t i) { return static_cast<int>(16 * i); });
    std::vector<char> is_reached(static_cast<std::size_t>(vertices));
    for (std::size_t v = 0; v < is_reached.size(); v += 16)
        for (int k = graph.start[v]; k < graph.start[v + 1]; ++k) {
            const int other = graph.column[static_cast<std::size_t>(k)];
            if (other % 16 != 0) is_reached[static_cast<std::size_t>(other)] = 1;
        }
    const auto reached = std::count(is_reached.begin(), is_reached.end(), 1);
    return {[=] {
                bfs_frontier<<<blocks_for(size, kThreads), kThreads>>>(
                    next, next_size, level, start, neighbour, queue, size, 3);
            },
            [=] { return compare(next_size, [=](std::size_t) { return reached; }); },
            [=] {
                level.restore();
                next_size.restore();
            }};
}

// Relaxes every edge: lowers the distance of its end vertex if the edge shortens the path.
__global__ void relax_edges(int* distance, const int* from, const int* to, const int* length,
                            int edges) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges) atomicMin(distance + to[e], distance[from[e]] + length[e]);
}
EXAMPLE(relax_edges) {
    const int vertices = pick(1 << 18, 1 << 11), edges = 8 * vertices;
    // All edges lead from even to odd vertices, so the result of one step is unique.
    const Buffer<int> from = filled(edges, [=](std::size_t e) {
        return static_cast<int>(noise(e, 1) % static_cast<unsigned>(vertices / 2)) * 2;
    });
    const Buffer<int> to = filled(edges, [=](std::size_t e) {
        return static_cast<int>(noise(e, 2) % static_cast<unsigned>(vertices / 2)) * 2 + 1;
    });
    const Buffer<int> length = integers(edges, 100, 3), distance = integers(vertices, 1000, 4);
    std::vector<int> expected = distance.start();
    for (std::size_t e = 0; e < from.size(); ++e) {
        int& there = expected[static_cast<std::size_t>(to.start(e))];
        there = std::min(there,
                         distance.start(static_cast<std::size_t>(from.start(e))) + length.start(e));
    }
    return {[=] { relax_edges<<<edges / kThreads, kThreads>>>(distance, from, to, length, edges); },
            [=] { return compare(distance, [&](std::size_t v) { return expected[v]; }); },
            [=] { distance.restore(); }};
}

// Performs a PageRank step.
__global__ void page_rank(float* next, const float* rank, const int* start, const int* source,
                          const int* degree, int pages) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pages) return;
    float sum = 0;
    for (int k = start[p]; k < start[p + 1]; ++k) sum += rank[source[k]] / degree[source[k]];
    next[p] = 0.15f + 0.85f * sum;
}
EXAMPLE(page_rank) {
    const int pages = pick(1 << 18, 1 << 11);
    const auto graph = std::make_shared<Csr>(pages, 8);
    const Buffer<int> start = graph->start, source = graph->column;
    const Buffer<int> degree =
        filled(pages, [](std::size_t p) { return 1 + static_cast<int>(noise(p, 7) % 9); });
    const Buffer<float> rank = floats(pages, 8), next = zeros<float>(pages);
    const auto expected = [=](std::size_t p) {
        return 0.15 +
               0.85 * sum_of(static_cast<std::size_t>(graph->start[p]),
                             static_cast<std::size_t>(graph->start[p + 1]), [&](std::size_t k) {
                                 const auto from = static_cast<std::size_t>(graph->column[k]);
                                 return rank.start(from) / static_cast<float>(degree.start(from));
                             });
    };
    return {[=] {
                page_rank<<<pages / kThreads, kThreads>>>(next, rank, start, source, degree, pages);
            },
            [=] { return compare(next, expected, 1e-4); }};
}

// Performs one step of the Floyd-Warshall algorithm for all-pairs shortest paths.
__global__ void floyd_step(int* distance, int through, int n) {
    const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
    const int detour = distance[from * n + through] + distance[through * n + to];
    if (detour < distance[from * n + to]) distance[from * n + to] = detour;
}
EXAMPLE(floyd_step) {
    const int n = pick(2048, 256), through = 5;
    const auto side = static_cast<std::size_t>(n);
    const Buffer<int> distance = filled(n * n, [=](std::size_t i) {
        return i / side == i % side ? 0 : static_cast<int>(noise(i) % 1000);
    });
    const auto expected = [=](std::size_t i) {
        return std::min(distance.start(i), distance.start(i / side * side + through) +
                                               distance.start(through * side + i % side));
    };
    return {[=] {
                floyd_step<<<dim3(static_cast<unsigned>(n / kThreads), static_cast<unsigned>(n)),
                             kThreads>>>(distance, through, n);
            },
            [=] { return compare(distance, expected); }, [=] { distance.restore(); }};
}

// Performs one step of Gaussian elimination: subtracts a multiple of the pivot row from each row
// below it.
__global__ void eliminate(float* matrix, const float* pivot_row, int n) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y + 1;
    if (col < 1 || col >= n) return;
    matrix[row * n + col] -= matrix[row * n] / pivot_row[0] * pivot_row[col];
}
EXAMPLE(eliminate) {
    const int n = pick(2048, 256);
    const auto side = static_cast<std::size_t>(n);
    const Buffer<float> matrix =
        filled(n * n, [](std::size_t i) { return 1 + static_cast<float>(noise(i) % 100) / 100; });
    const auto expected = [=](std::size_t i) {
        const std::size_t row = i / side, col = i % side;
        if (row == 0 || col == 0) return matrix.start(i);
        return matrix.start(i) - matrix.start(row * side) / matrix.start(0) * matrix.start(col);
    };
    const dim3 grid(static_cast<unsigned>(n / kThreads), static_cast<unsigned>(n - 1));
    return {[=] { eliminate<<<grid, kThreads>>>(matrix, matrix, n); },
            [=] { return compare(matrix, expected, 1e-4); }, [=] { matrix.restore(); }};
}

namespace {

float2 wave(std::size_t i) {
    return make_float2(static_cast<float>(noise(i, 1) % 100) / 100,
                       static_cast<float>(noise(i, 2) % 100) / 100);
}

/// Returns the real part of element k of the discrete Fourier transform of n values.
template <class F>
double real_part(std::size_t k, std::size_t n, F value) {
    return sum_of(0, n, [&](std::size_t j) {
        const double angle =
            -2 * 3.14159265358979 * static_cast<double>(j * k % n) / static_cast<double>(n);
        return value(j).x * std::cos(angle) - value(j).y * std::sin(angle);
    });
}

std::vector<float> real_parts(const Buffer<float2>& values) {
    std::vector<float> parts;
    for (const float2& v : values.read()) parts.push_back(v.x);
    return parts;
}

}  // namespace

// Performs one pass of FFT butterflies over all elements.
__global__ void fft_pass(float2* data, int half) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % half, a = i / half * 2 * half + k,
              b = a + half;
    float sine, cosine;
    sincospif(-static_cast<float>(k) / half, &sine, &cosine);
    const float2 u = data[a], v = data[b],
                 w = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
    data[a] = make_float2(u.x + w.x, u.y + w.y);
    data[b] = make_float2(u.x - w.x, u.y - w.y);
}
EXAMPLE(fft_pass) {
    const int n = pick(1 << 21, 1 << 14), half = 64;
    const auto data = filled(n, wave);
    const auto expected = [=](std::size_t i) {
        const std::size_t k = i % half, a = i / (2 * half) * 2 * half + k, b = a + half;
        const double angle = -3.14159265358979 * static_cast<double>(k) / half;
        const double turned = wave(b).x * std::cos(angle) - wave(b).y * std::sin(angle);
        return wave(a).x + (i % (2 * half) < half ? turned : -turned);
    };
    return {[=] { fft_pass<<<n / 2 / kThreads, kThreads>>>(data, half); },
            [=] { return compare(real_parts(data), expected, 1e-4); }, [=] { data.restore(); }};
}

// Computes an FFT of 256 values per block, with all passes in shared memory.
__global__ void fft_256(float2* data) {
    __shared__ float2 s[256];
    const int t = threadIdx.x;
    for (int k = t; k < 256; k += 128) s[__brev(k) >> 24] = data[blockIdx.x * 256 + k];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        const int k = t % half, a = t / half * 2 * half + k, b = a + half;
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);
        const float2 u = s[a], v = s[b],
                     w = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
        s[a] = make_float2(u.x + w.x, u.y + w.y);
        s[b] = make_float2(u.x - w.x, u.y - w.y);
        __syncthreads();
    }
    for (int k = t; k < 256; k += 128) data[blockIdx.x * 256 + k] = s[k];
}
EXAMPLE(fft_256) {
    const int n = pick(1 << 20, 1 << 13);
    const auto data = filled(n, wave);
    const auto expected = [=](std::size_t i) {
        return real_part(i % 256, 256, [=](std::size_t j) { return wave(i / 256 * 256 + j); });
    };
    return {[=] { fft_256<<<n / 256, 128>>>(data); },
            [=] { return compare(real_parts(data), expected, 1e-2, 3000); },
            [=] { data.restore(); }};
}

// Computes the discrete Fourier transform by definition, as a sum of n terms per frequency.
__global__ void dft_naive(float2* out, const float2* in, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    float2 sum = make_float2(0, 0);
    for (int j = 0; j < n; ++j) {
        float sine, cosine;
        sincospif(-2.0f * (j * k % n) / n, &sine, &cosine);
        const float2 v = in[j];
        sum.x += v.x * cosine - v.y * sine;
        sum.y += v.x * sine + v.y * cosine;
    }
    out[k] = sum;
}
EXAMPLE(dft_naive) {
    const int n = pick(4096, 256);
    const auto in = filled(n, wave), out = zeros<float2>(n);
    const auto expected = [=](std::size_t k) { return real_part(k, in.size(), wave); };
    return {[=] { dft_naive<<<n / 64, 64>>>(out, in, n); },
            [=] { return compare(real_parts(out), expected, 1e-2, 200); }};
}

// Performs one Haar wavelet step: stores averages at the front and differences at the back.
__global__ void haar_step(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 pair = reinterpret_cast<const float2*>(in)[i];
    out[i] = 0.5f * (pair.x + pair.y);
    out[n / 2 + i] = 0.5f * (pair.x - pair.y);
}
EXAMPLE(haar_step) {
    const int n = pick(1 << 23, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto half = static_cast<std::size_t>(n / 2);
    const auto expected = [=](std::size_t i) {
        const float a = in.start(i % half * 2), b = in.start(i % half * 2 + 1);
        return 0.5f * (i < half ? a + b : a - b);
    };
    return {[=] { haar_step<<<n / 2 / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, expected, 1e-6); }};
}

// Finds the nearest of sixteen centres for each point, the first half of a k-means step.
__global__ void nearest_centre(int* nearest, const float2* points, const float2* centres, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 p = points[i];
    float least = INFINITY;
    int best = 0;
    for (int c = 0; c < 16; ++c) {
        const float dx = p.x - centres[c].x, dy = p.y - centres[c].y, distance = dx * dx + dy * dy;
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}
EXAMPLE(nearest_centre) {
    const int n = pick(1 << 22, 1 << 14);
    const auto points = filled(n, wave),
               centres = filled(16, [](std::size_t c) { return wave(c + 1'000'000'000); });
    const Buffer<int> nearest = zeros<int>(n);
    return {[=] { nearest_centre<<<n / kThreads, kThreads>>>(nearest, points, centres, n); },
            [=] {
                const auto found = nearest.read();
                // If two centres are equally near, either is correct.
                return compare(found, [&](std::size_t i) {
                    const auto distance = [&](int c) {
                        const float2 p = points.start(i),
                                     q = centres.start(static_cast<std::size_t>(c));
                        return std::hypot(p.x - q.x, p.y - q.y);
                    };
                    for (int c = 0; c < 16; ++c)
                        if (distance(c) < distance(found[i]) - 1e-5f) return c;
                    return found[i];
                });
            }};
}

// Adds up the points of each cluster in shared memory, the second half of a k-means step.
__global__ void sums_of_clusters(float* sums, int* counts, const float2* points, const int* cluster,
                                 int n) {
    __shared__ float sx[16], sy[16];
    __shared__ int count[16];
    if (threadIdx.x < 16) {
        sx[threadIdx.x] = sy[threadIdx.x] = 0;
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int c = cluster[i];
        atomicAdd(sx + c, points[i].x);
        atomicAdd(sy + c, points[i].y);
        atomicAdd(count + c, 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(sums + 2 * threadIdx.x, sx[threadIdx.x]);
        atomicAdd(sums + 2 * threadIdx.x + 1, sy[threadIdx.x]);
        atomicAdd(counts + threadIdx.x, count[threadIdx.x]);
    }
}
EXAMPLE(sums_of_clusters) {
    const int n = pick(1 << 20, 1 << 13);
    const auto points = filled(n, wave);
    const Buffer<int> cluster = integers(n, 16), counts = zeros<int>(16);
    const Buffer<float> sums = zeros<float>(32);
    std::vector<double> expected(32);
    for (std::size_t i = 0; i < points.size(); ++i) {
        expected[2 * static_cast<std::size_t>(cluster.start(i))] += points.start(i).x;
        expected[2 * static_cast<std::size_t>(cluster.start(i)) + 1] += points.start(i).y;
    }
    return {
        [=] { sums_of_clusters<<<pick(528, 16), kThreads>>>(sums, counts, points, cluster, n); },
        [=] {
            return compare(
                sums, [&](std::size_t i) { return expected[i]; }, 1e-3);
        },
        [=] {
            sums.restore();
            counts.restore();
        }};
}

namespace {

Buffer<char> letters(int n) {
    return filled(n, [](std::size_t i) { return static_cast<char>('a' + noise(i) % 4); });
}

}  // namespace

// Compares the pattern with the four characters that start at each thread's index.
__constant__ char pattern[8];
__global__ void find_pattern(unsigned char* found, const char* text, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - 4) return;
    int k = 0;
    while (k < 4 && text[i + k] == pattern[k]) ++k;
    if (k == 4) found[i] = 1;
}
EXAMPLE(find_pattern) {
    const int n = pick(1 << 23, 1 << 15);
    const std::string wanted = "abca";
    require(cudaMemcpyToSymbol(pattern, wanted.data(), wanted.size()));
    const Buffer<char> text = letters(n);
    const auto found = zeros<unsigned char>(n);
    const auto expected = [=](std::size_t i) {
        return i + 4 <= text.size() &&
               std::equal(wanted.begin(), wanted.end(),
                          text.start().begin() + static_cast<std::ptrdiff_t>(i));
    };
    return {[=] { find_pattern<<<n / kThreads, kThreads>>>(found, text, n); },
            [=] { return compare(found, expected); }};
}

// Counts a letter in a text, with sixteen-byte loads.
__global__ void count_letter(int* count, const uint4* text, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint4 v = text[i];
        const unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int w = 0; w < 4; ++w)
            for (int b = 0; b < 32; b += 8) mine += (words[w] >> b & 255) == 'c';
    }
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}
EXAMPLE(count_letter) {
    const int n = pick(1 << 25, 1 << 16);
    const Buffer<char> text = letters(n);
    const Buffer<int> count = zeros<int>(1);
    const auto expected = std::count(text.start().begin(), text.start().end(), 'c');
    return {[=] {
                count_letter<<<pick(1056, 16), kThreads>>>(
                    count, reinterpret_cast<const uint4*>(text.get()), n / 16);
            },
            [=] { return compare(count, [=](std::size_t) { return expected; }); },
            [=] { count.restore(); }};
}

// Computes edit distances. Each block fills the table for one pair of words along diagonals.
__global__ void edit_distance(int* out, const char* words) {
    __shared__ int table[33][33];
    const char *a = words + blockIdx.x * 64, *b = a + 32;
    const int t = threadIdx.x;
    table[0][t] = t;
    table[t][0] = t;
    if (t == 0) table[0][32] = table[32][0] = 32;
    __syncwarp();
    for (int diagonal = 0; diagonal < 63; ++diagonal) {
        const int row = t + 1, col = diagonal - t + 1;
        if (col >= 1 && col <= 32) {
            const int replaced = table[row - 1][col - 1] + (a[row - 1] != b[col - 1]);
            table[row][col] = min(replaced, min(table[row - 1][col], table[row][col - 1]) + 1);
        }
        __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = table[32][32];
}
EXAMPLE(edit_distance) {
    const int pairs = pick(16384, 128);
    const Buffer<char> words = letters(64 * pairs);
    const Buffer<int> out = zeros<int>(pairs);
    const auto expected = [=](std::size_t pair) {
        const char* a = words.start().data() + pair * 64;
        int table[33][33];
        for (int k = 0; k <= 32; ++k) table[0][k] = table[k][0] = k;
        for (int r = 1; r <= 32; ++r)
            for (int c = 1; c <= 32; ++c)
                table[r][c] = std::min({table[r - 1][c - 1] + (a[r - 1] != a[32 + c - 1]),
                                        table[r - 1][c] + 1, table[r][c - 1] + 1});
        return table[32][32];
    };
    return {[=] { edit_distance<<<pairs, 32>>>(out, words); },
            [=] { return compare(out, expected, 0, 2000); }};
}
