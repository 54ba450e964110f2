#include "examiner/line_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// Looks for a vector that contains the same element of an array twice.
LineMistake find_repeated_argument(const std::string& code) {
    static const TextPattern list(R"(\bmake_float[24]\s*\(|\bfloat[24]\s+\w+\s*(?:=\s*)?\{)");
    for (const TextMatch& match : find_matches(code, list)) {
        const std::size_t opening_position = match_end(match) - 1;
        const std::size_t closing_position = code[opening_position] == '('
                                                 ? find_closing_bracket(code, opening_position)
                                                 : code.find('}', opening_position);
        if (closing_position >= code.size()) continue;
        std::set<std::string> components_seen;
        for (const std::string& part : split_outside_brackets(
                 code.substr(opening_position + 1, closing_position - opening_position - 1), ",")) {
            if (part.find('[') == part.npos || components_seen.insert(part).second) continue;
            return {line_of_match(code, match),
                    "this vector uses " + add_backticks(part) +
                        " for two of its components, and leaves out another element.",
                    "Use a different element for each component."};
        }
    }
    return {};
}

/// A list of the same component of several vectors, such as `{a.x, b.x, c.x, d.x}`.
struct ComponentList {
    int line = 0;
    std::vector<std::string> vectors = {};  ///< names of the vectors, in order
};

std::vector<ComponentList> list_component_lists(const std::string& code) {
    static const TextPattern list(
        R"(\{\s*(\w+)\.([xyzw])\s*,\s*(\w+)\.([xyzw])\s*(?:,\s*(\w+)\.([xyzw])\s*,\s*(\w+)\.([xyzw])\s*)?\})");
    std::vector<ComponentList> lists;
    for (const TextMatch& match : find_matches(code, list)) {
        ComponentList component_list{.line = line_of_match(code, match)};
        for (const std::size_t part : {1U, 3U, 5U, 7U}) {
            if (match[part].matched) component_list.vectors.push_back(match.str(part));
        }
        lists.push_back(component_list);
    }
    return lists;
}

std::string quote_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return add_backticks(text);
}

/// Looks for a list whose vectors are in a different order than in all other lists.
LineMistake find_other_order(const std::string& code) {
    const std::vector<ComponentList> lists = list_component_lists(code);
    std::map<std::vector<std::string>, int> list_counts;
    for (const ComponentList& list : lists) ++list_counts[list.vectors];
    if (lists.size() < 3 || list_counts.size() != 2) return {};
    for (const ComponentList& list : lists) {
        const auto other_list = std::ranges::find_if(
            list_counts, [&](const auto& entry) { return entry.first != list.vectors; });
        if (list_counts[list.vectors] != 1 ||
            !std::is_permutation(list.vectors.begin(), list.vectors.end(),
                                 other_list->first.begin(), other_list->first.end()))
            continue;
        return {list.line,
                "this list names the vectors in the order " + quote_names(list.vectors) +
                    ", but all other lists use the order " + quote_names(other_list->first) + ".",
                "The rows that a thread moves must keep their order: name the vectors in the same "
                "order on every line."};
    }
    return {};
}

/// Looks for a loop over a vector's components that does not reach all of them.
LineMistake find_too_few_components(const std::string& text) {
    static const TextPattern pointer(
        R"(\bfloat\s*\*\s*(?:const\s+)?(\w+)\s*=\s*(?:&\s*(\w+)\.x|reinterpret_cast<[^>]*>\s*\(\s*&\s*(\w+)\s*\))\s*;)");
    const std::string code = code_for_search(text);
    int candidates = 0;
    for (const TextMatch& match : find_matches(code, pointer)) {
        if (++candidates > kMaxCandidates) break;
        const std::string vector = match[2].matched ? match.str(2) : match.str(3);
        const TextPattern declaration("\\bfloat([24])\\s+" + vector + "\\b");
        TextMatch declaration_match;
        if (!search(code, declaration_match, declaration)) continue;
        const TextPattern use("\\b" + match.str(1) + R"(\s*\[\s*(\w+)\s*\])");
        const std::size_t begin = match_end(match);
        const std::string code_after = code.substr(begin);
        TextMatch use_match;
        if (!search(code_after, use_match, use)) continue;
        const int line = line_number_at(code, begin + use_match.position());
        const std::set<long long> values = values_of_index(text, use_match.str(1), line);
        const auto width = static_cast<std::size_t>(std::stoi(declaration_match.str(1)));
        if (values.empty() || values.size() >= width || *values.begin() != 0) continue;
        return {line,
                "this loop uses only " + std::to_string(values.size()) + " of the " +
                    std::to_string(width) + " components of " + add_backticks(vector) + ".",
                "Make " + add_backticks(use_match.str(1)) + " count all components, from 0 to " +
                    std::to_string(width - 1) + "."};
    }
    return {};
}

/// Looks for an element of a per-thread array that each iteration of a loop overwrites.
LineMistake find_overwritten_value(const std::string& text) {
    static const TextPattern fill(R"(^\s*(\w+)\s*\[([^\]]*)\]\s*=\s*in\s*\[)");
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        TextMatch match;
        const int line = static_cast<int>(i) + 1;
        const Loop* loop = find_innermost_loop(loops, line);
        if (!loop || loop->counter.empty() || !search(lines[i], match, fill) ||
            ++candidates > kMaxCandidates)
            continue;
        const LocalArray array = find_local_array(text, line);
        const std::string head = code_on_line(text, loop->first_line);
        const bool is_over_matrix = contains_word(head, "rows") || contains_word(head, "cols");
        if (array.name != match.str(1) || !is_over_matrix ||
            contains_word(expand(text, match.str(2), line), loop->counter))
            continue;
        return {line,
                "each pass of the loop over " + add_backticks(loop->counter) +
                    " stores its element at the same index of " + add_backticks(array.name) +
                    ", so only the last element remains.",
                "A block moves only its own tile, and other blocks move the other tiles: remove "
                "the loop over " +
                    add_backticks(loop->counter) + "."};
    }
    return {};
}

}  // namespace

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const bool is_wrong_result =
        failure.kind == FailureKind::wrong_result || failure.kind == FailureKind::elements_left_out;
    if (failure.kind == FailureKind::uninitialised_shared) return find_too_few_components(text);
    if (!is_wrong_result) return {};
    return first_mistake([&] { return find_repeated_argument(code); },
                         [&] { return find_other_order(code); },
                         [&] { return find_overwritten_value(text); });
}

}  // namespace coalesce
