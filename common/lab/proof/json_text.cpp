#include "lab/proof/json_text.h"

namespace coalesce::proof {
namespace {

bool is_table(const Json& value) {
    return value.is_array() && !value.empty() && value[0].is_object();
}

bool holds_tables(const Json& value) {
    if (!value.is_object()) return false;
    for (const auto& [name, member] : value.items()) {
        if (is_table(member) || holds_tables(member)) return true;
    }
    return false;
}

std::string text_of(const Json& value, const std::string& indent);

std::string table_text(const Json& table, const std::string& indent) {
    std::string text = "[";
    for (std::size_t i = 0; i < table.size(); ++i) {
        text += (i == 0 ? "\n " : ",\n ") + indent + text_of(table[i], indent + " ");
    }
    return text + "\n" + indent + "]";
}

std::string object_text(const Json& object, const std::string& indent) {
    std::string text = "{";
    bool first = true;
    for (const auto& [name, member] : object.items()) {
        text += (first ? "\n " : ",\n ") + indent + Json(name).dump() + ": " +
                text_of(member, indent + " ");
        first = false;
    }
    return text + "\n" + indent + "}";
}

std::string text_of(const Json& value, const std::string& indent) {
    if (is_table(value)) return table_text(value, indent);
    if (holds_tables(value)) return object_text(value, indent);
    return value.dump();
}

}  // namespace

std::string json_text(const Json& object) {
    return object_text(object, "") + "\n";
}

}  // namespace coalesce::proof
