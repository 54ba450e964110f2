#include "examiner/course/element_task.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include "base/enum_names.h"
#include "base/text.h"
#include "harness/text.h"

namespace coalesce {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw ExpressionError("`" + text + "`: " + why);
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
    std::vector<NamedSize> ones;
    for (const std::string& size : sizes) ones.push_back({size, 1 << 20});
    static_cast<void>(evaluate(expression, ones));
}

/// Lists the forms that a generator can have, for use in messages.
constexpr const char* kGeneratorForms =
    "random(-1, 1), sorted(0, 100), sparse(-1, 1), iota, permutation, bytes, zero or a number";

Generator parse_generator(const std::string& text, const std::vector<std::string>& sizes) {
    static const std::regex call(R"((\w+)\s*\((.*)\))");
    std::smatch found;
    Generator made;
    const bool has_range = std::regex_match(text, found, call) && found[1] != "ceil_div";
    const std::string word = has_range ? found[1].str() : text;
    using Kind = Generator::Kind;
    for (int i = static_cast<int>(Kind::zero); i <= static_cast<int>(last_of(Kind{})); ++i) {
        const auto kind = static_cast<Kind>(i);
        if (kind != Kind::constant && dashed_name(kind) == word) made.kind = kind;
    }
    const bool takes_range =
        made.kind == Kind::random || made.kind == Kind::sorted || made.kind == Kind::sparse;
    if (has_range) {
        const std::vector<std::string> ends = split_at_commas(found[2].str());
        if (!takes_range || ends.size() != 2) refuse(text, std::string("write ") + kGeneratorForms);
        made.low = ends[0];
        made.high = ends[1];
    } else if (made.kind == Kind::none) {
        made.kind = Kind::constant;
        made.low = made.high = text;
    }
    for (const std::string& end : {made.low, made.high}) {
        if (!end.empty()) check_expression(end, sizes);
    }
    return made;
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
    return dashed_name(kind) + format(" %g", amount);
}

std::vector<NamedSize> ElementTask::named_sizes(Shape shape) const {
    std::vector<NamedSize> named;
    for (std::size_t i = 0; i < sizes.size(); ++i) named.push_back({sizes[i], size_at(shape, i)});
    return named;
}

std::optional<int> ElementTask::find_size(const std::string& name, Shape shape) const {
    const auto found = std::ranges::find(sizes, name);
    if (found == sizes.end()) return std::nullopt;
    return size_at(shape, static_cast<std::size_t>(found - sizes.begin()));
}

std::vector<std::int64_t> ElementTask::extents(const Parameter& array, Shape shape) const {
    std::vector<std::int64_t> all;
    const std::vector<NamedSize> values = named_sizes(shape);
    for (const std::string& extent : array.extents) {
        const double value = evaluate(extent, values);
        if (value < 1 || value > 2147483648.0 || value != std::trunc(value)) {
            throw ExpressionError("`" + array.text + "` cannot have " + format_short(value) +
                                  " elements, with " + describe_sizes(sizes, shape));
        }
        all.push_back(static_cast<std::int64_t>(value));
    }
    return all;
}

std::vector<const Parameter*> ElementTask::outputs() const {
    std::vector<const Parameter*> found;
    for (const Parameter& parameter : parameters) {
        if (parameter.is_output()) found.push_back(&parameter);
    }
    return found;
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
    std::smatch found;
    if (!std::regex_match(text, found, form)) {
        refuse(text, "an argument must look like \"const float* in[rows * cols] = random(-1, 1)\"");
    }
    Parameter parameter;
    parameter.text = trimmed(text.substr(0, text.find('=')));
    parameter.name = found[4].str();
    parameter.is_const = found[1].matched;
    parameter.is_array = found[3].str().starts_with("*");
    const auto type = find_element_type(found[2].str());
    if (!type) {
        refuse(text,
               "there is no type `" + found[2].str() + "`; the types are " + kElementTypeExamples);
    }
    parameter.type = *type;
    const std::string brackets = found[5].str();
    for (std::sregex_iterator one(brackets.begin(), brackets.end(), bracket), end; one != end;
         ++one) {
        parameter.extents.push_back(trimmed((*one)[1].str()));
        check_expression(parameter.extents.back(), sizes);
    }
    if (parameter.is_array == parameter.extents.empty()) {
        refuse(text, parameter.is_array ? "add the number of elements: " + parameter.text + "[n]"
                                        : "declare an array as a pointer: " + found[2].str() +
                                              "* " + parameter.name);
    }
    if (found[6].matched) parameter.generator = parse_generator(found[6].str(), sizes);
    const bool is_size = !parameter.is_array && std::ranges::count(sizes, parameter.name) > 0;
    const bool needs_value = !parameter.is_array && !is_size;
    if (needs_value && parameter.generator.kind == Generator::Kind::none) {
        refuse(text, "the parameter is not one of `sizes`, so it needs a value: " + parameter.text +
                         " = 3");
    }
    if (is_size && found[6].matched) refuse(text, "a size gets its value from `shapes`");
    set_usual_generator(parameter);
    return parameter;
}

Tolerance parse_tolerance(const std::string& text) {
    static const std::regex form(R"((relative|absolute|ulps)\s+([0-9.eE+-]+))");
    std::smatch found;
    if (text == "bits") return {};
    if (!std::regex_match(text, found, form)) {
        throw ExpressionError(
            "`tolerance` must be \"bits\", \"relative 1e-5\", \"absolute 1e-6\" or \"ulps 4\", not "
            "\"" +
            text + "\"");
    }
    const double amount = std::strtod(found[2].str().c_str(), nullptr);
    if (!(amount > 0) || amount > 1e6) throw ExpressionError("`tolerance` must be above 0");
    using Kind = Tolerance::Kind;
    const std::string word = found[1];
    return {word == "relative"   ? Kind::relative
            : word == "absolute" ? Kind::absolute
                                 : Kind::ulps,
            amount};
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

Shape shape_of(const std::vector<int>& values) {
    return {values.at(0), values.size() > 1 ? values[1] : 1, values.size() > 2 ? values[2] : 0};
}

}  // namespace coalesce
