#include "examiner/elements/array_update.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "examiner/source_lines.h"

namespace coalesce {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

struct FoundElement {
    ElementText element;
    std::size_t begin = 0, end = 0;  ///< offsets of the name and behind the last bracket
};

std::vector<FoundElement> find_elements(const std::string& code) {
    std::vector<FoundElement> found;
    for (std::size_t open = code.find('['); open != code.npos;) {
        std::size_t begin = open;
        while (begin > 0 && is_word(code[begin - 1])) --begin;
        std::size_t end = find_closing_bracket(code, open);
        if (end >= code.size()) break;
        while (end + 1 < code.size() && code[end + 1] == '[') {
            end = find_closing_bracket(code, end + 1);
            if (end >= code.size()) return found;
        }
        if (begin < open) {
            found.push_back(
                {{code.substr(begin, open - begin), code.substr(open + 1, end - open - 1)},
                 begin,
                 end + 1});
        }
        open = code.find('[', end + 1);
    }
    return found;
}

/// Returns the text without leading blanks.
std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == text.npos ? std::string_view{} : text.substr(begin);
}

}  // namespace

std::vector<ElementText> list_elements(const std::string& code) {
    std::vector<ElementText> all;
    for (const FoundElement& one : find_elements(code)) all.push_back(one.element);
    return all;
}

ArrayUpdate find_array_update(const std::string& code) {
    for (const FoundElement& one : find_elements(code)) {
        const std::size_t end_of_statement = std::min(code.find(';', one.end), code.size());
        const std::string_view rest =
            without_blanks(std::string_view(code).substr(one.end, end_of_statement - one.end));
        const std::string_view before = std::string_view(code).substr(0, one.begin);
        const bool is_step = rest.starts_with("++") || rest.starts_with("--") ||
                             before.ends_with("++") || before.ends_with("--");
        const bool has_operator = rest.size() > 1 && rest[1] == '=' &&
                                  std::string_view("+-*/|&^").find(rest[0]) != rest.npos;
        const bool is_assigned = rest.starts_with("=") && !rest.starts_with("==");
        if (!is_step && !has_operator && !is_assigned) continue;
        ArrayUpdate update{.changed = one.element};
        bool has_itself = is_step || has_operator;
        for (const ElementText& other : list_elements(std::string(rest))) {
            has_itself |= other == one.element;
            if (other.array == one.element.array && other != one.element)
                update.others.push_back(other);
        }
        update.is_addition = rest.starts_with("+") || before.ends_with("++") ||
                             (is_assigned && rest.find('+') != rest.npos);
        if (has_itself) return update;
    }
    return {};
}

}  // namespace coalesce
