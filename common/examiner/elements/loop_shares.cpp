#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "examiner/accessed_cell.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// How the threads of a launch share the passes of a loop such as `for (int i = threadIdx.x; i < n;
/// i += blockDim.x)`.
struct LoopShares {
    int line = 0;  ///< first line of the loop; 0 if the rest is unknown
    int last_line = 0;
    std::string counter;
    long long step = 0;
    long long starts_in_row = 0;     ///< different first values in a row of threads, along x
    long long threads_of_start = 0;  ///< threads of such a row that begin at the same value
    bool is_same_in_rows = false;    ///< whether all rows of threads begin at the same values
    bool is_same_in_blocks = false;  ///< whether all blocks begin at the same values
    long long starts = 0;            ///< different first values among all threads
};

/// Replaces the bit operators that find the lane and the warp of a thread.
std::string with_divisions(std::string expression) {
    constexpr std::pair<const char*, const char*> operators[] = {
        {"& 31", "% 32"}, {"&31", "% 32"}, {">> 5", "/ 32"}, {">>5", "/ 32"}};
    for (const auto& [bits, division] : operators) {
        const std::string text = bits;
        for (std::size_t at = expression.find(text); at != expression.npos;
             at = expression.find(text, at))
            expression.replace(at, text.size(), division);
    }
    return expression;
}

/// Evaluates expressions of a loop's header for single threads.
class HeaderValues {
public:
    HeaderValues(const std::string& text, int line, const LaunchShape& launch,
                 const std::vector<NamedSize>& sizes)
        : text_(text), line_(line), values_(first_thread_values(launch)) {
        values_["warpSize"] = 32;
        for (const NamedSize& size : sizes) values_[size.name] = size.value;
    }

    std::optional<long long> evaluate(const std::string& expression, long long thread_x,
                                      long long thread_y, long long block_x) const {
        NamedNumbers values = values_;
        values["threadIdx.x"] = thread_x;
        values["threadIdx.y"] = thread_y;
        values["blockIdx.x"] = block_x;
        return index_value(text_, with_divisions(expand(text_, expression, line_)), line_, values);
    }

private:
    const std::string& text_;
    int line_;
    NamedNumbers values_;
};

/// Returns the number of different first values in a row of `threads` threads, if the values are
/// those of one of the usual starts: the same for all, the thread, its lane or its warp. Otherwise
/// returns 0.
long long count_starts(const HeaderValues& values, const std::string& start, long long threads) {
    const auto first_value = values.evaluate(start, 0, 0, 0);
    if (!first_value) return 0;
    bool is_constant = true, is_thread = true, is_lane = true, is_warp = true;
    for (const long long x : {1LL, 2LL, 31LL, 32LL, 33LL, threads - 1}) {
        if (x >= threads) continue;
        const auto value = values.evaluate(start, x, 0, 0);
        if (!value) return 0;
        const long long distance = *value - *first_value;
        is_constant &= distance == 0;
        is_thread &= distance == x;
        is_lane &= distance == x % 32;
        is_warp &= distance == x / 32;
    }
    return is_constant ? 1 : is_thread ? threads : is_lane ? 32 : is_warp ? (threads + 31) / 32 : 0;
}

/// Returns the number that the counter grows by in each pass, or nothing.
std::optional<long long> find_step(const Loop& loop, const HeaderValues& values) {
    if (!loop.step || loop.counter.empty()) return std::nullopt;
    if (loop.step->find("++") != std::string::npos) return 1;
    const std::size_t operator_position = loop.step->find("+=");
    if (operator_position == std::string::npos) return std::nullopt;
    return values.evaluate(loop.step->substr(operator_position + 2), 0, 0, 0);
}

LoopShares find_shares(const Loop& loop, const std::string& text, const LaunchShape& launch,
                       const std::vector<NamedSize>& sizes) {
    const HeaderValues values(text, loop.first_line, launch, sizes);
    const TextPattern start_pattern("\\b" + loop.counter + R"(\s*=\s*([^;]*);)");
    const std::string head = code_on_line(text, loop.first_line);
    const auto step = find_step(loop, values);
    TextMatch match;
    if (!step || *step < 1 || !search(head, match, start_pattern)) return {};
    const std::string start = match.str(1);
    const long long starts = count_starts(values, start, launch.block[0]);
    if (starts == 0) return {};
    LoopShares shares{.line = loop.first_line,
                      .last_line = loop.last_line,
                      .counter = loop.counter,
                      .step = *step,
                      .starts_in_row = starts,
                      .threads_of_start = launch.block[0] / starts,
                      .starts = starts};
    // The starts of the rows and of the blocks are either the same, or follow one another.
    const auto first_value = values.evaluate(start, 0, 0, 0);
    const auto value_in_row = values.evaluate(start, 0, 1, 0);
    const auto value_in_block = values.evaluate(start, 0, 0, 1);
    if (!first_value || !value_in_row || !value_in_block) return {};
    shares.is_same_in_rows = *value_in_row == *first_value;
    shares.is_same_in_blocks = *value_in_block == *first_value;
    if (launch.block[1] > 1 && !shares.is_same_in_rows) {
        if (*value_in_row - *first_value != starts) return {};
        shares.starts *= launch.block[1];
    }
    if (launch.grid[0] > 1 && !shares.is_same_in_blocks) {
        if (*value_in_block - *first_value != shares.starts) return {};
        shares.starts *= launch.grid[0];
    }
    return shares;
}

/// Reports whether a line of the loop uses the counter in a sum, as in `in[i + 256]`. Then a pass
/// may process several elements.
bool adds_to_counter(const LoopShares& shares, const std::string& text) {
    const TextPattern sum("\\b" + shares.counter + R"(\s*[+-][^+=-])");
    for (int line = shares.line + 1; line <= shares.last_line; ++line) {
        if (contains(code_on_line(text, line), sum)) return true;
    }
    return false;
}

/// Reports whether a line of the loop reads an input, which is a pointer parameter to constant
/// elements. If each block runs the whole loop, only such a loop repeats work: a loop over shared
/// memory has to run in every block.
bool reads_input(const LoopShares& shares, const std::string& text) {
    static const TextPattern parameter(R"(const\s+[A-Za-z_][\w\s]*\*\s*(?:__restrict__\s*)?(\w+))");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, parameter)) {
        const TextPattern access("\\b" + match.str(1) + R"(\s*\[)");
        for (int line = shares.line; line <= shares.last_line; ++line) {
            if (contains(code_on_line(text, line), access)) return true;
        }
    }
    return false;
}

}  // namespace

LineMistake find_loop_with_long_step(const Trial& trial, const Evidence& evidence, int line) {
    const std::string& text = evidence.source.text;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (!loop) return {};
    const LoopShares shares =
        find_shares(*loop, text, trial.launch, evidence.elements->task().named_sizes(trial.shape));
    if (shares.line == 0 || shares.starts >= shares.step || adds_to_counter(shares, text))
        return {};
    return {shares.line,
            "this loop advances by " + std::to_string(shares.step) +
                ", but its threads begin at only " + std::to_string(shares.starts) +
                (shares.starts == 1 ? " value of " : " different values of ") +
                add_backticks(shares.counter) + ": of " + std::to_string(shares.step) +
                " elements, only " + std::to_string(shares.starts) +
                (shares.starts == 1 ? " is used." : " are used."),
            "Advance by the number of threads that share this loop: " +
                std::to_string(shares.starts) + "."};
}

LineMistake find_loop_of_many_threads(const Trial& trial, const Evidence& evidence,
                                      long long factor) {
    static const TextPattern combination(R"(__shared__|__shfl|\batomic|__reduce)");
    const std::string& text = evidence.source.text;
    if (factor < 2 || !contains(code_for_search(text), combination)) return {};
    const auto sizes = evidence.elements->task().named_sizes(trial.shape);
    const int kernel = find_kernel_line(text, "");
    for (const Loop& loop : find_loops(text)) {
        if (loop.first_line < kernel || loop.counter.empty()) continue;
        const LoopShares shares = find_shares(loop, text, trial.launch, sizes);
        if (shares.line == 0 || shares.starts < shares.step) continue;
        const long long threads = shares.threads_of_start;
        const long long threads_of_block =
            threads * (shares.is_same_in_rows ? trial.launch.block[1] : 1);
        const bool is_repeated_in_blocks = shares.is_same_in_blocks && reads_input(shares, text);
        const long long threads_of_grid =
            threads_of_block * (is_repeated_in_blocks ? trial.launch.grid[0] : 1);
        if (factor != threads && factor != threads_of_block && factor != threads_of_grid) continue;
        const std::string all_threads = std::to_string(factor * shares.starts_in_row);
        return {shares.line,
                std::to_string(factor) + " threads begin this loop at the same value of " +
                    add_backticks(shares.counter) + ", so each element counts " +
                    std::to_string(factor) + " times.",
                "Let the threads share the passes: begin at a different value in each of " +
                    all_threads + " threads, and advance by " + all_threads + "."};
    }
    return {};
}

}  // namespace coalesce
