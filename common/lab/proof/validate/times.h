/// \file
/// Compares predicted with measured times for every variant of every lesson and of the search.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/options.h"
#include "lab/proof/json_text.h"
#include "lab/random_times/errors.h"

namespace coalesce::proof {

/// The options of a comparison: the lessons, the source of the measured times, and the outputs.
struct TimeComparisonOptions {
    /// The GPU to predict for, or empty for the GPU on which the times were measured.
    std::string gpu;
    std::vector<std::string> lesson_names;  ///< numbers or names of lessons; all lessons if empty
    std::string sizes = "4096,8192,16384,32768,32768x16384";
    bool uses_published_times =
        false;  ///< whether to use docs/results even on a machine with a GPU
    bool excludes_search = false;
    std::vector<std::string>
        result_files_to_compare;  ///< result files to use instead of predictions
    bool compares_with_literature =
        false;  ///< whether to compare with published times for other GPUs
    /// `updates_tables`: whether to write the book's tables of published times. `checks_tables`:
    /// whether to check that these tables are current. Both need `compares_with_literature`.
    bool updates_tables = false, checks_tables = false;
    /// Median error in percent above which the comparison fails; 0 means no limit.
    double max_median_error_percent = 0;
    std::string json, markdown_file, svg_file;
};

/// The predicted and the measured time of a kernel at one size.
struct ComparedTime {
    std::string step, variant;
    Shape shape;
    timing::TimePair time_pair;
    double error_band = 0;
};

/// Measured times, by the name of the kernel and its shape. They come from the result files of the
/// lessons' programs and of the search.
class MeasuredTimes {
public:
    /// Adds all results in `json`, at any nesting depth. Does not replace times that already exist.
    void add(const Json& json);
    /// Returns the time in milliseconds, or 0 if it was not measured.
    double ms(const std::string& step, const std::string& variant, Shape shape) const;
    const std::string& device() const { return device_; }

private:
    void add_rows(const Json& rows, Shape shape);
    std::string device_;
    std::map<std::string, double> ms_;
};

/// Returns the kernels for which both a predicted and a measured time exist. `predicted` is the
/// JSON that a program writes with --time.
std::vector<ComparedTime> match_times(const Json& predicted, const MeasuredTimes& measured);

/// Returns `times` with each prediction replaced by the time that the run `run` measured for the
/// same kernel.
std::vector<ComparedTime> compare_with_run(std::vector<ComparedTime> times,
                                           const MeasuredTimes& run);

/// Returns, for each measured kernel that has no prediction, a line with the reason, for example
/// "12_async tma: its blocks wait ...".
std::vector<std::string> find_unpredicted(const Json& predicted, Shape shape,
                                          const MeasuredTimes& measured);

/// Returns text for a terminal. Each size has a table and its ten worst predictions. A summary with
/// a row for each size comes last.
std::string format_times_text(const std::vector<ComparedTime>& times);
/// Returns the tables as Markdown for the book.
std::string format_times_markdown(const std::vector<ComparedTime>& times, const std::string& title);
Json format_times_json(const std::vector<ComparedTime>& times);

/// Runs a program with --json and returns its output: the times of its kernels, predicted for
/// `gpu`.
Json predict_with_program(const std::string& program, Shape shape, const std::string& gpu);
/// Return the header and a row of a table of errors for a terminal.
std::string format_error_table_header();
std::string format_error_table_row(const std::string& name, const timing::ErrorSummary& summary);

/// Runs the whole comparison. Returns the exit code.
int compare_times_and_report(const TimeComparisonOptions& options);

}  // namespace coalesce::proof
