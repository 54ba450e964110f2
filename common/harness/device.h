/// \file
/// Chooses the GPU that a program runs on: a real one, or the simulated one.
///
/// The device depends on which libcudart.so.13 the loader finds first. If a program is to run on
/// the simulator but NVIDIA's library was loaded, the program executes itself again, with the
/// simulator's folder at the front of LD_LIBRARY_PATH.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce {

/// The values of --device.
enum class DeviceChoice {
    automatic,  ///< a real GPU if a working one exists, otherwise the simulator
    gpu,        ///< a real GPU or an error
    simulator,  ///< the simulator or an error
};

/// The chosen device.
struct Device {
    std::string name = "";     ///< the name that the device reports
    bool simulated = false;    ///< whether it is the simulator, which has counters but no times
    std::size_t l2_bytes = 0;  ///< the size of its second-level cache
    double peak_gbps = 0;      ///< memory clock x bus width; 0 if the device does not report them
    std::string compute = "";  ///< compute capability: "9.0"
    std::string driver = "";   ///< the CUDA version that the driver supports: "13.0"

    /// Returns "Device: NVIDIA H200, measured", for example: the first line that every program
    /// prints.
    std::string first_line(bool is_predicted = false) const;
};

/// Makes `choice` the device of this process. This may execute the program again with the arguments
/// `argv`, and then never returns. Throws UsageError if the device is not available.
Device choose_device(DeviceChoice choice, char** argv);

/// Returns "" if a real GPU works, or else the reason why none does.
std::string why_no_gpu();

/// Returns how many bytes matrices may still take. If `simulated`, this is host memory, because the
/// simulator keeps device memory there.
std::size_t free_device_bytes(bool simulated);
/// Returns the available bytes of host memory: MemAvailable, or what the control group's limit
/// leaves.
std::size_t free_host_bytes();

}  // namespace coalesce
