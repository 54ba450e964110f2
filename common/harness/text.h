// Small functions for formatting messages.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace coalesce {

/// The width of the output, in columns.
constexpr int kTerminalColumns = 80;

/// Breaks `text` into lines of at most 80 columns, each starting with `indent`. Keeps existing line
/// breaks.
std::string wrap(const std::string& text, const std::string& indent = "");

/// Breaks `heading` followed by `text` into lines of at most 80 columns. Indents all lines but the
/// first to the column at which `text` begins.
std::string wrap_with_hanging_indent(const std::string& heading, const std::string& text);

/// Returns a count with its noun: "1 cell", "2 cells".
template <std::integral Count>
std::string format_count(Count count, const std::string& singular, const std::string& plural = "") {
    return std::to_string(count) + " " +
           (count == 1       ? singular
            : plural.empty() ? singular + "s"
                             : plural);
}

/// Returns the ordinal of a number: "1st", "2nd", "12th".
std::string ordinal(std::uint64_t number);

/// Formats like printf and returns a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace coalesce
