// See text.h.
#include "simulator/report/text.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace coalesce::simulator {

std::string with_commas(u64 value) {
    std::string digits = std::to_string(value);
    for (std::size_t left = digits.size(); left > 3;) {
        left -= 3;
        digits.insert(left, ",");
    }
    return digits;
}

std::string format_ratio(u64 numerator, u64 denominator) {
    if (denominator == 0) return "-";
    char text[64];
    std::snprintf(text, sizeof text, "%.1f", double(numerator) / double(denominator));
    return text;
}

std::string wrap(std::string_view text, std::size_t columns, std::string_view first,
                 std::string_view rest) {
    std::string out(first);
    std::size_t used = first.size();
    bool line_is_empty = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (!line_is_empty && used + 1 + word.size() > columns) {
            out.append("\n").append(rest);
            used = rest.size();
            line_is_empty = true;
        }
        if (!line_is_empty) out += ' ', ++used;
        out.append(word);
        used += word.size();
        line_is_empty = false;
    }
    return out;
}

namespace {

/// Replaces template arguments nested at `depth` or deeper with "...".
std::string cut_arguments(const std::string& name, int depth) {
    std::string out;
    int level = 0;
    for (const char c : name) {
        if (c == '>') --level;
        if (level < depth) out += c;
        if (c == '<' && ++level == depth) out += "...";
    }
    return out;
}

int nesting_depth(const std::string& name) {
    int level = 0, deepest = 0;
    for (const char c : name) {
        if (c == '<') deepest = std::max(deepest, ++level);
        if (c == '>') --level;
    }
    return deepest;
}

}  // namespace

std::string shorten_name(const std::string& name, std::size_t most) {
    std::string text = name;
    for (int depth = nesting_depth(name); depth > 0 && text.size() > most; --depth)
        text = cut_arguments(name, depth);
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string with_prefix(std::string_view prefix, std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.append(prefix).append(text.substr(0, end)).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string format_index(Dim3 index) {
    return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
           std::to_string(index.z) + ")";
}

std::string format_shape(Dim3 shape) {
    std::string text = std::to_string(shape.x);
    if (shape.y != 1 || shape.z != 1) text += "x" + std::to_string(shape.y);
    if (shape.z != 1) text += "x" + std::to_string(shape.z);
    return text;
}

std::string path_to_show(const std::string& path) {
    std::error_code failed;
    const std::string folder = std::filesystem::current_path(failed).string() + "/";
    const bool below = !failed && folder.size() > 1 && path.starts_with(folder);
    return below ? path.substr(folder.size()) : path;
}

std::string format_place(const std::string& file, u32 line) {
    if (line == 0) return "";
    return path_to_show(file) + ":" + std::to_string(line);
}

bool wants_colour(int descriptor) {
    const char* no_colour = std::getenv("NO_COLOR");
    return (!no_colour || !*no_colour) && isatty(descriptor);
}

}  // namespace coalesce::simulator
