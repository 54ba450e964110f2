// See text.h.
#include "simulator/report/text.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace coalesce::simulator {

std::string format_with_commas(u64 value) {
    std::string digits = std::to_string(value);
    for (std::size_t remaining_digits = digits.size(); remaining_digits > 3;) {
        remaining_digits -= 3;
        digits.insert(remaining_digits, ",");
    }
    return digits;
}

std::string format_ratio(u64 numerator, u64 denominator) {
    if (denominator == 0) return "-";
    char text[64];
    std::snprintf(text, sizeof text, "%.1f", double(numerator) / double(denominator));
    return text;
}

std::string wrap(std::string_view text, std::size_t columns, std::string_view first_prefix,
                 std::string_view later_prefix) {
    std::string wrapped_text(first_prefix);
    std::size_t used_columns = first_prefix.size();
    bool is_line_empty = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        if (!is_line_empty && used_columns + 1 + word.size() > columns) {
            wrapped_text.append("\n").append(later_prefix);
            used_columns = later_prefix.size();
            is_line_empty = true;
        }
        if (!is_line_empty) wrapped_text += ' ', ++used_columns;
        wrapped_text.append(word);
        used_columns += word.size();
        is_line_empty = false;
    }
    return wrapped_text;
}

namespace {

/// Replaces template arguments nested at `depth` or deeper with "...".
std::string cut_arguments(const std::string& name, int depth) {
    std::string cut_name;
    int open_brackets = 0;
    for (const char c : name) {
        if (c == '>') --open_brackets;
        if (open_brackets < depth) cut_name += c;
        if (c == '<' && ++open_brackets == depth) cut_name += "...";
    }
    return cut_name;
}

int nesting_depth(const std::string& name) {
    int open_brackets = 0, max_depth = 0;
    for (const char c : name) {
        if (c == '<') max_depth = std::max(max_depth, ++open_brackets);
        if (c == '>') --open_brackets;
    }
    return max_depth;
}

}  // namespace

std::string shorten_name(const std::string& name, std::size_t max_length) {
    std::string text = name;
    for (int depth = nesting_depth(name); depth > 0 && text.size() > max_length; --depth)
        text = cut_arguments(name, depth);
    return text.size() <= max_length ? text : text.substr(0, max_length - 3) + "...";
}

std::string prefix_lines(std::string_view prefix, std::string_view text) {
    std::string prefixed_text;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        prefixed_text.append(prefix).append(text.substr(0, end)).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return prefixed_text;
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

std::string shorten_path(const std::string& path) {
    std::error_code error;
    const std::string folder = std::filesystem::current_path(error).string() + "/";
    const bool is_below_folder = !error && folder.size() > 1 && path.starts_with(folder);
    return is_below_folder ? path.substr(folder.size()) : path;
}

std::string format_place(const std::string& file, u32 line) {
    if (line == 0) return "";
    return shorten_path(file) + ":" + std::to_string(line);
}

bool wants_colour(int descriptor) {
    const char* no_colour = std::getenv("NO_COLOR");
    return (!no_colour || !*no_colour) && isatty(descriptor);
}

}  // namespace coalesce::simulator
