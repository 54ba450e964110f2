#include "exercise_page.h"

#include "base/text.h"

namespace coalesce::book {
namespace {

std::string code_block(const std::string& code) {
    return "```{.cpp}\n" + code + (code.ends_with('\n') ? "" : "\n") + "```\n\n";
}

/// States in words how close an element must be to the reference.
std::string describe_tolerance(const Tolerance& tolerance) {
    if (tolerance.kind == Tolerance::Kind::bits) {
        return "An element is right if it equals the reference bit for bit.";
    }
    return "An element is right if it differs from the reference by no more than the tolerance, "
           "which is `" +
           tolerance.text() + "`.";
}

}  // namespace

std::string editor_html(const std::string& exercise) {
    return "\\htmlonly\n<section class=\"your-turn\" data-exercise=\"" + exercise +
           "\" aria-label=\"Your turn\"><noscript><p>The editor needs JavaScript.</p></noscript>"
           "</section>\n"
           "<link rel=\"stylesheet\" href=\"your-turn.css\"/>"
           "<script defer src=\"your-turn.js\"></script>\n\\endhtmlonly\n";
}

std::string exercise_text(const Page& page, const Exercise& exercise, bool has_explorer) {
    const ElementTask& task = *exercise.elements;
    std::string text = "# " + page.title + " {#" + page.name + "}\n\nWrite this kernel. " +
                       (has_explorer ? "The page" : "`./learn`") +
                       " checks it on several sizes, against the "
                       "reference below.\n\n" +
                       code_block(task.kernel_declaration(exercise.kernel) + ";");
    if (has_explorer) text += editor_html(exercise.name) + "\n";
    return text + "## What one element contains {#" + page.name + "_element}\n\n" +
           "The examiner compares the kernel's output with this reference. The size parameters "
           "are " +
           joined(task.sizes, ", ", [](const std::string& size) { return "`" + size + "`"; }) +
           ".\n\n" + code_block(task.reference) + describe_tolerance(task.tolerance) + "\n";
}

}  // namespace coalesce::book
