/// \file
/// Reads and writes the JSON that programs exchange.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::learn {

/// JSON whose keys stay in insertion order.
using Json = nlohmann::ordered_json;

/// Reads a JSON file. On failure, throws a std::runtime_error whose message names the file.
Json read_json(const std::filesystem::path& file);

/// Formats JSON as several lines, and replaces bytes that are not valid UTF-8 with U+FFFD.
std::string json_text(const Json& json);
/// Prints JSON to stdout.
void print_json(const Json& json);

}  // namespace coalesce::learn
