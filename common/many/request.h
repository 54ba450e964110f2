// The command line of a program for several GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/options.h"
#include "many/way.h"

namespace coalesce::many {

/// Whether the program is one process with all GPUs, or mpirun started one process per GPU.
enum class LaunchMode { alone, together };

struct Request {
    std::string program;  ///< the name of the program
    int gpus = 0;         ///< the number of blocks; with mpirun, the number of processes
    std::vector<Shape> verified;
    std::optional<Shape> shape;
    bool verify = true, bench = true, help = false, list = false, spoil = false;
    DeviceChoice device = DeviceChoice::automatic;
    std::string way, json;
    int chunks = 0, unused = 0, pause = 0, repetitions = 15;
    double link = 450;
};

std::string program_name(char** argv);
/// Reads the command line. Throws UsageError.
Request parse(int argc, char** argv, LaunchMode started);

/// Returns the list of ways, one per line.
std::string list_text(const std::vector<KindOfWay>& ways);
/// Returns the text of --help. The second function is for programs that mpirun starts.
std::string help_text(const std::string& program, const std::vector<KindOfWay>& ways);
std::string help_text_together(const std::string& program);

}  // namespace coalesce::many
