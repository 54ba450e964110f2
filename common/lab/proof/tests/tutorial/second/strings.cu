// Bytes, texts and dynamic programming.
#include "../checked.cuh"

using namespace tutorial;

namespace {

Buffer<char> letters(std::size_t n, std::uint32_t seed = 1) {
    return filled(n, [=](std::size_t i) {
        const std::uint32_t x = noise(i, seed) % 30;
        return static_cast<char>(x < 26 ? 'a' + x : ' ');
    });
}

}  // namespace

// Converts letters to upper case, sixteen bytes per thread.
__global__ void capitals(uint4* text) {
    uint4 v = text[thread_in_grid()];
    const auto raised = [](unsigned x) {
        const unsigned is_letter = __vcmpgeu4(x, 0x61616161) & __vcmpleu4(x, 0x7a7a7a7a);
        return x - (is_letter & 0x20202020);
    };
    text[thread_in_grid()] = make_uint4(raised(v.x), raised(v.y), raised(v.z), raised(v.w));
}
EXAMPLE(capitals) {
    const int n = pick(1 << 24, 1 << 15);
    const auto text = letters(n);
    return in_place([=] { capitals<<<n / 16 / 128, 128>>>(reinterpret_cast<uint4*>(text.get())); },
                    text,
                    [=](std::size_t i) {
                        const char c = text.start(i);
                        return c >= 'a' && c <= 'z' ? c - 32 : c;
                    });
}

// Counts the words that begin in each run of 512 bytes.
__global__ void count_words(int* out, const char* text) {
    const int i = thread_in_grid();
    const bool begins = text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    const int all = __syncthreads_count(begins);
    if (threadIdx.x == 0) out[blockIdx.x] = all;
}
EXAMPLE(count_words) {
    const int n = pick(1 << 22, 1 << 14);
    const auto text = letters(n);
    const auto out = zeros<int>(n / 512);
    return checked([=] { count_words<<<n / 512, 512>>>(out, text); }, out,
                   [=](std::size_t b) {
                       return sum_of(b * 512, b * 512 + 512, [&](std::size_t i) {
                           return text.start(i) != ' ' && (i == 0 || text.start(i - 1) == ' ');
                       });
                   });
}

// Counts the bits in which each row of 256 bits differs from a key.
__global__ void hamming_distances(int* out, const uint4* rows, const uint4* key) {
    const int row = thread_in_grid();
    int bits = 0;
    for (int k = 0; k < 2; ++k) {
        const uint4 a = rows[row * 2 + k], b = key[k];
        bits += __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w);
    }
    out[row] = bits;
}
EXAMPLE(hamming_distances) {
    const int n = pick(1 << 19, 1 << 12);
    const auto rows = filled(8 * n, [](std::size_t i) { return noise(i); }),
               key = filled(8, [](std::size_t i) { return noise(i, 2); });
    const auto out = zeros<int>(n);
    const auto four = [](const Buffer<unsigned>& b) { return reinterpret_cast<uint4*>(b.get()); };
    return checked([=] { hamming_distances<<<n / 256, 256>>>(out, four(rows), four(key)); }, out,
                   [=](std::size_t r) {
                       return sum_of(0, 8, [&](std::size_t k) {
                           return __builtin_popcount(rows.start(r * 8 + k) ^ key.start(k));
                       });
                   });
}

// Computes a checksum of each 64-byte line, with a table in shared memory.
__global__ void check_sums(unsigned* out, const unsigned char* text, const unsigned* table) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = table[threadIdx.x];
    s[threadIdx.x + 128] = table[threadIdx.x + 128];
    __syncthreads();
    unsigned sum = ~0u;
    for (int k = 0; k < 64; ++k) sum = s[(sum ^ text[thread_in_grid() * 64 + k]) & 255] ^ sum >> 8;
    out[thread_in_grid()] = ~sum;
}
EXAMPLE(check_sums) {
    const int lines = pick(1 << 16, 1 << 10);
    const auto text = integers<unsigned char>(lines * 64, 256);
    const auto table = filled(256, [](std::size_t i) { return noise(i, 7); });
    const auto out = zeros<unsigned>(lines);
    const auto expected = [=](std::size_t line) {
        unsigned sum = ~0u;
        for (std::size_t k = 0; k < 64; ++k)
            sum = table.start((sum ^ text.start(line * 64 + k)) & 255) ^ sum >> 8;
        return ~sum;
    };
    return checked([=] { check_sums<<<lines / 128, 128>>>(out, text, table); }, out, expected);
}

// Shifts the letters of the alphabet by thirteen (ROT13).
__global__ void rotate_letters(char* out, const char* in) {
    const char c = in[thread_in_grid()];
    out[thread_in_grid()] = c >= 'a' && c <= 'z' ? (c - 'a' + 13) % 26 + 'a' : c;
}
EXAMPLE(rotate_letters) {
    const int n = pick(1 << 22, 1 << 14);
    const auto in = letters(n), out = zeros<char>(n);
    return checked([=] { rotate_letters<<<n / 256, 256>>>(out, in); }, out,
                   [=](std::size_t i) {
                       const char c = in.start(i);
                       return c == ' ' ? c : (c - 'a' + 13) % 26 + 'a';
                   });
}

// Encodes every three bytes as four base-64 digits.
__global__ void encode_64(uchar4* out, const unsigned char* in) {
    const int i = thread_in_grid();
    const unsigned bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    const auto digit = [=](int at) {
        const unsigned d = bits >> at & 63;
        return static_cast<unsigned char>(d < 26    ? 'A' + d
                                          : d < 52  ? 'a' + d - 26
                                          : d < 62  ? '0' + d - 52
                                          : d == 62 ? '+'
                                                    : '/');
    };
    out[i] = make_uchar4(digit(18), digit(12), digit(6), digit(0));
}
EXAMPLE(encode_64) {
    const int n = pick(1 << 20, 1 << 13);
    const auto in = integers<unsigned char>(3 * n, 256), out = zeros<unsigned char>(4 * n);
    const auto expected = [=](std::size_t i) {
        const std::size_t at = i / 4 * 3;
        const unsigned bits = in.start(at) << 16 | in.start(at + 1) << 8 | in.start(at + 2);
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            [bits >> (18 - 6 * (i % 4)) & 63];
    };
    return checked([=] { encode_64<<<n / 256, 256>>>(reinterpret_cast<uchar4*>(out.get()), in); },
                   out, expected);
}

// Writes words as eight hexadecimal digits.
__global__ void hexadecimal(uint2* out, const unsigned* in) {
    const unsigned x = in[thread_in_grid()];
    const auto digits = [](unsigned half) {
        unsigned text = 0;
        for (int k = 0; k < 4; ++k) {
            const unsigned d = half >> (12 - 4 * k) & 15;
            text |= (d + (d < 10 ? '0' : 'a' - 10)) << 8 * k;
        }
        return text;
    };
    out[thread_in_grid()] = make_uint2(digits(x >> 16), digits(x & 0xffff));
}
EXAMPLE(hexadecimal) {
    const int n = pick(1 << 20, 1 << 13);
    const auto in = filled(n, [](std::size_t i) { return noise(i); });
    const auto out = zeros<char>(8 * n);
    return checked([=] { hexadecimal<<<n / 512, 512>>>(reinterpret_cast<uint2*>(out.get()), in); },
                   out,
                   [=](std::size_t i) {
                       return "0123456789abcdef"[in.start(i / 8) >> (28 - 4 * (i % 8)) & 15];
                   });
}

// Finds longest common subsequences of pairs of 32-letter strings along diagonals, one warp per
// pair.
__global__ void common_subsequences(int* out, const char* a, const char* b) {
    const int pair = thread_in_grid() / 32, lane = threadIdx.x % 32;
    const char own = a[pair * 32 + lane];
    int before = 0, here = 0;  // this lane's last two cells
    for (int step = 0; step < 63; ++step) {
        int up = __shfl_up_sync(~0u, here, 1), corner = __shfl_up_sync(~0u, before, 1);
        if (lane == 0) up = corner = 0;
        const int j = step - lane;
        if (j < 0 || j > 31) continue;
        if (j == 0) corner = 0;
        before = here;
        here = b[pair * 32 + j] == own ? corner + 1 : max(up, here);
    }
    if (lane == 31) out[pair] = here;
}
EXAMPLE(common_subsequences) {
    const int pairs = pick(1 << 14, 1 << 8);
    const auto a = letters(pairs * 32, 1), b = letters(pairs * 32, 2);
    const auto out = zeros<int>(pairs);
    const auto expected = [=](std::size_t p) {
        int row[33] = {};
        for (std::size_t i = 0; i < 32; ++i) {
            int corner = 0;
            for (std::size_t j = 0; j < 32; ++j) {
                const int up = row[j + 1];
                row[j + 1] =
                    a.start(p * 32 + i) == b.start(p * 32 + j) ? corner + 1 : std::max(up, row[j]);
                corner = up;
            }
        }
        return row[32];
    };
    return checked([=] { common_subsequences<<<pairs / 4, 128>>>(out, a, b); }, out, expected);
}

// Performs one step of a knapsack computation: adds an item, and updates the best value per weight.
__global__ void knapsack_item(int* out, const int* best, int n, int weight, int value) {
    const int w = thread_in_grid();
    if (w < n) out[w] = max(best[w], w >= weight ? best[w - weight] + value : 0);
}
EXAMPLE(knapsack_item) {
    const int n = pick(1 << 20, 1 << 13);
    const auto best = integers(n, 1000), out = zeros<int>(n);
    return checked([=] { knapsack_item<<<n / 192 + 1, 192>>>(out, best, n, 777, 50); }, out,
                   [=](std::size_t w) {
                       const int with = w >= 777 ? best.start(w - 777) + 50 : 0;
                       return std::max(best.start(w), with);
                   });
}

// Performs a Viterbi step: finds the best of 32 predecessors for each state of each sequence.
__global__ void viterbi_step(float* out, const float* score, const float* cost) {
    __shared__ float c[32][33];
    for (int k = threadIdx.x; k < 1024; k += 256) c[k / 32][k % 32] = cost[k];
    __syncthreads();
    const int lane = threadIdx.x % 32;
    const float own = score[thread_in_grid()];
    float best = 1e30f;
    for (int k = 0; k < 32; ++k) best = fminf(best, __shfl_sync(~0u, own, k) + c[k][lane]);
    out[thread_in_grid()] = best;
}
EXAMPLE(viterbi_step) {
    const int n = pick(1 << 20, 1 << 12);
    const auto score = floats(n, 1), cost = floats(1024, 2), out = zeros<float>(n);
    const auto expected = [=](std::size_t i) {
        float best = 1e30f;
        for (std::size_t k = 0; k < 32; ++k)
            best = std::min(best, score.start(i / 32 * 32 + k) + cost.start(k * 32 + i % 32));
        return best;
    };
    return checked([=] { viterbi_step<<<n / 256, 256>>>(out, score, cost); }, out, expected, 1e-6);
}

// Parses numbers of eight decimal digits, one per thread.
__global__ void read_numbers(int* out, const char* text) {
    int number = 0;
    for (int k = 0; k < 8; ++k) number = number * 10 + text[thread_in_grid() * 8 + k] - '0';
    out[thread_in_grid()] = number;
}
EXAMPLE(read_numbers) {
    const int n = pick(1 << 20, 1 << 13);
    const auto text =
        filled(8 * n, [](std::size_t i) { return static_cast<char>('0' + noise(i) % 10); });
    const auto out = zeros<int>(n);
    const auto expected = [=](std::size_t i) {
        int number = 0;
        for (std::size_t k = 0; k < 8; ++k) number = number * 10 + text.start(i * 8 + k) - '0';
        return number;
    };
    return checked([=] { read_numbers<<<n / 128, 128>>>(out, text); }, out, expected);
}

// Computes the parity of eight blocks of data, as a RAID does.
__global__ void parity(uint4* out, const uint4* in, int n) {
    const int i = thread_in_grid();
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int k = 0; k < 8; ++k) {
        const uint4 v = in[k * n + i];
        sum.x ^= v.x, sum.y ^= v.y, sum.z ^= v.z, sum.w ^= v.w;
    }
    out[i] = sum;
}
EXAMPLE(parity) {
    const int n = pick(1 << 20, 1 << 12);
    const auto in = filled(8 * n, [](std::size_t i) { return noise(i); });
    const auto out = zeros<unsigned>(n);
    const auto four = [](const Buffer<unsigned>& b) { return reinterpret_cast<uint4*>(b.get()); };
    const auto expected = [=](std::size_t i) {
        unsigned sum = 0;
        for (std::size_t k = 0; k < 8; ++k) sum ^= in.start(k * n + i);
        return sum;
    };
    return checked([=] { parity<<<n / 4 / 256, 256>>>(four(out), four(in), n / 4); }, out,
                   expected);
}
