#include "course/strict_toml.h"

#include <algorithm>

namespace coalesce::course {

toml::table StrictToml::parse() const {
    try {
        return toml::parse_file(file_);
    } catch (const toml::parse_error& error) {
        const int line = static_cast<int>(error.source().begin.line);
        if (line == 0) throw CourseError(file_ + ": cannot be read; is the path right?");
        fail(line, std::string(error.description()) + "; mend this line");
    }
}

void StrictToml::fail(int line, const std::string& what) const {
    throw CourseError(file_ + ":" + std::to_string(line) + ": " + what);
}

void StrictToml::allow_keys(const toml::table& table, const std::set<std::string_view>& known,
                            const std::string& where) const {
    for (auto& [key, value] : table) {
        if (known.contains(key.str())) continue;
        std::string all;
        for (auto name : known) all += (all.empty() ? "" : ", ") + std::string(name);
        fail(line_of(key), where + " has no key `" + std::string(key.str()) +
                               "`; mend its name, or remove it (known: " + all + ")");
    }
}

const toml::node& StrictToml::wanted(const toml::table& table, const char* key,
                                     const std::string& where, const char* like) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        fail(line_of(table), where + " has no `" + key + "`; add " + key + " = " + like);
    }
    return *node;
}

std::string StrictToml::text(const toml::table& table, const char* key,
                             const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "\"...\"");
    auto value = node.value_exact<std::string>();
    if (!value) fail(line_of(node), std::string("`") + key + "` must be text in quotes");
    return *value;
}

std::string StrictToml::one_of(const toml::table& table, const char* key,
                               const std::vector<std::string>& known) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return known.front();
    const std::string value = node->value_exact<std::string>().value_or("");
    if (std::find(known.begin(), known.end(), value) != known.end()) return value;
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "\"" : ", \"") + name + "\"";
    fail(line_of(*node), std::string("`") + key + "` must be one of " + all);
}

std::int64_t StrictToml::whole(const toml::table& table, const char* key, const std::string& where,
                               std::int64_t least, std::int64_t most) const {
    const toml::node& node = wanted(table, key, where, std::to_string(least).c_str());
    auto value = node.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
        fail(line_of(node), std::string("`") + key + "` must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
}

double StrictToml::number(const toml::table& table, const char* key,
                          const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "1");
    auto value = node.value<double>();
    if (!node.is_number() || !value || !(*value >= 0) || *value > 1e6) {
        fail(line_of(node), std::string("`") + key + "` must be a number from 0 to a million");
    }
    return *value;
}

std::vector<std::string> StrictToml::texts(const toml::table& table, const char* key,
                                           const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "[...]");
    std::vector<std::string> all;
    const toml::array* list = node.as_array();
    bool is_good = list != nullptr;
    for (std::size_t i = 0; is_good && i < list->size(); ++i) {
        auto value = (*list)[i].value_exact<std::string>();
        is_good = value.has_value();
        if (is_good) all.push_back(*value);
    }
    if (!is_good) fail(line_of(node), std::string("`") + key + "` must be a list of texts");
    return all;
}

Shape StrictToml::shape(const toml::node& node, const char* key) const {
    constexpr std::int64_t longest = 1 << 14;
    const toml::array* pair = node.as_array();
    const auto side = [&](std::size_t i) -> std::int64_t {
        if (pair == nullptr || pair->size() != 2) return 0;
        return (*pair)[i].value_exact<std::int64_t>().value_or(0);
    };
    for (const std::size_t i : {0, 1}) {
        if (side(i) >= 1 && side(i) <= longest) continue;
        fail(line_of(node), std::string("`") + key + "` must be two whole numbers from 1 to " +
                                std::to_string(longest) + ": [rows, cols]");
    }
    return {static_cast<int>(side(0)), static_cast<int>(side(1))};
}

std::vector<Shape> StrictToml::shapes(const toml::table& table, const char* key,
                                      const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "[[64, 64], ...]");
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) {
        fail(line_of(node), std::string("`") + key + "` must be a list of shapes: [[64, 64], ...]");
    }
    std::vector<Shape> all;
    for (const toml::node& one : *list) all.push_back(shape(one, key));
    return all;
}

const toml::table& StrictToml::section(const toml::table& table, const char* key,
                                       const std::string& where) const {
    const toml::node& node = wanted(table, key, where, "{ ... }");
    if (!node.is_table()) fail(line_of(node), std::string("`") + key + "` must be a table");
    return *node.as_table();
}

const toml::array& StrictToml::tables(const toml::table& table, const char* key,
                                      const std::string& header) const {
    const toml::node* node = table.get(key);
    if (node == nullptr || !node->is_array_of_tables()) {
        fail(node == nullptr ? line_of(table) : line_of(*node),
             "no " + header + " here; add one, a table in double brackets");
    }
    return *node->as_array();
}

}  // namespace coalesce::course
