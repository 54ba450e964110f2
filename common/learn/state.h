/// \file
/// A learner's progress, stored in .learn/state.json.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "learn/guess.h"
#include "learn/json_file.h"
#include "learn/kept_file.h"

namespace coalesce::learn {

/// The progress in one exercise or bug hunt.
struct Record {
    int check_count = 0;
    std::string passed_hash = "";   ///< hash of the source that passed; "" if no source has passed
    std::string passed_at = "";     ///< when the source passed, such as "2026-01-31T12:00:00Z"
    std::string last_hash = "";     ///< hash of the last source that was checked
    std::string last_failure = "";  ///< the failure of the last check; "" if the kernel passed
    std::map<std::string, int> hints;  ///< number of levels seen, by hint name
    std::vector<Guess> guesses;        ///< the guesses, in the order of the questions
    bool solution_seen = false;        ///< whether the learner saw the solution before passing
    Json best_counters = nullptr;      ///< simulated counters of the cheapest kernel that passed
    /// prediction for the last kernel that passed, with the keys "percent" and "label"
    Json predicted = nullptr;
    Json best_measured = nullptr;  ///< the fastest measurement: "gbps", "ms", "device", ...

    /// Returns the number of hint levels that the learner has seen.
    int count_used_hints() const;
    /// Returns the guess for a counter, or nullptr.
    const Guess* guess(const std::string& counter) const;
    Guess* guess(const std::string& counter);
};

/// The state of an exercise.
enum class Status {
    untouched,  ///< never checked
    not_yet,    ///< checked, but never passed
    stale,      ///< passed, but edited since
    done,       ///< the current text of the file has passed
};
/// Returns the status as a string: "not begun", "not yet", "stale" or "done".
const char* name_of(Status status);
/// Returns the status of an exercise whose file currently contains `text`. `text` is empty if there
/// is no file.
Status status_of(const Record& record, const std::optional<std::string>& text);

/// The progress of one learner.
struct State {
    bool has_begun = false;                 ///< whether ./learn has introduced the course
    std::string current_exercise = "";      ///< name of the exercise the learner last worked on
    std::map<std::string, Record> records;  ///< records by LearnerExercise::name()

    /// Returns the record of an exercise. The record is empty if the learner has not begun the
    /// exercise.
    const Record& record(const std::string& name) const;
};

/// Converts a state to JSON. `state_from_json` does the reverse, and throws if the text is invalid.
std::string to_json(const State& state);
State state_from_json(const std::string& json);

/// The learner's state, stored in a file.
class Progress {
public:
    /// Opens the stored state. If the state cannot be stored, calls `warn` once and continues
    /// without storing it.
    Progress(std::filesystem::path folder, std::function<void(const std::string&)> warn);

    /// Reads the current state.
    State read();
    /// Reads the state, changes it and writes it. No other command can write in the meantime.
    State update(const std::function<void(State&)>& change);

private:
    LockedFile file_;
};

/// Returns the current time, in the form "2026-01-31T12:00:00Z".
std::string time_now();

}  // namespace coalesce::learn
