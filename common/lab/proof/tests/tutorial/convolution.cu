// Convolutions and image kernels.
// Long: many small kernels on one theme, each with an example that checks it.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256, kTaps = 9, kHalf = kTaps / 2;

__constant__ float taps[kTaps];
__constant__ float taps_2d[25];

float tap(int k) {
    return 1.0f / static_cast<float>(2 + std::abs(k - kHalf));
}
float tap_2d(int k) {
    return 0.01f * static_cast<float>(1 + k % 7);
}

void set_taps() {
    float row[kTaps], square[25];
    for (int k = 0; k < kTaps; ++k) row[k] = tap(k);
    for (int k = 0; k < 25; ++k) square[k] = tap_2d(k);
    require(cudaMemcpyToSymbol(taps, row, sizeof row));
    require(cudaMemcpyToSymbol(taps_2d, square, sizeof square));
}

/// An image with pixels of type T.
template <class T>
struct Image {
    int width, height;
    Buffer<T> pixels;
    T at(int x, int y) const { return pixels.start(static_cast<std::size_t>(y) * width + x); }
    bool has(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
};

Image<float> image(int width, int height) {
    return {width, height, floats(static_cast<std::size_t>(width) * height)};
}

dim3 grid_for(int width, int height, dim3 block) {
    return dim3(static_cast<unsigned>(blocks_for(width, static_cast<int>(block.x))),
                static_cast<unsigned>(blocks_for(height, static_cast<int>(block.y))));
}

/// Creates an example that launches a one-dimensional kernel(out, in, n).
template <class Kernel>
Example line_filter(Kernel kernel) {
    set_taps();
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        float sum = 0;
        for (int k = 0; k < kTaps; ++k) {
            const int at = static_cast<int>(i) + k - kHalf;
            if (at >= 0 && at < n) sum += tap(k) * in.start(static_cast<std::size_t>(at));
        }
        return sum;
    };
    return {[=] { kernel<<<n / kThreads, kThreads>>>(out.get(), in.get(), n); },
            [=] { return compare(out, expected, 1e-5); }};
}

/// Creates an example that launches kernel(out, in, width, height). The expected value of pixel (x,
/// y) is expected(image, x, y).
template <class Kernel, class F>
Example image_filter(Kernel kernel, int side, dim3 tile, dim3 block, F expected,
                     double tolerance = 1e-4) {
    set_taps();
    const Image<float> in = image(side, side);
    const Buffer<float> out = zeros<float>(in.pixels.size());
    const auto value = [=](std::size_t i) {
        return expected(in, static_cast<int>(i % in.width), static_cast<int>(i / in.width));
    };
    return {[=] {
                kernel<<<grid_for(side, side, tile), block>>>(out.get(), in.pixels.get(), side,
                                                              side);
            },
            [=] { return compare(out, value, tolerance, 60000); }};
}

float filtered_5x5(const Image<float>& in, int x, int y) {
    float sum = 0;
    for (int k = 0; k < 25; ++k) {
        const int ix = x + k % 5 - 2, iy = y + k / 5 - 2;
        if (in.has(ix, iy)) sum += tap_2d(k) * in.at(ix, iy);
    }
    return sum;
}

/// Returns the pixel at (x, y), or the nearest pixel at the border.
float clamped(const Image<float>& in, int x, int y) {
    return in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1));
}

}  // namespace

// Convolves in one dimension, reading the mask from global memory through the cache.
__global__ void convolution_1d(float* out, const float* in, const float* mask, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) {
        const int at = i + k - kHalf;
        if (at >= 0 && at < n) sum += mask[k] * in[at];
    }
    if (i < n) out[i] = sum;
}
EXAMPLE(convolution_1d) {
    const Buffer<float> mask =
        filled(kTaps, [](std::size_t k) { return tap(static_cast<int>(k)); });
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        float sum = 0;
        for (int k = 0; k < kTaps; ++k) {
            const int at = static_cast<int>(i) + k - kHalf;
            if (at >= 0 && at < n) sum += tap(k) * in.start(static_cast<std::size_t>(at));
        }
        return sum;
    };
    return {[=] { convolution_1d<<<n / kThreads, kThreads>>>(out, in, mask, n); },
            [=] { return compare(out, expected, 1e-5); }};
}

// Convolves in one dimension, with the mask in constant memory.
__global__ void convolution_1d_constant(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) {
        const int at = i + k - kHalf;
        if (at >= 0 && at < n) sum += taps[k] * in[at];
    }
    out[i] = sum;
}
EXAMPLE(convolution_1d_constant) {
    return line_filter(convolution_1d_constant);
}

// Convolves in one dimension, with a tile and its halo in shared memory.
__global__ void convolution_1d_halo(float* out, const float* in, int n) {
    __shared__ float s[kThreads + 2 * kHalf];
    const int i = blockIdx.x * kThreads + threadIdx.x, t = threadIdx.x;
    s[t + kHalf] = in[i];
    if (t < kHalf) s[t] = i >= kHalf ? in[i - kHalf] : 0.0f;
    if (t >= kThreads - kHalf) s[t + 2 * kHalf] = i + kHalf < n ? in[i + kHalf] : 0.0f;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += taps[k] * s[t + k];
    out[i] = sum;
}
EXAMPLE(convolution_1d_halo) {
    return line_filter(convolution_1d_halo);
}

// Convolves in one dimension, and reads the halo through the cache.
__global__ void convolution_1d_cached_halo(float* out, const float* in, int n) {
    __shared__ float s[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x, first = blockIdx.x * kThreads;
    s[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) {
        const int at = i + k - kHalf;
        if (at < 0 || at >= n) continue;
        sum += taps[k] * (at >= first && at < first + kThreads ? s[at - first] : in[at]);
    }
    out[i] = sum;
}
EXAMPLE(convolution_1d_cached_halo) {
    return line_filter(convolution_1d_cached_halo);
}

// Convolves in two dimensions, with a 5 x 5 mask.
__global__ void convolution_2d(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int r = 0; r < 5; ++r) {
        for (int c = 0; c < 5; ++c) {
            const int ix = x + c - 2, iy = y + r - 2;
            if (ix >= 0 && iy >= 0 && ix < width && iy < height)
                sum += taps_2d[r * 5 + c] * in[iy * width + ix];
        }
    }
    out[y * width + x] = sum;
}
EXAMPLE(convolution_2d) {
    return image_filter(convolution_2d, pick(1024, 128), dim3(16, 16), dim3(16, 16), filtered_5x5);
}

// Convolves with one thread per element of the input tile. Only the inner threads produce results.
__global__ void convolution_2d_input_tile(float* out, const float* in, int width, int height) {
    __shared__ float s[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 28 + tx - 2,
              y = blockIdx.y * 28 + ty - 2;
    const bool is_inside = x >= 0 && y >= 0 && x < width && y < height;
    s[ty][tx] = is_inside ? in[y * width + x] : 0.0f;
    __syncthreads();
    if (!is_inside || tx < 2 || ty < 2 || tx >= 30 || ty >= 30) return;
    float sum = 0;
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c) sum += taps_2d[r * 5 + c] * s[ty + r - 2][tx + c - 2];
    out[y * width + x] = sum;
}
EXAMPLE(convolution_2d_input_tile) {
    return image_filter(convolution_2d_input_tile, pick(1024, 128), dim3(28, 28), dim3(32, 32),
                        filtered_5x5);
}

// Convolves with one thread per element of the output tile. The threads load the halo in a loop.
__global__ void convolution_2d_output_tile(float* out, const float* in, int width, int height) {
    __shared__ float s[20][20];
    const int left = blockIdx.x * 16 - 2, top = blockIdx.y * 16 - 2;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 400; k += 256) {
        const int x = left + k % 20, y = top + k / 20;
        s[k / 20][k % 20] = x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 5; ++c) sum += taps_2d[r * 5 + c] * s[threadIdx.y + r][threadIdx.x + c];
    out[(top + 2 + threadIdx.y) * width + left + 2 + threadIdx.x] = sum;
}
EXAMPLE(convolution_2d_output_tile) {
    return image_filter(convolution_2d_output_tile, pick(1024, 128), dim3(16, 16), dim3(16, 16),
                        filtered_5x5);
}

// Applies a separable filter to the rows.
__global__ void convolution_rows(float* out, const float* in, int width, int) {
    __shared__ float s[4][64 + 2 * kHalf];
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, tx = threadIdx.x;
    float* row = s[threadIdx.y];
    row[tx + kHalf] = in[y * width + x];
    if (tx < kHalf) {
        row[tx] = x >= kHalf ? in[y * width + x - kHalf] : 0.0f;
        row[tx + 64 + kHalf] = x + 64 < width ? in[y * width + x + 64] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k) sum += taps[k] * row[tx + k];
    out[y * width + x] = sum;
}
EXAMPLE(convolution_rows) {
    return image_filter(convolution_rows, pick(2048, 128), dim3(64, 4), dim3(64, 4),
                        [](const Image<float>& in, int x, int y) {
                            float sum = 0;
                            for (int k = 0; k < kTaps; ++k)
                                if (in.has(x + k - kHalf, y))
                                    sum += tap(k) * in.at(x + k - kHalf, y);
                            return sum;
                        });
}

// Applies a separable filter to the columns.
__global__ void convolution_columns(float* out, const float* in, int width, int height) {
    __shared__ float s[16 + 2 * kHalf][32];
    const int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 16 - kHalf;
    for (int r = threadIdx.y; r < 16 + 2 * kHalf; r += 8)
        s[r][threadIdx.x] = top + r >= 0 && top + r < height ? in[(top + r) * width + x] : 0.0f;
    __syncthreads();
    for (int r = threadIdx.y; r < 16; r += 8) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < kTaps; ++k) sum += taps[k] * s[r + k][threadIdx.x];
        out[(top + kHalf + r) * width + x] = sum;
    }
}
EXAMPLE(convolution_columns) {
    return image_filter(convolution_columns, pick(2048, 128), dim3(32, 16), dim3(32, 8),
                        [](const Image<float>& in, int x, int y) {
                            float sum = 0;
                            for (int k = 0; k < kTaps; ++k)
                                if (in.has(x, y + k - kHalf))
                                    sum += tap(k) * in.at(x, y + k - kHalf);
                            return sum;
                        });
}

// Computes a convolutional layer with eight input channels and one thread per output.
__global__ void convolution_layer(float* out, const float* in, const float* mask, int side,
                                  int channels) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              o = blockIdx.z;
    const int inner = side - 2;
    if (x >= inner || y >= inner) return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k)
                sum += in[(c * side + y + r) * side + x + k] *
                       mask[((o * channels + c) * 3 + r) * 3 + k];
    out[(o * inner + y) * inner + x] = sum;
}
EXAMPLE(convolution_layer) {
    const int side = pick(258, 34), channels = 8, outputs = 16, inner = side - 2;
    const Buffer<float> in = floats(channels * side * side),
                        mask = floats(outputs * channels * 9, 2),
                        out = zeros<float>(outputs * inner * inner);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % inner, y = static_cast<int>(i) / inner % inner,
                  o = static_cast<int>(i) / inner / inner;
        double sum = 0;
        for (int k = 0; k < channels * 9; ++k) {
            const int at = (k / 9 * side + y + k / 3 % 3) * side + x + k % 3;
            sum += double{in.start(static_cast<std::size_t>(at))} *
                   double{mask.start(static_cast<std::size_t>(o * channels * 9 + k))};
        }
        return sum;
    };
    const dim3 block(32, 8), blocks = grid_for(inner, inner, block);
    return {[=] {
                convolution_layer<<<dim3(blocks.x, blocks.y, outputs), block>>>(out, in, mask, side,
                                                                                channels);
            },
            [=] { return compare(out, expected, 1e-4, 20000); }};
}

// Takes the maximum of each group of 2 x 2 pixels.
__global__ void max_pool(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float* p = in + (blockIdx.z * side + 2 * y) * side + 2 * x;
    out[(blockIdx.z * (side / 2) + y) * (side / 2) + x] =
        fmaxf(fmaxf(p[0], p[1]), fmaxf(p[side], p[side + 1]));
}
EXAMPLE(max_pool) {
    const int side = pick(512, 64), channels = pick(32, 4), half = side / 2;
    const Buffer<float> in = floats(channels * side * side),
                        out = zeros<float>(channels * half * half);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % half, y = static_cast<int>(i) / half % half,
                  c = static_cast<int>(i) / half / half;
        const float* p = in.start().data() + (c * side + 2 * y) * side + 2 * x;
        return std::max({p[0], p[1], p[side], p[side + 1]});
    };
    const dim3 grid(static_cast<unsigned>(half / 32), static_cast<unsigned>(half / 8),
                    static_cast<unsigned>(channels));
    return {[=] { max_pool<<<grid, dim3(32, 8)>>>(out, in, side); },
            [=] { return compare(out, expected); }};
}

// Copies image patches to columns, so that a matrix product computes the convolution (im2col).
__global__ void patches_to_columns(float* out, const float* in, int side) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, k = blockIdx.z,
              inner = side - 2;
    if (x < inner) out[(k * inner + y) * inner + x] = in[(y + k / 3) * side + x + k % 3];
}
EXAMPLE(patches_to_columns) {
    const int side = pick(1026, 66), inner = side - 2;
    const Buffer<float> in = floats(side * side), out = zeros<float>(9 * inner * inner);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % inner, y = static_cast<int>(i) / inner % inner,
                  k = static_cast<int>(i) / inner / inner;
        return in.start(static_cast<std::size_t>((y + k / 3) * side + x + k % 3));
    };
    const dim3 grid(static_cast<unsigned>(blocks_for(inner, 128)), static_cast<unsigned>(inner), 9);
    return {[=] { patches_to_columns<<<grid, 128>>>(out, in, side); },
            [=] { return compare(out, expected); }};
}

namespace {

uchar3 colour(std::size_t i) {
    const unsigned word = noise(i, 4);
    return make_uchar3(word & 255, word >> 8 & 255, word >> 16 & 255);
}
int grey(uchar3 p) {
    return (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

}  // namespace

// Converts three-byte pixels to grey.
__global__ void grey_of_bytes(unsigned char* out, const unsigned char* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) >> 8;
}
EXAMPLE(grey_of_bytes) {
    const int n = pick(1 << 23, 1 << 16);
    const auto in = filled(3 * n, [](std::size_t i) {
        const uchar3 p = colour(i / 3);
        return i % 3 == 0 ? p.x : i % 3 == 1 ? p.y : p.z;
    });
    const auto out = zeros<unsigned char>(n);
    return {[=] { grey_of_bytes<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, [](std::size_t i) { return grey(colour(i)); }); }};
}

// Converts pixels of four bytes to grey, loading each pixel as a vector.
__global__ void grey_of_uchar4(unsigned char* out, const uchar4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 p = in[i];
    out[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}
EXAMPLE(grey_of_uchar4) {
    const int n = pick(1 << 23, 1 << 16);
    const auto in = filled(n, [](std::size_t i) {
        const uchar3 p = colour(i);
        return make_uchar4(p.x, p.y, p.z, 255);
    });
    const auto out = zeros<unsigned char>(n);
    return {[=] { grey_of_uchar4<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] { return compare(out, [](std::size_t i) { return grey(colour(i)); }); }};
}

// Averages the 3 x 3 pixels around each pixel. At the border, the nearest pixels are repeated.
__global__ void box_blur(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    out[y * width + x] = sum / 9;
}
EXAMPLE(box_blur) {
    return image_filter(box_blur, pick(2048, 128), dim3(32, 8), dim3(32, 8),
                        [](const Image<float>& in, int x, int y) {
                            float sum = 0;
                            for (int k = 0; k < 9; ++k)
                                sum += clamped(in, x + k % 3 - 1, y + k / 3 - 1);
                            return sum / 9;
                        });
}

namespace {

float sobel_of(const Image<float>& in, int x, int y) {
    if (x < 1 || y < 1 || x >= in.width - 1 || y >= in.height - 1) return 0;
    const auto p = [&](int dx, int dy) { return in.at(x + dx, y + dy); };
    const float h = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
    const float v = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
    return std::sqrt(h * h + v * v);
}

}  // namespace

// Detects edges with Sobel's masks.
__global__ void sobel(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float *above = in + (y - 1) * width + x, *here = above + width, *below = here + width;
    const float h = above[1] + 2 * here[1] + below[1] - above[-1] - 2 * here[-1] - below[-1];
    const float v = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
    out[y * width + x] = sqrtf(h * h + v * v);
}
EXAMPLE(sobel) {
    return image_filter(sobel, pick(2048, 128), dim3(16, 16), dim3(16, 16), sobel_of);
}

// Detects edges with Sobel masks, reading from shared memory.
__global__ void sobel_shared(float* out, const float* in, int width, int height) {
    __shared__ float s[18][18];
    const int left = blockIdx.x * 16 - 1, top = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
        const int x = min(max(left + k % 18, 0), width - 1),
                  y = min(max(top + k / 18, 0), height - 1);
        s[k / 18][k % 18] = in[y * width + x];
    }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float h = s[ty - 1][tx + 1] + 2 * s[ty][tx + 1] + s[ty + 1][tx + 1] - s[ty - 1][tx - 1] -
                    2 * s[ty][tx - 1] - s[ty + 1][tx - 1];
    const float v = s[ty + 1][tx - 1] + 2 * s[ty + 1][tx] + s[ty + 1][tx + 1] - s[ty - 1][tx - 1] -
                    2 * s[ty - 1][tx] - s[ty - 1][tx + 1];
    out[y * width + x] = sqrtf(h * h + v * v);
}
EXAMPLE(sobel_shared) {
    return image_filter(sobel_shared, pick(2048, 128), dim3(16, 16), dim3(16, 16), sobel_of);
}

// Takes the median of nine pixels by sorting them in registers.
__global__ void median_3x3(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float v[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
#pragma unroll
    for (int i = 0; i < 5; ++i) {
#pragma unroll
        for (int k = i + 1; k < 9; ++k) {
            const float low = fminf(v[i], v[k]), high = fmaxf(v[i], v[k]);
            v[i] = low;
            v[k] = high;
        }
    }
    out[y * width + x] = v[4];
}
EXAMPLE(median_3x3) {
    return image_filter(median_3x3, pick(2048, 128), dim3(32, 8), dim3(32, 8),
                        [](const Image<float>& in, int x, int y) {
                            if (x < 1 || y < 1 || x >= in.width - 1 || y >= in.height - 1)
                                return 0.0f;
                            float v[9];
                            for (int k = 0; k < 9; ++k) v[k] = in.at(x + k % 3 - 1, y + k / 3 - 1);
                            std::sort(v, v + 9);
                            return v[4];
                        });
}

// Doubles the size of an image by bilinear interpolation.
__global__ void enlarge_bilinear(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int left = min(x / 2, width - 2), top = min(y / 2, height - 2);
    const float px = 0.5f * x - left, py = 0.5f * y - top;
    const float* p = in + top * width + left;
    out[y * 2 * width + x] =
        (p[0] * (1 - px) + p[1] * px) * (1 - py) + (p[width] * (1 - px) + p[width + 1] * px) * py;
}
EXAMPLE(enlarge_bilinear) {
    const int side = pick(1024, 64);
    const Image<float> in = image(side, side);
    const Buffer<float> out = zeros<float>(4 * in.pixels.size());
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % (2 * side), y = static_cast<int>(i) / (2 * side);
        const int left = std::min(x / 2, side - 2), top = std::min(y / 2, side - 2);
        const float px = 0.5f * x - left, py = 0.5f * y - top;
        return (in.at(left, top) * (1 - px) + in.at(left + 1, top) * px) * (1 - py) +
               (in.at(left, top + 1) * (1 - px) + in.at(left + 1, top + 1) * px) * py;
    };
    return {[=] {
                enlarge_bilinear<<<grid_for(2 * side, 2 * side, dim3(32, 8)), dim3(32, 8)>>>(
                    out, in.pixels, side, side);
            },
            [=] { return compare(out, expected, 1e-5); }};
}

// Mirrors an image.
__global__ void mirror_image(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = in[y * width + width - 1 - x];
}
EXAMPLE(mirror_image) {
    return image_filter(
        mirror_image, pick(3000, 150), dim3(32, 8), dim3(32, 8),
        [](const Image<float>& in, int x, int y) { return in.at(in.width - 1 - x, y); });
}

// Rotates an image by 30 degrees. Each warp gathers pixels along a slanted line.
__global__ void rotate_image(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int dx = x - width / 2, dy = y - height / 2;
    const int sx = (dx * 866 - dy * 500) / 1000 + width / 2,
              sy = (dx * 500 + dy * 866) / 1000 + height / 2;
    out[y * width + x] =
        sx >= 0 && sy >= 0 && sx < width && sy < height ? in[sy * width + sx] : 0.0f;
}
EXAMPLE(rotate_image) {
    return image_filter(rotate_image, pick(2048, 128), dim3(16, 16), dim3(16, 16),
                        [](const Image<float>& in, int x, int y) {
                            const int dx = x - in.width / 2, dy = y - in.height / 2;
                            const int sx = (dx * 866 - dy * 500) / 1000 + in.width / 2,
                                      sy = (dx * 500 + dy * 866) / 1000 + in.height / 2;
                            return in.has(sx, sy) ? in.at(sx, sy) : 0.0f;
                        });
}

// Blends two images. A third image contains the weights.
__global__ void blend_images(float* out, const float* a, const float* b, const float* alpha,
                             int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = alpha[i] * a[i] + (1 - alpha[i]) * b[i];
}
EXAMPLE(blend_images) {
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> a = floats(n), b = floats(n, 2), alpha = floats(n, 3),
                        out = zeros<float>(n);
    return {[=] { blend_images<<<n / kThreads, kThreads>>>(out, a, b, alpha, n); },
            [=] {
                return compare(
                    out,
                    [&](std::size_t i) {
                        return alpha.start(i) * a.start(i) + (1 - alpha.start(i)) * b.start(i);
                    },
                    1e-6);
            }};
}
