/// \file
/// The command line of a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/harness.h"

namespace coalesce {

/// The number of rows and columns of an input matrix. Exercises without a matrix store up to three
/// sizes of their own in the same fields.
struct Shape {
    int rows = 0;   ///< rows of `in`
    int cols = 0;   ///< columns of `in`
    int depth = 0;  ///< the third size, or 0 if there is none
    /// Compares rows, columns and depth.
    bool operator==(const Shape&) const = default;
    /// Returns the shape as a string, such as "1024 x 768".
    std::string name() const;
};

/// Parses the value of `option`: "4096x2048", or "4096" for a square. Throws UsageError if the
/// value is invalid.
Shape parse_shape(const std::string& option, const std::string& text);

/// The options of a command line.
struct Options {
    bool help = false;                              ///< whether to print the options
    bool list = false;                              ///< whether to print the variants
    bool verify = true;                             ///< whether to verify on all shapes
    bool bench = true;                              ///< whether to measure at one shape
    DeviceChoice device = DeviceChoice::automatic;  ///< the device to run on
    std::optional<Shape> shape;                     ///< shape to run, or empty for the usual ones
    std::string variant;                            ///< the only variant to run, or empty for all
    std::string json;     ///< a file to write the results to, or empty for none
    std::string time_on;  ///< the GPU to predict times for, or empty for none
    /// The shape for which to predict times. By default it is `shape` or, if there is none, a large
    /// square.
    std::optional<Shape> prediction_shape;
};

/// Parses a command line. Throws a UsageError naming the wrong option.
Options parse_options(const std::vector<std::string>& arguments);

/// Returns the text that --help prints. `program` is the program's name.
std::string help_text(const std::string& program);

}  // namespace coalesce
