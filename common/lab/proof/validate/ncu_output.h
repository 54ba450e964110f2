/// \file
/// Parses the output of Nsight Compute's --csv option.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coalesce::proof {

/// A kernel launch that ncu profiled.
struct ProfiledLaunch {
    int id = 0;          ///< index of the launch, counted from 0
    std::string kernel;  ///< demangled name, with or without parameters
    /// the value of each metric by its full name, for example "...sum"
    std::map<std::string, double> value_by_metric;
};

/// Returns the launches, ordered by their IDs. Skips lines around the table, such as "==PROF==
/// ...". Accepts both layouts of ncu, --page raw and --page details. Throws std::runtime_error with
/// ncu's own errors if there is no table.
std::vector<ProfiledLaunch> parse_ncu_csv(const std::string& text);

/// Returns the metrics that ncu did not recognize ("Failed to find metric ...").
std::vector<std::string> find_unknown_metrics(const std::string& text);

/// Splits a line of CSV into fields, with quotes removed.
std::vector<std::string> split_csv_line(const std::string& line);

}  // namespace coalesce::proof
