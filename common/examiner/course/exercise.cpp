#include "examiner/course/exercise.h"

#include <charconv>
#include <stdexcept>

#include "base/text.h"

namespace coalesce {
std::string to_toml(double number) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string to_toml(Shape shape, std::size_t sizes) {
    std::string text = "[" + std::to_string(shape.rows);
    for (std::size_t i = 1; i < sizes; ++i) text += ", " + std::to_string(size_at(shape, i));
    return text + "]";
}

std::string to_toml(const std::vector<Shape>& shapes, std::size_t sizes) {
    return "[" + joined(shapes, ", ", [&](Shape shape) { return to_toml(shape, sizes); }) + "]";
}

Produces Exercise::task() const {
    for (const auto& [name, task] : kTasks) {
        if (produces == name) return task;
    }
    throw std::invalid_argument("no exercise can require \"" + produces + "\"");
}

bool names_step(const std::string& typed_name, const std::string& step) {
    if (is_beyond(step)) return typed_name == step || kBeyondPrefix.data() + typed_name == step;
    const std::string number = step.substr(0, 2);
    return typed_name == step || typed_name == number || "0" + typed_name == number;
}

namespace {

/// Returns, as text, the requirements that only exercises beyond the transpose have.
std::string serialize_task(const ElementTask& task) {
    const auto quote = [](const std::string& text) { return "\"" + text + "\""; };
    const auto declaration = [&](const Parameter& parameter) {
        const Generator& array_generator = parameter.generator;
        return quote(parameter.text + " = " +
                     std::to_string(static_cast<int>(array_generator.kind)) + " " +
                     array_generator.low_bound + " " + array_generator.high_bound);
    };
    const auto limit = [](int max_value) { return std::to_string(max_value); };
    return "sizes = [" + joined(task.sizes, ", ", quote) + "]\narguments = [" +
           joined(task.parameters, ", ", declaration) + "]\ntolerance = \"" +
           task.tolerance.text() + "\"\nmost = [" + joined(task.max_sizes, ", ", limit) +
           "]\nreference = \"\"\"\n" + task.reference + "\"\"\"\n";
}

}  // namespace

std::string serialize_exercise(const Exercise& exercise) {
    const auto limit = [&](const auto& limit_entry) {
        const double value = exercise.limits.*limit_entry.second;
        return value > 0 ? std::string(limit_entry.first) + " = " + to_toml(value) : "";
    };
    return "name = \"" + exercise.name + "\"\nkernel = \"" + exercise.kernel + "\"\nproduces = \"" +
           exercise.produces +
           "\"\nmultiples = " + to_toml(Shape{exercise.rows_multiple, exercise.cols_multiple}) +
           "\nshapes = " + to_toml(exercise.shapes, exercise.size_names().size()) +
           "\ncounted = " + to_toml(exercise.counted_shape, exercise.size_names().size()) +
           "\nlimits = { " + joined(kLimits, ", ", limit) + " }\nblock_order = \"" +
           exercise.block_order + "\"\n" +
           (exercise.elements ? serialize_task(*exercise.elements) : "");
}

}  // namespace coalesce
