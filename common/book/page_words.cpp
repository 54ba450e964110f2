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
    {R"(To see the cost of [^.]*, run `build/bin/simulate --lines` on the example\. )", ""},
    {R"(The command below prints the source with the counters below each line\.)",
     "The editor shows the counters beside each line."},
    {R"(`build/bin/simulate --lines` shows)", "The simulated GPU shows"},
    {R"(Count the sectors yourself, and if you have a GPU, measure the time:)",
     "Count the sectors yourself in the explorer."},
    {R"( If you want to look for something faster, `\./learn beat` scores your kernel\.)", ""},
    {R"(`\./learn bench` includes it in its comparison)", "the course's benchmark includes it"},
    {R"(`\./learn bench` compares)", "The course's benchmark compares"},
    {R"(`\./learn ptx \d\d` shows four)", "the PTX shows four"},
    {R"( \(`\./learn run \d\d --time [^`]*`\))", ""},
    {R"(`\./learn roofline \d\d --lesson` draws [^.]*\. Without `--lesson`, it draws your own kernel and the solution\.)",
     "The editor draws the same roofline with your own kernel and the solution."},
    {R"(, and `\./learn roofline \d\d` draws both)", ", and the page draws both in a roofline"},
    {R"( When your kernel has passed, run `diff [^`]*` to see that nothing else has changed:)", ""},
    {R"(When your kernel has passed, `diff [^`]*` shows how `transpose_vec2` differs from the kernel of lesson 05\.)",
     ""},
    {R"( When your kernel has passed, `diff [^`]*` shows the difference:)", ""},
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

std::regex make_whitespace_regex(std::string pattern) {
    for (std::size_t space_position = 0;
         (space_position = pattern.find(' ', space_position)) != pattern.npos; space_position += 3)
        pattern.replace(space_position, 1, "\\s+");
    return std::regex(pattern);
}

/// Replaces all matches. Preserves line breaks, because messages contain line numbers.
std::string replace_all(const std::string& text, const std::regex& pattern,
                        const std::string& replacement) {
    std::string result;
    std::size_t copied_end = 0;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end;
         ++match) {
        const auto match_begin = static_cast<std::size_t>(match->position());
        const std::string matched_text = match->str();
        result += text.substr(copied_end, match_begin - copied_end) + match->format(replacement);
        result += std::string(
            static_cast<std::size_t>(std::count(matched_text.begin(), matched_text.end(), '\n')),
            '\n');
        copied_end = match_begin + matched_text.size();
    }
    return result + text.substr(copied_end);
}

/// Folds the section with this heading, so that readers without a terminal can pass over it.
/// Preserves the number of lines.
std::string fold_section(std::string text, const std::string& heading, const std::string& summary) {
    const std::string heading_line = "\n## " + heading + "\n\n", next_heading = "\n\n## ";
    const std::size_t heading_begin = text.find(heading_line);
    if (heading_begin == text.npos) return text;
    const std::size_t section_begin = heading_begin + heading_line.size() - 1,
                      section_end = text.find(next_heading, section_begin);
    if (section_end == text.npos) return text;
    text.insert(section_end + 1, "</details>");
    return text.insert(section_begin, "<details><summary>" + summary + "</summary>");
}

}  // namespace

std::string remove_opening_commands(const std::string& text) {
    const std::string quiz_pattern =
        R"(In the book, this section is a quiz that checks your answers\. In a terminal, run `\./learn predict \d\d`\. )";
    return replace_all(replace_all(text, std::regex(R"(\n {4}\./learn [^\n]*)"), ""),
                       make_whitespace_regex(quiz_pattern), "");
}

std::string replace_terminal_commands(const std::string& text, const std::string& step) {
    std::string result = remove_opening_commands(text);
    // Remove the other commands that stand in a line of their own, except those for a profiler.
    result = replace_all(
        result,
        std::regex(
            R"(\n {7}build/bin/simulate [^\n]*|\n {4}build/bin/\w+ --rows \d+ --cols \d+ --bench)"),
        "");
    result = fold_section(result, "On a GPU", "If your computer has an NVIDIA GPU");
    const std::string run_pattern =
        R"(`\./learn run \d\d --variant (\w+) --rows (\d+) --cols (\d+)`)";
    result = replace_all(result, make_whitespace_regex(run_pattern),
                         "<a href=\"explorer.html#a=" + step +
                             ",$1,$2,$3,0,0,0\">$1 with $2 rows and $3 columns</a>");
    for (const ReplacementRule& rule : kReplacementRules)
        result = replace_all(result, make_whitespace_regex(rule.pattern), rule.replacement);
    return result;
}

}  // namespace coalesce::book
