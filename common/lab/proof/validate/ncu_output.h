/// \file
/// What Nsight Compute writes with --csv, read back.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coalesce::proof {

/// One kernel that it profiled.
struct ProfiledLaunch {
    int id = 0;                             ///< launches are numbered from 0
    std::string kernel;                     ///< its demangled name, with or without parameters
    std::map<std::string, double> metrics;  ///< by their full names: "....sum"
};

/// The launches in the order of their numbers. Lines around the table, such as "==PROF== ...", are
/// passed over. Takes both of its layouts: a column for each metric (--page raw), and a line for
/// each (--page details). Throws std::runtime_error with ncu's own errors when there is no table.
std::vector<ProfiledLaunch> parse_ncu_csv(const std::string& text);

/// The metrics that ncu said it does not know ("Failed to find metric ...").
std::vector<std::string> unknown_metrics(const std::string& text);

/// The fields of one line of CSV: quotes and doubled quotes are undone.
std::vector<std::string> csv_fields(const std::string& line);

}  // namespace coalesce::proof
