/// \file
/// What a learner has done, in .learn/state.json.
///
/// The file is written whole: under another name first, synced to the disk, then renamed. Two commands
/// at once take turns (flock). A file that holds something else is kept under another name, with a
/// message, and counts as empty: progress is never a reason to stop.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "course/course.h"
#include "learn/guess.h"
#include "learn/json_file.h"

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

/// A kernel of the open exercise that was right, and how fast it is said to be.
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

/// Everything about one learner.
struct State {
    bool has_begun = false;                 ///< ./learn has shown the steps
    std::string current = "";               ///< the name of what was worked on last
    std::map<std::string, Record> records;  ///< by Work::name()
    std::vector<Attempt> attempts = {};     ///< of the open exercise, in their order

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
    State read_locked();
    void write_locked(const State& state);
    void keep_aside(const std::string& why);
    void complain(const std::string& message);

    std::filesystem::path folder, file;
    std::function<void(const std::string&)> warn;
    bool has_complained = false;
};

/// The time now, "2026-01-31T12:00:00Z".
std::string time_now();

}  // namespace coalesce::learn
