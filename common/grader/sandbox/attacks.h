/// \file
/// Harmless versions of attacks that a hostile worker would try. The sandbox must stop each of them. The doctor tries
/// them before anything else runs.
#pragma once

#include <string>
#include <vector>

#include "base/codec.h"

namespace coalesce::grader {

/// The target of an attack, which is the job of a probe.
struct AttackTarget {
    std::string attack;       ///< name of the attack
    std::string secret_file;  ///< a file of the grader that no jailed process may read
    std::string folder;       ///< a folder of the grader that no jailed process may write to
    int grader_process = 0;   ///< a process that no jailed process may send signals to
};

void describe(auto& codec, AttackTarget& target) {
    fields(codec, "attack", target.attack, "secret_file", target.secret_file, "folder",
           target.folder, "grader_process", target.grader_process);
}

/// An attack.
struct Attack {
    const char* name;  ///< "socket"
    /// Tries the attack. Returns "" if it was stopped, otherwise what it achieved. Some attacks do not return, but
    /// end the process.
    std::string (*try_it)(const AttackTarget& target);
};

/// Returns all attacks in the order in which they are tried.
const std::vector<Attack>& all_attacks();

}  // namespace coalesce::grader
