#include "kernel/source_lines.h"

#include <algorithm>
#include <map>
#include <regex>
#include <vector>

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

int line_of_leaving_diagonal(const std::string& text) {
    return line_of_match(text, R"(\bif\s*\(\s*blockIdx\.\w\s*([<>=]=)\s*blockIdx\.\w\s*\))"
                               R"(\s*\{?\s*return\b)");
}

OddPitch odd_pitch(const std::string& text, const std::string& array) {
    const std::string code = code_alone(text);
    const std::regex index("\\b" + array + R"(\s*\[[^\];]*\*\s*(\w+)\s*[+\]])");
    std::map<std::string, std::vector<int>> lines;
    for (std::sregex_iterator one(code.begin(), code.end(), index), none; one != none; ++one) {
        lines[one->str(1)].push_back(line_at(code, static_cast<std::size_t>(one->position(1))));
    }
    if (lines.size() != 2) return {};
    const auto &first = *lines.begin(), &second = *lines.rbegin();
    const auto odd = [](const auto& one, const auto& other) -> OddPitch {
        if (one.second.size() != 1 || other.second.size() < 2) return {};
        return {one.second.front(), one.first, other.first};
    };
    return first.second.size() == 1 ? odd(first, second) : odd(second, first);
}

int line_of_move(const std::string& text, const std::string& pointer) {
    return line_of_match(text, "\\b(" + pointer + ")\\s*\\+");
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
