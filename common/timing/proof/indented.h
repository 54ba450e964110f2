// Statements of CUDA, put together line by line, with their indentation.
#pragma once

#include <string>
#include <string_view>

namespace coalesce::timing {

/// Indents by the braces: no line needs to know how deep it is.
inline std::string indented(std::string_view code) {
    std::string result;
    int depth = 0;
    while (!code.empty()) {
        const std::size_t end = std::min(code.find('\n'), code.size());
        const std::string_view line = code.substr(0, end);
        code.remove_prefix(std::min(end + 1, code.size()));
        if (line.empty()) continue;
        if (line.front() == '}') --depth;
        if (line.front() != '#') result.append(static_cast<std::size_t>(4 * depth), ' ');
        result.append(line).push_back('\n');
        if (line.back() == '{') ++depth;
    }
    return result;
}

}  // namespace coalesce::timing
