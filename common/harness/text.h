// Small functions for formatting messages.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace coalesce {

/// The width of the output, in columns.
constexpr int kTerminalColumns = 80;

/// Breaks `text` into lines of at most 80 columns that each start with `indent`. Existing line
/// breaks are kept.
std::string wrap(const std::string& text, const std::string& indent = "");

/// Does the same for `start` followed by `text`. The lines after the first are indented to where
/// `text` begins.
std::string wrap_behind(const std::string& start, const std::string& text);

/// Returns "1 cell", "2 cells" or "1234 cells", for example.
template <std::integral Count>
std::string count_of(Count count, const std::string& one, const std::string& many = "") {
    return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

/// Returns "1st", "2nd", "12th" and so on.
std::string ordinal(std::uint64_t number);

/// Formats like printf, and returns a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace coalesce
