/// \file
/// The strictness of a sandbox.
#pragma once

namespace coalesce::grader {

/// The tiers of the sandbox.
enum class Tier {
    namespaces,   ///< A: bubblewrap's namespaces, cgroups if possible, seccomp, rlimits
    landlock,     ///< B: Landlock, seccomp and rlimits; needs no privilege
    none,         ///< C: neither works here, so nothing runs
    unsandboxed,  ///< requested by the user; every result is marked
};

constexpr Tier last_of(Tier) {
    return Tier::unsandboxed;
}

inline constexpr const char* kTierNames[] = {"A", "B", "C", "unsandboxed"};
constexpr const char* name_of(Tier tier) {
    return kTierNames[static_cast<int>(tier)];
}
/// Returns the name for JSON.
constexpr const char* name_in_json(Tier tier) {
    return name_of(tier);
}

}  // namespace coalesce::grader
