// See json_schema.h.
#include "simulator/tests/command/json_schema.h"

#include <set>

namespace coalesce::tests {

namespace {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "boolean" && value.is_boolean();
}

struct Checker {
    const Json& root;

    std::string check_members(const Json& schema, const Json& value,
                              const std::string& place) const {
        for (const Json& name : schema.value("required", Json::array()))
            if (!value.contains(name.get<std::string>()))
                return place + ": has no " + name.get<std::string>();
        const Json properties = schema.value("properties", Json::object());
        const Json others = schema.value("additionalProperties", Json(true));
        for (const auto& [name, member] : value.items()) {
            if (!properties.contains(name) && others == Json(false))
                return place + ": may not have " + name;
            const Json& its = properties.contains(name) ? properties[name] : others;
            if (!its.is_object()) continue;
            const std::string problem = check(its, member, place + "/" + name);
            if (!problem.empty()) return problem;
        }
        return "";
    }

    std::string check(const Json& schema, const Json& value, const std::string& place) const {
        static const std::set<std::string> known{
            "$schema", "$defs",   "$ref",       "title",    "description",          "type",
            "const",   "minimum", "properties", "required", "additionalProperties", "items"};
        for (const auto& [keyword, unused] : schema.items())
            if (!known.contains(keyword)) return place + ": unknown keyword " + keyword;
        if (schema.contains("$ref")) {
            const std::string pointer = schema["$ref"].get<std::string>().substr(1);
            return check(root.at(Json::json_pointer(pointer)), value, place);
        }
        if (schema.contains("const") && schema["const"] != value)
            return place + ": is not " + schema["const"].dump();
        if (schema.contains("type") && !has_type(value, schema["type"]))
            return place + ": is not of type " + schema["type"].get<std::string>();
        if (schema.contains("minimum") && value < schema["minimum"])
            return place + ": is too small";
        for (std::size_t k = 0; schema.contains("items") && k < value.size(); ++k) {
            const std::string problem =
                check(schema["items"], value[k], place + "/" + std::to_string(k));
            if (!problem.empty()) return problem;
        }
        return value.is_object() ? check_members(schema, value, place) : "";
    }
};

}  // namespace

std::string find_violation(const Json& schema, const Json& value) {
    return Checker{schema}.check(schema, value, "");
}

}  // namespace coalesce::tests
