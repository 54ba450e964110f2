#pragma once

#include <functional>
#include <string>
#include <vector>

namespace coalesce {

/// "4", "4.25": two decimals at most.
std::string short_number(double value);

/// What `text_of` says of each, with `between` between them; "" is left out.
template <class List, class TextOf = std::identity>
std::string joined(const List& list, const std::string& between, const TextOf& text_of = {}) {
    std::string text;
    for (const auto& one : list) {
        const std::string more = std::invoke(text_of, one);
        if (!more.empty()) text += (text.empty() ? "" : between) + more;
    }
    return text;
}

/// "a, b and 3 more": the first `most`, and how many others there are.
std::string listed(const std::vector<std::string>& names, std::size_t most);

/// How often `part` stands in `text`.
std::size_t occurrences(const std::string& text, const std::string& part);

/// Without blanks and ends of lines before and after it.
std::string trimmed(const std::string& text);

/// As a text in XML: what markup takes for its own as entities, and blanks for what XML cannot hold.
std::string escaped(const std::string& text);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

/// Lines of C++ as their braces indent them, without empty ones: who writes a line need not know how deep it is.
std::string indented(const std::string& code);

}  // namespace coalesce
