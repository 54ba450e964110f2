#include "examiner/course/exercise.h"

#include <charconv>
#include <stdexcept>

#include "base/text.h"

namespace coalesce {
std::string to_toml(double number) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string to_toml(Shape shape) {
    return "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.cols) + "]";
}

std::string to_toml(const std::vector<Shape>& shapes) {
    return "[" + joined(shapes, ", ", [](Shape shape) { return to_toml(shape); }) + "]";
}

Produces Exercise::task() const {
    for (const auto& [name, task] : kTasks) {
        if (produces == name) return task;
    }
    throw std::invalid_argument("no kernel can be asked for \"" + produces + "\"");
}

bool names_step(const std::string& typed, const std::string& step) {
    const std::string number = step.substr(0, 2);
    return typed == step || typed == number || "0" + typed == number;
}

std::string text_of(const Exercise& exercise) {
    const auto limit = [&](const auto& named) {
        const double value = exercise.limits.*named.second;
        return value > 0 ? std::string(named.first) + " = " + to_toml(value) : "";
    };
    return "name = \"" + exercise.name + "\"\nkernel = \"" + exercise.kernel + "\"\nproduces = \"" +
           exercise.produces +
           "\"\nmultiples = " + to_toml(Shape{exercise.rows_multiple, exercise.cols_multiple}) +
           "\nshapes = " + to_toml(exercise.shapes) + "\ncounted = " + to_toml(exercise.counted) +
           "\nlimits = { " + joined(kLimits, ", ", limit) + " }\nblock_order = \"" +
           exercise.block_order + "\"\n";
}

}  // namespace coalesce
