#include "examiner/index_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/index_value.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// Returns the first line whose assignment has the same destination or the same value as the one on
/// the line before, although its component or index should differ. Returns 0 if there is none.
int find_line_with_repeated_place(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const auto parts = [](const std::string& line) -> std::vector<std::string> {
        const std::size_t equals = line.find(" = ");
        if (equals == line.npos || line.find('[') == line.npos) return {};
        return {trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 3))};
    };
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto previous_parts = parts(lines[i - 1]), current_parts = parts(lines[i]);
        if (previous_parts.empty() || current_parts.empty() || previous_parts == current_parts)
            continue;
        const bool is_component =
            current_parts[0].size() > 2 && current_parts[0][current_parts[0].size() - 2] == '.';
        const bool has_equal_stores = previous_parts[0] == current_parts[0] &&
                                      current_parts[0].find('[') != std::string::npos;
        const bool has_equal_reads = is_component && previous_parts[1] == current_parts[1];
        if (has_equal_stores || has_equal_reads) return static_cast<int>(i) + 1;
    }
    return 0;
}

}  // namespace

bool explain_repeated_place(Failure& failure, const Evidence& evidence) {
    const int line = find_line_with_repeated_place(evidence.source.text);
    if (line == 0) return false;
    blame_line(failure, line,
               "this line and the line before it use the same element of the tile, so another "
               "element is left out.",
               "Compare the two lines: which number must differ?");
    return true;
}

namespace {

/// Finds a vector component that is loaded but never used.
Declaration find_unused_component(const std::string& text) {
    static const TextPattern load(R"(\bfloat([24])\s+(\w+)\s*=\s*(?:reinterpret_cast|\*))");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, load)) {
        const std::string name = match.str(2);
        const std::size_t begin = match_end(match);
        const std::string code_after = code.substr(begin, code.find("\n}", begin) - begin);
        const std::string components = match.str(1) == "2" ? "xy" : "xyzw";
        const std::string scope =
            code_after.substr(0, code_after.find("float" + match.str(1) + " " + name + ";"));
        if (contains(scope, TextPattern("\\b" + name + "\\b\\s*[^.\\w]"))) continue;
        if (contains(scope, TextPattern("&\\s*" + name + "\\b"))) continue;
        const bool uses_first = contains(scope, TextPattern("\\b" + name + "\\.x\\b"));
        for (const char letter : components) {
            if (!uses_first || contains(scope, TextPattern("\\b" + name + "\\." + letter + "\\b")))
                continue;
            return {name + "." + letter, line_of_match(code, match)};
        }
    }
    return {};
}

}  // namespace

bool explain_unused_component(Failure& failure, const Evidence& evidence) {
    const Declaration component = find_unused_component(evidence.source.text);
    if (component.line == 0) return false;
    blame_line(failure, component.line,
               add_backticks(component.name) + " is loaded here, but never put into the tile.",
               "Store every component of the vector: " + add_backticks(component.name) +
                   " belongs beside the other components.");
    return true;
}

namespace {

/// Returns the brackets after the first occurrence of an array on a line, such as "[x][y + k]".
std::string index_text(const std::string& code, const std::string& array) {
    std::size_t at = find_word(code, array);
    if (at == code.npos) return "";
    at += array.size();
    std::string index;
    while (at < code.size() && code[at] == '[') {
        const std::size_t closing_position = find_closing_bracket(code, at);
        index += code.substr(at, closing_position + 1 - at);
        at = closing_position + 1;
    }
    return index;
}

/// Returns the indices of an array on a line, one for each dimension.
std::vector<std::string> index_parts(const std::string& code, const std::string& array) {
    const std::string index = index_text(code, array);
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < index.size();) {
        const std::size_t closing_position = find_closing_bracket(index, at);
        parts.push_back(trimmed(index.substr(at + 1, closing_position - at - 1)));
        at = closing_position + 1;
    }
    return parts;
}

/// A line that puts a component of a vector into a tile, as in `tile[y][2 * x] = v.x;`.
struct ComponentStore {
    int line = 0;
    std::string vector = "";
    std::vector<std::string> indices = {};
};

/// Returns the lines that put the component `letter` of a vector into the tile.
std::vector<ComponentStore> list_component_stores(const std::string& text, const SharedArray& tile,
                                                  char letter) {
    static const TextPattern component(R"(=\s*(\w+)\.([xyzw])\s*;)");
    std::vector<ComponentStore> stores;
    int number = 0;
    for (const std::string& code : lines_of(code_for_search(text))) {
        ++number;
        TextMatch match;
        const std::size_t at = find_word(code, tile.name);
        if (at == code.npos || !search(code, match, component) || match_offset(match) < at ||
            match.str(2)[0] != letter)
            continue;
        stores.push_back({number, match.str(1), index_parts(code, tile.name)});
    }
    return stores;
}

/// Looks for the second component of a vector that is not put beside the first one in the tile,
/// although both are neighbours in a row of the input.
LineMistake find_misplaced_component(const std::string& text, const SharedArray& tile) {
    const auto first = list_component_stores(text, tile, 'x'),
               second = list_component_stores(text, tile, 'y');
    if (first.size() != 1 || second.size() != 1 || first[0].vector != second[0].vector ||
        first[0].indices.size() != 2 || second[0].indices.size() != 2)
        return {};
    std::vector<IndexSum> differences;
    std::size_t own = 2;
    for (const std::size_t part : {0U, 1U}) {
        const auto from = IndexSum::parse(text, first[0].indices[part], first[0].line),
                   to = IndexSum::parse(text, second[0].indices[part], second[0].line);
        if (!from || !to) return {};
        if (from->factor_of("threadIdx.x") != 0) own = part;
        differences.push_back(*to - *from);
    }
    if (own > 1) return {};
    const IndexSum one = differences[own].add_constant(-1);
    if (one.is_zero_with_constants(text) && differences[1 - own].is_zero_with_constants(text))
        return {};
    if (!differences[own].is_constant() || !differences[1 - own].is_constant()) return {};
    const std::string x = first[0].vector + ".x", y = first[0].vector + ".y",
                      noun = own == 1 ? "column" : "row";
    const std::string& index = first[0].indices[own];
    const bool counts_vectors = factor_of_thread(index) < 2;
    return {second[0].line,
            add_backticks(x) + " and " + add_backticks(y) +
                " are neighbours in a row of `in`, but lines " + std::to_string(first[0].line) +
                " and " + std::to_string(second[0].line) + " do not put them into neighbouring " +
                noun + "s of the same " + (own == 1 ? "row" : "column") + " of " +
                add_backticks(tile.name) + ".",
            counts_vectors ? "Put them into the " + noun +
                                 "s threadIdx.x * 2 and threadIdx.x * 2 "
                                 "+ 1, or read the tile with the same indices."
                           : "Put " + add_backticks(y) + " into " + noun + " " +
                                 add_backticks(index + " + 1") + "."};
}

/// Returns, for each line that accesses the tile, the factor of threadIdx.x in the tile's index.
std::map<int, int> thread_factors(const std::string& text, const std::string& tile) {
    std::map<int, int> factors;
    int number = 0;
    for (const std::string& line : lines_of(code_for_search(text))) {
        ++number;
        const std::size_t at = find_word(line, tile);
        if (at == line.npos || line.find("__shared__") != line.npos) continue;
        const std::size_t opening_position = line.find('[', at);
        if (opening_position == line.npos) continue;
        const std::size_t end = std::min(line.find(" = ", opening_position), line.size());
        const std::string index = line.substr(opening_position, end - opening_position);
        // In `(threadIdx.x + 1) * 2`, the factor comes after a parenthesis.
        static const TextPattern factor_of_sum(R"(threadIdx\.x[^\[\]*]*\)\s*\*)");
        if (contains(index, factor_of_sum)) continue;
        if (const int factor = factor_of_thread(index); factor > 0) factors[number] = factor;
    }
    return factors;
}

}  // namespace

bool explain_thread_factor(Failure& failure, const Evidence& evidence) {
    static const TextPattern coordinate(R"(\b(?:col|row)\s*=[^;]*threadIdx\.x\s*\*\s*([24])\b)");
    const std::string& text = evidence.source.text;
    const SharedArray tile = find_shared_array(text, 0);
    const std::string code = code_for_search(text);
    TextMatch match;
    if (tile.name.empty() || !search(code, match, coordinate)) return false;
    // threadIdx.x and the index of a tile of vectors both count vectors. The index counts elements
    // only on a line that stores a vector made of elements from several rows.
    const bool is_vector_tile = vector_width(code_on_line(text, tile.line)) > 1;
    const int required_factor = std::stoi(match.str(1));
    for (const auto& [line, factor] : thread_factors(text, tile.name)) {
        if (factor >= required_factor) continue;
        const std::string line_code = code_on_line(text, line);
        if (is_vector_tile && line_code.find("= {") == line_code.npos) continue;
        if (line_code.find("threadIdx.y * " + std::to_string(required_factor)) != line_code.npos) {
            blame_line(failure, line,
                       "threadIdx.x and threadIdx.y are swapped here: line " +
                           std::to_string(line_of_match(code, match)) +
                           " counts columns with threadIdx.x, " + std::to_string(required_factor) +
                           " per thread.",
                       "Keep each thread's column where it was: which index of the tile counts "
                       "columns of `in`?");
            return true;
        }
        if (const LineMistake mistake = find_misplaced_component(text, tile); mistake.line > 0) {
            blame_line(failure, mistake.line, mistake.sentence, mistake.advice);
            return true;
        }
        blame_line(failure, line,
                   "threadIdx.x counts vectors of " + std::to_string(required_factor) +
                       " elements, but in the index of " + add_backticks(tile.name) +
                       (factor == 1 ? " nothing multiplies it."
                                    : " it is multiplied by " + std::to_string(factor) + "."),
                   "Multiply threadIdx.x by " + std::to_string(required_factor) +
                       " here, as on line " + std::to_string(line_of_match(code, match)) + ".");
        return true;
    }
    return false;
}

bool explain_matrix_index_in_tile(Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const int line = failure.place.line;
    const SharedArray tile = find_shared_array(text, line);
    if (tile.name.empty()) return false;
    static const TextPattern word(R"(\[\s*(row|col)\b)");
    const std::string code = code_on_line(text, line);
    const std::string index = index_text(code, tile.name);
    TextMatch match;
    if (!search(index, match, word)) return false;
    const std::string name = match.str(1);
    // `row - tile_row` is a position within the tile.
    const bool has_subtraction = index.find('-') != index.npos;
    // `i / width` is also a position within the tile.
    const bool is_quotient = assigned_value(text, name, line).find_first_of("/%") != index.npos;
    if (has_subtraction || is_quotient ||
        expand(text, name, line).find("blockIdx") == std::string::npos)
        return false;
    blame_line(failure, line,
               add_backticks(name) + " indexes the whole matrix, but " + add_backticks(tile.name) +
                   " holds a single tile.",
               "Index the tile only with threadIdx and the loop's counter.");
    return true;
}

namespace {

/// Returns the number of rows of a tile that a loop fills with elements of the matrix, or 0 if it is
/// unknown.
long long count_rows_filled(const std::string& text, const Loop& loop, const SharedArray& tile,
                            long long thread_rows) {
    bool is_load = false;
    for (int line = loop.first_line; line <= loop.last_line; ++line) {
        const std::string code = code_on_line(text, line);
        is_load |= code.find(tile.name + "[") != code.npos && code.find("in[") != code.npos;
    }
    const std::set<long long> passes = values_of_index(text, loop.counter, loop.first_line + 1);
    if (!is_load || passes.empty()) return 0;
    return *passes.rbegin() + thread_rows;
}

}  // namespace

bool explain_loop_step(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    static const TextPattern increment(R"(\+\+|\+=\s*(.+)$)");
    for (const Loop& loop : find_loops(text)) {
        TextMatch match;
        if (!loop.step || loop.counter.empty() || !search(*loop.step, match, increment)) continue;
        std::string body;
        for (int line = loop.first_line + 1; line <= loop.last_line; ++line)
            body += code_on_line(text, line) + "\n";
        const SharedArray tile = find_shared_array(text, 0);
        const std::string moved_index = "threadIdx.y + " + loop.counter;
        if (tile.lengths.size() != 2 || body.find("[" + moved_index + "]") == body.npos) continue;
        const long long rows = trial.launch.block[1];
        auto step = match[1].matched ? constant_value(text, match.str(1)) : 1;
        if (match.str(1) == "blockDim.x") step = trial.launch.block[0];
        if (match.str(1) == "blockDim.y") step = trial.launch.block[1];
        if (!step || rows < 2) continue;
        if (*step != rows) {
            blame_line(failure, loop.first_line,
                       "the block covers " + std::to_string(rows) +
                           " rows of the tile at a time, but this loop advances by " +
                           std::to_string(*step) + ".",
                       "Set the loop's step to the number of thread rows in the block.");
            return true;
        }
        const std::set<long long> passes = values_of_index(text, loop.counter, loop.first_line + 1);
        const long long reached_rows = passes.empty() ? 0 : *passes.rbegin() + rows;
        const long long filled_rows = count_rows_filled(text, loop, tile, rows);
        if (failure.kind == FailureKind::uninitialised_shared && filled_rows > 0 &&
            filled_rows < tile.lengths[0]) {
            blame_line(failure, loop.first_line,
                       "this loop fills only " + std::to_string(filled_rows) + " of the " +
                           std::to_string(tile.lengths[0]) + " rows of " +
                           add_backticks(tile.name) + ".",
                       "Let the loop reach every row of the tile that is read later: its bound "
                       "must be the number of rows, " +
                           std::to_string(tile.lengths[0]) + ".");
            return true;
        }
        if (tile.lengths[0] % *step != 0 && reached_rows > tile.lengths[0]) {
            blame_line(
                failure, loop.first_line,
                "the number of rows in the tile, " + std::to_string(tile.lengths[0]) +
                    ", is not a multiple of this loop's step, " + std::to_string(*step) +
                    ": the last pass goes beyond the tile.",
                "Choose a number of thread rows that divides the number of rows in the tile.");
            return true;
        }
    }
    return false;
}

namespace {

/// Explains a loop counter that is added to the wrong index of a tile. The axis of that index needs
/// no loop, because the threads already reach every element along it. Returns false if there is no
/// such counter.
bool explain_counter_on_full_axis(Failure& failure, const SharedArray& tile, const Trial& trial,
                                  const std::string& text) {
    const int line = failure.place.line;
    const std::vector<std::string> parts = index_parts(code_on_line(text, line), tile.name);
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (parts.size() != 2 || tile.lengths.size() != 2 || !loop || loop->counter.empty())
        return false;
    const std::set<long long> passes = values_of_index(text, loop->counter, line);
    if (passes.size() < 2) return false;
    const long long step = *std::next(passes.begin()) - *passes.begin();
    for (const std::size_t part : {0U, 1U}) {
        const auto own_index = IndexSum::parse(text, parts[part], line),
                   other_index = IndexSum::parse(text, parts[1 - part], line);
        if (!own_index || !other_index || own_index->factor_of(loop->counter) != 1 ||
            other_index->factor_of(loop->counter) != 0)
            continue;
        for (const std::size_t axis : {0U, 1U}) {
            const std::string thread = std::string("threadIdx.") + "xy"[axis],
                              neighbour = std::string("threadIdx.") + "yx"[axis];
            const auto& block = trial.launch.block;
            if (own_index->factor_of(thread) != 1 || other_index->factor_of(neighbour) != 1 ||
                block[axis] < tile.lengths[part] || block[1 - axis] != step)
                continue;
            failure.headline = thread + " alone reaches all " + std::to_string(tile.lengths[part]) +
                               (part == 0 ? " rows" : " columns") + " of " +
                               add_backticks(tile.name) + ", and " + add_backticks(loop->counter) +
                               " is added to it.";
            const std::string counter = add_backticks(loop->counter);
            const MatrixIndex index = find_matrix_index(text, line, "out");
            const auto inner_term = IndexSum::parse(text, index.inner_term, line),
                       outer_term = IndexSum::parse(text, index.outer_term, line);
            const bool uses_only_tile_terms =
                inner_term && outer_term &&
                (inner_term->factor_of(neighbour) != 0 ? inner_term : outer_term)
                        ->factor_of(loop->counter) != 0;
            failure.advice =
                "The block has only " + std::to_string(step) + " values of " + neighbour +
                ": add " + counter + " to " + neighbour + " instead" +
                (uses_only_tile_terms ? ", as the index of `out` does."
                                      : ", in the index of the tile, in the condition and "
                                        "in the index of the matrix.");
            return true;
        }
    }
    return false;
}

/// If an index of a tile is the result of a function of the file, points at that function in the
/// advice.
void advise_on_function(Failure& failure, const std::string& index, long long length,
                        const std::string& text) {
    static const TextPattern name(R"(^\s*([a-z]\w*)\s*\()");
    static const TextPattern wrap_around(R"([%&^/])");
    TextMatch name_match;
    if (!search(index, name_match, name)) return;
    const std::string lambda = R"((?:\s*=\s*\[[^\]]*\])?)";
    const TextPattern function("\\b" + name_match.str(1) + lambda +
                               R"(\s*\([^(){}]*\)\s*\{\s*return\b([^;]*);)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, function)) {
        failure.advice =
            "Work out the arguments for this thread, and then the result: which of them leaves "
            "its row of the tile?";
        return;
    }
    const std::string line = "line " + std::to_string(line_number_at(code, match_end(match)));
    failure.advice = contains(match.str(1), wrap_around)
                         ? "Work out the arguments for this thread, and then the result on " +
                               line + ": which of them leaves its row of the tile?"
                         : "The result on " + line + " must stay below " + std::to_string(length) +
                               ": take it modulo " + std::to_string(length) + ", for example.";
}

/// Explains an array with one index that has too few elements for its rows: the threads of a block
/// use different elements, which lie beyond its end. Returns false for all other arrays.
bool explain_short_array(Failure& failure, const SharedArray& tile, const Trial& trial,
                         const std::string& text) {
    const int line = failure.place.line;
    const std::vector<std::string> parts = index_parts(code_on_line(text, line), tile.name);
    if (parts.size() != 1 || tile.lengths.size() != 1 || trial.launch.block[2] > 1) return false;
    const IndexExpression index(text, parts[0], line);
    const auto value_of = [&](long long x, long long y) {
        return index.value({{"threadIdx.x", x},
                            {"threadIdx.y", y},
                            {"blockDim.x", trial.launch.block[0]},
                            {"blockDim.y", trial.launch.block[1]}});
    };
    const auto first = value_of(0, 0), next_x = value_of(1, 0), next_y = value_of(0, 1);
    const auto& block = trial.launch.block;
    if (!first || !next_x || !next_y || *first != 0 || block[1] < 2) return false;
    const long long step_x = *next_x - *first, step_y = *next_y - *first;
    const bool is_x_row = step_y == 1;
    const long long distance = is_x_row ? step_x : step_y, rows = block[is_x_row ? 0 : 1],
                    length = block[is_x_row ? 1 : 0];
    const auto last = value_of(block[0] - 1, block[1] - 1);
    const bool are_rows = (step_x == 1 || step_y == 1) && distance >= length && last &&
                          *last == (rows - 1) * distance + length - 1;
    if (!are_rows || *last < tile.lengths[0]) return false;
    failure.headline = "line " + std::to_string(line) + " places the rows of the tile " +
                       std::to_string(distance) + " elements apart, so " + std::to_string(rows) +
                       " rows end at element " + std::to_string(*last) + ", but " +
                       add_backticks(tile.name) + " has only " + std::to_string(tile.lengths[0]) +
                       " elements.";
    failure.place.line = tile.line;
    failure.advice = "Declare " + std::to_string(rows) + " * " + std::to_string(distance) + " = " +
                     std::to_string(rows * distance) + " elements: every row needs its padding.";
    return true;
}

/// Explains an access by finding the index that is outside the array for this thread. Returns false
/// if every index is inside.
bool explain_too_large_index(Failure& failure, const Report& report, const SharedArray& tile,
                             const Trial& trial, const std::string& text) {
    constexpr long long max_passes = 256;
    const int line = failure.place.line;
    const std::vector<std::string> parts = index_parts(code_on_line(text, line), tile.name);
    if (parts.empty() || parts.size() != tile.lengths.size()) return false;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    const bool has_counter = loop && !loop->counter.empty();
    for (long long pass = 0; pass < (has_counter ? max_passes : 1); ++pass) {
        std::map<std::string, long long> values;
        for (const std::size_t axis : {0U, 1U, 2U}) {
            const std::string letter(1, "xyz"[axis]);
            values["threadIdx." + letter] = report.thread.thread[axis];
            values["blockIdx." + letter] = report.thread.block[axis];
            values["blockDim." + letter] = trial.launch.block[axis];
        }
        if (has_counter) values[loop->counter] = pass;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const auto value = index_value(text, parts[part], line, values);
            if (!value) return false;
            if (*value >= 0 && *value < tile.lengths[part]) continue;
            const bool is_row = part + 1 == parts.size() && parts.size() == 2;
            const std::string last_index = std::to_string(tile.lengths[part] - 1);
            failure.headline = add_backticks(parts[part]) + " is " + std::to_string(*value) +
                               " for this thread, but " +
                               (parts.size() == 1 ? "the elements of " + add_backticks(tile.name)
                                : is_row ? "the elements of a row of " + add_backticks(tile.name)
                                         : "the rows of " + add_backticks(tile.name)) +
                               " are 0 to " + last_index + ".";
            failure.advice = "Compare the index with the declaration on line " +
                             std::to_string(tile.line) + ": which of the two is wrong?";
            advise_on_function(failure, parts[part], tile.lengths[part], text);
            return true;
        }
    }
    return false;
}

}  // namespace

bool explain_slot_row(Failure& failure, const Evidence& evidence) {
    static const TextPattern call(R"(^(\w+)\s*\((.*)\)$)");
    const std::string& text = evidence.source.text;
    const SharedArray tile = find_shared_array(text, 0);
    int right_line = 0, wrong_line = 0, number = 0;
    std::string wrong_argument, row, function;
    for (const std::string& code : lines_of(code_for_search(text))) {
        ++number;
        if (tile.name.empty() || code.find("__shared__") != code.npos) continue;
        const std::vector<std::string> parts = index_parts(code, tile.name);
        TextMatch match;
        if (parts.size() != 2 || !search(parts[1], match, call)) continue;
        const std::vector<std::string> arguments = split_outside_brackets(match.str(2), ",");
        if (arguments.size() != 2 || (!function.empty() && function != match.str(1))) return false;
        function = match.str(1);
        const auto in_row = IndexSum::parse(text, parts[0], number),
                   passed = IndexSum::parse(text, arguments[0], number);
        if (!in_row || !passed) return false;
        if ((*in_row - *passed).is_zero_with_constants(text)) {
            right_line = number;
        } else if (wrong_line == 0) {
            wrong_line = number;
            wrong_argument = trimmed(arguments[0]);
            row = parts[0];
        }
    }
    if (right_line == 0 || wrong_line == 0) return false;
    blame_line(failure, wrong_line,
               "this passes " + add_backticks(wrong_argument) + " to " + add_backticks(function) +
                   ", but accesses row " + add_backticks(row) + " of " + add_backticks(tile.name) +
                   "; line " + std::to_string(right_line) + " passes the row that it accesses.",
               "Pass the row that the line accesses, here " + add_backticks(row) + ".");
    return true;
}

bool explain_outside_tile(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (explain_matrix_index_in_tile(failure, evidence)) return true;
    if (const int line = find_loop_that_runs_once_too_often(text, failure.place.line); line > 0) {
        blame_line(
            failure, line,
            "this loop makes one pass too many, because <= lets its counter reach the bound.",
            "Use <: the last index of the tile is the bound minus 1.");
        return true;
    }
    if (explain_loop_step(failure, trial, evidence)) return true;
    const Report* report = find_report(trial, "memcheck");
    const SharedArray tile = find_shared_array(text, failure.place.line);
    if (explain_counter_on_full_axis(failure, tile, trial, text)) return true;
    if (!tile.name.empty() && explain_short_array(failure, tile, trial, text)) return true;
    if (report && !tile.name.empty()) {
        const LineMistake mistake = find_misplaced_component(text, tile);
        if (mistake.line == failure.place.line) {
            blame(failure, mistake);
            return true;
        }
        if (explain_too_large_index(failure, *report, tile, trial, text)) return true;
    }
    static const TextPattern offset(R"(at byte ([\d,]{1,12}) of)");
    TextMatch match;
    if (!report || tile.lengths.size() != 2 || !search(report->message, match, offset))
        return false;
    std::string digits;
    for (const char letter : match.str(1)) {
        if (letter != ',') digits += letter;
    }
    // The byte tells the row only if the second index stays within its row.
    const std::vector<std::string> parts =
        index_parts(code_on_line(text, failure.place.line), tile.name);
    if (parts.size() != 2 || parts[1].find_first_of("(+^") != std::string::npos) return false;
    const long long row = std::stoll(digits) / 4 / std::max(1LL, tile.lengths[1]);
    if (row < tile.lengths[0] || row > 4096) return false;
    failure.headline = "this uses row " + std::to_string(row) + " of " + add_backticks(tile.name) +
                       ", whose rows are 0 to " + std::to_string(tile.lengths[0] - 1) + ".";
    failure.advice =
        "How large can the first index of " + add_backticks(tile.name) +
        " become, given threadIdx and the loop's counter? Compare it with the declaration on "
        "line " +
        std::to_string(tile.line) + ", and check .block and the loop's step.";
    return true;
}

}  // namespace coalesce
