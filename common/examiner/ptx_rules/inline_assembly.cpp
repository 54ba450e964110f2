#include "examiner/ptx_rules/inline_assembly.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "simulator/ptx/lexer.h"

namespace coalesce {
namespace {

namespace ptx = simulator::ptx;

/// The declarations that an asm statement may contain. The rules in ptx_rules.h inspect the
/// declared variables.
constexpr std::string_view kDeclarations[] = {".reg",   ".local", ".shared",
                                              ".param", ".const", ".global"};

/// Reports whether an asm statement may contain the directive at the lexer's position. If the
/// directive is `.pragma`, advances to its argument.
bool accept_directive(ptx::Lexer& lexer) {
    if (std::ranges::count(kDeclarations, lexer.current().text) > 0) return true;
    return lexer.accept_directive(".pragma") && lexer.current().text == "nounroll";
}

std::string find_deceit_in_statement(std::string_view text) {
    try {
        int depth = 0;
        bool is_statement_begin = true;  // whether the next token begins a statement
        for (ptx::Lexer lexer(text); !lexer.is_at_end(); lexer.take_token()) {
            const std::string word(lexer.current().text);
            if (is_statement_begin && lexer.is_at(ptx::TokenKind::dotted) &&
                !accept_directive(lexer))
                return "inline assembly has the directive '" + word +
                       "', which only the compiler may write.";
            depth += lexer.is_at('{') - lexer.is_at('}');
            if (depth < 0) return "inline assembly closes a brace that it did not open.";
            is_statement_begin =
                lexer.is_at('{') || lexer.is_at('}') || lexer.is_at(';') || lexer.is_at(':');
        }
        return depth == 0 ? "" : "inline assembly leaves a brace open.";
    } catch (const ptx::ParseError&) {
        return "";  // the parser reports this error as well
    }
}

}  // namespace

std::string find_deceit(std::string_view text) {
    constexpr std::string_view begin = "// begin inline asm", end = "// end inline asm";
    constexpr const char* pretended_mask =
        "inline assembly contains a comment that imitates the compiler's 'begin inline asm' or "
        "'end inline asm'.";
    std::optional<std::string> statement;
    for (const std::string& line : lines_of(std::string(text))) {
        const std::string word = line.substr(std::min(line.find_first_not_of("\t "), line.size()));
        if (word == (statement ? begin : end)) return pretended_mask;
        if (word == begin) {
            statement.emplace();
        } else if (statement && word == end) {
            const std::string deceit = find_deceit_in_statement(*statement);
            if (!deceit.empty()) return deceit;
            statement.reset();
        } else if (statement) {
            *statement += line + "\n";
        }
    }
    return statement ? pretended_mask : "";
}

}  // namespace coalesce
