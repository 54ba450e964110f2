/// \file
/// The model of time compared with a GPU: every variant of every lesson and of the search, predicted and measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/options.h"
#include "lab/proof/json_text.h"
#include "lab/random_times/errors.h"

namespace coalesce::proof {

/// Which of them, and where measured times come from.
struct TimeWords {
    std::string gpu;  ///< whose times are predicted; empty: the one that was measured
    std::vector<std::string> lessons;  ///< by number or name; all when empty
    std::string sizes = "4096,8192,16384,32768,32768x16384";
    bool published = false;  ///< docs/results, also where there is a GPU
    bool no_search = false;
    std::vector<std::string> against;  ///< files of another run, in place of predictions
    bool literature = false;           ///< other GPUs, and what others have published of them
    bool tables = false, are_tables_current = false;  ///< of `literature`, in the book
    double limit = 0;  ///< percent: the largest median that is no failure; 0: any
    std::string json, markdown, svg;
};

/// One kernel at one size.
struct ComparedTime {
    std::string step, variant;
    Shape shape;
    timing::TimePair pair;
    double error_band = 0;
};

/// What a lesson's program or the search has written: measured times by name and size. What it skipped, or
/// has no time for, is not among them.
class Measured {
public:
    /// Any file of results, however deep they are; what is known already stays.
    void add(const Json& json);
    /// 0 when it was not measured.
    double ms(const std::string& step, const std::string& variant, Shape shape) const;
    const std::string& device() const { return device_; }

private:
    void add_rows(const Json& rows, Shape shape);
    std::string device_;
    std::map<std::string, double> ms_;
};

/// Predicted and measured, for those that have both. `predicted`: what a program wrote with --time.
std::vector<ComparedTime> compared(const Json& predicted, const Measured& measured);

/// Another run in place of the model: what it measured of the same kernels stands where their predictions were.
std::vector<ComparedTime> against(std::vector<ComparedTime> times, const Measured& run);

/// Why those have no prediction that were measured: "12_async tma: its blocks wait ...".
std::vector<std::string> not_predicted(const Json& predicted, Shape shape,
                                       const Measured& measured);

/// For a terminal: each size with its table and its worst ten, then a line for each size.
std::string times_text(const std::vector<ComparedTime>& times);
/// For the book: the same as tables.
std::string times_markdown(const std::vector<ComparedTime>& times, const std::string& title);
Json times_json(const std::vector<ComparedTime>& times);

/// What that program writes into the file of --json: its kernels at `shape`, predicted on `gpu`.
Json predicted_json(const std::string& program, Shape shape, const std::string& gpu);
/// Errors as a table for a terminal: its head, and a row.
std::string figures_head();
std::string figures_row(const std::string& name, const timing::ErrorSummary& summary);

/// Does it all. Returns the exit code.
int validate_times(const TimeWords& words);

}  // namespace coalesce::proof
