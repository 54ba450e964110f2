#include "examiner/signature.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace coalesce {
namespace {

/// The letters of the built-in types in the Itanium ABI.
constexpr std::pair<std::string_view, char> kBuiltinTypes[] = {
    {"char", 'c'},           {"signed char", 'a'}, {"unsigned char", 'h'},      {"short", 's'},
    {"unsigned short", 't'}, {"int", 'i'},         {"unsigned int", 'j'},       {"long", 'l'},
    {"unsigned long", 'm'},  {"long long", 'x'},   {"unsigned long long", 'y'}, {"float", 'f'},
    {"double", 'd'}};

/// Encodes parameter types as the Itanium ABI specifies. If a type that is not built-in occurs
/// again, it is encoded as a reference to its first occurrence.
class Mangler {
public:
    std::string parameter(const Parameter& kernel_parameter) {
        const auto mangle_type = [&] { return mangle_type_name(kernel_parameter.type.name); };
        if (!kernel_parameter.is_array) return mangle_type();
        const std::string element =
            kernel_parameter.type.name + (kernel_parameter.is_const ? " const" : "");
        return mangle_or_reuse(element + "*", [&] {
            return "P" + (kernel_parameter.is_const
                              ? mangle_or_reuse(element, [&] { return "K" + mangle_type(); })
                              : mangle_type());
        });
    }

private:
    std::string mangle_type_name(const std::string& type) {
        const auto entry = std::ranges::find(kBuiltinTypes, std::string_view(type),
                                             &std::pair<std::string_view, char>::first);
        if (entry != std::end(kBuiltinTypes)) return {entry->second};
        return mangle_or_reuse(type, [&] { return std::to_string(type.size()) + type; });
    }
    std::string mangle_or_reuse(const std::string& type, const auto& mangle) {
        const auto entry = std::ranges::find(known_types_, type);
        if (entry != known_types_.end()) {
            const auto number = entry - known_types_.begin();
            return number == 0 ? "S_" : "S" + format_base_36(number - 1) + "_";
        }
        std::string text = mangle();
        known_types_.push_back(type);
        return text;
    }
    static std::string format_base_36(std::ptrdiff_t number) {
        constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const auto digit = [&](std::ptrdiff_t d) { return digits[static_cast<std::size_t>(d)]; };
        if (number < 36) return {digit(number)};
        return {digit(number / 36), digit(number % 36)};
    }

    std::vector<std::string> known_types_;
};

}  // namespace

Signature::Signature(const Exercise& exercise)
    : kernel(exercise.kernel), sizes(exercise.size_names()) {
    if (exercise.elements) parameters = exercise.elements->parameters;
}

std::string Signature::declaration() const {
    if (!parameters.empty())
        return ElementTask{.parameters = parameters}.kernel_declaration(kernel);
    // An in-place kernel uses one matrix and its side length. Its other parameters are unnamed.
    if (kernel.ends_with("_in_place")) {
        return "__global__ void " + kernel + "(float* data, const float*, int side, int)";
    }
    return "__global__ void " + kernel + "(float* out, const float* in, int rows, int cols)";
}

std::string Signature::configure_declaration() const {
    return "constexpr Launch configure(" + declare_sizes(sizes) + ")";
}

std::string declare_sizes(const std::vector<std::string>& sizes) {
    return joined(sizes, ", ", [](const std::string& size) { return "int " + size; });
}

std::string mangle_kernel_name(const Signature& signature) {
    const std::string name = "_Z" + std::to_string(signature.kernel.size()) + signature.kernel;
    if (signature.parameters.empty()) return name + "PfPKfii";
    Mangler mangler;
    std::string mangled = name;
    for (const Parameter& kernel_parameter : signature.parameters)
        mangled += mangler.parameter(kernel_parameter);
    return mangled;
}

}  // namespace coalesce
