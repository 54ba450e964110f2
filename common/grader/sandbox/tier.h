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

constexpr Tier last_of(Tier) {
    return Tier::unsandboxed;
}

inline constexpr const char* kTierNames[] = {"A", "B", "C", "unsandboxed"};
constexpr const char* name_of(Tier tier) {
    return kTierNames[static_cast<int>(tier)];
}
/// For JSON.
constexpr const char* name_in_json(Tier tier) {
    return name_of(tier);
}

}  // namespace coalesce::grader
