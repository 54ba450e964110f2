#include "examiner/ptx_text.h"

#include <algorithm>
#include <cctype>

namespace coalesce {
namespace {

/// Searches for `end` at or after `begin`. Returns the offset just past it, or the end of the text
/// if `end` does not occur.
std::size_t find_end(std::string_view text, std::string_view end, std::size_t begin) {
    const std::size_t at = text.find(end, std::min(begin, text.size()));
    return at == text.npos ? text.size() : at + end.size();
}

bool is_in_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

}  // namespace

std::string ptx_code(std::string_view ptx) {
    std::string code;
    for (std::size_t at = 0; at < ptx.size();) {
        const std::string_view remaining_ptx = ptx.substr(at);
        if (remaining_ptx.starts_with("//")) {
            at = std::min(ptx.find('\n', at), ptx.size());
        } else if (remaining_ptx.starts_with("/*")) {
            at = find_end(ptx, "*/", at + 2);
            code += ' ';
        } else if (remaining_ptx.front() == '"') {
            at = find_end(ptx, "\"", at + 1);
            code += "\"\"";
        } else {
            code += ptx[at++];
        }
    }
    return code;
}

bool calls_function(std::string_view code, std::string_view name) {
    for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at > 0 && is_in_name(code[at - 1])) || (end < code.size() && is_in_name(code[end])))
            continue;
        const std::size_t begin = code.find_last_of(";{}", at) + 1;
        if (code.substr(begin, at - begin).find("call") != code.npos) return true;
    }
    return false;
}

}  // namespace coalesce
