// Reads TOML as one reads what others rely on: whatever could be a slip of the pen (an unknown key, a
// number out of its range) is an error that names file and line and says what to do.
#pragma once

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "course/course_error.h"
#include "harness/options.h"

namespace coalesce::course {

/// The ways to read one value of a table. `where` names the table for messages: "a step".
class StrictToml {
public:
    explicit StrictToml(std::string file) : file_(std::move(file)) {}

    /// The whole file.
    toml::table parse() const;
    [[noreturn]] void fail(int line, const std::string& what) const;

    void allow_keys(const toml::table& table, const std::set<std::string_view>& known,
                    const std::string& where) const;
    /// The text of a key that must be there.
    std::string text(const toml::table& table, const char* key, const std::string& where) const;
    /// The same, one of `known`; the first of them when the key is not there.
    std::string one_of(const toml::table& table, const char* key,
                       const std::vector<std::string>& known) const;
    /// A whole number of a key that must be there.
    std::int64_t whole(const toml::table& table, const char* key, const std::string& where,
                       std::int64_t least, std::int64_t most) const;
    /// A number from 0 to a million of a key that must be there.
    double number(const toml::table& table, const char* key, const std::string& where) const;
    std::vector<std::string> texts(const toml::table& table, const char* key,
                                   const std::string& where) const;
    /// Two whole numbers from 1 on: [rows, cols].
    Shape shape(const toml::node& node, const char* key) const;
    std::vector<Shape> shapes(const toml::table& table, const char* key,
                              const std::string& where) const;
    const toml::table& section(const toml::table& table, const char* key,
                               const std::string& where) const;
    /// An array of tables; `header` is how it begins in the file.
    const toml::array& tables(const toml::table& table, const char* key,
                              const std::string& header) const;

    template <typename Node>
    static int line_of(const Node& node) {
        const int line = static_cast<int>(node.source().begin.line);
        return line < 1 ? 1 : line;
    }

private:
    const toml::node& wanted(const toml::table& table, const char* key, const std::string& where,
                             const char* like) const;

    std::string file_;
};

}  // namespace coalesce::course
