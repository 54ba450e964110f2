#include "page/ir_to_ptx/places.h"

#include <algorithm>

namespace coalesce::translator {

namespace {

u32 find_or_add_index(std::vector<std::string>& texts, const std::string& text) {
    const auto match = std::find(texts.begin(), texts.end(), text);
    const auto position = static_cast<u32>(match - texts.begin());
    if (match == texts.end()) texts.push_back(text);
    return position;
}

/// Reports whether the code was not inlined at all, or was inlined only into code in the same file.
bool is_inlined_within_file(const SourceLocation& location) {
    for (const SourceLocation* call_site = location.inlined_at; call_site;
         call_site = call_site->inlined_at) {
        if (call_site->file != location.file) return false;
    }
    return true;
}

std::string quote(const std::string& text) {
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

std::string FileTable::format_location(const SourceLocation& location) {
    const auto position = [&](const SourceLocation& location) {
        return std::to_string(number(location.file)) + ' ' + std::to_string(location.line) + ' ' +
               std::to_string(location.column);
    };
    std::string text = "\t.loc\t" + position(location);
    if (!location.inlined_at || is_inlined_within_file(location)) return text + "\n";
    text += ", function_name $L__name" + std::to_string(name(location.function)) + ", inlined_at " +
            position(*location.inlined_at) + "\n";
    return format_location(*location.inlined_at) + text;
}

std::string FileTable::text() const {
    std::string text;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        text += "\t.file\t" + std::to_string(i + 1) + ' ' + quote(files_[i]) + "\n";
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
