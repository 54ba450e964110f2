#include "lab/proof/validate/matrix_pattern.h"

#include <algorithm>
#include <iterator>

#include "base/enum_names.h"
#include "harness/text.h"
#include "lab/proof/validate/dice.h"

namespace coalesce::proof {
namespace {

using Kind = MatrixPattern::Kind;

struct KindAndNames {
    const char *kernel, *text;
};

/// The names of the kinds, indexed by Kind.
constexpr KindAndNames kKindNames[] = {
    {"load_matrices", "ldmatrix"},
    {"store_matrices", "stmatrix"},
    {"load_fragment_shared", "wmma.load.shared"},
    {"load_fragment_global", "wmma.load.global"},
    {"store_fragment_shared", "wmma.store.shared"},
    {"store_fragment_global", "wmma.store.global"},
};

const KindAndNames& find_kind_names(Kind kind) {
    return kKindNames[static_cast<int>(kind)];
}

/// Returns a fragment's kind as text, such as "a of halves by rows".
std::string text_of(FragmentKind fragment) {
    std::string text = dashed_name(fragment);
    std::replace(text.begin(), text.end(), '-', ' ');
    return text;
}

/// Chooses rows of 8 to 80 halves: contiguous, swizzled, scattered, or shared by many lanes.
AccessFormula random_row_addresses(PatternRandom& random) {
    constexpr int kStrides[] = {1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 10, 16, 17, 32, 0};
    constexpr unsigned kRowsInSharedMemory = kPatternSharedBytes / 16;
    constexpr unsigned kRowLimits[] = {2, 4, 8, 16};
    AccessFormula rows;
    rows.thread_x_stride = random.one_of(kStrides);
    rows.elements = random.is_one_in(4) ? random.one_of(kRowLimits) : kRowsInSharedMemory;
    if (random.is_one_in(2)) rows.offset = random.below(16);
    if (random.is_one_in(3)) rows.row_swizzle_mask = static_cast<unsigned>(random.below(16));
    if (random.is_one_in(3)) rows.scatter_seed = static_cast<unsigned>(random.next_random()) | 1;
    return rows;
}

/// Returns a random kind of fragment. If the fragment is `is_stored`, it must be an accumulator,
/// because no other fragment can be stored.
FragmentKind random_fragment(PatternRandom& random, bool is_stored) {
    constexpr FragmentKind kAccumulatorFragments[] = {FragmentKind::sums_of_floats_by_rows,
                                                      FragmentKind::sums_of_floats_by_columns,
                                                      FragmentKind::sums_of_halves_by_columns};
    constexpr int kKinds = static_cast<int>(last_of(FragmentKind{})) + 1;
    return is_stored ? random.one_of(kAccumulatorFragments)
                     : static_cast<FragmentKind>(random.below(kKinds));
}

}  // namespace

std::string MatrixPattern::text() const {
    const std::string launch_text = format(", %u blocks of %u", blocks, block_x);
    if (is_fragment())
        return std::string(find_kind_names(kind).text) + " of " + text_of(fragment) +
               format(", stride %u", stride) + launch_text;
    return format("%s.x%d%s", find_kind_names(kind).text, matrices, is_transposed ? ".trans" : "") +
           launch_text + "; rows " + rows.text() +
           (rows.elements < kPatternSharedBytes / 16 ? format(" of %u", rows.elements) : "");
}

std::string MatrixPattern::kernel() const {
    return find_kind_names(kind).kernel;
}

std::vector<MatrixPattern> random_matrix_patterns(int count, std::uint64_t seed) {
    constexpr Kind kKinds[] = {Kind::load_matrices, Kind::load_matrices, Kind::store_matrices,
                               Kind::load_shared,   Kind::load_matrices, Kind::store_matrices,
                               Kind::load_global,   Kind::store_shared,  Kind::load_matrices,
                               Kind::store_global};
    constexpr int kMatrixCounts[] = {1, 2, 4};
    constexpr unsigned kBlockThreads[] = {32, 64, 96, 128}, kStrides[] = {16, 32, 48, 64, 80, 128};
    PatternRandom random(mix(seed + 1));
    std::vector<MatrixPattern> patterns;
    for (int i = 0; i < count; ++i) {
        MatrixPattern pattern;
        pattern.kind = kKinds[i % std::size(kKinds)];
        pattern.block_x = random.one_of(kBlockThreads);
        pattern.blocks = static_cast<unsigned>(1 + random.below(3));
        pattern.matrices = random.one_of(kMatrixCounts);
        pattern.is_transposed = random.is_one_in(3);
        pattern.rows = random_row_addresses(random);
        const bool is_stored =
            pattern.kind == Kind::store_shared || pattern.kind == Kind::store_global;
        pattern.fragment = random_fragment(random, is_stored);
        pattern.stride = random.one_of(kStrides) + (random.is_one_in(3) ? 16 : 0);
        patterns.push_back(pattern);
    }
    return patterns;
}

}  // namespace coalesce::proof
