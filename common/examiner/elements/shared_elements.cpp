#include "examiner/elements/shared_elements.h"

#include <algorithm>
#include <map>

#include "examiner/course/element_type.h"
#include "examiner/elements/array_update.h"

namespace coalesce {
namespace {

/// Returns the byte that a report's message names, or nothing.
std::optional<long long> find_byte(const std::string& message) {
    static const TextPattern byte(R"(at byte ([0-9,]+) of shared memory)");
    TextMatch found;
    if (!search(message, found, byte)) return std::nullopt;
    std::string digits = found.str(1);
    std::erase(digits, ',');
    constexpr std::size_t most_digits = 9;
    return digits.size() > most_digits ? std::nullopt : std::optional(std::stoll(digits));
}

/// Returns the number of bytes in an element of an array, or 0 if the type is not known.
long long bytes_of_element(const std::string& text, const SharedArray& array) {
    static const TextPattern declaration(
        R"(__shared__\s+((?:unsigned\s+)?(?:long\s+long|int|char|short|long)\b|\w+))");
    const std::string code = code_on_line(text, array.line);
    TextMatch found;
    if (!search(code, found, declaration)) return 0;
    const auto type = find_element_type(found.str(1));
    return type ? static_cast<long long>(type->bytes()) : 0;
}

long long count_elements_of(const SharedArray& array) {
    long long count = array.lengths.empty() ? 0 : 1;
    for (const long long length : array.lengths) count *= length;
    return count;
}

/// Reports whether the file declares a variable in shared memory that is not an array. Its place
/// among the arrays is not known.
bool has_shared_scalar(const std::string& text) {
    static const TextPattern scalar(R"(\b__shared__\b[^;{}\[]*;)");
    return contains(code_for_search(text), scalar);
}

/// Returns the element at a byte if the arrays lie in memory in the order of their declarations.
std::optional<SharedElement> element_at(long long byte, const std::string& text) {
    long long begin = 0;
    for (const SharedArray& array : list_shared_arrays(text)) {
        const long long bytes = bytes_of_element(text, array), count = count_elements_of(array);
        if (bytes == 0 || count <= 0) return std::nullopt;
        begin = (begin + bytes - 1) / bytes * bytes;
        if (byte < begin) return std::nullopt;
        if (byte >= begin + bytes * count) {
            begin += bytes * count;
            continue;
        }
        SharedElement element{array, std::vector<long long>(array.lengths.size())};
        long long index = (byte - begin) / bytes;
        for (std::size_t axis = array.lengths.size(); axis-- > 0;) {
            element.indices[axis] = index % array.lengths[axis];
            index /= array.lengths[axis];
        }
        return element;
    }
    return std::nullopt;
}

/// Reports whether the access on the report's line may be to this element.
bool can_access(const simulated::Report& report, const SharedElement& element,
                const std::string& text) {
    const bool is_only_array = list_shared_arrays(text).size() == 1;
    const std::string code = code_on_line(text, report.place.line);
    const std::map<std::string, long long> thread = {
        {"threadIdx.x", report.thread.thread[0]}, {"threadIdx.y", report.thread.thread[1]},
        {"threadIdx.z", report.thread.thread[2]}, {"blockIdx.x", report.thread.block[0]},
        {"blockIdx.y", report.thread.block[1]},   {"blockIdx.z", report.thread.block[2]}};
    bool is_mentioned = false;
    for (const ElementText& one : list_elements(code)) {
        if (one.array != element.array.name) continue;
        is_mentioned = true;
        const std::string first = one.index.substr(0, one.index.find(']'));
        const auto value = index_value(text, first, report.place.line, thread);
        if (!value || *value == element.indices.front()) return true;
    }
    return is_only_array && !is_mentioned;
}

}  // namespace

std::string SharedElement::text() const {
    std::string all = array.name;
    for (const long long index : indices) all += "[" + std::to_string(index) + "]";
    return all;
}

bool SharedElement::is_corner() const {
    if (indices.size() != 2) return false;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
        if (indices[axis] != 0 && indices[axis] != array.lengths[axis] - 1) return false;
    }
    return true;
}

std::optional<SharedElement> find_shared_element(const simulated::Report& report,
                                                 const std::string& text) {
    const auto byte = find_byte(report.message);
    if (!byte || has_dynamic_array(text) || has_shared_scalar(text)) return std::nullopt;
    const auto element = element_at(*byte, text);
    return element && can_access(report, *element, text) ? element : std::nullopt;
}

std::vector<int> list_store_lines(const std::string& text, const std::string& array) {
    const TextPattern store("\\b" + array + R"(\s*\[[^;=]*\]\s*=[^=])");
    const std::string code = code_for_search(text);
    std::vector<int> lines;
    for (const TextMatch& one : find_matches(code, store)) {
        lines.push_back(line_number_at(code, one.position()));
    }
    return lines;
}

std::optional<Condition> find_condition_on(const std::vector<std::string>& names,
                                           const std::string& text, int line) {
    for (const Condition& one : find_conditions(text, line)) {
        const bool is_named = std::ranges::any_of(
            names, [&](const std::string& name) { return contains_word(one.text, name); });
        if (is_named && !one.is_exit) return one;
    }
    return std::nullopt;
}

}  // namespace coalesce
