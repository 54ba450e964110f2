#include "grader/class/handout.h"

#include "base/text.h"
#include "grader/class/results.h"
#include "kernel/safe_text.h"

namespace coalesce::grader {
namespace {

std::string points_table(const Assignment& assignment) {
    std::string text =
        "| exercise | correct | clean | counters | together |\n|---|---|---|---|---|\n";
    for (const Assigned& exercise : assignment.exercises) {
        const auto part = [&](const auto& named) {
            return short_number(exercise.possible.*named.second);
        };
        text += "| " + exercise.name + " | " + joined(kPoints, " | ", part) + " | " +
                short_number(exercise.possible.total()) + " |\n";
    }
    return text;
}

std::string what_it_costs(const Assigned& exercise) {
    const auto limit = [&](const auto& named) {
        const double value = exercise.limits.*named.second;
        return value > 0 ? named.first + (" " + short_number(value)) : "";
    };
    return "- " + exercise.name + ": " + joined(kLimits, ", ", limit) + "\n";
}

std::string shapes_of(const Assigned& exercise) {
    return "- " + exercise.name + ": " + joined(exercise.shapes, ", ", &Shape::name) + "\n";
}

}  // namespace

std::string handout_readme(const Assignment& assignment) {
    std::string first = assignment.exercises.front().name;
    std::string number = first.substr(0, 2);
    std::string text =
        "# " + markdown(assignment.title) +
        "\n\n"
        "Each exercise is one file, `exercises/NN_name/kernel.cu`: a kernel with blanks, each with "
        "a\n"
        "TODO that says what belongs there. You need no GPU: the course has a simulated one.\n\n"
        "## Work\n\n"
        "1. Get the course, and run `./learn` in it once: it installs and builds what is needed.\n"
        "2. Copy this handout's `exercises/` over the course's.\n"
        "3. Write, and check as often as you like:\n\n"
        "   ```\n   ./learn check " +
        number +
        "        # what is wrong, where, what to do next\n"
        "   ./learn hint " +
        number +
        "         # when you are stuck\n   ```\n\n"
        "The grader tries the shapes that you can try, rows x columns, and others that are not\n"
        "published, with other values in the matrix:\n\n";
    for (const Assigned& exercise : assignment.exercises) text += shapes_of(exercise);
    text +=
        "\n## Points\n\n" + points_table(assignment) +
        "\n`correct`: every element is right, bit for bit, whatever the shape. `clean`: no access\n"
        "outside of the matrices, no race, no barrier that some threads miss, nothing read before "
        "it\n"
        "was written. `counters`: it costs no more than the solution, and than this (simulated: "
        "sectors of\nmemory and wavefronts of shared memory a request at most; elements of the "
        "matrix at least):\n\n";
    for (const Assigned& exercise : assignment.exercises) text += what_it_costs(exercise);
    text +=
        "\nA kernel includes nothing, and keeps nothing from one launch to the next. Clocks and "
        "inline\n"
        "assembly that reads them are refused.\n\n"
        "## Hand in\n\nA zip archive with your files under their names:\n\n```\n";
    for (const Assigned& exercise : assignment.exercises) {
        text += "exercises/" + exercise.name + "/kernel.cu\n";
    }
    return text + "```\n\nFor instance: `zip -r handin.zip exercises`.\n";
}

}  // namespace coalesce::grader
