/// \file
/// What programs write and read.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::learn {

/// Keeps the order in which keys were written.
using Json = nlohmann::ordered_json;

/// Reads a file; throws std::runtime_error that names it.
Json read_json(const std::filesystem::path& file);

/// As a text of several lines, whatever bytes are in it.
std::string json_text(const Json& json);
/// Prints that.
void print_json(const Json& json);

}  // namespace coalesce::learn
