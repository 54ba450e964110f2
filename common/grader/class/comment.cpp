// Writes the comment for a pull request: a table of the exercises, and the mistakes in each
// exercise.

#include "base/text.h"
#include "examiner/render.h"
#include "examiner/safe_text.h"
#include "grader/class/reports.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

/// The maximum length of a comment, in bytes. GitHub allows 65,536 characters.
constexpr std::size_t kMaxCommentBytes = 60000;

std::string first_headline(const GradedExercise& graded) {
    if (!graded.result) return "not graded yet";
    const Failure* failure = graded.first_failure();
    return failure ? escape_markdown(failure->headline) : "";
}

std::string failure_details(const GradedExercise& graded) {
    if (!graded.first_failure()) return "";
    Verdict verdict = graded.result->verdict;
    verdict.source = graded.source;
    return "<details><summary>" + escape_markdown(graded.exercise) + "</summary>\n\n" +
           markdown_text(verdict) + "\n</details>\n\n";
}

}  // namespace

std::string comment_markdown(const ClassResults& results, const StudentResults& student) {
    std::string text = "### " + escape_markdown(results.title) + ": " +
                       format_short(student.points()) + " of " +
                       format_short(student.possible_points()) +
                       " points\n\n| Exercise | Points | Verdict | |\n|---|---|---|---|\n";
    for (const GradedExercise& graded : student.graded) {
        const double points = graded.points().value_or(0);
        text += "| " + escape_markdown(graded.exercise) + " | " + format_short(points) + " of " +
                format_short(graded.possible_points.total()) + " | " + graded.code() + " | " +
                first_headline(graded) + " |\n";
    }
    text += "\n";
    for (const GradedExercise& graded : student.graded) {
        const std::string exercise_details = failure_details(graded);
        if (text.size() + exercise_details.size() > kMaxCommentBytes) {
            return text + "The rest is too long for a comment.\n";
        }
        text += exercise_details;
    }
    return text;
}

}  // namespace coalesce::grader
