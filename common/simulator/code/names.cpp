#include "code/names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace coalesce::sim {
namespace {

/// Where the parameter list that ends the text begins: the '(' that matches the last ')'.
std::size_t parameter_list(const std::string& text) {
    int depth = 0;
    for (std::size_t k = text.size(); k-- > 0;) {
        if (text[k] == ')') ++depth;
        if (text[k] == '(' && --depth == 0) return k;
    }
    return text.size();
}

/// Templates are printed with their return type: where the name proper begins.
std::size_t after_return_type(const std::string& text) {
    int depth = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '<' || text[k] == '(') ++depth;
        if (text[k] == '>' || text[k] == ')') --depth;
        if (text[k] == ' ' && depth == 0) return k + 1;
    }
    return 0;
}

}  // namespace

std::string demangled(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> full(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return full ? full.get() : name;
}

std::string kernel_name(const std::string& mangled) {
    std::string text = demangled(mangled);
    if (text == mangled) return mangled;
    if (const std::size_t list = parameter_list(text); list > 0) text.resize(list);
    return text.substr(after_return_type(text));
}

}  // namespace coalesce::sim
