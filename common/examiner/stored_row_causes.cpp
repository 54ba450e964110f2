#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// An access to an element of a shared array, and its two indices.
struct TileAccess {
    int line = 0;  ///< 0 if there is none
    std::string text = {};
    std::array<std::string, 2> indices = {};
    std::array<std::optional<IndexSum>, 2> sums = {};
};

/// Returns the access to `tile` on a line, or an access whose line is 0.
TileAccess read_tile_access(const std::string& text, const std::string& code, int line,
                            const std::string& tile) {
    TileAccess access;
    const std::size_t begin = find_word(code, tile);
    std::size_t at = begin == code.npos ? code.npos : begin + tile.size();
    for (const std::size_t axis : {0U, 1U}) {
        if (at >= code.size() || code[at] != '[') return {};
        const std::size_t end = find_closing_bracket(code, at);
        if (end >= code.size()) return {};
        access.indices[axis] = trimmed(code.substr(at + 1, end - at - 1));
        access.sums[axis] = IndexSum::parse(text, access.indices[axis], line);
        at = end + 1;
    }
    access.text = code.substr(begin, at - begin);
    if (access.sums[0] && access.sums[1]) access.line = line;
    return access;
}

/// The load that fills a shared array from `in`, and the store that moves it to `out`.
struct Passage {
    SharedArray tile = {};
    TileAccess load = {}, store = {};
};

Passage find_passage(const std::string& text) {
    Passage passage{.tile = find_shared_array(text, 0)};
    if (passage.tile.lengths.size() != 2 || list_shared_arrays(text).size() != 1) return {};
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size() && candidates <= kMaxCandidates; ++i) {
        const bool is_load = lines[i].find("in[") != std::string::npos,
                   is_store = lines[i].find("out[") != std::string::npos;
        if (is_load == is_store) continue;
        ++candidates;
        const TileAccess access =
            read_tile_access(text, lines[i], static_cast<int>(i) + 1, passage.tile.name);
        if (access.line > 0) (is_load ? passage.load : passage.store) = access;
    }
    return passage;
}

/// Looks for a store that takes an element of the array for a row other than the one from which
/// the array was filled.
LineMistake find_other_row(const Passage& passage, const std::string& text) {
    const TileAccess &load = passage.load, &store = passage.store;
    const MatrixIndex in = find_matrix_index(text, load.line, "in");
    const auto row = IndexSum::parse(text, in.outer_term, load.line),
               col = IndexSum::parse(text, in.inner_term, load.line),
               out = IndexSum::parse(text, find_matrix_index(text, store.line, "out").text,
                                     store.line);
    if (in.pitch != "cols" || !row || !col || !out) return {};
    for (const std::size_t axis : {0U, 1U}) {
        const IndexSum first_row = *row - *load.sums[axis], first_col = *col - *load.sums[1 - axis];
        if (!first_row.varying_names(text, load.line).empty() ||
            !first_col.varying_names(text, load.line).empty())
            continue;
        const IndexSum held_row = *store.sums[axis] + first_row,
                       held_col = *store.sums[1 - axis] + first_col;
        const auto held = IndexSum::parse(
            text, "(" + held_col.format() + ") * rows + " + held_row.format(), store.line);
        if (!held) return {};
        const IndexSum difference = *out - *held;
        if (difference.is_zero_with_constants(text) || !difference.is_constant()) return {};
        const bool is_later = !difference.has_no_negative_term();
        const IndexSum distance = is_later ? *held - *out : difference;
        return {store.line,
                "line " + std::to_string(load.line) + " fills " + add_backticks(store.text) +
                    " from the row of `in` that is " + add_backticks(distance.format()) +
                    (is_later ? " after" : " before") + " the row that is stored here.",
                "Let line " + std::to_string(load.line) + " read a row that is " +
                    add_backticks(distance.format()) + (is_later ? " earlier" : " later") +
                    ", or change the index of the array here by as much."};
    }
    return {};
}

/// Returns the name of the variable with this value before a line, or "" if there is none.
std::string find_name_of(const IndexSum& value, const std::string& text, int line) {
    static const TextPattern definition(R"(\bint\s+(\w+)\s*=\s*([^;,]+);)");
    const std::string code = code_for_search(text);
    int candidates = 0;
    for (const TextMatch& match : find_matches(code, definition)) {
        const int at = line_of_match(code, match);
        if (at >= line || line - at > kMaxCandidates || ++candidates > kMaxCandidates) continue;
        if (IndexSum::parse(text, match.str(2), at) == value) return match.str(1);
    }
    return "";
}

/// Looks for a condition that compares a row other than the stored one with `rows`.
LineMistake find_check_of_other_row(const Passage& passage, const std::string& text) {
    const int line = passage.store.line;
    const auto out = IndexSum::parse(text, find_matrix_index(text, line, "out").text, line);
    if (!out) return {};
    LineMistake mistake;
    for (const Condition& condition : find_conditions(text, line)) {
        for (const ComparisonTerm& term : condition.comparisons) {
            if (condition.is_exit || term.op != "<" || term.right_side != "rows") continue;
            const auto checked = IndexSum::parse(text, term.left_side, condition.line);
            if (!checked) return {};
            const IndexSum rest = (*out - *checked).without("rows");
            if (rest.is_constant() || out->without("rows") == *out) return {};
            const std::string name = find_name_of(out->without("rows"), text, line);
            const std::string row = name.empty() ? out->without("rows").format() : name;
            mistake = {condition.line,
                       "the condition checks the row " + add_backticks(term.left_side) +
                           ", but the row that is stored is " +
                           add_backticks(out->without("rows").format()) + ".",
                       "Check the row that is stored: " +
                           add_backticks(row + " >= 0 && " + row + " < rows") + "."};
        }
    }
    return mistake;
}

/// Looks for a loop that ends before it has filled the array. `details` names a byte of the array
/// that was read although no thread has written it.
LineMistake find_short_fill(const Passage& passage, const std::string& details,
                            const std::string& text) {
    static const TextPattern byte(R"(at byte ([\d,]+) of\s+shared)");
    static const TextPattern bound(R"(;\s*\w+\s*<\s*([^;]+);)");
    constexpr long long most_padding = 4;
    TextMatch match;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, passage.load.line);
    std::string details_line = details;
    std::replace(details_line.begin(), details_line.end(), '\n', ' ');
    if (!loop || loop->counter.empty() || !search(details_line, match, byte)) return {};
    std::string digits = match.str(1);
    std::erase(digits, ',');
    const long long element = std::stoll(digits.substr(0, 8)) / 4, width = passage.tile.lengths[1];
    const std::array<long long, 2> place = {element / width, element % width};
    const std::string header = code_on_line(text, loop->first_line);
    if (!search(header, match, bound)) return {};
    const auto end = constant_value(text, match.str(1));
    for (const std::size_t axis : {0U, 1U}) {
        const long long length = passage.tile.lengths[axis];
        const bool ends_early = end && *end <= place[axis] && *end + most_padding < length;
        if (passage.load.indices[axis] != loop->counter || !ends_early) continue;
        const std::string length_text = std::to_string(length);
        return {loop->first_line,
                "this loop fills only " + std::to_string(*end) + " of " + length_text +
                    " entries along " + (axis == 0 ? "the first" : "the second") + " axis of " +
                    add_backticks(passage.tile.name) + ": element [" + std::to_string(place[0]) +
                    "][" + std::to_string(place[1]) + "] is read on line " +
                    std::to_string(passage.store.line) + ", but no thread has written it.",
                "Let the loop go on to the end of the array: " +
                    add_backticks(loop->counter + " < " + length_text) +
                    ", written with the constants of the array's declaration."};
    }
    return {};
}

}  // namespace

LineMistake find_unfilled_row(const std::string& details, const std::string& text) {
    const Passage passage = find_passage(text);
    if (passage.load.line == 0 || passage.store.line == 0) return {};
    return first_mistake([&] { return find_short_fill(passage, details, text); },
                         [&] { return find_other_row(passage, text); },
                         [&] { return find_check_of_other_row(passage, text); });
}

}  // namespace coalesce
