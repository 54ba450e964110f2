// Reads TOML strictly: unknown keys, and numbers out of range, are errors. The messages name the
// file and the line, and say what to do.
#pragma once

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace coalesce {

/// Returns `text` as a quoted TOML string on one line. Line breaks become spaces.
inline std::string toml_string(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' ? ' ' : c;
    }
    return quoted + '"';
}

/// A reader that takes values from tables and checks them. It throws Error, which must be
/// constructible from a string, if a value is invalid. The parameter `where` of its functions is
/// the table's name in messages, such as "a step".
template <class Error>
class StrictToml {
public:
    explicit StrictToml(std::string file) : file_(std::move(file)) {}

    /// Parses the whole file.
    toml::table parse() const {
        return parse_or_fail([&] { return toml::parse_file(file_); });
    }
    /// Parses `text` instead of the file. Messages still name the file.
    toml::table parse(std::string_view text) const {
        return parse_or_fail([&] { return toml::parse(text, file_); });
    }
    [[noreturn]] void fail(int line, const std::string& what) const {
        throw Error(file_ + ":" + std::to_string(line) + ": " + what);
    }
    /// Throws an Error that names the line of `node`, which is a value, a table or a key.
    template <class Node>
    [[noreturn]] void fail(const Node& node, const std::string& what) const {
        fail(line_of(node), what);
    }

    void allow_keys(const toml::table& table, const std::set<std::string_view>& known_keys,
                    const std::string& where) const {
        for (auto& [key, value] : table) {
            if (known_keys.contains(key.str())) continue;
            const auto text = [](std::string_view name) { return std::string(name); };
            fail(key, where + ": unknown key `" + std::string(key.str()) +
                          "`; correct or remove it (known keys: " + joined(known_keys, ", ", text) +
                          ")");
        }
    }
    /// Reads a required string.
    std::string text(const toml::table& table, const char* key, const std::string& where) const {
        const toml::node& node = required_node(table, key, where, "\"...\"");
        return *require_value(node.value_exact<std::string>(), node, key, "a string in quotes");
    }
    /// Reads an optional string that must be one of `known`. If the key is missing, returns the
    /// first of `known`.
    std::string one_of(const toml::table& table, const char* key,
                       const std::vector<std::string>& known) const {
        const toml::node* node = table.get(key);
        if (node == nullptr) return known.front();
        const std::string value = node->value_exact<std::string>().value_or("");
        if (std::find(known.begin(), known.end(), value) != known.end()) return value;
        const auto quoted = [](const std::string& name) { return "\"" + name + "\""; };
        fail(*node, std::string("`") + key + "` must be one of " + joined(known, ", ", quoted));
    }
    /// Reads a required integer.
    std::int64_t integer(const toml::table& table, const char* key, const std::string& where,
                         std::int64_t min_value, std::int64_t max_value) const {
        const toml::node& node = required_node(table, key, where, std::to_string(min_value));
        auto value = node.value_exact<std::int64_t>();
        if (value && (*value < min_value || *value > max_value)) value.reset();
        return *require_value(value, node, key,
                              "a whole number from " + std::to_string(min_value) + " to " +
                                  std::to_string(max_value));
    }
    /// Reads a required number.
    double number(const toml::table& table, const char* key, const std::string& where,
                  double min_value = 0, double max_value = 1e6) const {
        const toml::node& node = required_node(table, key, where, "1");
        return *require_value(number_within(node, min_value, max_value), node, key,
                              "a number " + range(min_value, max_value));
    }
    std::vector<double> numbers(const toml::table& table, const char* key, const std::string& where,
                                double min_value, double max_value) const {
        return all_of<double>(
            table, key, where, "a list of numbers " + range(min_value, max_value),
            [&](const toml::node& node) { return number_within(node, min_value, max_value); });
    }
    bool boolean(const toml::table& table, const char* key, const std::string& where) const {
        const toml::node& node = required_node(table, key, where, "false");
        return *require_value(node.value_exact<bool>(), node, key, "true or false");
    }
    std::vector<std::string> strings(const toml::table& table, const char* key,
                                     const std::string& where) const {
        return all_of<std::string>(
            table, key, where, "a list of strings",
            [](const toml::node& node) { return node.value_exact<std::string>(); });
    }
    const toml::table& section(const toml::table& table, const char* key,
                               const std::string& where) const {
        const toml::node& node = required_node(table, key, where, "{ ... }");
        return *require_value(node.as_table(), node, key, "a table");
    }
    /// Reads an array of tables. `header` is the line that starts each table in the file, such as
    /// "[[step]]". Messages quote it.
    const toml::array& tables(const toml::table& table, const char* key,
                              const std::string& header) const {
        const toml::node* node = table.get(key);
        if (node == nullptr || !node->is_array_of_tables()) {
            fail(node == nullptr ? line_of(table) : line_of(*node),
                 "there is no " + header + " table; add one, with double brackets around its name");
        }
        return *node->as_array();
    }

    template <typename Node>
    static int line_of(const Node& node) {
        const int line = static_cast<int>(node.source().begin.line);
        return line < 1 ? 1 : line;
    }

protected:
    const toml::node& required_node(const toml::table& table, const char* key,
                                    const std::string& where, const std::string& like) const {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            fail(table, where + " has no `" + key + "`; add " + key + " = " + like);
        }
        return *node;
    }

private:
    template <class Parse>
    toml::table parse_or_fail(const Parse& parse) const {
        try {
            return parse();
        } catch (const toml::parse_error& error) {
            const int line = static_cast<int>(error.source().begin.line);
            if (line == 0) throw Error(file_ + " cannot be read; check the path");
            fail(line, std::string(error.description()) + "; fix this line");
        }
    }
    /// Returns `found` if it holds a value. Otherwise throws an Error that says what was expected.
    template <class Found>
    Found require_value(const Found& found, const toml::node& node, const char* key,
                        const std::string& expected) const {
        if (!found) fail(node, std::string("`") + key + "` must be " + expected);
        return found;
    }
    static std::optional<double> number_within(const toml::node& node, double min_value,
                                               double max_value) {
        const auto value = node.value<double>();
        if (!node.is_number() || !value || !(*value >= min_value) || *value > max_value) return {};
        return *value;
    }
    /// Reads a list. `value_of` converts each element, or returns nothing if the element is
    /// invalid.
    template <class Value, class ValueOf>
    std::vector<Value> all_of(const toml::table& table, const char* key, const std::string& where,
                              const std::string& expected, ValueOf value_of) const {
        const toml::node& node = required_node(table, key, where, "[...]");
        std::vector<Value> all;
        for (const toml::node& one : *require_value(node.as_array(), node, key, expected)) {
            all.push_back(*require_value(value_of(one), node, key, expected));
        }
        return all;
    }
    /// Describes a range for messages: "from 0 to a million".
    static std::string range(double min_value, double max_value) {
        return "from " + format_short(min_value) + " to " +
               (max_value == 1e6 ? std::string("a million") : format_short(max_value));
    }

    std::string file_;
};

}  // namespace coalesce
