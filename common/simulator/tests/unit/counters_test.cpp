// Compares the counting rules with results that were computed by hand, and with a straightforward
// implementation of the rules.
#include "simulator/counters/counters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace coalesce::simulator;

namespace {

// ---- a straightforward implementation of the rules, with sets ----

u32 sectors_by_rule(const std::vector<u64>& addresses, u32 bytes, Mask active) {
    std::set<u64> sectors;
    for (int l = 0; l < kLanes; ++l) {
        if (!(active >> l & 1)) continue;
        for (u32 byte = 0; byte < bytes; ++byte) sectors.insert((addresses[l] + byte) / 32);
    }
    return static_cast<u32>(sectors.size());
}

Wavefronts wavefronts_by_rule(const std::vector<u32>& addresses, u32 bytes, Mask active) {
    const int passes = bytes == 16 ? 4 : bytes == 8 ? 2 : 1;
    Wavefronts result;
    for (int pass = 0; pass < passes; ++pass) {
        std::map<u64, std::set<u64>> words_of_bank;
        for (int l = pass * kLanes / passes; l < (pass + 1) * kLanes / passes; ++l) {
            if (!(active >> l & 1)) continue;
            for (u32 byte = 0; byte < bytes; ++byte) {
                const u64 word = (u64{addresses[l]} + byte) / 4;
                words_of_bank[word % 32].insert(word);
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
        result.wavefront_count += static_cast<u32>(most);
        result.ideal_count += most > 0;
    }
    return result;
}

// ---- patterns ----

struct Pattern {
    std::vector<u64> addresses = std::vector<u64>(kLanes);
    u32 bytes = 4;
    Mask active = kAllLanes;
};

Mask some_mask(std::mt19937& random) {
    switch (random() % 8) {
        case 0: return random();
        case 1: return random() & random() & random();
        case 2: return kAllLanes >> random() % 32;
        case 3: return kAllLanes << random() % 32;
        case 4: return 1u << random() % 32;
        default: return kAllLanes;
    }
}

Pattern some_pattern(std::mt19937& random, bool may_be_misaligned) {
    Pattern p;
    p.bytes = 1u << random() % 5;
    p.active = some_mask(random);
    const u64 base = 4096 + random() % 64 * 4;
    const i64 stride = static_cast<i64>(random() % 140) - 70;
    const u32 kind = random() % 7;
    for (int l = 0; l < kLanes; ++l) {
        u64 element = 0;
        switch (kind) {
            case 0: element = static_cast<u64>(100 + l); break;               // adjacent
            case 1: element = static_cast<u64>(3000 + l * stride); break;     // constant stride
            case 2: element = 5; break;                                       // broadcast
            case 3: element = random() % 64; break;                           // hash, small range
            case 4: element = random() % 100000; break;                       // hash, large range
            case 5: element = static_cast<u64>((l % 8) * 33 + l / 8); break;  // a padded tile
            default: element = static_cast<u64>(l * 32 + (l ^ 5)); break;     // a swizzled tile
        }
        p.addresses[l] = base / p.bytes * p.bytes + element * p.bytes;
        if (may_be_misaligned && kind % 2) p.addresses[l] += random() % 3;
    }
    return p;
}

std::vector<u32> low_words(const std::vector<u64>& addresses) {
    return {addresses.begin(), addresses.end()};
}

template <class Address>
std::vector<Address> strided(Address base, Address stride) {
    std::vector<Address> addresses(kLanes);
    for (int l = 0; l < kLanes; ++l) addresses[l] = base + static_cast<Address>(l) * stride;
    return addresses;
}

u32 sectors(u64 base, u64 stride, u32 bytes, Mask active = kAllLanes) {
    return count_sectors(strided<u64>(base, stride).data(), bytes, active);
}
Wavefronts wavefronts(u32 base, u32 stride, u32 bytes, Mask active = kAllLanes) {
    return count_wavefronts(strided<u32>(base, stride).data(), bytes, active,
                            SharedAccessKind::store);
}

}  // namespace

TEST_CASE("sector counts equal those computed by hand") {
    CHECK(sectors(0, 4, 4) == 4);
    CHECK(sectors(4, 4, 4) == 5);  // shifted by one element, which adds a sector
    CHECK(sectors(0, 8, 8) == 8);
    CHECK(sectors(0, 16, 16) == 16);
    CHECK(sectors(0, 4096, 4) == 32);  // a column of a matrix
    CHECK(sectors(64, 0, 4) == 1);     // all lanes use one address
    CHECK(sectors(0, 2, 2) == 2);
    CHECK(sectors(0, 1, 1) == 1);
    CHECK(sectors(0, 4, 4, 0) == 0);
    CHECK(sectors(0, 4, 4, 0x000000ff) == 1);
    CHECK(sectors(0, 4, 4, 0x80000001) == 2);
    CHECK(sectors(30, 0, 4) == 2);  // one misaligned address touches two sectors
    CHECK(sectors(u64{1} << 46, 4, 4) == 4);
}

TEST_CASE("sector counts do not depend on the order of the lanes") {
    std::vector<u64> addresses = strided<u64>(1024, 4);
    std::reverse(addresses.begin(), addresses.end());
    CHECK(count_sectors(addresses.data(), 4, kAllLanes) == 4);
    std::shuffle(addresses.begin(), addresses.end(), std::mt19937(1));
    CHECK(count_sectors(addresses.data(), 4, kAllLanes) == 4);
}

TEST_CASE("for random lanes, the sector count equals that of a straightforward implementation") {
    std::mt19937_64 random(2);
    for (int turn = 0; turn < 3000; ++turn) {
        const u32 bytes = 1u << random() % 5, bits = 6 + static_cast<u32>(random() % 40);
        const Mask active = turn % 2 ? kAllLanes : static_cast<Mask>(random());
        std::vector<u64> addresses(kLanes);
        std::set<u64> expected;
        for (u32 l = 0; l < kLanes; ++l) {
            addresses[l] =
                (random() & ((u64{1} << bits) - 1)) / bytes * bytes + (turn % 7 == 0 ? 1 : 0);
            if (!(active >> l & 1)) continue;
            for (u32 b = 0; b < bytes; ++b) expected.insert((addresses[l] + b) >> 5);
        }
        CAPTURE(turn);
        CHECK(count_sectors(addresses.data(), bytes, active) == expected.size());
    }
}

TEST_CASE("wavefront counts equal those computed by hand") {
    CHECK(wavefronts(0, 4, 4).wavefront_count == 1);
    CHECK(wavefronts(0, 4, 4).ideal_count == 1);
    CHECK(wavefronts(0, 0, 4).wavefront_count == 1);     // all lanes read the same word
    CHECK(wavefronts(0, 128, 4).wavefront_count == 32);  // a column of a tile 32 words wide
    CHECK(wavefronts(0, 132, 4).wavefront_count == 1);   // a column of a tile padded to 33 words
    CHECK(wavefronts(0, 8, 4).wavefront_count == 2);
    CHECK(wavefronts(0, 64, 4).wavefront_count == 16);
    CHECK(wavefronts(4000, 0u - 128, 4).wavefront_count == 32);
    CHECK(wavefronts(0, 1, 1).wavefront_count == 1);
    CHECK(wavefronts(0, 2, 2).wavefront_count == 1);
    CHECK(wavefronts(0, 128, 2).wavefront_count == 32);
    CHECK(wavefronts(0, 8, 8).wavefront_count ==
          2);  // one wavefront per half warp, without a conflict
    CHECK(wavefronts(0, 8, 8).ideal_count == 2);
    CHECK(wavefronts(0, 16, 16).wavefront_count == 4);
    CHECK(wavefronts(0, 16, 16).ideal_count == 4);
    CHECK(wavefronts(0, 16, 8).wavefront_count == 4);  // the lanes use every other pair of banks
    CHECK(wavefronts(0, 128, 16).wavefront_count == 32);
    CHECK(wavefronts(0, 4, 4, 0).wavefront_count == 0);
    CHECK(wavefronts(0, 4, 4, 0).ideal_count == 0);
    CHECK(wavefronts(0, 128, 4, 0x7).wavefront_count == 3);
    CHECK(wavefronts(0, 8, 8, 0x0000ffff).ideal_count == 1);  // the upper half warp is inactive
    CHECK(wavefronts(0, 8, 8, 0x00010001).ideal_count == 2);
    CHECK(wavefronts(0, 16, 16, 0x01010100).ideal_count == 3);
}

TEST_CASE("for random lanes, the wavefront count equals that of a straightforward implementation") {
    std::mt19937 random(20240501);
    for (int i = 0; i < 50000; ++i) {
        const Pattern p = some_pattern(random, i % 4 == 0);
        const std::vector<u32> low = low_words(p.addresses);
        const u32 sectors = count_sectors(p.addresses.data(), p.bytes, p.active);
        const Wavefronts got =
            count_wavefronts(low.data(), p.bytes, p.active, SharedAccessKind::store);
        const Wavefronts want = wavefronts_by_rule(low, p.bytes, p.active);
        REQUIRE(sectors == sectors_by_rule(p.addresses, p.bytes, p.active));
        REQUIRE(got.wavefront_count == want.wavefront_count);
        REQUIRE(got.ideal_count == want.ideal_count);
    }
}

TEST_CASE("requests to shared memory take the same number of wavefronts as on an H200") {
    struct Measured {
        u32 bytes;
        Mask active;
        u32 wavefronts;
        u32 units[kLanes];
        SharedAccessKind kind;
    };
    const Measured all[] = {
#define LOAD(BYTES, ACTIVE, WAVEFRONTS, ...) \
    {BYTES, ACTIVE, WAVEFRONTS, {__VA_ARGS__}, SharedAccessKind::load},
#define STORE(BYTES, ACTIVE, WAVEFRONTS, ...) \
    {BYTES, ACTIVE, WAVEFRONTS, {__VA_ARGS__}, SharedAccessKind::store},
#include "simulator/tests/hardware/shared_requests.inc"
    };
    int shared = 0;
    for (const Measured& m : all) {
        u32 offsets[kLanes];
        for (int l = 0; l < kLanes; ++l) offsets[l] = m.units[l] * m.bytes;
        const Wavefronts got = count_wavefronts(offsets, m.bytes, m.active, m.kind);
        CHECK(got.wavefront_count == m.wavefronts);
        CHECK(got.ideal_count <= got.wavefront_count);
        shared +=
            got.wavefront_count !=
            count_wavefronts(offsets, m.bytes, m.active, SharedAccessKind::store).wavefront_count;
    }
    CHECK(shared > 20);  // loads and stores are counted differently in more than 20 cases
}

TEST_CASE("a pass loads eight matrix rows, even if pairs of lanes have equal addresses") {
    const auto wavefronts = [](u32 row_bytes, Mask active, u32 lanes_per_row) {
        u32 rows[kLanes];
        for (u32 l = 0; l < kLanes; ++l) rows[l] = l / lanes_per_row * row_bytes;
        return count_wavefronts(rows, 16, active, SharedAccessKind::matrix);
    };
    CHECK(wavefronts(16, kAllLanes, 1).wavefront_count == 4);
    CHECK(wavefronts(128, kAllLanes, 1).wavefront_count == 32);
    CHECK(wavefronts(128, kAllLanes, 1).ideal_count == 4);
    CHECK(wavefronts(144, kAllLanes, 1).wavefront_count == 4);
    CHECK(wavefronts(128, 0xffff, 1).wavefront_count == 16);
    CHECK(wavefronts(128, 0xff, 1).ideal_count == 1);
    // An ordinary 16-byte load would take 2 wavefronts.
    CHECK(wavefronts(16, kAllLanes, 2).wavefront_count == 4);
}

TEST_CASE("the addresses of inactive lanes are ignored") {
    std::vector<u64> addresses = strided<u64>(0, 4);
    std::vector<u32> low = strided<u32>(0, 4);
    for (int l = 8; l < kLanes; ++l) addresses[l] = ~u64{0} - static_cast<u64>(l), low[l] = ~0u;
    CHECK(count_sectors(addresses.data(), 4, 0xff) == 1);
    CHECK(count_wavefronts(low.data(), 4, 0xff, SharedAccessKind::load).wavefront_count == 1);
}

TEST_CASE("totals are added field by field") {
    SiteCounters a{.requests = 1,
                   .sectors = 2,
                   .useful_bytes = 3,
                   .shared_requests = 4,
                   .wavefronts = 5,
                   .ideal_wavefronts = 6};
    a += SiteCounters{.requests = 10,
                      .sectors = 20,
                      .useful_bytes = 30,
                      .shared_requests = 40,
                      .wavefronts = 50,
                      .ideal_wavefronts = 60};
    CHECK(a.requests == 11);
    CHECK(a.sectors == 22);
    CHECK(a.useful_bytes == 33);
    CHECK(a.shared_requests == 44);
    CHECK(a.wavefronts == 55);
    CHECK(a.ideal_wavefronts == 66);
}

// ---- atomics, compared with an H200 ----

namespace {

/// An access pattern, in which lane l accesses element l / divisor % modulus * factor.
struct AtomicPattern {
    u32 factor, divisor, modulus;
    Mask active;
    u32 sectors_32, sectors_64;  ///< sectors in global memory for 32 and for 64 bits per lane
    u32 exchange, compare, compare_64;  ///< wavefronts in shared memory
};

constexpr AtomicPattern kAtomicPatterns[] = {
    {1, 1, 32, kAllLanes, 4, 8, 1, 2, 4},        // adjacent words
    {1, 1, 1, kAllLanes, 32, 32, 32, 64, 64},    // one word for all lanes
    {1, 2, 32, kAllLanes, 4, 8, 2, 4, 8},        // pairs of lanes share a word
    {1, 4, 32, kAllLanes, 4, 8, 4, 8, 16},       // groups of four lanes share a word
    {2, 1, 32, kAllLanes, 8, 16, 2, 4, 8},       // strides of 2, 4 and 32 words
    {4, 1, 32, kAllLanes, 16, 32, 4, 8, 16},     //
    {32, 1, 32, kAllLanes, 32, 32, 32, 64, 64},  //
    {1, 1, 16, kAllLanes, 4, 8, 2, 4, 4},        // both half warps use the same elements
    {32, 1, 2, kAllLanes, 32, 32, 32, 64, 64},   // two words of one bank
    {8, 1, 32, 0xff, 8, 8, 2, 4, 8},             // eight active lanes
    {1, 1, 1, 0xf, 4, 4, 4, 8, 8},               // four active lanes, one word
};

}  // namespace

TEST_CASE("atomics on the same word are serialized, and their counts equal those of an H200") {
    for (const AtomicPattern& p : kAtomicPatterns) {
        u64 near[kLanes], far[kLanes];
        u32 words[kLanes], doubles[kLanes];
        for (u32 l = 0; l < kLanes; ++l) {
            const u32 element = l / p.divisor % p.modulus * p.factor;
            near[l] = words[l] = 4 * element;
            far[l] = doubles[l] = 8 * element;
        }
        CAPTURE(p.factor);
        CAPTURE(p.divisor);
        CAPTURE(p.modulus);
        CHECK(count_atomic_sectors(near, 4, p.active) == p.sectors_32);
        CHECK(count_atomic_sectors(far, 8, p.active) == p.sectors_64);
        CHECK(count_atomic_wavefronts(words, 4, p.active, false).wavefront_count == p.exchange);
        CHECK(count_atomic_wavefronts(words, 4, p.active, true).wavefront_count == p.compare);
        CHECK(count_atomic_wavefronts(doubles, 8, p.active, true).wavefront_count == p.compare_64);
    }
}

TEST_CASE("the ideal count of an atomic assumes that each lane has its own bank") {
    u32 words[kLanes], doubles[kLanes];
    for (u32 l = 0; l < kLanes; ++l) words[l] = 4 * l, doubles[l] = 8 * l;
    CHECK(count_atomic_wavefronts(words, 4, kAllLanes, false).ideal_count == 1);
    CHECK(count_atomic_wavefronts(words, 4, kAllLanes, true).ideal_count == 2);
    CHECK(count_atomic_wavefronts(doubles, 8, kAllLanes, true).ideal_count == 4);
    CHECK(count_atomic_wavefronts(doubles, 8, 0xffff, true).ideal_count == 2);
    CHECK(count_atomic_wavefronts(words, 4, 0, false).wavefront_count == 0);
    const u64 none[kLanes] = {};
    CHECK(count_atomic_sectors(none, 4, 0) == 0);
}
