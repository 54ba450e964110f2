#include "examiner/course/read_exercise.h"

namespace coalesce::course {
namespace {

// Reads a range, which is either [minimum, maximum] or a single number for both.
std::array<int, 2> read_range(const StrictToml& reader, const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    if (node != nullptr && node->is_integer()) {
        const int length =
            static_cast<int>(reader.integer(table, key, "a hidden shape", 1, 1 << 14));
        return {length, length};
    }
    if (node == nullptr) {
        reader.fail(table,
                    std::string("a hidden shape has no `") + key + "`; add " + key + " = [33, 63]");
    }
    const Shape range_bounds = reader.shape(*node, key);
    if (range_bounds.rows > range_bounds.cols) {
        reader.fail(*node, "a range must be [minimum, maximum]; swap the two numbers");
    }
    return {range_bounds.rows, range_bounds.cols};
}

HiddenShape read_hidden_shape(const StrictToml& reader, const toml::node& node) {
    if (!node.is_table()) {
        reader.fail(
            node,
            "a hidden shape must be { rows = [33, 63], cols = [65, 127] } or { side = [...] }");
    }
    const toml::table& table = *node.as_table();
    reader.allow_keys(table, {"rows", "cols", "side"}, "a hidden shape");
    if (table.contains("side")) {
        const auto side = read_range(reader, table, "side");
        return {side, side, true};
    }
    return {read_range(reader, table, "rows"), read_range(reader, table, "cols")};
}

std::vector<HiddenShape> read_hidden(const StrictToml& reader, const toml::node& node) {
    std::vector<HiddenShape> hidden_shapes;
    const toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        hidden_shapes.push_back(read_hidden_shape(reader, (*list)[i]));
    }
    if (hidden_shapes.empty()) {
        reader.fail(node, "`hidden` must be a list: [{ rows = [33, 63], cols = [65, 127] }, ...]");
    }
    return hidden_shapes;
}

std::vector<std::string> list_names(const auto& list) {
    std::vector<std::string> names;
    for (const auto& [name, value] : list) names.push_back(name);
    return names;
}

}  // namespace

void check_shapes(const StrictToml& reader, int line, const Exercise& exercise,
                  const std::vector<Shape>& shapes) {
    const auto refuse_shape = [&](Shape shape, const std::string& complaint) {
        reader.fail(line, "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) +
                              "] is not allowed, because " + exercise.name + " takes " + complaint);
    };
    for (const Shape shape : shapes) {
        if (shape.rows % exercise.rows_multiple != 0 || shape.cols % exercise.cols_multiple != 0) {
            refuse_shape(shape, "multiples of " +
                                    Shape{exercise.rows_multiple, exercise.cols_multiple}.name());
        }
        if (exercise.requires_square() && shape.rows != shape.cols) refuse_shape(shape, "squares");
    }
}

void read_block_order(const StrictToml& reader, const toml::table& table, Exercise& exercise) {
    if (!table.contains("block_order")) return;
    std::vector<std::string> known_orders = {""};
    known_orders.insert(known_orders.end(), std::begin(kBlockOrders), std::end(kBlockOrders));
    exercise.block_order = reader.one_of(table, "block_order", known_orders);
}

void read_requirements(const StrictToml& reader, const toml::table& table, Exercise& exercise) {
    const std::string table_name = "the exercise of " + exercise.name;
    if (table.contains("kernel")) exercise.kernel = reader.text(table, "kernel", table_name);
    if (table.contains("produces")) {
        exercise.produces = reader.one_of(table, "produces", list_names(kTasks));
    }
    read_multiples(reader, table, exercise);
    if (table.contains("shapes")) exercise.shapes = reader.shapes(table, "shapes", table_name);
    if (const toml::node* node = table.get("counted")) {
        exercise.counted_shape = reader.shape(*node, "counted");
    }
    if (table.contains("limits")) {
        exercise.limits = read_numbers(reader, reader.section(table, "limits", table_name), kLimits,
                                       "`limits` of " + table_name);
    }
    read_block_order(reader, table, exercise);
    if (const toml::node* node = table.get("hidden"))
        exercise.hidden_shape_rules = read_hidden(reader, *node);
    const int line = StrictToml::line_of(table);
    check_shapes(reader, line, exercise, exercise.shapes);
    check_shapes(reader, line, exercise, {exercise.counted_shape});
}

}  // namespace coalesce::course
