#include "base/text.h"

#include <cstdio>
#include <sstream>

namespace coalesce {

std::string short_number(double value) {
    char digits[400];
    std::snprintf(digits, sizeof digits, "%.2f", value);
    std::string text = digits;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace coalesce
