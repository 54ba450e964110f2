// Finds mistakes in kernels that return the position of an element in addition to its value, such
// as the largest element of each row and its column.
#include <algorithm>

#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// An output of positions whose values, in another output, are right.
struct Positions {
    const OutputComparison* positions = nullptr;
    const OutputComparison* values = nullptr;
    std::string input_name;
    const std::string* input = nullptr;  ///< the bytes of the input
    std::int64_t row_length = 0;         ///< number of input elements for each position
};

double read_element(const OutputComparison& output, const std::string& bytes, std::int64_t index) {
    return output.type.read_value(output.element(bytes, index));
}

/// Reports whether the input element at a position of a row is the value that the other output has
/// for this row.
bool has_value(const Positions& found, std::int64_t row, double position) {
    if (position < 0 || position >= static_cast<double>(found.row_length)) return false;
    const std::size_t bytes = found.values->type.bytes();
    const auto element =
        static_cast<std::size_t>(row * found.row_length + static_cast<std::int64_t>(position));
    return found.input->compare(element * bytes, bytes,
                                found.values->element(found.values->expected_bytes, row),
                                bytes) == 0;
}

/// Returns the positions and values among the outputs, or nothing if the positions are right, the
/// values are wrong, or the expected positions are not those of the values.
std::optional<Positions> find_positions(const Trial& trial, const Evidence& evidence) {
    const std::vector<OutputComparison>& outputs = trial.element_comparison->outputs;
    if (outputs.size() != 2) return std::nullopt;
    Positions found;
    for (const OutputComparison& output : outputs) {
        (output.count_bad() > 0 ? found.positions : found.values) = &output;
    }
    if (!found.positions || !found.values || found.positions->untouched_count > 0 ||
        !found.positions->type.is_integer() || found.positions->count() != found.values->count())
        return std::nullopt;
    const ElementTask& task = evidence.elements->task();
    const ElementCase& one_case = evidence.elements->case_for(trial.shape);
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& array = task.parameters[i];
        if (!array.is_array || array.is_output() || array.type.name != found.values->type.name)
            continue;
        found.input_name = array.name;
        found.input = &one_case.arguments[i].bytes;
        found.row_length = count_elements(task.extents(array, trial.shape)) /
                           std::max<std::int64_t>(1, found.values->count());
        for (std::int64_t row = 0; row < found.values->count(); ++row) {
            const double position =
                read_element(*found.positions, found.positions->expected_bytes, row);
            if (!has_value(found, row, position)) return std::nullopt;
        }
        return found;
    }
    return std::nullopt;
}

/// Returns the first line after the first exchange between lanes that matches the pattern, or 0.
int find_line_of_combination(const std::string& text, const TextPattern& pattern) {
    static const TextPattern exchange(R"(__shfl|__ballot|__reduce|__syncthreads)");
    const int first_line = find_line_in_kernel(text, exchange);
    const int count = static_cast<int>(lines_of(text).size());
    for (int line = first_line; first_line > 0 && line <= count; ++line) {
        if (contains(code_on_line(text, line), pattern)) return line;
    }
    return 0;
}

/// Returns the first line in a loop whose condition also holds for equal values, or 0.
int find_line_of_own_choice(const std::string& text) {
    static const TextPattern choice(R"(\bif\s*\([^;]*(?:>=|<=))");
    for (const Loop& loop : find_loops(text)) {
        for (int line = loop.first_line; line <= loop.last_line; ++line) {
            const std::string code = code_on_line(text, line);
            if (contains(code, choice) && code.find("return") == code.npos) return line;
        }
    }
    return 0;
}

/// Returns the line that decides between equal elements, and what is wrong with it.
LineMistake find_line_of_tie(const std::string& text, bool is_within_lane) {
    static const TextPattern lowest_lane(R"(\b__ffs\s*\()");
    static const TextPattern comparison(R"(==|\b(?:if|while)\s*\(.*[^-<>][<>][^<>]|\?)");
    const std::string advice = "Where two elements are equal, keep the one with the smaller index.";
    if (is_within_lane) return {find_line_of_own_choice(text), "", advice};
    if (const int line = find_line_of_combination(text, lowest_lane)) {
        return {line,
                "This takes the lowest lane that has the element, and another lane may have the "
                "element with a smaller index.",
                "Compare the indices: among the lanes that have the element, take the smallest "
                "index."};
    }
    return {find_line_of_combination(text, comparison), "",
            "Where the elements of two lanes are equal, keep the one with the smaller index, and "
            "otherwise the one with the better element."};
}

/// Looks for a position that is not taken from where its value is taken.
LineMistake find_position_apart(const std::string& text) {
    static const TextPattern replaced(
        R"(\b(\w+)\s*=\s*f?(?:max|min)f?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*;)");
    static const TextPattern computed(
        R"(\b(\w+)\s*=\s*(lane|threadIdx\.x|t|tid)\s*([+^])\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(text);
    for (const TextMatch& match : find_matches(code, replaced)) {
        const int line = line_of_match(code, match);
        const Loop* loop = find_innermost_loop(loops, line);
        const std::string best = match.str(1);
        const std::string other = match.str(2) == best ? match.str(3) : match.str(2);
        if (!loop || (match.str(2) != best && match.str(3) != best)) continue;
        const TextPattern equality("\\b(?:" + best + R"(\s*==\s*)" + other + "|" + other +
                                   R"(\s*==\s*)" + best + ")\\b");
        for (int at = line + 1; at <= loop->last_line; ++at) {
            if (!contains(code_on_line(text, at), equality)) continue;
            return {at,
                    "line " + std::to_string(line) + " has already replaced " +
                        add_backticks(best) + ", so this comparison is also true if " +
                        add_backticks(other) +
                        " was strictly better: then the old index must "
                        "not take part.",
                    "Compare the two values before " + add_backticks(best) +
                        " is replaced, and take the other index if its value is better."};
        }
    }
    for (const TextMatch& match : find_matches(code, computed)) {
        const int line = line_of_match(code, match);
        const Loop* loop = find_innermost_loop(loops, line);
        if (!loop || loop->counter != match.str(4)) continue;
        const TextPattern use(R"(=\s*)" + match.str(1) + "\\b");
        const std::string rest = code.substr(match_end(match));
        if (!contains(rest, use) || code.find("__shfl") == code.npos) continue;
        return {line,
                add_backticks(match.str(2) + " " + match.str(3) + " " + match.str(4)) +
                    " is the number of the other lane, and not the index of that lane's element.",
                "Take the index from the other lane, too, with the same shuffle as its value."};
    }
    return {};
}

std::string element_in_row(const Positions& found, std::int64_t row, std::int64_t position) {
    return found.input_name + "[" + std::to_string(row * found.row_length + position) + "]";
}

}  // namespace

LineMistake find_wrong_position(const Trial& trial, const Evidence& evidence) {
    const auto found = find_positions(trial, evidence);
    if (!found) return {};
    const OutputComparison& output = *found->positions;
    bool are_ties = true, are_within_lanes = true, are_larger = true;
    for (const std::int64_t row : output.bad_elements()) {
        const double actual = read_element(output, output.actual_bytes, row);
        const double expected = read_element(output, output.expected_bytes, row);
        are_ties &= has_value(*found, row, actual);
        are_larger &= actual > expected;
        are_within_lanes &= static_cast<std::int64_t>(actual - expected) % 32 == 0;
    }
    const std::string names = add_backticks(found->values->name) + " is right, but " +
                              add_backticks(output.name) + " is not: ";
    const std::int64_t row = output.bad_elements().front();
    const auto actual = static_cast<std::int64_t>(read_element(output, output.actual_bytes, row));
    const auto expected =
        static_cast<std::int64_t>(read_element(output, output.expected_bytes, row));
    if (!are_ties) {
        LineMistake mistake = find_position_apart(evidence.source.text);
        if (mistake.line > 0) mistake.sentence = names + mistake.sentence;
        return mistake;
    }
    if (!are_larger) return {};
    LineMistake mistake = find_line_of_tie(evidence.source.text, are_within_lanes);
    if (mistake.line == 0) return {};
    mistake.sentence = names + add_backticks(element_in_row(*found, row, expected)) + " and " +
                       add_backticks(element_in_row(*found, row, actual)) +
                       " are equal, and the second one was chosen." +
                       (mistake.sentence.empty() ? "" : " " + mistake.sentence);
    return mistake;
}

}  // namespace coalesce
