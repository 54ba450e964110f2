#include "kernel/loops.h"

#include <algorithm>
#include <regex>

#include "kernel/matches.h"

namespace coalesce {
namespace {

/// Where the loop ends whose keyword ends at `keyword`.
std::size_t end_of_loop(const std::string& code, std::size_t keyword) {
    std::size_t body = code.find_first_not_of(" \t\n", keyword);
    if (body != code.npos && code[body] == '(') {
        body = code.find_first_not_of(" \t\n", closing_bracket(code, body) + 1);
    }
    if (body == code.npos) return code.size();
    if (code[body] == '{') return closing_bracket(code, body);
    const std::size_t end = code.find_first_of(";{", body);
    if (end == code.npos) return code.size();
    return code[end] == '{' ? closing_bracket(code, end) : end;
}

}  // namespace

std::vector<Loop> loops_of(const std::string& text) {
    const std::string code = code_alone(text);
    static const std::regex keyword(R"(\b(?:for|while|do)\b)");
    std::vector<Loop> loops;
    for (const std::smatch& at : matches_of(code, keyword)) {
        const std::size_t begin = place_of(at), end = end_of_loop(code, end_of(at));
        Loop loop{.first_line = line_at(code, begin), .last_line = line_at(code, end)};
        const std::size_t barrier = code.find("__syncthreads", begin);
        if (barrier < end) loop.barrier_line = line_at(code, barrier);
        loops.push_back(loop);
    }
    return loops;
}

const Loop* innermost_loop(const std::vector<Loop>& loops, int line) {
    const Loop* innermost = nullptr;
    for (const Loop& loop : loops) {
        if (line < loop.first_line || line > loop.last_line) continue;
        if (!innermost || loop.first_line >= innermost->first_line) innermost = &loop;
    }
    return innermost;
}

}  // namespace coalesce
