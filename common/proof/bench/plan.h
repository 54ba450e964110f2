/// \file
/// What a benchmark is asked to do: sizes, rounds, files.
#pragma once

#include <string>
#include <vector>

#include "harness/options.h"

namespace coalesce::proof {

/// The command line, understood.
struct Plan {
    std::vector<Shape> sizes;
    int rounds = 8;    ///< each variant has its turn once a round
    int launches = 5;  ///< that are timed in one turn, after one that is not
    bool python = true;
    bool check_only = false;  ///< nothing is timed: does everything load, run and verify here?
    DeviceChoice device = DeviceChoice::gpu;
    std::string json;    ///< a file; empty: docs/results/DEVICE.json
    std::string commit;  ///< of the source; empty: git is asked
    std::string draw;    ///< only draw the charts of this JSON file
    std::string folder;  ///< where charts go; empty: docs/diagrams
};

/// "4096,32768x16384" as shapes; throws UsageError that names the word which is wrong.
std::vector<Shape> parse_sizes(const std::string& text);

}  // namespace coalesce::proof
