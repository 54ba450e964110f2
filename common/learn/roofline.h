/// \file
/// Draws a roofline, a chart that shows whether memory bandwidth or the rate of instructions limits
/// a kernel.
///
/// This is the instruction roofline of Ding and Williams (2019). The chart counts the bytes of all
/// sectors that are moved to and from the multiprocessors, and all warp instructions. The number of
/// instructions does not distinguish arithmetic from address computations and branches.
#pragma once

#include <string>
#include <vector>

#include "harness/counters.h"
#include "timing/gpu.h"

namespace coalesce::learn {

/// A kernel in a roofline.
struct RooflinePoint {
    std::string name;         ///< such as "yours"
    double instructions = 0;  ///< number of warp instructions
    double bytes = 0;         ///< bytes of the sectors that the kernel moves

    /// Returns the instructions per byte.
    double intensity() const { return instructions / bytes; }
};

/// The two limits of a GPU, and the kernels to draw below them.
struct Roofline {
    std::string gpu;  ///< such as "NVIDIA H200"
    double gbps = 0;  ///< memory bandwidth, in 10^9 bytes per second
    /// Bandwidth of the L2 cache in 10^9 bytes per second, or 0 if unknown.
    double cache_gbps = 0;
    double ginstructions = 0;  ///< rate of instructions, in 10^9 warp instructions per second
    std::vector<RooflinePoint> points = {};

    /// Returns the intensity, in instructions per byte, above which the rate of instructions limits
    /// a kernel.
    double ridge() const { return ginstructions / gbps; }
    /// Like `ridge`, for a kernel that finds all of its sectors in the L2 cache.
    double cache_ridge() const { return ginstructions / cache_gbps; }
    /// Returns the highest possible rate of instructions at this intensity, in 10^9 per second.
    double attainable(double intensity) const;
    bool is_bound_by_memory(const RooflinePoint& point) const;
};

/// Returns the limits of a GPU, without any points.
Roofline make_roofline(const timing::Gpu& gpu);
/// Returns the point of a kernel in the roofline, computed from the kernel's counters.
RooflinePoint make_point(const std::string& name, const Counters& counters);

/// Draws the roofline in at most 80 columns and 20 lines. Each kernel is drawn as a letter on the
/// roof, above the kernel's intensity.
std::string roofline_text(const Roofline& roofline);
std::string roofline_svg(const Roofline& roofline);
/// Explains for each point what limits the kernel, and how far the point is from the ridge.
std::string explain_roofline(const Roofline& roofline);

}  // namespace coalesce::learn
