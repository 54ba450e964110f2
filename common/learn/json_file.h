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

}  // namespace coalesce::learn
