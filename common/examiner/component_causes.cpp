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
    for (const TextMatch& one : find_matches(code, list)) {
        const std::size_t open = match_end(one) - 1;
        const std::size_t close =
            code[open] == '(' ? find_closing_bracket(code, open) : code.find('}', open);
        if (close >= code.size()) continue;
        std::set<std::string> seen;
        for (const std::string& part :
             split_outside_brackets(code.substr(open + 1, close - open - 1), ",")) {
            if (part.find('[') == part.npos || seen.insert(part).second) continue;
            return {line_of(code, one),
                    "this vector uses " + in_backticks(part) +
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
    for (const TextMatch& one : find_matches(code, list)) {
        ComponentList found{.line = line_of(code, one)};
        for (const std::size_t part : {1U, 3U, 5U, 7U}) {
            if (one[part].matched) found.vectors.push_back(one.str(part));
        }
        lists.push_back(found);
    }
    return lists;
}

std::string names_in_backticks(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return in_backticks(text);
}

/// Looks for a list whose vectors are in a different order than in all other lists.
LineMistake find_other_order(const std::string& code) {
    const std::vector<ComponentList> lists = list_component_lists(code);
    std::map<std::vector<std::string>, int> counts;
    for (const ComponentList& list : lists) ++counts[list.vectors];
    if (lists.size() < 3 || counts.size() != 2) return {};
    for (const ComponentList& list : lists) {
        const auto other = std::ranges::find_if(
            counts, [&](const auto& one) { return one.first != list.vectors; });
        if (counts[list.vectors] != 1 ||
            !std::is_permutation(list.vectors.begin(), list.vectors.end(), other->first.begin(),
                                 other->first.end()))
            continue;
        return {list.line,
                "this list names the vectors in the order " + names_in_backticks(list.vectors) +
                    ", but all other lists use the order " + names_in_backticks(other->first) + ".",
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
    for (const TextMatch& one : find_matches(code, pointer)) {
        if (++candidates > kMaxCandidates) break;
        const std::string vector = one[2].matched ? one.str(2) : one.str(3);
        const TextPattern declaration("\\bfloat([24])\\s+" + vector + "\\b");
        TextMatch declared;
        if (!search(code, declared, declaration)) continue;
        const TextPattern use("\\b" + one.str(1) + R"(\s*\[\s*(\w+)\s*\])");
        const std::size_t begin = match_end(one);
        const std::string rest = code.substr(begin);
        TextMatch used;
        if (!search(rest, used, use)) continue;
        const int line = line_number_at(code, begin + used.position());
        const std::set<long long> values = values_of_index(text, used.str(1), line);
        const auto width = static_cast<std::size_t>(std::stoi(declared.str(1)));
        if (values.empty() || values.size() >= width || *values.begin() != 0) continue;
        return {line,
                "this loop uses only " + std::to_string(values.size()) + " of the " +
                    std::to_string(width) + " components of " + in_backticks(vector) + ".",
                "Make " + in_backticks(used.str(1)) + " count all components, from 0 to " +
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
        TextMatch found;
        const int line = static_cast<int>(i) + 1;
        const Loop* loop = innermost_loop(loops, line);
        if (!loop || loop->counter.empty() || !search(lines[i], found, fill) ||
            ++candidates > kMaxCandidates)
            continue;
        const LocalArray array = find_local_array(text, line);
        const std::string head = code_on_line(text, loop->first_line);
        const bool is_over_matrix = contains_word(head, "rows") || contains_word(head, "cols");
        if (array.name != found.str(1) || !is_over_matrix ||
            contains_word(expand(text, found.str(2), line), loop->counter))
            continue;
        return {line,
                "each pass of the loop over " + in_backticks(loop->counter) +
                    " stores its element at the same index of " + in_backticks(array.name) +
                    ", so only the last element remains.",
                "A block moves only its own tile, and other blocks move the other tiles: remove "
                "the loop over " +
                    in_backticks(loop->counter) + "."};
    }
    return {};
}

}  // namespace

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const bool is_wrong =
        failure.kind == FailureKind::wrong_result || failure.kind == FailureKind::elements_left_out;
    if (failure.kind == FailureKind::uninitialised_shared) return find_too_few_components(text);
    if (!is_wrong) return {};
    return first_mistake([&] { return find_repeated_argument(code); },
                         [&] { return find_other_order(code); },
                         [&] { return find_overwritten_value(text); });
}

}  // namespace coalesce
