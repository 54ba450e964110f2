// Tables, structs, graphs, texts.
#include "../checked.cuh"

using namespace tutorial;

namespace {

/// A struct of 20 bytes.
struct Sample {
    float a, b, c;
    int label, weight;
};

}  // namespace

// Multiplies two members of each 20-byte struct.
__global__ void weighted_labels(float* out, const Sample* all) {
    const Sample& s = all[thread_in_grid()];
    out[thread_in_grid()] = s.b * s.weight;
}
EXAMPLE(weighted_labels) {
    const int n = pick(1 << 20, 1 << 12);
    const auto all = filled(n, [](std::size_t i) {
        return Sample{1, static_cast<float>(noise(i) % 100), 3, 4,
                      static_cast<int>(noise(i, 2) % 7)};
    });
    const auto out = zeros<float>(n);
    return checked(
        [=] { weighted_labels<<<n / 128, 128>>>(out, all); }, out,
        [=](std::size_t i) { return all.start(i).b * static_cast<float>(all.start(i).weight); });
}

// Packs three arrays of coordinates into vectors of four elements.
__global__ void pack_points(float4* out, const float* x, const float* y, const float* z) {
    const int i = thread_in_grid();
    out[i] = make_float4(x[i], y[i], z[i], 1);
}
EXAMPLE(pack_points) {
    const int n = pick(1 << 20, 1 << 12);
    const auto x = floats(n, 1), y = floats(n, 2), z = floats(n, 3), out = zeros<float>(4 * n);
    return checked(
        [=] { pack_points<<<n / 256, 256>>>(reinterpret_cast<float4*>(out.get()), x, y, z); }, out,
        [=](std::size_t i) {
            return i % 4 == 0   ? x.start(i / 4)
                   : i % 4 == 1 ? y.start(i / 4)
                   : i % 4 == 2 ? z.start(i / 4)
                                : 1;
        });
}

// Computes a histogram of 64 bins per warp, by matching lanes with equal values.
__global__ void count_by_matches(int* out, const unsigned char* in) {
    __shared__ int bins[4][64];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bins[warp][lane] = bins[warp][lane + 32] = 0;
    __syncwarp();
    for (int k = 0; k < 32; ++k) {
        const int value = in[(thread_in_grid() / 32 * 32 + k) * 32 + lane];
        const unsigned same = __match_any_sync(~0u, value);
        if (lane == __ffs(same) - 1) bins[warp][value] += __popc(same);
        __syncwarp();
    }
    out[thread_in_grid() / 32 * 64 + lane] = bins[warp][lane];
    out[thread_in_grid() / 32 * 64 + lane + 32] = bins[warp][lane + 32];
}
EXAMPLE(count_by_matches) {
    const int warps = pick(2112, 16);
    const auto in = integers<unsigned char>(warps * 1024, 64);
    const auto out = zeros<int>(warps * 64);
    return checked([=] { count_by_matches<<<warps / 4, 128>>>(out, in); }, out,
                   [=](std::size_t i) {
                       return sum_of(i / 64 * 1024, i / 64 * 1024 + 1024,
                                     [&](std::size_t k) { return in.start(k) == i % 64; });
                   });
}

// Counts how many elements of each row of 128 lie in each of eight ranges, with one thread per row.
__global__ void count_ranges(unsigned short* out, const float* in, int rows) {
    unsigned counts[8] = {};
    for (int k = 0; k < 128; ++k) {
        const int range = static_cast<int>(8 * in[k * rows + thread_in_grid()]);
#pragma unroll
        for (int r = 0; r < 8; ++r) counts[r] += range == r;
    }
#pragma unroll
    for (int r = 0; r < 8; ++r) out[r * rows + thread_in_grid()] = counts[r];
}
EXAMPLE(count_ranges) {
    const int rows = pick(1 << 15, 1 << 9);
    const auto in = floats(rows * 128);
    const auto out = zeros<unsigned short>(8 * rows);
    return checked([=] { count_ranges<<<rows / 128, 128>>>(out, in, rows); }, out,
                   [=](std::size_t i) {
                       return sum_of(0, 128, [&](std::size_t k) {
                           return static_cast<std::size_t>(8 * in.start(k * rows + i % rows)) ==
                                  i / rows;
                       });
                   });
}

// Gathers rows of 32 floats through an index, with one warp per row.
__global__ void gather_rows(float* out, const float* in, const int* index) {
    const int row = thread_in_grid() / 32, lane = threadIdx.x % 32;
    out[row * 32 + lane] = in[index[row] * 32 + lane];
}
EXAMPLE(gather_rows) {
    const int rows = pick(1 << 17, 1 << 9);
    const auto in = floats(rows * 32), out = zeros<float>(rows * 32);
    const auto index = integers(rows, rows);
    return checked([=] { gather_rows<<<rows / 8, 256>>>(out, in, index); }, out,
                   [=](std::size_t i) { return in.start(index.start(i / 32) * 32 + i % 32); });
}

// Gathers doubles from an 8 MiB table.
__global__ void gather_doubles(double* out, const double* table, const int* index) {
    const int i = thread_in_grid();
    out[i] = table[index[2 * i]] + table[index[2 * i + 1]];
}
EXAMPLE(gather_doubles) {
    const int n = pick(1 << 19, 1 << 11), size = pick(1 << 20, 1 << 12);
    const auto table = doubles(size), out = zeros<double>(n);
    const auto index = integers(2 * n, size);
    return checked([=] { gather_doubles<<<n / 256, 256>>>(out, table, index); }, out,
                   [=](std::size_t i) {
                       return table.start(index.start(2 * i)) + table.start(index.start(2 * i + 1));
                   });
}

// Finds the position of each value in a sorted array of 65536 elements with binary search.
__global__ void find_places(int* out, const float* values, const float* sorted) {
    const float x = values[thread_in_grid()];
    int place = 0;
    for (int step = 32768; step > 0; step /= 2)
        if (sorted[place + step - 1] < x) place += step;
    out[thread_in_grid()] = place;
}
EXAMPLE(find_places) {
    const int n = pick(1 << 19, 1 << 11);
    const auto values = floats(n),
               sorted = filled(65536, [](std::size_t i) { return i / 65536.0f; });
    const auto out = zeros<int>(n);
    return checked([=] { find_places<<<n / 128, 128>>>(out, values, sorted); }, out,
                   [=](std::size_t i) {
                       const auto& all = sorted.start();
                       return std::min<std::ptrdiff_t>(
                           std::lower_bound(all.begin(), all.end(), values.start(i)) - all.begin(),
                           65535);
                   });
}

// Computes weighted sums of the values of eight neighbours in a ring of vertices.
__global__ void weigh_neighbours(float* out, const float* value, const int* neighbour,
                                 const float* weight) {
    const int v = thread_in_grid();
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += weight[v * 8 + k] * value[neighbour[v * 8 + k]];
    out[v] = sum;
}
EXAMPLE(weigh_neighbours) {
    const int n = pick(1 << 18, 1 << 11);
    const auto value = floats(n, 1), weight = floats(8 * n, 2), out = zeros<float>(n);
    const auto neighbour =
        filled(8 * n, [=](std::size_t i) { return static_cast<int>((i / 8 + noise(i) % 64) % n); });
    return checked([=] { weigh_neighbours<<<n / 256, 256>>>(out, value, neighbour, weight); }, out,
                   [=](std::size_t v) {
                       return sum_of(v * 8, v * 8 + 8, [&](std::size_t e) {
                           return weight.start(e) * value.start(neighbour.start(e));
                       });
                   },
                   1e-5);
}

// Counts the degrees of vertices in a bit matrix, with one warp per row of 2048 bits.
__global__ void degrees_of_rows(int* out, const uint2* rows) {
    const uint2 w = rows[thread_in_grid()];
    const int sum = __reduce_add_sync(~0u, static_cast<unsigned>(__popc(w.x) + __popc(w.y)));
    if (threadIdx.x % 32 == 0) out[thread_in_grid() / 32] = sum;
}
EXAMPLE(degrees_of_rows) {
    const int rows = pick(1 << 15, 1 << 7);
    const auto in = filled(rows * 64, [](std::size_t i) { return noise(i); });
    const auto out = zeros<int>(rows);
    return checked(
        [=] { degrees_of_rows<<<rows / 8, 256>>>(out, reinterpret_cast<const uint2*>(in.get())); },
        out,
        [=](std::size_t r) {
            return sum_of(r * 64, r * 64 + 64,
                          [&](std::size_t k) { return __builtin_popcount(in.start(k)); });
        });
}

// Compares each line of 32 letters with the preceding line.
__global__ void equal_lines(unsigned char* out, const uint4* text) {
    const int i = thread_in_grid();
    if (i == 0) return;
    const uint4 a = text[2 * i], b = text[2 * i + 1], c = text[2 * i - 2], d = text[2 * i - 1];
    out[i] = a.x == c.x && a.y == c.y && a.z == c.z && a.w == c.w && b.x == d.x && b.y == d.y &&
             b.z == d.z && b.w == d.w;
}
EXAMPLE(equal_lines) {
    const int lines = pick(1 << 19, 1 << 11);
    const auto text = filled(lines * 8, [](std::size_t i) { return noise(i / 8 / 3); });
    const auto out = zeros<unsigned char>(lines);
    return checked(
        [=] { equal_lines<<<lines / 256, 256>>>(out, reinterpret_cast<const uint4*>(text.get())); },
        out, [](std::size_t i) { return i % 3 != 0; });
}

// Packs six 5-bit letters into a word.
__global__ void pack_letters(unsigned* out, const unsigned char* text) {
    unsigned word = 0;
    for (int k = 0; k < 6; ++k) word |= (text[thread_in_grid() * 6 + k] & 31u) << 5 * k;
    out[thread_in_grid()] = word;
}
EXAMPLE(pack_letters) {
    const int n = pick(1 << 19, 1 << 11);
    const auto text = integers<unsigned char>(6 * n, 128);
    const auto out = zeros<unsigned>(n);
    return checked([=] { pack_letters<<<n / 128, 128>>>(out, text); }, out,
                   [=](std::size_t i) {
                       unsigned word = 0;
                       for (std::size_t k = 0; k < 6; ++k)
                           word |= (text.start(6 * i + k) & 31u) << 5 * k;
                       return word;
                   });
}

// Computes a row of the Needleman-Wunsch table from the preceding row, for many pairs in parallel.
__global__ void alignment_row(short* out, const short* before, const unsigned char* match, int n) {
    const int pair = thread_in_grid();
    short left = -1, corner = 0;
    for (int j = 0; j < 32; ++j) {
        const short up = before[j * n + pair];
        const short best = max(max(corner + (match[j * n + pair] ? 2 : -1), up - 1), left - 1);
        out[j * n + pair] = left = best;
        corner = up;
    }
}
EXAMPLE(alignment_row) {
    const int n = pick(1 << 16, 1 << 10);
    const auto before = integers<short>(32 * n, 40);
    const auto match = integers<unsigned char>(32 * n, 2);
    const auto out = zeros<short>(32 * n);
    const auto expected = [=](std::size_t i) {
        int left = -1, corner = 0;
        for (std::size_t j = 0; j <= i / n; ++j) {
            const int up = before.start(j * n + i % n);
            left = std::max({corner + (match.start(j * n + i % n) ? 2 : -1), up - 1, left - 1});
            corner = up;
        }
        return left;
    };
    return checked([=] { alignment_row<<<n / 128, 128>>>(out, before, match, n); }, out, expected);
}
