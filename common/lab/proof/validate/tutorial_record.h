/// \file
/// What a GPU measured of the tutorial kernels: counters of small launches, times and more of large ones.
///
/// The record has two files. measured.json holds the counters of all kernels, and the times of one half.
/// held_back.json holds the times of the other half, so that the model of time can be improved without
/// looking at them, and judged by them afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/proof/json_text.h"
#include "lab/proof/validate/ncu_output.h"

namespace coalesce::proof {

/// A theme is a program of common/lab/proof/tutorial.
const std::vector<std::string>& tutorial_themes();

/// Reports whether the times of this kernel belong to the half that is held back. The rule looks at nothing but
/// the name, so that a kernel stays in its half when others are added.
bool is_held_back(const std::string& kernel);

/// A counter of the record, and the metrics that add up to it.
struct RecordedCounter {
    std::string name;
    std::vector<std::string> metrics;
};
/// The counters of small launches. Those whose name the simulator's JSON has are compared; the others explain
/// differences: `..._pipe` is counted in the hardware's pipe, `local_...` are accesses of local memory.
const std::vector<RecordedCounter>& recorded_counters();
/// What is recorded of large launches, beside their times.
const std::vector<RecordedCounter>& recorded_extras();
/// Their metrics as ncu takes them, separated by commas.
std::string metric_names(const std::vector<RecordedCounter>& counters);

/// What the programs and ncu printed of one theme.
struct ThemeOutput {
    std::string theme;
    std::string times;  ///< of `--time`
    std::string small;  ///< of ncu, of small launches
    std::string full;   ///< of ncu, of large ones
};

/// The kernels of a theme as both files have them. Throws std::runtime_error unless all three texts are of the
/// same kernels.
struct ThemeRecord {
    Json measured = Json::array(), held_back = Json::array();
};
ThemeRecord record_of(const ThemeOutput& output);

/// Adds to kernels of the record what more runs of them counted. `launches` has `repeats` of each kernel, one kernel
/// after the other. Each kernel gets "runs", their number with the recorded one, and "ranges", the least and the most of
/// each counter that is not the same in all runs, unless there is none. Throws std::runtime_error if the launches are
/// of other kernels.
void add_runs(const std::vector<Json*>& kernels, const std::vector<ProfiledLaunch>& launches,
              std::size_t repeats);

/// Reads and writes measured.json and held_back.json of a folder, which have "run" and "kernels".
struct TutorialRecord {
    Json run, measured = Json::array(), held_back = Json::array();

    void add(const ThemeRecord& theme);
    void write(const std::filesystem::path& folder) const;
    /// `with_held_back`: also reads the times that are held back.
    static TutorialRecord read(const std::filesystem::path& folder, bool with_held_back);
};

}  // namespace coalesce::proof
