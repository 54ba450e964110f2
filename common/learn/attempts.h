/// \file
/// Stores the learner's attempts at the exercise of `learn beat`, ranks them, and formats them as a
/// table.
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

/// A correct kernel that the learner tried, with its predicted and measured times.
struct Attempt {
    int number = 0;            ///< number of the attempt, counted from 1
    std::string made_at = "";  ///< when the attempt was made, such as "2026-01-31T12:00:00Z"
    std::string hash = "";     ///< hash of the source, which is also the name of the stored copy
    /// predicted time in milliseconds; empty if the model cannot predict it
    std::optional<double> ms = {};
    double fraction_of_copy = 0;  ///< predicted speed, as a fraction of a copy's speed
    /// relative error band of the prediction; nine of ten measured times are within the band
    double error_band = 0;
    std::string gpu = "";       ///< the GPU that the prediction is for
    bool is_uncertain = false;  ///< whether the time model ignores some effects in the kernel
    std::optional<double> load = {}, store = {};  ///< sectors per request
    std::optional<double> measured_ms = {};       ///< time on the learner's GPU, if there is one
};

/// The result of comparing one predicted time with another.
enum class RelativeSpeed {
    slower,  ///< slower by more than the error band
    level,   ///< equal within the error band
    faster,  ///< faster by more than the error band
};
RelativeSpeed compare_speed(const Predicted& prediction, const Predicted& reference);

/// Creates an attempt from the verdict on a correct kernel. If `predicted` is empty, the attempt
/// has no predicted time. If `counters` is empty, the attempt has no costs.
Attempt make_attempt(const Verdict& verdict, const std::optional<Predicted>& predicted,
                     const std::optional<Counters>& counters);

/// The stored attempts. The list is in .learn/beat.json, and the sources are in
/// .learn/copies/beat/.
class Attempts {
public:
    /// Opens the list in the learner's folder. If the folder cannot be used, calls `warn` once and
    /// continues without storing attempts.
    explicit Attempts(const std::function<void(const std::string&)>& warn);

    /// Returns all attempts in the order they were made.
    std::vector<Attempt> read();
    /// Stores the source and the attempt, and returns all attempts. If the same source was tried
    /// before, the attempt keeps its old number.
    std::vector<Attempt> store_attempt(Attempt attempt, const std::string& text);

    /// Returns the path of the stored copy of an attempt's source. The copy is named after the
    /// source's hash.
    static std::filesystem::path copy_path(const Attempt& attempt);

private:
    LockedFile file_;
};

/// Returns a table of the attempts' times and costs, fastest first. The column "change" compares an
/// attempt's predicted time with that of the previous attempt. If `solution_attempt` is not null,
/// the table has an additional row for it, called `name`.
std::string format_attempts(const std::vector<Attempt>& attempts, const Attempt* solution_attempt,
                            const std::string& name);

}  // namespace coalesce::learn
