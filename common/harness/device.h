/// \file
/// Which GPU a program runs on: a real one, or the simulated one.
///
/// Whichever libcudart.so.13 the loader found first is the device. A program that should run on the
/// simulator and found NVIDIA's executes itself again, with the simulator's folder in front of
/// LD_LIBRARY_PATH.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

/// What --device says.
enum class DeviceChoice {
    automatic,  ///< a real GPU when there is one that works, else the simulator
    gpu,        ///< a real GPU or an error
    simulator,  ///< the simulator or an error
};

/// The device that was chosen.
struct Device {
    std::string name = "";     ///< as the device calls itself
    bool simulated = false;    ///< the simulator: counters, no times
    std::size_t l2_bytes = 0;  ///< its second-level cache
    double peak_gbps = 0;      ///< memory clock x bus width; 0 when the device does not say
    std::string compute = "";  ///< compute capability: "9.0"
    std::string driver = "";   ///< the CUDA version that the driver is for: "13.0"

    /// "Device: NVIDIA H200, measured": the first line of every program.
    std::string first_line(bool is_predicted = false) const;
};

/// Makes the device of `choice` the one of this process. May execute the program again with the
/// arguments `argv`; then it does not return. Throws UsageError when the device cannot be had.
Device choose_device(DeviceChoice choice, char** argv);

/// The answer of a real GPU that works: "", or the reason why there is none.
std::string why_no_gpu();

/// Bytes that a matrix may still take: of the device's memory, or of the host's when `simulated`,
/// where device memory is host memory.
std::size_t free_device_bytes(bool simulated);
/// Bytes of host memory that are available: MemAvailable, or what the control group leaves.
std::size_t free_host_bytes();

}  // namespace coalesce
