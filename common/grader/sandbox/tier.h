/// \file
/// How strict a sandbox is.
#pragma once

namespace coalesce::grader {

/// How strict the sandbox is.
enum class Tier {
    namespaces,   ///< A: bubblewrap's namespaces, cgroups where they can be had, seccomp, rlimits
    landlock,     ///< B: Landlock, seccomp and rlimits; needs no privilege
    none,         ///< C: neither works here, and nothing is run
    unsandboxed,  ///< somebody asked for it; every result says so
};

/// "A", "B", "C", "unsandboxed"
const char* name_of(Tier tier);

}  // namespace coalesce::grader
