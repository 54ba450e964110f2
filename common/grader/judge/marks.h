/// \file
/// The marks of submissions and their codes in grades.
#pragma once

#include <optional>
#include <string>

#include "examiner/failure.h"

namespace coalesce::grader {

/// The mark of a submission. Lists of grades show the code of the mark, such as WA (see mark_code).
enum class Mark {
    ok,               ///< OK: correct and clean, but possibly too expensive (see Points)
    compile_error,    ///< CE: does not compile, or has no kernel
    compile_limit,    ///< CL: compilation exceeds the limit for time, memory or output
    rejected,         ///< REJ: uses a feature that the assignment forbids
    wrong_answer,     ///< WA: wrong values in the output
    memory,           ///< MEM: out-of-bounds or misaligned accesses, or too much memory
    race,             ///< RACE: two threads access the same memory in no defined order
    uninitialised,    ///< INIT: reads memory that was never written
    synchronisation,  ///< SYNC: barriers that not all threads reach, or wrong warp masks
    time_limit,       ///< TLE: executes far more instructions than the task requires
    cheat,            ///< CHEAT: tries to deceive the grader
    fault,            ///< FAULT: makes the grader crash, so a teacher must decide
    system,           ///< SYS: the grader failed and will try again; not a final mark
};

/// Returns the code of a mark, such as "WA".
const char* mark_code(Mark mark);
/// Returns the mark with this code, or nothing if there is none.
std::optional<Mark> parse_mark(const std::string& code);
/// Returns a phrase that describes the mark in messages, such as "the result is wrong".
const char* mark_phrase(Mark mark);
/// Returns the mark for a failure. Costs above a limit map to OK, because costs affect only the
/// points.
Mark mark_for_failure(FailureKind kind);
/// Reports whether the output of a kernel with this mark may still be correct.
bool may_be_correct(Mark mark);

/// Returns the code of a mark, for use in JSON.
inline std::string name_in_json(Mark mark) {
    return mark_code(mark);
}
constexpr Mark last_of(Mark) {
    return Mark::system;
}

}  // namespace coalesce::grader
