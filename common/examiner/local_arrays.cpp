// Finds the local arrays of threads in the text of a kernel, and the largest index with which each
// array is accessed.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "examiner/expressions.h"
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
        const long long found = bits();
        skip_blanks();
        return is_good_ && position_ == text_.size() ? std::optional(found) : std::nullopt;
    }

private:
    void skip_blanks() {
        while (position_ < text_.size() &&
               std::isspace(static_cast<unsigned char>(text_[position_])))
            ++position_;
    }
    /// Consumes and returns the next character if it is one of `wanted`. Otherwise returns 0.
    char accept(const std::string& wanted) {
        skip_blanks();
        if (position_ == text_.size() || wanted.find(text_[position_]) == wanted.npos) return '\0';
        return text_[position_++];
    }
    /// Evaluates ^, the only bit operator that swizzles need.
    long long bits() {
        long long found = sum();
        while (accept("^")) found ^= sum();
        return found;
    }
    long long sum() {
        long long found = product();
        while (const char sign = accept("+-")) {
            const long long next = product();
            found = limited(sign == '+' ? found + next : found - next);
        }
        return found;
    }
    long long product() {
        long long found = factor();
        while (const char sign = accept("*/%")) {
            const long long next = factor();
            is_good_ &= sign == '*' || next != 0;
            if (!is_good_) return 0;
            found = limited(sign == '*' ? found * next : sign == '/' ? found / next : found % next);
        }
        return found;
    }
    /// Returns the number if it is small enough that no operation on two such numbers overflows.
    /// Otherwise marks the expression as having no value.
    long long limited(long long number) {
        constexpr long long limit = 1LL << 30;
        is_good_ &= number >= -limit && number <= limit;
        return is_good_ ? number : 0;
    }
    long long factor() {
        constexpr int most_depth = 64;
        if (accept("(")) {
            is_good_ &= ++depth_ <= most_depth;
            const long long found = is_good_ ? bits() : 0;
            --depth_;
            is_good_ &= accept(")") != '\0';
            return found;
        }
        const std::size_t begin = position_;
        while (
            position_ < text_.size() &&
            (std::isalnum(static_cast<unsigned char>(text_[position_])) || text_[position_] == '_'))
            ++position_;
        return value_of(text_.substr(begin, position_ - begin));
    }
    long long value_of(const std::string& word) {
        constexpr std::size_t most_digits = 9;
        const bool is_number = !word.empty() && word.size() <= most_digits &&
                               word.find_first_not_of("0123456789") == word.npos;
        if (is_number) return std::stoll(word);
        const auto known = values_.find(word);
        is_good_ &= known != values_.end();
        return is_good_ ? known->second : 0;
    }

    const std::string& text_;
    const NamedValues& values_;
    std::size_t position_ = 0;
    int depth_ = 0;
    bool is_good_ = true;
};

std::optional<long long> value_of(const std::string& text, const NamedValues& values) {
    return IndexExpressionParser(text, values).value();
}

/// Returns the constants defined by declarations such as `constexpr int TILE_DIM = 32, BLOCK_ROWS =
/// 8;`.
NamedValues find_constants(const std::string& code) {
    static const TextPattern declaration(R"(\bconst(?:expr)?\s+(?:int|unsigned)\s+([^;{}]*);)");
    static const TextPattern part(R"((\w+)\s*=\s*([^,]*))");
    NamedValues values;
    for (const TextMatch& found : find_matches(code, declaration)) {
        const std::string declared = found.str(1);
        for (const TextMatch& one : find_matches(declared, part)) {
            if (const auto value = value_of(one.str(2), values)) values[one.str(1)] = *value;
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
    std::vector<CountingLoop> counting;
    for (const TextMatch& found : find_matches(code, header)) {
        const std::string name = found.str(1), stepped = found.str(6) + found.str(7) + found.str(8);
        if (found.str(3) != name || stepped != name) continue;
        const int line = line_of(code, found);
        const Loop* loop = innermost_loop(loops, line);
        const auto begin = value_of(found.str(2), constants),
                   end = value_of(found.str(5), constants);
        const auto step = found[9].matched ? value_of(found.str(9), constants) : 1;
        if (!loop || loop->first_line != line || !begin || !end || !step || *step < 1) continue;
        const long long most = *end - (found.str(4) == "<" ? 1 : 0);
        if (most < *begin) continue;
        counting.push_back(
            {line, loop->last_line, name, *begin + (most - *begin) / *step * *step, *begin, *step});
    }
    return counting;
}

/// Returns the lengths of all one-dimensional arrays that are not in shared memory.
NamedValues find_arrays(const std::string& code, const NamedValues& constants) {
    static const TextPattern array(R"([;{}]\s*([\w\s]*?)\b(\w+)\s*\[([^\]=;]*)\]\s*(?:;|=|\{))");
    static const TextPattern type(R"((?:const\s+)?(?:float|int|unsigned|double)[234]?\s*)");
    NamedValues arrays;
    for (const TextMatch& found : find_matches(code, array)) {
        const std::string before = found.str(1);
        TextMatch match;
        if (!match_whole(before, match, type)) continue;
        if (const auto length = value_of(found.str(3), constants)) arrays[found.str(2)] = *length;
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
    return std::ranges::any_of(find_matches(code, guard),
                               [&](const TextMatch& one) { return counters.contains(one.str(1)); });
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
    for (const TextMatch& found : find_matches(code, access_pattern())) {
        const auto array = arrays.find(found.str(1));
        if (array == arrays.end()) continue;
        const int line = line_of(code, found);
        const auto index = value_of(found.str(2), values_in_last_iteration(constants, loops, line));
        // The declaration of an array resembles an access to the element after the last one.
        const bool is_declared = value_of(found.str(2), constants) == array->second;
        if (index && *index >= array->second && !is_declared)
            return {line, found.str(1), array->second, found.str(2), *index};
    }
    return {};
}

LocalArray find_local_array(const std::string& text, int line) {
    const std::string code = code_for_search(text);
    const NamedValues arrays = find_arrays(code, find_constants(code));
    for (const TextMatch& found : find_matches(code, access_pattern())) {
        const auto known = arrays.find(found.str(1));
        if (known != arrays.end() && line_of(code, found) == line)
            return {known->first, known->second};
    }
    return {};
}

std::optional<long long> constant_value(const std::string& text, const std::string& expression) {
    return value_of(expression, find_constants(code_for_search(text)));
}

std::set<long long> values_of_index(const std::string& text, const std::string& index, int line) {
    constexpr long long most_passes = 256;
    const std::string code = code_for_search(text);
    const NamedValues constants = find_constants(code);
    const std::vector<CountingLoop> loops = find_counting_loops(code, constants);
    std::set<long long> found;
    for (const CountingLoop& loop : loops) {
        if (line < loop.first_line || line > loop.last_line) continue;
        for (long long pass = 0; pass < most_passes; ++pass) {
            NamedValues values = values_in_last_iteration(constants, loops, line);
            values[loop.name] = loop.first_value + pass * loop.step;
            if (values[loop.name] > loop.last_value) break;
            const auto value = value_of(index, values);
            if (!value) return {};
            found.insert(*value);
        }
    }
    return found;
}

int find_constant_line(const std::string& text, const std::string& name) {
    const TextPattern definition("\\b" + name + R"(\s*=[^=])");
    const std::string code = code_for_search(text);
    TextMatch found;
    return search(code, found, definition) ? line_of(code, found) : 0;
}

namespace {

/// Inlines calls to those functions of the file that consist of one return statement.
std::string inline_calls(const std::string& code, std::string expression) {
    static const TextPattern function(
        R"(\b(?:int|unsigned)\s+(\w+)\s*\(([^(){}]*)\)\s*\{\s*return\s+([^;{}]*);\s*\})");
    static const TextPattern parameter(R"((\w+)\s*$)");
    constexpr std::size_t longest = 400;
    for (const TextMatch& one : find_matches(code, function)) {
        const std::size_t at = find_word(expression, one.str(1));
        if (at == expression.npos) continue;
        const std::size_t open = at + one.str(1).size();
        if (open >= expression.size() || expression[open] != '(') continue;
        const std::size_t close = find_closing_bracket(expression, open);
        const std::vector<std::string> given =
            split_outside_brackets(expression.substr(open + 1, close - open - 1), ",");
        const std::vector<std::string> declared = split_outside_brackets(one.str(2), ",");
        if (given.size() != declared.size() || close >= expression.size()) return "";
        std::string body = one.str(3);
        for (std::size_t i = 0; i < given.size(); ++i) {
            TextMatch name;
            if (!search(declared[i], name, parameter)) return "";
            const std::string word = name.str(1), value = "(" + given[i] + ")";
            for (std::size_t found = find_word(body, word);
                 found != body.npos && body.size() < longest;
                 found = find_word(body, word, found + value.size()))
                body.replace(found, word.size(), value);
        }
        expression = expression.substr(0, at) + "(" + body + ")" + expression.substr(close + 1);
    }
    return expression;
}

}  // namespace

std::optional<long long> index_value(const std::string& text, const std::string& expression,
                                     int line, std::map<std::string, long long> values) {
    const std::string code = code_for_search(text);
    std::string expanded = expand(text, inline_calls(code, expression), line);
    for (const auto& [name, value] : values) {
        for (std::size_t at = find_word(expanded, name); at != expanded.npos;
             at = find_word(expanded, name, at))
            expanded.replace(at, name.size(), std::to_string(value));
    }
    return value_of(expanded, find_constants(code));
}

std::vector<SharedArray> list_shared_arrays(const std::string& text) {
    static const TextPattern array(R"(\b__shared__[^;{}]*?\b(\w+)\s*((?:\[[^\];]*\]\s*)+);)");
    static const TextPattern dimension(R"(\[([^\]]*)\])");
    const std::string code = code_for_search(text);
    const NamedValues constants = find_constants(code);
    std::vector<SharedArray> arrays;
    for (const TextMatch& found : find_matches(code, array)) {
        SharedArray& shared =
            arrays.emplace_back(SharedArray{.name = found.str(1), .line = line_of(code, found)});
        const std::string dimensions = found.str(2);
        for (const TextMatch& one : find_matches(dimensions, dimension)) {
            const auto length = value_of(one.str(1), constants);
            if (!length) {
                shared.lengths.clear();
                break;
            }
            shared.lengths.push_back(*length);
        }
    }
    return arrays;
}

SharedArray find_shared_array(const std::string& text, int line) {
    const std::string used = code_on_line(text, line);
    for (const SharedArray& array : list_shared_arrays(text)) {
        if (line > 0 && !contains_word(used, array.name)) continue;
        return array.lengths.empty() ? SharedArray{} : array;
    }
    return {};
}

int find_loop_that_runs_once_too_often(const std::string& text, int line) {
    static const TextPattern header(R"(\bfor\s*\([^;]*;[^;]*<=\s*(\w+)\s*;)");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(code);
    const NamedValues constants = find_constants(code);
    for (const TextMatch& found : find_matches(code, header)) {
        const int first = line_of(code, found);
        const bool is_around = std::ranges::any_of(loops, [&](const Loop& loop) {
            return loop.first_line == first && line >= first && line <= loop.last_line;
        });
        if (is_around && constants.contains(found.str(1))) return first;
    }
    return 0;
}

}  // namespace coalesce
