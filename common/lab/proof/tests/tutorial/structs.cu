// Structs, strides, gathers and look-ups.
// Long: it has many small kernels on one theme, each with an example that checks the kernel.
#include "tutorial.h"

using namespace tutorial;

namespace {

constexpr int kThreads = 256;

int length() {
    return pick(1 << 21, 1 << 15);
}

struct Particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

Particle particle(std::size_t i) {
    const auto value = [=](unsigned k) { return static_cast<float>(noise(i, k) % 1000); };
    return {value(1), value(2), value(3), value(4), value(5), value(6), value(7), value(8)};
}

/// A struct of three floats, without padding.
struct P3 {
    float x, y, z;
};

P3 point(std::size_t i) {
    const Particle p = particle(i);
    return {p.x, p.y, p.z};
}

template <class T, class Member>
std::vector<double> column(const Buffer<T>& buffer, Member member) {
    std::vector<double> values;
    for (const T& value : buffer.read()) values.push_back(static_cast<double>(value.*member));
    return values;
}

/// Returns element `i` of a pseudorandom permutation of 0 ... n - 1, where `n` is a power of two.
int permuted(std::size_t i, int n) {
    return static_cast<int>((i * 1664525u + 1013904223u) & static_cast<unsigned>(n - 1));
}

Buffer<int> permutation(int n) {
    return filled(static_cast<std::size_t>(n), [=](std::size_t i) { return permuted(i, n); });
}

}  // namespace

// Updates an array of structs in place.
__global__ void aos_move(Particle* particles, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particles[i].x += particles[i].vx * dt;
    particles[i].y += particles[i].vy * dt;
    particles[i].z += particles[i].vz * dt;
}
EXAMPLE(aos_move) {
    const int n = length();
    const auto particles = filled(n, particle);
    return {[=] { aos_move<<<n / kThreads, kThreads>>>(particles, 0.5f, n); },
            [=] {
                return compare(
                    column(particles, &Particle::z),
                    [&](std::size_t i) { return particle(i).z + 0.5f * particle(i).vz; }, 1e-6);
            },
            [=] { particles.restore(); }};
}

// Reads one member of each struct, which uses only an eighth of each sector.
__global__ void aos_one_member(float* out, const Particle* particles, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * particles[i].mass;
}
EXAMPLE(aos_one_member) {
    const int n = length();
    const auto particles = filled(n, particle);
    const Buffer<float> out = zeros<float>(n);
    return {[=] { aos_one_member<<<n / kThreads, kThreads>>>(out, particles, n); },
            [=] { return compare(out, [](std::size_t i) { return 2 * particle(i).mass; }); }};
}

// Copies whole structs.
__global__ void aos_copy(Particle* out, const Particle* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
EXAMPLE(aos_copy) {
    const int n = length();
    const auto in = filled(n, particle), out = zeros<Particle>(n);
    return {[=] { aos_copy<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] {
                return compare(column(out, &Particle::vy),
                               [](std::size_t i) { return particle(i).vy; });
            }};
}

// Updates a struct of arrays.
__global__ void soa_move(float* x, float* y, float* z, const float* vx, const float* vy,
                         const float* vz, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
    z[i] += vz[i] * dt;
}
EXAMPLE(soa_move) {
    const int n = length();
    const Buffer<float> x = floats(n, 1), y = floats(n, 2), z = floats(n, 3), vx = floats(n, 4),
                        vy = floats(n, 5), vz = floats(n, 6);
    return {[=] { soa_move<<<n / kThreads, kThreads>>>(x, y, z, vx, vy, vz, 0.5f, n); },
            [=] {
                return compare(
                    y, [&](std::size_t i) { return y.start(i) + 0.5f * vy.start(i); }, 1e-6);
            },
            [=] {
                x.restore();
                y.restore();
                z.restore();
            }};
}

// Reads points of three floats, with 4-byte loads at a stride of 12 bytes.
__global__ void p3_norms(float* out, const P3* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const P3 p = points[i];
    out[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
}

namespace {

double norm_of_point(std::size_t i) {
    const P3 p = point(i);
    return std::sqrt(double{p.x} * p.x + double{p.y} * p.y + double{p.z} * p.z);
}

}  // namespace

EXAMPLE(p3_norms) {
    const int n = pick(1 << 22, 1 << 15);
    const auto points = filled(n, point);
    const Buffer<float> out = zeros<float>(n);
    return {[=] { p3_norms<<<n / kThreads, kThreads>>>(out, points, n); },
            [=] { return compare(out, norm_of_point, 1e-5); }};
}

// Changes a P3 in place.
__global__ void p3_scale(P3* points, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    points[i].x *= scale;
    points[i].y *= scale;
    points[i].z *= scale;
}
EXAMPLE(p3_scale) {
    const int n = pick(1 << 22, 1 << 15);
    const auto points = filled(n, point);
    return {[=] { p3_scale<<<n / kThreads, kThreads>>>(points, 2.0f, n); },
            [=] {
                return compare(column(points, &P3::y),
                               [](std::size_t i) { return 2 * point(i).y; });
            },
            [=] { points.restore(); }};
}

// Loads points through shared memory, so that global accesses are coalesced.
__global__ void p3_norms_shared(float* out, const float* coordinates) {
    __shared__ float s[3 * kThreads];
    const int t = threadIdx.x, first = blockIdx.x * 3 * kThreads;
    for (int k = 0; k < 3; ++k) s[t + k * kThreads] = coordinates[first + t + k * kThreads];
    __syncthreads();
    const float x = s[3 * t], y = s[3 * t + 1], z = s[3 * t + 2];
    out[blockIdx.x * kThreads + t] = sqrtf(x * x + y * y + z * z);
}
EXAMPLE(p3_norms_shared) {
    const int n = pick(1 << 22, 1 << 15);
    const auto points = filled(n, point);
    const Buffer<float> out = zeros<float>(n);
    return {[=] {
                p3_norms_shared<<<n / kThreads, kThreads>>>(
                    out, reinterpret_cast<const float*>(points.get()));
            },
            [=] { return compare(out, norm_of_point, 1e-5); }};
}

// Reads points that are padded to four floats, with one load each.
__global__ void float4_norms(float* out, const float4* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 p = points[i];
    out[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
}
EXAMPLE(float4_norms) {
    const int n = pick(1 << 22, 1 << 15);
    const auto points = filled(n, [](std::size_t i) {
        const P3 p = point(i);
        return make_float4(p.x, p.y, p.z, 0);
    });
    const Buffer<float> out = zeros<float>(n);
    return {[=] { float4_norms<<<n / kThreads, kThreads>>>(out, points, n); },
            [=] { return compare(out, norm_of_point, 1e-5); }};
}

// Multiplies complex numbers stored as pairs of floats.
__global__ void complex_multiply(float2* out, const float2* a, const float2* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 u = a[i], v = b[i];
    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}
EXAMPLE(complex_multiply) {
    const int n = pick(1 << 22, 1 << 15);
    const auto complex = [](std::size_t i) { return make_float2(particle(i).x, particle(i).y); };
    const auto a = filled(n, complex), b = filled(n, [=](std::size_t i) { return complex(i + 7); });
    const auto out = zeros<float2>(n);
    return {[=] { complex_multiply<<<n / kThreads, kThreads>>>(out, a, b, n); },
            [=] {
                return compare(
                    column(out, &float2::y),
                    [&](std::size_t i) {
                        return a.start(i).x * b.start(i).y + a.start(i).y * b.start(i).x;
                    },
                    1e-5);
            }};
}

// Reads pairs of floats, with two 4-byte loads each.
__global__ void pairs_add(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[2 * i] + in[2 * i + 1];
}
EXAMPLE(pairs_add) {
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(2 * n), out = zeros<float>(n);
    return {[=] { pairs_add<<<n / kThreads, kThreads>>>(out, in, n); },
            [=] {
                return compare(
                    out, [&](std::size_t i) { return in.start(2 * i) + in.start(2 * i + 1); },
                    1e-6);
            }};
}

// A 24-byte struct with an int between two doubles.
struct Sample {
    double value;
    int tag;
    double weight;
};
__global__ void weigh_samples(double* out, const Sample* samples, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = samples[i].value * samples[i].weight + samples[i].tag;
}
EXAMPLE(weigh_samples) {
    const int n = length();
    const auto sample = [](std::size_t i) {
        return Sample{static_cast<double>(noise(i, 1) % 100), static_cast<int>(noise(i, 2) % 100),
                      static_cast<double>(noise(i, 3) % 100)};
    };
    const auto samples = filled(n, sample);
    const Buffer<double> out = zeros<double>(n);
    return {[=] { weigh_samples<<<n / kThreads, kThreads>>>(out, samples, n); },
            [=] {
                return compare(out, [=](std::size_t i) {
                    return sample(i).value * sample(i).weight + sample(i).tag;
                });
            }};
}

// Reads floats with a stride, and writes them contiguously.
__global__ void strided_read(float* out, const float* in, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

namespace {

Example read_by(int stride) {
    const int n = pick((1 << 24) / (stride < 8 ? 4 : stride / 2), 1 << 14);
    const Buffer<float> in = floats(static_cast<std::size_t>(n) * stride), out = zeros<float>(n);
    return {[=] { strided_read<<<n / kThreads, kThreads>>>(out, in, stride); },
            [=] {
                return compare(out, [&](std::size_t i) {
                    return in.start(i * static_cast<unsigned>(stride));
                });
            }};
}

}  // namespace

EXAMPLE(strided_read_2) {
    return read_by(2);
}
EXAMPLE(strided_read_4) {
    return read_by(4);
}
EXAMPLE(strided_read_8) {
    return read_by(8);
}
EXAMPLE(strided_read_16) {
    return read_by(16);
}
EXAMPLE(strided_read_32) {
    return read_by(32);
}

// Writes floats at a stride.
__global__ void strided_write(float* out, const float* in, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}

namespace {

Example write_by(int stride) {
    const int n = pick((1 << 23) / stride, 1 << 14);
    const Buffer<float> in = floats(n), out = zeros<float>(static_cast<std::size_t>(n) * stride);
    const auto step = static_cast<std::size_t>(stride);
    return {[=] { strided_write<<<n / kThreads, kThreads>>>(out, in, stride); },
            [=] {
                return compare(out,
                               [&](std::size_t i) { return i % step ? 0.0f : in.start(i / step); });
            }};
}

}  // namespace

EXAMPLE(strided_write_2) {
    return write_by(2);
}
EXAMPLE(strided_write_8) {
    return write_by(8);
}

// Gathers elements through a random permutation.
__global__ void gather_random(float* out, const float* in, const int* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[from[i]];
}
EXAMPLE(gather_random) {
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const Buffer<int> from = filled(
        n, [=](std::size_t i) { return static_cast<int>(noise(i, 5) % static_cast<unsigned>(n)); });
    return {[=] { gather_random<<<n / kThreads, kThreads>>>(out, in, from, n); },
            [=] {
                return compare(out, [&](std::size_t i) {
                    return in.start(static_cast<std::size_t>(from.start(i)));
                });
            }};
}

// Gathers elements whose indices are close to the index of the thread.
__global__ void gather_near(float* out, const float* in, const int* shift, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[min(i + shift[i], n - 1)];
}
EXAMPLE(gather_near) {
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const Buffer<int> shift = integers(n, 64);
    return {[=] { gather_near<<<n / kThreads, kThreads>>>(out, in, shift, n); },
            [=] {
                return compare(out, [&](std::size_t i) {
                    return in.start(
                        std::min(i + static_cast<std::size_t>(shift.start(i)), in.size() - 1));
                });
            }};
}

// Scatters elements through a random permutation.
__global__ void scatter_random(float* out, const float* in, const int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[to[i]] = in[i];
}
EXAMPLE(scatter_random) {
    const int n = pick(1 << 22, 1 << 15);
    const Buffer<float> in = floats(n), out = zeros<float>(n);
    const Buffer<int> to = permutation(n);
    return {[=] { scatter_random<<<n / kThreads, kThreads>>>(out, in, to, n); },
            [=] {
                std::vector<float> want(in.size());
                for (std::size_t i = 0; i < want.size(); ++i)
                    want[static_cast<std::size_t>(to.start(i))] = in.start(i);
                return compare(out, [&](std::size_t i) { return want[i]; });
            }};
}

// Looks up one float for each byte, in a table of 256 floats in global memory.
__global__ void lookup_global(float* out, const unsigned char* in, const float* table, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[in[i]];
}

__constant__ float constant_table[256];

// Looks up values in a table in constant memory, which serializes lanes with different
// addresses.
__global__ void lookup_constant(float* out, const unsigned char* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = constant_table[in[i]];
}

// Looks up values in a table in shared memory.
__global__ void lookup_shared(float* out, const unsigned char* in, const float* table, int n) {
    __shared__ float s[256];
    s[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = s[in[i]];
}

namespace {

/// The table and input of all look-up examples.
struct LookUp {
    int n = pick(1 << 23, 1 << 16);
    Buffer<unsigned char> in = integers<unsigned char>(static_cast<std::size_t>(n), 256);
    Buffer<float> table = floats(256, 2);
    Buffer<float> out = zeros<float>(static_cast<std::size_t>(n));
    std::string check() const {
        return compare(out, [&](std::size_t i) { return table.start(in.start(i)); });
    }
};

}  // namespace

EXAMPLE(lookup_global) {
    const LookUp a;
    return {[=] { lookup_global<<<a.n / kThreads, kThreads>>>(a.out, a.in, a.table, a.n); },
            [=] { return a.check(); }};
}
EXAMPLE(lookup_constant) {
    const LookUp a;
    require(cudaMemcpyToSymbol(constant_table, a.table.start().data(), sizeof constant_table));
    return {[=] { lookup_constant<<<a.n / kThreads, kThreads>>>(a.out, a.in, a.n); },
            [=] { return a.check(); }};
}
EXAMPLE(lookup_shared) {
    const LookUp a;
    return {[=] { lookup_shared<<<a.n / kThreads / 8, kThreads>>>(a.out, a.in, a.table, a.n); },
            [=] { return a.check(); }};
}

// Interpolates between two entries of a table.
__global__ void lookup_interpolated(float* out, const float* in, const float* table, int entries,
                                    int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float at = in[i] * (entries - 1);
    const int left = static_cast<int>(at);
    const float part = at - left;
    out[i] = table[left] * (1 - part) + table[left + 1] * part;
}
EXAMPLE(lookup_interpolated) {
    const int n = pick(1 << 22, 1 << 15), entries = 1024;
    const Buffer<float> in = floats(n), table = floats(entries + 1, 2), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        const float at = in.start(i) * (entries - 1), part = at - std::floor(at);
        const auto left = static_cast<std::size_t>(at);
        return table.start(left) * (1 - part) + table.start(left + 1) * part;
    };
    return {[=] { lookup_interpolated<<<n / kThreads, kThreads>>>(out, in, table, entries, n); },
            [=] { return compare(out, expected, 1e-4); }};
}

// Finds the position of each number in a sorted array.
__global__ void binary_search(int* out, const float* sorted, int count, const float* wanted,
                              int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}
EXAMPLE(binary_search) {
    const int n = pick(1 << 21, 1 << 14), count = pick(1 << 16, 1 << 10);
    std::vector<float> values = floats(count, 2).start();
    std::sort(values.begin(), values.end());
    const Buffer<float> sorted = values, wanted = floats(n);
    const Buffer<int> out = zeros<int>(n);
    return {[=] { binary_search<<<n / kThreads, kThreads>>>(out, sorted, count, wanted, n); },
            [=] {
                return compare(out, [&](std::size_t i) {
                    return std::lower_bound(values.begin(), values.end(), wanted.start(i)) -
                           values.begin();
                });
            }};
}

// Follows a chain of indices in each thread.
__global__ void pointer_chase(int* out, const int* next, int steps) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < steps; ++k) at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
EXAMPLE(pointer_chase) {
    const int n = pick(1 << 22, 1 << 15), threads = 8192, steps = 64;
    const Buffer<int> next = permutation(n), out = zeros<int>(threads);
    const auto expected = [=](std::size_t i) {
        for (int k = 0; k < steps; ++k) i = static_cast<std::size_t>(next.start(i));
        return i;
    };
    return {[=] { pointer_chase<<<threads / 128, 128>>>(out, next, steps); },
            [=] { return compare(out, expected); }};
}
