/// \file
/// Writes grades in the formats that Moodle and Canvas import, after deducting points for late
/// days. The students' identities come from a teacher's list of names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// A student's identity on a platform. Unknown values are "".
struct Identity {
    std::string name;     ///< name on the platform, or "" to use the submission's name
    std::string id;       ///< the ID number in Moodle, or the ID in Canvas
    std::string sis_id;   ///< Canvas's SIS User ID
    std::string login;    ///< Canvas's SIS Login ID
    std::string email;    ///< Moodle's Email address
    std::string section;  ///< Canvas's Section
    double late_days = 0;
};

/// Maps the name of each submission to the student's identity.
using Roster = std::map<std::string, Identity>;

/// Reads a list of names in CSV format. The header row must contain the column `student`. Other
/// columns, such as `email` and `late_days`, are optional. `file` is the list's name for error
/// messages.
Roster read_roster(const std::string& text, const std::string& file);

/// The deduction for late submissions.
struct LateRule {
    double percent_per_day = 0;  ///< percentage of the maximum points that is deducted per late day
    double free_days = 0;        ///< late days without a deduction
};

/// Returns the gradebook for the platform "moodle" or "canvas". The points of students without a
/// grade are left empty. Throws UsageError, for example if a student is missing from the roster.
std::string gradebook_csv(const ClassResults& results, const Roster& roster,
                          const LateRule& late_rule, const std::string& platform);

}  // namespace coalesce::grader
