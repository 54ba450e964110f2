/// \file
/// Chooses the GPU that a program runs on: a real one, or the simulated one.
///
/// The choice depends on which libcudart.so.13 the loader finds first. If a program should run on
/// the simulator but NVIDIA's library was loaded, the program executes itself again with the
/// simulator's folder at the front of LD_LIBRARY_PATH.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

/// The values of --device.
enum class DeviceChoice {
    automatic,  ///< a real GPU if one works, otherwise the simulator
    gpu,        ///< a real GPU, or an error if none works
    simulator,  ///< the simulator, or an error if it is not available
};

/// The chosen device.
struct Device {
    std::string name = "";     ///< the name that the device reports
    bool simulated = false;    ///< whether the device is the simulator, which measures no times
    std::size_t l2_bytes = 0;  ///< the size of the device's L2 cache in bytes
    double peak_gbps = 0;      ///< memory clock x bus width, or 0 if not reported
    std::string compute = "";  ///< compute capability, such as "9.0"
    std::string driver = "";   ///< the CUDA version that the driver supports, such as "13.0"

    /// Returns the line that every program prints first, such as "Device: NVIDIA H200, measured".
    std::string first_line(bool is_predicted = false) const;
};

/// Makes `choice` the device of this process. May execute the program again with the arguments
/// `argv`, in which case it does not return. Throws UsageError if the device is not available.
Device choose_device(DeviceChoice choice, char** argv);

/// Returns why no real GPU works, or "" if one does.
std::string find_gpu_problem();

/// Returns how many bytes of memory are free for matrices. For the simulator this is host memory,
/// in which it keeps device memory.
std::size_t free_device_bytes(bool simulated);
/// Returns how many bytes of host memory are free: MemAvailable, or less if the cgroup sets a
/// limit.
std::size_t free_host_bytes();

}  // namespace coalesce
