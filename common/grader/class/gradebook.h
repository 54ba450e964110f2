/// \file
/// Writes grades in the formats that Moodle and Canvas import. A teacher's list of names
/// supplies the students' identities, and late days cost points.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A student's identity on a platform. Missing values are "".
struct Identity {
    std::string name;     ///< name on the platform, or empty to use the submission's name
    std::string id;       ///< Moodle's ID number, Canvas's ID
    std::string sis_id;   ///< Canvas's SIS User ID
    std::string login;    ///< Canvas's SIS Login ID
    std::string email;    ///< Moodle's Email address
    std::string section;  ///< Canvas's Section
    double late_days = 0;
};

/// Maps the name of each submission to the student's identity.
using Roster = std::map<std::string, Identity>;

/// Reads a list of names in CSV format. The first line has the columns `student` and any of `name`,
/// `id`, `sis_id`, `login`, `email`, `section` and `late_days`, in any order. Error messages refer
/// to the list as `file`. Throws UsageError.
Roster read_roster(const std::string& text, const std::string& file);

/// The deduction for late submissions.
struct LateRule {
    double percent = 0;    ///< percentage of the possible points lost per late day
    double free_days = 0;  ///< late days without a deduction
};

/// Returns the gradebook for "moodle" or "canvas". The roster must contain every student. Points
/// are left empty for students who submitted nothing or are not graded yet. Throws UsageError.
std::string gradebook_csv(const ClassResults& results, const Roster& roster, const LateRule& rule,
                          const std::string& platform);

}  // namespace coalesce::grader
