// Parses a kernel's index expressions to find the terms that are multiplied by the row length.
#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"

namespace coalesce {
namespace {

/// Returns the variables that are set to a row or column of a thread and are not multiplied by the
/// row length.
std::set<std::string> find_coordinate_variables(const std::string& code) {
    static const TextPattern definition(
        R"(\b(\w+)\s*=\s*([^;,=]*(?:threadIdx|blockIdx)[^;,=]*)[;,])");
    static const TextPattern pitch(R"(\b(?:rows|cols)\b)");
    std::set<std::string> names;
    for (const TextMatch& one : find_matches(code, definition)) {
        if (!contains(one.str(2), pitch)) names.insert(one.str(1));
    }
    return names;
}

bool contains_all_words(const std::vector<std::string>& terms, const std::string& words) {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const std::string& term) { return term.find(words) != term.npos; });
}

class KernelIndexTerms {
public:
    explicit KernelIndexTerms(const std::string& text)
        : coordinates_(find_coordinate_variables(text)), loops_(find_loops(text)) {}

    /// Reports whether the terms in `others` should have been multiplied by the row length along
    /// with `factor`.
    bool lacks_parentheses(const std::string& factor,
                           const std::vector<std::string>& others) const {
        const std::string thread = "threadIdx.";
        if (factor.starts_with(thread))
            return contains_all_words(others, "blockIdx." + factor.substr(thread.size()));
        const bool is_number = factor.find_first_not_of("0123456789") == factor.npos;
        const auto counts_with = [&](const Loop& loop) { return loop.counter == factor; };
        if (!is_number && std::none_of(loops_.begin(), loops_.end(), counts_with)) return false;
        const auto is_coordinate = [&](const std::string& term) {
            return coordinates_.contains(term);
        };
        // If two of the terms are coordinates, one of them is the row, which should also be
        // multiplied.
        const auto named = std::count_if(others.begin(), others.end(), is_coordinate);
        return named + contains_all_words(others, "threadIdx.x") +
                   contains_all_words(others, "threadIdx.y") >=
               2;
    }

private:
    std::set<std::string> coordinates_;
    std::vector<Loop> loops_;
};

}  // namespace

MissingParentheses find_missing_parentheses(const std::string& text) {
    static const TextPattern matrix(R"(\b(?:in|out|data)\s*\[)");
    static const TextPattern product(R"((threadIdx\.[xy]|\w+)\s*\*\s*(rows|cols))");
    const std::string code = code_for_search(text);
    const KernelIndexTerms kernel(code);
    for (const TextMatch& one : find_matches(code, matrix)) {
        const std::size_t open = match_end(one) - 1;
        const std::string index =
            code.substr(open + 1, find_closing_bracket(code, open) - open - 1);
        std::vector<std::string> others;
        TextMatch multiplied;
        int products = 0;
        const std::vector<std::string> terms = split_outside_brackets(index, "+");
        for (const std::string& term : terms) {
            TextMatch found;
            if (term.find("rows") == term.npos && term.find("cols") == term.npos) {
                others.push_back(term);
            } else if (match_whole(term, found, product)) {
                ++products;
                multiplied = found;
            } else {
                products = 2;
            }
        }
        if (products != 1 || !kernel.lacks_parentheses(multiplied.str(1), others)) continue;
        return {line_number_at(code, open), multiplied.str(1), multiplied.str(2), trimmed(index)};
    }
    return {};
}

}  // namespace coalesce
