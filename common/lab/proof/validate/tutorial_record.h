/// \file
/// The measurements of the tutorial kernels on one GPU: counters of small launches, and times and
/// further counters of large launches.
///
/// measured.json contains the counters of all kernels, and the times of half of them.
/// held_back.json contains the times of the other half. The time model is improved without looking
/// at the held-back times, and then evaluated with them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"
#include "lab/proof/validate/ncu_output.h"

namespace coalesce::proof {

/// Returns the themes. Each one is a program in common/lab/proof/tests/tutorial.
const std::vector<std::string>& list_tutorial_themes();

/// Reports whether the times of this kernel belong to the half of the times that is held back for
/// evaluating the time model. The answer depends only on the name, so it does not change when other
/// kernels are added.
bool is_held_back_kernel(const std::string& kernel);

/// A counter in the record, and the metrics that add up to it.
struct RecordedCounter {
    std::string name;
    std::vector<std::string> metrics;
};
/// Returns the counters of small launches. Names that end in `_pipe` are counters of the hardware's
/// pipe. Names that begin with `local_` count accesses to local memory.
const std::vector<RecordedCounter>& counters_of_small_launches();
/// Returns the counters that are recorded for large launches. The record also contains the times of
/// these launches.
const std::vector<RecordedCounter>& counters_of_large_launches();
/// Returns the metrics of these counters, separated by commas as ncu expects them.
std::string join_metric_names(const std::vector<RecordedCounter>& counters);

/// The outputs of one theme's program and of ncu, from which the theme's record is made.
struct ThemeOutput {
    std::string theme;
    std::string times;  ///< output of `--time`
    std::string small;  ///< ncu's output for small launches
    std::string full;   ///< ncu's output for large launches
};

/// A theme's kernels, as they are written to measured.json and to held_back.json.
struct ThemeRecord {
    Json measured = Json::array(), held_back = Json::array();
};
/// Combines the three outputs of a theme. Throws std::runtime_error unless all three are for the
/// same kernels.
ThemeRecord make_theme_record(const ThemeOutput& output);

/// Adds the counters of further runs to kernels in the record. `launches` contains
/// `launches_per_kernel` launches of each kernel. Each kernel in the record gets the number of its
/// runs, and the minimum and maximum of each counter that varies. Throws std::runtime_error if
/// `launches` contains other kernels.
void add_runs(const std::vector<Json*>& kernels, const std::vector<ProfiledLaunch>& launches,
              std::size_t launches_per_kernel);

/// The contents of measured.json and held_back.json, which both have "run" and "kernels".
struct TutorialRecord {
    Json run, measured = Json::array(), held_back = Json::array();

    void add(const ThemeRecord& theme);
    void write(const std::filesystem::path& folder) const;
    /// Reads the record in a folder. Reads the held-back times only if `reads_held_back` is set.
    static TutorialRecord read(const std::filesystem::path& folder, bool reads_held_back);
};

}  // namespace coalesce::proof
