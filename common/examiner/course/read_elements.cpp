// Reads the record of an exercise whose task is defined element by element.

#include <algorithm>

#include "base/text.h"
#include "examiner/course/read_exercise.h"

namespace coalesce::course {
namespace {

/// Calls `read_node`. Converts an ExpressionError to an error at the node's line.
auto read_with_line(const StrictToml& reader, const toml::node& node, const auto& read_node) {
    try {
        return read_node();
    } catch (const ExpressionError& error) {
        reader.fail(node, error.what());
    }
}

std::vector<std::string> read_sizes(const StrictToml& reader, const toml::table& table,
                                    const std::string& table_name) {
    const std::vector<std::string> sizes = reader.strings(table, "sizes", table_name);
    const toml::node& node = *table.get("sizes");
    if (sizes.empty() || sizes.size() > kMaxSizes) {
        reader.fail(node, "`sizes` must name one to three sizes, such as [\"rows\", \"cols\"]");
    }
    for (const std::string& size : sizes) {
        if (!is_identifier(size)) reader.fail(node, "\"" + size + "\" cannot be a name in C++");
        if (std::ranges::count(sizes, size) > 1) {
            reader.fail(node, "`sizes` has \"" + size + "\" twice; rename one");
        }
    }
    return sizes;
}

std::vector<Parameter> read_parameters(const StrictToml& reader, const toml::table& table,
                                       const ElementTask& task, const std::string& table_name) {
    constexpr std::size_t max_arguments = 16;
    static_cast<void>(reader.strings(table, "arguments", table_name));
    std::vector<Parameter> parameters;
    for (const toml::node& node : *table.get("arguments")->as_array()) {
        const Parameter parameter = read_with_line(reader, node, [&] {
            return parse_parameter(*node.value_exact<std::string>(), task.sizes);
        });
        const auto has_its_name = [&](const Parameter& argument) {
            return argument.name == parameter.name;
        };
        if (std::ranges::any_of(parameters, has_its_name)) {
            reader.fail(node, "there are two arguments `" + parameter.name + "`; rename one");
        }
        parameters.push_back(parameter);
    }
    const toml::node& list = *table.get("arguments");
    if (std::ranges::none_of(parameters, &Parameter::is_output)) {
        reader.fail(
            list,
            "none of the arguments is an output; add an array without const: \"float* out[n]\"");
    }
    if (parameters.size() > max_arguments) {
        reader.fail(list, "`arguments` has more than " + std::to_string(max_arguments));
    }
    return parameters;
}

Limits read_limits(const StrictToml& reader, const toml::table& table,
                   const std::string& table_name) {
    if (!table.contains("limits")) return {};
    const toml::table& limits = reader.section(table, "limits", table_name);
    reader.allow_keys(limits, {"load", "store", "shared_load", "shared_store", "of_solution"},
                      "`limits` of " + table_name);
    return read_numbers(reader, limits, kLimits, "`limits` of " + table_name);
}

}  // namespace

Shape read_element_shape(const StrictToml& reader, const toml::node& node, const char* key,
                         const ElementTask& task) {
    constexpr int max_size = 1 << 20;
    std::vector<int> values;
    const toml::array* list = node.as_array();
    bool is_good = list != nullptr && list->size() == task.sizes.size();
    for (std::size_t i = 0; is_good && i < list->size(); ++i) {
        const auto value = (*list)[i].value_exact<std::int64_t>().value_or(0);
        is_good = value >= 1 && value <= max_size;
        values.push_back(static_cast<int>(value));
    }
    if (!is_good) {
        reader.fail(node, std::string("`") + key +
                              "` must have a whole number from 1 to a million for each of [" +
                              joined(task.sizes, ", ") + "]");
    }
    return make_shape(values);
}

std::vector<Shape> read_element_shapes(const StrictToml& reader, const toml::table& table,
                                       const ElementTask& task, const std::string& table_name) {
    const toml::node* node = table.get("shapes");
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->empty()) {
        reader.fail(node == nullptr ? 1 : StrictToml::line_of(*node),
                    table_name + " needs `shapes`, a list of lists: shapes = [[1], [1000]]");
    }
    std::vector<Shape> shapes;
    for (const toml::node& element_node : *list) {
        shapes.push_back(read_element_shape(reader, element_node, "shapes", task));
    }
    return shapes;
}

void check_element_shape(const StrictToml& reader, const toml::node& node, const ElementTask& task,
                         Shape shape) {
    constexpr std::int64_t max_bytes = std::int64_t{64} << 20;
    for (std::size_t i = 0; i < task.max_sizes.size(); ++i) {
        if (size_at(shape, i) <= task.max_sizes[i]) continue;
        reader.fail(node, "`most` allows " + task.sizes[i] + " up to " +
                              std::to_string(task.max_sizes[i]) + ", but here the size is " +
                              std::to_string(size_at(shape, i)));
    }
    for (const Parameter& parameter : task.parameters) {
        if (!parameter.is_array) continue;
        const std::int64_t count = read_with_line(
            reader, node, [&] { return count_elements(task.extents(parameter, shape)); });
        if (count * static_cast<std::int64_t>(parameter.type.bytes()) <= max_bytes) continue;
        reader.fail(node, "`" + parameter.text + "` is larger than 64 MB with " +
                              describe_sizes(task.sizes, shape) + "; choose a smaller shape");
    }
}

void read_elements(const StrictToml& reader, const toml::table& table, Exercise& exercise) {
    const std::string table_name = "the exercise " + exercise.name;
    // For "x_row_sums" and "17_row_sums", this is "row_sums".
    const std::string after_prefix = exercise.name.substr(exercise.name.find('_') + 1);
    exercise.kernel =
        table.contains("kernel") ? reader.text(table, "kernel", table_name) : after_prefix;
    if (!is_identifier(exercise.kernel)) {
        reader.fail(table.contains("kernel") ? StrictToml::line_of(*table.get("kernel")) : 1,
                    "\"" + exercise.kernel + "\" cannot be the name of a kernel");
    }
    ElementTask task;
    task.sizes = read_sizes(reader, table, table_name);
    task.parameters = read_parameters(reader, table, task, table_name);
    if (const toml::node* node = table.get("tolerance")) {
        task.tolerance = read_with_line(reader, *node, [&] {
            return parse_tolerance(reader.text(table, "tolerance", table_name));
        });
    }
    if (const toml::node* node = table.get("most")) {
        const Shape max_shape = read_element_shape(reader, *node, "most", task);
        for (std::size_t i = 0; i < task.sizes.size(); ++i)
            task.max_sizes.push_back(size_at(max_shape, i));
    }
    exercise.shapes = read_element_shapes(reader, table, task, table_name);
    for (const Shape shape : exercise.shapes) {
        check_element_shape(reader, *table.get("shapes"), task, shape);
    }
    exercise.counted_shape = exercise.shapes.back();
    if (const toml::node* node = table.get("counted")) {
        exercise.counted_shape = read_element_shape(reader, *node, "counted", task);
        check_element_shape(reader, *node, task, exercise.counted_shape);
    }
    exercise.limits = read_limits(reader, table, table_name);
    exercise.elements = task;
}

}  // namespace coalesce::course
