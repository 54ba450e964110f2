#include "kernel/source_lines.h"

#include <algorithm>
#include <regex>

namespace coalesce {
namespace {

/// Behind the quoted text that begins at `begin`.
std::size_t end_of_quoted(const std::string& text, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != text[begin] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text.size());
}

int line_of_match(const std::string& text, const std::string& pattern) {
    const std::string code = code_alone(text);
    std::smatch found;
    if (!std::regex_search(code, found, std::regex(pattern))) return 0;
    return line_at(code, static_cast<std::size_t>(found.position(1)));
}

/// The last line with such a text outside of comments, PTX in strings included; 0: there is none.
int last_line_of(const std::string& text, const std::regex& pattern) {
    const std::string code = code_alone(text);
    int line = 0;
    for (std::sregex_iterator one(text.begin(), text.end(), pattern), none; one != none; ++one) {
        const auto place = static_cast<std::size_t>(one->position());
        const bool is_ptx = one->str().starts_with("cp.async");
        if (is_ptx || code[place] != ' ') line = line_at(text, place);
    }
    return line;
}

/// The same in the kernel: where the text is in a function before it, the last line that calls this one.
int last_line_in_kernel(const std::string& text, const std::regex& pattern) {
    static const std::regex function(R"(__device__[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*\{)");
    const int line = last_line_of(text, pattern);
    if (line == 0 || line >= line_of_kernel(text, "")) return line;
    const std::string code = code_alone(text);
    std::string name;
    for (std::sregex_iterator one(code.begin(), code.end(), function), none; one != none; ++one) {
        if (line_at(code, static_cast<std::size_t>(one->position(1))) <= line) name = one->str(1);
    }
    return name.empty() ? line : last_line_of(text, std::regex("\\b" + name + "\\s*\\("));
}

}  // namespace

int line_at(const std::string& text, std::size_t place) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(place, text.size()));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::string code_alone(const std::string& text) {
    std::string code = text;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text.compare(i, 2, "//") == 0) {
            end = std::min(text.find('\n', i), text.size());
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t closing = text.find("*/", i + 2);
            end = closing == text.npos ? text.size() : closing + 2;
        } else if (text[i] == '"' || text[i] == '\'') {
            end = end_of_quoted(text, i);
        } else {
            ++i;
            continue;
        }
        for (; i < end; ++i) {
            if (code[i] != '\n') code[i] = ' ';
        }
    }
    return code;
}

Declared array_not_shared(const std::string& text) {
    static const std::regex array(R"(\b\w+\s+(\w+)\s*(?:\[[^\]=;]*\])+\s*;)");
    const std::string code = code_alone(text);
    const std::size_t barrier = code.find("__syncthreads");
    if (barrier == code.npos || code.find("__shared__") != code.npos) return {};
    const auto end = code.cbegin() + static_cast<std::ptrdiff_t>(barrier);
    for (std::sregex_iterator one(code.cbegin(), end, array), none; one != none; ++one) {
        const std::regex name("\\b" + one->str(1) + "\\b");
        if (!std::regex_search(end, code.cend(), name)) continue;
        return {one->str(1), line_at(code, static_cast<std::size_t>(one->position(1)))};
    }
    return {};
}

int line_of_mixed_axes(const std::string& text) {
    return line_of_match(text, R"((blockIdx\.x\s*\*\s*blockDim\.y|blockIdx\.y\s*\*\s*blockDim\.x)"
                               R"(|blockIdx\.[xy]\s*\*\s*gridDim\.[xy]))");
}

bool never_commits(const std::string& text) {
    const std::string code = code_alone(text);
    const bool copies =
        code.find("__pipeline_memcpy_async") != code.npos || text.find("cp.async.c") != text.npos;
    // Of PTX in a string the name alone is looked at: a comment may have it too, which is no harm.
    const bool commits = code.find("__pipeline_commit") != code.npos ||
                         code.find("producer_commit") != code.npos ||
                         text.find("cp.async.commit_group") != text.npos ||
                         text.find("cp.async.wait_all") != text.npos;
    return copies && !commits;
}

int line_of_copy_wait(const std::string& text) {
    static const std::regex wait(R"(__pipeline_wait_prior|consumer_wait|cp\.async\.wait_)");
    return last_line_in_kernel(text, wait);
}

int line_of_copies_sent(const std::string& text) {
    static const std::regex sent(R"(\b(?:__pipeline_)?memcpy_async\b|cp\.async\.c[ag]\b)");
    return last_line_in_kernel(text, sent);
}

int line_of_configure(const std::string& text) {
    return line_of_match(text, R"(\b(configure)\s*\()");
}

int line_of_launch(const std::string& text, const std::string& member) {
    const std::string code = code_alone(text);
    const std::size_t begin = code.find("configure");
    if (begin == code.npos) return 0;
    for (const std::string& word : {member, std::string("return")}) {
        const std::size_t place = code.find(word, begin);
        if (place != code.npos) return line_at(code, place);
    }
    return line_at(code, begin);
}

int line_of_kernel(const std::string& text, const std::string& name) {
    const std::string function = name.empty() ? "\\w+" : name;
    return line_of_match(
        text, R"(__global__[^;{}()]*(?:__launch_bounds__\s*\([^)]*\)[^;{}()]*)?\b()" + function +
                  R"()\s*\()");
}

}  // namespace coalesce
