// Tests which arguments of a tensor map are rejected, which values a map stores, and how swizzling
// moves data.
#include "simulator/memory/tensor_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace coalesce::simulator;

namespace {

/// Valid arguments of a tensor map: 256 x 256 floats, in boxes of 32 x 32.
struct Given {
    alignas(128) u8 map[kTensorMapBytes] = {};
    u64 size[5] = {256, 256, 1, 1, 1}, strides[4] = {1024, 1024, 1024, 1024};
    u32 box[5] = {32, 32, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    TensorMapArguments arguments{.encoded_map = map,
                                 .type = 7,
                                 .rank = 2,
                                 .address = 0x1000,
                                 .size = size,
                                 .strides = strides,
                                 .box = box,
                                 .element_strides = steps};
};

struct Wrong {
    const char* word;  ///< text that the error message must contain
    std::function<void(Given&)> change;
};

}  // namespace

TEST_CASE("a map stores its parameters") {
    Given given;
    given.arguments.swizzle = 3;
    REQUIRE(encode_map(given.arguments) == "");
    const std::optional<TensorMap> map = decode_map(given.map);
    REQUIRE(map);
    CHECK(map->address == 0x1000);
    CHECK(map->rank == 2);
    CHECK(map->element_bytes == 4);
    CHECK(map->swizzle == Swizzle::by_128);
    CHECK(map->size[0] == 256);
    CHECK(map->stride[0] == 4);
    CHECK(map->stride[1] == 1024);
    CHECK(map->box_bytes() == 32 * 32 * 4);
}

TEST_CASE("the largest array is accepted") {
    Given given;
    given.size[0] = u64{1} << 32;
    given.strides[0] = (u64{1} << 40) - 16;
    REQUIRE(encode_map(given.arguments) == "");
    CHECK(decode_map(given.map)->size[0] == u64{1} << 32);
    CHECK(decode_map(given.map)->stride[1] == (u64{1} << 40) - 16);
}

TEST_CASE("bytes that do not form a map are recognized") {
    u8 bytes[kTensorMapBytes] = {};
    CHECK(!decode_map(bytes));
    for (u8& byte : bytes) byte = 0x5a;
    CHECK(!decode_map(bytes));
}

TEST_CASE("a copy of a map is valid, but a map with a changed byte is not") {
    Given given;
    given.arguments.swizzle = 3;
    REQUIRE(encode_map(given.arguments) == "");
    u8 copy[kTensorMapBytes];
    std::copy_n(given.map, kTensorMapBytes, copy);
    REQUIRE(decode_map(copy));
    for (u8& byte : copy) {
        for (const int change : {1, 2, 31, 0x80, 0xff}) {
            const u8 before = byte;
            byte = static_cast<u8>(byte ^ change);
            CHECK(!decode_map(copy));
            byte = before;
        }
    }
    CHECK(decode_map(copy)->swizzle == Swizzle::by_128);
}

TEST_CASE("the size of a box may exceed 32 bits") {
    Given given;
    given.arguments.rank = 5;
    for (u32& length : given.box) length = 256;
    REQUIRE(encode_map(given.arguments) == "");
    CHECK(decode_map(given.map)->box_bytes() == u64{256} * 256 * 256 * 256 * 256 * 4);
}

TEST_CASE("arguments that are rejected") {
    const Wrong wrong[] = {
        {"tensorMap", [](Given& g) { g.arguments.encoded_map = g.map + 8; }},
        {"tensorMap", [](Given& g) { g.arguments.encoded_map = nullptr; }},
        {"tensorDataType", [](Given& g) { g.arguments.type = 13; }},
        {"tensorRank", [](Given& g) { g.arguments.rank = 0; }},
        {"tensorRank", [](Given& g) { g.arguments.rank = 6; }},
        {"null", [](Given& g) { g.arguments.size = nullptr; }},
        {"null", [](Given& g) { g.arguments.strides = nullptr; }},
        {"globalAddress", [](Given& g) { g.arguments.address = 0x1008; }},
        {"globalAddress", [](Given& g) { g.arguments.address = 0; }},
        {"globalDim[1]", [](Given& g) { g.size[1] = 0; }},
        {"globalDim[0]", [](Given& g) { g.size[0] = (u64{1} << 32) + 1; }},
        {"globalStrides[0]", [](Given& g) { g.strides[0] = 1032; }},
        {"globalStrides[0]", [](Given& g) { g.strides[0] = u64{1} << 40; }},
        {"boxDim[1]", [](Given& g) { g.box[1] = 0; }},
        {"boxDim[1]", [](Given& g) { g.box[1] = 257; }},
        {"boxDim[0]", [](Given& g) { g.box[0] = 3; }},
        {"elementStrides[1]", [](Given& g) { g.steps[1] = 9; }},
        {"not simulated", [](Given& g) { g.steps[1] = 2; }},
        {"not simulated", [](Given& g) { g.arguments.interleave = 1; }},
        {"swizzle", [](Given& g) { g.arguments.swizzle = 9; }},
        {"64 bytes", [](Given& g) { g.arguments.swizzle = 2; }},
        {"l2Promotion", [](Given& g) { g.arguments.promotion = 4; }},
        {"oobFill", [](Given& g) { g.arguments.fill = 2; }},
        {"NaN", [](Given& g) { g.arguments.fill = 1, g.arguments.type = 3; }},
    };
    for (const Wrong& one : wrong) {
        Given given;
        one.change(given);
        const std::string fault = encode_map(given.arguments);
        CHECK_MESSAGE(fault.find(one.word) != fault.npos, one.word << ": " << fault);
        CHECK(!decode_map(given.map));
    }
}

TEST_CASE("a swizzle permutes 16-byte chunks within its span") {
    for (u32 mode = 0; mode < 4; ++mode) {
        const auto swizzle = static_cast<Swizzle>(mode);
        std::set<u32> places;
        for (u32 address = 0; address < 2048; ++address) {
            const u32 place = swizzle_address(swizzle, address);
            CHECK(place / (16u << mode) == address / (16u << mode));
            CHECK(place % 16 == address % 16);
            places.insert(place);
        }
        CHECK(places.size() == 2048);
    }
    // Swizzling moves chunks at the same position in eight consecutive lines to eight different
    // positions.
    std::set<u32> places;
    for (u32 line = 0; line < 8; ++line)
        places.insert(swizzle_address(Swizzle::by_128, line * 128 + 32) % 128);
    CHECK(places.size() == 8);
}
