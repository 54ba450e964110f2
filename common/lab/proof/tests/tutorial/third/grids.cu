// Images, stencils and transforms.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// Returns a grid that covers a square with blocks of `across` x `down` threads.
dim3 blocks_of(int side, int across, int down) {
    return dim3(static_cast<unsigned>(side / across), static_cast<unsigned>(side / down));
}

}  // namespace

// Computes the magnitude of the gradient at each point that is not on a border.
__global__ void gradient_lengths(float* out, const float* in, int n) {
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
    const float dx = in[y * n + x + 1] - in[y * n + x - 1],
                dy = in[(y + 1) * n + x] - in[(y - 1) * n + x];
    out[y * n + x] = sqrtf(dx * dx + dy * dy);
}
EXAMPLE(gradient_lengths) {
    const int n = pick(2048, 128);
    const auto in = floats(n * n), out = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % n, y = static_cast<int>(i) / n;
        if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return 0.0f;
        return std::hypot(in.start(i + 1) - in.start(i - 1), in.start(i + n) - in.start(i - n));
    };
    return checked([=] { gradient_lengths<<<dim3(n / 128, n), 128>>>(out, in, n); }, out, expected,
                   1e-5);
}

// Blurs rows with a window of 7 elements. Each block keeps its part of a row in shared memory.
__global__ void blur_rows(float* out, const float* in, int n) {
    __shared__ float s[4][70];
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    for (int k = threadIdx.x; k < 70; k += 64) {
        const int from = blockIdx.x * 64 + k - 3;
        s[threadIdx.y][k] = from >= 0 && from < n ? in[y * n + from] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 7; ++k) sum += s[threadIdx.y][threadIdx.x + k];
    out[y * n + x] = sum / 7;
}
EXAMPLE(blur_rows) {
    const int n = pick(2048, 128);
    const auto in = floats(n * n), out = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % n;
        double sum = 0;
        for (int k = -3; k <= 3; ++k)
            if (x + k >= 0 && x + k < n) sum += in.start(i + static_cast<std::size_t>(k));
        return sum / 7;
    };
    return checked([=] { blur_rows<<<blocks_of(n, 64, 4), dim3(64, 4)>>>(out, in, n); }, out,
                   expected, 1e-5);
}

// Averages four images.
__global__ void average_images(uchar4* out, const uchar4* in, int n) {
    const int i = thread_in_grid();
    if (i >= n) return;
    const uchar4 a = in[i], b = in[n + i], c = in[2 * n + i], d = in[3 * n + i];
    out[i] = make_uchar4((a.x + b.x + c.x + d.x) / 4, (a.y + b.y + c.y + d.y) / 4,
                         (a.z + b.z + c.z + d.z) / 4, (a.w + b.w + c.w + d.w) / 4);
}
EXAMPLE(average_images) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = integers<unsigned char>(16 * n, 256), out = zeros<unsigned char>(4 * n);
    const auto four = [](const Buffer<unsigned char>& b) {
        return reinterpret_cast<uchar4*>(b.get());
    };
    const auto expected = [=](std::size_t i) {
        const std::size_t all = out.size();
        return (in.start(i) + in.start(all + i) + in.start(2 * all + i) + in.start(3 * all + i)) /
               4;
    };
    return checked([=] { average_images<<<n / 192 + 1, 192>>>(four(out), four(in), n); }, out,
                   expected);
}

// Interleaves the cells of two images in a checkerboard.
__global__ void interleave_images(float* out, const float* a, const float* b, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * n + x;
    out[i] = (x / 8 + y / 8) % 2 == 0 ? a[i] : b[i];
}
EXAMPLE(interleave_images) {
    const int n = pick(2048, 128);
    const auto a = floats(n * n, 1), b = floats(n * n, 2), out = zeros<float>(n * n);
    return checked(
        [=] { interleave_images<<<blocks_of(n, 32, 16), dim3(32, 16)>>>(out, a, b, n); }, out,
        [=](std::size_t i) { return (i % n / 8 + i / n / 8) % 2 == 0 ? a.start(i) : b.start(i); });
}

// Shifts a plane cyclically in both directions.
__global__ void roll_plane(float* out, const float* in, int n, int dx, int dy) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * n + x] = in[(y + dy) % n * n + (x + dx) % n];
}
EXAMPLE(roll_plane) {
    const int n = pick(2048, 128);
    const auto in = floats(n * n), out = zeros<float>(n * n);
    return checked(
        [=] { roll_plane<<<blocks_of(n, 64, 8), dim3(64, 8)>>>(out, in, n, 37, 11); }, out,
        [=](std::size_t i) { return in.start((i / n + 11) % n * n + (i % n + 37) % n); });
}

// Computes a reaction-diffusion step with two substances (Gray-Scott).
__global__ void react(float* u2, float* v2, const float* u, const float* v, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int l = (x + n - 1) % n, r = (x + 1) % n, t = (y + n - 1) % n, b = (y + 1) % n,
              i = y * n + x;
    const float du = u[y * n + l] + u[y * n + r] + u[t * n + x] + u[b * n + x] - 4 * u[i],
                dv = v[y * n + l] + v[y * n + r] + v[t * n + x] + v[b * n + x] - 4 * v[i],
                uvv = u[i] * v[i] * v[i];
    u2[i] = u[i] + .16f * du - uvv + .035f * (1 - u[i]);
    v2[i] = v[i] + .08f * dv + uvv - .1f * v[i];
}
EXAMPLE(react) {
    const int n = pick(1536, 96);
    const auto u = floats(n * n, 1), v = floats(n * n, 2), u2 = zeros<float>(n * n),
               v2 = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % n, y = static_cast<int>(i) / n;
        const auto at = [&](int dx, int dy) {
            return static_cast<double>(v.start((y + dy + n) % n * n + (x + dx + n) % n));
        };
        const double dv = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0);
        return v.start(i) + .08 * dv + u.start(i) * v.start(i) * v.start(i) - .1 * v.start(i);
    };
    return checked([=] { react<<<blocks_of(n, 32, 8), dim3(32, 8)>>>(u2, v2, u, v, n); }, v2,
                   expected, 1e-5);
}

// Applies a seven-point stencil to doubles, with eight planes per thread.
__global__ void seven_points(double* out, const double* in, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    const int first = blockIdx.z * 8 + 1, plane = n * n;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
    for (int z = first; z < first + 8 && z < n - 1; ++z) {
        const double* p = in + z * plane + y * n + x;
        out[z * plane + y * n + x] = p[-1] + p[1] + p[-n] + p[n] + p[-plane] + p[plane] - 6 * p[0];
    }
}
EXAMPLE(seven_points) {
    const int n = pick(160, 32);
    const auto in = doubles(n * n * n), out = zeros<double>(n * n * n);
    const auto expected = [=](std::size_t i) {
        const auto s = static_cast<std::size_t>(n);
        const auto is_edge = [=](std::size_t k) { return k == 0 || k == s - 1; };
        if (is_edge(i % s) || is_edge(i / s % s) || is_edge(i / s / s)) return 0.0;
        return in.start(i - 1) + in.start(i + 1) + in.start(i - s) + in.start(i + s) +
               in.start(i - s * s) + in.start(i + s * s) - 6 * in.start(i);
    };
    return checked([=] { seven_points<<<dim3(n / 32, n / 4, n / 8), dim3(32, 4)>>>(out, in, n); },
                   out, expected, 1e-12);
}

// Computes one generation of the Game of Life on rows of cells packed as bits.
__global__ void life_of_bits(unsigned* out, const unsigned* in, int words, int rows) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    unsigned ones = 0, twos = 0, fours = 0, own = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const unsigned* row = in + (y + dy + rows) % rows * words;
        const unsigned w = row[x], l = w << 1 | row[(x + words - 1) % words] >> 31,
                       r = w >> 1 | row[(x + 1) % words] << 31;
        if (dy == 0) own = w;
        for (int k = 0; k < 3; ++k) {
            const unsigned bit = k == 0 ? l : k == 1 ? r : dy == 0 ? 0 : w;
            const unsigned carry = ones & bit, more = twos & carry;
            ones ^= bit;
            twos ^= carry;
            fours |= more;
        }
    }
    out[y * words + x] = twos & ~fours & (ones | own);
}
EXAMPLE(life_of_bits) {
    const int words = pick(512, 32), rows = pick(4096, 64), width = words * 32;
    const auto in = filled(words * rows, [](std::size_t i) { return noise(i) & noise(i, 2); });
    const auto out = zeros<unsigned>(words * rows);
    const auto expected = [=](std::size_t i) {
        const int y = static_cast<int>(i) / words;
        unsigned next = 0;
        for (int b = 0; b < 32; ++b) {
            const int x = static_cast<int>(i) % words * 32 + b;
            const auto cell = [&](int dx, int dy) {
                const int cx = (x + dx + width) % width, cy = (y + dy + rows) % rows;
                return static_cast<int>(in.start(cy * words + cx / 32) >> cx % 32 & 1);
            };
            int n = -cell(0, 0);
            for (int k = 0; k < 9; ++k) n += cell(k % 3 - 1, k / 3 - 1);
            next |= (n == 3 || (n == 2 && cell(0, 0)) ? 1u : 0u) << b;
        }
        return next;
    };
    return checked(
        [=] { life_of_bits<<<dim3(words / 32, rows / 4), dim3(32, 4)>>>(out, in, words, rows); },
        out, expected, 0, 1 << 12);
}

// Computes radix-2 butterflies on complex numbers in global memory, in place.
__global__ void butterflies(float2* data, int half) {
    const int i = thread_in_grid(), a = i / half * 2 * half + i % half, b = a + half;
    float s, c;
    sincospif(-static_cast<float>(i % half) / half, &s, &c);
    const float2 x = data[a], y = data[b], t = make_float2(y.x * c - y.y * s, y.x * s + y.y * c);
    data[a] = make_float2(x.x + t.x, x.y + t.y);
    data[b] = make_float2(x.x - t.x, x.y - t.y);
}
EXAMPLE(butterflies) {
    const int n = pick(1 << 20, 1 << 12), half = 512;
    const auto data = floats(2 * n);
    const auto expected = [=](std::size_t e) {
        const std::size_t i = e / 2, a = i / (2 * half) * 2 * half + i % half, b = a + half;
        const double angle = -3.14159265358979 * static_cast<double>(i % half) / half,
                     c = std::cos(angle), s = std::sin(angle);
        const double x[] = {data.start(2 * a), data.start(2 * a + 1)},
                     y[] = {data.start(2 * b), data.start(2 * b + 1)},
                     t[] = {y[0] * c - y[1] * s, y[0] * s + y[1] * c};
        return i % (2 * half) < half ? x[e % 2] + t[e % 2] : x[e % 2] - t[e % 2];
    };
    return in_place(
        [=] { butterflies<<<n / 512, 256>>>(reinterpret_cast<float2*>(data.get()), half); }, data,
        expected, 1e-5);
}

// Computes eight-point cosine transforms, with one thread for each group of eight elements.
__global__ void cosine_rows(float4* out, const float4* in, const float* basis) {
    __shared__ float b[64];
    if (threadIdx.x < 64) b[threadIdx.x] = basis[threadIdx.x];
    __syncthreads();
    const float4 v = in[2 * thread_in_grid()], w = in[2 * thread_in_grid() + 1];
    const float x[8] = {v.x, v.y, v.z, v.w, w.x, w.y, w.z, w.w};
    float y[8];
    for (int k = 0; k < 8; ++k) {
        y[k] = 0;
        for (int j = 0; j < 8; ++j) y[k] += b[k * 8 + j] * x[j];
    }
    out[2 * thread_in_grid()] = make_float4(y[0], y[1], y[2], y[3]);
    out[2 * thread_in_grid() + 1] = make_float4(y[4], y[5], y[6], y[7]);
}
EXAMPLE(cosine_rows) {
    const int n = pick(1 << 21, 1 << 12);
    const auto in = floats(n, 1), basis = floats(64, 2), out = zeros<float>(n);
    const auto four = [](const Buffer<float>& b) { return reinterpret_cast<float4*>(b.get()); };
    return checked([=] { cosine_rows<<<n / 8 / 128, 128>>>(four(out), four(in), basis); }, out,
                   [=](std::size_t i) {
                       return sum_of(0, 8, [&](std::size_t j) {
                           return basis.start(i % 8 * 8 + j) * in.start(i / 8 * 8 + j);
                       });
                   },
                   1e-4);
}

// Stretches the rows of a float image by a factor of 5 / 4 with linear interpolation.
__global__ void stretch_rows(float* out, const float* in, int to, int from) {
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    if (x >= to) return;
    const float at = .8f * x;
    const int left = static_cast<int>(at), right = min(left + 1, from - 1);
    const float a = in[y * from + left], b = in[y * from + right];
    out[y * to + x] = a + (at - left) * (b - a);
}
EXAMPLE(stretch_rows) {
    const int from = pick(2048, 128), to = from / 4 * 5, rows = pick(1024, 16);
    const auto in = floats(from * rows), out = zeros<float>(to * rows);
    const auto expected = [=](std::size_t i) {
        const float at = .8f * static_cast<float>(i % to);
        const auto left = static_cast<std::size_t>(at),
                   right = std::min<std::size_t>(left + 1, from - 1);
        const float a = in.start(i / to * from + left), b = in.start(i / to * from + right);
        return a + (at - static_cast<float>(left)) * (b - a);
    };
    return checked(
        [=] { stretch_rows<<<dim3(blocks_for(to, 256), rows), 256>>>(out, in, to, from); }, out,
        expected, 1e-3);
}

// Computes the distance of each cell to the nearest of 32 seeds.
__global__ void nearest_seed(float* out, const float2* seeds, int n) {
    __shared__ float2 s[32];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (threadIdx.y == 0) s[threadIdx.x] = seeds[threadIdx.x];
    __syncthreads();
    float least = 1e9f;
    for (int k = 0; k < 32; ++k) {
        const float dx = s[k].x * n - x, dy = s[k].y * n - y;
        least = fminf(least, dx * dx + dy * dy);
    }
    out[y * n + x] = sqrtf(least);
}
EXAMPLE(nearest_seed) {
    const int n = pick(2048, 128);
    const auto seeds = floats(64), out = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        double least = 1e9;
        for (std::size_t k = 0; k < 32; ++k)
            least = std::min(least, std::hypot(double{seeds.start(2 * k)} * n - i % n,
                                               double{seeds.start(2 * k + 1)} * n - i / n));
        return least;
    };
    return checked(
        [=] {
            nearest_seed<<<blocks_of(n, 32, 8), dim3(32, 8)>>>(
                out, reinterpret_cast<float2*>(seeds.get()), n);
        },
        out, expected, 1e-3);
}
