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

/// The lowest index in `in` and the lowest index in `out` of the elements that a block accesses.
/// Both arrays are stacks of matrices.
struct BlockBegins {
    std::optional<std::int64_t> in, out;
};

/// Returns the lowest index in `in` and the lowest index in `out` of the elements that the first
/// warp of block (0, 0, z) accesses.
BlockBegins begins_of_block(long long z, const Trial& trial, const Evidence& evidence) {
    const auto block = static_cast<std::uint64_t>(z * trial.launch.grid[0] * trial.launch.grid[1]);
    const Trial seen =
        evidence.launch_without_checks(trial.shape, {.block = block, .limit = kMaxTracedAccesses});
    BlockBegins begins;
    for (const simulated::Access& access : seen.accesses) {
        if (access.is_shared || access.active == 0) continue;
        const std::uint64_t base = access.is_store ? seen.out_address : seen.in_address;
        auto& begin = access.is_store ? begins.out : begins.in;
        for (const std::uint64_t address : access.active_addresses()) {
            const auto element = static_cast<std::int64_t>(address - base) / 4;
            begin = begin ? std::min(*begin, element) : element;
        }
    }
    return begins;
}

bool uses_block_z(const Evidence& evidence) {
    return blank_out_comments(evidence.source.text).find("blockIdx.z") != std::string::npos;
}

/// Returns the line on which the learner should advance a pointer to the block's own matrix: the
/// line that advances the other pointer or, if there is none, the first line of the kernel.
int find_pointer_line(const std::string& other, const Evidence& evidence) {
    const int line = find_pointer_advance_line(evidence.source.text, other);
    return line > 0 ? line : find_kernel_line(evidence.source.text, evidence.exercise.kernel);
}

/// Blames `configure` for the number of blocks along z.
void blame_blocks_along_z(Failure& failure, const Evidence& evidence) {
    failure.place.line = find_configure_line(evidence.source.text, ".grid");
    failure.next = "In configure, set the third number of .grid to the number of matrices.";
}

}  // namespace

namespace {

/// Looks for a mistake in a kernel whose blockIdx.y counts the tiles of all matrices: the pointers
/// already point to the block's own matrix, but `row` is not reset at the start of each matrix.
LineMistake find_row_of_all_matrices(const std::string& text, const std::string& offset, int line,
                                     const Trial& trial) {
    static const TextPattern number(R"(blockIdx\.y\s*/\s*([\w()/ ]+))");
    static const TextPattern row(R"(\bint\s+row\s*=([^;]*blockIdx\.y\s*\*[^;]*);)");
    const std::string code = code_for_search(text), moved = expand(text, offset, line);
    TextMatch tiles, quotient, found;
    if (trial.launch.grid[2] > 1 || !search(moved, tiles, number) ||
        !search(code, quotient, number) || !search(code, found, row))
        return {};
    if (expand(text, found.str(1), line_of(code, found)).find('%') != std::string::npos) return {};
    return {line_of(code, found),
            "blockIdx.y numbers the tiles of all matrices here. `" + offset +
                "` already selects the block's own matrix, and `row` selects it a second time.",
            "Start `row` at 0 in each matrix: line " + std::to_string(line_of(code, quotient)) +
                " divides blockIdx.y, and `row` needs the remainder of this division. Or number "
                "the matrices along z."};
}

}  // namespace

bool explain_pointer_advance(Failure& failure, const Trial& trial, const Evidence& evidence) {
    static const TextPattern advance(R"(\b(in|out)\s*(?:\+=|=\s*(?:in|out)\s*\+)([^;]+);)");
    const std::string code = code_for_search(evidence.source.text);
    if (evidence.exercise.task().kind != Produces::permuted) return false;
    for (const TextMatch& one : find_matches(code, advance)) {
        const std::string offset = trimmed(one.str(2)), name = "`" + one.str(1) + "`";
        const auto tell = [&](const std::string& headline, const std::string& next) {
            if (failure.kind == FailureKind::wrong_result)
                failure.details = wrap(first_sentence(failure.headline)) + failure.details;
            failure.headline = headline;
            failure.place.line = line_of(code, one);
            failure.next = next;
            return true;
        };
        const std::string right =
            "A matrix has MATRIX_ROWS * cols elements: move the pointer by blockIdx.z times that "
            "number.";
        const LineMistake of_row =
            find_row_of_all_matrices(evidence.source.text, offset, line_of(code, one), trial);
        if (of_row.line > 0) {
            tell(of_row.sentence, of_row.next);
            failure.place.line = of_row.line;
            return true;
        }
        if (offset.find("blockIdx.z") == offset.npos) {
            return tell(name + " is moved by `" + offset +
                            "`, which does not depend on blockIdx.z, the index of the matrix.",
                        right);
        }
        if (split_outside_brackets(offset, "+").size() > 1 ||
            offset.find("blockIdx.z + ") != offset.npos) {
            return tell(name + " is moved by `" + offset +
                            "`, so even for the first matrix, where blockIdx.z is 0, it does not "
                            "point to the first element.",
                        right);
        }
        if (offset.find("sizeof") != offset.npos) {
            return tell(
                name + " is moved by a number of bytes, but pointer arithmetic counts elements.",
                right);
        }
        const bool has_rows = offset.find("MATRIX_ROWS") != offset.npos;
        if (has_rows && contains_word(offset, "cols")) continue;
        return tell(name + " is moved by `" + offset +
                        "` for each matrix, but that is not the size of a matrix.",
                    right);
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
    const auto expected = static_cast<std::int64_t>(trial.elements()) / matrices;
    const BlockBegins first = begins_of_block(0, trial, evidence),
                      second = begins_of_block(1, trial, evidence);
    for (const bool is_out : {false, true}) {
        const auto& from = is_out ? first.out : first.in;
        const auto& to = is_out ? second.out : second.in;
        const std::string name = matrix_name(is_out, evidence);
        if (!from || !to || *from != 0 || *to == expected) continue;
        // Another rule reports a pointer that is not advanced at all.
        if (*to == 0) continue;
        failure.headline = "block (0, 0, 1) assumes that the second matrix of `" + name +
                           "` begins at element " + std::to_string(*to) + ", but it begins at " +
                           std::to_string(expected) + ".";
        const int line = find_pointer_advance_line(evidence.source.text, name);
        if (line > 0) failure.place.line = line;
        failure.next =
            "A matrix has MATRIX_ROWS * cols elements. Add blockIdx.z times that number to the "
            "pointer to the first matrix; pointer arithmetic counts elements, not bytes.";
        return true;
    }
    return false;
}

void explain_missed_batches(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (failure.fault != Fault::batches_missed || !trial.comparison) return;
    const auto matrices = static_cast<long long>(trial.comparison->problem.batches());
    const long long blocks = trial.launch.grid[2];
    const bool has_blocks = blocks >= matrices, knows = uses_block_z(evidence);
    if (has_blocks == knows) return;
    failure.details = wrap(failure.headline) + failure.details;
    if (has_blocks) {
        failure.headline = "the grid has blocks for all " + std::to_string(matrices) +
                           " matrices, but nothing in the kernel depends on blockIdx.z: all blocks "
                           "work on the first matrix.";
        failure.place.line = find_kernel_line(evidence.source.text, evidence.exercise.kernel);
        failure.next =
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
    const auto &one = race.thread.block, &other = race.other_thread.block;
    const bool differ_by_z = one[0] == other[0] && one[1] == other[1] && one[2] != other[2];
    // If matrices overlap by chance, the first race may be between tiles of different columns.
    const bool moves_pointers = find_pointer_advance_line(evidence.source.text, "in") > 0 ||
                                find_pointer_advance_line(evidence.source.text, "out") > 0;
    if (one[2] != other[2] && !differ_by_z && !moves_pointers &&
        explain_by_matrix_begin(failure, trial, evidence))
        return;
    if (!differ_by_z || race.matches("globalrace", "read after write")) return;
    if (explain_by_matrix_begin(failure, trial, evidence)) return;
    const bool knows = uses_block_z(evidence);
    failure.headline =
        "blocks of different matrices store to the same elements, because the index does not "
        "depend on blockIdx.z.";
    failure.place.line =
        knows ? find_pointer_line("in", evidence) : find_pointer_line("out", evidence);
    failure.next = knows ? "Make `out` point to the block's own matrix, as `in` does."
                         : "Make both `in` and `out` point to the block's own matrix.";
}

}  // namespace coalesce
