#include <algorithm>
#include <vector>

#include "base/text.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

using BlockSize = std::array<long long, 3>;

constexpr long long kMaxThreads = 1024, kMinThreads = 32;

/// Returns the values of the kernel's named constants, such as TILE_DIM = 32.
std::vector<long long> list_constants(const std::string& text) {
    static const TextPattern constant(R"(\b[A-Z][A-Z_0-9]*\s*=\s*(\d{1,4})\b)");
    constexpr std::size_t max_constants = 8;
    std::vector<long long> values;
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, constant)) {
        const long long value = std::stoll(match.str(1));
        if (std::ranges::count(values, value) == 0) values.push_back(value);
        if (values.size() == max_constants) break;
    }
    return values;
}

/// Returns the block sizes that the constants suggest. For a 32 x 32 tile and blocks with 8 rows of
/// threads, for example, these include 32 x 8, 16 x 8 and 8 x 32 threads. A kernel that moves
/// vectors has fewer threads per row.
std::vector<BlockSize> blocks_to_try(const BlockSize& block, const std::string& text) {
    const std::vector<long long> constants = list_constants(text);
    std::vector<BlockSize> blocks;
    const auto add = [&](long long x, long long y) {
        const BlockSize candidate_block{x, y, 1};
        const bool is_possible = x > 0 && y > 0 && x * y <= kMaxThreads && x * y >= kMinThreads;
        if (is_possible && candidate_block != block &&
            std::find(blocks.begin(), blocks.end(), candidate_block) == blocks.end())
            blocks.push_back(candidate_block);
    };
    add(block[1], block[0]);
    if (block[1] == 1) {
        add(2 * block[0], 1);
        add(4 * block[0], 1);
    }
    for (const long long side : constants) {
        for (const long long elements : {1, 2, 4}) {
            for (const long long rows : constants) add(side / elements, rows);
            add(side / elements, side / elements);
        }
        add(side, 1);
    }
    return blocks;
}

bool passes_with_block(const BlockSize& block, const Trial& trial, const Evidence& evidence) {
    if (!evidence.relaunch({.shape = trial.shape, .block = block}).is_good()) return false;
    // Try several shapes, because a kernel can be correct on a single shape by chance.
    for (const Shape other_shape : {kRaggedShape, Shape{64, 128}, Shape{128, 64}}) {
        if (!evidence.exercise.accepts(other_shape)) continue;
        return evidence.relaunch({.shape = other_shape, .block = block}).is_good();
    }
    return true;
}

/// The constant BLOCK_ROWS in the learner's file.
struct BlockRows {
    int line = 0;         ///< line of the constant; 0 if there is none
    long long value = 0;  ///< 0: unknown
};

BlockRows find_block_rows(const std::string& text) {
    static const TextPattern constant(R"(\bBLOCK_ROWS\s*=\s*(?:(\d{1,4})\b)?)");
    TextMatch match;
    const std::string code = code_for_search(text);
    if (!search(code, match, constant)) return {};
    return {line_of_match(code, match), match[1].matched ? std::stoll(match.str(1)) : 0};
}

void blame_block(Failure& failure, const BlockSize& block, const BlockSize& other_size,
                 const Evidence& evidence) {
    failure.headline = "configure launches blocks of " + format_product(block[0], block[1]) +
                       " threads, but the kernel needs blocks of " +
                       format_product(other_size[0], other_size[1]) + ".";
    failure.place = {evidence.source.name, find_configure_line(evidence.source.text, ".block"), 0};
    failure.advice =
        "Compare .block with the kernel: together, the threads of a block and the iterations of "
        "its loops must visit each element of the tile once.";
}

/// Blames the step of the loops if it is not the number of rows of threads in a block. Returns
/// false if there is no such mistake.
bool blame_loops(Failure& failure, const BlockSize& block, const Evidence& evidence) {
    const std::vector<Loop> loops = find_loops(evidence.source.text);
    if (std::none_of(loops.begin(), loops.end(),
                     [](const Loop& loop) { return loop.step.has_value(); }))
        return false;
    const auto has_other_step = [](const Loop& loop) {
        return loop.step && loop.step->find("BLOCK_ROWS") == std::string::npos;
    };
    const auto other_loop = std::find_if(loops.begin(), loops.end(), has_other_step);
    const BlockRows rows = find_block_rows(evidence.source.text);
    const bool fits_block = rows.line == 0 || rows.value == block[1];
    if (other_loop == loops.end() && fits_block) return false;
    failure.place = {evidence.source.name,
                     other_loop != loops.end() ? other_loop->first_line : rows.line, 0};
    failure.headline = "the step of the loops does not match the block, which has " +
                       std::to_string(block[1]) + " rows of threads.";
    failure.advice =
        "In each iteration, all rows of threads advance together: the step of the loops must be "
        "the number of thread rows, BLOCK_ROWS.";
    return true;
}

/// Reports whether the block has the number of threads that the lesson requires.
bool meets_block_limits(const BlockSize& block, const Limits& limits) {
    return limits.elements_per_thread > 0 &&
           static_cast<double>(block[0] * block[1]) * limits.elements_per_thread ==
               limits.elements_per_block;
}

}  // namespace

bool explain_by_block_size(Failure& failure, const Trial& trial, const Evidence& evidence) {
    // Blocks of threads in one row may be too short for what the kernel does after its loads.
    constexpr std::uint64_t most_elements = 1 << 14;
    const bool may_lack_threads = trial.launch.block[1] == 1 && trial.launch.block[0] < 256 &&
                                  failure.fault == Fault::never_written &&
                                  trial.elements() <= most_elements &&
                                  contains_word(evidence.source.text, "__shared__");
    const bool is_possible = failure.kind == FailureKind::outside_shared_memory ||
                             failure.kind == FailureKind::uninitialised_shared ||
                             failure.kind == FailureKind::shared_race ||
                             failure.kind == FailureKind::out_of_bounds || may_lack_threads;
    const BlockSize& block = trial.launch.block;
    if (!is_possible || block[2] != 1) return false;
    for (const BlockSize& other_size : blocks_to_try(block, evidence.source.text)) {
        if (!passes_with_block(other_size, trial, evidence)) continue;
        // If the block size is the one that the lesson requires or that the constants describe, the
        // mistake is in the loops.
        const bool is_right =
            other_size[0] == block[0] && (meets_block_limits(block, evidence.exercise.limits) ||
                                          block[1] == find_block_rows(evidence.source.text).value);
        if (!is_right || !blame_loops(failure, block, evidence))
            blame_block(failure, block, other_size, evidence);
        return true;
    }
    return false;
}

}  // namespace coalesce
