#include "course/exercise.h"

#include <charconv>
#include <stdexcept>

namespace coalesce {
namespace {

/// The shortest digits that give the same number again.
std::string digits(double number) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string pair_text(int first, int second) {
    return "[" + std::to_string(first) + ", " + std::to_string(second) + "]";
}

template <class List, class Text>
std::string joined(const List& list, Text text_of_one) {
    std::string text;
    for (const auto& one : list) {
        const std::string more = text_of_one(one);
        if (!more.empty()) text += (text.empty() ? "" : ", ") + more;
    }
    return text;
}

std::string shape_text(Shape shape) {
    return pair_text(shape.rows, shape.cols);
}

}  // namespace

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
        return value > 0 ? std::string(named.first) + " = " + digits(value) : "";
    };
    return "name = \"" + exercise.name + "\"\nkernel = \"" + exercise.kernel + "\"\nproduces = \"" +
           exercise.produces +
           "\"\nmultiples = " + pair_text(exercise.rows_multiple, exercise.cols_multiple) +
           "\nshapes = [" + joined(exercise.shapes, shape_text) +
           "]\ncounted = " + shape_text(exercise.counted) + "\nlimits = { " +
           joined(kLimits, limit) + " }\nblock_order = \"" + exercise.block_order + "\"\n";
}

}  // namespace coalesce
