// Compares the rows and columns that the threads of a block reach with the distance between blocks.
// Long: all rules use the description of an access that is defined first.
#include "examiner/line_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "examiner/accessed_cell.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Something that moves a block's accesses along one axis: the threads along x or y, the passes of
/// a loop, or the elements of a vector.
struct Mover {
    enum Kind { threads, loop, vector } kind = threads;
    std::string name = "";
    int line = 0;  ///< first line of the loop
    long long step = 0, count = 1;
    long long loop_step = 0;  ///< how far the counter advances in each pass
    long long start = 0;      ///< the counter's first value
};

/// The accesses of a block along one axis of the matrix.
struct Reach {
    std::vector<Mover> movers;        ///< sorted by step
    std::vector<Mover> single_loops;  ///< loops that make only one pass
    std::string block_index;          ///< "blockIdx.x" or "blockIdx.y"
    long long blocks = 0;             ///< blocks of the grid along that axis
    long long distance = 0;           ///< distance between neighbouring blocks

    /// Returns the offsets from the block's first row or column that the block reaches.
    std::set<long long> offsets() const {
        std::set<long long> reached = {0};
        for (const Mover& mover : movers) {
            std::set<long long> next;
            for (const long long offset : reached) {
                for (long long i = 0; i < mover.count; ++i) next.insert(offset + i * mover.step);
            }
            reached = std::move(next);
        }
        return reached;
    }
    bool reaches(long long place) const {
        const std::set<long long> reached = offsets();
        return std::ranges::any_of(reached, [&](long long offset) {
            const long long begin = place - offset;
            return begin >= 0 && begin % distance == 0 && begin / distance < blocks;
        });
    }
};

long long along(Cell cell, std::size_t axis) {
    return axis == 0 ? cell.row : cell.col;
}

/// Reports whether the threads along one axis move an access by the same distance from each thread
/// to the next. With a quotient or a remainder in the index, they often do not.
bool moves_evenly(const AccessedCell& access, const Mover& threads, Cell step) {
    std::set<long long> tested = {threads.count - 1};
    for (long long thread = 2; thread < threads.count; thread *= 2) tested.insert(thread);
    return std::ranges::all_of(tested, [&](long long thread) {
        const auto distance = access.step_of(threads.name, thread);
        return distance && *distance == Cell{thread * step.row, thread * step.col};
    });
}

/// Returns how a block's accesses move along the rows and along the columns of the matrix. Returns
/// nothing if the index is not of this simple form.
std::optional<std::array<Reach, 2>> read_reach(const AccessedCell& access, int width,
                                               const LaunchShape& launch) {
    constexpr long long most_cells = 4096;
    std::array<Reach, 2> reach;
    long long cells = width;
    const auto add = [&](std::optional<Cell> step, Mover mover) {
        if (!step || (step->row != 0 && step->col != 0)) return false;
        const std::size_t axis = step->row != 0 ? 0 : 1;
        mover.step = along(*step, axis);
        cells *= mover.count;
        if (mover.step < 0 || cells > most_cells) return false;
        if (mover.step > 0) reach[axis].movers.push_back(mover);
        return true;
    };
    for (const std::size_t axis : {0U, 1U}) {
        const std::string end = std::string(".") + "xy"[axis];
        const Mover threads{.name = "threadIdx" + end, .count = launch.block[axis]};
        const auto thread_step = access.step_of(threads.name);
        if (threads.count > 1 &&
            (!add(thread_step, threads) || !moves_evenly(access, threads, *thread_step)))
            return std::nullopt;
        if (launch.grid[axis] < 2) continue;
        const auto step = access.step_of("blockIdx" + end);
        if (!step || (step->row != 0 && step->col != 0)) return std::nullopt;
        Reach& own = reach[step->row != 0 ? 0 : 1];
        if (!own.block_index.empty()) return std::nullopt;
        own.block_index = "blockIdx" + end;
        own.blocks = launch.grid[axis];
        own.distance = std::max(step->row, step->col);
    }
    for (const LoopHeader& loop : access.loops()) {
        const auto passes = access.count_passes(loop), step = access.step_value(loop),
                   start = access.start_value(loop);
        if (!passes || !step || !start) return std::nullopt;
        const Mover mover{.kind = Mover::loop,
                          .name = loop.counter,
                          .line = loop.line,
                          .count = *passes,
                          .loop_step = *step,
                          .start = *start};
        const auto distance = access.step_of_loop(loop, 1);
        if (*passes > 1 && !add(distance, mover)) return std::nullopt;
        if (*passes == 1 && distance) {
            Reach& own = reach[distance->row != 0 ? 0 : 1];
            own.single_loops.push_back(mover);
            own.single_loops.back().step = std::max(distance->row, distance->col);
        }
    }
    if (width > 1) reach[1].movers.push_back({.kind = Mover::vector, .step = 1, .count = width});
    for (Reach& one : reach)
        std::stable_sort(
            one.movers.begin(), one.movers.end(),
            [](const Mover& left, const Mover& right) { return left.step < right.step; });
    return reach;
}

/// The matrix and the place of an access.
struct AccessPlace {
    std::string matrix = "";
    int line = 0;
    std::array<long long, 2> size{};  ///< rows and columns of the matrix
    /// The terms of the index that are the row and the column, or "" if they are unknown.
    std::array<std::string, 2> terms = {};
    bool is_flat = false;  ///< whether the kernel treats the matrix as one long array

    std::string noun(std::size_t axis) const {
        return is_flat ? "element" : axis == 0 ? "row" : "column";
    }
    /// Returns a phrase such as "8 rows of `out`".
    std::string count(long long number, std::size_t axis) const {
        return format_count(static_cast<std::uint64_t>(number), noun(axis)) + " of " +
               add_backticks(matrix);
    }

    /// Returns "the row of `out`, `col`" for the row.
    std::string name_of(std::size_t axis) const {
        return std::string("the ") + (axis == 0 ? "row" : "column") + " of " +
               add_backticks(matrix) +
               (terms[axis].empty() ? "" : ", which is " + add_backticks(terms[axis]) + " here");
    }
};

/// Explains a loop whose passes leave rows or columns out, or reach some of them twice.
LineMistake explain_pass(const Reach& reach, const Mover& loop, long long covered, std::size_t axis,
                         const AccessPlace& place) {
    const std::string noun = place.noun(axis), counter = add_backticks(loop.name),
                      whole = std::to_string(covered);
    const bool is_gap = loop.step > covered;
    std::string sentence = "from one pass to the next, this " + std::string("access moves by ") +
                           place.count(loop.step, axis) + ", but the threads of a block reach " +
                           whole +
                           (is_gap ? " in one pass: the " + noun + "s in between are left out."
                                   : " in one pass: the passes repeat each other's " + noun + "s.");
    std::string advice;
    if (loop.step != loop.loop_step && loop.loop_step == covered) {
        advice = counter + " already goes up by " + whole +
                 " in each pass, but the index multiplies it once more: add " + counter +
                 " without a factor.";
    } else if (loop.step != loop.loop_step) {
        advice = counter + " goes up by " + std::to_string(loop.loop_step) +
                 " in each pass (line " + std::to_string(loop.line) +
                 "): multiply it by a factor with which the " + noun + " goes up by " + whole + ".";
    } else if (loop.loop_step == 1) {
        // Only one of the two remedies leaves the number of passes right.
        advice = "Each pass must begin " + whole + " " + noun + "s after the previous one";
        if (loop.count * covered == reach.distance) {
            advice += ": multiply " + counter + " by " + whole + " wherever it is added to the " +
                      noun + ".";
        } else if (loop.count == reach.distance) {
            advice += ": let the loop on line " + std::to_string(loop.line) + " advance by " +
                      whole + ".";
        } else {
            advice += ".";
        }
    } else {
        advice = "Let the loop on line " + std::to_string(loop.line) + " advance by " + whole + ".";
    }
    return {loop.step == loop.loop_step ? loop.line : place.line, sentence, advice};
}

/// Returns the line before `line` that computes a coordinate from this index of the block.
int find_line_with_block_index(const std::string& text, const std::string& name, int line) {
    for (int at = line; at > 0; --at) {
        if (contains_word(code_on_line(text, at), name)) return at;
    }
    return line;
}

/// Explains a loop that makes only one pass, or that begins too late. Returns no mistake for other
/// loops.
LineMistake explain_loop_ends(const Reach& reach, long long covered, const std::string& noun) {
    for (const Mover& loop : reach.single_loops) {
        if (covered >= reach.distance || loop.step < covered) continue;
        if (loop.step == covered) {
            return {loop.line,
                    "this loop makes only one pass, in which a block reaches " +
                        std::to_string(covered) + " of its " + std::to_string(reach.distance) +
                        " " + noun + ".",
                    "The loop needs " + std::to_string(reach.distance / covered) +
                        " passes: compare its bound with " + std::to_string(reach.distance) + "."};
        }
        return {loop.line,
                "this loop advances by " + std::to_string(loop.loop_step) +
                    " and makes only one pass, in which a block reaches " +
                    std::to_string(covered) + " of its " + std::to_string(reach.distance) + " " +
                    noun + ".",
                "Let the loop advance by " + std::to_string(covered) + ", the number of " + noun +
                    " that the threads of a block reach in one pass."};
    }
    for (const Mover& mover : reach.movers) {
        if (mover.kind != Mover::loop || mover.start <= 0 ||
            covered + mover.start != reach.distance)
            continue;
        return {mover.line,
                "this loop begins with " + mover.name + " = " + std::to_string(mover.start) +
                    ", so the first " + std::to_string(mover.start) + " " + noun +
                    " of each tile are left out.",
                "Begin with " + mover.name + " = 0."};
    }
    return {};
}

/// Explains a distance between blocks that differs from the number of rows or columns that a block
/// reaches. The number of blocks in the grid tells which of the two is wrong.
LineMistake explain_distance(const Reach& reach, long long covered, std::size_t axis,
                             const AccessPlace& place, const std::string& text) {
    const std::string noun = place.noun(axis) + "s", distance = std::to_string(reach.distance),
                      whole = std::to_string(covered);
    const auto is_grid_for = [&](long long size) {
        return reach.blocks == (place.size[axis] + size - 1) / size;
    };
    const bool fits_covered = is_grid_for(covered), fits_distance = is_grid_for(reach.distance);
    if (const LineMistake mistake = explain_loop_ends(reach, covered, noun); mistake.line > 0)
        return mistake;
    std::string sentence =
        "neighbouring blocks begin " + place.count(reach.distance, axis) + " apart, but a block " +
        (reach.distance > covered ? "reaches only " : "reaches ") + whole + " of them";
    const Mover* loop = nullptr;
    long long threads = 1;
    for (const Mover& mover : reach.movers) {
        if (mover.kind == Mover::loop) loop = &mover;
        if (mover.kind != Mover::loop) threads *= mover.count;
    }
    if (loop) {
        sentence += ": " + std::to_string(threads) + " in each of " + std::to_string(loop->count) +
                    " passes";
    }
    sentence += ".";
    if (fits_covered && !fits_distance) {
        return {find_line_with_block_index(text, reach.block_index, place.line), sentence,
                "Multiply " + reach.block_index + " by the number of " + noun +
                    " that a block moves, " + whole + "."};
    }
    if (reach.distance < covered) {
        return {loop ? loop->line : find_line_with_block_index(text, reach.block_index, place.line),
                sentence,
                loop ? "A block must not go beyond the first " + distance + " " + noun +
                           ": compare the passes of the loop with the distance between blocks."
                     : "Make the two equal: launch blocks with only " + distance +
                           " threads along this axis; or multiply " + reach.block_index + " by " +
                           whole + ", and divide by " + whole + " in configure."};
    }
    if (reach.distance % threads != 0) {
        return {find_line_with_block_index(text, reach.block_index, place.line), sentence,
                "The distance between blocks must be the number of " + noun +
                    " that a block moves: multiply " + reach.block_index + " by " + whole +
                    " on every line."};
    }
    const std::string passes = std::to_string(reach.distance / threads);
    return {loop ? loop->line : place.line, sentence,
            loop
                ? "The loop needs " + passes + " passes, one for every " + std::to_string(threads) +
                      " " + noun + ": compare its bound with " + distance + "."
                : "Each thread must move " + passes +
                      " elements: put the access into a loop that "
                      "advances by " +
                      std::to_string(threads) + " " + noun + " in each pass."};
}

/// Explains threads that leave rows or columns between them for the passes of a loop, although the
/// loop advances by another distance. Returns no mistake for other movers.
LineMistake explain_gap_between_threads(const Reach& reach, const Mover& threads, long long covered,
                                        std::size_t axis, const AccessPlace& place) {
    const std::string noun = place.noun(axis);
    for (const Mover& mover : reach.movers) {
        const bool fills_gap = mover.kind == Mover::loop && mover.step != covered &&
                               mover.count * covered == threads.step;
        if (threads.kind != Mover::threads || !fills_gap) continue;
        return {mover.line,
                "neighbouring threads are " + std::to_string(threads.step) + " " + noun +
                    "s apart, so the " + std::to_string(mover.count) +
                    " passes of this loop must reach the " + noun + "s in between, but they are " +
                    place.count(mover.step, axis) + " apart.",
                "Let each pass take the " + noun +
                    " after that of the pass before: " + add_backticks(mover.name) +
                    " must move the access by " + std::to_string(covered) + "."};
    }
    return {};
}

/// Explains a counter that moves the access along an axis that the threads alone reach completely,
/// although the other axis lacks passes.
LineMistake find_counter_on_wrong_axis(const std::array<Reach, 2>& reach,
                                       const AccessPlace& place) {
    for (const std::size_t axis : {0U, 1U}) {
        const Reach &full = reach[axis], &other = reach[1 - axis];
        const Mover* loop = nullptr;
        long long threads = 1, other_threads = 1;
        bool has_other_loop = false;
        for (const Mover& mover : full.movers) {
            if (mover.kind == Mover::loop) loop = &mover;
            if (mover.kind != Mover::loop) threads *= mover.count;
        }
        for (const Mover& mover : other.movers) {
            has_other_loop |= mover.kind == Mover::loop;
            if (mover.kind != Mover::loop) other_threads *= mover.count;
        }
        const std::string full_axis = axis == 0 ? "row" : "column",
                          other_axis = axis == 0 ? "column" : "row";
        const Mover* gap = other.movers.empty() ? nullptr : &other.movers.front();
        for (const Mover& mover : full.movers) {
            const bool fills_gap = mover.kind == Mover::loop && gap &&
                                   gap->kind == Mover::threads && gap->step > 1 &&
                                   gap->step == mover.count && mover.step < threads;
            if (!fills_gap) continue;
            return {place.line,
                    add_backticks(mover.name) + " moves the access along the " + full_axis +
                        "s of " + add_backticks(place.matrix) +
                        ", but the elements of a thread lie along its " + other_axis +
                        "s: neighbouring threads are " + std::to_string(gap->step) + " " +
                        other_axis + "s apart.",
                    "Add " + add_backticks(mover.name) + " to the " + other_axis + " of " +
                        add_backticks(place.matrix) + ", and to the same index of the tile."};
        }
        if (!loop || has_other_loop || full.distance == 0 || threads != full.distance ||
            other_threads * loop->count != other.distance)
            continue;
        const std::string full_noun = axis == 0 ? "row" : "column",
                          other_noun = axis == 0 ? "column" : "row";
        return {place.line,
                add_backticks(loop->name) + " is added to the " + full_noun + " of " +
                    add_backticks(place.matrix) +
                    ", although the threads of a block already reach all " +
                    std::to_string(threads) + " " + full_noun + "s; along the " + other_noun +
                    "s, they reach only " + std::to_string(other_threads) + " of " +
                    std::to_string(other.distance) + ".",
                "Add " + add_backticks(loop->name) + " to " + place.name_of(1 - axis) +
                    ", instead, in the index and in the condition."};
    }
    return {};
}

/// Returns the first mistake along one axis. The movers with the smallest steps must reach
/// neighbouring rows or columns, and each other mover must continue where these end.
LineMistake find_mistake_along(const Reach& reach, std::size_t axis, const AccessPlace& place,
                               const std::string& text) {
    long long covered = 1;
    for (const Mover& mover : reach.movers) {
        if (mover.step == covered) {
            covered *= mover.count;
        } else if (mover.kind == Mover::loop && covered > 1) {
            return explain_pass(reach, mover, covered, axis, place);
        } else {
            return explain_gap_between_threads(reach, mover, covered, axis, place);
        }
    }
    if (reach.distance == 0 || reach.distance == covered) return {};
    return explain_distance(reach, covered, axis, place, text);
}

}  // namespace

namespace {

/// Explains threads along x and y that are exchanged: the threads along each axis have the number
/// that the other axis needs.
LineMistake find_exchanged_threads(const std::array<Reach, 2>& reach, const AccessPlace& place) {
    const auto is_only_threads = [](const Reach& one) {
        return one.movers.size() == 1 && one.movers[0].kind == Mover::threads &&
               one.movers[0].step == 1;
    };
    if (!is_only_threads(reach[0]) || !is_only_threads(reach[1])) return {};
    const Mover &rows = reach[0].movers[0], &cols = reach[1].movers[0];
    if (rows.count == cols.count || rows.count != reach[1].distance ||
        cols.count != reach[0].distance)
        return {};
    return {place.line,
            "a block has " + place.count(reach[0].distance, 0) + ", but " + rows.name +
                ", which counts them, has only " + std::to_string(rows.count) + " values; and " +
                place.count(reach[1].distance, 1) + " for the " + std::to_string(cols.count) +
                " values of " + cols.name + ".",
            "Swap threadIdx.x and threadIdx.y where the row and the column are computed."};
}

}  // namespace

LineMistake find_reach_mistake(const std::string& text, const std::string& matrix, int line,
                               const LaunchShape& launch, Shape matrix_size,
                               const std::optional<Cell>& unreached) {
    const MatrixIndex index = find_matrix_index(text, line, matrix);
    const auto loops = read_loops_around(text, line);
    if (index.text.empty() || !loops || launch.grid[2] > 1 ||
        find_pointer_advance_line(text, matrix) > 0)
        return {};
    const AccessedCell access(text, line, index.text, launch, *loops);
    const auto reach = read_reach(access, vector_width(code_on_line(text, line)), launch);
    if (!reach) return find_uncovered_cells(text, matrix, line, launch);
    const bool is_flat = !access.depends_on_matrix();
    AccessPlace place{.matrix = matrix,
                      .line = line,
                      .size = {matrix_size.rows, matrix_size.cols},
                      .terms = {index.outer_term, index.inner_term},
                      .is_flat = is_flat};
    if (is_flat) place.size = {1, 1LL * matrix_size.rows * matrix_size.cols};
    if (const LineMistake mistake =
            first_mistake([&] { return find_exchanged_threads(*reach, place); },
                          [&] { return find_counter_on_wrong_axis(*reach, place); });
        mistake.line > 0)
        return mistake;
    auto missing = unreached;
    if (is_flat && missing) missing = Cell{0, missing->row * matrix_size.cols + missing->col};
    for (const std::size_t axis : {0U, 1U}) {
        const Reach& one = (*reach)[axis];
        if (one.distance == 0 && !one.block_index.empty()) continue;
        if (one.distance == 0 && missing) continue;
        if (missing && one.reaches(along(*missing, axis))) continue;
        const LineMistake mistake = find_mistake_along(one, axis, place, text);
        if (mistake.line > 0) return mistake;
    }
    return {};
}

LineMistake find_short_stride(const std::string& text, int line, const LaunchShape& launch) {
    const std::vector<Loop> loops = find_loops(text);
    for (const Loop& loop : loops) {
        if (line < loop.first_line || line > loop.last_line) continue;
        const auto header = read_header(text, loop);
        if (!header) continue;
        const std::string start = expand(text, header->start, header->line),
                          end = expand(text, header->end, header->line);
        for (const std::size_t axis : {0U, 1U}) {
            const std::string letter(1, "xy"[axis]);
            const bool begins_at_thread = contains_word(start, "blockIdx." + letter) &&
                                          contains_word(start, "threadIdx." + letter);
            const auto step = index_value(text, header->step, header->line, launch_sizes(launch));
            const long long threads = launch.grid[axis] * launch.block[axis];
            if (!begins_at_thread || !step || *step >= threads || *step < 1) continue;
            if (launch.grid[axis] < 2 || constant_value(text, end)) continue;
            return {loop.first_line,
                    "this loop advances by " + add_backticks(trimmed(header->step)) + ", " +
                        std::to_string(*step) + " here, but the grid has " +
                        std::to_string(threads) + " threads along " + letter +
                        ": each thread repeats the elements of the threads after it.",
                    "Advance by the number of all threads, gridDim." + letter + " * blockDim." +
                        letter +
                        "; or leave the loop out if the grid has a thread for each "
                        "element."};
        }
    }
    return {};
}

namespace {

/// Returns the first line that reads the input, or 0 if there is none.
int find_load_line(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const auto line = std::ranges::find_if(
        lines, [](const std::string& code) { return code.find("in[") != std::string::npos; });
    return line == lines.end() ? 0 : static_cast<int>(line - lines.begin()) + 1;
}

}  // namespace

bool explain_by_reach(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (task.kind != Produces::copy && task.kind != Produces::transpose) return false;
    if (task.in_place || !evidence.exercise.block_order.empty()) return false;
    const std::string& text = evidence.source.text;
    const Shape shape = trial.shape;
    const bool is_transposed = task.kind == Produces::transpose;
    LineMistake mistake;
    if (failure.kind == FailureKind::wrong_result &&
        (failure.fault == Fault::never_written || failure.fault == Fault::part_of_each_tile ||
         failure.fault == Fault::grid_too_small)) {
        if (!trial.comparison || !trial.comparison->first_bad || trial.comparison->wrong > 0)
            return false;
        mistake = find_reach_mistake(
            text, "out", find_statement_line(text, trial.store_line), trial.launch,
            is_transposed ? Shape{shape.cols, shape.rows} : shape, *trial.comparison->first_bad);
    } else if (failure.fault == Fault::mixed_in_tile && trial.comparison &&
               trial.comparison->untouched > 0) {
        mistake = first_mistake(
            [&] { return find_uncovered_cells(text, "in", find_load_line(text), trial.launch); },
            [&] {
                const int store = find_statement_line(text, trial.store_line);
                return find_uncovered_cells(text, "out", store, trial.launch);
            });
    } else if (failure.kind == FailureKind::race_between_blocks) {
        mistake = find_reach_mistake(text, "out", failure.place.line, trial.launch,
                                     is_transposed ? Shape{shape.cols, shape.rows} : shape, {});
    } else if ((failure.kind == FailureKind::out_of_bounds ||
                failure.kind == FailureKind::no_bounds_check) &&
               !evidence.was_correct_on_whole_tiles) {
        const bool is_load = failure.details.find("of `in`") != std::string::npos;
        if (is_load)
            mistake = find_reach_mistake(text, "in", failure.place.line, trial.launch, shape, {});
    } else if (failure.kind == FailureKind::uninitialised_shared) {
        const int load = find_load_line(text);
        if (load > 0 && find_unfilled_row(failure.details, text).line == 0 &&
            !constant_value(text, "LEAD"))
            mistake = find_reach_mistake(text, "in", load, trial.launch, shape, {});
    }
    if (mistake.line == 0) return false;
    if (failure.kind != FailureKind::wrong_result) {
        blame(failure, mistake);
        return true;
    }
    const std::string observation = first_sentence(failure.headline);
    failure.details = wrap(observation.empty() ? failure.headline : observation) + failure.details;
    blame(failure, mistake);
    return true;
}

}  // namespace coalesce
