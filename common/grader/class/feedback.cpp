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
        const bool is_right = result.hidden_passed == result.hidden_tried;
        text += is_right ? ", and for all hidden shapes" : ", but not for all hidden shapes";
    }
    return text + ".\n\n";
}

std::string exercise_feedback(const Graded& graded) {
    std::string text = "## " + escape_markdown(graded.exercise) + "\n\n";
    if (graded.decision) {
        text += "**" + format_short(*graded.decision->points) + " of " +
                format_short(graded.possible.total()) +
                " points**, set by your teacher: " + escape_markdown(graded.decision->reason) +
                "\n\nThe grader's verdict was:\n\n";
    }
    if (!graded.result) return text + "This exercise has not been graded yet.\n\n";
    const Result& result = *graded.result;
    const auto part = [&](const auto& named) {
        return named.first + (" " + format_short(result.points.*named.second)) + " of " +
               format_short(graded.possible.*named.second);
    };
    text += "**" + std::string(code_of(result.mark)) + "**: " + mark_phrase(result.mark) + ". " +
            format_short(result.points.total()) + " of " + format_short(graded.possible.total()) +
            " points: " + joined(kPoints, ", ", part) + ".\n\n";
    Verdict verdict = result.verdict;
    verdict.source = graded.source;
    text += markdown_text(verdict) + shapes_text(result);
    if (!result.picture.empty()) text += to_markdown_code(result.picture) + "\n";
    if (!graded.attempt.empty()) text += "This verdict is for " + graded.attempt + " files.\n\n";
    if (!graded.ignored.empty()) {
        text += "Also submitted, but not examined: " + escape_markdown(graded.ignored) + ".\n\n";
    }
    return text;
}

// Removes the files of students who are no longer in the class, so that they are not sent out by
// mistake.
void remove_stale_feedback(const fs::path& folder, const ClassResults& results) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        bool is_known = std::ranges::any_of(results.students, [&](const StudentResults& student) {
            return entry.path().filename() == file_name(student.name) + ".md";
        });
        if (!is_known) fs::remove(entry.path(), ignored);
    }
}

// Writes a file if its content has changed. Comparing the contents is faster than syncing the file.
void write_changed(const fs::path& file, const std::string& text) {
    std::error_code error;
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) == text.size() &&
        read_file(file) == text) {
        return;
    }
    write_atomically(file, text);
}

}  // namespace

std::string file_name(std::string_view student) {
    std::string text;
    for (char letter : student.substr(0, 40)) {
        bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
        if (static_cast<unsigned char>(letter) >= 0x80) is_plain = false;
        text += is_plain ? letter : '-';
    }
    // Programs could mistake a file name that begins with - for an option.
    return "s" + sha256_hex(student).substr(0, 10) + "-" + text;
}

std::string feedback(const ClassResults& results, const StudentResults& student) {
    std::string text = "# " + escape_markdown(results.title) +
                       "\n\nStudent: " + escape_markdown(student.name) + "\n\n";
    if (!results.stamp.empty()) text += "(" + escape_markdown(results.stamp) + ")\n\n";
    text += student.is_complete() ? "**" + format_short(student.points()) + " of " +
                                        format_short(student.possible()) + " points**\n\n"
                                  : "Not everything is graded yet.\n\n";
    for (const Graded& graded : student.graded) text += exercise_feedback(graded);
    return text;
}

std::string summary(const ClassResults& results) {
    std::string text = format_count(results.students.size(), "student") + "\n";
    for (std::size_t i = 0; i < results.exercises.size(); ++i) {
        std::map<std::string, int> verdicts;
        double sum = 0;
        for (const StudentResults& student : results.students) {
            const Graded& graded = student.graded.at(i);
            ++verdicts[graded.code()];
            sum += graded.points().value_or(0);
        }
        text +=
            format("  %-16s mean %s of %s points ", results.exercises[i].c_str(),
                   format_short(sum / static_cast<double>(results.students.size())).c_str(),
                   format_short(results.students.front().graded.at(i).possible.total()).c_str());
        for (const auto& [code, count] : verdicts) text += " " + code + " " + std::to_string(count);
        text += "\n";
    }
    if (!results.stamp.empty()) text += "  The results are marked: " + results.stamp + "\n";
    return text;
}

std::string feedback_zip(const ClassResults& results) {
    std::vector<ZipEntry> files;
    for (const StudentResults& student : results.students) {
        const auto known = parse_platform_name(student.platform_name);
        files.push_back({known ? known->feedback : file_name(student.name) + "/feedback.md",
                         feedback(results, student)});
    }
    return create_zip(files);
}

void write_reports(const ClassResults& results, const fs::path& folder) {
    make_folder(folder / "feedback", 0700);
    remove_stale_feedback(folder / "feedback", results);
    for (const StudentResults& student : results.students) {
        write_changed(folder / "feedback" / (file_name(student.name) + ".md"),
                      feedback(results, student));
    }
    write_changed(folder / "needs_your_eye.txt", describe_open_questions(results));
    write_changed(folder / "similarity.md", similarity_markdown(results));
    write_changed(folder / "class.html", class_page(results));
    write_changed(folder / "junit.xml", junit_xml(results));
    write_changed(folder / "grades.json", grades_json(results));
    // Write grades.csv last, so that all other reports exist whenever this file does.
    write_changed(folder / "grades.csv", grades_csv(results));
}

}  // namespace coalesce::grader
