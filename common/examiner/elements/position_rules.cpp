#include <algorithm>

#include "examiner/elements/value_rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Two outputs of a task: for each row of an input, a value of the row and its column.
struct ValueAndColumn {
    const OutputComparison* value = nullptr;
    const OutputComparison* column = nullptr;
    const Parameter* input = nullptr;
    const std::string* bytes = nullptr;  ///< the elements of the input
    std::int64_t cols = 0;

    std::int64_t expected_column(std::int64_t row) const {
        return static_cast<std::int64_t>(column->type.read(column->element(column->expected, row)));
    }
    std::int64_t actual_column(std::int64_t row) const {
        return static_cast<std::int64_t>(column->type.read(column->element(column->actual, row)));
    }
    bool is_right(const OutputComparison& one, std::int64_t row) const {
        return one.states[static_cast<std::size_t>(row)] == CellState::right;
    }
    /// Returns the element of the input, or nullptr if the row has no such column.
    const char* element(std::int64_t row, std::int64_t col) const {
        if (col < 0 || col >= cols) return nullptr;
        return bytes->data() + static_cast<std::size_t>(row * cols + col) * input->type.bytes();
    }
    /// Reports whether the input has the expected value of the row in this column.
    bool has_value(std::int64_t row, std::int64_t col) const {
        const char* const found = element(row, col);
        return found && value->is_equal(found, value->element(value->expected, row));
    }
};

/// Returns the outputs if the reference's columns are the places of the reference's values.
std::optional<ValueAndColumn> find_value_and_column(const WrongOutput& seen) {
    const std::vector<OutputComparison>& outputs = seen.trial().element_comparison->outputs;
    if (outputs.size() != 2 || outputs[0].count() != outputs[1].count()) return std::nullopt;
    const ElementTask& task = seen.evidence().elements->task();
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& input = task.parameters[i];
        if (!input.is_array || !input.is_const) continue;
        const std::int64_t all = count_elements(task.extents(input, seen.trial().shape));
        for (const int first : {0, 1}) {
            ValueAndColumn one{&outputs[static_cast<std::size_t>(1 - first)],
                               &outputs[static_cast<std::size_t>(first)], &input,
                               &seen.arguments()[i].bytes, all / outputs[0].count()};
            bool is_place = one.column->type.is_integer() && one.column->type.components == 1 &&
                            one.value->type.name == input.type.name &&
                            all % outputs[0].count() == 0;
            for (std::int64_t row = 0; is_place && row < outputs[0].count(); ++row) {
                is_place = one.has_value(row, one.expected_column(row));
            }
            if (is_place) return one;
        }
    }
    return std::nullopt;
}

/// Returns the line that compares a variable which the line before has already replaced, as in
/// `best = max(best, other); if (other > best)`. Returns 0 if there is none.
int find_comparison_after_change(const std::string& text) {
    static const TextPattern change(
        R"(\b(\w+)\s*=\s*(?:max|fmaxf|fmax|min|fminf|fmin|std::max|std::min)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\))");
    const std::string code = code_for_search(text);
    for (const TextMatch& one : find_matches(code, change)) {
        const std::string name = one.str(1);
        const std::string other = one.str(2) == name ? one.str(3) : one.str(2);
        const int line = line_number_at(code, one.position());
        const TextPattern compared("\\b(" + other + "\\s*[<>]=?\\s*" + name + "|" + name +
                                   "\\s*[<>]=?\\s*" + other + ")\\b");
        for (int next = line; next <= line + 3; ++next) {
            std::string found = code_on_line(text, next);
            if (next == line) found = found.substr(found.find(one.str()) + one.length());
            if (contains(found, compared)) return next;
        }
    }
    return 0;
}

/// Returns the first line after a shuffle that decides which of two values to keep, or 0.
int find_choice_of_value(const std::string& text) {
    static const TextPattern comparison(R"(\bif\s*\(\s*\w+\s*[<>]=?\s*\w+\s*\))");
    static const TextPattern tie(R"(\bif\s*\(.*==.*&&)");
    static const TextPattern shuffle(R"(\b__shfl_\w+_sync\s*\()");
    const int first = find_line_in_kernel(text, shuffle);
    for (int line = first; first > 0 && line <= first + 5; ++line) {
        const std::string code = code_on_line(text, line);
        if (contains(code, comparison) || contains(code, tie)) return line;
    }
    return 0;
}

Failure explain_tie(const WrongOutput& seen, const ValueAndColumn& found, std::int64_t row,
                    bool is_smaller_expected) {
    const auto column = [](std::int64_t number) { return std::to_string(number); };
    const std::string which = is_smaller_expected ? "smaller" : "larger";
    Failure failure =
        seen.make(FailureKind::wrong_elements,
                  "row " + std::to_string(row) + " holds " +
                      found.value->value_of(found.value->expected, row) + " in column " +
                      column(found.expected_column(row)) + " and in column " +
                      column(found.actual_column(row)) + ". " + found.column->name_of(row) +
                      " must be the " + which + " of the two.",
                  "If two values are equal, compare their columns, and keep the " + which +
                      " one. Do so wherever two values are compared.");
    if (const int line = find_choice_of_value(seen.source()); line > 0) {
        failure.place.line = line;
    }
    return failure;
}

/// Reports whether each number is the lane that reads a column with the value of the row.
bool are_lanes(const ValueAndColumn& found, const Indices& rows) {
    constexpr std::int64_t lanes = 32;
    return std::ranges::all_of(rows, [&](std::int64_t row) {
        const std::int64_t lane = found.actual_column(row);
        bool has_value = false;
        for (std::int64_t col = lane; lane < lanes && col >= 0 && col < found.cols; col += lanes) {
            has_value |= found.has_value(row, col);
        }
        return has_value;
    });
}

/// Explains columns that do not hold the value, although the values are right.
Failure explain_other_column(const WrongOutput& seen, const ValueAndColumn& found,
                             const Indices& rows) {
    const std::int64_t row = rows.front();
    const std::string name = found.column->name_of(row);
    const auto is_always = [&](const auto& column_for) {
        return rows.size() >= 2 && std::ranges::all_of(rows, [&](std::int64_t one) {
                   return found.actual_column(one) == column_for(one);
               });
    };
    Failure failure = seen.make(FailureKind::wrong_elements, "", "");
    const char* const held = found.element(row, found.actual_column(row));
    failure.headline =
        found.value->name_of(row) + " is right, but " + name + " is not its column: column " +
        std::to_string(found.actual_column(row)) +
        (held ? " holds " + found.value->type.format_element(held) : " does not exist") + ".";
    failure.next =
        "A value and its column must move together: change both in the same branch, and compare "
        "before you change either.";
    if (is_always(
            [&](std::int64_t one) { return one * found.cols + found.expected_column(one); })) {
        failure.next =
            "The place is counted from the beginning of the matrix. Count it from the "
            "beginning of the row.";
    } else if (rows.size() >= 3 && are_lanes(found, rows)) {
        failure.next =
            "The number is the column modulo 32, the lane that read the value. Keep the "
            "column itself.";
    } else if (const int line = find_comparison_after_change(seen.source()); line > 0) {
        failure.place.line = line;
        failure.next =
            "The comparison comes after the change, so it sees the new value, and the "
            "column stays. Compare first, and then change the value and the column.";
    }
    return failure;
}

/// Finds two outputs of which each has the values of the other.
std::optional<Failure> find_exchanged_outputs(const WrongOutput& seen) {
    const std::vector<OutputComparison>& outputs = seen.trial().element_comparison->outputs;
    if (outputs.size() != 2 || outputs[0].type.name != outputs[1].type.name ||
        outputs[0].bad() == 0 || outputs[1].bad() == 0) {
        return std::nullopt;
    }
    const bool is_exchanged =
        outputs[0].actual == outputs[1].expected && outputs[1].actual == outputs[0].expected;
    if (!is_exchanged) return std::nullopt;
    return seen.make(
        FailureKind::wrong_elements,
        "`" + outputs[0].name + "` has the values of `" + outputs[1].name + "`, and the reverse.",
        "Exchange the two stores.");
}

}  // namespace

std::optional<Failure> find_wrong_positions(const WrongOutput& seen) {
    if (auto failure = find_exchanged_outputs(seen)) return failure;
    const auto found = find_value_and_column(seen);
    if (!found) return std::nullopt;
    Indices ties, others;
    bool are_smaller = true, are_larger = true;
    for (std::int64_t row = 0; row < seen.count(); ++row) {
        if (!found->is_right(*found->value, row)) return std::nullopt;
        if (found->is_right(*found->column, row)) continue;
        if (found->column->states[static_cast<std::size_t>(row)] == CellState::untouched) {
            return std::nullopt;
        }
        if (!found->has_value(row, found->actual_column(row))) {
            others.push_back(row);
            continue;
        }
        ties.push_back(row);
        const bool is_smaller = found->expected_column(row) < found->actual_column(row);
        are_smaller &= is_smaller;
        are_larger &= !is_smaller;
    }
    if (!others.empty()) return explain_other_column(seen, *found, others);
    if (ties.empty() || are_smaller == are_larger) return std::nullopt;
    return explain_tie(seen, *found, ties.front(), are_smaller);
}

}  // namespace coalesce
