// Stencils, and equations that are solved with stencils.
#include "../checked.cuh"

using namespace tutorial;

// Computes heat diffusion in three dimensions, with cubes of 8 x 8 x 8 and their halos in shared
// memory.
__global__ void heat_cubes(float* out, const float* in, int side) {
    __shared__ float s[10][10][10];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, tz = threadIdx.z + 1;
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y,
              z = blockIdx.z * 8 + threadIdx.z, plane = side * side, i = z * plane + y * side + x;
    s[tz][ty][tx] = in[i];
    if (tx == 1) s[tz][ty][0] = x > 0 ? in[i - 1] : 0;
    if (tx == 8) s[tz][ty][9] = x < side - 1 ? in[i + 1] : 0;
    if (ty == 1) s[tz][0][tx] = y > 0 ? in[i - side] : 0;
    if (ty == 8) s[tz][9][tx] = y < side - 1 ? in[i + side] : 0;
    if (tz == 1) s[0][ty][tx] = z > 0 ? in[i - plane] : 0;
    if (tz == 8) s[9][ty][tx] = z < side - 1 ? in[i + plane] : 0;
    __syncthreads();
    out[i] =
        .4f * s[tz][ty][tx] + .1f * (s[tz][ty][tx - 1] + s[tz][ty][tx + 1] + s[tz][ty - 1][tx] +
                                     s[tz][ty + 1][tx] + s[tz - 1][ty][tx] + s[tz + 1][ty][tx]);
}
EXAMPLE(heat_cubes) {
    const int side = pick(160, 24);
    const auto in = floats(side * side * side), out = zeros<float>(side * side * side);
    const auto expected = [=](std::size_t i) {
        const int at = static_cast<int>(i), x = at % side, y = at / side % side,
                  z = at / side / side;
        const auto value = [&](int dx, int dy, int dz) {
            const int a = x + dx, b = y + dy, c = z + dz;
            const bool is_in = a >= 0 && b >= 0 && c >= 0 && a < side && b < side && c < side;
            return is_in ? in.start((c * side + b) * side + a) : 0.0f;
        };
        return .4f * value(0, 0, 0) + .1f * (value(-1, 0, 0) + value(1, 0, 0) + value(0, -1, 0) +
                                             value(0, 1, 0) + value(0, 0, -1) + value(0, 0, 1));
    };
    const unsigned blocks = side / 8;
    return checked(
        [=] { heat_cubes<<<dim3(blocks, blocks, blocks), dim3(8, 8, 8)>>>(out, in, side); }, out,
        expected, 1e-5);
}

// Applies a thirteen-point stencil in a plane, which is equivalent to applying the Laplacian twice.
__global__ void biharmonic(float* out, const float* in, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x + 2, y = blockIdx.y * 4 + threadIdx.y + 2;
    if (x >= n - 2 || y >= n - 2) return;
    const float* p = in + y * n + x;
    out[y * n + x] = 20 * p[0] - 8 * (p[1] + p[-1] + p[n] + p[-n]) +
                     2 * (p[n + 1] + p[n - 1] + p[-n + 1] + p[-n - 1]) + p[2] + p[-2] + p[2 * n] +
                     p[-2 * n];
}
EXAMPLE(biharmonic) {
    const int n = pick(2048, 128);
    const auto in = floats(n * n), out = zeros<float>(n * n);
    const auto expected = [=](std::size_t i) {
        const int x = static_cast<int>(i) % n, y = static_cast<int>(i) / n;
        if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return 0.0;
        const auto p = [&](int d) { return static_cast<double>(in.start(y * n + x + d)); };
        return 20 * p(0) - 8 * (p(1) + p(-1) + p(n) + p(-n)) +
               2 * (p(n + 1) + p(n - 1) + p(-n + 1) + p(-n - 1)) + p(2) + p(-2) + p(2 * n) +
               p(-2 * n);
    };
    return checked([=] { biharmonic<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(out, in, n); }, out,
                   expected, 1e-4);
}

// Computes upwind advection on a ring in doubles, with blocks of 96 threads.
__global__ void advect(double* out, const double* in, const double* wind, int n) {
    const int i = thread_in_grid();
    if (i >= n) return;
    const double w = wind[i], here = in[i];
    const double difference =
        w > 0 ? here - in[i > 0 ? i - 1 : n - 1] : in[i < n - 1 ? i + 1 : 0] - here;
    out[i] = here - w * difference;
}
EXAMPLE(advect) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = doubles(n, 1), out = zeros<double>(n);
    const auto wind = filled(n, [](std::size_t i) { return noise(i, 3) / 4294967296.0 - .5; });
    const auto expected = [=](std::size_t i) {
        const std::size_t size = in.size();
        const double w = wind.start(i), left = in.start((i + size - 1) % size),
                     right = in.start((i + 1) % size), here = in.start(i);
        return here - w * (w > 0 ? here - left : right - here);
    };
    return checked([=] { advect<<<blocks_for(n, 96), 96>>>(out, in, wind, n); }, out, expected,
                   1e-12);
}

// Streams and relaxes five densities in a plane (a small lattice Boltzmann method).
__global__ void relax_densities(float* out, const float* in, int n) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y, all = n * n;
    const int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n, down = (y + 1) % n;
    const float a = in[y * n + x], b = in[all + y * n + left], c = in[2 * all + y * n + right],
                d = in[3 * all + up * n + x], e = in[4 * all + down * n + x];
    const float mean = .2f * (a + b + c + d + e);
    out[y * n + x] = .5f * (a + mean);
    out[all + y * n + x] = .5f * (b + mean);
    out[2 * all + y * n + x] = .5f * (c + mean);
    out[3 * all + y * n + x] = .5f * (d + mean);
    out[4 * all + y * n + x] = .5f * (e + mean);
}
EXAMPLE(relax_densities) {
    const int n = pick(1024, 128), all = n * n;
    const auto in = floats(5 * all), out = zeros<float>(5 * all);
    const auto expected = [=](std::size_t i) {
        const int at = static_cast<int>(i) % all, x = at % n, y = at / n;
        const int from[] = {y * n + x, all + y * n + (x + n - 1) % n, 2 * all + y * n + (x + 1) % n,
                            3 * all + (y + n - 1) % n * n + x, 4 * all + (y + 1) % n * n + x};
        double mean = 0;
        for (const int k : from) mean += .2 * in.start(k);
        return .5 * (in.start(from[i / all]) + mean);
    };
    return checked([=] { relax_densities<<<dim3(n / 64, n / 2), dim3(64, 2)>>>(out, in, n); }, out,
                   expected, 1e-5);
}

// Smooths eight times in shared memory. The eight points at each end of a block are not
// stored.
__global__ void eight_steps(float* out, const float* in, int n) {
    __shared__ float s[2][256];
    const int t = threadIdx.x, i = blockIdx.x * 240 + t - 8;
    s[0][t] = i >= 0 && i < n ? in[i] : 0;
    for (int step = 0; step < 8; ++step) {
        __syncthreads();
        const float* from = s[step % 2];
        s[1 - step % 2][t] =
            t > 0 && t < 255 ? .25f * from[t - 1] + .5f * from[t] + .25f * from[t + 1] : 0;
    }
    __syncthreads();
    if (t >= 8 && t < 248 && i < n) out[i] = s[0][t];
}
EXAMPLE(eight_steps) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = floats(n), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        double line[17];
        for (int k = 0; k < 17; ++k) {
            const auto at = static_cast<std::ptrdiff_t>(i) + k - 8;
            line[k] = at >= 0 && at < n ? in.start(static_cast<std::size_t>(at)) : 0;
        }
        for (int step = 1; step <= 8; ++step) {
            double left = line[step - 1];
            for (int k = step; k < 17 - step; ++k) {
                const double here = line[k];
                line[k] = .25 * left + .5 * here + .25 * line[k + 1];
                left = here;
            }
        }
        return line[8];
    };
    return checked([=] { eight_steps<<<blocks_for(n, 240), 256>>>(out, in, n); }, out, expected,
                   1e-5);
}

// Computes the divergence of a field stored in three arrays.
__global__ void divergence(float* out, const float* u, const float* v, const float* w, int side) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1) return;
    const int plane = side * side, i = z * plane + y * side + x;
    out[i] = .5f * (u[i + 1] - u[i - 1] + v[i + side] - v[i - side] + w[i + plane] - w[i - plane]);
}
EXAMPLE(divergence) {
    const int side = pick(160, 32), all = side * side * side;
    const auto u = floats(all, 1), v = floats(all, 2), w = floats(all, 3), out = zeros<float>(all);
    const auto expected = [=](std::size_t i) {
        const auto n = static_cast<std::size_t>(side);
        const auto is_edge = [=](std::size_t k) { return k == 0 || k == n - 1; };
        if (is_edge(i % n) || is_edge(i / n % n) || is_edge(i / n / n)) return 0.0f;
        return .5f * (u.start(i + 1) - u.start(i - 1) + v.start(i + n) - v.start(i - n) +
                      w.start(i + n * n) - w.start(i - n * n));
    };
    return checked(
        [=] { divergence<<<dim3(side / 32, side / 8, side), dim3(32, 8)>>>(out, u, v, w, side); },
        out, expected, 1e-5);
}

// Performs half a step of Maxwell's equations in a plane, which updates two fields from a third.
__global__ void electric_step(float* ex, float* ey, const float* h, int n) {
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, i = y * n + x;
    if (y > 0) ex[i] += .5f * (h[i] - h[i - n]);
    if (x > 0) ey[i] -= .5f * (h[i] - h[i - 1]);
}
EXAMPLE(electric_step) {
    const int n = pick(2048, 128);
    const auto ex = floats(n * n, 1), ey = floats(n * n, 2), h = floats(n * n, 3);
    const auto check = [=] {
        const auto change = [=](std::size_t i, std::size_t step, bool is_in) {
            return is_in ? .5f * (h.start(i) - h.start(i - step)) : 0.0f;
        };
        const auto x = [=](std::size_t i) {
            return ex.start(i) + change(i, n, i >= static_cast<std::size_t>(n));
        };
        const auto y = [=](std::size_t i) { return ey.start(i) - change(i, 1, i % n > 0); };
        const std::string wrong = compare(ex, x, 1e-5, 1 << 15);
        return wrong.empty() ? compare(ey, y, 1e-5, 1 << 15) : wrong;
    };
    return {[=] { electric_step<<<dim3(n / 128, n), 128>>>(ex, ey, h, n); }, check,
            [=] { ex.restore(), ey.restore(); }};
}

// Applies rule 110 to a line of bits, stored 32 per word.
__global__ void rule_110(unsigned* out, const unsigned* in, int words) {
    const int i = thread_in_grid();
    const unsigned here = in[i], before = in[i > 0 ? i - 1 : words - 1],
                   after = in[i < words - 1 ? i + 1 : 0];
    const unsigned left = here << 1 | before >> 31, right = here >> 1 | after << 31;
    out[i] = (here | right) & ~(left & here & right);
}
EXAMPLE(rule_110) {
    const int words = pick(1 << 21, 1 << 13);
    const auto in = filled(words, [](std::size_t i) { return noise(i); });
    const auto out = zeros<unsigned>(words);
    const auto expected = [=](std::size_t i) {
        const std::size_t n = in.size();
        const unsigned here = in.start(i), left = here << 1 | in.start((i + n - 1) % n) >> 31,
                       right = here >> 1 | in.start((i + 1) % n) << 31;
        return (here ^ right) | (here & ~left);
    };
    return checked([=] { rule_110<<<words / 256, 256>>>(out, in, words); }, out, expected);
}

// Averages seventeen neighbouring shorts, using shared memory.
__global__ void smooth_shorts(short* out, const short* in, int n) {
    __shared__ short s[144];
    const int t = threadIdx.x, first = blockIdx.x * 128 - 8;
    for (int k = t; k < 144; k += 128) s[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k <= 16; ++k) sum += s[t + k];
    out[first + 8 + t] = sum / 17;
}
EXAMPLE(smooth_shorts) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = integers<short>(n, 30000);
    const auto out = zeros<short>(n);
    const auto expected = [=](std::size_t i) {
        const std::size_t begin = i < 8 ? 0 : i - 8, end = std::min(i + 9, in.size());
        return std::floor(sum_of(begin, end, [&](std::size_t k) { return in.start(k); }) / 17);
    };
    return checked([=] { smooth_shorts<<<n / 128, 128>>>(out, in, n); }, out, expected);
}

// Performs fifty Jacobi steps on a plate that fits into one block.
__global__ void settle_plate(float* plate) {
    __shared__ float s[32][33];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 1024 + y * 32 + x;
    s[y][x] = plate[i];
    const bool is_inside = x > 0 && y > 0 && x < 31 && y < 31;
    for (int step = 0; step < 50; ++step) {
        __syncthreads();
        const float next =
            is_inside ? .25f * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x]) : s[y][x];
        __syncthreads();
        s[y][x] = next;
    }
    plate[i] = s[y][x];
}
EXAMPLE(settle_plate) {
    const int plates = pick(132, 3);
    const auto data = floats(plates * 1024);
    const auto check = [=] {
        std::vector<float> all = data.start();
        for (std::size_t p = 0; p < all.size(); p += 1024) {
            for (int step = 0; step < 50; ++step) {
                const std::vector<float> old(all.begin() + static_cast<std::ptrdiff_t>(p),
                                             all.begin() + static_cast<std::ptrdiff_t>(p + 1024));
                for (std::size_t i = 32; i < 992; ++i)
                    if (i % 32 > 0 && i % 32 < 31)
                        all[p + i] = .25f * (old[i - 1] + old[i + 1] + old[i - 32] + old[i + 32]);
            }
        }
        return compare(
            data, [&](std::size_t i) { return all[i]; }, 1e-4);
    };
    return {[=] { settle_plate<<<plates, dim3(32, 32)>>>(data); }, check, [=] { data.restore(); }};
}
