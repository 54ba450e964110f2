#pragma once

#include <functional>
#include <string>
#include <vector>

namespace coalesce {

/// Formats a number with at most two decimals: "4", "4.25".
std::string format_short(double value);

/// Applies `text_of` to every element, and joins the non-empty results with `separator`.
template <class List, class TextOf = std::identity>
std::string joined(const List& list, const std::string& separator, const TextOf& text_of = {}) {
    std::string text;
    for (const auto& item : list) {
        const std::string item_text = std::invoke(text_of, item);
        if (!item_text.empty()) text += (text.empty() ? "" : separator) + item_text;
    }
    return text;
}

/// Lists the first `max_count` names and says how many remain: "a, b and 3 more".
std::string join_up_to(const std::vector<std::string>& names, std::size_t max_count);

/// Counts how often `part` occurs in `text`.
std::size_t occurrences(const std::string& text, const std::string& part);

/// Reports whether `text` has the form of a C++ identifier. Keywords are accepted too.
bool is_identifier(const std::string& text);

/// Removes white space from both ends.
std::string trimmed(const std::string& text);

/// Escapes a string for XML. Special characters become entities, and characters that XML forbids
/// become spaces.
std::string escaped(const std::string& text);

/// Splits a string into lines, without their line breaks.
std::vector<std::string> lines_of(const std::string& text);

/// Indents C++ code according to its braces and removes empty lines, so that code generators need
/// not track the nesting depth.
std::string indented(const std::string& code);

}  // namespace coalesce
