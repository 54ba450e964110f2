/// \file
/// The marks of submissions, with the codes that grades use.
#pragma once

#include <optional>
#include <string>

#include "examiner/failure.h"

namespace coalesce::grader {

/// The mark of a submission. `code_of` returns the code that grades use.
enum class Mark {
    ok,               ///< OK: right and clean, but possibly too expensive (see Points)
    compile_error,    ///< CE: it does not compile, or lacks the kernel
    compile_limit,    ///< CL: compiling takes more time, memory or output than allowed
    rejected,         ///< REJ: it does something that the assignment forbids
    wrong_answer,     ///< WA: wrong bits
    memory,           ///< MEM: accesses outside its memory, misaligned ones, or too much memory
    race,             ///< RACE: threads access the same memory in no fixed order
    uninitialised,    ///< INIT: it reads memory that nothing wrote
    synchronisation,  ///< SYNC: barriers that not all threads reach, wrong masks
    time_limit,       ///< TLE: far more instructions than the task needs
    cheat,            ///< CHEAT: it tries to deceive the grader
    fault,            ///< FAULT: the grader crashes on it, and a teacher must look
    system,           ///< SYS: the grader's problem, never a mark; it is tried again
};

/// "WA"
const char* code_of(Mark mark);
/// Returns the mark with this code, or nothing.
std::optional<Mark> mark_of(const std::string& code);
/// Returns a phrase such as "the result is wrong".
const char* sentence_of(Mark mark);
/// Returns the mark for a failure. It is OK for high costs, which affect only the points.
Mark mark_for(FailureKind kind);
/// Reports whether a kernel with this mark may still have a right result.
bool may_be_right(Mark mark);

/// Returns the code, for JSON.
inline std::string name_in_json(Mark mark) {
    return code_of(mark);
}
constexpr Mark last_of(Mark) {
    return Mark::system;
}

}  // namespace coalesce::grader
