/// \file
/// Formats JSON for committed files: one line per row of a table, so that changing one number
/// changes one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::proof {

using Json = nlohmann::ordered_json;

/// Returns the object as text, with one line per member, and one line per element for arrays of
/// objects.
std::string json_text(const Json& object);

}  // namespace coalesce::proof
