// What the command line of a program for several GPUs asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/options.h"
#include "many/way.h"

namespace coalesce::many {

/// Who runs the program: one process with all GPUs, or mpirun with a process for each.
enum class Started { alone, together };

struct Request {
    std::string program;  ///< its name
    int gpus = 0;         ///< how many blocks; where it is started together, as many as processes
    std::vector<Shape> verified;
    std::optional<Shape> shape;
    bool verify = true, bench = true, help = false, list = false, spoil = false;
    DeviceChoice device = DeviceChoice::automatic;
    std::string way, json;
    int chunks = 0, unused = 0, pause = 0, repetitions = 15;
    double link = 450;
};

std::string program_name(char** argv);
/// A UsageError says what is wrong with it.
Request parse(int argc, char** argv, Started started);

/// The ways, a line each.
std::string list_text(const std::vector<KindOfWay>& ways);
/// What --help prints, for a program that is started alone; and for one that is not.
std::string help_text(const std::string& program, const std::vector<KindOfWay>& ways);
std::string help_text_together(const std::string& program);

}  // namespace coalesce::many
