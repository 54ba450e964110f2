// Small things that every report needs.
#pragma once

#include <cstdint>
#include <string>

namespace coalesce {

/// The columns that output may fill.
constexpr int kTerminalColumns = 80;

/// `text` in lines of at most 80 columns, each with `indent` in front; line breaks in it are kept.
std::string wrap(const std::string& text, const std::string& indent = "");

/// "1 cell", "2 cells", "1234 cells".
std::string count_of(std::uint64_t count, const std::string& one, const std::string& many = "");

/// printf to a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace coalesce
