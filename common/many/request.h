// What the command line of a program for several GPUs asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/chosen.h"
#include "harness/options.h"
#include "many/many.h"

namespace coalesce::many {

struct Request {
    int gpus = 0;
    std::vector<Shape> verified;
    std::optional<Shape> shape;
    bool verify = true, bench = true, help = false, list = false, spoil = false;
    DeviceChoice device = DeviceChoice::automatic;
    std::string way, json;
    int chunks = 0, unused = 0, pause = 0, repetitions = 15;
    double link = 450;
};

/// A UsageError says what is wrong with it.
Request parse(int argc, char** argv);

/// The ways, a line each.
std::string list_text(const std::vector<KindOfWay>& ways);
std::string help_text(const std::string& program, const std::vector<KindOfWay>& ways);

}  // namespace coalesce::many
