#include "learn/pages.h"

#include "base/text.h"

namespace coalesce::learn {
namespace {

size_t height_of_line(const std::string& line, size_t columns) {
    size_t width = 0;
    bool in_escape = false;
    for (char c : line) {
        if (c == '\033') in_escape = true;
        if (!in_escape) ++width;
        if (c == 'm') in_escape = false;
    }
    return width <= columns ? 1 : (width + columns - 1) / columns;
}

}  // namespace

size_t height_of(const std::string& text, size_t columns) {
    size_t height = 0;
    for (const std::string& line : lines_of(text)) height += height_of_line(line, columns);
    return height;
}

std::vector<std::string> pages_of(const std::string& text, size_t columns, size_t lines) {
    std::vector<std::string> pages = {""};
    size_t used = 0;
    for (const std::string& line : lines_of(text)) {
        size_t height = height_of_line(line, columns);
        if (used > 0 && used + height > lines) {
            pages.emplace_back();
            used = 0;
        }
        pages.back() += line + "\n";
        used += height;
    }
    return pages;
}

}  // namespace coalesce::learn
