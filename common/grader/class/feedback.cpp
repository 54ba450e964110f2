// Writes a student's feedback: the mistake, its line, its cost in points, and what to try next.

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"
#include "examiner/render.h"
#include "examiner/safe_text.h"
#include "grader/class/platform_names.h"
#include "grader/class/reports.h"
#include "grader/class/similarity.h"
#include "grader/class/zip.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

std::string shapes_text(const Result& result) {
    if (result.public_tried == 0) return "";
    std::string text = "The result is correct for " + std::to_string(result.public_passed) +
                       " of " + std::to_string(result.public_tried) + " public shapes";
    if (result.hidden_tried > 0) {
        // Do not say how many hidden shapes failed, because the number would reveal information
        // about these shapes.
        const bool passes_all_hidden_shapes = result.hidden_passed == result.hidden_tried;
        text += passes_all_hidden_shapes ? ", and for all hidden shapes"
                                         : ", but not for all hidden shapes";
    }
    return text + ".\n\n";
}

std::string exercise_feedback(const GradedExercise& graded) {
    std::string text = "## " + escape_markdown(graded.exercise) + "\n\n";
    if (graded.decision) {
        text += "**" + format_short(*graded.decision->points) + " of " +
                format_short(graded.possible_points.total()) +
                " points**, set by your teacher: " + escape_markdown(graded.decision->reason) +
                "\n\nThe grader's verdict was:\n\n";
    }
    if (!graded.result) return text + "This exercise has not been graded yet.\n\n";
    const Result& result = *graded.result;
    const auto format_points_part = [&](const auto& named_points) {
        return named_points.first + (" " + format_short(result.points.*named_points.second)) +
               " of " + format_short(graded.possible_points.*named_points.second);
    };
    text += "**" + std::string(mark_code(result.mark)) + "**: " + mark_phrase(result.mark) + ". " +
            format_short(result.points.total()) + " of " +
            format_short(graded.possible_points.total()) +
            " points: " + joined(kPoints, ", ", format_points_part) + ".\n\n";
    Verdict verdict = result.verdict;
    verdict.source = graded.source;
    text += markdown_text(verdict) + shapes_text(result);
    if (!result.picture.empty()) text += to_markdown_code(result.picture) + "\n";
    if (!graded.attempt_phrase.empty())
        text += "This verdict is for " + graded.attempt_phrase + " files.\n\n";
    if (!graded.ignored_files.empty()) {
        text +=
            "Also submitted, but not examined: " + escape_markdown(graded.ignored_files) + ".\n\n";
    }
    return text;
}

// Removes the files of students who are no longer in the class, so that they are not sent out by
// mistake.
void remove_stale_feedback(const fs::path& folder, const ClassResults& results) {
    std::error_code ignored_error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored_error)) {
        bool belongs_to_student =
            std::ranges::any_of(results.students, [&](const StudentResults& student) {
                return entry.path().filename() == feedback_file_name(student.name) + ".md";
            });
        if (!belongs_to_student) fs::remove(entry.path(), ignored_error);
    }
}

// Writes a file if its content has changed. Comparing the contents is faster than syncing the file.
void write_if_changed(const fs::path& file, const std::string& text) {
    std::error_code error;
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) == text.size() &&
        read_file(file) == text) {
        return;
    }
    write_atomically(file, text);
}

}  // namespace

std::string feedback_file_name(std::string_view student) {
    std::string text;
    for (char letter : student.substr(0, 40)) {
        bool is_safe_letter =
            std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
        if (static_cast<unsigned char>(letter) >= 0x80) is_safe_letter = false;
        text += is_safe_letter ? letter : '-';
    }
    // Programs could mistake a file name that begins with - for an option.
    return "s" + sha256_hex(student).substr(0, 10) + "-" + text;
}

std::string format_feedback(const ClassResults& results, const StudentResults& student) {
    std::string text = "# " + escape_markdown(results.title) +
                       "\n\nStudent: " + escape_markdown(student.name) + "\n\n";
    if (!results.sandbox_note.empty())
        text += "(" + escape_markdown(results.sandbox_note) + ")\n\n";
    text += student.is_complete() ? "**" + format_short(student.points()) + " of " +
                                        format_short(student.possible_points()) + " points**\n\n"
                                  : "Not everything is graded yet.\n\n";
    for (const GradedExercise& graded : student.graded) text += exercise_feedback(graded);
    return text;
}

std::string summarize_results(const ClassResults& results) {
    std::string text = format_count(results.students.size(), "student") + "\n";
    for (std::size_t i = 0; i < results.exercises.size(); ++i) {
        std::map<std::string, int> verdicts;
        double point_sum = 0;
        for (const StudentResults& student : results.students) {
            const GradedExercise& graded = student.graded.at(i);
            ++verdicts[graded.code()];
            point_sum += graded.points().value_or(0);
        }
        text += format(
            "  %-16s mean %s of %s points ", results.exercises[i].c_str(),
            format_short(point_sum / static_cast<double>(results.students.size())).c_str(),
            format_short(results.students.front().graded.at(i).possible_points.total()).c_str());
        for (const auto& [code, count] : verdicts) text += " " + code + " " + std::to_string(count);
        text += "\n";
    }
    if (!results.sandbox_note.empty())
        text += "  The results are marked: " + results.sandbox_note + "\n";
    return text;
}

std::string feedback_zip(const ClassResults& results) {
    std::vector<ZipEntry> files;
    for (const StudentResults& student : results.students) {
        const auto platform_path = parse_platform_name(student.platform_name);
        files.push_back({platform_path ? platform_path->feedback_path
                                       : feedback_file_name(student.name) + "/feedback.md",
                         format_feedback(results, student)});
    }
    return create_zip(files);
}

void write_reports(const ClassResults& results, const fs::path& folder) {
    make_folder(folder / "feedback", 0700);
    remove_stale_feedback(folder / "feedback", results);
    for (const StudentResults& student : results.students) {
        write_if_changed(folder / "feedback" / (feedback_file_name(student.name) + ".md"),
                         format_feedback(results, student));
    }
    write_if_changed(folder / "needs_your_eye.txt", describe_open_questions(results));
    write_if_changed(folder / "similarity.md", similarity_markdown(results));
    write_if_changed(folder / "class.html", class_page(results));
    write_if_changed(folder / "junit.xml", junit_xml(results));
    write_if_changed(folder / "grades.json", grades_json(results));
    // Write grades.csv last, so that all other reports exist whenever this file does.
    write_if_changed(folder / "grades.csv", grades_csv(results));
}

}  // namespace coalesce::grader
