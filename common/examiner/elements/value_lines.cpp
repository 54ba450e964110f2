// Finds lines whose mistake makes values wrong: the index of an input, or a value that an earlier
// part of the kernel has left in shared memory.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// Returns the last axis of an array with the extents "rows * cols", or "" for any other array.
std::string length_of_row(const Parameter& array, const ElementTask& task) {
    std::vector<std::string> axes;
    for (const std::string& extent : array.extents) {
        for (const std::string& factor : split_outside_brackets(extent, "*"))
            axes.push_back(trimmed(factor));
    }
    const bool are_sizes = std::ranges::all_of(
        axes, [&](const std::string& axis) { return std::ranges::count(task.sizes, axis) > 0; });
    return axes.size() == 2 && are_sizes && axes[0] != axes[1] ? axes[1] : "";
}

/// Returns the size of the task by which an index multiplies a row, if it is the only such product.
std::string find_multiplied_size(const std::string& index, const ElementTask& task) {
    std::string size;
    for (const std::string& term : split_outside_brackets(index, "+")) {
        const std::vector<std::string> factors = split_outside_brackets(term, "*");
        if (factors.size() < 2) continue;
        if (factors.size() > 2 || !size.empty()) return "";
        for (const std::string& factor : factors) {
            const std::string name = simplify_expression(factor);
            if (std::ranges::count(task.sizes, name) > 0) size = name;
        }
        if (size.empty()) return "";
    }
    return size;
}

}  // namespace

LineMistake find_wrong_row_length(const Evidence& evidence) {
    const ElementTask& task = evidence.elements->task();
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const int kernel = find_kernel_line(text, "");
    for (const Parameter& array : task.parameters) {
        const std::string row = array.is_array ? length_of_row(array, task) : "";
        if (row.empty()) continue;
        const TextPattern access("\\b" + array.name + R"(\s*\[)");
        for (const TextMatch& match : find_matches(code, access)) {
            const int line = line_of_match(code, match);
            const std::size_t opening_position = match_end(match) - 1;
            const std::string index =
                code.substr(opening_position + 1,
                            find_closing_bracket(code, opening_position) - opening_position - 1);
            const std::string size = find_multiplied_size(index, task);
            if (line <= kernel || size.empty() || size == row) continue;
            return {line,
                    "a row of " + add_backticks(array.name) + " has " + add_backticks(row) +
                        " elements, but the index " + add_backticks(trimmed(index)) +
                        " takes rows of " + add_backticks(size) + " elements.",
                    "The element in a row and a column of " + add_backticks(array.name) +
                        " has the index row * " + row + " + column."};
        }
    }
    return {};
}

LineMistake find_clamped_index(const Trial& trial, const Evidence& evidence) {
    const ElementTask& task = evidence.elements->task();
    const std::string& text = evidence.source.text;
    const OutputComparison* output = trial.element_comparison->first_wrong_output();
    if (!output) return {};
    // Only elements near the ends of the output are wrong.
    constexpr std::int64_t margin = 8;
    const std::int64_t cols = output->extents.back(), rows = output->count() / cols;
    for (const std::int64_t index : output->bad_elements()) {
        const auto is_inside = [](std::int64_t at, std::int64_t size) {
            return at >= margin && at < size - margin;
        };
        if (is_inside(index % cols, cols) && (rows == 1 || is_inside(index / cols, rows)))
            return {};
    }
    const std::string code = code_for_search(text);
    for (const Parameter& array : task.parameters) {
        if (!array.is_array || array.is_output()) continue;
        const TextPattern access("\\b" + array.name + R"(\s*\[)");
        for (const TextMatch& match : find_matches(code, access)) {
            const int line = line_of_match(code, match);
            const std::size_t opening_position = match_end(match) - 1;
            const std::string index = code.substr(
                opening_position, find_closing_bracket(code, opening_position) - opening_position);
            const std::string value = expand(text, index, line);
            const bool is_clamped = contains_word(value, "min") || contains_word(value, "max");
            if (!is_clamped || code_on_line(text, line).find('?') != std::string::npos ||
                !find_conditions(text, line).empty())
                continue;
            return {line,
                    "outside of " + add_backticks(array.name) +
                        ", min and max make this index that of the first or the last element, so "
                        "these elements count again. Only elements near the ends of " +
                        add_backticks(output->name) + " are wrong.",
                    "Compare the index with 0 and with the size, and use the value that the task "
                    "names for places outside, such as 0."};
        }
    }
    return {};
}

LineMistake find_stale_sum(const std::string& text) {
    static const TextPattern addition(R"(\batomicAdd\s*\(\s*&\s*(\w+)\s*\[\s*(\d+)\s*\]\s*,)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, addition)) {
        const std::string array = match.str(1), element = array + "[" + match.str(2) + "]";
        const int line = line_of_match(code, match);
        const std::string before = code.substr(0, match_offset(match));
        const TextPattern declaration(R"(__shared__[^;]*\b)" + array + R"(\s*\[)");
        const TextPattern store("\\b" + array + R"(\s*\[[^\]]*\]\s*([-+*|&]?=)\s*([^=;][^;]*);)");
        const std::vector<TextMatch> stores = find_matches(before, store);
        if (!contains(code, declaration) || stores.empty()) continue;
        static const TextPattern zero(R"(^\s*[({]*\s*0(?:\.0?)?f?u?\s*[)}]*\s*$)");
        const std::string value = stores.back().str(2);
        if (contains(value, zero) || value.find('?') != value.npos) continue;
        return {line,
                "the additions begin with the value that " + add_backticks(element) +
                    " still has from line " + std::to_string(line_of_match(before, stores.back())) +
                    ".",
                "Let one thread set " + add_backticks(element) +
                    " to 0 before the additions, with a __syncthreads() before and after it."};
    }
    return {};
}

LineMistake find_short_network(const Trial& trial, const Evidence& evidence) {
    static const TextPattern header(
        R"(\bfor\s*\(\s*\w+\s+(\w+)\s*=\s*(\d+)\s*;\s*(\w+)\s*(<=?)\s*(\w+)\s*;)"
        R"([^;)]*(?:\*=\s*2|<<=\s*1))");
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(text);
    for (const TextMatch& match : find_matches(code, header)) {
        const std::string counter = match.str(1), bound = match.str(5);
        const int line = line_of_match(code, match);
        const auto size = evidence.elements->task().find_size(bound, trial.shape);
        if (!size || match.str(3) != counter) continue;
        // The loop inside goes through distances that the counter determines.
        const bool has_inner = std::ranges::any_of(loops, [&](const Loop& inner) {
            return inner.first_line > line && inner.counter != counter &&
                   contains_word(code_on_line(text, inner.first_line), counter);
        });
        long long last_value = std::stoll(match.str(2));
        if (!has_inner || last_value < 1) continue;
        const auto is_allowed = [&](long long value) {
            return match.str(4) == "<" ? value < *size : value <= *size;
        };
        while (is_allowed(2 * last_value)) last_value *= 2;
        if (!is_allowed(last_value) || last_value >= *size) continue;
        return {line,
                "with " + bound + " = " + std::to_string(*size) + ", the last " +
                    add_backticks(counter) + " of this loop is " + std::to_string(last_value) +
                    ": no pass covers all " + std::to_string(*size) + " elements.",
                "Let " + add_backticks(counter) +
                    " go up to a power of two that is not less than " + bound +
                    ", such as the number of elements of the shared array."};
    }
    return {};
}

}  // namespace coalesce
