/// \file
/// Harmless versions of attacks that a hostile worker could try. The doctor verifies that the
/// sandbox stops each of them before any submission runs.
#pragma once

#include <string>
#include <vector>

#include "base/codec.h"

namespace coalesce::grader {

/// The targets of an attack. The grader sends them to the worker as the request of a job.
struct AttackTarget {
    std::string attack;
    std::string secret_file;  ///< a file of the grader, which no jail may read
    std::string folder;       ///< a folder of the grader, which no jail may write to
    int grader_process = 0;   ///< a process that no jail may send signals to
};

void describe(auto& codec, AttackTarget& target) {
    fields(codec, "attack", target.attack, "secret_file", target.secret_file, "folder",
           target.folder, "grader_process", target.grader_process);
}

/// An attack, and the function that tries it in a jail's worker.
struct Attack {
    const char* name;  ///< such as "socket"
    /// Tries the attack. Returns "" if the attack was stopped, otherwise a description of what it
    /// achieved. Some attacks end the process instead of returning.
    std::string (*attempt)(const AttackTarget& target);
};

/// Returns all attacks, in the order in which they are tested.
const std::vector<Attack>& all_attacks();

}  // namespace coalesce::grader
