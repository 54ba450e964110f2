#include "examiner/index_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_value.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

// ---- addresses that are not multiples of a vector's size ----

bool explain_misaligned_tile(Failure& failure, int width, const Evidence& evidence) {
    const SharedArray tile = find_shared_array(evidence.source.text, failure.place.line);
    if (tile.lengths.size() != 2 || tile.lengths[1] % width == 0) return false;
    failure.headline = "a row of " + add_backticks(tile.name) + " has " +
                       std::to_string(tile.lengths[1]) + " floats, so not every row begins " +
                       "at a multiple of " + std::to_string(4 * width) + " bytes, as a float" +
                       std::to_string(width) + " requires.";
    failure.advice =
        "Access the tile float by float, component by component; or choose a row "
        "length (line " +
        std::to_string(tile.line) + ") that is a multiple of " + std::to_string(width) +
        ", and check for bank conflicts.";
    return true;
}

/// Returns the factor of threadIdx.x in an expression, whose factor may be a constant of the file.
/// Returns nothing if the factor is anything else.
std::optional<long long> thread_factor_with_constants(const std::string& text,
                                                      const std::string& expression) {
    static const TextPattern thread(R"(threadIdx\.x(?:\s*\*\s*\(*\s*(\w+))?)");
    TextMatch match;
    if (!search(expression, match, thread)) return 0;
    return match[1].matched ? constant_value(text, match.str(1)) : 1;
}

/// Explains rows that do not begin at a multiple of the vector's size, because the length of a row
/// is not such a multiple. Returns false if the length is a multiple.
bool explain_misaligned_rows(Failure& failure, const std::string& pitch, int width,
                             const std::string& matrix, const Exercise& exercise) {
    const long long length = pitch == "cols"   ? failure.shape.cols
                             : pitch == "rows" ? failure.shape.rows
                                               : 0;
    if (length % width == 0) return false;
    const std::string number = std::to_string(width);
    failure.headline = "a row of `" + matrix + "` has " + pitch + " = " + std::to_string(length) +
                       " floats, so not every row begins at a multiple of " +
                       std::to_string(4 * width) + " bytes, as a float" + number + " requires.";
    failure.advice = "Use a float" + number + " only if " + pitch + " is a multiple of " + number +
                     "; otherwise move single floats, or treat the matrix as one long row.";
    const int multiple = pitch == "cols" ? exercise.cols_multiple : exercise.rows_multiple;
    if (width == 4 && multiple == 2)
        failure.advice = "Use a float2: in this exercise, " + pitch +
                         " is a multiple of 2, but not always a multiple of 4.";
    return true;
}

/// Reports whether an index is a multiple of `width` for every thread of a block. Returns nothing
/// if the text does not tell.
std::optional<bool> is_multiple_for_all(const std::string& index, int line, int width,
                                        const Trial& trial, const std::string& text) {
    const IndexExpression expression(text, index, line);
    for (long long y = 0; y < std::min(32LL, trial.launch.block[1]); ++y) {
        for (long long x = 0; x < std::min(64LL, trial.launch.block[0]); ++x) {
            std::map<std::string, long long> values = {{"threadIdx.x", x}, {"threadIdx.y", y}};
            for (const std::size_t axis : {0U, 1U}) {
                const std::string end = std::string(".") + "xy"[axis];
                values["blockDim" + end] = trial.launch.block[axis];
                values["blockIdx" + end] = 1;
            }
            const auto value = expression.value(values);
            if (!value) return std::nullopt;
            if (*value % width != 0) return false;
        }
    }
    return true;
}

/// Returns the line of the statement around a line that accesses an array. A compiler may attribute
/// an access to another line of the statement, or to the next statement. Returns the line itself
/// if no line nearby accesses the array.
int find_vector_line(const std::string& text, int line, const std::string& array) {
    for (const int at : {line, line - 1, line + 1}) {
        const std::string code = code_on_line(text, at);
        const std::size_t position = find_word(code, array);
        if (position != code.npos && code.find('[', position) != code.npos &&
            vector_width(code) > 1)
            return at;
    }
    return line;
}

bool explain_misaligned(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const bool is_in_tile = failure.details.find("shared memory") != std::string::npos,
               is_load = failure.details.find("Reads") != std::string::npos;
    const std::string array =
        is_in_tile ? find_shared_array(text, 0).name : matrix_name(!is_load, evidence);
    if (!array.empty()) failure.place.line = find_vector_line(text, failure.place.line, array);
    const int line = failure.place.line;
    const int width = vector_width(code_on_line(text, line));
    if (width == 1) return false;
    const std::string vector = "a float" + std::to_string(width);
    if (is_in_tile) return explain_misaligned_tile(failure, width, evidence);
    const MatrixIndex index = find_matrix_index(text, line, matrix_name(!is_load, evidence));
    if (index.inner_term.empty()) return false;
    const std::string variable = split_outside_brackets(index.inner_term, "+").front();
    const int assignment_line = find_assignment_line(text, variable, line);
    if (is_multiple_for_all(index.inner_term, line, width, trial, text) == true)
        return explain_misaligned_rows(failure, index.pitch, width, matrix_name(!is_load, evidence),
                                       evidence.exercise);
    const std::string column = expand(text, variable, line);
    // A factor says nothing about an index with a quotient or a remainder.
    if (column.find_first_of("/%") != column.npos) return false;
    const auto thread_factor = thread_factor_with_constants(text, column);
    if (!thread_factor) return false;
    const long long factor = *thread_factor;
    if (factor > 0 && factor % width == 0) {
        if (explain_misaligned_rows(failure, index.pitch, width, matrix_name(!is_load, evidence),
                                    evidence.exercise))
            return true;
        if (split_outside_brackets(index.inner_term, "+").size() < 2) return false;
        failure.headline = add_backticks(index.inner_term) + " is not always a multiple of " +
                           std::to_string(width) + ", as " + vector +
                           " requires: the vectors of a thread must lie in different rows.";
        failure.advice = "Change the row from one vector to the next, and keep the column.";
        return true;
    }
    if (factor == 0) {
        failure.headline =
            add_backticks(index.inner_term) + ", which is added to the beginning of a " +
            "row, is not a multiple of " + std::to_string(width) + ", as " + vector + " requires.";
        failure.advice = "Which of the two indices goes up by " + std::to_string(width) +
                         " from thread to thread? Add this index, and multiply the other index by "
                         "the length of a row.";
        return true;
    }
    failure.headline = add_backticks(variable) + " goes up by " + std::to_string(factor) +
                       " from one thread to the next, but each thread moves " + vector +
                       ": the step must be a multiple of " + std::to_string(width) + ".";
    if (assignment_line > 0) failure.place.line = assignment_line;
    failure.advice = "Start each thread " + std::to_string(width) +
                     " elements after its neighbour: threadIdx.x * " + std::to_string(width) + ".";
    return true;
}

// ---- vector pointers that are indexed as if they pointed to floats ----

/// A vector pointer with an index that counts floats.
struct FloatIndex {
    int line = 0, width = 0;
    std::string term;  ///< the term of the index that counts floats
};

/// Reports whether a term of an index counts floats. Such a term is not divided by the vector's
/// width, and it is multiplied by the length of a row or by that width.
bool counts_floats(const std::string& text, const std::string& term, int line, int width) {
    const std::string number = std::to_string(width);
    const std::string expanded_index = expand(text, term, line);
    std::string compact_index;
    for (const char letter : expanded_index) {
        if (!std::isspace(static_cast<unsigned char>(letter))) compact_index += letter;
    }
    if (compact_index.find("/" + number) != compact_index.npos) return false;
    const bool is_row = compact_index.find("*cols") != compact_index.npos ||
                        compact_index.find("*rows") != compact_index.npos;
    return is_row || factor_of_thread(expanded_index) % width == 0;
}

/// Returns the first access to a vector pointer with an index that counts floats. `pointer` matches
/// the pointer and its opening bracket.
FloatIndex find_float_index(const std::string& text, const std::string& code,
                            const TextPattern& pointer, int width) {
    for (const TextMatch& match : find_matches(code, pointer)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::string index = simplify_expression(
            code.substr(opening_position + 1,
                        find_closing_bracket(code, opening_position) - opening_position - 1));
        const int line = line_number_at(code, opening_position);
        if (split_outside_brackets(index, "/").size() == 2 &&
            split_outside_brackets(index, "+").size() == 1)
            continue;
        for (const std::string& term : split_outside_brackets(index, "+")) {
            if (counts_floats(text, term, line, width)) return {line, width, term};
        }
    }
    return {};
}

FloatIndex find_float_index(const std::string& text) {
    const std::string code = code_for_search(text);
    for (const int width : {2, 4}) {
        const std::string cast = R"(reinterpret_cast\s*<\s*(?:const\s+)?float)" +
                                 std::to_string(width) +
                                 R"(\s*(?:const\s*)?\*\s*>\s*\(\s*(?:in|out)\s*\))";
        if (auto found = find_float_index(text, code, TextPattern(cast + R"(\s*\[)"), width);
            found.line > 0)
            return found;
        const TextPattern variable(R"(\b(\w+)\s*=\s*)" + cast + R"(\s*;)");
        for (const TextMatch& match : find_matches(code, variable)) {
            const TextPattern access("\\b" + match.str(1) + R"(\s*\[)");
            if (auto found = find_float_index(text, code, access, width); found.line > 0)
                return found;
        }
    }
    return {};
}

bool explain_float_index(Failure& failure, const Evidence& evidence) {
    const FloatIndex float_index = find_float_index(evidence.source.text);
    if (float_index.line == 0) return false;
    const std::string vector = "float" + std::to_string(float_index.width);
    const bool has_quotient =
        code_on_line(evidence.source.text, float_index.line)
            .find("/ " + std::to_string(float_index.width)) != std::string::npos;
    blame_line(
        failure, float_index.line,
        "element i of a " + vector + " pointer begins at float " +
            std::to_string(float_index.width) + " * i, but " + add_backticks(float_index.term) +
            " in its index counts floats.",
        (has_quotient
             ? "Every term must count " + vector + "s: divide " + add_backticks(float_index.term) +
                   " by " + std::to_string(float_index.width) + " too, or take"
             : "Divide the whole index by " + std::to_string(float_index.width) + ", or take") +
            " the address of the float first: reinterpret_cast<" + vector +
            "&>(out[i]) or reinterpret_cast<const " + vector + "&>(in[i]).");
    return true;
}

// ---- thread and block indices that are missing in an index ----

/// Returns the first built-in index, such as threadIdx.y, that the launch requires but the expanded
/// expression does not contain. Returns "" if there is none.
std::string find_missing_index(const std::string& expanded_index, const Report& race,
                               const Trial& trial) {
    const auto lacks_word = [&](const std::string& word) {
        return expanded_index.find(word) == expanded_index.npos;
    };
    const auto &race_thread = race.thread, &second_thread = race.other_thread;
    const std::array<std::string, 2> axes = {"x", "y"};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (race_thread.thread[axis] != second_thread.thread[axis] &&
            trial.launch.block[axis] > 1 && lacks_word("threadIdx." + axes[axis]))
            return "threadIdx." + axes[axis];
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (race_thread.block[axis] != second_thread.block[axis] && trial.launch.grid[axis] > 1 &&
            lacks_word("blockIdx." + axes[axis]))
            return "blockIdx." + axes[axis];
    }
    return "";
}

/// Lists the lines on which the variables of an index are set: "`col` is set on line 12, `row` on
/// line 20".
std::string list_assignments(const std::string& index, int line, const std::string& text) {
    static const TextPattern word(R"(\b[a-z_]\w*)");
    std::string names_text;
    std::vector<std::string> names_seen;
    for (const Loop& loop : find_loops(text)) names_seen.push_back(loop.counter);
    for (const TextMatch& match : find_matches(index, word)) {
        const std::string name = match.str();
        const int at = find_assignment_line(text, name, line);
        if (at == 0 || std::ranges::count(names_seen, name) > 0) continue;
        names_seen.push_back(name);
        names_text += (names_text.empty() ? "" : ", and ") + add_backticks(name) +
                      (names_text.empty() ? " is set on line " : " on line ") + std::to_string(at);
    }
    return names_text;
}

/// Explains a race between threads that store to the same element because the index does not depend
/// on all of their indices. Returns false for all other races.
bool explain_missing_index(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const Report* race = find_report(trial, "globalrace");
    const std::string& text = evidence.source.text;
    if (!race || evidence.exercise.task().kind == Produces::permuted) return false;
    const int line = place_in_learner_file(race->place, evidence).line;
    const MatrixIndex index = find_matrix_index(text, line, matrix_name(true, evidence));
    if (index.text.empty()) return false;
    std::string expanded_index = expand(text, index.text, line);
    // A counter such as `for (int y = threadIdx.y; ...)` also depends on the thread.
    for (const Loop& loop : find_loops(text)) {
        if (line >= loop.first_line && line <= loop.last_line)
            expanded_index += " " + code_on_line(text, loop.first_line);
    }
    const std::string missing_index = find_missing_index(expanded_index, *race, trial);
    if (missing_index.empty()) return false;
    const std::string assignments = list_assignments(index.text, line, text);
    failure.headline = "the index of this store does not depend on " + missing_index + ": all " +
                       (missing_index.starts_with("thread") ? "threads" : "blocks") +
                       " that differ only in " + missing_index + " store to the same element.";
    const std::string assignment_note = assignments.empty() ? "" : "Here " + assignments + ". ";
    failure.advice = assignment_note + "Which of these variables must use " + missing_index + "?";
    return true;
}

/// Explains a race on a static or __device__ array that was meant to be shared. Returns false for
/// all other races.
bool explain_static_tile(Failure& failure, const Evidence& evidence) {
    static const TextPattern array(
        R"((?:\bstatic\b|\b__device__\b)\s+(?:\b\w+\s+)*?(\w+)\s*(?:\[[^\]=;]*\])+\s*;)");
    const std::string code = code_for_search(evidence.source.text);
    TextMatch match;
    if (!search(code, match, array) || match.str().find("__shared__") != std::string::npos)
        return false;
    const std::string name = match.str(1);
    if (!contains_word(code_on_line(evidence.source.text, failure.place.line), name)) return false;
    failure.kind = FailureKind::tile_not_shared;
    failure.headline = add_backticks(name) +
                       " is not shared: the array is in global memory, which all blocks share.";
    failure.place.line = line_of_match(code, match, 1);
    failure.advice = "Declare the array __shared__: then each block has its own.";
    return true;
}

/// Explains an index that assumes a wrong row length for a matrix. Returns false if there is none.
bool explain_pitch(Failure& failure, const Evidence& evidence) {
    const Produces task = evidence.exercise.task();
    if (task.in_place || (task.kind != Produces::copy && task.kind != Produces::transpose))
        return false;
    const std::string& text = evidence.source.text;
    int number = 0;
    for (const std::string& line : lines_of(code_for_search(text))) {
        ++number;
        for (const bool is_out : {false, true}) {
            const std::string matrix = is_out ? "out" : "in";
            const std::string length = is_out && task.kind == Produces::transpose ? "rows" : "cols";
            if (line.find(matrix + "[") == line.npos) continue;
            const MatrixIndex index = find_matrix_index(text, number, matrix);
            const bool has_other_pitch = index.pitch == (length == "rows" ? "cols" : "rows");
            if (!has_other_pitch) continue;
            blame_line(failure, number,
                       "this index multiplies " + add_backticks(index.outer_term) + " by " +
                           index.pitch + ", but a row of `" + matrix + "` has " + length +
                           " elements.",
                       "Multiply " + add_backticks(index.outer_term) + " by the length of a row, " +
                           length + ", if it counts the rows of `" + matrix + "`.");
            return true;
        }
    }
    return false;
}

/// Explains a line that assumes a distance between blocks different from that on all other lines.
/// For example, blockIdx.y is multiplied by BLOCK_ROWS on one line and by TILE_DIM on the others.
/// Returns false if there is no such line.
bool explain_other_block_step(Failure& failure, const Trial& trial, const Evidence& evidence) {
    static const TextPattern product(R"(blockIdx\.([xy])\s*\*\s*([A-Z]\w*|blockDim\.\w|\d+))");
    const std::string code = code_for_search(evidence.source.text);
    std::map<std::string, std::vector<int>> lines;
    for (const TextMatch& match : find_matches(code, product))
        lines[match.str(2)].push_back(line_of_match(code, match));
    if (lines.size() != 2) return false;
    const auto &first = *lines.begin(), &second = *lines.rbegin();
    const bool is_first_shorter = first.second.size() < second.second.size();
    const auto &odd_entry = is_first_shorter ? first : second,
               &usual_pitch = is_first_shorter ? second : first;
    const auto value = [&](const std::string& size) -> std::optional<long long> {
        if (size == "blockDim.x") return trial.launch.block[0];
        if (size == "blockDim.y") return trial.launch.block[1];
        return constant_value(evidence.source.text, size);
    };
    const bool have_equal_pitch = value(odd_entry.first) == value(usual_pitch.first);
    if (odd_entry.second.size() != 1 || usual_pitch.second.size() < 3 || have_equal_pitch)
        return false;
    blame_line(
        failure, odd_entry.second.front(),
        "blocks are " + odd_entry.first + " elements apart here, but " + usual_pitch.first +
            " elements apart on all other lines.",
        "On every line, multiply the block's index by the side of the tile that a block moves.");
    return true;
}

/// Reports whether a wrong vector component or a wrong tile index may have caused the failure.
bool may_be_vector_index(const Failure& failure) {
    return failure.kind == FailureKind::uninitialised_shared ||
           failure.kind == FailureKind::shared_race ||
           failure.kind == FailureKind::elements_left_out ||
           (failure.kind == FailureKind::wrong_result &&
            has_trait(failure.fault, trait::may_be_any_index | trait::may_be_unset_component));
}

/// Reports whether the failure may have been caused by a thread that loads the wrong element of the
/// tile.
bool may_be_other_element(const Failure& failure) {
    if (failure.kind == FailureKind::uninitialised_shared ||
        failure.kind == FailureKind::race_between_blocks)
        return true;
    if (failure.kind != FailureKind::wrong_result) return false;
    return has_trait(failure.fault, trait::may_be_any_index) || failure.fault == Fault::shifted ||
           failure.fault == Fault::half_exchanged || failure.fault == Fault::edge_wrong ||
           failure.fault == Fault::component_lost;
}

bool explain_race_between_blocks(Failure& failure, const Trial& trial, const Evidence& evidence) {
    return explain_static_tile(failure, evidence) || explain_float_index(failure, evidence) ||
           explain_missing_index(failure, trial, evidence) ||
           explain_other_block_step(failure, trial, evidence) ||
           explain_other_element(failure, trial, evidence) || explain_pitch(failure, evidence);
}

bool explain_wrong_cells(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (explain_float_index(failure, evidence)) return true;
    const bool is_bound = failure.kind != FailureKind::wrong_result;
    if (has_trait(failure.fault, trait::certain) && failure.fault != Fault::shifted) return false;
    if (explain_other_block_step(failure, trial, evidence)) return true;
    return !is_bound && !has_trait(failure.fault, trait::certain | trait::outside) &&
           explain_pitch(failure, evidence);
}

}  // namespace

void blame_line(Failure& failure, int line, const std::string& headline,
                const std::string& advice) {
    if (failure.kind == FailureKind::wrong_result) {
        const std::string first_headline = first_sentence(failure.headline);
        std::string observation = first_headline.empty() ? failure.headline : first_headline;
        // The formula that was guessed from the cells names another mistake.
        if (const std::size_t guess = observation.find(std::string(": ") + kSeemsToUse);
            guess != observation.npos)
            observation = observation.substr(0, guess) + ".";
        failure.details = wrap(observation) + failure.details;
    }
    failure.headline = headline;
    if (line > 0) failure.place.line = line;
    failure.advice = advice;
}

int factor_of_thread(const std::string& expression) {
    static const TextPattern thread(R"(threadIdx\.x(?:\s*\*\s*(\d{1,3}))?)");
    TextMatch match;
    if (!search(expression, match, thread)) return 0;
    return match[1].matched ? std::stoi(match.str(1)) : 1;
}

bool explain_by_indices(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const bool is_bound =
        failure.kind == FailureKind::out_of_bounds || failure.kind == FailureKind::no_bounds_check;
    if (failure.kind == FailureKind::misaligned)
        return explain_misaligned(failure, trial, evidence);
    if (failure.kind == FailureKind::race_between_blocks)
        return explain_race_between_blocks(failure, trial, evidence);
    if ((is_bound || failure.kind == FailureKind::wrong_result) &&
        explain_wrong_cells(failure, trial, evidence))
        return true;
    if (failure.kind == FailureKind::outside_shared_memory)
        return explain_outside_tile(failure, trial, evidence);
    const bool is_pair =
        evidence.exercise.task().in_place &&
        (failure.fault == Fault::tile_not_moved || failure.fault == Fault::tile_not_transposed);
    if (is_pair && explain_other_element(failure, trial, evidence)) return true;
    if (!may_be_vector_index(failure))
        return may_be_other_element(failure) && explain_other_element(failure, trial, evidence);
    if (explain_slot_row(failure, evidence) || explain_thread_factor(failure, evidence) ||
        explain_repeated_place(failure, evidence))
        return true;
    const bool is_unfilled = failure.kind == FailureKind::uninitialised_shared;
    if (is_unfilled && (explain_unused_component(failure, evidence) ||
                        explain_matrix_index_in_tile(failure, evidence)))
        return true;
    const bool is_loop_mistake = is_unfilled || failure.fault == Fault::part_of_each_tile;
    if (is_loop_mistake && explain_loop_step(failure, trial, evidence)) return true;
    return may_be_other_element(failure) && explain_other_element(failure, trial, evidence);
}

}  // namespace coalesce
