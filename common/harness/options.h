/// \file
/// The command line of a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device.h"
#include "harness/harness.h"

namespace coalesce {

/// Rows and columns of an input.
struct Shape {
    int rows = 0;  ///< rows of `in`
    int cols = 0;  ///< columns of `in`
    /// The same rows and columns.
    bool operator==(const Shape&) const = default;
    /// "1024 x 768"
    std::string name() const;
};

/// "4096x2048", or "4096" for a square, behind that option. Throws UsageError.
Shape parse_shape(const std::string& option, const std::string& text);

/// What was asked for.
struct Options {
    bool help = false;                              ///< show the options
    bool list = false;                              ///< show the variants
    bool verify = true;                             ///< verify on all shapes
    bool bench = true;                              ///< time, or count, at one shape
    DeviceChoice device = DeviceChoice::automatic;  ///< where
    std::optional<Shape> shape;                     ///< only this shape
    std::string variant;                            ///< only this variant; all when empty
    std::string json;                               ///< write the results there, too
    std::string time_on;           ///< predict times on the GPU of that name; none when empty
    std::optional<Shape> time_at;  ///< at this shape; else at that which is counted
};

/// Reads a command line; throws UsageError that names the option which is wrong.
Options parse_options(const std::vector<std::string>& arguments);

/// The text of --help for that program.
std::string help_text(const std::string& program);

}  // namespace coalesce
