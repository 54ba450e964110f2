#include "page/ir_to_ptx/names.h"

namespace coalesce::translator {

std::string ptx_name(const std::string& name) {
    std::string result;
    for (const char c : name) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '$';
        if (is_plain) {
            result += c;
        } else {
            result += c == '.' ? "_$_" : "_$" + std::to_string(static_cast<unsigned char>(c)) + "_";
        }
    }
    const bool is_digit_first = !result.empty() && result[0] >= '0' && result[0] <= '9';
    return is_digit_first || result == "_" || result.empty() ? "_$" + result : result;
}

std::string parameter_name(const Function& function, u32 index) {
    return ptx_name(function.name) + "_param_" + std::to_string(index);
}

std::string space_text(Space space) {
    switch (space) {
        case Space::generic: return "";
        case Space::global: return ".global";
        case Space::shared: return ".shared";
        case Space::constant: return ".const";
        case Space::local: return ".local";
        case Space::param: return ".param";
    }
    return "";
}

}  // namespace coalesce::translator
