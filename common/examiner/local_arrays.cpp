// Finds the local arrays of threads in the text of a kernel, and the largest index with which each
// array is accessed.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_value.h"
#include "examiner/matches.h"

namespace coalesce {
namespace {

using NamedValues = std::map<std::string, long long>;

/// Evaluates an integer expression with the operators + - * / % ^, numbers, names and parentheses.
/// The text is untrusted, so the size of numbers and the nesting of parentheses are limited. No
/// realistic index reaches these limits.
class IndexExpressionParser {
public:
    IndexExpressionParser(const std::string& expression, const NamedValues& names)
        : text_(expression), values_(names) {}

    /// Returns the value, or nothing if the text is not an integer expression or contains an
    /// unknown name.
    std::optional<long long> value() {
        const long long result = bits();
        skip_blanks();
        return is_valid_ && position_ == text_.size() ? std::optional(result) : std::nullopt;
    }

private:
    void skip_blanks() {
        while (position_ < text_.size() &&
               std::isspace(static_cast<unsigned char>(text_[position_])))
            ++position_;
    }
    /// Consumes and returns the next character if it is one of `accepted_characters`. Otherwise
    /// returns 0.
    char accept(const std::string& accepted_characters) {
        skip_blanks();
        if (position_ == text_.size() ||
            accepted_characters.find(text_[position_]) == accepted_characters.npos)
            return '\0';
        return text_[position_++];
    }
    /// Evaluates ^, the only bit operator that swizzles need.
    long long bits() {
        long long result = sum();
        while (accept("^")) result ^= sum();
        return result;
    }
    long long sum() {
        long long result = product();
        while (const char sign = accept("+-")) {
            const long long next_factor = product();
            result = limit_value(sign == '+' ? result + next_factor : result - next_factor);
        }
        return result;
    }
    long long product() {
        long long result = factor();
        while (const char sign = accept("*/%")) {
            const long long next_factor = factor();
            is_valid_ &= sign == '*' || next_factor != 0;
            if (!is_valid_) return 0;
            result = limit_value(sign == '*'   ? result * next_factor
                                 : sign == '/' ? result / next_factor
                                               : result % next_factor);
        }
        return result;
    }
    /// Returns the number if it is small enough that no operation on two such numbers overflows.
    /// Otherwise marks the expression as having no value.
    long long limit_value(long long number) {
        constexpr long long limit = 1LL << 30;
        is_valid_ &= number >= -limit && number <= limit;
        return is_valid_ ? number : 0;
    }
    long long factor() {
        constexpr int max_depth = 64;
        if (accept("(")) {
            is_valid_ &= ++depth_ <= max_depth;
            const long long result = is_valid_ ? bits() : 0;
            --depth_;
            is_valid_ &= accept(")") != '\0';
            return result;
        }
        const std::size_t begin = position_;
        while (
            position_ < text_.size() &&
            (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_'))
            ++position_;
        return evaluate_word(text_.substr(begin, position_ - begin));
    }
    long long evaluate_word(const std::string& word) {
        constexpr std::size_t max_digits = 9;
        const bool is_number = !word.empty() && word.size() <= max_digits &&
                               word.find_first_not_of("0123456789") == word.npos;
        if (is_number) return std::stoll(word);
        if (word == "sizeof") return size_of_type();
        const auto value_entry = values_.find(word);
        is_valid_ &= value_entry != values_.end();
        return is_valid_ ? value_entry->second : 0;
    }

    /// Evaluates the parentheses after sizeof. The value of a larger expression is unknown.
    long long size_of_type() {
        constexpr std::pair<const char*, long long> sizes[] = {
            {"(float)", 4}, {"(int)", 4}, {"(unsigned)", 4}, {"(float2)", 8}, {"(float4)", 16}};
        for (const auto& [type, size] : sizes) {
            if (text_.compare(position_, std::string_view(type).size(), type) != 0) continue;
            position_ += std::string_view(type).size();
            return size;
        }
        is_valid_ = false;
        return 0;
    }

    const std::string& text_;
    const NamedValues& values_;
    std::size_t position_ = 0;
    int depth_ = 0;
    bool is_valid_ = true;
};

std::optional<long long> evaluate_word(const std::string& text, const NamedValues& values) {
    return IndexExpressionParser(text, values).value();
}

/// Returns the constants defined by declarations such as `constexpr int TILE_DIM = 32, BLOCK_ROWS =
/// 8;`.
NamedValues find_constants(const std::string& code) {
    static const TextPattern declaration(R"(\bconst(?:expr)?\s+(?:int|unsigned)\s+([^;{}]*);)");
    static const TextPattern part(R"((\w+)\s*=\s*([^,]*))");
    NamedValues values;
    for (const TextMatch& inner_match : find_matches(code, declaration)) {
        const std::string declarators = inner_match.str(1);
        for (const TextMatch& match : find_matches(declarators, part)) {
            if (const auto value = evaluate_word(match.str(2), values))
                values[match.str(1)] = *value;
        }
    }
    return values;
}

/// A counting loop, and the value of its counter in the last iteration.
struct CountingLoop {
    int first_line, last_line;
    std::string name;
    long long last_value;
    long long first_value, step;
};

std::vector<CountingLoop> find_counting_loops(const std::string& code,
                                              const NamedValues& constants) {
    static const TextPattern header(
        R"(\bfor\s*\(\s*(?:int|unsigned)\s+(\w+)\s*=\s*([^;]*);\s*(\w+)\s*(<=?)\s*([^;]*);\s*)"
        R"((?:\+\+\s*(\w+)|(\w+)\s*\+\+|(\w+)\s*\+=\s*([^){;]*))\))");
    const std::vector<Loop> loops = find_loops(code);
    std::vector<CountingLoop> counting_loops;
    for (const TextMatch& match : find_matches(code, header)) {
        const std::string name = match.str(1),
                          step_text = match.str(6) + match.str(7) + match.str(8);
        if (match.str(3) != name || step_text != name) continue;
        const int line = line_of_match(code, match);
        const Loop* loop = find_innermost_loop(loops, line);
        const auto begin = evaluate_word(match.str(2), constants),
                   end = evaluate_word(match.str(5), constants);
        const auto step = match[9].matched ? evaluate_word(match.str(9), constants) : 1;
        if (!loop || loop->first_line != line || !begin || !end || !step || *step < 1) continue;
        const long long last_value = *end - (match.str(4) == "<" ? 1 : 0);
        if (last_value < *begin) continue;
        counting_loops.push_back({line, loop->last_line, name,
                                  *begin + (last_value - *begin) / *step * *step, *begin, *step});
    }
    return counting_loops;
}

/// Returns the lengths of all one-dimensional arrays that are not in shared memory.
NamedValues find_arrays(const std::string& code, const NamedValues& constants) {
    static const TextPattern array(R"([;{}]\s*([\w\s]*?)\b(\w+)\s*\[([^\]=;]*)\]\s*(?:;|=|\{))");
    static const TextPattern type(R"((?:const\s+)?(?:float|int|unsigned|double)[234]?\s*)");
    NamedValues arrays;
    for (const TextMatch& inner_match : find_matches(code, array)) {
        const std::string declared_text = inner_match.str(1);
        TextMatch match;
        if (!match_whole(declared_text, match, type)) continue;
        if (const auto length = evaluate_word(inner_match.str(3), constants))
            arrays[inner_match.str(2)] = *length;
    }
    return arrays;
}

/// Returns the constants, and for each loop that contains the line, the value of its counter in the
/// last iteration.
NamedValues values_in_last_iteration(const NamedValues& constants,
                                     const std::vector<CountingLoop>& loops, int line) {
    NamedValues values = constants;
    for (const CountingLoop& loop : loops) {
        if (line >= loop.first_line && line <= loop.last_line) values[loop.name] = loop.last_value;
    }
    return values;
}

/// Reports whether the code contains an `if` that compares a loop's counter with a bound.
bool has_bounds_check(const std::string& code, const std::vector<CountingLoop>& loops) {
    static const TextPattern guard(R"(\bif\s*\(\s*(\w+)\s*[<>=!])");
    std::set<std::string> counters;
    for (const CountingLoop& loop : loops) counters.insert(loop.name);
    return std::ranges::any_of(find_matches(code, guard), [&](const TextMatch& match) {
        return counters.contains(match.str(1));
    });
}

/// Matches an access such as values[k].
const TextPattern& access_pattern() {
    static const TextPattern access(R"(\b(\w+)\s*\[([^\[\]]*)\])");
    return access;
}

}  // namespace

ArrayOverrun find_array_overrun(const std::string& text) {
    const std::string code = code_for_search(text);
    const NamedValues constants = find_constants(code);
    const NamedValues arrays = find_arrays(code, constants);
    const std::vector<CountingLoop> loops = find_counting_loops(code, constants);
    if (arrays.empty() || has_bounds_check(code, loops)) return {};
    for (const TextMatch& match : find_matches(code, access_pattern())) {
        const auto array = arrays.find(match.str(1));
        if (array == arrays.end()) continue;
        const int line = line_of_match(code, match);
        const auto index =
            evaluate_word(match.str(2), values_in_last_iteration(constants, loops, line));
        // The declaration of an array resembles an access to the element after the last one.
        const bool is_declared = evaluate_word(match.str(2), constants) == array->second;
        if (index && *index >= array->second && !is_declared)
            return {line, match.str(1), array->second, match.str(2), *index};
    }
    return {};
}

LocalArray find_local_array(const std::string& text, int line) {
    const std::string code = code_for_search(text);
    const NamedValues arrays = find_arrays(code, find_constants(code));
    for (const TextMatch& match : find_matches(code, access_pattern())) {
        const auto array_entry = arrays.find(match.str(1));
        if (array_entry != arrays.end() && line_of_match(code, match) == line)
            return {array_entry->first, array_entry->second};
    }
    return {};
}

std::optional<long long> constant_value(const std::string& text, const std::string& expression) {
    return evaluate_word(expression, find_constants(code_for_search(text)));
}

std::set<long long> values_of_index(const std::string& text, const std::string& index, int line) {
    constexpr long long max_passes = 256;
    const std::string code = code_for_search(text);
    const NamedValues constants = find_constants(code);
    const std::vector<CountingLoop> loops = find_counting_loops(code, constants);
    std::set<long long> index_values;
    for (const CountingLoop& loop : loops) {
        if (line < loop.first_line || line > loop.last_line) continue;
        for (long long pass = 0; pass < max_passes; ++pass) {
            NamedValues values = values_in_last_iteration(constants, loops, line);
            values[loop.name] = loop.first_value + pass * loop.step;
            if (values[loop.name] > loop.last_value) break;
            const auto value = evaluate_word(index, values);
            if (!value) return {};
            index_values.insert(*value);
        }
    }
    return index_values;
}

int find_constant_line(const std::string& text, const std::string& name) {
    const TextPattern definition("\\b" + name + R"(\s*=[^=])");
    const std::string code = code_for_search(text);
    TextMatch match;
    return search(code, match, definition) ? line_of_match(code, match) : 0;
}

namespace {

/// Returns the body of a function with the arguments of a call in place of its parameters, or "" if
/// the arguments do not fit.
std::string inline_body(std::string body, const std::string& parameters,
                        const std::string& arguments) {
    static const TextPattern parameter(R"((\w+)\s*$)");
    constexpr std::size_t longest = 400;
    const std::vector<std::string> values = split_outside_brackets(arguments, ","),
                                   names = split_outside_brackets(parameters, ",");
    if (values.size() != names.size()) return "";
    const auto replace_all = [&](const std::string& word, const std::string& value) {
        for (std::size_t at = find_word(body, word); at != body.npos && body.size() < longest;
             at = find_word(body, word, at + value.size()))
            body.replace(at, word.size(), value);
    };
    // An argument may contain the name of a later parameter, so all parameters are renamed first.
    const auto placeholder = [](std::size_t i) { return "argument_" + std::to_string(i) + "_"; };
    for (std::size_t i = 0; i < names.size(); ++i) {
        TextMatch name;
        if (!search(names[i], name, parameter)) return "";
        replace_all(name.str(1), placeholder(i));
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        replace_all(placeholder(i), "(" + values[i] + ")");
    return body;
}

/// Inlines calls to ceil_div, and to those functions and lambdas of the file that consist of one
/// return statement.
std::string inline_calls(const std::string& code, std::string expression) {
    static const TextPattern function(
        R"(\b(?:int|unsigned)\s+(\w+)\s*\(([^(){}]*)\)\s*\{\s*return\s+([^;{}]*);\s*\})");
    static const TextPattern lambda(
        R"(\bauto\s+(\w+)\s*=\s*\[[^\]]*\]\s*\(([^(){}]*)\)\s*\{\s*return\s+([^;{}]*);\s*\})");
    if (expression.find('(') == expression.npos) return expression;
    const std::string functions =
        code + "\nint ceil_div(int a, int b) { return (a + b - 1) / b; }\n";
    for (const TextPattern* definition : {&function, &lambda}) {
        for (const TextMatch& match : find_matches(functions, *definition)) {
            const std::size_t at = find_word(expression, match.str(1));
            if (at == expression.npos) continue;
            const std::size_t opening_position = at + match.str(1).size();
            if (opening_position >= expression.size() || expression[opening_position] != '(')
                continue;
            const std::size_t closing_position = find_closing_bracket(expression, opening_position);
            if (closing_position >= expression.size()) return "";
            const std::string body = inline_body(
                match.str(3), match.str(2),
                expression.substr(opening_position + 1, closing_position - opening_position - 1));
            if (body.empty()) return "";
            expression = expression.substr(0, at) + "(" + body + ")" +
                         expression.substr(closing_position + 1);
        }
    }
    return expression;
}

}  // namespace

IndexExpression::IndexExpression(const std::string& text, const std::string& expression, int line) {
    const std::string code = code_for_search(text);
    expanded_ = inline_calls(code, expand(text, inline_calls(code, expression), line));
    constants_ = find_constants(code);
}

std::optional<long long> IndexExpression::value(
    const std::map<std::string, long long>& values) const {
    std::string index = expanded_;
    for (const auto& [name, value] : values) {
        for (std::size_t at = find_word(index, name); at != index.npos;
             at = find_word(index, name, at))
            index.replace(at, name.size(), std::to_string(value));
    }
    return evaluate_word(index, constants_);
}

std::optional<long long> index_value(const std::string& text, const std::string& expression,
                                     int line, std::map<std::string, long long> values) {
    return IndexExpression(text, expression, line).value(values);
}

std::vector<SharedArray> list_shared_arrays(const std::string& text) {
    static const TextPattern array(R"(\b__shared__[^;{}]*?\b(\w+)\s*((?:\[[^\];]*\]\s*)+);)");
    static const TextPattern dimension(R"(\[([^\]]*)\])");
    const std::string code = code_for_search(text);
    const NamedValues constants = find_constants(code);
    std::vector<SharedArray> arrays;
    for (const TextMatch& inner_match : find_matches(code, array)) {
        SharedArray& shared = arrays.emplace_back(
            SharedArray{.name = inner_match.str(1), .line = line_of_match(code, inner_match)});
        const std::string dimensions = inner_match.str(2);
        for (const TextMatch& match : find_matches(dimensions, dimension)) {
            const auto length = evaluate_word(match.str(1), constants);
            if (!length) {
                shared.lengths.clear();
                break;
            }
            shared.lengths.push_back(*length);
        }
    }
    return arrays;
}

int find_store_of_unread_array(const std::string& text, const std::string& array) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    int store_line = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t at = find_word(lines[i], array);
        if (at == lines[i].npos || lines[i].find("__shared__") != lines[i].npos) continue;
        const std::size_t equals = lines[i].find(" = ");
        const bool is_store = equals != std::string::npos && at < equals &&
                              lines[i].compare(at + array.size(), 1, "[") == 0;
        if (!is_store || find_word(lines[i], array, equals) != std::string::npos) return 0;
        store_line = static_cast<int>(i) + 1;
    }
    return store_line;
}

SharedArray find_shared_array(const std::string& text, int line) {
    const std::string code = code_on_line(text, line);
    for (const SharedArray& array : list_shared_arrays(text)) {
        if (line > 0 && !contains_word(code, array.name)) continue;
        return array.lengths.empty() ? SharedArray{} : array;
    }
    return {};
}

int find_loop_that_runs_once_too_often(const std::string& text, int line) {
    static const TextPattern header(R"(\bfor\s*\([^;]*;[^;]*<=\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(code);
    const NamedValues constants = find_constants(code);
    for (const TextMatch& match : find_matches(code, header)) {
        const int first_match = line_of_match(code, match);
        const bool is_line_in_loop = std::ranges::any_of(loops, [&](const Loop& loop) {
            return loop.first_line == first_match && line >= first_match && line <= loop.last_line;
        });
        if (is_line_in_loop && constants.contains(match.str(1))) return first_match;
    }
    return 0;
}

}  // namespace coalesce
