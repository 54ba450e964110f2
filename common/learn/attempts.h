/// \file
/// The attempts at the open exercise: kept with their texts, compared with the kernel to beat, shown.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "harness/predicted.h"
#include "learn/kept_file.h"

namespace coalesce::learn {

/// A kernel that was right, and how fast it is said to be.
struct Attempt {
    int number = 0;                 ///< from 1 on, in the order in which they were made
    std::string at = "";            ///< when, "2026-01-31T12:00:00Z"
    std::string hash = "";          ///< of its text, of which a copy is kept
    std::optional<double> ms = {};  ///< predicted; nothing where the model cannot
    double of_copy = 0;             ///< part of a copy's speed
    double error_band = 0;          ///< 0.08: within 8 % in nine of ten cases
    std::string gpu = "";           ///< for which
    bool is_doubtful = false;       ///< the model does not know something of it
    std::optional<double> load = {}, store = {};  ///< sectors per request
    std::optional<double> measured_ms = {};       ///< on a GPU, where there is one
};

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

/// Those that were made, in .learn/beat.json, and their texts in .learn/copies/beat/.
class Attempts {
public:
    /// In the learner's folder. What goes wrong is said through `warn`, once, and goes on without.
    explicit Attempts(const std::function<void(const std::string&)>& warn);

    /// All, in the order in which they were made.
    std::vector<Attempt> read();
    /// Keeps the text, then notes the attempt; all of them then. One that was made before keeps its number.
    std::vector<Attempt> note(Attempt attempt, const std::string& text);

    /// Where the text of an attempt is kept, by what it holds.
    static std::filesystem::path copy_of(const Attempt& attempt);

private:
    KeptFile file_;
};

/// A table of at most 80 columns, the best first, `other` among them, which is called `name`; nullptr: none.
/// Each is compared with the one made before it.
std::string attempts_text(const std::vector<Attempt>& attempts, const Attempt* other,
                          const std::string& name);

}  // namespace coalesce::learn
