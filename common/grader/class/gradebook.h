/// \file
/// Writes grades in the form that learning platforms import: the columns of Moodle and Canvas, with the identities
/// from a teacher's list of names and deductions for late days.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A student's identity on a platform. Missing values are "".
struct Identity {
    std::string name;     ///< the name on the platform; "": that of the submission
    std::string id;       ///< Moodle's ID number, Canvas's ID
    std::string sis_id;   ///< Canvas's SIS User ID
    std::string login;    ///< Canvas's SIS Login ID
    std::string email;    ///< Moodle's Email address
    std::string section;  ///< Canvas's
    double late_days = 0;
};

/// Identities by the names of the submissions.
using Roster = std::map<std::string, Identity>;

/// Reads a list of names, which is CSV. Its first line has `student` and any of `name`, `id`, `sis_id`, `login`,
/// `email`, `section` and `late_days`, in any order. `file` is for messages. Throws UsageError.
Roster read_roster(const std::string& text, const std::string& file);

/// The deduction for late submissions.
struct LateRule {
    double percent = 0;    ///< percent of the possible points per late day
    double free_days = 0;  ///< late days without a deduction
};

/// Returns the gradebook for "moodle" or "canvas". The roster must contain every student. Students without a
/// submission, and those who are not graded yet, have no points. Throws UsageError.
std::string gradebook_csv(const ClassResults& results, const Roster& roster, const LateRule& rule,
                          const std::string& platform);

}  // namespace coalesce::grader
