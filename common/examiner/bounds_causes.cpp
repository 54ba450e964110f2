#include "examiner/rules.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "examiner/expressions.h"
#include "examiner/index_value.h"
#include "examiner/line_mistake.h"
#include "examiner/messages.h"
#include "examiner/source_lines.h"
#include "harness/rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// Returns the number of elements that an access reads or writes, computed from the number of bytes
/// in the report's message.
std::int64_t count_accessed_elements(const Report& report) {
    const std::size_t number = report.message.find_first_of("0123456789");
    if (number == report.message.npos) return 1;
    return std::max(1, std::atoi(report.message.c_str() + number) / 4);
}

/// Describes the accessed element, for example "element 4813 of `in`, which has 4810". If the
/// address is far outside both matrices, it is unclear which of them was meant. In that case, reads
/// count as accesses to `in` and writes as accesses to `out`.
std::string describe_element(const Report& report, const Trial& trial, const Evidence& evidence) {
    constexpr std::uint64_t null_page_end = 1 << 20;
    if (report.address < null_page_end) {
        return "address " + std::to_string(report.address) +
               ": the pointer is null, or far from any matrix";
    }
    const bool is_in_place = evidence.exercise.task().in_place;
    const bool is_out = is_in_place || !report.message.starts_with("Reads");
    const std::uint64_t begin = is_out ? trial.out_address : trial.in_address;
    const auto element =
        (static_cast<std::int64_t>(report.address) - static_cast<std::int64_t>(begin)) / 4;
    const std::int64_t count = count_accessed_elements(report);
    const std::string bytes_text = count == 1 ? "element " + std::to_string(element)
                                              : "elements " + std::to_string(element) + " to " +
                                                    std::to_string(element + count - 1) +
                                                    ", in one access,";
    return bytes_text + " of `" + matrix_name(is_out, evidence) + "`, which has " +
           std::to_string(trial.elements());
}

/// Reports whether the kernel computes row indices. A copy kernel may treat the matrix as one long
/// row instead.
bool computes_row_indices(const Source& source) {
    const std::string code = blank_out_comments(source.text);
    for (std::size_t at = code.find("row"); at != code.npos; at = code.find("row", at + 1)) {
        if (code.compare(at, 4, "rows") != 0) return true;
    }
    return false;
}

std::string bounds_check_advice(const Evidence& evidence) {
    if (evidence.exercise.task().in_place) {
        return "Where a tile extends beyond the matrix, some threads have no element and must do "
               "nothing. Before each access, compare both indices with the side of the matrix.";
    }
    if (!computes_row_indices(evidence.source)) {
        return "Some threads have no element, or fewer elements than the others: compare the index "
               "of the last element that a thread accesses with rows * cols.";
    }
    if (tracks_copies_with_mbarrier(evidence.source.text)) {
        return "Where a tile extends beyond the matrix, some rows of the tile do not exist: copy a "
               "row only if the matrix has that row.";
    }
    const std::string code = blank_out_comments(evidence.source.text);
    const bool has_offset = code.find("row +") != code.npos || code.find("row+") != code.npos;
    return std::string(
               "Where a tile extends beyond the matrix, some threads have no element and must do "
               "nothing. Before each access, compare ") +
           (has_offset ? "the index that it uses: if that index is row + k, compare row + k with "
                         "rows, not row alone."
                       : "row with rows and col with cols.");
}

Failure explain_missing_bounds_check(const Trial& trial, const Place& place,
                                     const std::string& details, const Evidence& evidence) {
    return {.kind = FailureKind::no_bounds_check,
            .headline =
                "threads without an element access memory outside of the matrix: a bounds check is "
                "missing or wrong.",
            .place = place,
            .shape = trial.shape,
            .details = details,
            .advice = bounds_check_advice(evidence)};
}

/// Looks for a wrong index by launching the kernel on non-square shapes that consist of whole
/// tiles. On the shape that failed, accesses outside the matrix can hide the pattern of the
/// mistake.
std::optional<Failure> find_wrong_index(const Trial& trial, const Evidence& evidence) {
    const auto mistake_at = [&](const Trial& unchecked_trial) -> std::optional<Failure> {
        if (!unchecked_trial.comparison ||
            !has_trait(unchecked_trial.comparison->fault(), trait::certain))
            return std::nullopt;
        return explain_wrong_result(unchecked_trial, *unchecked_trial.comparison, evidence);
    };
    // On a shape with partial tiles, a missing bounds check can look like a wrong index, so skip
    // that shape if the kernel was correct on whole tiles.
    if (has_whole_tiles(trial.shape) || !evidence.was_correct_on_whole_tiles) {
        // On the simulated GPU, launch the kernel again in a mode that lets it continue after an
        // access outside the matrix. On a real GPU, the first launch has already returned a result.
        Trial larger_trial = trial;
        if (auto result = evidence.launch_without_checks(trial.shape).comparison)
            larger_trial.comparison = result;
        if (auto failure = mistake_at(larger_trial)) return failure;
    }
    for (const Shape shape : {Shape{64, 128}, Shape{128, 64}}) {
        if (!evidence.exercise.accepts(shape)) continue;
        if (auto failure = mistake_at(evidence.launch_without_checks(shape))) return failure;
    }
    return std::nullopt;
}

/// Keeps only the explanation for `matrix` in a text that contains explanations for both matrices,
/// such as "the kernel seems to use out[row * 4 + col] ...; or the kernel seems to use in[row *
/// 1024 + col] ...". Used when the wrong access shows which index is wrong.
std::string keep_explanation(const std::string& text, const std::string& matrix) {
    const std::string begin = kSeemsToUse;
    const std::size_t first_position = text.find(begin),
                      bar = text.find("; or " + begin, first_position);
    if (bar == text.npos) return text;
    const std::string access_text = begin + matrix + "[";
    if (text.compare(first_position, access_text.size(), access_text) == 0)
        return end_sentence(text.substr(0, bar));
    const std::size_t second_position = text.find(begin, bar);
    if (text.compare(second_position, access_text.size(), access_text) != 0) return text;
    return text.substr(0, first_position) + text.substr(second_position);
}

/// Explains an index that multiplies the row by a number other than the length of a row, such as
/// the number of threads along an axis of the grid. Returns false if there is no such index.
bool explain_row_length(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    const bool is_transposed = task.kind == Produces::transpose;
    if (task.in_place || (!is_transposed && task.kind != Produces::copy)) return false;
    const std::string& text = evidence.source.text;
    const int line = failure.place.line;
    std::map<std::string, long long> values = {{"rows", trial.shape.rows},
                                               {"cols", trial.shape.cols}};
    for (const std::size_t axis : {0U, 1U}) {
        const std::string end = std::string(".") + "xy"[axis];
        values["gridDim" + end] = trial.launch.grid[axis];
        values["blockDim" + end] = trial.launch.block[axis];
    }
    const auto depends_on_thread = [&](const std::string& term) {
        const std::string expanded = IndexExpression(text, term, line).expanded();
        return expanded.find("threadIdx") != expanded.npos ||
               expanded.find("blockIdx") != expanded.npos;
    };
    for (const bool is_out : {true, false}) {
        const std::string matrix = matrix_name(is_out, evidence),
                          length = is_out && is_transposed ? "rows" : "cols";
        const MatrixIndex index = find_matrix_index(text, line, matrix);
        if (index.pitch.empty() || !depends_on_thread(index.outer_term) ||
            !depends_on_thread(index.inner_term))
            continue;
        const auto pitch = IndexExpression(text, index.pitch, line).value(values);
        const int side = length == "rows" ? trial.shape.rows : trial.shape.cols;
        if (!pitch || *pitch == side) continue;
        failure.headline = "this index multiplies " + add_backticks(index.outer_term) + " by " +
                           add_backticks(index.pitch) + ", which is " + std::to_string(*pitch) +
                           " here, but a row of `" + matrix + "` has " + length + " = " +
                           std::to_string(side) + " elements.";
        failure.advice = "Multiply " + add_backticks(index.outer_term) + " by " + length + ".";
        return true;
    }
    return false;
}

}  // namespace

Failure explain_out_of_bounds(const Trial& trial, const Place& place, const std::string& details,
                              const Evidence& evidence) {
    // If a wrong index explains the access, report the wrong index instead.
    if (std::optional<Failure> failure = find_wrong_index(trial, evidence)) {
        failure->place = place;
        failure->details = wrap("With rows = " + std::to_string(trial.shape.rows) +
                                " and cols = " + std::to_string(trial.shape.cols) +
                                ", the kernel accesses memory outside of the matrix:") +
                           details + failure->details;
        return *failure;
    }
    Failure stack_failure{.kind = FailureKind::out_of_bounds,
                          .headline = "",
                          .place = place,
                          .shape = trial.shape,
                          .details = details};
    if (explain_by_matrix_begin(stack_failure, trial, evidence)) return stack_failure;
    if (explain_row_length(stack_failure, trial, evidence)) return stack_failure;
    const bool is_ragged = !has_whole_tiles(trial.shape);
    if (is_ragged && evidence.was_correct_on_whole_tiles) {
        return explain_missing_bounds_check(trial, place, details, evidence);
    }
    // A kernel whose tile is larger than the small matrices may still be correct on the large shape
    // for which costs are counted. Such a kernel is missing a bounds check.
    if (!evidence.was_correct_on_whole_tiles &&
        evidence.relaunch({.shape = evidence.exercise.counted_shape}).is_good()) {
        return explain_missing_bounds_check(trial, place, details, evidence);
    }
    return {.kind = FailureKind::out_of_bounds,
            .headline = "the kernel accesses memory outside of its matrices.",
            .place = place,
            .shape = trial.shape,
            .details = details,
            .advice = "Work out the index by hand for the thread named above.",
            .is_cause_open = true};
}

namespace {

Failure explain_out_of_bounds(const Trial& trial, const Report& report, const Evidence& evidence) {
    const bool is_read = report.message.starts_with("Reads");
    const std::string details = wrap(report.thread.text() + (is_read ? " reads " : " writes ") +
                                     describe_element(report, trial, evidence) + ".");
    Failure failure = explain_out_of_bounds(trial, place_in_learner_file(report.place, evidence),
                                            details, evidence);
    failure.headline = keep_explanation(failure.headline, is_read ? "in" : "out");
    return failure;
}

bool is_in_shared_memory(const Report& report) {
    return report.message.find("shared memory") != report.message.npos;
}

Failure explain_outside_shared(const Trial& trial, const Report& report, const Evidence& evidence) {
    Failure failure =
        failure_from_report(FailureKind::outside_shared_memory, report, trial, evidence,
                            "the kernel accesses memory outside of the shared array.",
                            "Compare the indices with the array's dimensions. " + report.cure);
    if (report.cure.starts_with("This address is not in shared memory")) {
        failure.headline =
            "this instruction accesses shared memory, but its address is not in shared memory.";
        failure.advice = report.cure;
        return failure;
    }
    failure.is_cause_open = true;
    if (!has_dynamic_array(evidence.source.text)) return failure;
    const long long bytes = trial.launch.shared_bytes;
    if (bytes == 0) {
        failure.is_cause_open = false;
        failure.headline =
            "the shared array has no memory, because configure sets no shared_bytes.";
        failure.advice = "In configure, set .shared_bytes to the size of the whole array in bytes.";
        return failure;
    }
    failure.details += wrap("configure gives it " + std::to_string(bytes) + " shared_bytes.");
    failure.advice = "Compare the indices with the size of the array.";
    // Launch the kernel again with more shared memory. If too little memory was the only mistake,
    // the kernel then passes. If an index is wrong, it still fails.
    constexpr long long kLargest = 48 << 10;
    const TrialRequest larger_request{.shape = trial.shape,
                                      .shared_bytes = std::min(4 * bytes, kLargest)};
    if (evidence.relaunch(larger_request).is_good()) {
        failure.is_cause_open = false;
        failure.headline = "the shared array has too little memory: configure gives it " +
                           std::to_string(bytes) + " bytes.";
        failure.place.line = find_configure_line(evidence.source.text, ".shared_bytes");
        failure.advice =
            "In configure, set .shared_bytes to the size of the whole array: all of its elements, "
            "padding included, times sizeof(float).";
    }
    return failure;
}

Failure explain_outside_local(const Trial& trial, const Report& report, const Evidence& evidence) {
    const LocalArray array = find_local_array(evidence.source.text, report.place.line);
    const std::string size_text =
        "`" + array.name + "`, which has " +
        format_count(static_cast<std::uint64_t>(array.length), "element") + ".";
    return failure_from_report(
        FailureKind::outside_local_array, report, trial, evidence,
        array.name.empty()
            ? "the kernel accesses memory outside of a thread's own array."
            : "the kernel accesses memory outside of the thread's array " + size_text,
        "Work out the index by hand for the thread named above: the first element has index 0.");
}

/// Explains the alignment that bulk copies and mbarriers require, which has nothing to do with
/// vectors.
void explain_misaligned_operand(Failure& failure) {
    const bool is_bulk_copy = failure.details.find("bulk copy") != std::string::npos;
    const bool is_mbarrier =
        failure.details.find("Changes atomically 8 bytes") != std::string::npos;
    if (is_bulk_copy) {
        failure.headline = "a bulk copy uses an address or a size that is not a multiple of 16.";
        failure.advice =
            "The size of a bulk copy and both of its addresses must be multiples of 16 "
            "bytes: begin the copy at a multiple of 4 floats, and copy a multiple of 4 floats.";
    } else if (is_mbarrier) {
        failure.headline = "an mbarrier begins at an address that is not a multiple of 8.";
        failure.advice = "Declare the mbarrier as a __shared__ variable of 8 bytes.";
    }
}

}  // namespace

std::optional<Failure> find_memory_error(const Trial& trial, const Evidence& evidence) {
    auto failure = find_reported_failure(
        {{"memcheck", "misaligned", FailureKind::misaligned,
          "a vector access uses an address that is not a multiple of the vector's size.",
          "The address of a float4 must be a multiple of 16 bytes, and that of a float2 a multiple "
          "of 8 bytes: make the index of the first element a multiple of 4 or 2."},
         {"memcheck", "stack overflow", FailureKind::stack_overflow,
          "a function calls itself until the thread's stack is full.",
          "Which argument ends the recursion? Make each call bring this argument closer to the "
          "end, or write a loop."},
         {"memcheck", "another thread's variable", FailureKind::outside_local_array,
          "this pointer points to a local variable of another thread.",
          "Each thread has its own local variables: put values that several threads need in shared "
          "memory."}},
        trial, evidence);
    if (failure) {
        if (failure->kind == FailureKind::misaligned) explain_misaligned_operand(*failure);
        return failure;
    }
    const Report* report = find_report(trial, "memcheck");
    if (!report) return std::nullopt;
    if (is_in_shared_memory(*report)) return explain_outside_shared(trial, *report, evidence);
    if (report->message.find("local memory") != report->message.npos) {
        return explain_outside_local(trial, *report, evidence);
    }
    return explain_out_of_bounds(trial, *report, evidence);
}

std::optional<Failure> find_local_array_overrun(const Trial& trial, const Evidence& evidence) {
    const ArrayOverrun overrun = find_array_overrun(evidence.source.text);
    if (overrun.line == 0) return std::nullopt;
    const std::string access = "`" + overrun.array + "[" + overrun.index + "]`";
    return Failure{
        .kind = FailureKind::outside_local_array,
        .headline = access + " goes outside of its array: `" + overrun.array + "` has " +
                    format_count(static_cast<std::uint64_t>(overrun.length), "element") + ", and " +
                    overrun.index + " reaches " + std::to_string(overrun.last_value) + ".",
        .place = {evidence.source.name, overrun.line, 0},
        .shape = trial.shape,
        .details = wrap(
            "The result of such an access is undefined, and the compiler may remove the access."),
        .advice = "The elements are numbered from 0 to " + std::to_string(overrun.length - 1) +
                  ". Which element belongs to this iteration of the loop?"};
}

}  // namespace coalesce
