#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/files.h"
#include "learn/commands.h"
#include "learn/lesson_text.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

/// Shows a text with the program in PAGER, or with `less`, which truncates wide lines instead of
/// wrapping them, so that diagrams stay intact. Returns false if neither can be started.
bool show_in_pager(const std::string& text) {
    const char* pager_variable = std::getenv("PAGER");
    const std::string pager = pager_variable && *pager_variable ? pager_variable : "less -FRSX";
    std::FILE* pipe = popen((pager + " 2>/dev/null").c_str(), "w");
    if (!pipe) return false;
    std::fputs(text.c_str(), pipe);
    return pclose(pipe) == 0;
}

}  // namespace

int read_lesson(Session& session, const course::Step& step, bool shows_answers) {
    const auto file = repository() / "steps" / step.name / "README.md";
    const std::string text = lesson_text(read_file(file), session.style, shows_answers);
    if (session.style.lines == 0 || !show_in_pager(text)) std::cout << text;
    return 0;
}

}  // namespace coalesce::learn
