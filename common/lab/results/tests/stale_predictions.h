// Checks that the predictions in the tables are up to date.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "lab/results/results.h"

namespace coalesce::lab {

inline std::string name_of_row(const Json& row) {
    return row.value("step", "") + " " + row.value("variant", "");
}

inline std::string difference(const Json& shown, const Json& now) {
    if (shown.contains("predicted") != now.contains("predicted")) {
        return shown.contains("predicted") ? "is not predicted any more" : "is predicted now";
    }
    if (!shown.contains("predicted")) return "";
    const Json &one = shown["predicted"], &other = now["predicted"];
    for (const char* what : {"gpu", "rows", "cols", "binds", "error_band", "unknown"}) {
        if (one.at(what) != other.at(what)) {
            return std::string(what) + " is " + other.at(what).dump() + ", not " +
                   one.at(what).dump();
        }
    }
    const double before = one.at("ms"), after = other.at("ms");
    if (std::abs(after - before) <= 0.01 * before) return "";
    return "ms is " + other.at("ms").dump() + ", not " + one.at("ms").dump();
}

/// Returns a sentence for each prediction that differs by at least one percent from the one in the
/// tables.
inline std::vector<std::string> stale_predictions(const Json& shown, const Json& now) {
    std::map<std::string, Json> known;
    for (auto& row : shown) known[name_of_row(row)] = row;
    std::vector<std::string> stale;
    for (auto& row : now) {
        const auto found = known.find(name_of_row(row));
        const std::string what = found == known.end() ? "is new" : difference(found->second, row);
        if (!what.empty()) stale.push_back(name_of_row(row) + ": " + what);
        if (found != known.end()) known.erase(found);
    }
    for (auto& [name, row] : known) stale.push_back(name + ": is there no more");
    return stale;
}

}  // namespace coalesce::lab
