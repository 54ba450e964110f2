#include <algorithm>

#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

// ---- races in shared memory ----

/// Looks for a pair of threads that both exchange the two elements of the pair, as in a sorting
/// network: the partner of one thread is the other.
LineMistake find_pair_of_both(const Report& race, const std::string& text) {
    static const TextPattern partner(R"(\b(\w+)\s*=\s*(\w+(?:\.x)?)\s*\^\s*\w+\s*;)");
    const std::string code = code_for_search(text);
    const unsigned one = race.thread.thread[0], other = race.other_thread.thread[0];
    TextMatch match;
    if (!search(code, match, partner) || one == other) return {};
    const std::string name = match.str(1), own = match.str(2);
    const unsigned distance = one ^ other;
    const bool is_pair = (distance & (distance - 1)) == 0;
    const std::string own_pattern = own == "threadIdx.x" ? R"(threadIdx\.x)" : "\\b" + own + "\\b";
    const TextPattern comparison("\\b" + name + R"(\b\s*[<>]=?\s*)" + own_pattern + "|" +
                                 own_pattern + R"(\s*[<>]=?\s*)" + name + "\\b");
    if (!is_pair || contains(code, comparison)) return {};
    return {race.place.line,
            "threads " + std::to_string(std::min(one, other)) + " and " +
                std::to_string(std::max(one, other)) +
                " both handle the same pair of elements: the " + add_backticks(name) +
                " of each of them is the other.",
            "Let only one thread of each pair act: the one with " + name + " > " + own + "."};
}

/// Looks for pairs of elements that overlap, as in `other = t + stride` without a condition: the
/// partner of one thread is the own element of another, which exchanges it at the same time.
LineMistake find_overlapping_pairs(const Report& race, const std::string& text) {
    static const TextPattern partner(R"(\b(\w+)\s*=\s*(\w+(?:\.x)?)\s*\+\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<SharedArray> arrays = list_shared_arrays(text);
    const std::vector<Loop> loops = find_loops(text);
    const unsigned one = race.thread.thread[0], other = race.other_thread.thread[0];
    const unsigned smaller = std::min(one, other), larger = std::max(one, other);
    TextMatch match;
    if (arrays.size() != 1 || one == other || !search(code, match, partner)) return {};
    const int line = line_of_match(code, match);
    const std::string name = match.str(1), own = match.str(2), distance = match.str(3);
    const bool is_loop_counter = std::ranges::any_of(loops, [&](const Loop& loop) {
        return loop.counter == distance && loop.first_line < line && line <= loop.last_line;
    });
    const auto is_stored = [&](const std::string& index) {
        const TextPattern store("\\b" + arrays[0].name + R"(\s*\[\s*)" + index +
                                R"(\s*\]\s*=[^=])");
        return contains(code, store);
    };
    const bool is_thread = simplify_expression(expand(text, own, line)) == "threadIdx.x";
    for (int at = line; at <= race.place.line; ++at) {
        static const TextPattern bits(R"([^&]&[^&]|%|/)");
        const std::string body = code_on_line(text, at);
        if (contains_word(body, distance) && contains(body, bits)) return {};
    }
    const unsigned step = larger - smaller;
    if (!is_loop_counter || !is_thread || (step & (step - 1)) != 0 || own.find('.') != own.npos ||
        !is_stored(own) || !is_stored(name))
        return {};
    const std::string element = arrays[0].name + "[" + std::to_string(larger) + "]";
    return {race.place.line,
            "threads " + std::to_string(smaller) + " and " + std::to_string(larger) +
                " both handle " + add_backticks(element) + " in the same pass: it is the " +
                add_backticks(name) + " of thread " + std::to_string(smaller) +
                ", and the own element of thread " + std::to_string(larger) + ".",
            "Put each element into only one pair. Let only the threads with (" + own + " & " +
                distance + ") == 0 act; or choose the partner " + own + " ^ " + distance +
                ", and let only the smaller thread of each pair act."};
}

/// Looks for a shared array that has no index for the rows of threads in the block, so that all rows
/// use the same elements.
LineMistake find_array_of_one_row(const Report& race, const Trial& trial, const std::string& text) {
    const SharedArray array = find_shared_array(text, race.place.line);
    if (race.thread.thread[1] == race.other_thread.thread[1] || array.name.empty()) return {};
    const std::string code = code_for_search(text);
    const TextPattern use("\\b" + array.name + R"(\s*\[)");
    constexpr int most_uses = 8;
    int uses = 0;
    for (const TextMatch& match : find_matches(code, use)) {
        const int line = line_of_match(code, match);
        if (line == array.line) continue;
        const std::size_t opening_position = match_end(match) - 1;
        const std::string index = code.substr(
            opening_position, find_closing_bracket(code, opening_position) - opening_position);
        const std::string expanded = expand(text, index, line);
        if (++uses > most_uses || expanded.find("threadIdx.y") != expanded.npos) return {};
    }
    const long long rows = trial.launch.block[1];
    return {array.line,
            "no index of " + add_backticks(array.name) + " depends on threadIdx.y, so all " +
                std::to_string(rows) + " rows of threads in a block use the same elements.",
            "Give each row of threads its own elements: add a first dimension of " +
                std::to_string(rows) + " to " + add_backticks(array.name) +
                ", with the index threadIdx.y."};
}

// ---- wrong values ----

/// Looks for a load that depends on a condition about an index which the loaded element does not
/// use. Other threads of the block may need the element.
LineMistake find_condition_of_other_index(const std::string& text) {
    static const TextPattern choice(
        R"(\b(\w+)\s*(?:\[[^\]=;]*\]\s*)+=\s*([^=;?]*<[^;?]*)\?\s*(\w+)\s*\[([^\]]*)\]\s*:)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, choice)) {
        const int line = line_of_match(code, match, 3);
        const std::string array = match.str(3), index = match.str(4);
        const TextPattern declaration(R"(__shared__[^;]*\b)" + match.str(1) + R"(\s*\[)");
        if (!contains(code, declaration)) continue;
        std::vector<std::string> terms;
        for (const std::string& term : split_outside_brackets(match.str(2), "&&")) {
            const std::string value = is_identifier(term) ? assigned_value(text, term, line) : term;
            for (const std::string& part : split_outside_brackets(value, "&&"))
                terms.push_back(part);
        }
        for (const std::string& term : terms) {
            const std::vector<std::string> sides = split_outside_brackets(term, "<");
            if (sides.size() != 2 || !is_identifier(sides[0]) || !is_identifier(sides[1]) ||
                contains_word(expand(text, index, line), sides[0]) ||
                contains_word(index, sides[0]))
                continue;
            return {line,
                    add_backticks(array + "[" + index + "]") + " is loaded only if " +
                        add_backticks(sides[0] + " < " + sides[1]) +
                        ", although its index does not contain " + add_backticks(sides[0]) +
                        ": threads outside of the output must load elements that other threads "
                        "of the block need.",
                    "Test only the indices that this access uses."};
        }
    }
    return {};
}

/// Looks for a combined index that is compared with the number of elements, although its column may
/// lie outside of the matrix.
LineMistake find_combined_index(const std::string& text) {
    static const TextPattern comparison(R"(\b(\w+)\s*<\s*rows\s*\*\s*cols\b)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, comparison)) {
        const int line = line_of_match(code, match);
        const std::string value = expand(text, match.str(1), line);
        const bool may_be_outside = contains_word(value, "cols") && value.find('-') != value.npos;
        const std::string condition = code_on_line(text, line);
        if (!may_be_outside || condition.find("< cols") != condition.npos) continue;
        return {line,
                add_backticks(match.str(1)) +
                    " can be the index of an element even if its column is outside of the matrix: "
                    "left and right of a row lie elements of the neighbouring rows.",
                "Compare the row and the column separately: each with 0 and with its size."};
    }
    return {};
}

/// Looks for the total of a single warp that is added where the totals of all warps before are
/// needed, if the first wrong element belongs to the third warp.
LineMistake find_total_of_one_warp(const Trial& trial, const std::string& text) {
    static const TextPattern addition(R"(\+=\s*(\w+)\s*\[\s*(\w+)\s*-\s*1\s*\])");
    const std::string code = code_for_search(text);
    const OutputComparison* output =
        trial.element_comparison ? trial.element_comparison->first_wrong_output() : nullptr;
    TextMatch match;
    if (!output || start_of_bad_tail(*output) != 64 || !search(code, match, addition)) return {};
    const int line = line_of_match(code, match);
    const bool is_in_loop = find_innermost_loop(find_loops(text), line) != nullptr;
    if (is_in_loop || find_shared_array(text, line).name != match.str(1)) return {};
    return {line,
            "this adds " + add_backticks(match.str(1) + "[" + match.str(2) + " - 1]") +
                " alone, but the third and all later warps need the sum of all warps before them.",
            "Add all elements of " + add_backticks(match.str(1)) +
                " before that of the own warp, "
                "in a loop or with a second scan."};
}

/// Looks for a loop in which each thread takes only some elements of a row or column that belongs to
/// this thread alone.
LineMistake find_shared_out_loop(const std::string& text) {
    static const TextPattern head(
        R"(\bfor\s*\(\s*\w+\s+(\w+)\s*=\s*threadIdx\.x\s*;[^;]*;\s*\w+\s*\+=\s*blockDim\.x)");
    static const TextPattern access(R"(\+=[^=;]*\[([^\]]*)\])");
    static const TextPattern combination(R"(__shared__|__shfl|\batomic)");
    const std::string code = code_for_search(text);
    TextMatch match, load;
    if (contains(code, combination) || !search(code, match, head)) return {};
    const int line = line_of_match(code, match);
    const std::string rest = code.substr(match_end(match));
    if (!search(rest, load, access)) return {};
    for (const std::string& term : split_outside_brackets(load.str(1), "+")) {
        if (contains_word(term, match.str(1)) ||
            expand(text, term, line).find("threadIdx.x") == std::string::npos)
            continue;
        return {line,
                add_backticks(term) +
                    " gives each thread elements of its own, but this loop takes "
                    "only every blockDim.x-th of them, and no other thread takes the rest.",
                "Let each thread take all of its elements: begin at 0, and advance by 1."};
    }
    return {};
}

/// Looks for a sum of a warp that only the first thread of the block stores, although the block has
/// several warps.
LineMistake find_sum_of_first_warp(const Trial& trial, const std::string& text) {
    static const TextPattern store(
        R"(\bif\s*\(\s*(?:t|tid|thread|threadIdx\.x)\s*==\s*0\s*\)\s*\{?\s*(\w+)\s*\[)");
    static const TextPattern number_of_warp(R"(/\s*32|%\s*32|&\s*31|warpSize|>>\s*5)");
    const std::string code = code_for_search(text);
    const std::size_t shuffle = code.rfind("__shfl");
    TextMatch match;
    const long long warps = trial.launch.block[0] / 32;
    if (shuffle == code.npos || warps < 2 || contains(code, number_of_warp)) return {};
    const std::string rest = code.substr(shuffle);
    if (!search(rest, match, store)) return {};
    const int line = line_number_at(code, shuffle + match_offset(match, 1));
    if (find_shared_array(text, line).name != match.str(1)) return {};
    return {line,
            "thread 0 stores the sum of its own warp: the sums of the other " +
                std::to_string(warps - 1) +
                " warps of the block are lost, because shuffles "
                "combine only the lanes of one warp.",
            "Let lane 0 of each warp store the sum of its warp in an element of its own, and add "
            "these sums after a barrier."};
}

/// Looks for a variable that each pass of a loop overwrites, and that is used only after the loop.
LineMistake find_overwritten_sum(const std::string& text) {
    static const TextPattern assignment(
        R"(^\s*(?:for\s*\([^{}]*\)\s*)?(\w+)((?:\s*\[[^\]=;]*\])*)\s*=\s*([^=;][^;]*);\s*$)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const auto uses = [&](const std::string& name, int first, int last) {
        int count = 0;
        for (int line = first; line <= std::min<int>(last, static_cast<int>(lines.size())); ++line)
            count += contains_word(lines[static_cast<std::size_t>(line) - 1], name);
        return count;
    };
    const int kernel = find_kernel_line(text, "");
    for (const Loop& loop : find_loops(text)) {
        if (loop.first_line < kernel || loop.counter.empty()) continue;
        for (int line = loop.first_line + 1; line <= loop.last_line; ++line) {
            TextMatch match;
            const std::string& code = lines[static_cast<std::size_t>(line) - 1];
            if (!search(code, match, assignment)) continue;
            const std::string name = match.str(1);
            const TextPattern declaration("\\bfloat\\s+" + name +
                                          R"(\s*(?:\[[^=;]*)?=\s*(?:0|\{\s*\}))");
            bool is_declared = false;
            for (int at = kernel; at < loop.first_line; ++at)
                is_declared |= contains(lines[static_cast<std::size_t>(at) - 1], declaration);
            const bool is_only_use = uses(name, loop.first_line, loop.last_line) == 1 &&
                                     !contains_word(match.str(3), name);
            const bool is_used_later =
                uses(name, loop.last_line + 1, static_cast<int>(lines.size())) > 0;
            if (!is_declared || !is_only_use || !is_used_later ||
                contains_word(match.str(2), loop.counter) ||
                contains_word(match.str(3), loop.counter))
                continue;
            return {line,
                    "each pass of the loop on line " + std::to_string(loop.first_line) +
                        " overwrites " + add_backticks(name + trimmed(match.str(2))) +
                        ", so only the last pass counts.",
                    "Add to the value of the passes before: +=."};
        }
    }
    return {};
}

/// Looks for a sorting network in which the direction of a pair does not depend on the length of the
/// sequence to which it belongs.
LineMistake find_one_direction(const std::string& text) {
    static const TextPattern partner(R"(\^)");
    static const TextPattern order(R"(\bif\s*\([^;]*\]\s*[<>]\s*\w+\s*\[)");
    const std::vector<Loop> loops = find_loops(text);
    const std::string code = code_for_search(text);
    TextMatch match;
    if (loops.size() < 2 || !contains(code, partner) || !search(code, match, order)) return {};
    const int line = line_of_match(code, match);
    const Loop* inner = find_innermost_loop(loops, line);
    if (!inner) return {};
    for (const Loop& outer : loops) {
        const bool is_around = outer.first_line < inner->first_line && !outer.counter.empty() &&
                               outer.last_line >= inner->last_line;
        if (!is_around || !contains_word(code_on_line(text, inner->first_line), outer.counter))
            continue;
        // Another bit of the index may decide on the direction.
        static const TextPattern bit(R"([^&]&[^&]|%)");
        for (int at = inner->first_line + 1; at <= inner->last_line; ++at) {
            const std::string body = code_on_line(text, at);
            if (contains_word(body, outer.counter) || contains(body, bit)) return {};
        }
        return {line,
                "this puts all pairs into the same order, whatever " +
                    add_backticks(outer.counter) +
                    " is: the two halves of a longer sequence must be sorted in opposite "
                    "directions.",
                "Let the direction alternate from one sequence of " + add_backticks(outer.counter) +
                    " elements to the next: it depends on (index & " + outer.counter + ")."};
    }
    return {};
}

// ---- elements of shared memory without a value ----

/// Looks for a shared array of which only some threads store an element, although all threads then
/// copy their element to another shared array.
LineMistake find_copied_gap(const std::string& text) {
    static const TextPattern copy(R"(^\s*(\w+)\s*\[([^\]]*)\]\s*=\s*(\w+)\s*\[([^\]]*)\]\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<std::string> lines = lines_of(code);
    const auto is_shared = [&](const std::string& name) {
        return contains(code, TextPattern(R"(__shared__[^;]*\b)" + name + R"(\s*\[)"));
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        if (!search(lines[i], match, copy) || !is_shared(match.str(1)) || !is_shared(match.str(3)))
            continue;
        const std::string source = match.str(3);
        const TextPattern store("\\b" + source + R"(\s*\[[^\]]*\]\s*=[^=])");
        int conditional_line = 0, stores = 0;
        for (std::size_t j = 0; j < lines.size(); ++j) {
            if (!contains(lines[j], store)) continue;
            ++stores;
            const int line = static_cast<int>(j) + 1;
            const std::vector<Condition> conditions = find_conditions(text, line);
            const bool is_conditional = std::ranges::any_of(
                conditions, [](const Condition& condition) { return !condition.is_exit; });
            if (is_conditional) conditional_line = line;
        }
        if (stores != 1 || conditional_line == 0) continue;
        return {conditional_line,
                "threads for which this condition is false store nothing in " +
                    add_backticks(source) + ", but line " + std::to_string(i + 1) + " copies " +
                    add_backticks(source + "[" + match.str(4) + "]") + " in every thread.",
                "Store an element of " + add_backticks(source) +
                    " in every thread: if the condition is false, the old value."};
    }
    return {};
}

/// Looks for a line that explains wrong values.
LineMistake find_value_mistake(const Failure& failure, const Trial& trial,
                               const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const bool is_shown = failure.kind != FailureKind::inputs_left_out;
    return first_mistake(
        [&] { return find_wrong_position(trial, evidence); },
        [&] { return find_condition_of_other_index(text); },
        [&] { return find_combined_index(text); }, [&] { return find_shared_out_loop(text); },
        [&] { return find_sum_of_first_warp(trial, text); },
        [&] { return find_overwritten_sum(text); },
        [&] { return find_total_of_one_warp(trial, text); },
        [&] { return find_one_direction(text); },
        [&] { return is_shown ? find_wrong_row_length(evidence) : LineMistake{}; },
        [&] { return is_shown ? find_stale_sum(text) : LineMistake{}; },
        [&] { return is_shown ? find_short_network(trial, evidence) : LineMistake{}; },
        [&] {
            if (!is_shown || code_for_search(text).find("min") == std::string::npos)
                return LineMistake{};
            const Trial larger_trial =
                evidence.relaunch({.shape = evidence.exercise.shapes.back()});
            const bool is_wrong = larger_trial.element_comparison && larger_trial.reports.empty();
            return is_wrong ? find_clamped_index(larger_trial, evidence) : LineMistake{};
        });
}

}  // namespace

void explain_by_element_lines(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const Report* race = find_report(trial, "racecheck");
    const bool is_race = race && (failure.kind == FailureKind::missing_barrier ||
                                  failure.kind == FailureKind::shared_race);
    const bool is_unwritten = failure.kind == FailureKind::uninitialised_shared;
    const bool is_outside =
        failure.kind == FailureKind::out_of_bounds || failure.kind == FailureKind::no_bounds_check;
    const LineMistake mistake = first_mistake(
        [&] { return is_race ? find_pair_of_both(*race, text) : LineMistake{}; },
        [&] { return is_race ? find_overlapping_pairs(*race, text) : LineMistake{}; },
        [&] { return is_race ? find_array_of_one_row(*race, trial, text) : LineMistake{}; },
        [&] { return is_unwritten ? find_copied_gap(text) : LineMistake{}; },
        [&] { return is_unwritten ? find_gap_in_buffer(failure.place.line, text) : LineMistake{}; },
        [&] {
            return is_unwritten ? find_store_without_zeros(failure.place.line, evidence)
                                : LineMistake{};
        },
        [&] { return is_outside ? find_wrong_row_length(evidence) : LineMistake{}; });
    const bool is_value = failure.kind == FailureKind::wrong_elements ||
                          failure.kind == FailureKind::inputs_left_out ||
                          failure.fault == Fault::edge_wrong;
    const LineMistake value_mistake =
        mistake.line > 0 || !is_value ? mistake : find_value_mistake(failure, trial, evidence);
    if (value_mistake.line == 0) return;
    if (is_value || is_outside) failure.details = wrap(failure.headline) + failure.details;
    blame(failure, value_mistake);
    failure.is_cause_open = false;
    // The report names the element that was copied, not the one without a value.
    if (failure.kind == FailureKind::uninitialised_shared) failure.details.clear();
}

// ---- costs ----

LineMistake find_loop_of_many_passes(const std::string& text, int line) {
    static const TextPattern bound_pattern(R"([<>]=?\s*([^;&|]*?)\s*;)");
    constexpr long long most_passes = 64;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (!loop || !loop->step || loop->step->find("++") == std::string::npos) return {};
    const std::string head = code_on_line(text, loop->first_line);
    const std::size_t test = head.find(';');
    TextMatch match;
    if (test == head.npos) return {};
    const std::string rest = head.substr(test + 1);
    if (!search(rest, match, bound_pattern)) return {};
    const std::string bound = match.str(1);
    const std::string advice =
        "Combine or exchange elements at a distance that doubles or halves from pass to pass. "
        "Then far fewer passes reach all elements.";
    if (expand(text, bound, loop->first_line).find("threadIdx") != std::string::npos) {
        return {loop->first_line,
                "the number of passes of this loop grows with " + add_backticks(bound) +
                    ": each thread reads all elements again that the threads before it read.",
                advice};
    }
    const auto passes = constant_value(text, bound);
    if (!passes || *passes < most_passes) return {};
    return {loop->first_line,
            "this loop makes " + std::to_string(*passes) +
                " passes, and the threads access shared memory in every pass.",
            advice};
}

LineMistake find_costly_element_line(const std::string& text, int line) {
    static const TextPattern step(R"(\+=\s*gridDim\.x\s*\)|\+=\s*gridDim\.x\s*$)");
    static const TextPattern update(
        R"(\b(\w+)\s*\[([^\[\]]*)\]\s*(?:[-+*]=|=\s*(\w+)\s*\[([^\[\]]*)\]\s*[-+*]))");
    static const TextPattern single_thread(
        R"(^\s*(?:threadIdx\.x|t|tid|lane|thread)\s*==\s*0\s*$)");
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (!loop) return {};
    const std::string head = code_on_line(text, loop->first_line);
    if (contains(head, step) &&
        expand(text, head, loop->first_line).find("threadIdx.x") != std::string::npos) {
        return {loop->first_line,
                "this loop advances by gridDim.x, the number of blocks, but each thread begins at "
                "its own element: most elements are processed by several threads.",
                "Advance by the number of all threads: gridDim.x * blockDim.x."};
    }
    for (const Condition& condition : find_conditions(text, line)) {
        if (condition.is_exit || !contains(condition.text, single_thread)) continue;
        return {loop->first_line,
                "a single thread executes this loop, one element per pass, while the others wait "
                "(line " +
                    std::to_string(condition.line) + ").",
                "Let all threads take a part of the elements, and combine their parts afterwards: "
                "a warp costs the same with 1 active thread as with 32."};
    }
    const std::string code = code_on_line(text, line);
    TextMatch match;
    if (!search(code, match, update) || loop->counter.empty()) return {};
    const std::string array = match.str(1), index = match.str(2);
    const bool is_same = !match[3].matched || (match.str(3) == array && match.str(4) == index);
    const bool is_shared = find_shared_array(text, line).name == array;
    if (!is_same || is_shared || contains_word(expand(text, index, line), loop->counter)) return {};
    return {line,
            add_backticks(array + "[" + index + "]") +
                " is loaded and stored in every pass of the loop, although it is the same element "
                "in all of them.",
            "Keep the value in a local variable, and store it once after the loop."};
}

}  // namespace coalesce
