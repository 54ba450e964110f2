/// \file
/// How a submission ended: the codes that grades use.
#pragma once

#include <optional>
#include <string>

#include "examiner/failure.h"

namespace coalesce::grader {

/// How a submission ended. The names that grades use are given by `code_of`.
enum class Mark {
    ok,             ///< OK: right and clean; it may still be more expensive than asked (see Points)
    compile_error,  ///< CE: it does not compile, or has no such kernel
    compile_limit,  ///< CL: compiling it takes more time, memory or output than is allowed
    rejected,       ///< REJ: it does what the assignment forbids
    wrong_answer,   ///< WA: wrong bits
    memory,         ///< MEM: outside of its memory, misaligned, or more memory than is allowed
    race,           ///< RACE: threads access one place without any order
    uninitialised,  ///< INIT: it reads what nothing wrote
    synchronisation,  ///< SYNC: barriers that not all threads reach, wrong masks
    time_limit,       ///< TLE: far more instructions than the task takes
    cheat,            ///< CHEAT: it tries to get round the grader
    fault,            ///< FAULT: the grader breaks down over it; a teacher has to look
    system,           ///< SYS: our fault, never a mark: try again
};

/// "WA"
const char* code_of(Mark mark);
/// The mark with that code; nothing for other texts.
std::optional<Mark> mark_of(const std::string& code);
/// "the result is wrong"
const char* sentence_of(Mark mark);
/// The mark for a failure; OK for what costs too much: that is a matter of points.
Mark mark_for(FailureKind kind);
/// Whether a kernel with that mark may have left the right bits all the same.
bool may_be_right(Mark mark);

/// For JSON: its code.
inline std::string name_in_json(Mark mark) {
    return code_of(mark);
}
constexpr Mark last_of(Mark) {
    return Mark::system;
}

}  // namespace coalesce::grader
