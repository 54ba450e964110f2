#include <algorithm>
#include <array>

#include "examiner/elements/report_rules.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

using simulated::Report;

namespace {

/// An index of a row or a column that is compared with the wrong size.
struct ExchangedTest {
    std::string index = "";              ///< "i"; empty if there is none
    std::string size = "", tested = "";  ///< the size that it counts, and the one in the comparison
    std::string element = "";            ///< the access as written
};

/// Finds a test of both indices of a matrix in which the sizes are exchanged, as in
/// `row < cols && col < rows`.
ExchangedTest find_exchanged_test(const Parameter& array, int line, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const MatrixIndex index = find_matrix_index(text, line, array.name);
    const std::vector<std::string>& sizes = evidence.exercise.elements->sizes;
    const auto is_size = [&](const std::string& name) {
        return std::ranges::count(sizes, name) > 0;
    };
    static const TextPattern name(R"(\w+)");
    const std::string row = simplified(index.outer), col = simplified(index.inner);
    TextMatch match;
    if (!is_size(index.pitch) || !match_whole(row, match, name) || !match_whole(col, match, name)) {
        return {};
    }
    const std::string code = code_for_search(text);
    static const TextPattern comparison(R"(\b(\w+)\s*<\s*(\w+)\b)");
    std::string size_of_row, size_of_col;
    for (const TextMatch& one : find_matches(code, comparison)) {
        if (!is_size(one.str(2))) continue;
        if (one.str(1) == row) size_of_row = one.str(2);
        if (one.str(1) == col) size_of_col = one.str(2);
    }
    const bool is_exchanged =
        size_of_row == index.pitch && !size_of_col.empty() && size_of_col != index.pitch;
    if (!is_exchanged) return {};
    return {row, size_of_col, size_of_row, array.name + "[" + index.text + "]"};
}

}  // namespace

std::optional<Failure> find_element_overrun(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_report(trial, "memcheck");
    if (!report || report->matches("memcheck", "misaligned")) return std::nullopt;
    for (const char* other : {"shared memory", "local memory", "stack"}) {
        if (report->message.find(other) != report->message.npos) return std::nullopt;
    }
    const ArrayPlace at = find_array(report->address, trial, evidence);
    if (!at.array || (at.index >= 0 && at.index < at.count)) return std::nullopt;
    const bool is_read = report->message.starts_with("Reads");
    const std::string& name = at.array->name;
    const std::string element = name + "[" + std::to_string(at.index) + "]";
    const bool is_edge =
        at.index >= at.count && (evidence.was_correct_before ||
                                 evidence.relaunch({.shape = evidence.exercise.counted}).is_good());
    Failure failure{
        .kind = is_edge ? FailureKind::no_bounds_check : FailureKind::out_of_bounds,
        .headline = std::string("the kernel ") + (is_read ? "reads " : "writes ") + element +
                    ", but `" + name + "` has " +
                    format_count(static_cast<std::uint64_t>(at.count), "element") + ".",
        .place = place_in_learner_file(report->place, evidence),
        .shape = trial.shape,
        .details = wrap(report->thread.text() + (is_read ? " reads " : " writes ") + element +
                        ", which is not part of the array."),
        .next = is_edge ? "Test the index against the size before this access: some threads of the "
                          "last block have no element."
                        : "Work out the index by hand for the thread named above."};
    const bool is_first_thread = report->thread.block == std::array<unsigned, 3>{} &&
                                 report->thread.thread == std::array<unsigned, 3>{};
    if (is_edge && is_first_thread) {
        failure.next =
            "Test the index against the size before this access. Even the first thread exceeds the "
            "array: is the step by which its index grows right?";
    }
    if (const ExchangedTest test = find_exchanged_test(*at.array, failure.place.line, evidence);
        !test.index.empty()) {
        failure.details += wrap("The index is " + test.element + ", so `" + test.index +
                                "` counts " + test.size + ".");
        failure.next = "Compare `" + test.index + "` with `" + test.size + "`, not with `" +
                       test.tested + "`: the two sizes are exchanged.";
    }
    if (const auto other = find_other_row_length(*at.array, failure.place.line, evidence)) {
        failure.next = "A row of `" + name + "` has `" + other->wanted +
                       "` elements, but the index multiplies the row by `" + other->used + "`.";
    }
    if (at.index < 0) {
        failure.next =
            "The index is below zero: how should the kernel treat the first elements, which have "
            "no neighbour before them?";
    }
    return failure;
}

}  // namespace coalesce
