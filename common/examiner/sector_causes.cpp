#include "examiner/line_rules.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// A term of a sum.
struct SignedTerm {
    bool is_subtracted = false;
    std::string text;
};

std::vector<SignedTerm> split_sum(const std::string& sum) {
    std::vector<SignedTerm> terms;
    for (const std::string& term : split_outside_brackets(sum, "+")) {
        const std::vector<std::string> parts = split_outside_brackets(term, "-");
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!parts[i].empty()) terms.push_back({i > 0, parts[i]});
        }
    }
    return terms;
}

/// Reports whether a name is that of a constant, such as LEAD.
bool is_constant_name(const std::string& name) {
    return !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

/// A store to `out` that begins some elements earlier than its tile.
struct MovedStore {
    int line = 0;      ///< line of the store
    int row_line = 0;  ///< line that computes the row
    int line_of_phase = 0;
    std::string phase = {};       ///< the variable that moves the start of the store
    std::string value = {};       ///< the value of `phase`
    std::string begin = {};       ///< index of the first element without the term `phase`
    bool is_phase_added = false;  ///< whether the row adds `phase` instead of subtracting it
};

/// Returns the value of a call to a function that only returns an expression of its only parameter:
/// `index % SECTOR` for `phase_of(index)`. Returns any other expression unchanged.
std::string inline_call(const std::string& text, const std::string& expression) {
    static const TextPattern call(R"(^\s*([a-z_]\w*)\s*\()");
    TextMatch match, definition;
    if (!search(expression, match, call)) return expression;
    const std::size_t opening_position = match_end(match) - 1,
                      closing_position = find_closing_bracket(expression, opening_position);
    if (closing_position + 1 != expression.size()) return expression;
    const TextPattern function("\\b" + match.str(1) +
                               R"(\s*\(\s*(?:const\s+)?(?:int|unsigned)\s+(\w+)\s*\)\s*\{)"
                               R"(\s*return\s+([^;{}]+);\s*\})");
    const std::string code = code_for_search(text);
    if (!search(code, definition, function)) return expression;
    const std::string argument =
        expression.substr(opening_position + 1, closing_position - opening_position - 1);
    const TextPattern parameter("\\b" + definition.str(1) + "\\b");
    const std::string value = definition.str(2);
    const std::vector<TextMatch> uses = find_matches(value, parameter);
    if (uses.size() != 1) return expression;
    return value.substr(0, match_offset(uses[0])) + "(" + argument + ")" +
           value.substr(match_end(uses[0]));
}

/// Replaces each variable that is a sum by the terms of the sum, and removes terms that cancel each
/// other.
std::vector<SignedTerm> flatten_sum(const std::string& text, const std::string& sum, int line) {
    std::vector<SignedTerm> terms = split_sum(sum);
    for (std::size_t i = 0; i < terms.size() && terms.size() <= kMaxCandidates;) {
        const SignedTerm term = terms[i];
        const bool is_variable = is_identifier(term.text) && !is_constant_name(term.text);
        const std::string value = is_variable ? assigned_value(text, term.text, line) : "";
        std::vector<SignedTerm> parts = split_sum(value);
        const bool is_moved = std::ranges::any_of(parts, [&](const SignedTerm& part) {
            return part.text == "LEAD" || part.text.find("threadIdx.x") != part.text.npos;
        });
        if (parts.size() < 2 || !is_moved) {
            ++i;
            continue;
        }
        for (SignedTerm& part : parts) part.is_subtracted ^= term.is_subtracted;
        terms.erase(terms.begin() + static_cast<long>(i));
        terms.insert(terms.begin() + static_cast<long>(i), parts.begin(), parts.end());
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto opposite = std::ranges::find_if(terms, [&](const SignedTerm& other) {
            return other.text == terms[i].text && other.is_subtracted != terms[i].is_subtracted;
        });
        if (opposite == terms.end()) continue;
        terms.erase(opposite);
        terms.erase(terms.begin() + static_cast<long>(i--));
        if (i + 1 > terms.size()) break;
    }
    return terms;
}

/// Returns the store on a line, or nothing if it is not moved by a variable.
std::optional<MovedStore> read_moved_store(const std::string& text, int line) {
    const MatrixIndex index = find_matrix_index(text, line, "out");
    if (index.pitch != "rows") return std::nullopt;
    MovedStore store{.line = line, .row_line = line};
    std::string row = index.inner_term;
    if (is_identifier(row)) {
        store.row_line = find_assignment_line(text, row, line);
        row = assigned_value(text, row, line);
    }
    store.begin =
        (is_identifier(index.outer_term) ? index.outer_term : "(" + index.outer_term + ")") +
        " * rows";
    const std::vector<SignedTerm> terms = flatten_sum(text, row, store.row_line);
    if (terms.size() > kMaxCandidates) return std::nullopt;
    for (const SignedTerm& term : terms) {
        const std::string value =
            is_identifier(term.text)
                ? inline_call(text, assigned_value(text, term.text, store.row_line))
                : "";
        if (contains_word(value, "SECTOR") || contains_word(value, "LEAD")) {
            store.phase = term.text;
            store.value = simplify_expression(value);
            store.line_of_phase = is_constant_name(term.text)
                                      ? store.row_line
                                      : find_assignment_line(text, term.text, store.row_line);
            store.is_phase_added = !term.is_subtracted;
        } else if (expand(text, term.text, store.row_line).find("threadIdx.x") ==
                   std::string::npos) {
            store.begin += (term.is_subtracted ? " - " : " + ") + term.text;
        }
    }
    return store.phase.empty() ? std::nullopt : std::optional(store);
}

std::optional<MovedStore> find_moved_store(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find("out[") == std::string::npos || ++candidates > kMaxCandidates) continue;
        if (auto store = read_moved_store(text, static_cast<int>(i) + 1)) return store;
    }
    return std::nullopt;
}

/// Reports whether the tile holds rows from before the block's first row.
bool loads_earlier_rows(const std::string& text) {
    static const TextPattern subtracted_lead(R"(-\s*LEAD\b)");
    return contains(code_for_search(text), subtracted_lead);
}

/// Looks for a store whose phase is added instead of subtracted, so that the store begins after the
/// first row of its tile.
LineMistake find_added_phase(const MovedStore& store, const std::string& text) {
    if (!store.is_phase_added || store.value.starts_with("-") || !loads_earlier_rows(text))
        return {};
    return {store.row_line,
            add_backticks(store.phase) +
                " is added here, so the store begins after the first row of the tile and ends "
                "beyond its last row. The array has LEAD extra rows before the tile, but none "
                "after it.",
            "Start the store earlier, at the sector in which the tile begins: subtract the "
            "distance from the beginning of that sector."};
}

/// Looks for a condition that leaves out the lanes before the first row of the tile. These lanes
/// store the last rows of the tile above.
LineMistake find_lanes_left_out(const MovedStore& store, const std::string& text) {
    for (const Condition& condition : find_conditions(text, store.line)) {
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool is_phase_right = term.right_side == store.phase;
            if (!is_phase_right && term.left_side != store.phase) continue;
            const std::string lane = is_phase_right ? term.left_side : term.right_side;
            const bool is_lane =
                expand(text, lane, condition.line).find("threadIdx.x") != std::string::npos;
            if (!is_lane || !contains_word(condition.text, store.phase)) continue;
            return {
                condition.line,
                add_backticks(condition.text) +
                    " leaves out the lanes before the first row of "
                    "the tile in every tile: they should store rows of the tile above, which no "
                    "other block stores.",
                "Leave out only rows that do not exist: those below 0, and those from `rows` "
                "on."};
        }
    }
    return {};
}

LineMistake find_wrong_phase(const MovedStore& store, const std::string& text) {
    const auto make_mistake = [&](const std::string& complaint) -> LineMistake {
        return {store.line_of_phase,
                add_backticks(store.phase) + " " + complaint + ", but the store on line " +
                    std::to_string(store.line) + " begins at element " +
                    add_backticks(simplify_expression(store.begin)) + " of `out`.",
                add_backticks(store.phase) +
                    " is the distance of that element from the beginning of its sector: its index "
                    "modulo SECTOR."};
    };
    const auto value = constant_value(text, store.value);
    if (value && is_constant_name(store.phase)) {
        return {store.line_of_phase,
                "every row of `out` is stored " + std::to_string(*value) +
                    " elements early, but the distance from the beginning of the sector differs "
                    "from row to row.",
                "The first row of the tile is element " +
                    add_backticks(simplify_expression(store.begin)) +
                    " of `out`: begin that index modulo SECTOR elements early."};
    }
    if (value) return make_mistake("is " + std::to_string(*value) + " for every row");
    const std::vector<std::string> parts = split_outside_brackets(store.value, "%");
    if (parts.size() != 2 || parts[1] != "SECTOR") return {};
    const std::string dividend = simplify_expression(parts[0]);
    const auto dividend_sum = IndexSum::parse(text, dividend, store.line_of_phase),
               begin_sum = IndexSum::parse(text, store.begin, store.line);
    const auto sector = constant_value(text, "SECTOR");
    if (!dividend_sum || !begin_sum || !sector || *sector < 1 ||
        (*dividend_sum - *begin_sum).is_multiple_of(text, *sector))
        return {};
    if (*begin_sum + *begin_sum + *begin_sum + *begin_sum == *dividend_sum)
        return {store.line_of_phase,
                add_backticks(dividend) + " counts bytes, but SECTOR counts elements.",
                "Drop the factor: an index modulo SECTOR already counts elements."};
    return make_mistake("is computed from " + add_backticks(dividend));
}

/// Returns the first index of the access to the tile on a line, or "" if there is none.
std::string first_index(const std::string& code, const std::string& tile) {
    const std::size_t at = find_word(code, tile);
    if (at == code.npos || code.compare(at + tile.size(), 1, "[") != 0) return "";
    const std::size_t opening_position = at + tile.size();
    return trimmed(code.substr(
        opening_position + 1, find_closing_bracket(code, opening_position) - opening_position - 1));
}

/// Looks for a store that assumes that the tile starts at a row other than the one from which the
/// tile was loaded.
LineMistake find_other_first_row(const std::string& text) {
    const SharedArray tile = find_shared_array(text, 0);
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    std::optional<IndexSum> origin;
    int load = 0, candidates = 0;
    for (std::size_t i = 0; i < lines.size() && !tile.name.empty(); ++i) {
        const int line = static_cast<int>(i) + 1;
        const std::string index = first_index(lines[i], tile.name);
        if (index.empty() || ++candidates > kMaxCandidates) continue;
        const auto tile_row_sum = IndexSum::parse(text, index, line);
        if (!tile_row_sum) continue;
        if (lines[i].find("in[") != std::string::npos) {
            const auto row =
                IndexSum::parse(text, find_matrix_index(text, line, "in").outer_term, line);
            if (row) origin = *row - *tile_row_sum;
            load = line;
        }
        if (!origin || lines[i].find("out[") == std::string::npos) continue;
        for (const Condition& condition : find_conditions(text, line)) {
            for (const ComparisonTerm& term : condition.comparisons) {
                if (term.op != "<" || term.right_side != "rows" || ++candidates > kMaxCandidates)
                    continue;
                const auto row = IndexSum::parse(text, term.left_side, line);
                if (!row) continue;
                const IndexSum row_difference = *row - *tile_row_sum - *origin;
                if (row_difference.is_zero() || !row_difference.is_constant()) continue;
                return {line,
                        "row 0 of " + add_backticks(tile.name) + " is row " +
                            add_backticks(origin->format()) + " of the matrix (line " +
                            std::to_string(load) + "), but " + add_backticks(index) +
                            " counts its rows from a different origin.",
                        "The two origins differ by " + row_difference.format() + ": where is row " +
                            add_backticks(term.left_side) + " in the tile?"};
            }
        }
    }
    return {};
}

/// Looks for a number of elements that is the remainder of an address, which counts bytes.
LineMistake find_remainder_of_address(const std::string& text) {
    static const TextPattern remainder(
        R"(\b(\w+)\s*=\s*([^;=]*\b(?:size_t|uintptr_t|uint64_t|long)\b[^;=/]*)%\s*(\w+)\s*;)");
    constexpr long long floats_of_sector = 8;
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, remainder)) return {};
    const std::string name = match.str(1);
    const TextPattern subtraction("-\\s*" + name + "\\b");
    if (constant_value(text, match.str(3)) != floats_of_sector || !contains(code, subtraction))
        return {};
    return {line_of_match(code, match),
            "an address counts bytes, but " + add_backticks(name) + " is the remainder modulo " +
                match.str(3) + ", the number of floats in a sector, and counts elements.",
            "Divide the address by sizeof(float) before you take the remainder; or take the "
            "element's index in `out` instead of its address."};
}

/// Looks for a condition that leaves out the lanes before a sector boundary, although the store
/// does not begin earlier.
LineMistake find_skipped_lanes(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        if (lines[i].find("out[") == std::string::npos || ++candidates > kMaxCandidates) continue;
        for (const Condition& condition : find_conditions(text, line)) {
            for (const ComparisonTerm& term : condition.comparisons) {
                const std::string lane = simplify_expression(term.left_side),
                                  value = assigned_value(text, term.right_side, condition.line);
                const bool is_lane =
                    simplify_expression(expand(text, lane, condition.line)) == "threadIdx.x";
                if (condition.is_exit || term.op != ">=" || !is_lane ||
                    split_outside_brackets(value, "%").size() != 2)
                    continue;
                const std::string phase = add_backticks(term.right_side);
                return {condition.line,
                        add_backticks(term.left_side + " >= " + term.right_side) +
                            " leaves out the first " + phase +
                            " elements of each row of the tile, and no other block stores them.",
                        "Leave no lanes out. To begin a store " + phase +
                            " elements earlier, subtract " + phase +
                            " from its row and from the index of the tile."};
            }
        }
    }
    return {};
}

}  // namespace

LineMistake find_sector_mistake(const std::string& text) {
    if (const LineMistake mistake = find_remainder_of_address(text); mistake.line > 0)
        return mistake;
    if (!constant_value(text, "SECTOR")) return {};
    const auto store = find_moved_store(text);
    if (!store) {
        return first_mistake([&] { return find_skipped_lanes(text); },
                             [&] { return find_other_first_row(text); });
    }
    return first_mistake([&] { return find_added_phase(*store, text); },
                         [&] { return find_lanes_left_out(*store, text); },
                         [&] { return find_wrong_phase(*store, text); });
}

}  // namespace coalesce
