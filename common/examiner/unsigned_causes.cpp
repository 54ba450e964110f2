#include "examiner/expressions.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {

LineMistake find_condition_that_always_holds(const std::string& text) {
    static const TextPattern declaration(
        R"(\b(?:unsigned(?:\s+int)?|size_t|uint32_t)\s+(\w+)\s*=)");
    static const TextPattern division(
        R"(\bfor\s*\([^;]*;\s*(\w+)\s*>=\s*0\s*;\s*(\w+)\s*(/=|>>=)\s*\d+)");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, declaration)) {
        const std::string name = match.str(1);
        const TextPattern comparison("\\b" + name + R"(\s*>=\s*0\b)");
        TextMatch inner_match;
        if (!search(code, inner_match, comparison)) continue;
        return {line_of_match(code, inner_match),
                add_backticks(name) + " is unsigned, so " + add_backticks(inner_match.str()) +
                    " always holds: below 0, it wraps around to a number near 2^32.",
                "Declare " + add_backticks(name) + " as int; or count upwards, from 0."};
    }
    TextMatch match;
    if (search(code, match, division) && match.str(1) == match.str(2)) {
        const std::string name = match.str(1);
        return {line_of_match(code, match),
                "this loop never ends: 0 divided by 2 is 0 again, and " +
                    add_backticks(name + " >= 0") + " still holds.",
                "Run the loop while " + name + " > 0."};
    }
    return {};
}

}  // namespace coalesce
