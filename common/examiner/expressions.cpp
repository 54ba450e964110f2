#include "examiner/expressions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "examiner/matches.h"

namespace coalesce {
namespace {

bool is_bracketed(const std::string& text) {
    return text.size() > 1 && text.front() == '(' &&
           find_closing_bracket(text, 0) == text.size() - 1;
}

/// Parses a comparison and moves the bound to the right-hand side: `0 <= row` becomes `row >= 0`.
std::optional<ComparisonTerm> parse_comparison(const std::string& text) {
    static constexpr std::array<std::string_view, 6> operators = {"<=", ">=", "!=", "==", "<", ">"};
    for (const std::string_view op : operators) {
        const std::size_t at = text.find(op);
        if (at == text.npos) continue;
        return ComparisonTerm{simplify_expression(text.substr(0, at)), std::string(op),
                              simplify_expression(text.substr(at + op.size()))};
    }
    return std::nullopt;
}

std::vector<ComparisonTerm> parse_comparisons(const std::string& condition) {
    std::vector<ComparisonTerm> terms;
    for (const std::string& part : split_outside_brackets(condition, "||")) {
        for (const std::string& term : split_outside_brackets(part, "&&")) {
            if (auto comparison = parse_comparison(term)) terms.push_back(std::move(*comparison));
        }
    }
    return terms;
}

/// The statement that follows a condition.
struct StatementBody {
    /// offsets of the body's first character and of the end of the body
    std::size_t begin = 0, end = 0;
};

StatementBody find_body(const std::string& code, std::size_t after_condition) {
    const std::size_t begin =
        std::min(code.find_first_not_of(" \t\r\n", after_condition), code.size());
    if (begin < code.size() && code[begin] == '{')
        return {begin + 1, find_closing_bracket(code, begin)};
    std::size_t end = code.find_first_of(";{", begin);
    if (end != code.npos && code[end] == '{') end = find_closing_bracket(code, end);
    return {begin, end == code.npos ? code.size() : end};
}

/// Returns the offset just after the last non-blank character of a line. Blanked-out comments leave
/// blanks at the end of a line.
std::size_t end_of_line(const std::string& code, int line) {
    std::size_t at = 0;
    for (; line > 0 && at != code.npos; --line) at = code.find('\n', at) + (line > 1);
    at = std::min(at, code.size());
    while (at > 0 && code[at - 1] == ' ') --at;
    return at;
}

}  // namespace

std::vector<std::string> split_outside_brackets(const std::string& text,
                                                const std::string& separator) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '(' || text[at] == '[';
        depth -= text[at] == ')' || text[at] == ']';
        if (depth == 0 && text.compare(at, separator.size(), separator) == 0) {
            parts.emplace_back();
            at += separator.size() - 1;
        } else {
            parts.back() += text[at];
        }
    }
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}

std::string simplify_expression(std::string expression) {
    expression = trimmed(expression);
    for (const std::string_view cast : {"int(", "unsigned("}) {
        if (expression.starts_with(cast) && expression.ends_with(")") &&
            is_bracketed(expression.substr(cast.size() - 1)))
            expression = expression.substr(cast.size() - 1);
    }
    while (is_bracketed(expression)) {
        expression = trimmed(expression.substr(1, expression.size() - 2));
    }
    return expression;
}

std::vector<Condition> find_conditions(const std::string& text, int line) {
    static const TextPattern keyword(R"(\bif\s*\()");
    const std::string code = code_for_search(text);
    const std::size_t target = end_of_line(code, line);
    const std::vector<Loop> loops = find_loops(text);
    std::vector<Condition> conditions;
    for (const TextMatch& match : find_matches(code, keyword)) {
        const std::size_t opening_position = match_end(match) - 1,
                          closing_position = find_closing_bracket(code, opening_position);
        const StatementBody body = find_body(code, closing_position + 1);
        if (match_offset(match) > target) break;
        const std::string statement = trimmed(code.substr(body.begin, body.end - body.begin));
        const bool is_early_exit = statement.starts_with("return") ||
                                   statement.starts_with("break") ||
                                   statement.starts_with("continue");
        const bool contains_line = body.begin <= target && body.end + 1 >= target;
        const bool is_empty = statement.empty() && body.begin < code.size();
        // A check that precedes the access in the file may belong to another function.
        const bool is_same_function =
            code.substr(match_offset(match), target - match_offset(match)).find("\n}") ==
            std::string::npos;
        if (!is_same_function || (!contains_line && !is_early_exit && !is_empty)) continue;
        const int at = line_of_match(code, match);
        conditions.push_back({.line = at,
                              .text = trimmed(code.substr(opening_position + 1,
                                                          closing_position - opening_position - 1)),
                              .is_exit = is_early_exit && !(contains_line && line > at + 1),
                              .returns = statement.starts_with("return"),
                              .is_in_loop = find_innermost_loop(loops, at) != nullptr,
                              .is_empty = is_empty});
        conditions.back().comparison_line = at;
        conditions.back().comparisons = parse_comparisons(conditions.back().text);
        if (is_identifier(conditions.back().text)) {
            // The condition is in a variable, as in `bool inside = row < rows && col < cols`.
            const std::string value = assigned_value(text, conditions.back().text, at);
            const int assignment_line = find_assignment_line(text, conditions.back().text, at);
            const std::vector<ComparisonTerm> comparisons = parse_comparisons(value);
            if (assignment_line > 0 && !comparisons.empty()) {
                conditions.back().comparison_line = assignment_line;
                conditions.back().text = value;
                conditions.back().comparisons = comparisons;
            }
        }
    }
    return conditions;
}

std::vector<Condition> find_conditions_of_else(const std::string& text, int line) {
    static const TextPattern keyword(R"(\bif\s*\()");
    const std::string code = code_for_search(text);
    const std::size_t target = end_of_line(code, line);
    std::vector<Condition> conditions;
    for (const TextMatch& match : find_matches(code, keyword)) {
        const std::size_t opening_position = match_end(match) - 1,
                          closing_position = find_closing_bracket(code, opening_position);
        const StatementBody body = find_body(code, closing_position + 1);
        if (match_offset(match) > target) break;
        const std::size_t next_position =
            code.find_first_not_of(" \t\r\n", std::min(body.end + 1, code.size()));
        if (next_position == code.npos || code.compare(next_position, 4, "else") != 0) continue;
        const StatementBody else_body = find_body(code, next_position + 4);
        if (else_body.begin > target || else_body.end + 1 < target) continue;
        conditions.push_back({.line = line_of_match(code, match),
                              .text = trimmed(code.substr(
                                  opening_position + 1, closing_position - opening_position - 1))});
        conditions.back().comparisons = parse_comparisons(conditions.back().text);
    }
    return conditions;
}

MatrixIndex find_matrix_index(const std::string& text, int line, const std::string& matrix) {
    const std::string code = code_on_line(text, line);
    const TextPattern access("\\b" + matrix + R"(\s*\[)");
    TextMatch match;
    if (!search(code, match, access)) return {};
    const std::size_t opening_position = match_end(match) - 1;
    const std::size_t closing_position = find_closing_bracket(code, opening_position);
    MatrixIndex index{.text = trimmed(code.substr(opening_position + 1,
                                                  closing_position - opening_position - 1))};
    std::string inner_term;
    for (const std::string& term : split_outside_brackets(index.text, "+")) {
        const std::vector<std::string> factors = split_outside_brackets(term, "*");
        if (factors.size() == 2 && index.pitch.empty()) {
            const bool is_first = factors[0] == "rows" || factors[0] == "cols";
            index.outer_term = simplify_expression(factors[is_first ? 1 : 0]);
            index.pitch = simplify_expression(factors[is_first ? 0 : 1]);
        } else {
            inner_term += (inner_term.empty() ? "" : " + ") + term;
        }
    }
    if (index.pitch.empty() || inner_term.empty()) return {.text = index.text};
    index.inner_term = simplify_expression(inner_term);
    return index;
}

namespace {

/// A value that is assigned to a variable.
struct AssignedValue {
    std::string value;
    int line = 0;  ///< 0: no assignment was found
};

AssignedValue find_assigned_value(const std::string& code, const std::string& variable, int line) {
    const TextPattern assignment("\\b" + variable + R"(\s*([+-]?)=([^=;][^;]*);)");
    AssignedValue last_assignment;
    for (const TextMatch& match : find_matches(code, assignment)) {
        const int at = line_of_match(code, match);
        if (at >= line) break;
        const std::size_t begin = match_offset(match);
        const bool is_member = begin > 0 && code[begin - 1] == '.';
        if (is_member) continue;
        // A declaration such as `int row = 1, col = 2;` assigns several values.
        const std::string value = split_outside_brackets(match.str(2), ",").front();
        if (match.str(1).empty()) last_assignment = {value, at};
    }
    return last_assignment;
}

bool is_counter(const std::vector<Loop>& loops, const std::string& name) {
    return std::ranges::any_of(loops, [&](const Loop& loop) { return loop.counter == name; });
}

}  // namespace

int find_assignment_line(const std::string& text, const std::string& variable, int line) {
    return find_assigned_value(code_for_search(text), variable, line).line;
}

std::string assigned_value(const std::string& text, const std::string& variable, int line) {
    return find_assigned_value(code_for_search(text), variable, line).value;
}

namespace {

/// Expands expressions. Each variable in a value is looked up before the line of that value.
class Expander {
public:
    explicit Expander(const std::string& text)
        : code_(code_for_search(text)), loops_(find_loops(text)) {}

    std::string expand(const std::string& expression, int line, int depth = 0) {
        static const TextPattern name(R"(\b[A-Za-z_]\w*(?:\.\w+)?)");
        constexpr int max_depth = 4;
        constexpr std::size_t longest = 600;
        if (depth == max_depth || expression.size() >= longest) return expression;
        std::string expanded;
        std::size_t copied_length = 0;
        for (const TextMatch& match : find_matches(expression, name)) {
            const std::string word = match.str();
            if (word.find('.') != word.npos || is_counter(loops_, word)) continue;
            if (lookups_ == kMaxLookups || length_ >= longest) break;
            ++lookups_;
            const AssignedValue value = find_assigned_value(code_, word, line);
            if (value.line == 0) continue;
            length_ += value.value.size();
            expanded += expression.substr(copied_length, match_offset(match) - copied_length) +
                        "(" + expand(value.value, value.line, depth + 1) + ")";
            copied_length = match_end(match);
        }
        return expanded + expression.substr(copied_length);
    }

private:
    /// The text is untrusted, so the number of searches is limited.
    static constexpr int kMaxLookups = 64;

    const std::string code_;
    const std::vector<Loop> loops_;
    int lookups_ = 0;
    std::size_t length_ = 0;  ///< length of all values that were inserted
};

}  // namespace

std::string expand(const std::string& text, const std::string& expression, int line) {
    return Expander(text).expand(expression, line);
}

}  // namespace coalesce
