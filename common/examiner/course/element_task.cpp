#include "examiner/course/element_task.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include "base/enum_names.h"
#include "base/text.h"
#include "harness/text.h"

namespace coalesce {
namespace {

[[noreturn]] void report_error(const std::string& text, const std::string& reason) {
    throw ExpressionError("`" + text + "`: " + reason);
}

/// Splits the arguments of a generator at commas outside parentheses.
std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    for (std::string& part : parts) part = trimmed(part);
    return parts;
}

/// Throws ExpressionError unless the expression can be evaluated.
void check_expression(const std::string& expression, const std::vector<std::string>& sizes) {
    std::vector<NamedSize> sample_sizes;
    for (const std::string& size : sizes) sample_sizes.push_back({size, 1 << 20});
    static_cast<void>(evaluate(expression, sample_sizes));
}

/// Lists the forms that a generator can have, for use in messages.
constexpr const char* kGeneratorForms =
    "random(-1, 1), sorted(0, 100), sparse(-1, 1), iota, permutation, bytes, zero or a number";

Generator parse_generator(const std::string& text, const std::vector<std::string>& sizes) {
    static const std::regex call(R"((\w+)\s*\((.*)\))");
    std::smatch match;
    Generator generator;
    const bool has_range = std::regex_match(text, match, call) && match[1] != "ceil_div";
    const std::string word = has_range ? match[1].str() : text;
    using Kind = Generator::Kind;
    for (int i = static_cast<int>(Kind::zero); i <= static_cast<int>(last_of(Kind{})); ++i) {
        const auto kind = static_cast<Kind>(i);
        if (kind != Kind::constant && dashed_name(kind) == word) generator.kind = kind;
    }
    const bool takes_range = generator.kind == Kind::random || generator.kind == Kind::sorted ||
                             generator.kind == Kind::sparse;
    if (has_range) {
        const std::vector<std::string> upper_bounds = split_at_commas(match[2].str());
        if (!takes_range || upper_bounds.size() != 2)
            report_error(text, std::string("write ") + kGeneratorForms);
        generator.low_bound = upper_bounds[0];
        generator.high_bound = upper_bounds[1];
    } else if (generator.kind == Kind::none) {
        generator.kind = Kind::constant;
        generator.low_bound = generator.high_bound = text;
    }
    for (const std::string& end : {generator.low_bound, generator.high_bound}) {
        if (!end.empty()) check_expression(end, sizes);
    }
    return generator;
}

/// Sets the generator of an input that has none: random values in a range that suits the input's
/// type.
void set_usual_generator(Parameter& parameter) {
    const bool is_input = parameter.is_array && parameter.is_const;
    if (parameter.generator.kind != Generator::Kind::none || !is_input) return;
    const bool is_unsigned = parameter.type.scalar == Scalar::unsigned_integer;
    const std::string limit = parameter.type.is_integer() ? "100" : "1";
    parameter.generator = {Generator::Kind::random, is_unsigned ? "0" : "-" + limit, limit};
}

}  // namespace

std::string Parameter::declaration() const {
    return (is_const && is_array ? "const " : "") + type.name + (is_array ? "* " : " ") + name;
}

std::string Tolerance::text() const {
    if (kind == Kind::bits) return "bits";
    return dashed_name(kind) + format(" %g", limit);
}

std::vector<NamedSize> ElementTask::named_sizes(Shape shape) const {
    std::vector<NamedSize> sizes_with_values;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        sizes_with_values.push_back({sizes[i], size_at(shape, i)});
    return sizes_with_values;
}

std::optional<int> ElementTask::find_size(const std::string& name, Shape shape) const {
    const auto position = std::ranges::find(sizes, name);
    if (position == sizes.end()) return std::nullopt;
    return size_at(shape, static_cast<std::size_t>(position - sizes.begin()));
}

std::vector<std::int64_t> ElementTask::extents(const Parameter& array, Shape shape) const {
    std::vector<std::int64_t> extent_values;
    const std::vector<NamedSize> values = named_sizes(shape);
    for (const std::string& extent : array.extents) {
        const double value = evaluate(extent, values);
        if (value < 1 || value > 2147483648.0 || value != std::trunc(value)) {
            throw ExpressionError("`" + array.text + "` cannot have " + format_short(value) +
                                  " elements, with " + describe_sizes(sizes, shape));
        }
        extent_values.push_back(static_cast<std::int64_t>(value));
    }
    return extent_values;
}

std::vector<const Parameter*> ElementTask::outputs() const {
    std::vector<const Parameter*> parameters_found;
    for (const Parameter& parameter : parameters) {
        if (parameter.is_output()) parameters_found.push_back(&parameter);
    }
    return parameters_found;
}

std::string ElementTask::reference_name(const std::string& kernel, const Parameter& output) const {
    return kernel + "_reference" + (outputs().size() == 1 ? "" : "_" + output.name);
}

std::string ElementTask::kernel_declaration(const std::string& kernel) const {
    return "__global__ void " + kernel + "(" + joined(parameters, ", ", &Parameter::declaration) +
           ")";
}

std::int64_t count_elements(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return count;
}

Parameter parse_parameter(const std::string& text, const std::vector<std::string>& sizes) {
    static const std::regex form(
        R"(\s*(const\s+)?([A-Za-z_][\w ]*?)\s*(\*\s*|\s)\s*(\w+)\s*((?:\[[^\]]*\]\s*)*)(?:=\s*(.*\S))?\s*)");
    static const std::regex bracket(R"(\[([^\]]*)\])");
    std::smatch match;
    if (!std::regex_match(text, match, form)) {
        report_error(text,
                     "an argument must look like \"const float* in[rows * cols] = random(-1, 1)\"");
    }
    Parameter parameter;
    parameter.text = trimmed(text.substr(0, text.find('=')));
    parameter.name = match[4].str();
    parameter.is_const = match[1].matched;
    parameter.is_array = match[3].str().starts_with("*");
    const auto type = find_element_type(match[2].str());
    if (!type) {
        report_error(text, "there is no type `" + match[2].str() + "`; the types are " +
                               kElementTypeExamples);
    }
    parameter.type = *type;
    const std::string brackets = match[5].str();
    for (std::sregex_iterator bracket_match(brackets.begin(), brackets.end(), bracket), end;
         bracket_match != end; ++bracket_match) {
        parameter.extents.push_back(trimmed((*bracket_match)[1].str()));
        check_expression(parameter.extents.back(), sizes);
    }
    if (parameter.is_array == parameter.extents.empty()) {
        report_error(
            text, parameter.is_array
                      ? "add the number of elements: " + parameter.text + "[n]"
                      : "declare an array as a pointer: " + match[2].str() + "* " + parameter.name);
    }
    if (match[6].matched) parameter.generator = parse_generator(match[6].str(), sizes);
    const bool is_size = !parameter.is_array && std::ranges::count(sizes, parameter.name) > 0;
    const bool needs_value = !parameter.is_array && !is_size;
    if (needs_value && parameter.generator.kind == Generator::Kind::none) {
        report_error(text, "the parameter is not one of `sizes`, so it needs a value: " +
                               parameter.text + " = 3");
    }
    if (is_size && match[6].matched) report_error(text, "a size gets its value from `shapes`");
    set_usual_generator(parameter);
    return parameter;
}

Tolerance parse_tolerance(const std::string& text) {
    static const std::regex form(R"((relative|absolute|ulps)\s+([0-9.eE+-]+))");
    std::smatch match;
    if (text == "bits") return {};
    if (!std::regex_match(text, match, form)) {
        throw ExpressionError(
            "`tolerance` must be \"bits\", \"relative 1e-5\", \"absolute 1e-6\" or \"ulps 4\", not "
            "\"" +
            text + "\"");
    }
    const double limit = std::strtod(match[2].str().c_str(), nullptr);
    if (!(limit > 0) || limit > 1e6) throw ExpressionError("`tolerance` must be above 0");
    using Kind = Tolerance::Kind;
    const std::string word = match[1];
    return {word == "relative"   ? Kind::relative
            : word == "absolute" ? Kind::absolute
                                 : Kind::ulps,
            limit};
}

std::string describe_sizes(const std::vector<std::string>& sizes, Shape shape) {
    std::size_t index = 0;
    return joined(sizes, ", ", [&](const std::string& size) {
        return size + " = " + std::to_string(size_at(shape, index++));
    });
}

int size_at(Shape shape, std::size_t index) {
    return index == 0 ? shape.rows : index == 1 ? shape.cols : shape.depth;
}

Shape make_shape(const std::vector<int>& values) {
    return {values.at(0), values.size() > 1 ? values[1] : 1, values.size() > 2 ? values[2] : 0};
}

}  // namespace coalesce
