#include "examiner/course/exercise.h"

#include <charconv>
#include <stdexcept>

#include "base/text.h"

namespace coalesce {
std::string toml_text(double number) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string toml_text(Shape shape) {
    return "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) + "]";
}

std::string toml_text(const std::vector<Shape>& shapes) {
    return "[" + joined(shapes, ", ", [](Shape shape) { return toml_text(shape); }) + "]";
}

Produces Exercise::task() const {
    for (const auto& [name, task] : kTasks) {
        if (produces == name) return task;
    }
    throw std::invalid_argument("no kernel can be asked for \"" + produces + "\"");
}

bool means(const std::string& typed, const std::string& step) {
    const std::string number = step.substr(0, 2);
    return typed == step || typed == number || "0" + typed == number;
}

std::string text_of(const Exercise& exercise) {
    const auto limit = [&](const auto& named) {
        const double value = exercise.limits.*named.second;
        return value > 0 ? std::string(named.first) + " = " + toml_text(value) : "";
    };
    return "name = \"" + exercise.name + "\"\nkernel = \"" + exercise.kernel + "\"\nproduces = \"" +
           exercise.produces +
           "\"\nmultiples = " + toml_text(Shape{exercise.rows_multiple, exercise.cols_multiple}) +
           "\nshapes = " + toml_text(exercise.shapes) +
           "\ncounted = " + toml_text(exercise.counted) + "\nlimits = { " +
           joined(kLimits, ", ", limit) + " }\nblock_order = \"" + exercise.block_order + "\"\n";
}

}  // namespace coalesce
