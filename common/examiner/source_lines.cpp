#include "examiner/source_lines.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "examiner/matches.h"

namespace coalesce {
namespace {

/// Returns the offset of the end of the quoted text that starts at `begin`.
std::size_t find_end_of_quoted(const std::string& text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != text[begin] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

int find_line_of_match(const std::string& text, const std::string& pattern) {
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, TextPattern(pattern))) return 0;
    return line_of_match(code, match, 1);
}

/// Returns the last line with a match outside comments, or 0 if there is none. PTX instructions
/// inside strings match as well.
int find_last_line(const std::string& text, const TextPattern& pattern) {
    const std::string code = code_for_search(text);
    if (code.empty()) return 0;
    int line = 0;
    for (const TextMatch& match : find_matches(text, pattern)) {
        const bool is_ptx = match.str().starts_with("cp.async");
        if (is_ptx || code[match_offset(match)] != ' ') line = line_of_match(text, match);
    }
    return line;
}

/// Matches the beginning of a __device__ function and captures its name.
const TextPattern& device_function_pattern() {
    static const TextPattern head(R"(__device__[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*\{)");
    return head;
}

/// Returns the last line of the kernel that matches the pattern. If the last match is in a function
/// before the kernel, returns the last line that calls that function.
int find_last_line_in_kernel(const std::string& text, const TextPattern& pattern) {
    const int line = find_last_line(text, pattern);
    if (line == 0 || line >= find_kernel_line(text, "")) return line;
    const std::string code = code_for_search(text);
    std::string name;
    for (const TextMatch& match : find_matches(code, device_function_pattern())) {
        if (line_of_match(code, match, 1) <= line) name = match.str(1);
    }
    return name.empty() ? line : find_last_line(text, TextPattern("\\b" + name + "\\s*\\("));
}

bool is_component(const std::string& text) {
    const std::size_t dot = text.size() < 3 ? text.npos : text.size() - 2;
    return dot != text.npos && text[dot] == '.' && std::string_view("xyzw").find(text.back()) < 4;
}

/// Returns the value assigned on a line if the value or the target of the assignment is a component
/// of a vector. Otherwise returns "".
std::string find_component_value(const std::string& line) {
    const std::string statement = trimmed(line);
    const std::size_t equals = statement.find('=');
    if (equals == statement.npos ||
        statement.find_first_of("={};", equals + 1) + 1 != statement.size()) {
        return "";
    }
    const std::string value = trimmed(statement.substr(equals + 1, statement.size() - equals - 2));
    return is_component(value) || is_component(trimmed(statement.substr(0, equals))) ? value : "";
}

/// An assignment in a sequence of similar lines.
struct Assignment {
    std::string value;
    int line = 0;
};

/// If a value occurs twice in the sequence, returns the line of the wrong occurrence: the one whose
/// position does not match its component (v.y belongs on the second line). Otherwise returns 0.
int find_repeated_component(const std::vector<Assignment>& assignments) {
    const auto is_in_place = [&](std::size_t i) {
        return std::string_view("xyzw").find(assignments[i].value.back()) == i;
    };
    for (std::size_t later_index = 0; later_index < assignments.size(); ++later_index) {
        for (std::size_t earlier_index = 0; earlier_index < later_index; ++earlier_index) {
            if (assignments[earlier_index].value != assignments[later_index].value) continue;
            return is_in_place(later_index) && !is_in_place(earlier_index)
                       ? assignments[earlier_index].line
                       : assignments[later_index].line;
        }
    }
    return 0;
}

/// Returns the offset of the brace that closes the scope around `begin`.
std::size_t find_end_of_scope(const std::string& code, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < code.size(); ++at) {
        depth += code[at] == '{';
        depth -= code[at] == '}';
        if (depth < 0) return at;
    }
    return code.size();
}

/// Returns a component, such as "v.w", that is never set although the vector's other components are
/// set and the whole vector is used. Returns "" if there is none.
std::string find_unset_component(const std::string& scope, const std::string& name,
                                 std::size_t count) {
    const auto scope_contains = [&](const std::string& pattern) {
        return contains(scope, TextPattern("\\b" + name + pattern));
    };
    const TextPattern use("\\b" + name + "\\b\\s*(\\.)?");
    const std::vector<TextMatch> uses = find_matches(scope, use);
    const bool is_used_as_a_whole =
        std::ranges::any_of(uses, [](const TextMatch& match) { return !match[1].matched; });
    // Code that assigns the whole vector, or takes its address, may set every component.
    const bool is_set_as_a_whole = scope_contains("\\s*=[^=]") || scope_contains("\\s*\\[") ||
                                   scope.find("&" + name) != scope.npos;
    if (is_set_as_a_whole || !is_used_as_a_whole) return "";
    std::string unset_component;
    std::size_t set_count = 0;
    for (const char letter : std::string("xyzw").substr(0, count)) {
        const std::string member_name = std::string("\\s*\\.\\s*") + letter;
        if (scope_contains(member_name + "\\s*=[^=]")) {
            ++set_count;
        } else if (unset_component.empty()) {
            unset_component = name + "." + letter;
        }
    }
    return set_count > 0 ? unset_component : "";
}

/// Returns the first match of `head` whose brackets enclose `line`. `head` must end with an opening
/// bracket.
std::optional<TextMatch> find_match_around_line(const std::string& code, int line,
                                                const TextPattern& head) {
    for (const TextMatch& match : find_matches(code, head)) {
        const int last_line =
            line_number_at(code, find_closing_bracket(code, match_end(match) - 1));
        if (line >= line_of_match(code, match) && line <= last_line) return match;
    }
    return std::nullopt;
}

/// Returns the name of the __device__ function that contains an asm statement on this line, or ""
/// if there is none.
std::string find_function_with_asm(const std::string& code, int line) {
    static const TextPattern statement(R"(\basm\b[^();]*\()");
    if (!find_match_around_line(code, line, statement)) return "";
    const auto function = find_match_around_line(code, line, device_function_pattern());
    return function ? function->str(1) : "";
}

/// Returns the offset of the end of the loop whose keyword ends at offset `keyword`.
std::size_t find_end_of_loop(const std::string& code, std::size_t keyword) {
    std::size_t body = code.find_first_not_of(" \t\n", keyword);
    if (body != code.npos && code[body] == '(') {
        body = code.find_first_not_of(" \t\n", find_closing_bracket(code, body) + 1);
    }
    if (body == code.npos) return code.size();
    if (code[body] == '{') return find_closing_bracket(code, body);
    const std::size_t end = code.find_first_of(";{", body);
    if (end == code.npos) return code.size();
    return code[end] == '{' ? find_closing_bracket(code, end) : end;
}

}  // namespace

int line_number_at(const std::string& text, std::size_t position) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::string blank_out_comments(const std::string& text) {
    std::string code = text;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text.compare(i, 2, "//") == 0) {
            end = std::min(text.find('\n', i), text.size());
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t comment_end = text.find("*/", i + 2);
            end = comment_end == text.npos ? text.size() : comment_end + 2;
        } else if (text[i] == '"' || text[i] == '\'') {
            end = find_end_of_quoted(text, i);
        } else {
            ++i;
            continue;
        }
        for (; i < end; ++i) {
            if (code[i] != '\n') code[i] = ' ';
        }
    }
    return code;
}

std::size_t find_closing_bracket(const std::string& code, std::size_t opening_position) {
    const char opening_character = opening_position < code.size() ? code[opening_position] : '\0';
    const char closing_character = opening_character == '('   ? ')'
                                   : opening_character == '[' ? ']'
                                                              : '}';
    int depth = 0;
    for (std::size_t at = opening_position; at < code.size(); ++at) {
        depth += code[at] == opening_character;
        depth -= code[at] == closing_character;
        if (depth == 0) return at;
    }
    return code.size();
}

std::string code_for_search(const std::string& text) {
    constexpr std::size_t max_length = std::size_t{8} << 10;
    return text.size() > max_length ? "" : blank_out_comments(text);
}

std::string code_on_line(const std::string& text, int line) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return "";
    return lines[static_cast<std::size_t>(line - 1)];
}

Declaration find_unshared_array(const std::string& text) {
    static const TextPattern array(R"(\b\w+\s+(\w+)\s*(?:\[[^\]=;]*\])+\s*;)");
    const std::string code = code_for_search(text);
    const std::size_t barrier = code.find("__syncthreads");
    if (barrier == code.npos || code.find("__shared__") != code.npos) return {};
    const std::string code_before = code.substr(0, barrier), code_after = code.substr(barrier);
    for (const TextMatch& match : find_matches(code_before, array)) {
        if (contains_word(code_after, match.str(1)))
            return {match.str(1), line_of_match(code, match, 1)};
    }
    return {};
}

int find_line_with_mixed_axes(const std::string& text) {
    return find_line_of_match(text,
                              R"((blockIdx\.x\s*\*\s*blockDim\.y|blockIdx\.y\s*\*\s*blockDim\.x)"
                              R"(|blockIdx\.[xy]\s*\*\s*gridDim\.[xy]))");
}

Declaration find_cast_of_value(const std::string& text) {
    static const TextPattern cast(
        R"((?:\(\s*(float[234])\s*\)|\bstatic_cast\s*<\s*(float[234])\s*>\s*\()"
        R"(|\b(float[234])\s*\()\s*(\w+)\s*\[)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, cast)) return {};
    const TextPattern float_pointer("\\bfloat\\b[\\w\\s]*\\*[\\w\\s]*\\b" + match.str(4) + "\\b");
    if (!contains(code, float_pointer)) return {};
    return {match.str(1) + match.str(2) + match.str(3), line_of_match(code, match)};
}

int find_line_with_repeated_component(const std::string& text) {
    std::istringstream lines(code_for_search(text) + "\n\n");
    std::vector<Assignment> assignments;
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
        if (const std::string value = find_component_value(line); !value.empty()) {
            assignments.push_back({value, number});
            continue;
        }
        if (const int repeated_component = find_repeated_component(assignments);
            repeated_component > 0)
            return repeated_component;
        assignments.clear();
    }
    return 0;
}

Declaration find_component_never_set(const std::string& text) {
    static const TextPattern declaration(R"(\bfloat([24])\s+(\w+(?:\s*,\s*\w+)*)\s*;)");
    static const TextPattern word(R"(\w+)");
    constexpr int max_names = 64;
    const std::string code = code_for_search(text);
    int tried_name_count = 0;
    for (const TextMatch& match : find_matches(code, declaration)) {
        const std::size_t begin = match_end(match);
        const std::string scope = code.substr(begin, find_end_of_scope(code, begin) - begin);
        const std::string names = match.str(2);
        for (const TextMatch& name : find_matches(names, word)) {
            if (++tried_name_count > max_names) return {};
            const std::string thread_value =
                find_unset_component(scope, name.str(), match.str(1) == "2" ? 2 : 4);
            if (!thread_value.empty()) return {thread_value, line_of_match(code, match)};
        }
    }
    return {};
}

int find_caller_of_asm(const std::string& text, int line) {
    const std::string code = code_for_search(text);
    const std::string word = find_function_with_asm(code, line);
    if (word.empty()) return line;
    const TextPattern use("\\b" + word + "\\s*\\(");
    const std::vector<TextMatch> uses = find_matches(code, use);
    // The first match is the definition of the function, not a call.
    return uses.size() == 2 ? line_of_match(code, uses.back()) : line;
}

int find_statement_line(const std::string& text, int line) {
    std::istringstream lines(blank_out_comments(text));
    int statement_line = line, number = 1;
    for (std::string line_text; number <= line && std::getline(lines, line_text); ++number) {
        if (line_text.find_first_not_of(" \t\r{}") != line_text.npos) statement_line = number;
    }
    return statement_line;
}

bool has_dynamic_array(const std::string& text) {
    static const TextPattern array(R"(\bextern\b[^;"]*\b__shared__\b)");
    return contains(code_for_search(text), array);
}

int find_line_leaving_diagonal(const std::string& text) {
    return find_line_of_match(text, R"(\bif\s*\(\s*blockIdx\.\w\s*([<>=]=)\s*blockIdx\.\w\s*\))"
                                    R"(\s*\{?\s*return\b)");
}

int find_line_comparing_blocks(const std::string& text) {
    return find_line_of_match(text, R"(\bif\s*\(\s*blockIdx\.\w\s*([<>=!]=?)\s*blockIdx\.\w\s*\))");
}

OddPitch find_odd_pitch(const std::string& text, const std::string& array) {
    const std::string code = code_for_search(text);
    const TextPattern index("\\b" + array + R"(\s*\[[^\];]*\*\s*(\w+)\s*[+\]])");
    std::map<std::string, std::vector<int>> lines;
    for (const TextMatch& match : find_matches(code, index))
        lines[match.str(1)].push_back(line_of_match(code, match, 1));
    if (lines.size() != 2) return {};
    const auto &first = *lines.begin(), &second = *lines.rbegin();
    const auto compare_pitches = [](const auto& left, const auto& right) -> OddPitch {
        if (left.second.size() != 1 || right.second.size() < 2) return {};
        return {left.second.front(), left.first, right.first};
    };
    return first.second.size() == 1 ? compare_pitches(first, second)
                                    : compare_pitches(second, first);
}

int find_pointer_advance_line(const std::string& text, const std::string& pointer) {
    return find_line_of_match(text, "\\b(" + pointer + ")\\s*\\+");
}

bool never_commits(const std::string& text) {
    const std::string code = blank_out_comments(text);
    const bool has_copy =
        code.find("__pipeline_memcpy_async") != code.npos || text.find("cp.async.c") != text.npos;
    // A string with inline PTX need only contain the instruction's name. It does not matter if a
    // comment contains the name.
    const bool commits = code.find("__pipeline_commit") != code.npos ||
                         code.find("producer_commit") != code.npos ||
                         text.find("cp.async.commit_group") != text.npos ||
                         text.find("cp.async.wait_all") != text.npos;
    return has_copy && !commits;
}

bool tracks_copies_with_mbarrier(const std::string& text) {
    return text.find("mbarrier::complete_tx::bytes") != text.npos;
}

int find_copy_wait_line(const std::string& text) {
    static const TextPattern wait(R"(__pipeline_wait_prior|consumer_wait|cp\.async\.wait_)");
    return find_last_line_in_kernel(text, wait);
}

int find_copy_start_line(const std::string& text) {
    static const TextPattern copy_start(R"(\b(?:__pipeline_)?memcpy_async\b|cp\.async\.c[ag]\b)");
    return find_last_line_in_kernel(text, copy_start);
}

int find_configure_line(const std::string& text, const std::string& member_name) {
    const std::string code = blank_out_comments(text);
    const std::size_t begin = code.find("configure");
    if (begin == code.npos) return 0;
    for (const std::string& word : {member_name, std::string("return")}) {
        const std::size_t word_position = code.find(word, begin);
        if (word_position != code.npos) return line_number_at(code, word_position);
    }
    return line_number_at(code, begin);
}

int find_kernel_line(const std::string& text, const std::string& name) {
    const std::string function = name.empty() ? "\\w+" : name;
    return find_line_of_match(
        text, R"(__global__[^;{}()]*(?:__launch_bounds__\s*\([^)]*\)[^;{}()]*)?\b()" + function +
                  R"()\s*\()");
}

int find_line_in_kernel(const std::string& text, const TextPattern& pattern) {
    const std::string code = code_for_search(text);
    const int kernel = find_kernel_line(text, "");
    for (const TextMatch& match : find_matches(code, pattern)) {
        if (line_of_match(code, match) > kernel) return line_of_match(code, match);
    }
    return 0;
}

namespace {

/// Sets the loop's counter and step from the header of a `for` loop, such as "int k = 0; k < 4;
/// ++k".
void read_for_header(const std::string& header, Loop& loop) {
    const std::size_t first_semicolon = header.find(';'),
                      second_semicolon = header.find(';', first_semicolon + 1);
    if (first_semicolon == header.npos || second_semicolon == header.npos) return;
    loop.step = trimmed(header.substr(second_semicolon + 1));
    const std::size_t equals = header.find('=');
    if (equals > first_semicolon) return;
    const std::string declaration = trimmed(header.substr(0, equals));
    // A declaration of a counter consists of a type and a name. Other forms, such as "++k" and
    // "p->k", declare no counter.
    static const std::string name_characters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t name_end = declaration.find_last_not_of(name_characters);
    if (name_end != declaration.npos &&
        std::isspace(static_cast<unsigned char>(declaration[name_end])))
        loop.counter = declaration.substr(name_end + 1);
}

std::size_t find_line_begin(const std::string& code, std::size_t offset) {
    return offset == 0 ? 0 : code.rfind('\n', offset - 1) + 1;
}

/// Reports whether the text at `offset` belongs to a preprocessor directive, such as a #define that
/// continues over several lines.
bool is_in_directive(const std::string& code, std::size_t offset) {
    std::size_t begin = find_line_begin(code, offset);
    while (begin >= 2 && code[begin - 2] == '\\') begin = find_line_begin(code, begin - 1);
    const std::size_t first = code.find_first_not_of(" \t", begin);
    return code[first] == '#' || code.compare(first, 2, "%:") == 0;
}

}  // namespace

std::vector<Loop> find_loops(const std::string& text) {
    const std::string code = code_for_search(text);
    static const TextPattern keyword(R"(\b(?:for|while|do)\b)");
    std::vector<Loop> loops;
    for (const TextMatch& at : find_matches(code, keyword)) {
        if (is_in_directive(code, match_offset(at))) continue;
        const std::size_t begin = match_offset(at), end = find_end_of_loop(code, match_end(at));
        Loop loop{.first_line = line_number_at(code, begin),
                  .last_line = line_number_at(code, end)};
        const std::size_t barrier = code.find("__syncthreads", begin);
        if (barrier < end) loop.barrier_line = line_number_at(code, barrier);
        const std::size_t opening_position = code.find_first_not_of(" \t\r\n", match_end(at));
        if (at.str() == "for" && opening_position != code.npos && code[opening_position] == '(')
            read_for_header(
                code.substr(opening_position + 1,
                            find_closing_bracket(code, opening_position) - opening_position - 1),
                loop);
        loops.push_back(loop);
    }
    return loops;
}

const Loop* find_innermost_loop(const std::vector<Loop>& loops, int line) {
    const Loop* loop_found = nullptr;
    for (const Loop& loop : loops) {
        if (line < loop.first_line || line > loop.last_line) continue;
        if (!loop_found || loop.first_line >= loop_found->first_line) loop_found = &loop;
    }
    return loop_found;
}

}  // namespace coalesce
