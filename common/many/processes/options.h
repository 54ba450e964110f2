/// \file
/// The command line of 16_many_processes.
#pragma once

#include <string>
#include <vector>

#include "harness/options.h"
#include "many/processes/method.h"

namespace coalesce::processes {

/// The command line, parsed.
struct Request {
    std::vector<Shape> shapes;  ///< the shapes to verify or, with `bench`, to measure
    std::vector<MethodKind> methods;
    bool bench = false;
    int repetitions = 7;
    bool needs_device = false;  ///< whether local transposes run on a GPU, which `device` selects
    DeviceChoice device = DeviceChoice::simulator;
    Mistake mistake = Mistake::none;
    std::string json;
    bool help = false;
};

/// Reads the command line. Throws UsageError.
Request parse_request(int argc, char** argv);

/// Returns the text of --help.
std::string help();

}  // namespace coalesce::processes
