// Reads TOML as one reads what others rely on: whatever could be a slip of the pen (an unknown key, a
// number out of its range) is an error that names file and line and says what to do.
#pragma once

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace coalesce {

/// The ways to read one value of a table. `where` names the table for messages: "a step". What cannot be
/// right is thrown as an Error, which is made of a text.
template <class Error>
class StrictToml {
public:
    explicit StrictToml(std::string file) : file_(std::move(file)) {}

    /// The whole file.
    toml::table parse() const {
        return parsed([&] { return toml::parse_file(file_); });
    }
    /// The same of a text that was read elsewhere.
    toml::table parse(std::string_view text) const {
        return parsed([&] { return toml::parse(text, file_); });
    }
    [[noreturn]] void fail(int line, const std::string& what) const {
        throw Error(file_ + ":" + std::to_string(line) + ": " + what);
    }

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
    /// A number of a key that must be there.
    double number(const toml::table& table, const char* key, const std::string& where,
                  double least = 0, double most = 1e6) const;
    std::vector<double> numbers(const toml::table& table, const char* key, const std::string& where,
                                double least, double most) const;
    bool truth(const toml::table& table, const char* key, const std::string& where) const;
    std::vector<std::string> texts(const toml::table& table, const char* key,
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

protected:
    const toml::node& wanted(const toml::table& table, const char* key, const std::string& where,
                             const std::string& like) const;

private:
    template <class Parse>
    toml::table parsed(const Parse& parse) const {
        try {
            return parse();
        } catch (const toml::parse_error& error) {
            const int line = static_cast<int>(error.source().begin.line);
            if (line == 0) throw Error(file_ + ": cannot be read; is the path right?");
            fail(line, std::string(error.description()) + "; fix this line");
        }
    }
    /// "from 0 to a million"
    static std::string range(double least, double most) {
        return "from " + short_number(least) + " to " +
               (most == 1e6 ? std::string("a million") : short_number(most));
    }

    std::string file_;
};

template <class Error>
void StrictToml<Error>::allow_keys(const toml::table& table,
                                   const std::set<std::string_view>& known,
                                   const std::string& where) const {
    for (auto& [key, value] : table) {
        if (known.contains(key.str())) continue;
        std::string all;
        for (auto name : known) all += (all.empty() ? "" : ", ") + std::string(name);
        fail(line_of(key), where + " has no key `" + std::string(key.str()) +
                               "`; fix its name, or remove it (known: " + all + ")");
    }
}

template <class Error>
const toml::node& StrictToml<Error>::wanted(const toml::table& table, const char* key,
                                            const std::string& where,
                                            const std::string& like) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        fail(line_of(table), where + " has no `" + key + "`; add " + key + " = " + like);
    }
    return *node;
}

template <class Error>
std::string StrictToml<Error>::text(const toml::table& table, const char* key,
                                    const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "\"...\"");
    auto value = node.value_exact<std::string>();
    if (!value) fail(line_of(node), std::string("`") + key + "` must be text in quotes");
    return *value;
}

template <class Error>
std::string StrictToml<Error>::one_of(const toml::table& table, const char* key,
                                      const std::vector<std::string>& known) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return known.front();
    const std::string value = node->value_exact<std::string>().value_or("");
    for (const std::string& name : known) {
        if (name == value) return value;
    }
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "\"" : ", \"") + name + "\"";
    fail(line_of(*node), std::string("`") + key + "` must be one of " + all);
}

template <class Error>
std::int64_t StrictToml<Error>::whole(const toml::table& table, const char* key,
                                      const std::string& where, std::int64_t least,
                                      std::int64_t most) const {
    const toml::node& node = wanted(table, key, where, std::to_string(least));
    auto value = node.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
        fail(line_of(node), std::string("`") + key + "` must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
}

template <class Error>
double StrictToml<Error>::number(const toml::table& table, const char* key,
                                 const std::string& where, double least, double most) const {
    const toml::node& node = wanted(table, key, where, "1");
    auto value = node.value<double>();
    if (!node.is_number() || !value || !(*value >= least) || *value > most) {
        fail(line_of(node), std::string("`") + key + "` must be a number " + range(least, most));
    }
    return *value;
}

template <class Error>
std::vector<double> StrictToml<Error>::numbers(const toml::table& table, const char* key,
                                               const std::string& where, double least,
                                               double most) const {
    const toml::node& node = wanted(table, key, where, "[...]");
    std::vector<double> all;
    const toml::array* list = node.as_array();
    bool is_good = list != nullptr;
    for (std::size_t i = 0; is_good && i < list->size(); ++i) {
        const auto value = (*list)[i].template value<double>();
        is_good = (*list)[i].is_number() && value && *value >= least && *value <= most;
        if (is_good) all.push_back(*value);
    }
    if (!is_good) {
        fail(line_of(node),
             std::string("`") + key + "` must be a list of numbers " + range(least, most));
    }
    return all;
}

template <class Error>
bool StrictToml<Error>::truth(const toml::table& table, const char* key,
                              const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "false");
    const auto value = node.value_exact<bool>();
    if (!value) fail(line_of(node), std::string("`") + key + "` must be true or false");
    return *value;
}

template <class Error>
std::vector<std::string> StrictToml<Error>::texts(const toml::table& table, const char* key,
                                                  const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "[...]");
    std::vector<std::string> all;
    const toml::array* list = node.as_array();
    bool is_good = list != nullptr;
    for (std::size_t i = 0; is_good && i < list->size(); ++i) {
        auto value = (*list)[i].template value_exact<std::string>();
        is_good = value.has_value();
        if (is_good) all.push_back(*value);
    }
    if (!is_good) fail(line_of(node), std::string("`") + key + "` must be a list of texts");
    return all;
}

template <class Error>
const toml::table& StrictToml<Error>::section(const toml::table& table, const char* key,
                                              const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "{ ... }");
    if (!node.is_table()) fail(line_of(node), std::string("`") + key + "` must be a table");
    return *node.as_table();
}

template <class Error>
const toml::array& StrictToml<Error>::tables(const toml::table& table, const char* key,
                                             const std::string& header) const {
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_array_of_tables()) {
        fail(node == nullptr ? line_of(table) : line_of(*node),
             "no " + header + " here; add one, a table in double brackets");
    }
    return *node->as_array();
}

}  // namespace coalesce
