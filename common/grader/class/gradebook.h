/// \file
/// Grades as learning platforms import them: Moodle's and Canvas's columns, with the identities that a
/// teacher's list of names has, and days that somebody was late.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/class/results.h"

namespace coalesce::grader {

/// What a platform knows of a student; what the list does not have is "".
struct Identity {
    std::string name;     ///< as the platform shows it; "": as it was handed in
    std::string id;       ///< Moodle's ID number, Canvas's ID
    std::string sis_id;   ///< Canvas's SIS User ID
    std::string login;    ///< Canvas's SIS Login ID
    std::string email;    ///< Moodle's Email address
    std::string section;  ///< Canvas's
    double late_days = 0;
};

/// Who is who, by the names under which they handed in.
using Roster = std::map<std::string, Identity>;

/// Reads a list of names: CSV whose first line has `student` and any of `name`, `id`, `sis_id`, `login`,
/// `email`, `section`, `late_days`, in any order. `file` is for messages. Throws UsageError.
Roster read_roster(const std::string& text, const std::string& file);

/// What is taken off for being late.
struct LateRule {
    double percent = 0;    ///< of what there is to get, for each day
    double free_days = 0;  ///< that cost nothing
};

/// For "moodle" or "canvas". Everybody must be in the roster; who is in there and handed nothing in has
/// no points, and neither has who is not graded yet. Throws UsageError.
std::string gradebook_csv(const ClassResults& results, const Roster& roster, const LateRule& rule,
                          const std::string& platform);

}  // namespace coalesce::grader
