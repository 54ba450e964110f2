#include "examiner/line_rules.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Looks for a tile of vectors in which the kernel uses only one component, and the same one in
/// every access.
LineMistake find_unused_half(const std::string& text, int line) {
    const SharedArray tile = find_shared_array(text, line);
    const int width = vector_width(code_on_line(text, tile.line));
    if (tile.name.empty() || width < 2) return {};
    const std::string code = code_for_search(text);
    const TextPattern use("\\b" + tile.name + R"(\s*(?:\[[^\]]*\]\s*)+(?:\.([xyzw])\b)?)");
    std::set<std::string> components;
    for (const TextMatch& match : find_matches(code, use)) {
        if (line_of_match(code, match) == tile.line) continue;
        if (!match[1].matched) return {};
        components.insert(match.str(1));
    }
    if (components.size() != 1) return {};
    return {tile.line,
            "each element of " + add_backticks(tile.name) + " is a float" + std::to_string(width) +
                ", of which only ." + *components.begin() +
                " is used: neighbouring elements are then " + std::to_string(width) +
                " banks apart.",
            "Declare " + add_backticks(tile.name) +
                " as an array of float, with one column of padding."};
}

/// Looks for a loop that begins at the thread's index, but advances by less than the block's size.
LineMistake find_small_step(const std::string& text, int line, const LaunchShape& launch) {
    static const TextPattern head(
        R"(\bfor\s*\(\s*\w+\s+\w+\s*=\s*threadIdx\.([xy])\s*;[^;]*;\s*(?:\+\+|\w+\s*\+\+|\w+\s*\+=\s*([^)]+)))");
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    TextMatch match;
    const std::string header = loop ? code_on_line(text, loop->first_line) : "";
    if (!search(header, match, head)) return {};
    const auto step = match[2].matched ? constant_value(text, trimmed(match.str(2))) : 1;
    const long long threads = launch.block[match.str(1) == "x" ? 0 : 1];
    if (!step || *step >= threads) return {};
    return {loop->first_line,
            "this loop advances by " + std::to_string(*step) + ", but it begins at threadIdx." +
                match.str(1) + ", which has " + std::to_string(threads) +
                " values in a block: a thread repeats the elements of the threads after it.",
            "Advance the loop by " + std::to_string(threads) +
                ", the number of threads of a block along this axis."};
}

/// Looks for a store whose index lacks one of the thread's or the block's indices.
LineMistake find_store_without_index(const std::string& text, const LaunchShape& launch) {
    static const TextPattern store(R"(\bout\s*\[)");
    const std::string code = code_for_search(text);
    // Pointers that advance, and function calls, hide what an index depends on.
    if (find_pointer_advance_line(text, "out") > 0) return {};
    const std::vector<Loop> loops = find_loops(text);
    const int kernel = find_kernel_line(text, "");
    int candidates = 0;
    for (const TextMatch& match : find_matches(code, store)) {
        const int line = line_of_match(code, match);
        if (line < kernel || ++candidates > kMaxCandidates) continue;
        const std::size_t opening_position = match_end(match) - 1;
        std::string expanded_access =
            expand(text,
                   code.substr(opening_position,
                               find_closing_bracket(code, opening_position) - opening_position),
                   line);
        int headers = 0;
        for (const Loop& loop : loops) {
            if (line >= loop.first_line && line <= loop.last_line && ++headers <= kMaxCandidates)
                expanded_access +=
                    expand(text, code_on_line(text, loop.first_line), loop.first_line);
        }
        for (const std::size_t axis : {0U, 1U}) {
            for (const bool uses_block_index : {true, false}) {
                const std::string name =
                    (uses_block_index ? "blockIdx." : "threadIdx.") + std::string(1, "xy"[axis]);
                const long long count = uses_block_index ? launch.grid[axis] : launch.block[axis];
                if (count < 2 || expanded_access.find(name) != expanded_access.npos) continue;
                return {line,
                        "the index of this store does not depend on " + name + ": all " +
                            (uses_block_index ? "blocks" : "threads") + " that differ only in " +
                            name + " store the same elements.",
                        "Which of the variables in this index must use " + name + "?"};
            }
        }
    }
    return {};
}

/// Looks for a constant SECTOR with another number of floats than a sector has. Tiles then have too
/// many rows before their first one.
LineMistake find_wrong_sector(const std::string& text) {
    constexpr long long floats_in_sector = 8;
    const auto sector = constant_value(text, "SECTOR"), lead = constant_value(text, "LEAD");
    if (!sector || !lead || *sector == floats_in_sector) return {};
    return {find_constant_line(text, "SECTOR"),
            "a sector has 32 bytes, which are 8 floats, but SECTOR is " + std::to_string(*sector) +
                ": each block loads " + std::to_string(*lead) +
                " rows before its tile, where 7 "
                "are enough.",
            "Set SECTOR to 8."};
}

/// Looks for stores that begin at multiples of more floats than a sector has, so that tiles have too
/// many rows before their first one.
LineMistake find_wide_lead(const std::string& text) {
    static const TextPattern phase(R"(\b(\w+)\s*=\s*[^;=]*%\s*([A-Z]\w*)\s*;)");
    static const TextPattern constant(R"(\b([A-Z]\w*)\s*=)");
    constexpr long long floats_in_sector = 8;
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, phase)) return {};
    const auto period = constant_value(text, match.str(2));
    const TextPattern subtraction("-\\s*" + match.str(1) + "\\b");
    if (!period || *period <= floats_in_sector || !contains(code, subtraction)) return {};
    int candidates = 0;
    for (const TextMatch& name : find_matches(code, constant)) {
        const std::string lead = name.str(1);
        if (++candidates > kMaxCandidates || constant_value(text, lead) != *period - 1) continue;
        const TextPattern is_added("\\+\\s*" + lead + "\\b"), is_subtracted("-\\s*" + lead + "\\b");
        if (!contains(code, is_added) || !contains(code, is_subtracted)) continue;
        return {find_constant_line(text, lead),
                "each block loads " + std::to_string(*period - 1) + " rows (" +
                    add_backticks(lead) + ") before its tile, so that stores can begin at " +
                    "multiples of " + std::to_string(*period) +
                    " floats. A sector has 8 floats, so 7 rows are enough.",
                "Begin the stores at sectors: take the remainder modulo 8 instead of " +
                    match.str(2) + "."};
    }
    return {};
}

/// Looks for a loop over as many tiles as the grid has blocks along an axis.
LineMistake find_loop_over_grid(const std::string& text, int line, const LaunchShape& launch) {
    static const TextPattern header(R"(\bfor\s*\([^;]*=\s*0\s*;\s*\w+\s*<\s*gridDim\.([xy])\s*;)");
    for (const Loop& loop : find_loops(text)) {
        const std::string head = code_on_line(text, loop.first_line);
        TextMatch match;
        if (line < loop.first_line || line > loop.last_line || !search(head, match, header))
            continue;
        const long long blocks = launch.grid[match.str(1) == "x" ? 0 : 1];
        if (blocks < 2) continue;
        return {loop.first_line,
                "this loop makes every block process gridDim." + match.str(1) + " = " +
                    std::to_string(blocks) + " tiles, although the grid has a block for each tile.",
                "Remove the loop: each block processes one tile."};
    }
    return {};
}

/// Looks for blocks along an axis of the grid whose index the kernel never uses.
LineMistake find_unused_grid_axis(const std::string& text, const LaunchShape& launch) {
    const std::string code = code_for_search(text);
    for (const std::size_t axis : {0U, 1U, 2U}) {
        const std::string letter(1, "xyz"[axis]), name = "blockIdx." + letter;
        static const TextPattern whole_index(R"(\bblockIdx\b\s*[^.\s])");
        if (launch.grid[axis] < 2 || contains_word(code, name) || contains(code, whole_index))
            continue;
        return {find_configure_line(text, ".grid"),
                "the grid has " + std::to_string(launch.grid[axis]) + " blocks along " + letter +
                    ", but the kernel does not use " + name +
                    ": these blocks all do the same work.",
                "Let each block do a different part of the work, chosen by " + name +
                    "; or leave this size of the grid at 1."};
    }
    return {};
}

/// Looks for a loop over elements of the matrix in which every thread begins at the same element.
LineMistake find_shared_loop(const std::string& text) {
    static const TextPattern head(R"(\(\s*\w+\s+(\w+)\s*=\s*([^;]*);)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        const Loop* loop = find_innermost_loop(loops, line);
        TextMatch match;
        const bool is_store = lines[i].find("out[") != std::string::npos;
        if (!loop || !is_store || ++candidates > kMaxCandidates) continue;
        const std::string header = code_on_line(text, loop->first_line);
        const std::string index = find_matrix_index(text, line, "out").text;
        if (index.empty() || !search(header, match, head)) continue;
        const auto depends_on_thread = [&](const std::string& expression) {
            return expand(text, expression, line).find("threadIdx") != std::string::npos;
        };
        const std::vector<Condition> conditions = find_conditions(text, line);
        const bool is_one_thread = std::ranges::any_of(conditions, [](const Condition& condition) {
            return condition.text.find("==") != condition.text.npos;
        });
        if (trimmed(index) != match.str(1) || depends_on_thread(match.str(2)) || is_one_thread)
            continue;
        return {loop->first_line,
                "this loop begins at " + add_backticks(trimmed(match.str(2))) +
                    " in every thread that reaches it: these threads all move the same elements.",
                "Start the loop at the thread's own first element."};
    }
    return {};
}

/// Looks for a line that reads a matrix again although the kernel has put its elements into shared
/// memory, from which nothing is read.
LineMistake find_reread_matrix(const std::string& text, int line) {
    static const TextPattern load(R"(=[^=;]*\b(in|data)\s*\[)");
    const std::string line_code = code_on_line(text, line);
    TextMatch match;
    if (!search(line_code, match, load)) return {};
    for (const SharedArray& array : list_shared_arrays(text)) {
        const int store_line = find_store_of_unread_array(text, array.name);
        if (store_line == 0 || store_line >= line) continue;
        return {line,
                "this reads " + add_backticks(match.str(1)) + " once more, although line " +
                    std::to_string(store_line) + " has put its elements into " +
                    add_backticks(array.name) + ", which is never read.",
                "Take the element from " + add_backticks(array.name) +
                    ": neighbouring lanes can read a column of it."};
    }
    return {};
}

}  // namespace

void explain_by_costly_line(Failure& failure, const Verdict& verdict, const LaunchShape& launch) {
    const std::string& text = verdict.source;
    const int line = failure.place.line;
    const bool concerns_requests = failure.kind == FailureKind::work_repeated ||
                                   failure.kind == FailureKind::too_many_requests ||
                                   failure.kind == FailureKind::lanes_idle;
    LineMistake mistake;
    if (failure.kind == FailureKind::uncoalesced_loads && line > 0)
        mistake = find_reread_matrix(text, line);
    const SharedArray tile = find_shared_array(text, line);
    const bool is_tile_narrow = tile.lengths.size() == 2 && tile.lengths[0] == launch.block[0] &&
                                launch.block[0] < 32 && launch.block[1] > 1;
    if (failure.kind == FailureKind::bank_conflicts && is_tile_narrow) {
        failure.details +=
            wrap("The block and its tile are only " + std::to_string(launch.block[0]) +
                 " wide, so a warp accesses several rows or columns at once.");
        failure.advice =
            "Make the tile and the block 32 wide: then a warp accesses a single row or column, and "
            "one element of padding in each row is enough.";
    }
    if (failure.kind == FailureKind::bank_conflicts) mistake = find_unused_half(text, line);
    if (failure.kind == FailureKind::uncoalesced_stores && line > 0)
        mistake = find_sector_mistake(text);
    if (failure.kind == FailureKind::uncoalesced_stores && line == 0)
        mistake = find_shared_loop(text);
    if (failure.kind == FailureKind::work_repeated) mistake = find_unused_grid_axis(text, launch);
    if (concerns_requests && mistake.line == 0) {
        const bool does_little_work =
            verdict.counters && verdict.solution_counters &&
            2 * verdict.counters->store_requests < 3 * verdict.solution_counters->store_requests;
        mistake = first_mistake(
            [&] { return find_wrong_sector(text); }, [&] { return find_wide_lead(text); },
            [&] { return find_wrong_grid_width(launch, verdict.counted_shape, text); },
            [&] { return find_loop_over_matrix(text, line); },
            [&] { return find_small_step(text, line, launch); },
            [&] { return find_short_stride(text, line, launch); },
            [&] { return find_loop_over_grid(text, line, launch); },
            [&] {
                return find_reach_mistake(text, "out", line, launch, verdict.counted_shape, {});
            },
            [&] {
                return failure.kind == FailureKind::work_repeated
                           ? find_store_without_index(text, launch)
                           : LineMistake{};
            },
            [&] { return does_little_work ? find_compared_elements(text) : LineMistake{}; });
    }
    if (failure.kind == FailureKind::too_many_threads) mistake = find_stack_counted_twice(text);
    if (mistake.line == 0) return;
    const std::string first_headline = first_sentence(failure.headline);
    failure.details =
        wrap(first_headline.empty() ? failure.headline : first_headline) + failure.details;
    blame(failure, mistake);
}

}  // namespace coalesce
