// Stencils in one, two and three dimensions, and the equations that they solve.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256, kRadius = 3;

/// Compares `out` with the sums over 2 * kRadius + 1 neighbours, wherever all of them exist.
template <class T>
std::string compare_sums(const Buffer<T>& out, const Buffer<T>& in, int n, double tolerance) {
    return compare(
        out,
        [&](std::size_t i) {
            const int at = static_cast<int>(i);
            if (at < kRadius || at >= n - kRadius) return 0.0;
            return sum_of(i - kRadius, i + kRadius + 1, [&](std::size_t k) { return in.start(k); });
        },
        tolerance);
}

/// A plane of `side` x `side` points. The kernels leave its border unchanged.
struct Plane {
    int side;
    dim3 grid(dim3 block) const {
        return dim3(static_cast<unsigned>(blocks_for(side, static_cast<int>(block.x))),
                    static_cast<unsigned>(blocks_for(side, static_cast<int>(block.y))));
    }
    bool is_border(std::size_t i) const {
        const auto n = static_cast<std::size_t>(side);
        return i / n == 0 || i / n == n - 1 || i % n == 0 || i % n == n - 1;
    }
};

/// Returns an example that runs kernel(out, in, side), where `expected(in, i, side)` returns the
/// new value of an inner point.
template <class Kernel, class F>
Example plane_step(Kernel kernel, dim3 block, F expected) {
    const Plane plane{pick(3072, 192)};
    const Buffer<float> in = floats(plane.side * plane.side),
                        out = zeros<float>(plane.side * plane.side);
    const auto value = [=](std::size_t i) {
        return plane.is_border(i) ? 0.0f : expected(in.start().data() + i, plane.side);
    };
    return {[=] { kernel<<<plane.grid(block), block>>>(out.get(), in.get(), plane.side); },
            [=] { return compare(out, value, 1e-5); }};
}

float average(const float* p, int side) {
    return 0.25f * (p[-1] + p[1] + p[-side] + p[side]);
}

}  // namespace

// Applies a one-dimensional stencil of radius 3, reading from global memory.
__global__ void stencil_1d(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kRadius || i >= n - kRadius) return;
    float sum = 0;
    for (int k = -kRadius; k <= kRadius; ++k) sum += in[i + k];
    out[i] = sum;
}
EXAMPLE(stencil_1d) {
    const int n = pick(1 << 23, 1 << 17);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    return {[=] { stencil_1d<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare_sums(out, in, n, 1e-5); }};
}

// Applies the one-dimensional stencil, reading from shared memory with a halo.
__global__ void stencil_1d_shared(float* out, const float* in, int n) {
    __shared__ float s[kThreads + 2 * kRadius];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + kRadius;
    s[at] = in[i];
    if (threadIdx.x < kRadius) {
        s[at - kRadius] = i >= kRadius ? in[i - kRadius] : 0.0f;
        s[at + kThreads] = i + kThreads < n ? in[i + kThreads] : 0.0f;
    }
    __syncthreads();
    if (i < kRadius || i >= n - kRadius) return;
    float sum = 0;
    for (int k = -kRadius; k <= kRadius; ++k) sum += s[at + k];
    out[i] = sum;
}
EXAMPLE(stencil_1d_shared) {
    const int n = pick(1 << 23, 1 << 17);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    return {[=] { stencil_1d_shared<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare_sums(out, in, n, 1e-5); }};
}

// Applies the one-dimensional stencil to doubles.
__global__ void stencil_1d_double(double* out, const double* in, int n) {
    __shared__ double s[kThreads + 2 * kRadius];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + kRadius;
    s[at] = in[i];
    if (threadIdx.x < kRadius) {
        s[at - kRadius] = i >= kRadius ? in[i - kRadius] : 0.0;
        s[at + kThreads] = i + kThreads < n ? in[i + kThreads] : 0.0;
    }
    __syncthreads();
    if (i < kRadius || i >= n - kRadius) return;
    double sum = 0;
    for (int k = -kRadius; k <= kRadius; ++k) sum += s[at + k];
    out[i] = sum;
}
EXAMPLE(stencil_1d_double) {
    const int n = pick(1 << 22, 1 << 16);
    const Buffer<double> in = doubles(n), out = zeros<double>(n);
    return {[=] { stencil_1d_double<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare_sums(out, in, n, 1e-12); }};
}

// Slides a window of three registers over eight points per thread.
__global__ void stencil_1d_window(float* out, const float* in, int n) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8 + 1;
    if (first + 8 >= n) return;
    float left = in[first - 1], middle = in[first];
    for (int k = 0; k < 8; ++k) {
        const float right = in[first + k + 1];
        out[first + k] = 0.25f * left + 0.5f * middle + 0.25f * right;
        left = middle;
        middle = right;
    }
}
EXAMPLE(stencil_1d_window) {
    const int n = pick(1 << 23, 1 << 17);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        const bool is_done = i > 0 && (i - 1) / 8 * 8 + 9 < static_cast<std::size_t>(n);
        return is_done ? 0.25f * in.start(i - 1) + 0.5f * in.start(i) + 0.25f * in.start(i + 1)
                       : 0.0f;
    };
    return {[=] { stencil_1d_window<<<n / 8 / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, expected, 1e-6); }};
}

// Computes central differences.
__global__ void derivative(float* out, const float* in, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = (in[i + 1] - in[i - 1]) * scale;
}
EXAMPLE(derivative) {
    const int n = pick(1 << 23, 1 << 17);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        return i > 0 && i + 1 < in.size() ? (in.start(i + 1) - in.start(i - 1)) * 0.5f : 0.0f;
    };
    return {[=] { derivative<<<n / kThreads, kThreads>>>(out, in, 0.5f, n); },
            [=] { return compare(out, expected, 1e-6); }};
}

// Performs a Jacobi step: each point becomes the average of its four neighbours.
__global__ void jacobi_2d(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    const float* p = in + y * side + x;
    out[y * side + x] = 0.25f * (p[-1] + p[1] + p[-side] + p[side]);
}
EXAMPLE(jacobi_2d) {
    return plane_step(jacobi_2d, dim3(32, 8), average);
}

// Performs a Jacobi step with square blocks of 16 x 16 threads.
__global__ void jacobi_2d_square(float* out, const float* in, int side) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y,
              i = y * side + x;
    if (x > 0 && y > 0 && x < side - 1 && y < side - 1)
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
}
EXAMPLE(jacobi_2d_square) {
    return plane_step(jacobi_2d_square, dim3(16, 16), average);
}

// Performs a Jacobi step on a tile that is loaded into shared memory together with its halo.
__global__ void jacobi_2d_shared(float* out, const float* in, int side) {
    __shared__ float s[18][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y,
              i = y * side + x;
    s[ty][tx] = in[i];
    if (threadIdx.x == 0 && x > 0) s[ty][0] = in[i - 1];
    if (threadIdx.x == 31 && x < side - 1) s[ty][33] = in[i + 1];
    if (threadIdx.y == 0 && y > 0) s[0][tx] = in[i - side];
    if (threadIdx.y == 15 && y < side - 1) s[17][tx] = in[i + side];
    __syncthreads();
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    out[i] = 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
EXAMPLE(jacobi_2d_shared) {
    return plane_step(jacobi_2d_shared, dim3(32, 16), average);
}

// Performs a Jacobi step. Threads move down columns, with three rows of their column in registers.
__global__ void jacobi_2d_marching(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 32;
    if (x < 1 || x >= side - 1) return;
    float above = first > 0 ? in[(first - 1) * side + x] : 0.0f, here = in[first * side + x];
    for (int y = first; y < first + 32; ++y) {
        const float below = y < side - 1 ? in[(y + 1) * side + x] : 0.0f;
        if (y > 0 && y < side - 1)
            out[y * side + x] =
                0.25f * (in[y * side + x - 1] + in[y * side + x + 1] + above + below);
        above = here;
        here = below;
    }
}
EXAMPLE(jacobi_2d_marching) {
    const Plane plane{pick(3072, 192)};
    const Buffer<float> in = floats(plane.side * plane.side),
                        out = zeros<float>(plane.side * plane.side);
    const auto value = [=](std::size_t i) {
        return plane.is_border(i) ? 0.0f : average(in.start().data() + i, plane.side);
    };
    const dim3 grid(static_cast<unsigned>(plane.side / 64), static_cast<unsigned>(plane.side / 32));
    return {[=] { jacobi_2d_marching<<<grid, 64>>>(out, in, plane.side); },
            [=] { return compare(out, value, 1e-5); }};
}

// Performs a Jacobi step with four points per thread.
__global__ void jacobi_2d_float4(float* out, const float* in, int side) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4,
              y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < 1 || y >= side - 1) return;
    const float* p = in + y * side + x;
    const float4 above = *reinterpret_cast<const float4*>(p - side),
                 below = *reinterpret_cast<const float4*>(p + side);
    const float4 here = *reinterpret_cast<const float4*>(p);
    const float left = x > 0 ? p[-1] : 0.0f, right = x + 4 < side ? p[4] : 0.0f;
    float4 v;
    v.x = x > 0 ? 0.25f * (left + here.y + above.x + below.x) : 0.0f;
    v.y = 0.25f * (here.x + here.z + above.y + below.y);
    v.z = 0.25f * (here.y + here.w + above.z + below.z);
    v.w = x + 4 < side ? 0.25f * (here.z + right + above.w + below.w) : 0.0f;
    *reinterpret_cast<float4*>(out + y * side + x) = v;
}
EXAMPLE(jacobi_2d_float4) {
    const Plane plane{pick(3072, 256)};
    const Buffer<float> in = floats(plane.side * plane.side),
                        out = zeros<float>(plane.side * plane.side);
    const auto value = [=](std::size_t i) {
        return plane.is_border(i) ? 0.0f : average(in.start().data() + i, plane.side);
    };
    const dim3 grid(static_cast<unsigned>(plane.side / 128), static_cast<unsigned>(plane.side / 8));
    return {[=] { jacobi_2d_float4<<<grid, dim3(32, 8)>>>(out, in, plane.side); },
            [=] { return compare(out, value, 1e-5); }};
}

// Applies a nine-point stencil with weights from constant memory.
__constant__ float weights[9];
__global__ void stencil_nine_points(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += weights[(dy + 1) * 3 + dx + 1] * in[(y + dy) * side + x + dx];
    out[y * side + x] = sum;
}
EXAMPLE(stencil_nine_points) {
    static const float chosen[9] = {0.05f, 0.1f, 0.05f, 0.1f, 0.4f, 0.1f, 0.05f, 0.1f, 0.05f};
    require(cudaMemcpyToSymbol(weights, chosen, sizeof chosen));
    return plane_step(stencil_nine_points, dim3(32, 8), [](const float* p, int side) {
        float sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                sum += chosen[(dy + 1) * 3 + dx + 1] * p[dy * side + dx];
        return sum;
    });
}

// Computes a heat step from the old values and the Laplacian.
__global__ void heat_2d(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < side - 1 && y < side - 1) {
        const int i = y * side + x;
        const float laplacian = in[i - 1] + in[i + 1] + in[i - side] + in[i + side] - 4 * in[i];
        out[i] = in[i] + 0.1f * laplacian;
    }
}
EXAMPLE(heat_2d) {
    return plane_step(heat_2d, dim3(32, 32), [](const float* p, int side) {
        return p[0] + 0.1f * (p[-1] + p[1] + p[-side] + p[side] - 4 * p[0]);
    });
}

// Performs the red half of a red-black Gauss-Seidel step, which updates every other point in
// place.
__global__ void gauss_seidel_red(float* grid, int side) {
    const int y = blockIdx.y * blockDim.y + threadIdx.y,
              x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + y % 2;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    float* p = grid + y * side + x;
    p[0] = 0.25f * (p[-1] + p[1] + p[-side] + p[side]);
}
EXAMPLE(gauss_seidel_red) {
    const Plane plane{pick(3072, 192)};
    const Buffer<float> grid = floats(plane.side * plane.side);
    const auto value = [=](std::size_t i) {
        const auto n = static_cast<std::size_t>(plane.side);
        const bool is_red = (i / n + i % n) % 2 == 0;
        return plane.is_border(i) || !is_red ? grid.start(i)
                                             : average(grid.start().data() + i, plane.side);
    };
    const dim3 blocks(static_cast<unsigned>(plane.side / 64),
                      static_cast<unsigned>(plane.side / 8));
    return {[=] { gauss_seidel_red<<<blocks, dim3(32, 8)>>>(grid, plane.side); },
            [=] { return compare(grid, value, 1e-5); }, [=] { grid.restore(); }};
}

// Computes a wave step from the two previous time steps.
__global__ void wave_2d(float* next, const float* now, const float* before, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    const int i = y * side + x;
    const float laplacian = now[i - 1] + now[i + 1] + now[i - side] + now[i + side] - 4.0f * now[i];
    next[i] = 2.0f * now[i] - before[i] + 0.2f * laplacian;
}
EXAMPLE(wave_2d) {
    const Plane plane{pick(2560, 192)};
    const int points = plane.side * plane.side;
    const Buffer<float> now = floats(points), before = floats(points, 2),
                        next = zeros<float>(points);
    const auto value = [=](std::size_t i) {
        if (plane.is_border(i)) return 0.0f;
        const float* p = now.start().data() + i;
        return 2 * p[0] - before.start(i) + 0.2f * (4 * average(p, plane.side) - 4 * p[0]);
    };
    const dim3 block(32, 8);
    return {[=] { wave_2d<<<plane.grid(block), block>>>(next, now, before, plane.side); },
            [=] { return compare(next, value, 1e-4); }};
}

namespace {

/// A cube of points. The kernels leave its border unchanged.
struct Cube {
    int side;
    std::size_t points() const { return static_cast<std::size_t>(side) * side * side; }
    bool is_inner(std::size_t i, int radius) const {
        const int n = side, x = static_cast<int>(i % n), y = static_cast<int>(i / n % n),
                  z = static_cast<int>(i / n / n);
        return std::min({x, y, z}) >= radius && std::max({x, y, z}) < n - radius;
    }
};

float neighbours_3d(const float* p, int side, int distance) {
    return p[-distance] + p[distance] + p[-side * distance] + p[side * distance] +
           p[-side * side * distance] + p[side * side * distance];
}

}  // namespace

// Applies a seven-point stencil in a cube, with one thread per point.
__global__ void laplace_3d(float* out, const float* in, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    const int i = (z * n + y) * n + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - n * n] + in[i + n * n] -
             6.0f * in[i];
}
EXAMPLE(laplace_3d) {
    const Cube cube{pick(224, 64)};
    const Buffer<float> in = floats(cube.points()), out = zeros<float>(cube.points());
    const auto value = [=](std::size_t i) {
        const float* p = in.start().data() + i;
        return cube.is_inner(i, 1) ? neighbours_3d(p, cube.side, 1) - 6 * p[0] : 0.0f;
    };
    const auto n = static_cast<unsigned>(cube.side);
    return {[=] { laplace_3d<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(out, in, cube.side); },
            [=] { return compare(out, value, 1e-4); }};
}

// Applies the seven-point stencil. Blocks move through the planes, with one plane in shared memory.
__global__ void laplace_3d_planes(float* out, const float* in, int n) {
    __shared__ float s[10][34];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, plane = n * n;
    int i = y * n + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < n - 1; ++z) {
        i += plane;
        const float above = in[i + plane];
        s[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0) s[ty][0] = in[i - 1];
        if (threadIdx.x == 31 && x < n - 1) s[ty][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0) s[0][tx] = in[i - n];
        if (threadIdx.y == 7 && y < n - 1) s[9][tx] = in[i + n];
        __syncthreads();
        if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
            out[i] = s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above -
                     6.0f * here;
        __syncthreads();
        below = here;
        here = above;
    }
}
EXAMPLE(laplace_3d_planes) {
    const Cube cube{pick(256, 64)};
    const Buffer<float> in = floats(cube.points()), out = zeros<float>(cube.points());
    const auto value = [=](std::size_t i) {
        const float* p = in.start().data() + i;
        return cube.is_inner(i, 1) ? neighbours_3d(p, cube.side, 1) - 6 * p[0] : 0.0f;
    };
    const auto n = static_cast<unsigned>(cube.side);
    return {[=] { laplace_3d_planes<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out, in, cube.side); },
            [=] { return compare(out, value, 1e-4); }};
}

// Applies a 25-point stencil, with four neighbours in each of six directions.
__constant__ float reach[5];
__global__ void stencil_3d_radius_4(float* out, const float* in, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z;
    if (x < 4 || y < 4 || z < 4 || x >= n - 4 || y >= n - 4 || z >= n - 4) return;
    const int i = (z * n + y) * n + x;
    float sum = reach[0] * in[i];
#pragma unroll
    for (int k = 1; k <= 4; ++k)
        sum += reach[k] * (in[i - k] + in[i + k] + in[i - k * n] + in[i + k * n] +
                           in[i - k * n * n] + in[i + k * n * n]);
    out[i] = sum;
}
EXAMPLE(stencil_3d_radius_4) {
    static const float chosen[5] = {0.5f, 0.05f, 0.02f, 0.01f, 0.005f};
    require(cudaMemcpyToSymbol(reach, chosen, sizeof chosen));
    const Cube cube{pick(192, 64)};
    const Buffer<float> in = floats(cube.points()), out = zeros<float>(cube.points());
    const auto value = [=](std::size_t i) {
        if (!cube.is_inner(i, 4)) return 0.0f;
        float sum = chosen[0] * in.start(i);
        for (int k = 1; k <= 4; ++k)
            sum += chosen[k] * neighbours_3d(in.start().data() + i, cube.side, k);
        return sum;
    };
    const auto n = static_cast<unsigned>(cube.side);
    return {
        [=] { stencil_3d_radius_4<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(out, in, cube.side); },
        [=] { return compare(out, value, 1e-4); }};
}

namespace {

int life_after(const unsigned char* p, int side) {
    const int alive =
        p[-side - 1] + p[-side] + p[-side + 1] + p[-1] + p[1] + p[side - 1] + p[side] + p[side + 1];
    return alive == 3 || (alive == 2 && p[0]);
}

/// Returns an example that runs kernel(out, in, side) on cells of one byte each.
template <class Kernel>
Example life(Kernel kernel, dim3 block) {
    const Plane plane{pick(4096, 256)};
    const auto in = integers<unsigned char>(plane.side * plane.side, 2);
    const auto out = zeros<unsigned char>(plane.side * plane.side);
    const auto value = [=](std::size_t i) {
        return plane.is_border(i) ? 0 : life_after(in.start().data() + i, plane.side);
    };
    return {[=] { kernel<<<plane.grid(block), block>>>(out.get(), in.get(), plane.side); },
            [=] { return compare(out, value); }};
}

}  // namespace

// Computes one generation of Conway's Game of Life with one byte per cell.
__global__ void game_of_life(unsigned char* out, const unsigned char* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0) alive += in[(y + dy) * side + x + dx];
    out[y * side + x] = alive == 3 || (alive == 2 && in[y * side + x]);
}
EXAMPLE(game_of_life) {
    return life(game_of_life, dim3(32, 8));
}

// Computes one generation of Conway's Game of Life with a tile in shared memory.
__global__ void game_of_life_shared(unsigned char* out, const unsigned char* in, int side) {
    __shared__ unsigned char s[18][34];
    const int left = blockIdx.x * 32 - 1, top = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512) {
        const int x = left + k % 34, y = top + k / 34;
        s[k / 34][k % 34] = x >= 0 && y >= 0 && x < side && y < side ? in[y * side + x] : 0;
    }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    const int alive = s[ty - 1][tx - 1] + s[ty - 1][tx] + s[ty - 1][tx + 1] + s[ty][tx - 1] +
                      s[ty][tx + 1] + s[ty + 1][tx - 1] + s[ty + 1][tx] + s[ty + 1][tx + 1];
    out[y * side + x] = alive == 3 || (alive == 2 && s[ty][tx]);
}
EXAMPLE(game_of_life_shared) {
    return life(game_of_life_shared, dim3(32, 16));
}
