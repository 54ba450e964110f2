/// \file
/// Stores submissions, results and the teacher's decisions permanently.
///
/// A result depends on exactly five things, and its key is their digest: the submission, the
/// exercise's part of the manifest including its hidden part, the grader, its compiler, and the
/// epoch of the secret seed. Each key has one result, the first that was written. Every attempt is
/// a separate row. Triggers prevent any row from being changed or removed. A changed manifest leads
/// to new keys, and the older results remain.
///
/// A run is the list of all submissions of a class. It is written before anything is judged, so
/// that a killed run can be resumed without the original folder. Rows are ordered by number, never
/// by time.
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
    std::string problem = "";   ///< why nothing can be judged, such as "no-file", or ""
    /// Describes the problem for the student. If there is no problem, lists the files that were not
    /// examined.
    std::string details = "";
    /// The name of the student's folder or file in a platform's download (platform_names.h), or "".
    std::string platform_name = "";

    bool operator==(const Entry&) const = default;
};

/// A teacher's decision about the points of one submission. It does not apply to other files that
/// the student hands in later.
struct Decision {
    std::string student = "";      ///< the student's name, as in Entry
    std::string exercise = "";     ///< such as "03_tiled"
    std::string source = "";       ///< digest of the source, as in Entry
    std::optional<double> points;  ///< the points, or nothing to restore the judge's points
    std::string reason = "";       ///< the reason, for the student
};

/// One run of `grade run`, which judges the submissions that a class has handed in so far.
struct Run {
    std::int64_t number = 0;   ///< number of the run, counted from 1
    std::string assignment;    ///< name of the assignment
    std::string stamp;         ///< "unsandboxed" if the run had no sandbox, otherwise ""
    bool is_finished = false;  ///< whether every entry has a result
};

/// One attempt to judge an entry.
struct Attempt {
    std::int64_t number = 0;  ///< number of the attempt, in chronological order
    std::int64_t run = 0;     ///< number of the run
    std::string student;      ///< the student's name, as in Entry
    std::string exercise;     ///< such as "03_tiled"
    std::string key;          ///< key of the entry's result
    std::string outcome;      ///< "judged", "again", "infrastructure" or "given-up"
    std::string text;         ///< the grader's problem, or "" if the attempt succeeded
};

/// The store of one assignment.
class Store {
public:
    /// Opens the store or creates it. If another process has locked it, waits up to `milliseconds`.
    explicit Store(const std::filesystem::path& file, int milliseconds = 5000);

    /// Returns the stored source with this digest.
    std::string source(const std::string& digest);

    /// Stores a run with all its entries and their sources, completely or not at all. `earlier` has
    /// the files that the students handed in earlier. These files are judged too.
    std::int64_t start_run(const std::string& assignment, const std::string& stamp,
                           const std::vector<Entry>& entries,
                           const std::vector<std::string>& sources,
                           const std::vector<Entry>& earlier = {});
    /// Returns the last run, or nothing if there is none.
    std::optional<Run> run();
    /// Returns the entries of a run in their original order.
    std::vector<Entry> entries(std::int64_t run);
    /// Returns the earlier files of a run, in the order in which they were handed in.
    std::vector<Entry> earlier_entries(std::int64_t run);
    /// Returns the files of all runs, oldest first. A file that a student hands in again without a
    /// change occurs once.
    std::vector<Entry> all_files();
    /// Records that every entry has a result.
    void finish_run(std::int64_t run);

    /// Returns the result with this key, or nothing if there is none.
    std::optional<std::string> result(const std::string& key);
    /// Adds a result. Returns true if it is the first with its key. Otherwise it must be
    /// byte-identical to the first; if not, throws InfrastructureError and keeps the first.
    bool add_result(std::int64_t run, const Entry& entry, const std::string& result);
    /// Records an attempt that failed because of the grader.
    void add_fault(std::int64_t run, const Entry& entry, const std::string& text);
    /// Records that an entry makes the judge crash although other entries do not. The entry remains
    /// without a result, so the next run tries again.
    void give_up(std::int64_t run, const Entry& entry, const std::string& text);
    /// Returns the keys of the entries that were given up in a run.
    std::set<std::string> given_up(std::int64_t run);
    /// Returns all attempts, oldest first.
    std::vector<Attempt> attempts();

    /// Records a decision, which replaces earlier decisions about the same submission.
    void decide(const Decision& decision);
    /// Returns all decisions, oldest first.
    std::vector<Decision> decisions();

private:
    void add_attempt(std::int64_t run, const Entry& entry, const std::string& outcome,
                     const std::string& text);

    Database database_;
};

}  // namespace coalesce::grader
