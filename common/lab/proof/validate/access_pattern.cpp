#include "lab/proof/validate/access_pattern.h"

#include <iterator>

#include "harness/text.h"
#include "lab/proof/validate/dice.h"

namespace coalesce::proof {
namespace {

/// The strides, pitches and masks of active lanes to draw from. They include powers of two and
/// their neighbours, the row lengths of tiles with and without padding, and odd pitches.
constexpr int kStrides[] = {1,  1,   1,   1,   2,   2,   3,   4,   4,    5,    6,    7,   8,  9,
                            12, 15,  16,  17,  24,  31,  32,  33,  36,   48,   63,   64,  65, 66,
                            96, 100, 127, 128, 129, 130, 257, 777, 1000, 1023, 1024, 1025};
constexpr int kPitches[] = {0,  1,  8,  16, 17, 31, 32,  33,  34,  36,  40,   48,   63,
                            64, 65, 68, 72, 96, 99, 127, 128, 129, 777, 1000, 1024, 1025};
constexpr unsigned kMasks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x00000001,
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

unsigned random_mask(DiceRandom& dice) {
    if (!dice.one_in(3)) return 0xffffffff;
    if (dice.one_in(2)) return dice.one_of(kMasks);
    return static_cast<unsigned>(dice.roll());
}

AccessFormula random_access(DiceRandom& dice, unsigned elements) {
    AccessFormula access;
    access.elements = elements;
    access.along_x = dice.one_in(12) ? 0 : dice.one_of(kStrides);
    if (dice.one_in(8)) access.along_x = -access.along_x;
    access.along_y = dice.one_of(kPitches);
    access.along_block = dice.one_of(kStrides);
    if (dice.one_in(2)) access.offset = dice.below(64);
    if (dice.one_in(4)) access.exclusive_or = static_cast<unsigned>(dice.below(64));
    if (dice.one_in(8)) access.scatter = static_cast<unsigned>(dice.roll()) | 1;
    access.lane_mask = random_mask(dice);
    if (dice.one_in(4)) access.participating_threads = static_cast<unsigned>(1 + dice.below(256));
    return access;
}

std::string term(int factor, const char* name) {
    if (factor == 0) return "";
    return format("%+d%s", factor, name);
}

}  // namespace

std::string AccessFormula::text() const {
    std::string index = term(along_x, "x") + term(along_y, "y") + term(along_block, "b");
    if (offset != 0 || index.empty()) index += format("%+d", offset);
    if (index[0] == '+') index.erase(0, 1);
    if (scatter != 0) index = format("hash(%s, %x)", index.c_str(), scatter);
    if (exclusive_or != 0) index += format("^%u", exclusive_or);
    if (lane_mask != 0xffffffff) index += format(", lanes %08x", lane_mask);
    if (participating_threads < 4096) index += format(", threads < %u", participating_threads);
    return index;
}

std::string AccessPattern::text() const {
    std::string all = format("%d bytes, %u blocks of %ux%u; load %s", element_bytes, blocks,
                             block_x, block_y, load.text().c_str());
    if (through_shared) {
        all += "; shared store " + shared_store.text() + "; shared load " + shared_load.text();
    }
    return all + "; store " + store.text();
}

std::vector<AccessPattern> random_patterns(int count, std::uint64_t seed) {
    constexpr int kSizes[] = {1, 2, 4, 8, 16};
    DiceRandom dice(mix(seed));
    std::vector<AccessPattern> patterns;
    for (int i = 0; i < count; ++i) {
        AccessPattern pattern;
        // Use every element size equally often, and use shared memory in about two out of three
        // patterns.
        pattern.element_bytes = kSizes[i % std::size(kSizes)];
        pattern.through_shared = !dice.one_in(3);
        const BlockShape block = dice.one_of(kBlockShapes);
        pattern.block_x = block.x;
        pattern.block_y = block.y;
        pattern.blocks = static_cast<unsigned>(1 + dice.below(5));
        const auto size = static_cast<unsigned>(pattern.element_bytes);
        pattern.load = random_access(dice, kPatternBytes / size);
        pattern.store = random_access(dice, kPatternBytes / size);
        pattern.shared_store = random_access(dice, kPatternSharedBytes / size);
        pattern.shared_load = random_access(dice, kPatternSharedBytes / size);
        // Each block has its own shared memory, so the index must not depend on the block.
        pattern.shared_store.along_block = pattern.shared_load.along_block = 0;
        patterns.push_back(pattern);
    }
    return patterns;
}

}  // namespace coalesce::proof
