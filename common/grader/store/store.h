/// \file
/// What was handed in and what was judged, for good.
///
/// Theory of operation. A result depends on five things alone, and its key is the digest of these: the
/// submission, the exercise's part of the manifest with its hidden part, the grader, its compiler, and
/// the epoch of the secret seed. There is one result for a key: the first that was written. Every
/// attempt is a row of its own, and no row is ever changed or removed (triggers refuse it): a manifest
/// that changes makes new keys, and the older results stay. A run is a list of who handed in what; it
/// is written before anything is judged, and so a run that was killed can be resumed without the
/// folder that it came from. Rows are in the order of their numbers, never of the clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/store/database.h"

namespace coalesce::grader {

/// What one student handed in for one exercise.
struct Entry {
    std::string student = "";   ///< the name, bytes as they came
    std::string exercise = "";  ///< "03_tiled"
    std::string key = "";       ///< of the result
    std::string source = "";    ///< digest of the source in the store; "": there is none
    std::string problem = "";   ///< why nothing can be judged ("no-file"); "": it can
    /// The same in words for the student; without a problem, what was handed in and not looked at.
    std::string details = "";

    /// The same in all respects.
    bool operator==(const Entry&) const = default;
};

/// A run: a class as it was handed in at one time.
struct Run {
    std::int64_t number = 0;   ///< from 1
    std::string assignment;    ///< its name
    std::string stamp;         ///< "" or "unsandboxed"
    bool is_finished = false;  ///< every entry had its result
};

/// One try at judging an entry.
struct Attempt {
    std::int64_t number = 0;  ///< in the order in which they were made
    std::int64_t run = 0;     ///< of which run
    std::string student;      ///< whose
    std::string exercise;     ///< which
    std::string key;          ///< of the result
    std::string outcome;      ///< "judged", "again", "infrastructure" or "given-up"
    std::string text;         ///< what went wrong with ours; "" when judged
};

/// The store of one assignment.
class Store {
public:
    /// Opens it, or makes it.
    explicit Store(const std::filesystem::path& file, int milliseconds = 5000);

    /// A source that was kept, by its digest.
    std::string source(const std::string& digest);

    /// Writes down a run with all its entries and their sources, whole or not at all.
    std::int64_t begin_run(const std::string& assignment, const std::string& stamp,
                           const std::vector<Entry>& entries,
                           const std::vector<std::string>& sources);
    /// The last run. Nothing when there is none.
    std::optional<Run> run();
    /// Its entries, in the order in which they were given.
    std::vector<Entry> entries(std::int64_t run);
    /// Notes that every entry has its result.
    void finish_run(std::int64_t run);

    /// The result for a key.
    std::optional<std::string> result(const std::string& key);
    /// Adds a result: true when it is the first for its key. When there is one already it must be the
    /// same to the last byte: else it throws Infrastructure, and the first stays.
    bool add_result(std::int64_t run, const Entry& entry, const std::string& result);
    /// Adds an attempt that failed through a fault of ours.
    void add_fault(std::int64_t run, const Entry& entry, const std::string& text);
    /// Notes that the judge breaks down over an entry, and over nothing else. It stays without a result,
    /// so that another run tries again.
    void give_up(std::int64_t run, const Entry& entry, const std::string& text);
    /// The keys of the entries that were given up in a run.
    std::set<std::string> given_up(std::int64_t run);
    /// All attempts, the oldest first.
    std::vector<Attempt> attempts();

private:
    void add_attempt(std::int64_t run, const Entry& entry, const std::string& outcome,
                     const std::string& text);

    Database database_;
};

}  // namespace coalesce::grader
