#include "page/ir_to_ptx/places.h"

#include <algorithm>

namespace coalesce::translator {

namespace {

u32 find_or_add_index(std::vector<std::string>& list, const std::string& text) {
    const auto found = std::find(list.begin(), list.end(), text);
    const auto position = static_cast<u32>(found - list.begin());
    if (found == list.end()) list.push_back(text);
    return position;
}

/// Reports whether the code was not inlined at all, or was inlined only into code in the same file.
bool is_inlined_within_file(const Place& place) {
    for (const Place* at = place.inlined_at; at; at = at->inlined_at) {
        if (at->file != place.file) return false;
    }
    return true;
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

}  // namespace

u32 FileTable::number(const std::string& file) {
    return find_or_add_index(files_, file) + 1;
}

u32 FileTable::name(const std::string& function) {
    return find_or_add_index(functions_, function);
}

std::string FileTable::format_location(const Place& place) {
    const auto position = [&](const Place& at) {
        return std::to_string(number(at.file)) + ' ' + std::to_string(at.line) + ' ' +
               std::to_string(at.column);
    };
    std::string text = "\t.loc\t" + position(place);
    if (!place.inlined_at || is_inlined_within_file(place)) return text + "\n";
    text += ", function_name $L__name" + std::to_string(name(place.function)) + ", inlined_at " +
            position(*place.inlined_at) + "\n";
    return format_location(*place.inlined_at) + text;
}

std::string FileTable::text() const {
    std::string text;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        text += "\t.file\t" + std::to_string(i + 1) + ' ' + quoted(files_[i]) + "\n";
    }
    if (functions_.empty()) return text;
    text += "\t.section\t.debug_str\n\t{\n";
    for (std::size_t i = 0; i < functions_.size(); ++i) {
        text += "$L__name" + std::to_string(i) + ":\n";
        for (const char c : functions_[i] + '\0') {
            text += ".b8 " + std::to_string(static_cast<unsigned char>(c)) + "\n";
        }
    }
    return text + "\t}\n";
}

}  // namespace coalesce::translator
