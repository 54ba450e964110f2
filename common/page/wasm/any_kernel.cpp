#include "any_kernel.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "examiner/signature.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce::page {
namespace {

using nlohmann::json;

/// The file's name in messages.
constexpr const char* kFileName = "kernel.cu";
constexpr std::size_t kMaxArguments = 16;
/// The most characters in a field. Longer expressions could exhaust the module's stack.
constexpr std::size_t kMaxFieldLength = 300;
/// The size of a kernel without sizes, because a shape needs one. Its value is 1.
constexpr const char* kOnlySizeName = "launches";
constexpr long long kMaxSize = 1 << 26;
/// The most bytes in all arrays of a launch. The page's device has 48 MB.
constexpr double kMaxArrayBytes = 32 << 20;

std::string field_text(const json& field) {
    std::string text = field.get<std::string>();
    if (text.size() <= kMaxFieldLength) return text;
    throw ExpressionError("A field has more than " + std::to_string(kMaxFieldLength) +
                          " characters.");
}

/// Returns the value of a field of the launch, such as "ceil_div(n, 256)".
long long launch_number(const json& field, const std::string& name,
                        const std::vector<NamedSize>& sizes, long long least) {
    const std::string text = field_text(field);
    const auto refuse = [&](const std::string& why) {
        throw ExpressionError(name + ", `" + text + "`: " + why);
    };
    double value = 0;
    try {
        value = evaluate(text, sizes);
    } catch (const ExpressionError& error) {
        refuse(error.what());
    }
    if (value != std::trunc(value) || value < static_cast<double>(least) || value > 2147483647.0) {
        refuse("the value must be a whole number from " + std::to_string(least) +
               " to 2147483647, but it is " + format_short(value) + ".");
    }
    return static_cast<long long>(value);
}

/// Reads up to three numbers, one for each axis. An omitted number is 1.
std::array<long long, 3> launch_numbers(const json& list, const std::string& name,
                                        const std::vector<NamedSize>& sizes) {
    std::array<long long, 3> numbers{1, 1, 1};
    if (list.empty() || list.size() > numbers.size()) {
        throw ExpressionError(name + ": write one to three numbers, separated by commas.");
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        numbers[i] = launch_number(list[i], name, sizes, 1);
    }
    return numbers;
}

void read_sizes(const json& list, ElementTask& task, std::vector<int>& values) {
    for (const json& size : list) {
        const std::string name = field_text(size.at("name"));
        const double value = size.at("value").is_number() ? size.at("value").get<double>() : 0;
        if (!is_identifier(name)) throw ExpressionError("`" + name + "` cannot be a name in C++.");
        if (value != std::trunc(value) || value < 1 || value > kMaxSize) {
            throw ExpressionError("The size `" + name + "` must be a whole number from 1 to " +
                                  std::to_string(kMaxSize) + ".");
        }
        task.sizes.push_back(name);
        values.push_back(static_cast<int>(value));
    }
    if (task.sizes.size() > kMaxSizes) {
        throw ExpressionError("There can be at most three sizes. Give the other integers a value.");
    }
    if (!values.empty()) return;
    task.sizes = {kOnlySizeName};
    values = {1};
}

void check_memory(const ElementTask& task, Shape shape) {
    const double bytes = bytes_of_arrays(task, shape);
    if (bytes <= kMaxArrayBytes) return;
    throw ExpressionError(
        format("The arrays need %.0f MB, but a launch in a page can have at most "
               "%.0f MB. Choose smaller sizes.",
               std::ceil(bytes / (1 << 20)), kMaxArrayBytes / (1 << 20)));
}

/// Returns the smallest multiple of `step` that is not less than each size. A kernel that fails
/// only on other sizes lacks a check of its index.
Shape round_up(const std::vector<int>& sizes, int step) {
    std::vector<int> rounded;
    for (const int size : sizes) rounded.push_back((size + step - 1) / step * step);
    return make_shape(rounded);
}

}  // namespace

double bytes_of_arrays(const ElementTask& task, Shape shape) {
    double bytes = 0;
    for (const Parameter& one : task.parameters) {
        if (!one.is_array) continue;
        double count = 1;
        for (const std::int64_t extent : task.extents(one, shape)) {
            count *= static_cast<double>(extent);
        }
        bytes += count * static_cast<double>(one.type.bytes());
    }
    return bytes;
}

std::optional<LaunchShape> AnyKernel::launch_for(Shape shape) const {
    if (launch.is_null()) return std::nullopt;
    const std::vector<NamedSize> sizes = task().named_sizes(shape);
    return LaunchShape{launch_numbers(launch.at("grid"), "Grid", sizes),
                       launch_numbers(launch.at("block"), "Block", sizes),
                       launch_number(launch.at("shared"), "Shared memory", sizes, 0)};
}

Source AnyKernel::source_to_compile() const {
    Source complete_source = source;
    const auto fixed_launch = launch_for(shape());
    if (!fixed_launch) return complete_source;
    const auto list = [](const std::array<long long, 3>& numbers) {
        return "{" +
               joined(numbers, ", ", [](long long one) { return std::to_string(one) + "LL"; }) +
               "}";
    };
    Signature signature;
    signature.sizes = task().sizes;
    complete_source.text += "\n" + signature.configure_declaration() +
                            " { return {.grid = " + list(fixed_launch->grid) +
                            ", .block = " + list(fixed_launch->block) +
                            ", .shared_bytes = " + std::to_string(fixed_launch->shared_bytes) +
                            "}; }\n";
    return complete_source;
}

AnyKernel parse_any_kernel(const json& question) {
    const json& given = question.at("kernel");
    AnyKernel parsed_kernel;
    parsed_kernel.source = make_source(question.at("source").get<std::string>(), kFileName);
    parsed_kernel.exercise.name = "playground";
    parsed_kernel.exercise.kernel = field_text(given.at("name"));
    ElementTask task;
    std::vector<int> values;
    read_sizes(given.at("sizes"), task, values);
    for (const json& argument : given.at("arguments")) {
        task.parameters.push_back(parse_parameter(field_text(argument), task.sizes));
    }
    if (task.parameters.empty()) throw ExpressionError("The kernel has no arguments.");
    if (task.parameters.size() > kMaxArguments) {
        throw ExpressionError("A kernel can have at most " + std::to_string(kMaxArguments) +
                              " arguments here.");
    }
    parsed_kernel.exercise.shapes = {make_shape(values)};
    check_memory(task, parsed_kernel.shape());
    // A block has this many threads along an axis, in most kernels.
    parsed_kernel.exercise.counted_shape = round_up(values, task.sizes.size() == 1 ? 256 : 32);
    parsed_kernel.exercise.elements = std::move(task);
    parsed_kernel.launch = given.value("launch", json());
    static_cast<void>(parsed_kernel.launch_for(parsed_kernel.shape()));
    return parsed_kernel;
}

}  // namespace coalesce::page
