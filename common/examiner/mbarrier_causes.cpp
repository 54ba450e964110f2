// Finds mistakes in bulk copies, and in the wait for their mbarrier.
#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/line_mistake.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// A call in the kernel.
struct KernelCall {
    int line = 0;  ///< 0 if there is none
    std::string text = {};
    std::vector<std::string> arguments = {};
};

/// Returns the kernel's first call of a function whose inline PTX contains an instruction.
KernelCall find_call_of(const std::string& text, const std::string& instruction) {
    static const TextPattern head(R"(__device__[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*\{)");
    const std::string code = code_for_search(text);
    const int kernel = find_kernel_line(text, "");
    for (const TextMatch& match : find_matches(code, head)) {
        const std::size_t opening_position = match_end(match) - 1;
        // The instructions are in strings, which are blanked out in `code`.
        const std::string body = text.substr(
            opening_position, find_closing_bracket(code, opening_position) - opening_position);
        if (body.find(instruction) == body.npos) continue;
        const TextPattern call("\\b" + match.str(1) + "\\s*\\(");
        for (const TextMatch& use : find_matches(code, call)) {
            const int line = line_of_match(code, use);
            if (line <= kernel) continue;
            const std::size_t begin = match_end(use) - 1, end = find_closing_bracket(code, begin);
            return {line, code.substr(match_offset(use), end + 1 - match_offset(use)),
                    split_outside_brackets(code.substr(begin + 1, end - begin - 1), ",")};
        }
    }
    return {};
}

/// Looks for a kernel whose first wait is for parity 1, which a new mbarrier satisfies at once.
LineMistake find_wrong_parity(const std::string& text) {
    const KernelCall wait = find_call_of(text, "wait.parity");
    static const TextPattern one_pattern(R"(^1[uU]?$)");
    if (wait.line == 0 || !contains(wait.arguments.back(), one_pattern)) return {};
    return {wait.line,
            add_backticks(wait.text) +
                " does not wait: a new mbarrier behaves as if a phase with parity 1 were complete.",
            "The first phase of an mbarrier has parity 0: wait for parity 0."};
}

/// Looks for copies of rows that too many threads start: more threads than the tile has rows.
LineMistake find_copies_without_condition(const std::string& text, const LaunchShape& launch) {
    const KernelCall copy = find_call_of(text, "cp.async.bulk");
    if (copy.line == 0) return {};
    const SharedArray tile = find_shared_array(text, copy.line);
    static const TextPattern index(R"(\[\s*threadIdx\.x\s*(?:\*\s*(\w+)\s*)?\])");
    TextMatch match;
    if (tile.lengths.empty() || !search(copy.arguments.front(), match, index)) return {};
    const auto row = match[1].matched ? constant_value(text, match.str(1)) : 1;
    if (!row || *row < 1) return {};
    const long long rows = tile.lengths[0] / *row;
    const std::vector<Condition> conditions = find_conditions(text, copy.line);
    const bool has_condition = std::ranges::any_of(conditions, [](const Condition& condition) {
        return condition.text.find("threadIdx") != condition.text.npos;
    });
    if (has_condition || launch.block[0] <= rows) return {};
    const std::string height = contains_word(text, "height") ? " (`height`)" : "";
    return {copy.line,
            "all " + std::to_string(launch.block[0]) +
                " threads request a row here, but the tile has only " + std::to_string(rows) +
                " rows: a condition is missing.",
            "Only one thread for each row of the tile may request a row: compare threadIdx.x with "
            "the number of rows" +
                height + "."};
}

/// Looks for a single copy that should fetch all rows of a tile.
LineMistake find_copy_of_whole_tile(const std::string& text) {
    const KernelCall copy = find_call_of(text, "cp.async.bulk"),
                     expect_call = find_call_of(text, "expect_tx");
    if (copy.arguments.size() < 3 || copy.arguments.size() > kMaxCandidates ||
        expect_call.line == 0)
        return {};
    const auto evaluate = [&](const std::string& argument, int line) {
        std::string value = expand(text, argument, line);
        std::erase_if(value,
                      [](char letter) { return letter == ' ' || letter == '(' || letter == ')'; });
        return value;
    };
    const std::string bytes = simplify_expression(expect_call.arguments.back());
    const std::string expected_byte_count = evaluate(bytes, expect_call.line);
    const bool is_all = std::ranges::any_of(copy.arguments, [&](const std::string& argument) {
        return evaluate(argument, copy.line) == expected_byte_count;
    });
    // The size of one row contains one multiplication: the number of elements times the element
    // size.
    const bool has_row_product = std::ranges::count(expected_byte_count, '*') > 1;
    const std::vector<Loop> loops = find_loops(text);
    if (!is_all || !has_row_product || find_innermost_loop(loops, copy.line) ||
        copy.text.find("threadIdx") != copy.text.npos)
        return {};
    return {copy.line,
            "one copy of " + add_backticks(bytes) +
                " bytes moves consecutive bytes to consecutive places, but the rows of a tile lie "
                "cols elements apart in `in`, and at a different distance in the shared array.",
            "Copy each row of the tile separately, to its own row of the shared array."};
}

/// Looks for the reason why fewer bytes arrive than were announced: the copies start after the
/// wait, only one thread starts a copy, or the copies' sizes are in elements instead of bytes.
LineMistake find_few_bytes(long long announced_bytes, long long arrived_bytes,
                           const std::string& text) {
    static const TextPattern copy(R"(\bload_row\s*\()");
    static const TextPattern wait(R"(\bwait\s*\()");
    const int copy_line = find_line_in_kernel(text, copy),
              wait_line = find_line_in_kernel(text, wait);
    if (copy_line == 0) return {};
    if (arrived_bytes == 0 && wait_line > 0 && wait_line < copy_line) {
        return {wait_line,
                "the threads wait here for copies that start only afterwards, on line " +
                    std::to_string(copy_line) + ".",
                "Request the rows first, and wait for them afterwards."};
    }
    const std::vector<Loop> loops = find_loops(text);
    for (const Condition& condition : find_conditions(text, copy_line)) {
        const bool is_single_thread = condition.text.find("threadIdx.x == ") != condition.text.npos;
        if (!is_single_thread || condition.is_exit || find_innermost_loop(loops, copy_line))
            continue;
        return {condition.line,
                "only one thread requests a row here: " + std::to_string(arrived_bytes) + " of " +
                    std::to_string(announced_bytes) +
                    " bytes arrive, and all threads wait forever.",
                "Make one thread for each row of the tile request that row."};
    }
    if (announced_bytes == 4 * arrived_bytes &&
        code_on_line(text, copy_line).find('/') != std::string::npos) {
        return {copy_line,
                "each copy has as many bytes as a row has elements, so only a quarter of the row "
                "arrives, and the threads wait forever.",
                "The size of a copy is in bytes: do not divide it."};
    }
    return {};
}

/// Explains a wait that never ends by missing arrivals. `missing_arrivals` and `expected_arrivals`
/// count arrivals.
void blame_missing_arrivals(Failure& failure, long long missing_arrivals,
                            long long expected_arrivals, const std::string& text) {
    static const TextPattern init(R"(\binit\w*\s*\()");
    if (missing_arrivals < expected_arrivals) {
        if (const int line = find_line_in_kernel(text, init)) failure.place.line = line;
        failure.headline = "the mbarrier is initialized for " + std::to_string(expected_arrivals) +
                           " arrivals, but only " +
                           std::to_string(expected_arrivals - missing_arrivals) +
                           (expected_arrivals - missing_arrivals == 1 ? " occurs" : " occur") +
                           ", so the threads wait forever.";
        failure.advice =
            "Initialize the mbarrier with the number of arrivals: how many threads call expect()?";
        return;
    }
    failure.headline = "no thread arrives at the mbarrier, so the threads wait forever.";
    failure.advice =
        text.find("mbarrier.expect_tx") != text.npos
            ? "mbarrier.expect_tx announces bytes, but does not arrive: use "
              "mbarrier.arrive.expect_tx."
            : "Make one thread call expect(), which arrives and announces the bytes of "
              "all copies.";
}

}  // namespace

bool explain_endless_wait(Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    static const TextPattern arrivals(R"((\d+) of the (\d+) arrivals that end)");
    static const TextPattern numbers(R"((\d+) bytes were announced, and (\d+) arrived)");
    static const TextPattern call(R"(\bexpect\w*\s*\()");
    std::string joined_details = failure.details;
    std::replace(joined_details.begin(), joined_details.end(), '\n', ' ');
    TextMatch inner_match;
    if (!search(joined_details, inner_match, numbers)) return false;
    if (TextMatch arrival_match; search(joined_details, arrival_match, arrivals)) {
        blame_missing_arrivals(failure, std::stoll(arrival_match.str(1)),
                               std::stoll(arrival_match.str(2)), text);
        return true;
    }
    failure.headline = "the mbarrier expects " + inner_match.str(1) +
                       " bytes, but the copies write " + inner_match.str(2) +
                       ", so the threads wait forever.";
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, call)) {
        const int line = line_of_match(code, match);
        if (line > find_kernel_line(text, "")) failure.place.line = line;
    }
    failure.advice =
        "Announce exactly as many bytes as the copies write. Where a tile extends beyond "
        "the matrix, count only the rows and the bytes of each row that the copies request.";
    const LineMistake copy_mistake =
        find_few_bytes(std::stoll(inner_match.str(1)), std::stoll(inner_match.str(2)), text);
    if (copy_mistake.line > 0) blame(failure, copy_mistake);
    return true;
}

LineMistake find_mbarrier_mistake(const Failure& failure, const Trial& trial,
                                  const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (!tracks_copies_with_mbarrier(text)) return {};
    switch (failure.kind) {
        case FailureKind::copy_not_waited_for: return find_wrong_parity(text);
        case FailureKind::outside_shared_memory:
            return first_mistake([&] { return find_copies_without_condition(text, trial.launch); },
                                 [&] { return find_copy_of_whole_tile(text); });
        case FailureKind::uninitialised_shared:
        case FailureKind::wrong_result:
        case FailureKind::out_of_bounds:
        case FailureKind::no_bounds_check: return find_copy_of_whole_tile(text);
        default: return {};
    }
}

}  // namespace coalesce
