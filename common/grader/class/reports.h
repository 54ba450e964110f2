/// \file
/// What a teacher and students get to see: written from the results, the same bytes for the same
/// results. Hidden shapes and inputs are in none of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grader/class/results.h"

namespace coalesce::grader {

/// grades.csv: a line for each student; for each exercise its points, verdict and failure.
std::string grades_csv(const ClassResults& results);
/// junit.xml: a suite for each exercise, a case for each student.
std::string junit_xml(const ClassResults& results);
/// grades.json: everything, without hidden data.
std::string grades_json(const ClassResults& results);
/// A student's feedback as Markdown.
std::string feedback(const ClassResults& results, const StudentResults& student);
/// A few lines for the terminal: how many got which verdict.
std::string summary(const ClassResults& results);
/// Whose submissions the judge breaks down over, for a teacher to look at; "": nobody's.
std::string faults_text(const ClassResults& results);

/// A file name for a student, whose own name comes from outside and is never used as a path: letters that are
/// harmless, and a digest that makes it unique.
std::string file_name(std::string_view student);

/// Writes all of these and the similarities into a folder, each file whole or not at all. Files that
/// have their content already are left alone.
void write_reports(const ClassResults& results, const std::filesystem::path& folder);

/// What Gradescope reads: /autograder/results/results.json.
std::string gradescope_json(const StudentResults& student);
/// What Classroom 50 reads: result.json.
std::string classroom50_json(const StudentResults& student);

}  // namespace coalesce::grader
