/// \file
/// What a learner has done, in .learn/state.json.
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

/// What has been done about one exercise or bug hunt.
struct Record {
    int checks = 0;                    ///< how often it was checked
    std::string passed_hash = "";      ///< the text that passed; "": none did
    std::string passed_at = "";        ///< when, "2026-01-31T12:00:00Z"
    std::string last_hash = "";        ///< the text that was checked last
    std::string last_failure = "";     ///< what it failed with; "": nothing
    std::map<std::string, int> hints;  ///< levels seen, by the hint's first failure; "all" for none
    std::vector<Guess> guesses;        ///< in the order in which they were asked
    bool solution_seen = false;        ///< before it passed
    Json best_counters = nullptr;      ///< of the cheapest kernel that passed; simulated
    Json predicted = nullptr;  ///< {"percent", "label"}: part of a copy, of the last that passed
    Json best_measured = nullptr;  ///< {"gbps", "ms", "device", ...} of the fastest

    /// Hints seen, levels counted one by one.
    int hints_used() const;
    /// The guess for a counter, or nullptr.
    const Guess* guess(const std::string& counter) const;
    Guess* guess(const std::string& counter);
};

/// How far an exercise is.
enum class Status {
    untouched,  ///< never checked
    not_yet,    ///< checked, and never passed
    stale,      ///< passed, and edited since
    done,       ///< what stands in the file has passed
};
/// "not begun", "not yet", "stale", "done"
const char* name_of(Status status);
/// How far, with the text that its file has now; nothing when there is no file.
Status status_of(const Record& record, const std::optional<std::string>& text);

/// Everything about one learner.
struct State {
    bool has_begun = false;                 ///< ./learn has shown the steps
    std::string current = "";               ///< the name of what was worked on last
    std::map<std::string, Record> records;  ///< by Work::name()

    /// What has been done about one; empty when nothing has.
    const Record& record(const std::string& name) const;
};

/// State as JSON, and back. Throws when it is something else.
std::string to_json(const State& state);
State state_from_json(const std::string& json);

/// The folder with the learner's state.
class Progress {
public:
    /// Makes the folder if need be. What goes wrong is said through `warn`, once, and goes on without.
    Progress(std::filesystem::path folder, std::function<void(const std::string&)> warn);

    /// As it is now.
    State read();
    /// Reads it, changes it and writes it, with nobody between.
    State update(const std::function<void(State&)>& change);

private:
    KeptFile file_;
};

/// The time now, "2026-01-31T12:00:00Z".
std::string time_now();

}  // namespace coalesce::learn
