// Finds the threads' local arrays in the text of a kernel, and the largest values of their indices.
#include <cctype>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "examiner/matches.h"

namespace coalesce {
namespace {

using Values = std::map<std::string, long long>;

/// Evaluates an integer expression made up of numbers, names, + - * / % and parentheses.
class Expression {
public:
    Expression(const std::string& expression, const Values& names)
        : text_(expression), values_(names) {}

    /// Returns the value, or nothing if the expression contains anything else or a name that is not
    /// known.
    std::optional<long long> value() {
        const long long found = sum();
        skip_blanks();
        return is_good_ && at_ == text_.size() ? std::optional(found) : std::nullopt;
    }

private:
    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    /// Consumes and returns the next character if it is in `wanted`; otherwise returns 0.
    char take(const std::string& wanted) {
        skip_blanks();
        if (at_ == text_.size() || wanted.find(text_[at_]) == wanted.npos) return '\0';
        return text_[at_++];
    }
    long long sum() {
        long long found = product();
        while (const char sign = take("+-")) {
            const long long next = product();
            found += sign == '+' ? next : -next;
        }
        return found;
    }
    long long product() {
        long long found = factor();
        while (const char sign = take("*/%")) {
            const long long next = factor();
            is_good_ &= sign == '*' || next != 0;
            if (!is_good_) return 0;
            found = sign == '*' ? found * next : sign == '/' ? found / next : found % next;
        }
        return found;
    }
    long long factor() {
        if (take("(")) {
            const long long found = sum();
            is_good_ &= take(")") != '\0';
            return found;
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
            ++at_;
        return value_of(text_.substr(begin, at_ - begin));
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
    const Values& values_;
    std::size_t at_ = 0;
    bool is_good_ = true;
};

std::optional<long long> value_of(const std::string& text, const Values& values) {
    return Expression(text, values).value();
}

/// Returns the constants defined by declarations such as `constexpr int TILE_DIM = 32, BLOCK_ROWS =
/// 8;`.
Values find_constants(const std::string& code) {
    static const std::regex declaration(R"(\bconst(?:expr)?\s+(?:int|unsigned)\s+([^;{}]*);)");
    static const std::regex part(R"((\w+)\s*=\s*([^,]*))");
    Values values;
    for (const std::smatch& found : find_matches(code, declaration)) {
        const std::string declared = found.str(1);
        for (const std::smatch& one : find_matches(declared, part)) {
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
};

std::vector<CountingLoop> find_counting_loops(const std::string& code, const Values& constants) {
    static const std::regex header(
        R"(\bfor\s*\(\s*(?:int|unsigned)\s+(\w+)\s*=\s*([^;]*);\s*\1\s*(<=?)\s*([^;]*);\s*)"
        R"((?:\+\+\s*\1|\1\s*\+\+|\1\s*\+=\s*([^){;]*))\))");
    const std::vector<Loop> loops = find_loops(code);
    std::vector<CountingLoop> counting;
    for (const std::smatch& found : find_matches(code, header)) {
        const int line = line_of(code, found);
        const Loop* loop = innermost_loop(loops, line);
        const auto begin = value_of(found.str(2), constants),
                   end = value_of(found.str(4), constants);
        const auto step = found[5].matched ? value_of(found.str(5), constants) : 1;
        if (!loop || loop->first_line != line || !begin || !end || !step || *step < 1) continue;
        const long long most = *end - (found.str(3) == "<" ? 1 : 0);
        if (most < *begin) continue;
        counting.push_back(
            {line, loop->last_line, found.str(1), *begin + (most - *begin) / *step * *step});
    }
    return counting;
}

/// Returns the lengths of all one-dimensional arrays that are not in shared memory.
Values find_arrays(const std::string& code, const Values& constants) {
    static const std::regex array(R"([;{}]\s*([\w\s]*?)\b(\w+)\s*\[([^\]=;]*)\]\s*(?:;|=|\{))");
    static const std::regex type(R"((?:const\s+)?(?:float|int|unsigned|double)[234]?\s*)");
    Values arrays;
    for (const std::smatch& found : find_matches(code, array)) {
        if (!std::regex_match(found.str(1), type)) continue;
        if (const auto length = value_of(found.str(3), constants)) arrays[found.str(2)] = *length;
    }
    return arrays;
}

/// Returns the constants, plus the last counter value of each loop around a line.
Values values_in_last_iteration(const Values& constants, const std::vector<CountingLoop>& loops,
                                int line) {
    Values values = constants;
    for (const CountingLoop& loop : loops) {
        if (line >= loop.first_line && line <= loop.last_line) values[loop.name] = loop.last_value;
    }
    return values;
}

/// Reports whether the code contains an `if` that compares a loop's counter with a bound.
bool has_bounds_check(const std::string& code, const std::vector<CountingLoop>& loops) {
    for (const CountingLoop& loop : loops) {
        const std::regex guard("\\bif\\s*\\(\\s*" + loop.name + "\\s*[<>=!]");
        if (std::regex_search(code, guard)) return true;
    }
    return false;
}

/// values[k]
const std::regex& access_pattern() {
    static const std::regex access(R"(\b(\w+)\s*\[([^\[\]]*)\])");
    return access;
}

}  // namespace

ArrayOverrun find_array_overrun(const std::string& text) {
    const std::string code = code_for_search(text);
    const Values constants = find_constants(code);
    const Values arrays = find_arrays(code, constants);
    const std::vector<CountingLoop> loops = find_counting_loops(code, constants);
    if (arrays.empty() || has_bounds_check(code, loops)) return {};
    for (const std::smatch& found : find_matches(code, access_pattern())) {
        const auto array = arrays.find(found.str(1));
        if (array == arrays.end()) continue;
        const int line = line_of(code, found);
        const auto index = value_of(found.str(2), values_in_last_iteration(constants, loops, line));
        // The declaration of an array looks like an access one past its last element.
        const bool is_declared = value_of(found.str(2), constants) == array->second;
        if (index && *index >= array->second && !is_declared)
            return {line, found.str(1), array->second, found.str(2), *index};
    }
    return {};
}

LocalArray find_local_array(const std::string& text, int line) {
    const std::string code = code_for_search(text);
    const Values arrays = find_arrays(code, find_constants(code));
    for (const std::smatch& found : find_matches(code, access_pattern())) {
        const auto known = arrays.find(found.str(1));
        if (known != arrays.end() && line_of(code, found) == line)
            return {known->first, known->second};
    }
    return {};
}

}  // namespace coalesce
