#include "lab/proof/validate/access_pattern.h"

#include <iterator>

#include "harness/text.h"
#include "lab/proof/validate/dice.h"

namespace coalesce::proof {
namespace {

/// The strides, pitches and masks of active lanes to draw from. They include powers of two and
/// their neighbours, the row lengths of tiles with and without padding, and odd pitches.
constexpr int kStridesInElements[] = {
    1,  1,  1,  1,  2,  2,  3,  4,  4,  5,   6,   7,   8,   9,   12,  15,  16,   17,   24,   31,
    32, 33, 36, 48, 63, 64, 65, 66, 96, 100, 127, 128, 129, 130, 257, 777, 1000, 1023, 1024, 1025};
constexpr int kPitchesInElements[] = {0,  1,  8,  16, 17, 31, 32,  33,  34,  36,  40,   48,   63,
                                      64, 65, 68, 72, 96, 99, 127, 128, 129, 777, 1000, 1024, 1025};
constexpr unsigned kLaneMasks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x00000001,
                                   0x80000000, 0x0f0f0f0f, 0x33333333, 0x11111111, 0x000000ff,
                                   0x01010101, 0x7fffffff, 0x00ffff00, 0x80000001, 0x00000000};
struct BlockShape {
    unsigned x, y;
};
/// Shapes of blocks in which a warp is a row, a rectangle or a column, and shapes with a partial
/// last warp.
constexpr BlockShape kBlockShapes[] = {{32, 1}, {32, 4},  {32, 8}, {16, 16}, {8, 32},  {64, 4},
                                       {4, 64}, {128, 1}, {2, 64}, {1, 96},  {33, 3},  {5, 7},
                                       {31, 5}, {40, 2},  {1, 1},  {48, 3},  {256, 1}, {7, 32}};

unsigned random_lane_mask(PatternRandom& random) {
    if (!random.is_one_in(3)) return 0xffffffff;
    if (random.is_one_in(2)) return random.one_of(kLaneMasks);
    return static_cast<unsigned>(random.next_random());
}

AccessFormula random_access_formula(PatternRandom& random, unsigned element_count) {
    AccessFormula access;
    access.elements = element_count;
    access.thread_x_stride = random.is_one_in(12) ? 0 : random.one_of(kStridesInElements);
    if (random.is_one_in(8)) access.thread_x_stride = -access.thread_x_stride;
    access.thread_y_stride = random.one_of(kPitchesInElements);
    access.block_stride = random.one_of(kStridesInElements);
    if (random.is_one_in(2)) access.offset = random.below(64);
    if (random.is_one_in(4)) access.row_swizzle_mask = static_cast<unsigned>(random.below(64));
    if (random.is_one_in(8)) access.scatter_seed = static_cast<unsigned>(random.next_random()) | 1;
    access.lane_mask = random_lane_mask(random);
    if (random.is_one_in(4))
        access.participating_threads = static_cast<unsigned>(1 + random.below(256));
    return access;
}

std::string format_term(int factor, const char* name) {
    if (factor == 0) return "";
    return format("%+d%s", factor, name);
}

}  // namespace

std::string AccessFormula::text() const {
    std::string index = format_term(thread_x_stride, "x") + format_term(thread_y_stride, "y") +
                        format_term(block_stride, "b");
    if (offset != 0 || index.empty()) index += format("%+d", offset);
    if (index[0] == '+') index.erase(0, 1);
    if (scatter_seed != 0) index = format("hash(%s, %x)", index.c_str(), scatter_seed);
    if (row_swizzle_mask != 0) index += format("^%u", row_swizzle_mask);
    if (lane_mask != 0xffffffff) index += format(", lanes %08x", lane_mask);
    if (participating_threads < 4096) index += format(", threads < %u", participating_threads);
    return index;
}

std::string AccessPattern::text() const {
    std::string description = format("%d bytes, %u blocks of %ux%u; load %s", element_bytes, blocks,
                                     block_x, block_y, load.text().c_str());
    if (uses_shared_memory) {
        description +=
            "; shared store " + shared_store.text() + "; shared load " + shared_load.text();
    }
    return description + "; store " + store.text();
}

std::vector<AccessPattern> random_patterns(int count, std::uint64_t seed) {
    constexpr int kElementSizes[] = {1, 2, 4, 8, 16};
    PatternRandom random(mix(seed));
    std::vector<AccessPattern> patterns;
    for (int i = 0; i < count; ++i) {
        AccessPattern pattern;
        // Use every element size equally often, and use shared memory in about two out of three
        // patterns.
        pattern.element_bytes = kElementSizes[i % std::size(kElementSizes)];
        pattern.uses_shared_memory = !random.is_one_in(3);
        const BlockShape block = random.one_of(kBlockShapes);
        pattern.block_x = block.x;
        pattern.block_y = block.y;
        pattern.blocks = static_cast<unsigned>(1 + random.below(5));
        const auto size = static_cast<unsigned>(pattern.element_bytes);
        pattern.load = random_access_formula(random, kPatternBytes / size);
        pattern.store = random_access_formula(random, kPatternBytes / size);
        pattern.shared_store = random_access_formula(random, kPatternSharedBytes / size);
        pattern.shared_load = random_access_formula(random, kPatternSharedBytes / size);
        // Each block has its own shared memory, so the index must not depend on the block.
        pattern.shared_store.block_stride = pattern.shared_load.block_stride = 0;
        patterns.push_back(pattern);
    }
    return patterns;
}

}  // namespace coalesce::proof
