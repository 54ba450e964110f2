/// \file
/// JSON as text for files that are kept: a line for each row of a table, so that a change of one
/// figure is a change of one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::proof {

using Json = nlohmann::ordered_json;

/// The object, its members a line each; arrays of objects a line for each element.
std::string json_text(const Json& object);

}  // namespace coalesce::proof
