/// \file
/// Formats JSON for files in the repository. Each row of a table is one line of text, so that
/// changing a number changes only one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::proof {

using Json = nlohmann::ordered_json;

/// Returns the object as text, with one line per member. In arrays of objects, each element has its
/// own line.
std::string json_text(const Json& object);

}  // namespace coalesce::proof
