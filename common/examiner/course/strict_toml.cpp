#include "examiner/course/strict_toml.h"

namespace coalesce::course {

Shape StrictToml::shape(const toml::node& node, const char* key) const {
    constexpr std::int64_t longest = 1 << 14;
    const toml::array* pair = node.as_array();
    const auto side = [&](std::size_t i) -> std::int64_t {
        if (pair == nullptr || pair->size() != 2) return 0;
        return (*pair)[i].value_exact<std::int64_t>().value_or(0);
    };
    for (const std::size_t i : {0, 1}) {
        if (side(i) >= 1 && side(i) <= longest) continue;
        fail(node, std::string("`") + key + "` must be two whole numbers from 1 to " +
                       std::to_string(longest) + ": [rows, cols]");
    }
    return {static_cast<int>(side(0)), static_cast<int>(side(1))};
}

std::vector<Shape> StrictToml::shapes(const toml::table& table, const char* key,
                                      const std::string& table_name) const {
    const toml::node& node = required_node(table, key, table_name, "[[64, 64], ...]");
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) {
        fail(node, std::string("`") + key + "` must be a list of shapes: [[64, 64], ...]");
    }
    std::vector<Shape> shape_list;
    for (const toml::node& shape_node : *list) shape_list.push_back(shape(shape_node, key));
    return shape_list;
}

}  // namespace coalesce::course
