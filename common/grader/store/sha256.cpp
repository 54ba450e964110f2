#include "grader/store/sha256.h"

#include <bit>
#include <cstring>

namespace coalesce::grader {
namespace {

constexpr std::size_t kBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t big_endian(const std::uint8_t* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
           std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void take_block(State& state, const std::uint8_t* block) {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
    for (int i = 16; i < 64; ++i) {
        std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int i = 0; i < 64; ++i) {
        std::uint32_t sum = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        std::uint32_t first = h + sum + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
        sum = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        std::uint32_t second = sum + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

Digest sha256(std::string_view bytes) {
    State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t whole = bytes.size() / kBlock * kBlock;
    for (std::size_t i = 0; i < whole; i += kBlock) take_block(state, begin + i);

    // The rest of the data, a one, zeros, and the length in bits, which take one or two blocks.
    std::uint8_t tail[2 * kBlock] = {};
    std::size_t rest = bytes.size() - whole;
    if (rest > 0) std::memcpy(tail, begin + whole, rest);
    tail[rest] = 0x80;
    std::size_t size = rest + 9 <= kBlock ? kBlock : 2 * kBlock;
    std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int i = 0; i < 8; ++i) tail[size - 1 - i] = static_cast<std::uint8_t>(bits >> 8 * i);
    for (std::size_t i = 0; i < size; i += kBlock) take_block(state, tail + i);

    Digest digest;
    for (int i = 0; i < 32; ++i) {
        digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view message) {
    std::string short_key(key);
    if (key.size() > kBlock) {
        Digest digest = sha256(key);
        short_key.assign(digest.begin(), digest.end());
    }
    short_key.resize(kBlock, '\0');
    std::string inner = short_key, outer = short_key;
    for (char& letter : inner) letter ^= 0x36;
    for (char& letter : outer) letter ^= 0x5c;
    Digest digest = sha256(inner.append(message));
    return sha256(outer.append(digest.begin(), digest.end()));
}

std::string hex(const Digest& digest) {
    std::string text;
    for (std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string sha256_hex(std::string_view bytes) {
    return hex(sha256(bytes));
}

std::string sha256_of_parts(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (std::string_view part : parts) {
        all += std::to_string(part.size()) + ":";
        all += part;
    }
    return sha256_hex(all);
}

}  // namespace coalesce::grader
