// Structs, look-ups, histograms and access orders.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// A struct of 28 bytes.
struct Particle {
    float x, y, z, u, v, w;
    int kind;
};

/// A struct of 48 bytes.
struct Account {
    double balance, limit, rate;
    long long owner;
    int branch, flags[3];
};

}  // namespace

// Moves particles of 28 bytes.
__global__ void move_particles(Particle* all, float step) {
    Particle& p = all[thread_in_grid()];
    p.x += step * p.u;
    p.y += step * p.v;
    p.z += step * p.w;
}
EXAMPLE(move_particles) {
    const int n = pick(1 << 19, 1 << 12);
    const auto all = filled(n, [](std::size_t i) {
        const float f = static_cast<float>(noise(i) % 1000);
        return Particle{f, f + 1, f + 2, f, 2 * f, 3 * f, 1};
    });
    const auto check = [=] {
        std::vector<float> places;
        for (const Particle& p : all.read()) places.insert(places.end(), {p.x, p.y, p.z});
        return compare(
            places,
            [&](std::size_t i) {
                const Particle& p = all.start(i / 3);
                return i % 3 == 0   ? p.x + .5f * p.u
                       : i % 3 == 1 ? p.y + .5f * p.v
                                    : p.z + .5f * p.w;
            },
            1e-6, 1 << 15);
    };
    return {[=] { move_particles<<<n / 128, 128>>>(all, .5f); }, check, [=] { all.restore(); }};
}

// Reads two members of 48-byte structs.
__global__ void interest(double* out, const Account* all) {
    out[thread_in_grid()] = all[thread_in_grid()].balance * all[thread_in_grid()].rate;
}
EXAMPLE(interest) {
    const int n = pick(1 << 19, 1 << 12);
    const auto all = filled(
        n, [](std::size_t i) { return Account{static_cast<double>(noise(i)), 0, .25, 7, 1, {}}; });
    const auto out = zeros<double>(n);
    return checked([=] { interest<<<n / 256, 256>>>(out, all); }, out,
                   [=](std::size_t i) { return all.start(i).balance * .25; }, 1e-12);
}

// Unpacks fields of 5, 6 and 5 bits into three arrays of floats.
__global__ void unpack_fields(float* red, float* green, float* blue, const unsigned short* in) {
    const unsigned x = in[thread_in_grid()];
    red[thread_in_grid()] = (x >> 11) / 31.0f;
    green[thread_in_grid()] = (x >> 5 & 63) / 63.0f;
    blue[thread_in_grid()] = (x & 31) / 31.0f;
}
EXAMPLE(unpack_fields) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = integers<unsigned short>(n, 1 << 16);
    const auto r = zeros<float>(n), g = zeros<float>(n), b = zeros<float>(n);
    return checked([=] { unpack_fields<<<n / 256, 256>>>(r, g, b, in); }, g,
                   [=](std::size_t i) { return (in.start(i) >> 5 & 63) / 63.0f; }, 1e-6);
}

// Computes a histogram with four bins. Each thread packs its four counts into one register.
__global__ void count_four_kinds(int* out, const uchar4* in, int n) {
    unsigned counts = 0;  // one byte for each of the four kinds
    for (int i = thread_in_grid(); i < n; i += gridDim.x * blockDim.x) {
        const uchar4 v = in[i];
        counts += (1u << 8 * v.x) + (1u << 8 * v.y) + (1u << 8 * v.z) + (1u << 8 * v.w);
    }
    for (int kind = 0; kind < 4; ++kind) {
        const unsigned sum = __reduce_add_sync(~0u, counts >> 8 * kind & 255);
        if (threadIdx.x % 32 == kind) out[thread_in_grid() / 32 * 4 + kind] = sum;
    }
}
EXAMPLE(count_four_kinds) {
    const int threads = 264 * 256, n = threads * pick(48, 2);
    const auto in = integers<unsigned char>(4 * n, 4);
    const auto out = zeros<int>(threads / 8);
    const auto expected = [=](std::size_t i) {
        int count = 0;
        for (std::size_t lane = i / 4 * 32; lane < i / 4 * 32 + 32; ++lane)
            for (std::size_t k = lane; k < static_cast<std::size_t>(n); k += threads)
                for (std::size_t b = 0; b < 4; ++b) count += in.start(4 * k + b) == i % 4;
        return count;
    };
    return checked(
        [=] { count_four_kinds<<<264, 256>>>(out, reinterpret_cast<uchar4*>(in.get()), n); }, out,
        expected);
}

// Computes a histogram with 32 bins per block. Each lane has a column of counters in shared memory.
__global__ void histogram_columns(int* out, const unsigned char* in) {
    __shared__ int bins[32][32];
    for (int k = threadIdx.x; k < 1024; k += 32) bins[k / 32][k % 32] = 0;
    __syncwarp();
    for (int k = 0; k < 64; ++k) ++bins[in[(blockIdx.x * 64 + k) * 32 + threadIdx.x]][threadIdx.x];
    __syncwarp();
    int sum = 0;
    for (int k = 0; k < 32; ++k) sum += bins[threadIdx.x][(k + threadIdx.x) % 32];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
EXAMPLE(histogram_columns) {
    const int blocks = pick(2048, 20);
    const auto in = integers<unsigned char>(blocks * 2048, 32);
    const auto out = zeros<int>(blocks * 32);
    return checked([=] { histogram_columns<<<blocks, 32>>>(out, in); }, out,
                   [=](std::size_t i) {
                       return sum_of(i / 32 * 2048, i / 32 * 2048 + 2048,
                                     [&](std::size_t k) { return in.start(k) == i % 32; });
                   });
}

// Interpolates in a two-dimensional table.
__global__ void interpolate_2d(float* out, const float2* at, const float* table) {
    const float2 p = at[thread_in_grid()];
    const float fx = 62 * p.x, fy = 62 * p.y;
    const int x = static_cast<int>(fx), y = static_cast<int>(fy);
    const float* t = table + y * 64 + x;
    const float a = t[0] + (fx - x) * (t[1] - t[0]), b = t[64] + (fx - x) * (t[65] - t[64]);
    out[thread_in_grid()] = a + (fy - y) * (b - a);
}
EXAMPLE(interpolate_2d) {
    const int n = pick(1 << 20, 1 << 13);
    const auto at = floats(2 * n, 1), out = zeros<float>(n);
    const auto table = filled(4096, [](std::size_t i) {
        return static_cast<float>(i % 64) + 2 * static_cast<float>(i / 64);
    });
    return checked(
        [=] { interpolate_2d<<<n / 256, 256>>>(out, reinterpret_cast<float2*>(at.get()), table); },
        out, [=](std::size_t i) { return 62 * at.start(2 * i) + 124 * at.start(2 * i + 1); }, 1e-4);
}

// Gathers sixteen-byte vectors through an index.
__global__ void permute_vectors(float4* out, const float4* in, const int* index) {
    out[thread_in_grid()] = in[index[thread_in_grid()]];
}
EXAMPLE(permute_vectors) {
    const int n = pick(1 << 19, 1 << 12);
    const auto in = floats(4 * n), out = zeros<float>(4 * n);
    const auto index = integers(n, n);
    return checked(
        [=] {
            permute_vectors<<<n / 256, 256>>>(reinterpret_cast<float4*>(out.get()),
                                              reinterpret_cast<float4*>(in.get()), index);
        },
        out, [=](std::size_t i) { return in.start(index.start(i / 4) * 4 + i % 4); });
}

// Looks up doubles in a 32 KiB table.
__global__ void look_up_doubles(double* out, const unsigned short* at, const double* table) {
    out[thread_in_grid()] = table[at[thread_in_grid()]];
}
EXAMPLE(look_up_doubles) {
    const int n = pick(1 << 20, 1 << 13);
    const auto at = integers<unsigned short>(n, 4096);
    const auto table = doubles(4096), out = zeros<double>(n);
    return checked([=] { look_up_doubles<<<n / 512, 512>>>(out, at, table); }, out,
                   [=](std::size_t i) { return table.start(at.start(i)); });
}

// Looks up keys in a hash table with open addressing, two thirds of whose slots are occupied.
__global__ void probe_table(int* out, const unsigned* keys, const uint2* table, unsigned mask) {
    const unsigned key = keys[thread_in_grid()];
    unsigned at = key * 2654435761u & mask;
    uint2 entry = table[at];
    while (entry.x != key && entry.x != 0) entry = table[at = at + 1 & mask];
    out[thread_in_grid()] = entry.x == key ? static_cast<int>(entry.y) : -1;
}
EXAMPLE(probe_table) {
    const unsigned size = pick(1 << 19, 1 << 12);
    std::vector<unsigned> entries(2 * size);
    for (unsigned i = 0; i < size / 3 * 2; ++i) {
        const unsigned key = 2 * i + 2;
        unsigned at = key * 2654435761u & (size - 1);
        while (entries[2 * at] != 0) at = (at + 1) & (size - 1);
        entries[2 * at] = key;
        entries[2 * at + 1] = i;
    }
    const Buffer<unsigned> table(std::move(entries));
    const int n = pick(1 << 20, 1 << 13);
    const auto keys = filled(n, [=](std::size_t i) { return noise(i) % (size / 3 * 4) + 2; });
    const auto out = zeros<int>(n);
    const auto expected = [=](std::size_t i) {
        const unsigned key = keys.start(i);
        return key % 2 == 0 && key / 2 - 1 < size / 3 * 2 ? static_cast<int>(key / 2 - 1) : -1;
    };
    return checked(
        [=] {
            probe_table<<<n / 256, 256>>>(out, keys, reinterpret_cast<uint2*>(table.get()),
                                          size - 1);
        },
        out, expected);
}

// Reads every third float.
__global__ void every_third(float* out, const float* in) {
    out[thread_in_grid()] = 2 * in[3 * thread_in_grid() + 1];
}
EXAMPLE(every_third) {
    const int n = pick(1 << 21, 1 << 13);
    const auto in = floats(3 * n), out = zeros<float>(n);
    return checked([=] { every_third<<<n / 256, 256>>>(out, in); }, out,
                   [=](std::size_t i) { return 2 * in.start(3 * i + 1); });
}
