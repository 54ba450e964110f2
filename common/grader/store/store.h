/// \file
/// Stores submissions, results and the teacher's decisions permanently.
///
/// The key of a result is a digest of everything that the result depends on: the submission, the
/// exercise, the grader, the compiler, and the epoch of the secret seed. If a teacher changes an
/// exercise, new results get new keys, and the older results remain.
///
/// Every attempt to judge a submission is a separate row. Triggers prevent any row from being
/// changed or removed. Rows are ordered by number, never by time.
///
/// A run is the list of all submissions of a class. The run is written before anything is judged,
/// so that a killed run can be resumed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/store/database.h"

namespace coalesce::grader {

/// One student's submission for one exercise.
struct Entry {
    std::string student = "";   ///< the student's name, as raw bytes
    std::string exercise = "";  ///< such as "03_tiled"
    std::string key = "";       ///< key of the result
    std::string source = "";    ///< digest of the stored source, or "" if there is none
    /// The reason why the submission cannot be judged, such as "no-file". "" if it can be judged.
    std::string problem = "";
    /// A description of the problem for the student. If there is no problem, lists the files that
    /// were not examined.
    std::string details = "";
    /// The name of the student's folder or file in a platform's download (platform_names.h), or "".
    std::string platform_name = "";

    bool operator==(const Entry&) const = default;
};

/// A teacher's decision about the points of one submission. It no longer applies once the student
/// submits a different file.
struct Decision {
    std::string student = "";      ///< the student's name, as in Entry
    std::string exercise = "";     ///< such as "03_tiled"
    std::string source = "";       ///< digest of the source, as in Entry
    std::optional<double> points;  ///< the points, or nothing to restore the judge's points
    std::string reason = "";       ///< the reason, for the student
};

/// One execution of `grade run`, which judges the current submissions of a class.
struct Run {
    std::int64_t run_number = 0;  ///< number of the run, counted from 1
    std::string assignment;
    std::string sandbox_note;  ///< "unsandboxed" if the run had no sandbox, otherwise ""
    bool is_finished = false;  ///< whether the run is finished: every entry has a result
};

/// One attempt to judge an entry.
struct Attempt {
    std::int64_t number = 0;  ///< ordinal number of the attempt, in chronological order
    std::int64_t run = 0;
    std::string student;   ///< the student's name, as in Entry
    std::string exercise;  ///< such as "03_tiled"
    std::string key;       ///< key of the entry's result
    /// "judged" (a new result), "again" (the same result as before), "infrastructure" (the grader
    /// failed) or "given-up" (the entry crashes the judge)
    std::string outcome;
    std::string text;  ///< the reason why the grader failed, or "" if the attempt succeeded
};

/// The store of one assignment.
class Store {
public:
    /// Opens the store, and creates it if it does not exist. If another process has locked the
    /// store, waits up to `busy_timeout_ms`.
    explicit Store(const std::filesystem::path& file, int busy_timeout_ms = 5000);

    /// Returns the stored source with this digest.
    std::string source(const std::string& digest);

    /// Atomically stores a run with its entries and their sources. `earlier_entries` contains
    /// earlier files of the same students, which are judged too. Returns the number of the run.
    std::int64_t start_run(const std::string& assignment, const std::string& sandbox_note,
                           const std::vector<Entry>& entries,
                           const std::vector<std::string>& sources,
                           const std::vector<Entry>& earlier_entries = {});
    /// Returns the most recent run, or nothing if there is none.
    std::optional<Run> run();
    /// Returns the entries of a run in their original order.
    std::vector<Entry> entries(std::int64_t run);
    /// Returns the files that the students of this run submitted in earlier runs, oldest first.
    std::vector<Entry> earlier_entries(std::int64_t run);
    /// Returns the files of all runs, oldest first. A file that a student submitted several times
    /// without changes is returned once.
    std::vector<Entry> submitted_files();
    /// Marks the run as finished. Every entry must already have a result.
    void finish_run(std::int64_t run);

    /// Returns the result with this key, or nothing if there is none.
    std::optional<std::string> result(const std::string& key);
    /// Adds a result and returns true. If the store already has the same result under this key,
    /// returns false. If the store has a different result under this key, throws
    /// InfrastructureError.
    bool add_result(std::int64_t run, const Entry& entry, const std::string& result);
    /// Records an attempt that failed because of the grader.
    void add_fault(std::int64_t run, const Entry& entry, const std::string& text);
    /// Records that this entry crashes the judge. The entry has no result, so the next run judges
    /// it again.
    void give_up(std::int64_t run, const Entry& entry, const std::string& text);
    /// Returns the keys of the entries for which give_up() was called in this run.
    std::set<std::string> given_up_keys(std::int64_t run);
    /// Returns all attempts, oldest first.
    std::vector<Attempt> attempts();

    /// Records a decision, which replaces earlier decisions about the same submission.
    void add_decision(const Decision& decision);
    /// Returns all decisions, oldest first.
    std::vector<Decision> decisions();

private:
    void add_attempt(std::int64_t run, const Entry& entry, const std::string& outcome,
                     const std::string& text);

    Database database_;
};

}  // namespace coalesce::grader
