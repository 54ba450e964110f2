/// \file
/// `learn beat`: the open exercise at the end. Any kernel counts, as long as it is right; its time is
/// predicted, and measured where there is a GPU, beside that of the fastest lesson's solution.
///
/// It is no step of the course, so that it has no limits, no points and no end. What makes an exercise
/// (the shapes, the examiner, the prediction) is that of the lesson that is to be beaten: its limits
/// are left out.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct BeatWords {
    std::string file = "";  ///< another file; nothing is noted
    int restore = 0;        ///< the number of the attempt to take up again; 0: none
    bool is_list = false;   ///< only the table
    bool is_reset = false;  ///< the file as it was at first
    int seconds = 60;       ///< then the examination is ended
};

/// The text that it begins with: right, and slow.
std::string beat_skeleton();

/// Returns the exit code: 0 right, 1 not, 2 when it could not be examined. Throws UsageError.
int beat(Session& session, const BeatWords& words);

}  // namespace coalesce::learn
