// The command line of a program for several GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/options.h"
#include "many/method.h"

namespace coalesce::many {

/// Whether one process uses all GPUs, or mpirun starts one process per GPU.
enum class LaunchMode { alone, together };

struct Request {
    std::string program;
    int gpus = 0;  ///< the number of ranks; with mpirun, the number of processes
    std::vector<Shape> verified_shapes;
    std::optional<Shape> shape;
    bool verify = true, bench = true, help = false, list = false, spoil = false;
    DeviceChoice device = DeviceChoice::automatic;
    std::string method, json;
    int chunks = 0, unused_shared_kib = 0, pause_us = 0, repetitions = 15;
    double link_gbps = 450;
};

std::string program_name(char** argv);
/// Reads the command line. Throws UsageError.
Request parse(int argc, char** argv, LaunchMode mode);

/// Returns the list of methods, one per line.
std::string list_text(const std::vector<MethodKind>& methods);
/// Return the text of --help. help_text_for_mpirun() is for programs that mpirun starts.
std::string help_text(const std::string& program, const std::vector<MethodKind>& methods);
std::string help_text_for_mpirun(const std::string& program);

}  // namespace coalesce::many
