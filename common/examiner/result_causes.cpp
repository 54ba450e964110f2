#include "examiner/rules.h"

#include <algorithm>

#include "examiner/line_mistake.h"
#include "examiner/matches.h"
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
    const std::vector<std::uint64_t> addresses = access.active_addresses();
    return std::any_of(addresses.begin(), addresses.end(), [&](std::uint64_t begin) {
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
        const Trial unchecked_trial = evidence.launch_without_checks(
            trial.shape,
            {number / warps, static_cast<unsigned>(number % warps), kMaxTracedAccesses});
        const std::uint64_t address =
            unchecked_trial.out_address + 4 * static_cast<std::uint64_t>(index);
        const auto access =
            std::find_if(unchecked_trial.accesses.begin(), unchecked_trial.accesses.end(),
                         [&](const auto& candidate) { return stores_to(candidate, address); });
        if (access != unchecked_trial.accesses.end()) return access->line;
    }
    return 0;
}

/// Returns the line that the learner should look at first. For a wrong index of a load, this is the
/// line of the load. A compiler may attribute code that it moved out of a loop to a line that
/// contains only a brace. In that case, returns the line of the statement before the brace.
int find_mistake_line(const Trial& trial, const Finding& finding, const Evidence& evidence) {
    const int store_line = find_statement_line(evidence.source.text, trial.store_line);
    const auto headline_contains = [&](const char* words) {
        return finding.sentence.find(words) != std::string::npos;
    };
    const std::string& text = evidence.source.text;
    int line = 0;
    if (finding.fault == Fault::wrong_origin) line = find_pointer_advance_line(text, "in");
    if (finding.fault == Fault::half_exchanged) line = find_wrong_store_line(trial, evidence);
    if (finding.fault == Fault::never_written && headline_contains("on the diagonal")) {
        line = find_line_leaving_diagonal(text);
    }
    if (finding.fault == Fault::ragged_edge_missed) {
        const int grid = find_configure_line(text, ".grid");
        if (code_on_line(text, grid).find("ceil_div") == std::string::npos) line = grid;
    }
    if (line > 0) return line;
    const bool is_load_fault =
        finding.fault == Fault::wrong_origin ||
        (finding.fault == Fault::wrong_pitch && headline_contains("seems to use in["));
    if (!is_load_fault) return store_line;
    const Trial unchecked_trial = evidence.launch_without_checks(trial.shape);
    for (const LineCounters& line_counters : unchecked_trial.lines) {
        if (line_counters.counters.load_requests > 0) return line_counters.line;
    }
    return store_line;
}

/// Explains at which stage the kernel loses or misplaces elements. The accesses of one warp show
/// the stage. The result alone does not show it.
void explain_left_out_elements(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const auto left_out_stage = find_left_out_stage(trial, evidence);
    if (!left_out_stage) return;
    failure.kind = FailureKind::elements_left_out;
    failure.fault = Fault::none;
    failure.details += wrap(first_sentence(failure.headline));
    failure.headline = left_out_stage->sentence;
    failure.place.line = left_out_stage->line;
    failure.advice = left_out_stage->advice;
}

/// Explains a sum in which only one term is multiplied by the row length, such as `row + k * cols`.
/// Such a sum is a mistake, whatever the result. Returns false if there is none.
bool explain_missing_parentheses(Failure& failure, const Evidence& evidence) {
    const MissingParentheses parentheses = find_missing_parentheses(evidence.source.text);
    if (parentheses.line == 0) return false;
    failure.kind = FailureKind::wrong_result;
    failure.fault = Fault::wrong_pitch;
    failure.details = wrap(first_sentence(failure.headline)) + failure.details;
    failure.headline = "`" + parentheses.text + "` multiplies " + parentheses.factor + " only by " +
                       parentheses.pitch +
                       ", because * binds more tightly than +: parentheses are missing.";
    failure.place.line = parentheses.line;
    failure.advice = "Put the whole sum in parentheses: (... + " + parentheses.factor + ") * " +
                     parentheses.pitch + ".";
    return true;
}

/// Corrects the guess that the tiles were not moved because the block indices are not swapped. The
/// guess is wrong if the kernel already swaps them, or if it need not swap them.
void explain_unmoved_tiles(Failure& failure, const Evidence& evidence) {
    const std::string guess_text = ": swap the block indices too";
    const std::size_t at = failure.headline.find(guess_text);
    if (failure.fault != Fault::tile_not_moved || at == std::string::npos) return;
    if (evidence.exercise.task().in_place) {
        failure.headline.erase(at, guess_text.size());
        return;
    }
    static const TextPattern column(R"(\bcol\s*=\s*(blockIdx\.[xy]|tile_row|tile_col)\b)");
    const std::string code = code_for_search(evidence.source.text);
    const std::vector<TextMatch> columns = find_matches(code, column);
    if (columns.size() < 2 || columns.front().str(1) == columns.back().str(1)) return;
    const TextMatch &first = columns.front(), &last = columns.back();
    const std::string grid =
        code_on_line(evidence.source.text, find_configure_line(evidence.source.text, ".grid"));
    // The first size of the grid tells which of the block's indices counts columns.
    const std::size_t rows = find_word(grid, "rows"), cols = find_word(grid, "cols");
    const std::string right_index = rows < cols ? "blockIdx.y" : "blockIdx.x";
    const bool is_first_wrong = first.str(1).starts_with("blockIdx") && first.str(1) != right_index;
    const TextMatch &wrong = is_first_wrong ? first : last, &other = is_first_wrong ? last : first;
    const int line = line_of_match(code, wrong);
    failure.headline.replace(
        at, guess_text.size(),
        ", because line " + std::to_string(line) + " takes `col` from " + wrong.str(1) +
            ", but line " + std::to_string(line_of_match(code, other)) + " from " + other.str(1));
    failure.place.line = line;
    failure.advice = "The index of `out` already swaps row and column: take `col` from " +
                     other.str(1) + " on line " + std::to_string(line) +
                     " too, and `row` from the other index.";
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
    failure.advice =
        "How long is a row of a transposed matrix? It has MATRIX_ROWS elements; `rows` "
        "counts the rows of all matrices.";
}

}  // namespace

Failure explain_wrong_result(const Trial& trial, const Comparison& comparison,
                             const Evidence& evidence) {
    const Finding& first_finding = comparison.findings.front();
    const bool is_launch_fault = has_trait(first_finding.fault, trait::may_be_launch);
    if (is_launch_fault) {
        if (auto grid_failure = find_exchanged_grid(trial, evidence)) return *grid_failure;
    }
    Failure failure{
        .kind = FailureKind::wrong_result,
        .fault = first_finding.fault,
        .headline = end_sentence(first_finding.sentence),
        .place = {evidence.source.name, find_mistake_line(trial, first_finding, evidence), 0},
        .shape = trial.shape,
        .advice = advice_for_fault(first_finding.fault, evidence.exercise.task())};
    if (failure.headline.find("are not exchanged with each other") != std::string::npos)
        failure.advice =
            "Which line exchanges these two elements, or places them? Compare it with "
            "the lines for the other elements of the piece.";
    for (std::size_t i = 1; i < comparison.findings.size(); ++i) {
        // An access outside a matrix is a consequence of a wrong index, not a second mistake.
        const bool is_outside = has_trait(comparison.findings[i].fault, trait::outside);
        if (is_outside && has_trait(first_finding.fault, trait::certain)) continue;
        failure.details += wrap(end_sentence(comparison.findings[i].text()));
    }
    explain_unmoved_tiles(failure, evidence);
    explain_rows_of_stack(failure, evidence);
    const bool lacks_brackets = explain_missing_parentheses(failure, evidence);
    const bool is_explained =
        lacks_brackets || (is_launch_fault && explain_by_launch(failure, trial, evidence));
    if (!is_explained && !first_finding.guess.empty())
        failure.headline += " " + end_sentence(first_finding.guess);
    if (!lacks_brackets) explain_values(failure, trial, evidence);
    explain_missed_batches(failure, trial, evidence);
    if (!is_explained && failure.fault == first_finding.fault &&
        has_trait(first_finding.fault, trait::may_be_any_index)) {
        explain_left_out_elements(failure, trial, evidence);
    }
    const bool names_cause = has_trait(failure.fault, trait::certain | trait::inexact_value) ||
                             failure.fault == Fault::nothing_written;
    failure.is_cause_open =
        failure.kind == FailureKind::elements_left_out || (!is_explained && !names_cause);
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
    const auto finding = std::find_if(
        comparison.findings.begin(), comparison.findings.end(),
        [](const Finding& one_finding) { return has_trait(one_finding.fault, trait::outside); });
    return finding == comparison.findings.end() ? nullptr : &*finding;
}

/// Explains a race between blocks that index the same matrix with different row lengths. The
/// mistake is in the line whose row length differs from that of all other lines.
void explain_wrong_pitch(Failure& failure, const Report& race, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (!task.in_place) return;
    const std::string matrix = matrix_name(true, evidence);
    const OddPitch odd_pitch = find_odd_pitch(evidence.source.text, matrix);
    if (odd_pitch.line == 0) return;
    if (odd_pitch.line != race.place.line && odd_pitch.line != race.other_place.line) return;
    failure.place.line = odd_pitch.line;
    failure.details += wrap("Line " + std::to_string(odd_pitch.line) + " assumes that a row of `" +
                            matrix + "` has " + odd_pitch.pitch +
                            " elements, but all other lines assume " + odd_pitch.usual_pitch + ".");
    failure.advice = advice_for_fault(Fault::wrong_pitch, task);
}

}  // namespace

/// Explains a race between the two blocks that belong to a pair of tiles, of which only one may
/// process the pair. Returns false for all other races.
bool explain_pair(Failure& failure, const Report& race, const Evidence& evidence) {
    const auto &race_block = race.thread.block, &other_block = race.other_thread.block;
    const bool is_pair = race_block[0] == other_block[1] && race_block[1] == other_block[0] &&
                         race_block[0] != race_block[1];
    const bool has_tiles = !find_shared_array(evidence.source.text, 0).name.empty();
    if (!evidence.exercise.task().in_place || !is_pair || !has_tiles) return false;
    const auto name = [](const auto& block) {
        return "block (" + std::to_string(block[0]) + ", " + std::to_string(block[1]) + ")";
    };
    const bool is_read = race.message.starts_with("Reads");
    failure.headline = "both blocks of a pair work on its two tiles, " + name(race_block) +
                       " and " + name(other_block) + ": one of them " +
                       (is_read ? "reads elements that the other overwrites."
                                : "overwrites elements that the other uses.");
    const int line = find_line_comparing_blocks(evidence.source.text);
    failure.place.line =
        line > 0 ? line : find_kernel_line(evidence.source.text, evidence.exercise.kernel);
    failure.advice =
        "Make one block of each pair return at once, before it reads anything: the block whose "
        "tile is below the diagonal, where blockIdx.y is larger than blockIdx.x.";
    return true;
}

std::optional<Failure> find_result_error(const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    const bool has_wrong_output = trial.comparison && !trial.comparison->is_right();
    if (race && (!has_wrong_output || !has_trait(trial.comparison->fault(), trait::certain))) {
        Failure failure = failure_from_report(
            FailureKind::race_between_blocks, *race, trial, evidence,
            "several threads access the same memory in no defined order, and at least one of "
            "them writes.",
            std::string("Each element of `") + matrix_name(true, evidence) +
                "` belongs to one thread: which index do two threads share?");
        if (explain_pair(failure, *race, evidence)) return failure;
        failure.is_cause_open = true;
        explain_wrong_pitch(failure, *race, evidence);
        explain_batch_race(failure, *race, trial, evidence);
        explain_missing_parentheses(failure, evidence);
        return failure;
    }
    if (!has_wrong_output) return std::nullopt;
    const Comparison& comparison = *trial.comparison;
    if (const Finding* finding = find_guard_band_finding(comparison)) {
        return explain_out_of_bounds(trial, {evidence.source.name, trial.store_line, 0},
                                     wrap(end_sentence(finding->text())), evidence);
    }
    return explain_wrong_result(trial, comparison, evidence);
}

}  // namespace coalesce
