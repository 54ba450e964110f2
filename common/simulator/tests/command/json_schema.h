// Validates JSON against a schema. Supports only the JSON Schema keywords that this project uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::tests {

/// Returns a description of the first violation, such as "/kernels/0/name: is not a string", or ""
/// if there is none. A schema keyword that this function does not support counts as a violation.
std::string find_violation(const nlohmann::ordered_json& schema,
                           const nlohmann::ordered_json& value);

}  // namespace coalesce::tests
