#include "page_words.h"

#include <algorithm>
#include <regex>

namespace coalesce::book {
namespace {

/// A rule that replaces a phrase about the terminal with one about the page. In the pattern, a
/// space matches any white space, because texts are wrapped. The rules are sorted by the length of
/// their patterns, longest first.
struct ReplacementRule {
    const char *pattern, *replacement;
};

constexpr ReplacementRule kReplacementRules[] = {
    {R"(In the book, this section is a quiz that checks your answers\. In a terminal, run `\./learn predict \d\d`\. )",
     ""},
    {R"( After an edit, run `\./learn build`\.)", ""},
    {R"( Run `\./learn build` after every edit\.)", ""},
    {R"(the bug hunt in `exercises/[^`]*`,)", "the bug hunt,"},
    {R"(The bug hunt, `exercises/[^`]*`, is)", "The bug hunt is"},
    {R"( `exercises/[^`]*`)", " the editor"},
    {R"(, here or in your own editor)", ""},
    {R"(`\./learn watch \d\d` checks)", "The page checks"},
    {R"(whenever you save( it)?)", "whenever you pause"},
    {R"(`\./learn check \d\d --hunt`)", "The page"},
    {R"(`\./learn check`)", "the page"},
    {R"(`\./learn hint \d\d`)", "**Hint**"},
    {R"(`\./learn explain \d\d`)", "**Explain**"},
    {R"(`\./learn ptx \d\d` shows the PTX that the compiler generated for each line of the kernels[^.]*\.)",
     "The explorer shows the PTX that the compiler generated for the kernels."},
    {R"( \(see `\./learn ptx \d\d`\))", ""},
    {R"(`--rows (\d+) --cols (\d+)`)", "$1 rows and $2 columns"},
};

std::regex expression(std::string pattern) {
    for (std::size_t at = 0; (at = pattern.find(' ', at)) != pattern.npos; at += 3)
        pattern.replace(at, 1, "\\s+");
    return std::regex(pattern);
}

/// Replaces all matches. Preserves line breaks, because messages contain line numbers.
std::string replace_all(const std::string& text, const std::regex& pattern,
                        const std::string& replacement) {
    std::string result;
    std::size_t done = 0;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end;
         ++match) {
        const auto at = static_cast<std::size_t>(match->position());
        const std::string found = match->str();
        result += text.substr(done, at - done) + match->format(replacement);
        result += std::string(
            static_cast<std::size_t>(std::count(found.begin(), found.end(), '\n')), '\n');
        done = at + found.size();
    }
    return result + text.substr(done);
}

}  // namespace

std::string replace_terminal_commands(const std::string& text, const std::string& step) {
    // Remove the commands at the beginning of a lesson, which run the lesson's program.
    std::string result = replace_all(text, std::regex(R"(\n {4}\./learn [^\n]*)"), "");
    const std::string run = R"(`\./learn run \d\d --variant (\w+) --rows (\d+) --cols (\d+)`)";
    result = replace_all(result, expression(run),
                         "<a href=\"explorer.html#a=" + step +
                             ",$1,$2,$3,0,0,0\">$1 with $2 rows and $3 columns</a>");
    for (const ReplacementRule& rule : kReplacementRules)
        result = replace_all(result, expression(rule.pattern), rule.replacement);
    return result;
}

}  // namespace coalesce::book
