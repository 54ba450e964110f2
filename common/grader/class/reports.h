/// \file
/// Writes the reports for teachers and students. The same results always produce
/// byte-identical reports. No report contains hidden shapes or inputs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Returns grades.csv. It has one line per student, with the points, verdict and failure of each
/// exercise.
std::string grades_csv(const ClassResults& results);
/// Returns junit.xml, with a suite for each exercise and a test case for each student.
std::string junit_xml(const ClassResults& results);
/// Returns grades.json, which contains all results but no hidden shapes or inputs.
std::string grades_json(const ClassResults& results);
/// Returns a student's feedback as Markdown.
std::string format_feedback(const ClassResults& results, const StudentResults& student);
/// Returns a summary for the terminal, with the number of submissions for each verdict.
std::string summarize_results(const ClassResults& results);
/// Returns a list of everything that needs the teacher's attention, such as submissions that crash
/// the judge, are late or do not compile. Returns "" if nothing needs attention. Lists at most
/// `max_lines` lines of each kind.
std::string describe_open_questions(const ClassResults& results, std::size_t max_lines = 1000);
/// Returns a zip archive with the students' feedback. Teachers can upload the archive on the page
/// where they downloaded the submissions.
std::string feedback_zip(const ClassResults& results);

/// Returns a safe file name for a student. It consists of a digest and the harmless characters of
/// the student's name. The name itself is never used as a path, because it is untrusted.
std::string feedback_file_name(std::string_view student);

/// Writes all reports, including the similarity report, to `folder`. Each file is written
/// atomically, and only if its content changes.
void write_reports(const ClassResults& results, const std::filesystem::path& folder);

/// Returns the contents of /autograder/results/results.json, which Gradescope reads.
std::string gradescope_json(const StudentResults& student);
/// Returns results.json, which `grade container` writes for other platforms. The JSON has the form
/// {"format": 1, "assignment", "title", "score", "max_score", "passed", "tests": [{"name", "score",
/// "max_score", "passed", "verdict", "failure", "headline", "line", "output"}]}.
std::string results_json(const ClassResults& results, const StudentResults& student);
/// Returns comment.md, the text of a pull request comment. It is shorter than GitHub's limit of
/// 65,536 characters.
std::string comment_markdown(const ClassResults& results, const StudentResults& student);
/// Returns class.html, a page for the teacher. It shows the distribution of points, and the most
/// frequent causes of failure with examples. The page names no student.
std::string class_page(const ClassResults& results);

}  // namespace coalesce::grader
