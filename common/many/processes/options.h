/// \file
/// The command line of 16_many_processes.
#pragma once

#include <string>
#include <vector>

#include "harness/options.h"
#include "many/processes/way.h"

namespace coalesce::processes {

/// What was asked for.
struct Request {
    std::vector<Shape> shapes;  ///< to verify at; with `bench`, to measure at
    std::vector<KindOfWay> ways;
    bool bench = false;
    int repetitions = 7;
    bool needs_device = false;  ///< `local` is a GPU: `device` says which
    DeviceChoice device = DeviceChoice::simulator;
    Mistake mistake = Mistake::none;
    std::string json;
    bool help = false;
};

/// Reads it. Throws UsageError.
Request parse_request(int argc, char** argv);

/// The text of --help.
std::string help();

}  // namespace coalesce::processes
