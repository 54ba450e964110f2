/// \file
/// The attempts at the open exercise: kept with their texts, held against the kernel to beat, shown.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/predicted.h"
#include "kernel/verdict.h"
#include "learn/session.h"

namespace coalesce::learn {

/// Of two predicted times.
enum class Standing {
    slower,  ///< by more than the model's band
    level,   ///< within what the model can tell apart
    faster,  ///< by more than the model's band
};
Standing standing_of(const Predicted& yours, const Predicted& other);

/// What a verdict says of a kernel that is right. `predicted` may be nothing.
Attempt attempt_of(const Verdict& verdict, const std::optional<Predicted>& predicted,
                   const std::optional<Counters>& counters);

/// Where the text of an attempt is kept, by what it holds.
std::filesystem::path copy_of(const Attempt& attempt);
/// Keeps the text, then notes the attempt. One that was made before keeps its number.
State note_attempt(Session& session, Attempt attempt, const std::string& text);

/// A table of at most 80 columns, the best first, `other` among them, which is called `name`; nullptr: none.
/// Each is compared with the one made before it.
std::string attempts_text(const std::vector<Attempt>& attempts, const Attempt* other,
                          const std::string& name);

}  // namespace coalesce::learn
