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

bool names_step(const std::string& typed, const std::string& step) {
    if (is_beyond(step)) return typed == step || kBeyondPrefix.data() + typed == step;
    const std::string number = step.substr(0, 2);
    return typed == step || typed == number || "0" + typed == number;
}

namespace {

/// Returns, as text, the requirements that only exercises beyond the transpose have.
std::string text_of(const ElementTask& task) {
    const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
    const auto declaration = [&](const Parameter& one) {
        const Generator& made = one.generator;
        return quoted(one.text + " = " + std::to_string(static_cast<int>(made.kind)) + " " +
                      made.low + " " + made.high);
    };
    const auto limit = [](int most) { return std::to_string(most); };
    return "sizes = [" + joined(task.sizes, ", ", quoted) + "]\narguments = [" +
           joined(task.parameters, ", ", declaration) + "]\ntolerance = \"" +
           task.tolerance.text() + "\"\nmost = [" + joined(task.max_sizes, ", ", limit) +
           "]\nreference = \"\"\"\n" + task.reference + "\"\"\"\n";
}

}  // namespace

std::string text_of(const Exercise& exercise) {
    const auto limit = [&](const auto& named) {
        const double value = exercise.limits.*named.second;
        return value > 0 ? std::string(named.first) + " = " + to_toml(value) : "";
    };
    return "name = \"" + exercise.name + "\"\nkernel = \"" + exercise.kernel + "\"\nproduces = \"" +
           exercise.produces +
           "\"\nmultiples = " + to_toml(Shape{exercise.rows_multiple, exercise.cols_multiple}) +
           "\nshapes = " + to_toml(exercise.shapes, exercise.size_names().size()) +
           "\ncounted = " + to_toml(exercise.counted, exercise.size_names().size()) +
           "\nlimits = { " + joined(kLimits, ", ", limit) + " }\nblock_order = \"" +
           exercise.block_order + "\"\n" + (exercise.elements ? text_of(*exercise.elements) : "");
}

}  // namespace coalesce
