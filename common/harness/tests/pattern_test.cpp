// Tests that the pattern is one-to-one, never contains poison or zero, and contains values that a
// faulty copy is likely to change.
#include "harness/pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "base/errors.h"
#include "harness/problem.h"

using namespace coalesce;

namespace {

constexpr std::uint64_t most_elements = (std::uint64_t{1} << 31) - 1;

bool holds(const Pattern& pattern, std::uint64_t count, std::uint64_t low) {
    for (std::uint64_t i = 0; i < count; ++i) {
        if (pattern.value_at(i).low == low) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("the bit mixing is invertible") {
    for (std::uint64_t i = 0; i < 100000; ++i) {
        const std::uint64_t value = i * 0x9e3779b97f4a7c15;
        REQUIRE(unmix(mix(value)) == value);
        const auto half = static_cast<std::uint32_t>(value >> 32);
        REQUIRE(unmix(mix(half)) == half);
    }
}

TEST_CASE("elements of 4, 8 or 16 bytes encode their positions") {
    for (const std::size_t size : {4, 8, 16}) {
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x123456789abcdef}}) {
            CAPTURE(size);
            CAPTURE(seed);
            const Pattern pattern(size, seed);
            for (std::uint64_t i = 0; i < 50000; ++i) {
                REQUIRE(pattern.index_of(pattern.value_at(i), most_elements) == i);
            }
            for (std::uint64_t i = most_elements - 1000; i < most_elements; ++i) {
                REQUIRE(pattern.index_of(pattern.value_at(i), most_elements) == i);
            }
            CHECK_FALSE(pattern.index_of(pattern.value_at(1000), 1000));
            CHECK_FALSE(pattern.index_of(pattern.poison(), most_elements));
            CHECK_FALSE(pattern.index_of(Bits{}, most_elements));
        }
    }
}

TEST_CASE("4-byte elements differ even where consecutive floats would be equal") {
    // A float cannot represent 2^24 + 1, so if the elements counted up, two of them would be equal.
    const Pattern pattern(4);
    std::set<std::uint64_t> values;
    for (std::uint64_t i = 0; i < 4096; ++i) values.insert(pattern.value_at((1 << 24) + i).low);
    CHECK(values.size() == 4096);
}

TEST_CASE("the first 32 elements contain values that only a bitwise copy preserves") {
    const Pattern floats(4), doubles(8), halves(2);
    CHECK(holds(floats, 32, 0x80000000));
    CHECK(holds(floats, 32, 0x7fc01234));
    CHECK(holds(floats, 32, 0xffa5a5a5));
    CHECK(holds(floats, 32, 0x00000001));
    CHECK(holds(floats, 32, 0x807fffff));
    CHECK(holds(floats, 32, 0x7f7fffff));
    CHECK(holds(doubles, 32, 0x8000000000000000));
    CHECK(holds(doubles, 32, 0x7ff8000000001234));
    CHECK(holds(doubles, 32, 1));
    CHECK(holds(halves, 32, 0x8000));
    CHECK(holds(halves, 32, 0x7e12));
    // Some of these values must also occur with another seed or size.
    CHECK(holds(Pattern(4, 77), 32, 0x80000000));
    CHECK(holds(Pattern(16), 32, 0x8000000080000000));
}

TEST_CASE("no element that encodes its position is equal to the poison or to zero") {
    for (const std::size_t size : {1, 2, 4, 8, 16}) {
        CAPTURE(size);
        const Pattern pattern(size);
        unsigned char bytes[16];
        std::memset(bytes, kPoisonByte, sizeof bytes);
        CHECK(pattern.poison() == pattern.load(bytes, 0));
        std::uint64_t poison = 0, zero = 0;
        for (std::uint64_t i = 0; i < 300000; ++i) {
            poison += pattern.value_at(i) == pattern.poison();
            zero += pattern.value_at(i) == Bits{};
        }
        CHECK(poison == 0);
        CHECK((zero == 0) == (size >= 4));
    }
}

TEST_CASE("1-byte elements take every value except one") {
    const Pattern pattern(1);
    std::set<std::uint64_t> values;
    for (std::uint64_t i = 0; i < 100000; ++i) values.insert(pattern.value_at(i).low);
    CHECK(values.size() == 255);
}

TEST_CASE("different seeds give different elements") {
    int same = 0;
    for (std::uint64_t i = 100; i < 1100; ++i)
        same += Pattern(4, 1).value_at(i) == Pattern(4, 2).value_at(i);
    CHECK(same == 0);
}

TEST_CASE("fill writes the elements in order") {
    for (const std::size_t size : {1, 2, 4, 8, 16}) {
        CAPTURE(size);
        const Pattern pattern(size);
        std::vector<unsigned char> bytes(100 * size);
        pattern.fill(bytes.data(), 1000, 100);
        for (std::size_t i = 0; i < 100; ++i)
            REQUIRE(pattern.load(bytes.data(), i) == pattern.value_at(1000 + i));
    }
}

TEST_CASE("a 3-byte element is rejected") {
    CHECK_THROWS_AS(Pattern(3), UsageError);
}
