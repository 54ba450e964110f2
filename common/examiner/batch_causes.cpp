#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/line_mistake.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The lowest index in `lowest_in` and the lowest index in `lowest_out` of the elements that a
/// block accesses. Both arrays are stacks of matrices.
struct FirstElements {
    std::optional<std::int64_t> lowest_in, lowest_out;
};

/// Returns the lowest index in `lowest_in` and the lowest index in `lowest_out` of the elements
/// that the first warp of block (0, 0, z) accesses.
FirstElements find_block_begins(long long z, const Trial& trial, const Evidence& evidence) {
    const auto block = static_cast<std::uint64_t>(z * trial.launch.grid[0] * trial.launch.grid[1]);
    const Trial unchecked_trial =
        evidence.launch_without_checks(trial.shape, {.block = block, .limit = kMaxTracedAccesses});
    FirstElements origins;
    for (const simulated::Access& access : unchecked_trial.accesses) {
        if (access.is_shared || access.active == 0) continue;
        const std::uint64_t base =
            access.is_store ? unchecked_trial.out_address : unchecked_trial.in_address;
        auto& begin = access.is_store ? origins.lowest_out : origins.lowest_in;
        for (const std::uint64_t address : access.active_addresses()) {
            const auto element = static_cast<std::int64_t>(address - base) / 4;
            begin = begin ? std::min(*begin, element) : element;
        }
    }
    return origins;
}

bool uses_block_z(const Evidence& evidence) {
    return blank_out_comments(evidence.source.text).find("blockIdx.z") != std::string::npos;
}

/// Returns the line on which the learner should advance a pointer to the block's own matrix: the
/// line that advances the other pointer or, if there is none, the first line of the kernel.
int find_pointer_line(const std::string& pointer_name, const Evidence& evidence) {
    const int line = find_pointer_advance_line(evidence.source.text, pointer_name);
    return line > 0 ? line : find_kernel_line(evidence.source.text, evidence.exercise.kernel);
}

/// Blames `configure` for the number of blocks along z.
void blame_blocks_along_z(Failure& failure, const Evidence& evidence) {
    failure.place.line = find_configure_line(evidence.source.text, ".grid");
    failure.advice = "In configure, set the third number of .grid to the number of matrices.";
}

}  // namespace

namespace {

/// Looks for a mistake in a kernel whose blockIdx.y counts the tiles of all matrices: the pointers
/// already point to the block's own matrix, but `row` is not reset at the start of each matrix.
LineMistake find_row_of_all_matrices(const std::string& text, const std::string& offset, int line,
                                     const Trial& trial) {
    static const TextPattern number(R"(blockIdx\.y\s*/\s*([\w()/ ]+))");
    static const TextPattern row(
        R"(\bint\s+(?:\w+\s*=[^;,]*,\s*)?(\w+)\s*=([^;,]*blockIdx\.y\s*\*[^;,]*)[;,])");
    const std::string code = code_for_search(text), expanded_offset = expand(text, offset, line);
    TextMatch tile_match, quotient, match;
    if (trial.launch.grid[2] > 1 || !search(expanded_offset, tile_match, number) ||
        !search(code, quotient, number) || !search(code, match, row))
        return {};
    if (expand(text, match.str(2), line_of_match(code, match)).find('%') != std::string::npos)
        return {};
    const std::string name = add_backticks(match.str(1));
    return {line_of_match(code, match),
            "blockIdx.y numbers the tiles of all matrices here. `" + offset +
                "` already selects the block's own matrix, and " + name +
                " selects it a second time.",
            "Start " + name + " at 0 in each matrix: line " +
                std::to_string(line_of_match(code, quotient)) + " divides blockIdx.y, and " + name +
                " needs the remainder of this division. Or number "
                "the matrices along z."};
}

/// Explains a row that counts the rows of all matrices. Returns false if there is none.
bool explain_row_of_all_matrices(Failure& failure, const Trial& trial, const Evidence& evidence) {
    static const TextPattern own_matrix(R"(=\s*(?:in|out)\s*\+([^;]+);)");
    const std::string code = code_for_search(evidence.source.text);
    for (const TextMatch& match : find_matches(code, own_matrix)) {
        const LineMistake mistake = find_row_of_all_matrices(
            evidence.source.text, trimmed(match.str(1)), line_of_match(code, match), trial);
        if (mistake.line == 0) continue;
        failure.details = wrap(first_sentence(failure.headline)) + failure.details;
        blame(failure, mistake);
        return true;
    }
    return false;
}

}  // namespace

bool explain_pointer_advance(Failure& failure, const Trial& trial, const Evidence& evidence) {
    static const TextPattern advance(R"(\b(in|out)\s*(?:\+=|=\s*(?:in|out)\s*\+)([^;]+);)");
    const std::string code = code_for_search(evidence.source.text);
    if (evidence.exercise.task().kind != Produces::permuted) return false;
    for (const TextMatch& match : find_matches(code, advance)) {
        const std::string offset = trimmed(match.str(2)), name = "`" + match.str(1) + "`";
        const auto explain_move = [&](const std::string& headline, const std::string& advice) {
            if (failure.kind == FailureKind::wrong_result)
                failure.details = wrap(first_sentence(failure.headline)) + failure.details;
            failure.headline = headline;
            failure.place.line = line_of_match(code, match);
            failure.advice = advice;
            return true;
        };
        const std::string advice_text =
            "A matrix has MATRIX_ROWS * cols elements: move the pointer by blockIdx.z times that "
            "number.";
        const LineMistake row_mistake = find_row_of_all_matrices(evidence.source.text, offset,
                                                                 line_of_match(code, match), trial);
        if (row_mistake.line > 0) {
            explain_move(row_mistake.sentence, row_mistake.advice);
            failure.place.line = row_mistake.line;
            return true;
        }
        // A quotient of another index of the block may count the matrices.
        static const TextPattern quotient(R"(\bblockIdx\.[xy]\s*/)");
        const std::string expanded =
            expand(evidence.source.text, offset, line_of_match(code, match));
        if (contains(expanded, quotient)) continue;
        if (offset.find("blockIdx.z") == offset.npos) {
            return explain_move(
                name + " is moved by `" + offset +
                    "`, which does not depend on blockIdx.z, the index of the matrix.",
                advice_text);
        }
        if (split_outside_brackets(offset, "+").size() > 1 ||
            offset.find("blockIdx.z + ") != offset.npos) {
            return explain_move(
                name + " is moved by `" + offset +
                    "`, so even for the first matrix, where blockIdx.z is 0, it does not "
                    "point to the first element.",
                advice_text);
        }
        if (offset.find("sizeof") != offset.npos) {
            return explain_move(
                name + " is moved by a number of bytes, but pointer arithmetic counts elements.",
                advice_text);
        }
        const bool has_rows = offset.find("MATRIX_ROWS") != offset.npos;
        if (has_rows && contains_word(offset, "cols")) continue;
        return explain_move(name + " is moved by `" + offset +
                                "` for each matrix, but that is not the size of a matrix.",
                            advice_text);
    }
    return false;
}

bool explain_by_matrix_begin(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Problem problem{
        .rows = trial.shape.rows, .cols = trial.shape.cols, .produces = evidence.exercise.task()};
    const std::int64_t matrices = problem.batches();
    if (matrices > 0 && trial.launch.grid[2] > matrices) {
        failure.headline =
            "the grid has " + std::to_string(trial.launch.grid[2]) + " blocks along z for " +
            format_count(static_cast<std::uint64_t>(matrices), "matrix", "matrices") + ".";
        blame_blocks_along_z(failure, evidence);
        return true;
    }
    if (matrices < 2 || trial.launch.grid[2] < 2) return false;
    const auto expected_step = static_cast<std::int64_t>(trial.elements()) / matrices;
    const FirstElements first_begins = find_block_begins(0, trial, evidence),
                        second_begins = find_block_begins(1, trial, evidence);
    for (const bool is_out : {false, true}) {
        const auto& first_cell = is_out ? first_begins.lowest_out : first_begins.lowest_in;
        const auto& second_cell = is_out ? second_begins.lowest_out : second_begins.lowest_in;
        const std::string name = matrix_name(is_out, evidence);
        if (!first_cell || !second_cell || *first_cell != 0 || *second_cell == expected_step)
            continue;
        // Another rule reports a pointer that is not advanced at all.
        if (*second_cell == 0) continue;
        failure.headline = "block (0, 0, 1) assumes that the second matrix of `" + name +
                           "` begins at element " + std::to_string(*second_cell) +
                           ", but it begins at " + std::to_string(expected_step) + ".";
        const int line = find_pointer_advance_line(evidence.source.text, name);
        if (line > 0) failure.place.line = line;
        failure.advice =
            "A matrix has MATRIX_ROWS * cols elements. Add blockIdx.z times that number to the "
            "pointer to the first matrix; pointer arithmetic counts elements, not bytes.";
        return true;
    }
    return false;
}

void explain_missed_batches(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (failure.fault != Fault::batches_missed || !trial.comparison) return;
    if (explain_row_of_all_matrices(failure, trial, evidence)) return;
    const auto matrices = static_cast<long long>(trial.comparison->problem.batches());
    const long long blocks = trial.launch.grid[2];
    const bool has_blocks = blocks >= matrices, uses_z = uses_block_z(evidence);
    if (has_blocks == uses_z) return;
    failure.details = wrap(failure.headline) + failure.details;
    if (has_blocks) {
        failure.headline = "the grid has blocks for all " + std::to_string(matrices) +
                           " matrices, but nothing in the kernel depends on blockIdx.z: all blocks "
                           "work on the first matrix.";
        failure.place.line = find_kernel_line(evidence.source.text, evidence.exercise.kernel);
        failure.advice =
            "Make both `in` and `out` point to the block's own matrix: add blockIdx.z times the "
            "number of elements of one matrix.";
        return;
    }
    failure.headline = "the kernel uses blockIdx.z, but the grid has " +
                       format_count(static_cast<std::uint64_t>(blocks), "block") + " along z for " +
                       std::to_string(matrices) + " matrices.";
    blame_blocks_along_z(failure, evidence);
}

void explain_batch_race(Failure& failure, const simulated::Report& race, const Trial& trial,
                        const Evidence& evidence) {
    const auto &race_block = race.thread.block, &other_block = race.other_thread.block;
    const bool differ_by_z = race_block[0] == other_block[0] && race_block[1] == other_block[1] &&
                             race_block[2] != other_block[2];
    // If matrices overlap by chance, the first race may be between tiles of different columns.
    const bool moves_pointers = find_pointer_advance_line(evidence.source.text, "in") > 0 ||
                                find_pointer_advance_line(evidence.source.text, "out") > 0;
    if (race_block[2] != other_block[2] && !differ_by_z && !moves_pointers &&
        explain_by_matrix_begin(failure, trial, evidence))
        return;
    if (!differ_by_z || race.matches("globalrace", "read after write")) return;
    if (explain_by_matrix_begin(failure, trial, evidence)) return;
    const bool uses_z = uses_block_z(evidence);
    failure.headline =
        "blocks of different matrices store to the same elements, because the index does not "
        "depend on blockIdx.z.";
    failure.place.line =
        uses_z ? find_pointer_line("in", evidence) : find_pointer_line("out", evidence);
    failure.advice = uses_z ? "Make `out` point to the block's own matrix, as `in` does."
                            : "Make both `in` and `out` point to the block's own matrix.";
}

}  // namespace coalesce
