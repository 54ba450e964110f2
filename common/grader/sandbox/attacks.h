/// \file
/// Harmless versions of what a hostile worker would try, each of which the sandbox must hold. The
/// doctor lets a worker try them before anything else is run.
#pragma once

#include <string>
#include <vector>

#include "base/codec.h"

namespace coalesce::grader {

/// What is to be attacked, and how: a probe's job.
struct AttackTarget {
    std::string attack;       ///< the name of one of them
    std::string secret_file;  ///< a file of the grader's that nobody in a jail may read
    std::string folder;       ///< a folder of the grader's that nobody in a jail may write to
    int grader_process = 0;   ///< whom nobody in a jail may send signals
};

void describe(auto& codec, AttackTarget& target) {
    fields(codec, "attack", target.attack, "secret_file", target.secret_file, "folder",
           target.folder, "grader_process", target.grader_process);
}

/// One thing to try.
struct Attack {
    const char* name;  ///< "socket"
    /// Tries it. "": it was held; else what it could do. Some never come back: they end the process.
    std::string (*try_it)(const AttackTarget& target);
};

/// All of them, in the order in which they are tried.
const std::vector<Attack>& all_attacks();

}  // namespace coalesce::grader
