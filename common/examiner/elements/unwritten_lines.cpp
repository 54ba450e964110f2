// Finds lines that leave elements without a value: elements of a shared array, or of an output.
#include <algorithm>

#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

/// A store to a shared array that only some threads execute.
struct ConditionalStore {
    int line = 0;  ///< 0 if there is none
    std::string array = {}, index = {};
    std::string condition = {};
    int condition_line = 0;
    bool is_exit = false;  ///< whether threads with the condition do not store
};

/// Reports whether a condition contains a comparison with a size of the task.
bool tests_size(const Condition& condition, const Evidence& evidence) {
    return std::ranges::any_of(evidence.elements->task().sizes, [&](const std::string& size) {
        return contains_word(expand(evidence.source.text, condition.text, condition.line), size);
    });
}

/// Returns the names of all shared arrays that the text declares.
std::vector<std::string> names_of_shared_arrays(const std::string& text) {
    static const TextPattern declaration(R"(__shared__([^;=]*);)");
    static const TextPattern name(R"(\b(\w+)\s*\[)");
    const std::string code = code_for_search(text);
    std::vector<std::string> names;
    for (const TextMatch& match : find_matches(code, declaration)) {
        const std::string declarators = match.str(1);
        for (const TextMatch& one : find_matches(declarators, name)) names.push_back(one.str(1));
    }
    return names;
}

/// Returns the shared arrays that a line uses, or the only one if the line names none.
std::vector<std::string> arrays_on_line(const std::string& text, int line) {
    const std::vector<std::string> names = names_of_shared_arrays(text);
    const std::string code = code_on_line(text, line);
    std::vector<std::string> used;
    for (const std::string& name : names) {
        if (contains_word(code, name)) used.push_back(name);
    }
    return used.empty() && names.size() == 1 ? names : used;
}

/// Reports whether the kernel reads no unwritten element on one of the exercise's shapes, or if
/// a condition is about places before the first element. Then the condition of a store explains
/// why an element has no value.
bool depends_on_shape(const std::string& condition, const Evidence& evidence) {
    static const TextPattern zero(R"([<>]=?\s*0\b)");
    if (evidence.was_correct_before || contains(condition, zero)) return true;
    return std::ranges::any_of(evidence.exercise.shapes, [&](Shape shape) {
        const Trial trial = evidence.relaunch({.shape = shape});
        return trial.has_ended() && !find_report(trial, "initcheck");
    });
}

/// Returns the only store to an array, if it depends on a condition that `is_suitable` accepts.
template <class Test>
ConditionalStore find_only_store(const std::string& array, const std::string& text, int first_line,
                                 const Test& is_suitable) {
    const TextPattern store("\\b" + array + R"(\s*((?:\[[^\]=;]*\]\s*)+)=[^=])");
    const std::string code = code_for_search(text);
    ConditionalStore found;
    for (const TextMatch& match : find_matches(code, store)) {
        const int line = line_of_match(code, match);
        if (line < first_line) continue;
        if (found.line > 0) return {};
        found = {.line = line, .array = array, .index = trimmed(match.str(1))};
    }
    if (found.line == 0 || !find_conditions_of_else(text, found.line).empty()) return {};
    for (const Condition& condition : find_conditions(text, found.line)) {
        if (!is_suitable(condition)) continue;
        found.condition = condition.text;
        found.condition_line = condition.line;
        found.is_exit = condition.is_exit;
        return found;
    }
    return {};
}

std::string describe_store(const ConditionalStore& store, bool is_first) {
    const std::string where = "line " + std::to_string(store.line);
    const std::string object = is_first
                                   ? where + " stores an element of " + add_backticks(store.array)
                                   : where + " one of " + add_backticks(store.array);
    if (!store.is_exit) return object + " only if " + add_backticks(store.condition);
    return object + " only if " + add_backticks(store.condition) + " is false";
}

}  // namespace

LineMistake find_store_without_zeros(int line, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    std::vector<ConditionalStore> stores;
    for (const std::string& array : arrays_on_line(text, line)) {
        const ConditionalStore store =
            find_only_store(array, text, 1, [&](const Condition& condition) {
                return !condition.returns && tests_size(condition, evidence);
            });
        if (store.line > 0 && store.line < line) stores.push_back(store);
    }
    if (stores.empty() || !depends_on_shape(stores[0].condition, evidence)) return {};
    std::string sentence;
    for (const ConditionalStore& store : stores) {
        sentence += (sentence.empty() ? "" : ", and ") + describe_store(store, sentence.empty());
    }
    return {stores[0].is_exit ? stores[0].condition_line : stores[0].line,
            sentence +
                ". All other threads store nothing, so these elements have no value when "
                "line " +
                std::to_string(line) + " reads them.",
            "Store an element in any case: outside of the input, store the value that the task "
            "names for it, such as 0."};
}

LineMistake find_gap_in_buffer(int line, const std::string& text) {
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    if (!loop) {
        const auto last_loop =
            std::ranges::find_if(loops, [&](const Loop& one) { return one.last_line < line; });
        if (last_loop == loops.end()) return {};
        loop = &*last_loop;
    }
    for (const std::string& array : arrays_on_line(text, line)) {
        const ConditionalStore store =
            find_only_store(array, text, loop->first_line, [&](const Condition& condition) {
                return !condition.is_exit && condition.line >= loop->first_line &&
                       contains_word(condition.text, loop->counter) &&
                       expand(text, condition.text, condition.line).find("threadIdx") !=
                           std::string::npos;
            });
        if (store.line == 0 || store.line > loop->last_line || loop->counter.empty()) continue;
        return {store.line,
                "threads for which " + add_backticks(store.condition) +
                    " is false store nothing in " + add_backticks(array + store.index) +
                    ", so in the next pass of the loop their elements have no value.",
                "Store an element in every thread and every pass: if the condition is false, the "
                "old value."};
    }
    return {};
}

LineMistake find_dropped_rest(const OutputComparison& output, const Trial& trial,
                              const Evidence& evidence) {
    static const TextPattern quotient(R"(\b(\w+)\s*/\s*(\w+))");
    const std::string& text = evidence.source.text;
    const std::string code = code_for_search(text);
    const std::size_t configure = code.find("configure(");
    for (const TextMatch& match : find_matches(code, quotient)) {
        const std::string size_name = match.str(1);
        const auto size = evidence.elements->task().find_size(size_name, trial.shape);
        const auto divisor = constant_value(text, match.str(2));
        const bool is_in_kernel = match_offset(match) < configure;
        if (!size || !divisor || *divisor < 2 || *size % *divisor == 0 || !is_in_kernel) continue;
        const std::int64_t rest_count = *size % *divisor;
        if (output.extents != std::vector<std::int64_t>{*size} || output.wrong_count > 0 ||
            output.untouched_count != rest_count ||
            output.bad_elements().front() != *size - rest_count)
            continue;
        const std::string rest =
            *size % *divisor == 1
                ? "the last element is"
                : "the last " + std::to_string(*size % *divisor) + " elements are";
        return {line_of_match(code, match),
                add_backticks(trimmed(match.str())) + " rounds down: with " + size_name + " = " +
                    std::to_string(*size) + ", " + rest + " never processed.",
                "Process the last " + size_name + " % " + std::to_string(*divisor) +
                    " elements one by one."};
    }
    return {};
}

LineMistake find_equal_places(const OutputComparison& output, const std::string& text) {
    static const TextPattern count(R"(\bif\s*\(([^;]*[^<>-][<>][^<>=][^;]*)\)\s*\{?\s*)"
                                   R"((?:(\w+)\s*(?:\+\+|\+=\s*1)|\+\+\s*(\w+))\s*;)");
    const std::string code = code_for_search(text);
    TextMatch match;
    if (!search(code, match, count) || output.count_bad() == 0) return {};
    const std::string place = match[2].matched ? match.str(2) : match.str(3);
    const TextPattern store("\\b" + output.name + R"(\s*\[\s*)" + place + R"(\s*\]\s*=[^=])");
    const std::string condition = match.str(1);
    if (!contains(code, store) || condition.find("==") != condition.npos ||
        condition.find("||") != condition.npos)
        return {};
    const std::size_t bytes = output.type.bytes();
    std::int64_t index = 0, first_index = -1;
    for (const std::int64_t bad : output.bad_elements()) {
        index = bad;
        if (index == 0 || std::string(output.element(output.expected_bytes, index), bytes) !=
                              std::string(output.element(output.expected_bytes, index - 1), bytes))
            return {};
        if (first_index < 0) first_index = index;
    }
    return {line_of_match(code, match),
            "this counts only the elements before an element. Equal elements get the same " +
                add_backticks(place) + ", so only one of them is stored: " +
                output.element_name(first_index - 1) + " and " + output.element_name(first_index) +
                " must both be " + output.format_value(output.expected_bytes, first_index) + ".",
            "Among equal elements, also count those with a smaller index."};
}

}  // namespace coalesce
