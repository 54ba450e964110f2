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
    for (const TextMatch& match : find_matches(code, definition)) {
        if (!contains(match.str(2), pitch)) names.insert(match.str(1));
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

    /// Reports whether the terms in `other_terms` should have been multiplied by the row length
    /// along with `factor`.
    bool lacks_parentheses(const std::string& factor,
                           const std::vector<std::string>& other_terms) const {
        const std::string thread = "threadIdx.";
        if (factor.starts_with(thread))
            return contains_all_words(other_terms, "blockIdx." + factor.substr(thread.size()));
        const bool is_number = factor.find_first_not_of("0123456789") == factor.npos;
        const auto is_counted_with = [&](const Loop& loop) { return loop.counter == factor; };
        if (!is_number && std::none_of(loops_.begin(), loops_.end(), is_counted_with)) return false;
        const auto is_coordinate = [&](const std::string& term) {
            return coordinates_.contains(term);
        };
        // If two of the terms are coordinates, one of them is the row, which should also be
        // multiplied.
        const auto coordinate_count =
            std::count_if(other_terms.begin(), other_terms.end(), is_coordinate);
        return coordinate_count + contains_all_words(other_terms, "threadIdx.x") +
                   contains_all_words(other_terms, "threadIdx.y") >=
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
    for (const TextMatch& match : find_matches(code, matrix)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::string index =
            code.substr(opening_position + 1,
                        find_closing_bracket(code, opening_position) - opening_position - 1);
        std::vector<std::string> other_terms;
        TextMatch multiply;
        int products = 0;
        const std::vector<std::string> terms = split_outside_brackets(index, "+");
        for (const std::string& term : terms) {
            TextMatch inner_match;
            if (term.find("rows") == term.npos && term.find("cols") == term.npos) {
                other_terms.push_back(term);
            } else if (match_whole(term, inner_match, product)) {
                ++products;
                multiply = inner_match;
            } else {
                products = 2;
            }
        }
        if (products != 1 || !kernel.lacks_parentheses(multiply.str(1), other_terms)) continue;
        return {line_number_at(code, opening_position), multiply.str(1), multiply.str(2),
                trimmed(index)};
    }
    return {};
}

}  // namespace coalesce
