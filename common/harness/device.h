/// \file
/// Chooses the GPU that a program runs on: a real one, or the simulated one.
///
/// A program runs on the simulator if the loader finds the simulator's libcudart.so.13 before
/// NVIDIA's. If necessary, the program executes itself again with the simulator's folder at the
/// front of LD_LIBRARY_PATH.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

/// The values of --device.
enum class DeviceChoice {
    automatic,  ///< a real GPU if one is usable, otherwise the simulator
    gpu,        ///< a real GPU, or an error if none is usable
    simulator,  ///< the simulator, or an error if it is not available
};

/// The chosen device.
struct Device {
    std::string name = "";     ///< the name that the device reports
    bool simulated = false;    ///< whether the device is the simulator, which measures no times
    std::size_t l2_bytes = 0;  ///< the size of the device's L2 cache in bytes
    /// Peak memory bandwidth in GB/s (memory clock x bus width), or 0 if unknown.
    double peak_gbps = 0;
    std::string compute = "";  ///< compute capability, such as "9.0"
    std::string driver = "";   ///< the CUDA version that the driver supports, such as "13.0"

    /// Returns the line that every program prints first, such as "Device: NVIDIA H200, measured".
    /// On the simulator, the line also says whether times are predicted (`is_predicted`).
    std::string first_line(bool is_predicted = false) const;
};

/// Makes `choice` the device of this process, and returns the device. If the process must load a
/// different libcudart, executes the program again with the arguments `argv`. Throws UsageError if
/// the device is not available.
Device choose_device(DeviceChoice choice, char** argv);

/// Returns the reason why no real GPU is usable, or "" if one is.
std::string find_gpu_problem();

/// Returns the number of bytes that are free for matrices in device memory. If `is_simulated` is
/// true, this is the free host memory, because the simulator keeps device memory there.
std::size_t free_device_bytes(bool is_simulated);
/// Returns the free host memory in bytes: MemAvailable, or less if the cgroup has a lower limit.
std::size_t free_host_bytes();

}  // namespace coalesce
