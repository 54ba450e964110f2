#include "examiner/elements/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "harness/pattern.h"

namespace coalesce {
namespace {

/// A sequence of random numbers that nobody can predict without the seed.
class InputRandom {
public:
    explicit InputRandom(std::uint64_t seed) : seed_(mix(seed)) {}
    std::uint64_t bits() { return mix(seed_ ^ mix(++count_)); }
    /// Returns a number from 0 up to, but not including, 1.
    double fraction() { return std::ldexp(static_cast<double>(bits() >> 11), -53); }
    std::uint64_t draw_below(std::uint64_t limit) { return bits() % limit; }

private:
    std::uint64_t seed_, count_ = 0;
};

/// A range from which values are drawn.
struct ValueRange {
    double low_bound = 0, high_bound = 0;
};

double draw(const ElementType& type, ValueRange range, InputRandom& random) {
    const double fraction = random.fraction();
    if (!type.is_integer())
        return range.low_bound + fraction * (range.high_bound - range.low_bound);
    return range.low_bound + std::floor(fraction * (range.high_bound - range.low_bound + 1));
}

/// Returns the values of all components of an array, in order.
std::vector<double> draw_values(const Generator& generator, const ElementType& type,
                                ValueRange range, std::size_t count, InputRandom& random) {
    constexpr std::uint64_t spread_factor = 8;
    std::vector<double> values(count, 0);
    switch (generator.kind) {
        case Generator::Kind::constant: std::ranges::fill(values, range.low_bound); break;
        case Generator::Kind::random:
        case Generator::Kind::sorted:
            for (double& value : values) value = draw(type, range, random);
            break;
        case Generator::Kind::sparse:
            for (double& value : values) {
                if (random.draw_below(spread_factor) == 0) value = draw(type, range, random);
            }
            break;
        case Generator::Kind::iota:
        case Generator::Kind::permutation: std::iota(values.begin(), values.end(), 0.0); break;
        default: break;
    }
    if (generator.kind == Generator::Kind::sorted) std::sort(values.begin(), values.end());
    if (generator.kind != Generator::Kind::permutation) return values;
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.draw_below(i)]);
    }
    return values;
}

std::string generate_bytes(const Parameter& parameter, const ElementTask& task, Shape shape,
                           std::size_t elements, InputRandom& random) {
    const ElementType& type = parameter.type;
    const Generator& generator = parameter.generator;
    if (generator.kind == Generator::Kind::none) {
        return std::string(elements * type.bytes(), static_cast<char>(kPoisonByte));
    }
    std::string bytes(elements * type.bytes(), '\0');
    if (generator.kind == Generator::Kind::bytes) {
        for (char& byte : bytes) byte = static_cast<char>(random.bits());
        return bytes;
    }
    const std::vector<NamedSize> sizes = task.named_sizes(shape);
    const auto end = [&](const std::string& expression) {
        return expression.empty() ? 0 : evaluate(expression, sizes);
    };
    const std::vector<double> values =
        draw_values(generator, type, {end(generator.low_bound), end(generator.high_bound)},
                    elements * static_cast<std::size_t>(type.components), random);
    for (std::size_t i = 0; i < values.size(); ++i) {
        type.write_value(values[i], bytes.data() + i * type.scalar_bytes);
    }
    return bytes;
}

}  // namespace

std::vector<CallArgument> generate_arguments(const ElementTask& task, Shape shape,
                                             std::uint64_t seed) {
    std::vector<CallArgument> arguments;
    for (const Parameter& parameter : task.parameters) {
        InputRandom random(seed ^ mix(std::uint64_t{arguments.size() + 1}));
        CallArgument argument{.is_array = parameter.is_array};
        if (parameter.is_array) {
            const auto count =
                static_cast<std::size_t>(count_elements(task.extents(parameter, shape)));
            argument.bytes = generate_bytes(parameter, task, shape, count, random);
            argument.is_unwritten = parameter.generator.kind == Generator::Kind::none;
        } else {
            std::string bytes(parameter.type.bytes(), '\0');
            if (const auto size = task.find_size(parameter.name, shape)) {
                parameter.type.write_value(*size, bytes.data());
            } else {
                bytes = generate_bytes(parameter, task, shape, 1, random);
            }
            std::memcpy(&argument.value, bytes.data(),
                        std::min(bytes.size(), sizeof argument.value));
        }
        arguments.push_back(argument);
    }
    return arguments;
}

}  // namespace coalesce
