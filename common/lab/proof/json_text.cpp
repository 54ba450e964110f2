#include "lab/proof/json_text.h"

namespace coalesce::proof {
namespace {

bool is_table(const Json& value) {
    return value.is_array() && !value.empty() && value[0].is_object();
}

bool contains_tables(const Json& value) {
    if (!value.is_object()) return false;
    for (const auto& [name, member] : value.items()) {
        if (is_table(member) || contains_tables(member)) return true;
    }
    return false;
}

std::string format_value(const Json& value, const std::string& indent);

std::string format_table(const Json& table, const std::string& indent) {
    std::string text = "[";
    for (std::size_t i = 0; i < table.size(); ++i) {
        text += (i == 0 ? "\n " : ",\n ") + indent + format_value(table[i], indent + " ");
    }
    return text + "\n" + indent + "]";
}

std::string format_object(const Json& object, const std::string& indent) {
    std::string text = "{";
    bool first = true;
    for (const auto& [name, member] : object.items()) {
        text += (first ? "\n " : ",\n ") + indent + Json(name).dump() + ": " +
                format_value(member, indent + " ");
        first = false;
    }
    return text + "\n" + indent + "}";
}

std::string format_value(const Json& value, const std::string& indent) {
    if (is_table(value)) return format_table(value, indent);
    if (contains_tables(value)) return format_object(value, indent);
    return value.dump();
}

}  // namespace

std::string json_text(const Json& object) {
    return format_object(object, "") + "\n";
}

}  // namespace coalesce::proof
