/// \file
/// Writes the reports for teachers and students. Equal results give equal bytes. No report contains hidden shapes or
/// inputs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grader/class/results.h"

namespace coalesce::grader {

/// Returns grades.csv: a line for each student, with points, verdict and failure of each exercise.
std::string grades_csv(const ClassResults& results);
/// Returns junit.xml: a suite for each exercise, a case for each student.
std::string junit_xml(const ClassResults& results);
/// Returns grades.json: everything except hidden data.
std::string grades_json(const ClassResults& results);
/// Returns a student's feedback as Markdown.
std::string feedback(const ClassResults& results, const StudentResults& student);
/// Returns a summary for the terminal: the number of submissions with each verdict.
std::string summary(const ClassResults& results);
/// Lists the submissions on which the judge crashes, for the teacher. Returns "" if there are none.
std::string faults_text(const ClassResults& results);

/// Returns a file name for a student: the harmless characters of the name, and a digest that makes it unique. The
/// name comes from outside and is never used as a path.
std::string file_name(std::string_view student);

/// Writes all reports and the similarities into a folder, each file completely or not at all. Unchanged files are not
/// written.
void write_reports(const ClassResults& results, const std::filesystem::path& folder);

/// Returns what Gradescope reads: /autograder/results/results.json.
std::string gradescope_json(const StudentResults& student);
/// Returns what Classroom 50 reads: result.json.
std::string classroom50_json(const StudentResults& student);

}  // namespace coalesce::grader
