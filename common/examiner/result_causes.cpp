#include "examiner/rules.h"

#include <algorithm>

#include "examiner/line_mistake.h"
#include "examiner/messages.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// The maximum number of warps to check. Each check launches the kernel once.
constexpr std::uint64_t kMaxTracedWarps = 64;

bool stores_to(const simulated::Access& access, std::uint64_t address) {
    if (access.is_shared || !access.is_store) return false;
    const std::vector<std::uint64_t> begins = access.active_addresses();
    return std::any_of(begins.begin(), begins.end(), [&](std::uint64_t begin) {
        return address >= begin && address < begin + access.bytes_per_lane;
    });
}

/// Returns the line that stored the first incorrect cell. Returns 0 if no such line is found, or if
/// there are too many warps to search.
int find_wrong_store_line(const Trial& trial, const Evidence& evidence) {
    if (!trial.comparison || !trial.comparison->first_bad) return 0;
    const auto warps = static_cast<std::uint64_t>((trial.launch.threads() + 31) / 32);
    const std::uint64_t count = static_cast<std::uint64_t>(trial.launch.blocks()) * warps;
    if (count > kMaxTracedWarps) return 0;
    const Cell cell = *trial.comparison->first_bad;
    const std::int64_t index = cell.row * trial.comparison->problem.out_cols() + cell.col;
    for (std::uint64_t number = 0; number < count; ++number) {
        const Trial seen = evidence.launch_without_checks(
            trial.shape,
            {number / warps, static_cast<unsigned>(number % warps), kMaxTracedAccesses});
        const std::uint64_t address = seen.out_address + 4 * static_cast<std::uint64_t>(index);
        const auto found = std::find_if(seen.accesses.begin(), seen.accesses.end(),
                                        [&](const auto& one) { return stores_to(one, address); });
        if (found != seen.accesses.end()) return found->line;
    }
    return 0;
}

/// Returns the line that the learner should look at first. For a wrong index of a load, this is the
/// line of the load. A compiler may attribute code that it moved out of a loop to a line that
/// contains only a brace. In that case, returns the line of the statement before the brace.
int find_mistake_line(const Trial& trial, const Finding& finding, const Evidence& evidence) {
    const int store_line = find_statement_line(evidence.source.text, trial.store_line);
    const auto says = [&](const char* words) {
        return finding.sentence.find(words) != std::string::npos;
    };
    const std::string& text = evidence.source.text;
    int line = 0;
    if (finding.fault == Fault::wrong_origin) line = find_pointer_advance_line(text, "in");
    if (finding.fault == Fault::half_exchanged) line = find_wrong_store_line(trial, evidence);
    if (finding.fault == Fault::never_written && says("on the diagonal")) {
        line = find_line_leaving_diagonal(text);
    }
    if (finding.fault == Fault::ragged_edge_missed) {
        const int grid = find_configure_line(text, ".grid");
        if (code_on_line(text, grid).find("ceil_div") == std::string::npos) line = grid;
    }
    if (line > 0) return line;
    const bool is_of_load = finding.fault == Fault::wrong_origin ||
                            (finding.fault == Fault::wrong_pitch && says("seems to use in["));
    if (!is_of_load) return store_line;
    const Trial seen = evidence.launch_without_checks(trial.shape);
    for (const LineCounters& one : seen.lines) {
        if (one.counters.load_requests > 0) return one.line;
    }
    return store_line;
}

/// Explains at which stage the kernel loses or misplaces elements. The accesses of one warp show
/// the stage. The result alone does not show it.
void explain_left_out_elements(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const auto left_out = find_left_out_stage(trial, evidence);
    if (!left_out) return;
    failure.kind = FailureKind::elements_left_out;
    failure.fault = Fault::none;
    failure.details += wrap(first_sentence(failure.headline));
    failure.headline = left_out->sentence;
    failure.place.line = left_out->line;
    failure.next = left_out->next;
}

/// Explains a sum in which only one term is multiplied by the row length, such as `row + k * cols`.
/// Such a sum is a mistake, whatever the result. Returns false if there is none.
bool explain_missing_parentheses(Failure& failure, const Evidence& evidence) {
    const MissingParentheses found = find_missing_parentheses(evidence.source.text);
    if (found.line == 0) return false;
    failure.kind = FailureKind::wrong_result;
    failure.fault = Fault::wrong_pitch;
    failure.details = wrap(first_sentence(failure.headline)) + failure.details;
    failure.headline = "`" + found.text + "` multiplies " + found.factor + " only by " +
                       found.pitch +
                       ", because * binds more tightly than +: parentheses are missing.";
    failure.place.line = found.line;
    failure.next =
        "Put the whole sum in parentheses: (... + " + found.factor + ") * " + found.pitch + ".";
    return true;
}

/// Corrects the guess that the tiles were not moved because the block indices are not swapped. The
/// guess is wrong if the kernel already swaps them, or if it need not swap them.
void explain_unmoved_tiles(Failure& failure, const Evidence& evidence) {
    const std::string guess = ": swap the block indices too";
    const std::size_t at = failure.headline.find(guess);
    if (failure.fault != Fault::tile_not_moved || at == std::string::npos) return;
    const std::string code = code_for_search(evidence.source.text);
    static const TextPattern exchanged(R"(\bcol\s*=\s*blockIdx\.y)");
    if (evidence.exercise.task().in_place) {
        failure.headline.erase(at, guess.size());
    } else if (contains(code, exchanged)) {
        failure.headline.replace(at, guess.size(),
                                 ": the block indices are swapped where col and row are set, and "
                                 "the index of the store swaps them once more");
        failure.next = "Swap them in only one of the two places.";
    }
}

/// In a stack, `rows` is the total number of rows of all matrices. Changes the advice to use the
/// number of rows of one matrix.
void explain_rows_of_stack(Failure& failure, const Evidence& evidence) {
    const std::string meant = "instead of out[col * rows + row]";
    const std::size_t at = failure.headline.find(meant);
    const bool is_stack = evidence.exercise.task().kind == Produces::permuted &&
                          contains_word(evidence.source.text, "MATRIX_ROWS");
    if (!is_stack || at == std::string::npos) return;
    failure.headline.replace(at, meant.size(), "instead of out[col * MATRIX_ROWS + row]");
    failure.next =
        "How long is a row of a transposed matrix? It has MATRIX_ROWS elements; `rows` "
        "counts the rows of all matrices.";
}

}  // namespace

Failure explain_wrong_result(const Trial& trial, const Comparison& comparison,
                             const Evidence& evidence) {
    const Finding& first = comparison.findings.front();
    const bool is_of_launch = has_trait(first.fault, trait::may_be_launch);
    if (is_of_launch) {
        if (auto found = find_exchanged_grid(trial, evidence)) return *found;
    }
    Failure failure{.kind = FailureKind::wrong_result,
                    .fault = first.fault,
                    .headline = end_sentence(first.sentence),
                    .place = {evidence.source.name, find_mistake_line(trial, first, evidence), 0},
                    .shape = trial.shape,
                    .next = advice_for_fault(first.fault, evidence.exercise.task())};
    for (std::size_t i = 1; i < comparison.findings.size(); ++i) {
        // An access outside a matrix is a consequence of a wrong index, not a second mistake.
        const bool is_outside = has_trait(comparison.findings[i].fault, trait::outside);
        if (is_outside && has_trait(first.fault, trait::certain)) continue;
        failure.details += wrap(end_sentence(comparison.findings[i].text()));
    }
    explain_unmoved_tiles(failure, evidence);
    explain_rows_of_stack(failure, evidence);
    const bool lacks_brackets = explain_missing_parentheses(failure, evidence);
    const bool is_told =
        lacks_brackets || (is_of_launch && explain_by_launch(failure, trial, evidence));
    if (!is_told && !first.guess.empty()) failure.headline += " " + end_sentence(first.guess);
    if (!lacks_brackets) explain_values(failure, trial, evidence);
    explain_missed_batches(failure, trial, evidence);
    if (!is_told && failure.fault == first.fault &&
        has_trait(first.fault, trait::may_be_any_index)) {
        explain_left_out_elements(failure, trial, evidence);
    }
    if (comparison.wrong + comparison.untouched > 0) {
        failure.details += wrap(
            std::to_string(comparison.right) + " cells right, " + std::to_string(comparison.wrong) +
            " wrong, " + std::to_string(comparison.untouched) +
            (evidence.exercise.task().in_place ? " unchanged." : " never written."));
        failure.map = comparison.map;
    }
    return failure;
}

namespace {

/// Returns an access outside a matrix that changed a guard band, or nullptr. This check is needed
/// on a real GPU, where memcheck does not run.
const Finding* find_guard_band_finding(const Comparison& comparison) {
    if (has_trait(comparison.fault(), trait::certain)) return nullptr;
    const auto found =
        std::find_if(comparison.findings.begin(), comparison.findings.end(),
                     [](const Finding& one) { return has_trait(one.fault, trait::outside); });
    return found == comparison.findings.end() ? nullptr : &*found;
}

/// Explains a race between blocks that index the same matrix with different row lengths. The
/// mistake is in the line whose row length differs from that of all other lines.
void explain_wrong_pitch(Failure& failure, const Report& race, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (!task.in_place) return;
    const std::string matrix = matrix_name(true, evidence);
    const OddPitch odd = find_odd_pitch(evidence.source.text, matrix);
    if (odd.line == 0) return;
    if (odd.line != race.place.line && odd.line != race.other_place.line) return;
    failure.place.line = odd.line;
    failure.details +=
        wrap("Line " + std::to_string(odd.line) + " assumes that a row of `" + matrix + "` has " +
             odd.pitch + " elements, but all other lines assume " + odd.usual_pitch + ".");
    failure.next = advice_for_fault(Fault::wrong_pitch, task);
}

}  // namespace

/// Explains a race between the two blocks that belong to a pair of tiles, of which only one may
/// process the pair. Returns false for all other races.
bool explain_pair(Failure& failure, const Report& race, const Evidence& evidence) {
    const auto &one = race.thread.block, &other = race.other_thread.block;
    const bool is_pair = one[0] == other[1] && one[1] == other[0] && one[0] != one[1];
    const bool has_tiles = !find_shared_array(evidence.source.text, 0).name.empty();
    if (!evidence.exercise.task().in_place || !is_pair || !has_tiles) return false;
    const auto name = [](const auto& block) {
        return "block (" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ")";
    };
    failure.headline = "both blocks of a pair do the work, " + name(one) + " and " + name(other) +
                       ": each block reads values that the other block has stored.";
    const int line = find_line_comparing_blocks(evidence.source.text);
    failure.place.line =
        line > 0 ? line : find_kernel_line(evidence.source.text, evidence.exercise.kernel);
    failure.next =
        "Make one block of each pair return at once: the block whose tile is below the diagonal, "
        "where blockIdx.y is larger than blockIdx.x.";
    return true;
}

std::optional<Failure> find_result_error(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    const bool is_wrong = trial.comparison && !trial.comparison->is_right();
    if (race && (!is_wrong || !has_trait(trial.comparison->fault(), trait::certain))) {
        Failure failure = failure_from_report(
            FailureKind::race_between_blocks, *race, trial, evidence,
            "several threads access the same memory in no defined order, and at least one of "
            "them writes.",
            std::string("Each element of `") + matrix_name(true, evidence) +
                "` belongs to one thread: which index do two threads share?");
        if (explain_pair(failure, *race, evidence)) return failure;
        explain_wrong_pitch(failure, *race, evidence);
        explain_batch_race(failure, *race, trial, evidence);
        explain_missing_parentheses(failure, evidence);
        return failure;
    }
    if (!is_wrong) return std::nullopt;
    const Comparison& comparison = *trial.comparison;
    if (const Finding* finding = find_guard_band_finding(comparison)) {
        return explain_out_of_bounds(trial, {evidence.source.name, trial.store_line, 0},
                                     wrap(end_sentence(finding->text())), evidence);
    }
    return explain_wrong_result(trial, comparison, evidence);
}

}  // namespace coalesce
