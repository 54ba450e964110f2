// Finds mistakes in pipelines of asynchronous copies.
// Long: the rules are short, and all of them use the list of steps that is defined first.
#include "examiner/rules.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// A call in the loop that processes the tiles, as one step of a pipeline.
struct PipelineStep {
    enum Kind { copy, commit, wait, barrier, use } kind = copy;
    int line = 0;
    std::string text = "";  ///< the call, with its arguments
    bool is_in_condition = false, is_in_else = false;
    bool is_in_branch() const { return is_in_condition || is_in_else; }
};

/// The steps in one iteration of the loop, in the order of the source.
using PipelineSteps = std::vector<PipelineStep>;

/// Returns the names of the file's functions that start copies or, if `needs_async_copy` is false,
/// of those that start none.
std::vector<std::string> list_functions(const std::string& code, bool needs_async_copy) {
    static const TextPattern head(R"(__device__[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*\{)");
    std::vector<std::string> names;
    for (const TextMatch& match : find_matches(code, head)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::string body = code.substr(
            opening_position, find_closing_bracket(code, opening_position) - opening_position);
        const bool has_async_copy = body.find("memcpy_async") != body.npos;
        if (has_async_copy == needs_async_copy) names.push_back(match.str(1));
    }
    return names;
}

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// Returns the kernel's first loop, which is assumed to process one tile per iteration, or nullptr
/// if the kernel has no loop.
const Loop* find_pipeline_loop(const std::vector<Loop>& loops, const std::string& text) {
    const int kernel = find_kernel_line(text, "");
    const Loop* loop_found = nullptr;
    for (const Loop& loop : loops) {
        if (loop.first_line > kernel && (!loop_found || loop.first_line < loop_found->first_line))
            loop_found = &loop;
    }
    return loop_found;
}

PipelineSteps list_steps(const std::string& text, const Loop& loop) {
    static const TextPattern call(R"(\b(\w+)\s*\()");
    const std::string code = code_for_search(text);
    const auto copying_functions = list_functions(code, true),
               other_functions = list_functions(code, false);
    PipelineSteps steps;
    for (const TextMatch& match : find_matches(code, call)) {
        const int line = line_of_match(code, match);
        if (line <= loop.first_line || line > loop.last_line) continue;
        const std::string name = match.str(1);
        PipelineStep step{.line = line};
        const std::size_t opening_position = match_end(match) - 1;
        step.text = code.substr(match_offset(match), find_closing_bracket(code, opening_position) +
                                                         1 - match_offset(match));
        if (name == "__pipeline_commit")
            step.kind = PipelineStep::commit;
        else if (name == "__pipeline_wait_prior")
            step.kind = PipelineStep::wait;
        else if (name == "__syncthreads")
            step.kind = PipelineStep::barrier;
        else if (name == "__pipeline_memcpy_async" || is_one_of(copying_functions, name))
            step.kind = PipelineStep::copy;
        else if (is_one_of(other_functions, name))
            step.kind = PipelineStep::use;
        else
            continue;
        for (const Condition& condition : find_conditions(text, line)) {
            step.is_in_condition |= !condition.is_exit && condition.line > loop.first_line;
        }
        for (const Condition& condition : find_conditions_of_else(text, line))
            step.is_in_else |= condition.line > loop.first_line;
        steps.push_back(step);
    }
    return steps;
}

/// Returns the first step of a kind in [begin, end), or nullptr.
const PipelineStep* find_step(const PipelineSteps& steps, PipelineStep::Kind kind,
                              std::size_t begin = 0, std::size_t end = SIZE_MAX) {
    for (std::size_t i = begin; i < std::min(end, steps.size()); ++i) {
        if (steps[i].kind == kind) return &steps[i];
    }
    return nullptr;
}

std::size_t index_of_step(const PipelineSteps& steps, const PipelineStep* step) {
    return step ? static_cast<std::size_t>(step - steps.data()) : steps.size();
}

std::string format_line_note(int line) {
    return "line " + std::to_string(line);
}

LineMistake find_commit_mistake(const PipelineSteps& steps) {
    const PipelineStep* copy = find_step(steps, PipelineStep::copy);
    const PipelineStep* commit = find_step(steps, PipelineStep::commit);
    if (!copy) return {};
    if (!commit) {
        return {copy->line, "no group is committed for the copies that start here.",
                "Call __pipeline_commit() after the copies, in each pass: the wait counts groups."};
    }
    if (commit->line < copy->line &&
        !find_step(steps, PipelineStep::commit, index_of_step(steps, copy))) {
        return {commit->line,
                "the group is committed before its copies start on " +
                    format_line_note(copy->line) + ", so the copies belong to the next group.",
                "Start the copies first, then commit their group."};
    }
    const PipelineStep* second_commit =
        find_step(steps, PipelineStep::commit, index_of_step(steps, commit) + 1);
    if (second_commit && commit->is_in_condition && second_commit->line > copy->line) {
        return {second_commit->line,
                "where there is a next tile, two groups are committed, here and on " +
                    format_line_note(commit->line) +
                    ". The newest group is empty, so the kernel also waits for the next tile's "
                    "group.",
                "Commit exactly one group in each pass."};
    }
    const PipelineStep* wait = find_step(steps, PipelineStep::wait);
    if (commit->is_in_condition && wait && !wait->is_in_branch()) {
        return {commit->line,
                "a group is committed only under this condition. Without this group, the wait on " +
                    format_line_note(wait->line) + " leaves this tile's own group in flight.",
                "Commit a group in every pass, even an empty one: then the newest group always "
                "belongs to the next tile."};
    }
    return {};
}

LineMistake find_wait_mistake(const PipelineSteps& steps) {
    static const TextPattern count(R"(\(\s*(\d{1,3})\s*\))");
    const PipelineStep* use = find_step(steps, PipelineStep::use);
    const PipelineStep* wait = find_step(steps, PipelineStep::wait);
    if (!use) return {};
    if (!wait) {
        return {use->line, "nothing waits for the tile's copies before the tile is read here.",
                "Call __pipeline_wait_prior(n) before the tile is read: this call leaves the n "
                "newest groups in flight."};
    }
    if (wait->line > use->line) {
        return {wait->line,
                "the wait for the copies comes after the tile is read on " +
                    format_line_note(use->line) + ".",
                "Wait first, then call __syncthreads(), then read the tile."};
    }
    const auto waits_in = [&](bool PipelineStep::*branch) {
        return std::ranges::any_of(steps, [&](const PipelineStep& step) {
            return step.kind == PipelineStep::wait && step.*branch;
        });
    };
    const bool waits_in_both =
        waits_in(&PipelineStep::is_in_condition) && waits_in(&PipelineStep::is_in_else);
    if (wait->is_in_branch() && !waits_in_both && !use->is_in_branch()) {
        return {wait->line,
                std::string("the kernel waits for the copies only ") +
                    (wait->is_in_else ? "in this else branch" : "under this condition") +
                    ", but it reads the tile in every pass.",
                "Wait in every pass, before the tile is read."};
    }
    TextMatch match;
    const PipelineStep* copy = find_step(steps, PipelineStep::copy);
    const PipelineStep* commit = find_step(steps, PipelineStep::commit);
    if (copy && commit && copy->line < wait->line && wait->line < commit->line &&
        search(wait->text, match, count) && match.str(1) == "1") {
        return {wait->line,
                "this wait comes before the commit on " + format_line_note(commit->line) +
                    ": the newest committed group is still this tile's own, and the wait leaves "
                    "this group in flight.",
                "Commit the next tile's copies first, then wait."};
    }
    if (search(wait->text, match, count) && std::stoi(match.str(1)) > 1 &&
        std::ranges::count(steps, PipelineStep::commit, &PipelineStep::kind) == 1) {
        return {wait->line,
                "this wait leaves " + match.str(1) +
                    " groups in flight, and this tile's own group is one of them: after this "
                    "group, only the group of the next tile has been committed.",
                "Leave 1 group in flight, the group of the next tile."};
    }
    return {};
}

LineMistake find_barrier_mistake(const PipelineSteps& steps) {
    const PipelineStep* use = find_step(steps, PipelineStep::use);
    const PipelineStep* wait = find_step(steps, PipelineStep::wait);
    if (!use || !wait || wait->line > use->line) return {};
    const std::size_t wait_index = index_of_step(steps, wait),
                      use_index = index_of_step(steps, use);
    const PipelineStep* barrier_between =
        find_step(steps, PipelineStep::barrier, wait_index, use_index);
    const PipelineStep* barrier_before = find_step(steps, PipelineStep::barrier, 0, wait_index);
    if (!barrier_between && barrier_before) {
        return {barrier_before->line,
                "the barrier comes before the wait on " + format_line_note(wait->line) +
                    ". A thread waits only for its own copies, so other threads may read the tile "
                    "before all copies have arrived.",
                "Wait first, then call __syncthreads(), then read the tile."};
    }
    if (barrier_between && !find_step(steps, PipelineStep::barrier, use_index)) {
        return {use->line,
                "nothing keeps a fast thread from refilling this stage in the next pass while "
                "other threads still read it: a barrier is missing.",
                "Put __syncthreads() at the end of the loop's body, after the tile has been read."};
    }
    return {};
}

/// Returns the expression that a call uses as the index of the stage, such as "1 - stage" for
/// `fetch(tiles[1 - stage], ...)`.
std::string find_stage(const PipelineStep* step) {
    static const TextPattern stage(R"(\(\s*(?:\w+\s*,\s*)?\w+\[([^\]]*)\])");
    TextMatch match;
    return step && search(step->text, match, stage) ? trimmed(match.str(1)) : "";
}

/// The stages that an iteration of the loop fills and reads, and the line that changes the stage.
struct StageUse {
    const PipelineStep* copy;
    const PipelineStep* use;
    std::string filled_stage = {},
                read_stage = {};  ///< the index of the stage, such as "1 - stage"
    int change_line = 0;          ///< the line that changes the stage; 0 if there is none
    /// The two sides of the assignment that changes the stage.
    std::string variable = {}, assignment = {};
};

StageUse find_stage_use(const PipelineSteps& steps, const Loop& loop, const std::string& text) {
    StageUse stages{.copy = find_step(steps, PipelineStep::copy),
                    .use = find_step(steps, PipelineStep::use)};
    stages.filled_stage = find_stage(stages.copy);
    stages.read_stage = find_stage(stages.use);
    const auto is_stage = [&](const std::string& name) {
        return name.find("tage") != name.npos ||
               (name != loop.counter && (contains_word(stages.filled_stage, name) ||
                                         contains_word(stages.read_stage, name)));
    };
    for (int line = loop.first_line + 1; line < loop.last_line; ++line) {
        static const TextPattern stage_update(
            R"(^\s*(?:const\s+)?(?:int\s+|unsigned\s+|bool\s+)?(\w+)\s*(\+\+|[+^]?=[^;]*))");
        const std::string code = code_on_line(text, line);
        TextMatch match;
        if (!search(code, match, stage_update) || !is_stage(match.str(1))) continue;
        stages.change_line = line;
        stages.variable = match.str(1);
        stages.assignment = match.str(2);
    }
    // The loop's header may change the stage after each pass: `for (...; tile += step, stage ^= 1)`
    static const TextPattern step_update(R"(^(\w+)\s*(\+\+|[+^]?=.*)$)");
    for (const std::string& part : split_outside_brackets(loop.step.value_or(""), ",")) {
        TextMatch match;
        const std::string update = trimmed(part);
        if (!search(update, match, step_update) || !is_stage(match.str(1))) continue;
        stages.change_line = loop.last_line;
        stages.variable = match.str(1);
        stages.assignment = match.str(2);
    }
    return stages;
}

/// Reports whether a copy takes the tile of this pass, whose number is the loop's counter.
bool copies_own_tile(const std::string& call, const std::string& counter) {
    const TextPattern other_tile("\\b" + counter + R"(\s*\+)");
    return contains_word(call, counter) && !contains_word(call, "next") &&
           !contains(call, other_tile);
}

/// Reports whether the lines of a loop change any name in the expression of a stage.
bool changes_stage(const std::string& stage, const Loop& loop, const std::string& text) {
    static const TextPattern name(R"([A-Za-z_]\w*)");
    for (const TextMatch& match : find_matches(stage, name)) {
        const TextPattern change("(?:\\+\\+|--|\\bswap\\s*\\([^)]*)\\b" + match.str() + "\\b|\\b" +
                                 match.str() + "\\s*(?:\\+\\+|--|[-+*/%^|&]?=[^=])");
        for (int line = loop.first_line; line <= loop.last_line; ++line) {
            if (contains(code_on_line(text, line), change)) return true;
        }
    }
    return false;
}

/// Finds a stage that is read by the parity of the tile's number, although the copies take the
/// stages in turn.
LineMistake find_stage_by_tile(const StageUse& stages, const Loop& loop) {
    if (loop.counter.empty() || !loop.step || loop.step->find("+=") == std::string::npos) return {};
    const TextPattern parity("^" + loop.counter + R"(\s*(?:%\s*2|&\s*1)$)");
    if (!contains(stages.read_stage, parity) || contains_word(stages.filled_stage, loop.counter))
        return {};
    static const TextPattern other_stage(R"(^(?:1\s*-\s*(\w+)|(\w+)\s*\^\s*1|!\s*(\w+))$)");
    TextMatch match;
    std::string own_stage;
    if (search(stages.filled_stage, match, other_stage)) {
        for (const int group : {1, 2, 3}) own_stage += match.str(group);
    }
    return {stages.use->line,
            "this reads the stage " + add_backticks(stages.read_stage) +
                ", but the copies go to the two stages in turn: " + add_backticks(loop.counter) +
                " advances by more than 1 (" + add_backticks(trimmed(*loop.step)) +
                "), so its parity need not change from pass to pass.",
            own_stage.empty()
                ? "Read the stage that the copy of this tile filled in the previous pass."
                : "Read " + add_backticks(own_stage) +
                      ": the copy of this tile filled it in the previous pass."};
}

/// Finds a stage that an iteration both fills and reads, or a stage variable that never changes.
LineMistake find_same_stage(const StageUse& stages, const Loop& loop, const std::string& text) {
    const auto& [copy, use, filled_stage, read_stage, changes, variable, assignment] = stages;
    static const TextPattern negated_value(R"(=\s*-\s*\w+\s*$)");
    if (contains(assignment, negated_value)) {
        return {changes,
                "`" + variable + "` never changes here: it starts at 0, and -0 is still 0.",
                "Make it alternate between 0 and 1: use 1 - " + variable + "."};
    }
    const bool reads_other_stage = read_stage.find('-') != read_stage.npos ||
                                   read_stage.find('^') != read_stage.npos ||
                                   read_stage.find('!') != read_stage.npos;
    if (filled_stage == read_stage && reads_other_stage && changes > use->line) {
        return {use->line,
                "this reads the stage `" + read_stage + "`, which the next tile's copy fills on " +
                    format_line_note(copy->line) + "; the tile of this pass is in the other stage.",
                "Read the stage that was filled in the previous pass: " + variable + "."};
    }
    if (filled_stage == read_stage && copies_own_tile(copy->text, loop.counter)) {
        return {copy->line,
                "this copies the tile of this pass, `" + loop.counter +
                    "`, although its copy has been in flight since the previous pass.",
                "Start the copy of the next tile here, into the other stage."};
    }
    // With an even step, such as an even number of blocks, the remainder never changes.
    static const TextPattern remainder(R"(^=[^/]*(?:%\s*\d+|&\s*1)\s*$)");
    if (contains(assignment, remainder) && contains_word(assignment, loop.counter) && loop.step &&
        loop.step->find("+=") != std::string::npos) {
        return {
            changes,
            "`" + variable + "` does not alternate from pass to pass: `" + loop.counter +
                "` advances by more than 1, so the remainder can stay the same.",
            "Change the stage in every pass: use 1 - " + variable + ", or the parity of the pass."};
    }
    if (filled_stage == read_stage && (changes == 0 || changes > use->line)) {
        return {copy->line,
                "the next tile's copy goes into the stage that is read in this pass, `" +
                    filled_stage + "`.",
                "Fill the stage that is not being read."};
    }
    if (changes == 0 && !changes_stage(read_stage, loop, text)) {
        return {use->line, "`" + read_stage + "` never changes: each pass reads the same stage.",
                "Switch to the other stage at the end of each pass."};
    }
    return {};
}

/// Finds an assignment that sets the stage variable to the wrong stage, or that is on the wrong
/// line.
LineMistake find_wrong_change_of_stage(const StageUse& stages) {
    const auto& [copy, use, filled_stage, read_stage, changes, variable, assignment] = stages;
    const bool wraps_stage =
        assignment.find('%') != assignment.npos || assignment.find('-') != assignment.npos ||
        assignment.find('^') != assignment.npos || assignment.find('?') != assignment.npos ||
        assignment.find('&') != assignment.npos || assignment.find('!') != assignment.npos;
    if (!wraps_stage && filled_stage.find('%') == filled_stage.npos &&
        read_stage.find('%') == read_stage.npos) {
        return {changes, "`" + variable + "` keeps counting up, but there are only two stages.",
                "Make this variable alternate between the two stages: use 1 - " + variable +
                    ", or the remainder modulo 2."};
    }
    if (changes > 0 && changes < copy->line && filled_stage == read_stage &&
        read_stage == variable) {
        return {changes,
                "the stage changes before the next tile's copy starts, so " +
                    format_line_note(use->line) + " reads the stage that this copy fills.",
                "Change the stage at the end of the pass, after the tile has been read, and copy "
                "the next tile into the other stage."};
    }
    const bool is_sum_without_modulo =
        filled_stage.find('+') != filled_stage.npos && filled_stage.find('%') == filled_stage.npos;
    if (is_sum_without_modulo) {
        return {copy->line, "`" + filled_stage + "` goes beyond the last stage.",
                "Take the remainder modulo the number of stages."};
    }
    if (changes < use->line && changes > copy->line) {
        return {changes,
                "the stage changes before the tile is read: " + format_line_note(use->line) +
                    " then reads the stage that the next tile's copy fills.",
                "Change the stage at the end of the pass, after the tile has been read."};
    }
    if (changes > use->line && filled_stage != read_stage &&
        read_stage.find('-') != read_stage.npos) {
        return {use->line,
                "this reads the stage `" + read_stage + "`, which the copy on " +
                    format_line_note(copy->line) + " does not fill: that copy fills `" +
                    filled_stage + "`.",
                "Read the stage that was filled in the previous pass."};
    }
    return {};
}

LineMistake find_stage_mistake(const PipelineSteps& steps, const Loop& loop,
                               const std::string& text) {
    const StageUse stages = find_stage_use(steps, loop, text);
    if (stages.filled_stage.empty() || stages.read_stage.empty()) return {};
    LineMistake mistake = first_mistake(
        [&] { return find_stage_by_tile(stages, loop); },
        [&] { return find_same_stage(stages, loop, text); },
        [&] {
            return stages.change_line > 0 ? find_wrong_change_of_stage(stages) : LineMistake{};
        });
    if (mistake.line == loop.last_line && mistake.line == stages.change_line)
        mistake.line = loop.first_line;
    return mistake;
}

/// Finds a copy that only some threads call, although the called function distributes the copy over
/// all threads.
LineMistake find_few_copying_threads(const PipelineSteps& steps, const std::string& text) {
    const PipelineStep* copy = find_step(steps, PipelineStep::copy);
    if (!copy) return {};
    for (const Condition& condition : find_conditions(text, copy->line)) {
        const bool is_single_thread = condition.text.find("threadIdx") != condition.text.npos &&
                                      condition.text.find("==") != condition.text.npos;
        if (!is_single_thread || condition.is_exit) continue;
        return {condition.line,
                "only some threads start their copies here, but each thread should copy a part.",
                "Make this call in every thread of the block: each thread copies its own part."};
    }
    return {};
}

/// Finds a prefetched tile that is not the one that the next iteration processes.
LineMistake find_other_next_tile(const Loop& loop, const std::string& text) {
    if (!loop.step || loop.counter.empty()) return {};
    static const TextPattern step(R"(\+=\s*(.+)$)");
    static const TextPattern next_update(R"(\bnext\s*=\s*(\w+)\s*\+\s*([^;]+);)");
    const TextPattern next_argument("\\(.*,\\s*(" + loop.counter + R"()\s*\+\s*([^,;()]+)\)\s*;)");
    TextMatch step_match, next_match;
    if (!search(*loop.step, step_match, step)) return {};
    for (int line = loop.first_line + 1; line <= loop.last_line; ++line) {
        const std::string code = code_on_line(text, line);
        const bool is_next =
            search(code, next_match, next_update) || search(code, next_match, next_argument);
        if (!is_next || next_match.str(1) != loop.counter) continue;
        const std::string loop_step = split_outside_brackets(step_match.str(1), ",").front();
        if (trimmed(next_match.str(2)) == loop_step) return {};
        return {line,
                "this uses `" + loop.counter + " + " + trimmed(next_match.str(2)) +
                    "` as the next tile, but the loop continues with `" + loop.counter + " + " +
                    loop_step + "`.",
                "Use the tile of the next pass of the loop."};
    }
    return {};
}

/// Finds a copy that uses the index of the current tile instead of the next one, or a store that
/// uses the index of the next tile instead of the current one.
LineMistake find_wrong_tile_number(const PipelineSteps& steps, const Loop& loop) {
    const PipelineStep* copy = find_step(steps, PipelineStep::copy);
    const PipelineStep* use = find_step(steps, PipelineStep::use);
    if (!copy || !use || loop.counter.empty()) return {};
    const auto step_contains = [](const PipelineStep* step, const std::string& word) {
        return contains_word(step->text, word);
    };
    if (copies_own_tile(copy->text, loop.counter) && copy->line < use->line) {
        return {copy->line, "this copies the tile of this pass, `" + loop.counter + "`, again.",
                "Start the copy of the next tile."};
    }
    const TextPattern later_tile(",\\s*(" + loop.counter + R"(\s*\+\s*[^,()]+)\s*\))");
    if (TextMatch match; search(use->text, match, later_tile)) {
        return {use->line,
                "this reads the stage of tile " + add_backticks(loop.counter) +
                    ", but stores it as tile " + add_backticks(trimmed(match.str(1))) + ".",
                "Store " + add_backticks(loop.counter) + ", the tile that has arrived."};
    }
    if (step_contains(use, "next") && !step_contains(use, loop.counter)) {
        return {use->line, "this stores the tile of this pass as if it were the next tile, `next`.",
                "Store `" + loop.counter + "`, the tile that has arrived."};
    }
    return {};
}

/// Finds a call whose arguments rows and cols are not in the order of the function's parameters.
LineMistake find_exchanged_arguments(const PipelineSteps& steps) {
    for (const PipelineStep& step : steps) {
        const std::size_t rows = find_word(step.text, "rows"), cols = find_word(step.text, "cols");
        if (rows == step.text.npos || cols == step.text.npos || rows < cols) continue;
        return {step.line, "this call passes cols and rows in the wrong order.",
                "Pass the arguments in the order of the function's parameters: rows, cols."};
    }
    return {};
}

/// Finds a break that leaves the loop before the last tile is stored.
LineMistake find_early_break(const PipelineSteps& steps, const std::string& text) {
    const PipelineStep* use = find_step(steps, PipelineStep::use);
    if (!use) return {};
    for (const Condition& condition : find_conditions(text, use->line)) {
        if (!condition.is_exit || condition.returns || !condition.is_in_loop) continue;
        return {condition.line,
                "the block leaves its loop here, before the last tile has been stored.",
                "Skip only the copy of the next tile; the tile that has arrived must still "
                "be stored."};
    }
    return {};
}

bool is_pipeline_failure(const Failure& failure) {
    return failure.kind == FailureKind::copy_not_waited_for ||
           failure.kind == FailureKind::copy_not_committed ||
           failure.kind == FailureKind::uninitialised_shared ||
           failure.kind == FailureKind::outside_shared_memory ||
           failure.kind == FailureKind::missing_barrier ||
           failure.kind == FailureKind::wrong_result ||
           failure.kind == FailureKind::elements_left_out;
}

}  // namespace

bool copies_after_read(const std::string& text) {
    static const TextPattern waits_for_all(R"(\(\s*0\s*\))");
    if (code_for_search(text).find("__pipeline_memcpy_async") == std::string::npos) return false;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_pipeline_loop(loops, text);
    if (!loop) return false;
    const PipelineSteps steps = list_steps(text, *loop);
    const PipelineStep* copy = find_step(steps, PipelineStep::copy);
    const PipelineStep* use = find_step(steps, PipelineStep::use);
    const PipelineStep* wait = find_step(steps, PipelineStep::wait);
    const bool is_in_order =
        copy && use && wait && wait->line < use->line && use->line < copy->line;
    return is_in_order && std::ranges::all_of(steps, [&](const PipelineStep& step) {
               return step.kind != PipelineStep::wait || contains(step.text, waits_for_all);
           });
}

bool explain_by_pipeline(Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (failure.kind == FailureKind::deadlock) return explain_endless_wait(failure, evidence);
    if (!is_pipeline_failure(failure) || tracks_copies_with_mbarrier(text)) return false;
    if (code_for_search(text).find("__pipeline_memcpy_async") == std::string::npos) return false;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_pipeline_loop(loops, text);
    if (!loop) return false;
    const PipelineSteps steps = list_steps(text, *loop);
    const auto find_copy_mistake = [&] {
        return first_mistake([&] { return find_commit_mistake(steps); },
                             [&] { return find_wait_mistake(steps); });
    };
    const auto check_stages = [&] { return find_stage_mistake(steps, *loop, text); };
    const auto check_tiles = [&] {
        return first_mistake([&] { return find_exchanged_arguments(steps); },
                             [&] { return find_few_copying_threads(steps, text); },
                             [&] { return find_other_next_tile(*loop, text); },
                             [&] { return find_wrong_tile_number(steps, *loop); },
                             [&] { return find_early_break(steps, text); });
    };
    const LineMistake mistake =
        failure.kind == FailureKind::copy_not_waited_for ||
                failure.kind == FailureKind::copy_not_committed ||
                failure.kind == FailureKind::missing_barrier
            ? first_mistake(
                  find_copy_mistake, [&] { return find_barrier_mistake(steps); }, check_stages,
                  check_tiles)
            : first_mistake(check_stages, check_tiles);
    if (mistake.line == 0) return false;
    if (failure.kind == FailureKind::wrong_result)
        failure.details = wrap(failure.headline) + failure.details;
    blame(failure, mistake);
    return true;
}

}  // namespace coalesce
