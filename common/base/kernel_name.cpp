#include "base/kernel_name.h"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace coalesce {
namespace {

/// Returns the position of the parameter list, which starts at the '(' that matches the last ')'.
std::size_t find_parameter_list(const std::string& text) {
    int depth = 0;
    for (std::size_t k = text.size(); k-- > 0;) {
        if (text[k] == ')') ++depth;
        if (text[k] == '(' && --depth == 0) return k;
    }
    return text.size();
}

/// Returns the position at which the name starts. Demangled templates start with their return type.
std::size_t skip_return_type(const std::string& text) {
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '<' || text[k] == '(') ++depth;
        if (text[k] == '>' || text[k] == ')') --depth;
        if (text[k] == ' ' && depth == 0) return k + 1;
    }
    return 0;
}

/// Removes the prefix that nvcc -rdc=true adds to the names of static symbols to make them unique.
/// The prefix is "__nv_static_", the length of a tag for the file, "_", the tag, and "_".
std::string strip_static_symbol_prefix(const std::string& name) {
    constexpr std::string_view kMark = "__nv_static_";
    if (!name.starts_with(kMark)) return name;
    std::size_t length = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kMark.size(), end, length);
    const std::size_t left = static_cast<std::size_t>(end - rest);
    if (error != std::errc() || left < 2 || length > left - 2) return name;
    return name.substr(name.size() - left + length + 2);
}

}  // namespace

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> full(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return full ? full.get() : name;
}

std::string kernel_name(const std::string& name) {
    const std::string mangled = strip_static_symbol_prefix(name);
    std::string text = demangled(mangled);
    if (text == mangled) return mangled;
    if (const std::size_t list = find_parameter_list(text); list > 0) text.resize(list);
    return text.substr(skip_return_type(text));
}

std::string kernel_signature(const std::string& name) {
    const std::string mangled = strip_static_symbol_prefix(name);
    const std::string text = demangled(mangled);
    if (text == mangled) return mangled;
    // Split off the parameter list first. It may contain spaces, and the end of the return type is
    // found by searching for a space.
    const std::size_t list = find_parameter_list(text);
    const std::string text_before_list = text.substr(0, list);
    return text_before_list.substr(skip_return_type(text_before_list)) + text.substr(list);
}

}  // namespace coalesce
