// Filters and conversions of images.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// Clamps `i` to the range 0 ... n - 1.
__host__ __device__ inline int inside(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

struct Image {
    int width = pick(2048, 128), height = pick(1536, 96);
    int pixels() const { return width * height; }
    int x(std::size_t i) const { return static_cast<int>(i) % width; }
    int y(std::size_t i) const { return static_cast<int>(i) / width; }
    std::size_t at(int x, int y) const {
        return static_cast<std::size_t>(inside(y, height) * width + inside(x, width));
    }
    dim3 blocks(int across, int down) const {
        return dim3(static_cast<unsigned>(width / across), static_cast<unsigned>(height / down));
    }
};

__constant__ float kWeights[5] = {.0625f, .25f, .375f, .25f, .0625f};
constexpr float kHostWeights[5] = {.0625f, .25f, .375f, .25f, .0625f};

}  // namespace

// Applies a 5 x 5 Gaussian filter to bytes, with weights in constant memory.
__global__ void gauss_bytes(unsigned char* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            sum += kWeights[dy + 2] * kWeights[dx + 2] *
                   in[inside(y + dy, height) * width + inside(x + dx, width)];
    out[y * width + x] = static_cast<unsigned char>(sum);
}
EXAMPLE(gauss_bytes) {
    const Image image;
    const auto in = integers<unsigned char>(image.pixels(), 256);
    const auto out = zeros<unsigned char>(image.pixels());
    const auto expected = [=](std::size_t i) {
        float sum = 0;
        for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx)
                sum += kHostWeights[dy + 2] * kHostWeights[dx + 2] *
                       in.start(image.at(image.x(i) + dx, image.y(i) + dy));
        return static_cast<unsigned char>(sum);
    };
    return checked(
        [=] {
            gauss_bytes<<<image.blocks(32, 8), dim3(32, 8)>>>(out, in, image.width, image.height);
        },
        out, expected);
}

// Applies a bilateral filter, whose weights decrease with distance and with difference in value.
__global__ void bilateral(float* out, const float* in, int width, int height) {
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    const float centre = in[y * width + x];
    float sum = 0, weights = 0;
    for (int dy = -2; dy <= 2; ++dy) {
        for (int dx = -2; dx <= 2; ++dx) {
            const float v = in[inside(y + dy, height) * width + inside(x + dx, width)];
            const float w = expf(-.1f * (dx * dx + dy * dy) - 8 * (v - centre) * (v - centre));
            sum += w * v;
            weights += w;
        }
    }
    out[y * width + x] = sum / weights;
}
EXAMPLE(bilateral) {
    const Image image;
    const auto in = floats(image.pixels()), out = zeros<float>(image.pixels());
    const auto expected = [=](std::size_t i) {
        double sum = 0, weights = 0;
        for (int dy = -2; dy <= 2; ++dy) {
            for (int dx = -2; dx <= 2; ++dx) {
                const double v = in.start(image.at(image.x(i) + dx, image.y(i) + dy)),
                             d = v - in.start(i);
                const double w = std::exp(-.1 * (dx * dx + dy * dy) - 8 * d * d);
                sum += w * v;
                weights += w;
            }
        }
        return sum / weights;
    };
    return checked(
        [=] {
            bilateral<<<image.blocks(16, 16), dim3(16, 16)>>>(out, in, image.width, image.height);
        },
        out, expected, 1e-4);
}

// Computes the minimum of the 3 x 3 neighbourhood of each byte, with blocks of 64 x 4 threads.
__global__ void erode(unsigned char* out, const unsigned char* in, int width, int height) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    int least = 255;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            least = min(least, in[inside(y + dy, height) * width + inside(x + dx, width)]);
    out[y * width + x] = least;
}
EXAMPLE(erode) {
    const Image image;
    const auto in = integers<unsigned char>(image.pixels(), 256);
    const auto out = zeros<unsigned char>(image.pixels());
    const auto expected = [=](std::size_t i) {
        int least = 255;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                least = std::min<int>(least, in.start(image.at(image.x(i) + dx, image.y(i) + dy)));
        return least;
    };
    return checked(
        [=] { erode<<<image.blocks(64, 4), dim3(64, 4)>>>(out, in, image.width, image.height); },
        out, expected);
}

// Swaps red and blue in pixels of three bytes.
__global__ void swap_red_blue(unsigned char* out, const unsigned char* in) {
    const int i = 3 * thread_in_grid();
    out[i] = in[i + 2];
    out[i + 1] = in[i + 1];
    out[i + 2] = in[i];
}
EXAMPLE(swap_red_blue) {
    const Image image;
    const int n = 3 * image.pixels();
    const auto in = integers<unsigned char>(n, 256);
    const auto out = zeros<unsigned char>(n);
    return checked([=] { swap_red_blue<<<n / 3 / 256, 256>>>(out, in); }, out,
                   [=](std::size_t i) { return in.start(i / 3 * 3 + 2 - i % 3); });
}

// Computes the brightness of pixels of three floats. The gamma of 2 is a square
// root.
__global__ void brightness(float* out, const float3* in) {
    const float3 p = in[thread_in_grid()];
    out[thread_in_grid()] = sqrtf(.299f * p.x + .587f * p.y + .114f * p.z);
}
EXAMPLE(brightness) {
    const Image image;
    const auto in = floats(3 * image.pixels()), out = zeros<float>(image.pixels());
    return checked(
        [=] {
            brightness<<<image.pixels() / 192, 192>>>(out, reinterpret_cast<float3*>(in.get()));
        },
        out,
        [=](std::size_t i) {
            return std::sqrt(.299 * in.start(3 * i) + .587 * in.start(3 * i + 1) +
                             .114 * in.start(3 * i + 2));
        },
        1e-5);
}

// Maps bytes through a table in shared memory, four bytes per thread.
__global__ void tone_curve(uchar4* out, const uchar4* in, const unsigned char* table) {
    __shared__ unsigned char s[256];
    s[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const uchar4 v = in[thread_in_grid()];
    out[thread_in_grid()] = make_uchar4(s[v.x], s[v.y], s[v.z], s[v.w]);
}
EXAMPLE(tone_curve) {
    const int n = 4 * Image().pixels();
    const auto in = integers<unsigned char>(n, 256), table = integers<unsigned char>(256, 256, 2);
    const auto out = zeros<unsigned char>(n);
    return checked(
        [=] {
            tone_curve<<<n / 1024, 256>>>(reinterpret_cast<uchar4*>(out.get()),
                                          reinterpret_cast<uchar4*>(in.get()), table);
        },
        out, [=](std::size_t i) { return table.start(in.start(i)); });
}

// Averages 2 x 2 bytes.
__global__ void halve_image(unsigned char* out, const uchar2* in, int width) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const uchar2 a = in[2 * y * width + x], b = in[(2 * y + 1) * width + x];
    out[y * width + x] = (a.x + a.y + b.x + b.y + 2) / 4;
}
EXAMPLE(halve_image) {
    const Image image;
    const int half = image.width / 2;
    const auto in = integers<unsigned char>(image.pixels(), 256);
    const auto out = zeros<unsigned char>(image.pixels() / 4);
    const auto expected = [=](std::size_t i) {
        const int x = 2 * (static_cast<int>(i) % half), y = 2 * (static_cast<int>(i) / half);
        const auto pixel = [&](int dx, int dy) { return in.start(image.at(x + dx, y + dy)); };
        return (pixel(0, 0) + pixel(1, 0) + pixel(0, 1) + pixel(1, 1) + 2) / 4;
    };
    return checked(
        [=] {
            halve_image<<<image.blocks(64, 16), dim3(32, 8)>>>(
                out, reinterpret_cast<uchar2*>(in.get()), half);
        },
        out, expected);
}

// Enlarges each pixel to 3 x 3 pixels.
__global__ void enlarge_threefold(float* out, const float* in, int width) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 6 + threadIdx.y;
    out[y * width + x] = in[y / 3 * (width / 3) + x / 3];
}
EXAMPLE(enlarge_threefold) {
    const int width = pick(3072, 192), height = width;
    const auto in = floats(width * height / 9), out = zeros<float>(width * height);
    return checked(
        [=] { enlarge_threefold<<<dim3(width / 32, height / 6), dim3(32, 6)>>>(out, in, width); },
        out, [=](std::size_t i) { return in.start(i / width / 3 * (width / 3) + i % width / 3); });
}

// Computes a bit per pixel: whether the pixel is brighter than a threshold.
__global__ void threshold_bits(unsigned* out, const unsigned char* in, int threshold) {
    const unsigned bits = __ballot_sync(~0u, in[thread_in_grid()] > threshold);
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = bits;
}
EXAMPLE(threshold_bits) {
    const int n = Image().pixels();
    const auto in = integers<unsigned char>(n, 256);
    const auto out = zeros<unsigned>(n / 32);
    const auto expected = [=](std::size_t w) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 32; ++k) bits |= (in.start(w * 32 + k) > 99 ? 1u : 0u) << k;
        return bits;
    };
    return checked([=] { threshold_bits<<<n / 512, 512>>>(out, in, 99); }, out, expected);
}

// Sharpens four pixels per thread, and leaves the borders unchanged.
__global__ void sharpen_fours(float* out, const float* in, int width, int height) {
    const int x = 4 * (blockIdx.x * 32 + threadIdx.x), y = blockIdx.y * 4 + threadIdx.y,
              i = y * width + x;
    const float4 v = *reinterpret_cast<const float4*>(in + i);
    float4 sum = v;
    if (y > 0 && y < height - 1) {
        const float4 up = *reinterpret_cast<const float4*>(in + i - width),
                     down = *reinterpret_cast<const float4*>(in + i + width);
        const float left = x > 0 ? in[i - 1] : v.x, right = x + 4 < width ? in[i + 4] : v.w;
        sum =
            make_float4(5 * v.x - left - v.y - up.x - down.x, 5 * v.y - v.x - v.z - up.y - down.y,
                        5 * v.z - v.y - v.w - up.z - down.z, 5 * v.w - v.z - right - up.w - down.w);
    }
    *reinterpret_cast<float4*>(out + i) = sum;
}
EXAMPLE(sharpen_fours) {
    const Image image;
    const auto in = floats(image.pixels()), out = zeros<float>(image.pixels());
    const auto expected = [=](std::size_t i) {
        const int x = image.x(i), y = image.y(i);
        if (y == 0 || y == image.height - 1) return in.start(i);
        const auto pixel = [&](int dx, int dy) { return in.start(image.at(x + dx, y + dy)); };
        return 5 * pixel(0, 0) - pixel(-1, 0) - pixel(1, 0) - pixel(0, -1) - pixel(0, 1);
    };
    return checked(
        [=] {
            sharpen_fours<<<image.blocks(128, 4), dim3(32, 4)>>>(out, in, image.width,
                                                                 image.height);
        },
        out, expected, 1e-5);
}

// Converts three planes of bytes, two of which have half the resolution, to pixels of four bytes.
__global__ void planes_to_pixels(uchar4* out, const unsigned char* y, const unsigned char* u,
                                 const unsigned char* v, int width) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const int i = row * width + col, half = row / 2 * (width / 2) + col / 2;
    const float l = y[i], a = u[half] - 128.0f, b = v[half] - 128.0f;
    const auto byte = [](float x) { return static_cast<unsigned char>(fminf(fmaxf(x, 0), 255)); };
    out[i] =
        make_uchar4(byte(l + 1.5f * b), byte(l - .25f * a - .5f * b), byte(l + 1.75f * a), 255);
}
EXAMPLE(planes_to_pixels) {
    const Image image;
    const int n = image.pixels();
    const auto y = integers<unsigned char>(n, 256), u = integers<unsigned char>(n / 4, 256, 2),
               v = integers<unsigned char>(n / 4, 256, 3), out = zeros<unsigned char>(4 * n);
    const auto expected = [=](std::size_t k) {
        const std::size_t i = k / 4;
        const auto half =
            static_cast<std::size_t>(image.y(i) / 2 * (image.width / 2) + image.x(i) / 2);
        const float l = y.start(i), a = u.start(half) - 128.0f, b = v.start(half) - 128.0f;
        const float all[] = {l + 1.5f * b, l - .25f * a - .5f * b, l + 1.75f * a, 255};
        return static_cast<unsigned char>(std::min(std::max(all[k % 4], 0.0f), 255.0f));
    };
    return checked(
        [=] {
            planes_to_pixels<<<image.blocks(32, 8), dim3(32, 8)>>>(
                reinterpret_cast<uchar4*>(out.get()), y, u, v, image.width);
        },
        out, expected);
}

// Computes sums of absolute differences: each block compares 8 x 8 pixels of a frame with those of
// the previous frame, shifted by two pixels.
__global__ void motion_costs(int* out, const unsigned char* now, const unsigned char* before,
                             int width) {
    __shared__ int first_warp;
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int old = before[y * width + max(x - 2, 0)];
    const int sum = __reduce_add_sync(~0u, static_cast<unsigned>(abs(now[y * width + x] - old)));
    if (threadIdx.x == 0 && threadIdx.y == 0) first_warp = sum;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 4)
        out[blockIdx.y * gridDim.x + blockIdx.x] = first_warp + sum;
}
EXAMPLE(motion_costs) {
    const Image image;
    const auto now = integers<unsigned char>(image.pixels(), 256),
               before = integers<unsigned char>(image.pixels(), 256, 2);
    const auto out = zeros<int>(image.pixels() / 64);
    const auto expected = [=](std::size_t block) {
        const int across = image.width / 8, x0 = static_cast<int>(block) % across * 8,
                  y0 = static_cast<int>(block) / across * 8;
        return sum_of(0, 64, [&](std::size_t k) {
            const int x = x0 + static_cast<int>(k) % 8, y = y0 + static_cast<int>(k) / 8;
            return std::abs(now.start(image.at(x, y)) - before.start(image.at(x - 2, y)));
        });
    };
    return checked(
        [=] { motion_costs<<<image.blocks(8, 8), dim3(8, 8)>>>(out, now, before, image.width); },
        out, expected);
}

// Averages boxes of 31 x 31 pixels with four look-ups per box in a summed-area table.
__global__ void box_by_table(float* out, const unsigned* table, int width, int height) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const int left = max(x - 16, 0), right = min(x + 15, width - 1), top = max(y - 16, 0),
              bottom = min(y + 15, height - 1);
    const unsigned sum = table[bottom * width + right] - table[top * width + right] -
                         table[bottom * width + left] + table[top * width + left];
    out[y * width + x] = static_cast<float>(sum) / ((right - left) * (bottom - top));
}
EXAMPLE(box_by_table) {
    const Image image;
    const auto table = filled(image.pixels(), [=](std::size_t i) {
        return static_cast<unsigned>((image.x(i) + 1) * (image.y(i) + 1) * 3);
    });
    const auto out = zeros<float>(image.pixels());
    return checked(
        [=] {
            box_by_table<<<image.blocks(32, 4), dim3(32, 4)>>>(out, table, image.width,
                                                               image.height);
        },
        out, [](std::size_t) { return 3; }, 1e-6);
}
