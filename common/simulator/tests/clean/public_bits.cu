// Hashes, ciphers, codes and counters: integer arithmetic, packed words and all kinds of atomics.
#include "../cases.h"

#include <algorithm>
#include <cstdint>
#include <string>

// clean sha256_of_messages
__constant__ uint32_t round_constants[64];
__host__ __device__ inline uint32_t rotate_right(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}
__global__ void sha256(uint32_t* digests, const uint8_t* messages, int length, int count) {
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count) return;
    const uint8_t* m = messages + id * length;
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
        uint32_t word = 0;
        for (int k = 0; k < 4; ++k) {
            const int at = 4 * i + k;
            const uint32_t byte = at < length ? m[at] : at == length ? 0x80u : 0u;
            word = word << 8 | byte;
        }
        w[i] = i == 15 ? 8u * length : word;
    }
    for (int i = 16; i < 64; ++i) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
    }
    const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t s[8];
    for (int i = 0; i < 8; ++i) s[i] = first[i];
    for (int i = 0; i < 64; ++i) {
        const uint32_t e = s[4], a = s[0];
        const uint32_t t1 = s[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + round_constants[i] + w[i];
        const uint32_t t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; --k) s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) digests[id * 8 + i] = s[i] + first[i];
}
/// Returns the first 32 bits of the fractional part of a prime's cube root.
static uint32_t cube_root_bits(unsigned prime) {
    unsigned __int128 low = 0, high = (unsigned __int128)(1) << 36;
    const unsigned __int128 target = (unsigned __int128)(prime) << 96;
    while (high - low > 1) {
        const unsigned __int128 middle = (low + high) / 2;
        (middle * middle * middle <= target ? low : high) = middle;
    }
    return static_cast<uint32_t>(low);
}
static void sha256_of_messages() {
    std::vector<uint32_t> k;
    for (unsigned p = 2; k.size() < 64; ++p) {
        bool prime = true;
        for (unsigned d = 2; d * d <= p; ++d) prime &= p % d != 0;
        if (prime) k.push_back(cube_root_bits(p));
    }
    need(cudaMemcpyToSymbol(round_constants, k.data(), 64 * sizeof(uint32_t)));
    const std::string text = "abcabdxyz";
    auto* digests = device_zeros<uint32_t>(24);
    sha256<<<1, 32>>>(digests, to_device(std::vector<uint8_t>(text.begin(), text.end())), 3, 3);
    const auto got = to_host(digests, 24);
    expect(got[0] == 0xba7816bf && got[1] == 0x8f01cfea && got[7] == 0xf20015ad, "abc");
    expect(got[8] != got[0] && got[16] != got[8], "other messages");
}

// clean crc_by_pieces
// Each thread computes the CRC of one piece. A tree reduction shifts and combines the CRCs.
__device__ uint32_t crc_step(uint32_t crc, uint8_t byte) {
    crc ^= byte;
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    return crc;
}
__global__ void crc32_pieces(uint32_t* result, const uint8_t* data, int piece) {
    __shared__ uint32_t part[32];
    const int t = threadIdx.x;
    uint32_t crc = t == 0 ? ~0u : 0;
    for (int i = 0; i < piece; ++i) crc = crc_step(crc, data[t * piece + i]);
    part[t] = crc;
    for (int span = 1; span < 32; span *= 2) {
        __syncwarp();
        if (t % (2 * span) == 0) {
            uint32_t shifted = part[t];
            for (int i = 0; i < span * piece; ++i) shifted = crc_step(shifted, 0);
            part[t] = shifted ^ part[t + span];
        }
    }
    if (t == 0) *result = ~part[0];
}
static void crc_by_pieces() {
    const auto numbers = random_numbers(32 * 10, 256);
    const std::vector<uint8_t> data(numbers.begin(), numbers.end());
    auto* result = device_zeros<uint32_t>(1);
    crc32_pieces<<<1, 32>>>(result, to_device(data), 10);
    uint32_t crc = ~0u;
    for (const uint8_t byte : data) {
        crc ^= byte;
        for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    expect(to_host(result, 1)[0] == ~crc, "crc");
}

// clean bit_planes_by_ballot
__global__ void transpose_bits(uint32_t* planes, const uint32_t* words) {
    const uint32_t word = words[blockIdx.x * 32 + threadIdx.x];
    uint32_t mine = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const uint32_t plane = __ballot_sync(~0u, word >> bit & 1);
        if (threadIdx.x == bit) mine = plane;
    }
    planes[blockIdx.x * 32 + threadIdx.x] = mine;
}
static void bit_planes_by_ballot() {
    std::vector<uint32_t> words(96);
    for (int i = 0; i < 96; ++i) words[i] = i * 2654435761u;
    auto *planes = device_zeros<uint32_t>(96), *back = device_zeros<uint32_t>(96);
    transpose_bits<<<3, 32>>>(planes, to_device(words));
    transpose_bits<<<3, 32>>>(back, planes);
    expect(to_host(back, 96) == words, "twice transposed");
    for (int i = 0; i < 32; ++i)
        expect((to_host(planes, 96)[i] >> 5 & 1) == (words[5] >> i & 1), "plane");
}

// clean primes_by_sieve
// Several threads clear bits of the same word with atomics.
__global__ void sieve(unsigned* bits, int n) {
    for (int p = 2 + blockIdx.x * blockDim.x + threadIdx.x; p * p <= n;
         p += gridDim.x * blockDim.x) {
        for (int m = p * p; m <= n; m += p) atomicAnd(&bits[m / 32], ~(1u << m % 32));
    }
}
__global__ void count_bits(int* count, const unsigned* bits, int n) {
    int mine = 0;
    for (int i = 2 + threadIdx.x; i <= n; i += blockDim.x) mine += bits[i / 32] >> i % 32 & 1;
    atomicAdd(count, mine);
}
static void primes_by_sieve() {
    const int n = 2000;
    unsigned* bits = to_device(std::vector<unsigned>(n / 32 + 1, ~0u));
    int* count = device_zeros<int>(1);
    sieve<<<2, 32>>>(bits, n);
    count_bits<<<1, 64>>>(count, bits, n);
    expect(to_host(count, 1)[0] == 303, "primes up to 2000");
}

// clean every_atomic_on_one_word
struct Words {
    int add, sub, low, high, swapped, inc, dec, all, any, odd, cas;
    unsigned long long wide;
    double sum;
};
__global__ void hammer(Words* w, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&w->add, i);
        atomicSub(&w->sub, i);
        atomicMin(&w->low, -i);
        atomicMax(&w->high, i);
        atomicExch(&w->swapped, i);
        atomicInc(reinterpret_cast<unsigned*>(&w->inc), 9);
        atomicDec(reinterpret_cast<unsigned*>(&w->dec), 9);
        atomicAnd(&w->all, ~(1 << i % 8));
        atomicOr(&w->any, 1 << i % 20);
        atomicXor(&w->odd, i);
        for (int seen = *static_cast<volatile int*>(&w->cas), old;; seen = old) {
            old = atomicCAS(&w->cas, seen, seen + 2);
            if (old == seen) break;
        }
        atomicMax(&w->wide, 1ull << i % 50);
        atomicAdd(&w->sum, .5);
    }
}
static void every_atomic_on_one_word() {
    const int n = 100;
    Words zero = {};
    zero.all = -1;
    Words* w = to_device(std::vector<Words>{zero});
    hammer<<<1, 64>>>(w, n);
    const Words got = to_host(w, 1)[0];
    int odd = 0;
    for (int i = 0; i < n; ++i) odd ^= i;
    expect(got.add == 4950 && got.sub == -4950 && got.low == -99 && got.high == 99, "sums");
    expect(got.swapped >= 0 && got.swapped < n && got.inc == 0 && got.dec == 0, "counters");
    expect(got.all == ~255 && got.any == (1 << 20) - 1 && got.odd == odd, "bits");
    expect(got.cas == 200 && got.wide == 1ull << 49 && got.sum == 50, "others");
}

// clean huffman_with_variable_lengths
// A prefix sum computes the offsets of the codes. Adjacent codes share words of the output.
__global__ void encode(unsigned* out, int* total, const uint8_t* symbols, const uint2* codes) {
    __shared__ int offset[128];
    const int t = threadIdx.x;
    const uint2 code = codes[symbols[t]];  // bits and length
    offset[t] = code.y;
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        const int before = t >= d ? offset[t - d] : 0;
        __syncthreads();
        offset[t] += before;
    }
    const int at = offset[t] - code.y, word = at / 32, shift = at % 32;
    atomicOr(&out[word], code.x << shift);
    if (shift + code.y > 32) atomicOr(&out[word + 1], code.x >> (32 - shift));
    if (t == 127) *total = offset[t];
}
static void huffman_with_variable_lengths() {
    const std::vector<uint2> codes{{0b0, 1}, {0b01, 2}, {0b011, 3}, {0b111, 3}};
    const auto numbers = random_numbers(128, 4);
    auto* out = device_zeros<unsigned>(16);
    int* total = device_zeros<int>(1);
    encode<<<1, 128>>>(out, total, to_device(std::vector<uint8_t>(numbers.begin(), numbers.end())),
                       to_device(codes));
    const auto words = to_host(out, 16);
    int at = 0;
    for (const int want : numbers) {
        int ones = 0;
        while (ones < 3 && words[at / 32] >> at % 32 & 1) ++at, ++ones;
        if (ones < 3) ++at;
        expect(ones == want, "symbol");
    }
    expect(at == to_host(total, 1)[0], "length");
}

// clean morton_order_of_points
__host__ __device__ inline uint32_t spread(uint32_t x) {
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}
__global__ void morton(uint32_t* codes, const ushort2* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) codes[i] = spread(points[i].x) | spread(points[i].y) << 1;
}
__global__ void common_prefixes(int* lengths, const uint32_t* sorted, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) lengths[i] = __clz(sorted[i] ^ sorted[i + 1]);
}
static void morton_order_of_points() {
    const int n = 100;
    std::vector<ushort2> points(n);
    for (int i = 0; i < n; ++i) points[i] = {(unsigned short)(i * 37), (unsigned short)(i * 911)};
    auto* codes = device_zeros<uint32_t>(n);
    morton<<<1, 128>>>(codes, to_device(points), n);
    auto got = to_host(codes, n);
    for (int i = 0; i < n; ++i) {
        uint32_t want = 0;
        for (int b = 0; b < 16; ++b)
            want |= uint32_t(points[i].x >> b & 1) << 2 * b | uint32_t(points[i].y >> b & 1) << (2 * b + 1);
        expect(got[i] == want, "code");
    }
    std::sort(got.begin(), got.end());
    int* lengths = device_zeros<int>(n);
    common_prefixes<<<2, 64>>>(lengths, to_device(got), n);
    const auto found = to_host(lengths, n);
    for (int i = 0; i + 1 < n; ++i) {
        int want = 0;
        while (want < 32 && (got[i] >> (31 - want) & 1) == (got[i + 1] >> (31 - want) & 1)) ++want;
        expect(found[i] == want, "prefix");
    }
}

// clean big_integers_with_carries
// Each thread adds or multiplies 256-bit integers with PTX instructions that propagate carries.
struct Big {
    uint32_t limb[8];
};
__device__ Big add(const Big& a, const Big& b) {
    Big r;
    asm("add.cc.u32 %0, %1, %2;" : "=r"(r.limb[0]) : "r"(a.limb[0]), "r"(b.limb[0]));
#pragma unroll
    for (int i = 1; i < 7; ++i)
        asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r.limb[i]) : "r"(a.limb[i]), "r"(b.limb[i]));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r.limb[7]) : "r"(a.limb[7]), "r"(b.limb[7]));
    return r;
}
__device__ Big multiply(const Big& a, uint32_t by) {
    Big r;
    uint64_t carry = 0;
    for (int i = 0; i < 8; ++i) {
        carry += uint64_t(a.limb[i]) * by;
        r.limb[i] = uint32_t(carry);
        carry >>= 32;
    }
    return r;
}
__global__ void factorials(Big* out, int n) {
    Big f = {{1}};
    for (int i = 2; i <= int(threadIdx.x); ++i) f = multiply(f, i);
    if (threadIdx.x < n) out[threadIdx.x] = f;
}
__global__ void sums(Big* out, const Big* in, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = add(in[i], in[(i + 1) % n]);
}
static void big_integers_with_carries() {
    const int n = 50;
    auto *f = device_zeros<Big>(n), *s = device_zeros<Big>(n);
    factorials<<<1, 64>>>(f, n);
    sums<<<1, 64>>>(s, f, n);
    const auto a = to_host(f, n), b = to_host(s, n);
    expect(a[20].limb[0] == 2192834560u && a[20].limb[1] == 566454140u, "20!");
    for (int i = 0; i < n; ++i) {
        uint64_t carry = 0;
        for (int k = 0; k < 8; ++k) {
            carry += uint64_t(a[i].limb[k]) + a[(i + 1) % n].limb[k];
            expect(b[i].limb[k] == uint32_t(carry), "sum");
            carry >>= 32;
        }
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"sha256_of_messages", sha256_of_messages},
                        {"crc_by_pieces", crc_by_pieces},
                        {"bit_planes_by_ballot", bit_planes_by_ballot},
                        {"primes_by_sieve", primes_by_sieve},
                        {"every_atomic_on_one_word", every_atomic_on_one_word},
                        {"huffman_with_variable_lengths", huffman_with_variable_lengths},
                        {"morton_order_of_points", morton_order_of_points},
                        {"big_integers_with_carries", big_integers_with_carries},
                    });
}
