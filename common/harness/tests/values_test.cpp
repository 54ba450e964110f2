// Tests how the verifier recognizes operations that change the values of elements.
#include "harness/values.h"

#include <doctest/doctest.h>

#include <bit>

using namespace coalesce;

namespace {

Bits bits_of(float value) {
    return {std::bit_cast<std::uint32_t>(value), 0};
}

Bits bits_of(double value) {
    return {std::bit_cast<std::uint64_t>(value), 0};
}

}  // namespace

TEST_CASE("a sum must be exact, but any NaN is accepted where a NaN is expected") {
    const float poison = std::bit_cast<float>(0xA7A7A7A7u);
    CHECK(is_sum(bits_of(1e-15f + poison), bits_of(1e-15f), bits_of(poison), 4));
    CHECK_FALSE(is_sum(bits_of(1e-15f), bits_of(1e-15f), bits_of(poison), 4));
    CHECK(is_sum({0x7fffffff, 0}, {0x7f800001, 0}, bits_of(poison), 4));
    CHECK_FALSE(is_sum(bits_of(1.0f), {0x7f800001, 0}, bits_of(poison), 4));
    CHECK(is_sum(bits_of(3.5), bits_of(1.25), bits_of(2.25), 8));
    CHECK_FALSE(is_sum({3, 0}, {1, 0}, {2, 0}, 2));
}

TEST_CASE("a conversion drops the fraction, and clamps values that are out of range") {
    const auto becomes = [](float from, float held, Integer type) {
        return is_converted(bits_of(held), bits_of(from), 4, type);
    };
    CHECK(becomes(2.75f, 2.0f, Integer::signed_32));
    CHECK(becomes(-2.75f, -2.0f, Integer::signed_32));
    CHECK_FALSE(becomes(-2.75f, -3.0f, Integer::signed_32));
    CHECK(becomes(1e20f, 2147483648.0f, Integer::signed_32));
    CHECK(becomes(1e20f, 4294967296.0f, Integer::unsigned_32));
    CHECK(becomes(-5.0f, 0.0f, Integer::unsigned_32));
    CHECK(becomes(1e18f, 1e18f, Integer::signed_64));
    CHECK_FALSE(becomes(1e18f, 1e18f, Integer::signed_32));
    CHECK(is_converted(bits_of(7.0), bits_of(7.9), 8, Integer::signed_32));
    CHECK_FALSE(is_converted({1, 0}, {1, 0}, 2, Integer::signed_32));
}
