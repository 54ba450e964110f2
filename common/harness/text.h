// Small things that every report needs.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace coalesce {

/// The columns that output may fill.
constexpr int kTerminalColumns = 80;

/// `text` in lines of at most 80 columns, each with `indent` in front; line breaks in it are kept.
std::string wrap(const std::string& text, const std::string& indent = "");

/// The same behind `start`, as far as which the lines after the first are indented.
std::string wrap_behind(const std::string& start, const std::string& text);

/// "1 cell", "2 cells", "1234 cells".
template <std::integral Count>
std::string count_of(Count count, const std::string& one, const std::string& many = "") {
    return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

/// "1st", "2nd", "12th".
std::string ordinal(std::uint64_t number);

/// printf to a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace coalesce
