// Explains errors of the compiler whose own words do not say what to change.
#include "examiner/compile_causes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// Quotes a part of the source in a message.
std::string quoted(const std::string& code) {
    return "`" + code + "`";
}

std::string line_text(int line) {
    return "line " + std::to_string(line);
}

/// Returns the line of the brace that closes the innermost block around an offset.
int find_end_of_block(const std::string& code, std::size_t offset) {
    int depth = 0;
    for (std::size_t at = offset; at < code.size(); ++at) {
        depth += code[at] == '{';
        if (code[at] == '}' && depth-- == 0) return line_number_at(code, at);
    }
    return 0;
}

/// Returns the last line in which a name that is declared at an offset can be used. The counter of
/// a loop ends with the loop.
int find_end_of_scope(const std::string& text, const std::string& code, std::size_t offset) {
    const int line = line_number_at(code, offset);
    const std::string before = code_on_line(text, line);
    const std::size_t line_begin = code.rfind('\n', offset) + 1;
    const bool is_in_header =
        code.substr(line_begin, offset - line_begin).find("for") != std::string::npos;
    if (is_in_header) {
        for (const Loop& loop : find_loops(text)) {
            if (loop.first_line == line) return loop.last_line;
        }
    }
    return find_end_of_block(code, offset);
}

/// Returns the offset of the first character of a line.
std::size_t offset_of_line(const std::string& code, int line) {
    std::size_t offset = 0;
    for (int at = 1; at < line && offset != code.npos; ++at) {
        offset = code.find('\n', offset);
        if (offset != code.npos) ++offset;
    }
    return std::min(offset, code.size());
}

CompileCause explain_undefined(const std::string& name, int line, const std::string& text) {
    const TextPattern declaration(
        R"(\b(?:int|unsigned|float|float2|float4|double|bool|auto|size_t)\b[^;(){}=]*\b)" + name +
        R"(\s*[=;,\[])");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, declaration)) {
        const std::size_t offset = match_end(match) - 1;
        const int declared = line_number_at(code, offset);
        const std::size_t use = offset_of_line(code, line);
        const std::size_t from = std::min(use, offset), to = std::max(use, offset);
        const bool is_other_function =
            code.substr(from, to - from).find("\n}") != std::string::npos;
        if (is_other_function) continue;
        if (declared > line) {
            return {quoted(name) + " is declared only on " + line_text(declared) + ".",
                    "Move " + line_text(line) +
                        " after the declaration, or the declaration before "
                        "it."};
        }
        const int end = find_end_of_scope(text, code, offset);
        if (end == 0 || end >= line) continue;
        return {quoted(name) + " is declared on " + line_text(declared) +
                    ", in a block that ends on " + line_text(end) +
                    ": after that, it does not "
                    "exist.",
                "Declare " + quoted(name) + " before the block, so that " + line_text(line) +
                    " can use it too."};
    }
    return {};
}

/// Finds a brace that is not closed: the brace that seems to close it has another indentation.
int find_unclosed_brace(const std::string& text) {
    const std::string code = code_for_search(text);
    std::vector<std::pair<int, std::size_t>> open;  // lines, and their indentation
    int number = 0;
    for (const std::string& line : lines_of(code)) {
        ++number;
        const std::size_t indent = line.find_first_not_of(" \t");
        for (std::size_t at = 0; at < line.size(); ++at) {
            if (line[at] == '{') open.emplace_back(number, indent);
            if (line[at] != '}' || open.empty()) continue;
            const auto [opened, its_indent] = open.back();
            if (at == indent && opened != number && its_indent > indent) return opened;
            open.pop_back();
        }
    }
    return open.empty() ? 0 : open.back().first;
}

CompileCause explain_missing_brace(const std::string& text) {
    const int opened = find_unclosed_brace(text);
    if (opened == 0) return {};
    return {"the { on " + line_text(opened) +
                " is never closed, so everything after it is still "
                "in its block.",
            "Add the } where the block of " + line_text(opened) + " ends.", opened};
}

/// An error message, by a pattern of its text and of the line that it names, and its explanation.
struct KnownError {
    const char* message;
    const char* line;
    const char* sentence;
    const char* advice;
};

constexpr KnownError kKnownErrors[] = {
    {R"(.)", R"(\b(?:blockIdx|threadIdx|blockDim|gridDim)\b\s*(?:[^.\w\s]|$))",
     "blockIdx, threadIdx, blockDim and gridDim are no numbers: each has the components .x, .y and "
     ".z.",
     "Add the component, as in threadIdx.x."},
    {R"(pointer-to-object type but it has type)", R"(\b(?:in|out|data)\s*\[[^\]]*\]\s*\[)",
     "a matrix is passed as a pointer to one long row of elements: after one index, the value is a "
     "single element, which has no index.",
     "Compute one index from the row and the column, such as in[row * cols + col]."},
    {R"(no operator "\[\]" matches)", R"(\[)",
     "a vector such as float4 has the components .x, .y, .z and .w, but no index.",
     "Name the components; or keep the elements in an array, such as float values[4]."},
    {R"(no operator "=" matches|no suitable c)", R"(=\s*\([^()]*,)",
     "a list in round parentheses is no vector: the comma operator returns only its last element.",
     "Write the list in braces, as in {a, b, c, d}, or call make_float4."},
    {R"(cannot be (?:assigned to|used to initialize))", R"(\[[^\]\[]*,[^\]\[]*\])",
     "a comma in brackets is the comma operator: tile[a, b] means tile[b], which is a whole row.",
     "Give each index its own brackets, as in tile[a][b]."},
    {R"~(argument of type "(\w+)" is incompatible with parameter of type "[^"]*\*")~", R"(\()",
     "the function needs the address of an element, but gets its value.",
     "Put & before the element, as in &in[i]."},
    {R"(no instance of overloaded function "atomic)", R"(\batomic\w+\s*\(\s*[^&\s])",
     "the first argument of an atomic operation is the address of an element, not its value.",
     "Put & before the element, as in atomicAdd(&counts[i], 1), wherever it is missing."},
    {R"(cannot cast away const)", R"(\bin\b)", "`in` is const, and the cast drops the const.",
     "Cast to a const type: reinterpret_cast<const float4&>(in[i]) or const float4*."},
    {R"(must have a constant value)", R"(\[)",
     "the length of an array must be known when the kernel is compiled.",
     "Declare the variables in the length as constexpr."},
    {R"(has already been declared in the current scope)", R"(\w)",
     "a name can be declared only once in a block.",
     "If the variable should get a new value, assign it without a type: name = ...; otherwise "
     "remove one of the two declarations."},
};

}  // namespace

CompileCause explain_compile_error(const std::string& message, int line, const std::string& text) {
    static const TextPattern undefined(R"~(^identifier "(\w+)" is undefined)~");
    TextMatch match;
    if (search(message, match, undefined)) {
        const CompileCause cause = explain_undefined(match.str(1), line, text);
        if (!cause.sentence.empty()) return cause;
    }
    if (message.starts_with("expected a \"}\"")) return explain_missing_brace(text);
    const std::string code = code_on_line(text, line);
    for (const KnownError& error : kKnownErrors) {
        if (contains(message, TextPattern(error.message)) &&
            contains(code, TextPattern(error.line)))
            return {error.sentence, error.advice};
    }
    return {};
}

}  // namespace coalesce
