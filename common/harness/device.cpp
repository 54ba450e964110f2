#include "harness/device.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "base/files.h"
#include "harness/counters.h"
#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

constexpr char kLibraryName[] = "libcudart.so.13";
constexpr char kLibraryMarker[] = "coalesceSimulatorVersion";
/// The environment variable that a program sets before it executes itself again, so that it does so
/// only once.
constexpr char kReexecutedVariable[] = "COALESCE_EXECUTED_AGAIN";

/// Reports whether the file is the simulator's library. A folder named `lib` may contain NVIDIA's
/// library instead.
bool is_simulator(const fs::path& file) {
    return read_if_exists(file).value_or("").find(kLibraryMarker) != std::string::npos;
}

/// Returns the folder with the simulator's library. Searches the folder of this program and the
/// folders above it, unless COALESCE_SIMULATOR names the folder.
fs::path simulator_folder() {
    if (const char* simulator_path = std::getenv("COALESCE_SIMULATOR")) {
        if (is_simulator(fs::path(simulator_path) / kLibraryName))
            return fs::absolute(simulator_path);
        throw UsageError(
            std::string("COALESCE_SIMULATOR=") + simulator_path +
            " names a folder without a simulator; it must name the folder that contains " +
            kLibraryName);
    }
    const fs::path program = fs::read_symlink("/proc/self/exe");
    for (fs::path folder = program.parent_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
        for (const char* library_folder : {"lib", "build/lib"}) {
            if (is_simulator(folder / library_folder / kLibraryName))
                return folder / library_folder;
        }
    }
    throw UsageError("the simulated GPU (" + std::string(kLibraryName) + ") was not found near " +
                     program.parent_path().string() +
                     "; build it (./learn build), or name its folder in COALESCE_SIMULATOR");
}

/// Executes this program again, with the simulator's folder first among the folders in which the
/// loader looks for libcudart.
[[noreturn]] void reexecute_on_simulator(char** argv) {
    if (std::getenv(kReexecutedVariable)) {
        throw UsageError(std::string("another ") + kLibraryName +
                         " is loaded although LD_LIBRARY_PATH names the simulator's folder: link "
                         "this program with -cudart shared and without DT_RPATH");
    }
    setenv("LD_LIBRARY_PATH", prepend_to_library_path(simulator_folder()).c_str(), 1);
    setenv(kReexecutedVariable, "1", 1);
    execv("/proc/self/exe", argv);
    throw UsageError(std::string("this program could not restart itself: ") + std::strerror(errno));
}

int device_attribute(cudaDeviceAttr attribute) {
    int attribute_value = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&attribute_value, attribute, 0));
    return attribute_value;
}

Device describe_device(bool is_simulated) {
    Device device;
    device.simulated = is_simulated;
    static cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    device.name = properties.name;
    device.compute = format("%d.%d", properties.major, properties.minor);
    device.l2_bytes = static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize));
    if (is_simulated) return device;
    int driver_version = 0;
    CUDA_CHECK(cudaDriverGetVersion(&driver_version));
    device.driver = format("%d.%d", driver_version / 1000, driver_version % 1000 / 10);
    // The clock rate is in kHz and the bus width in bits. There are two transfers per clock cycle.
    device.peak_gbps = 2.0 * device_attribute(cudaDevAttrMemoryClockRate) * 1e3 *
                       device_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 / 1e9;
    return device;
}

/// Returns the number on the first line that starts with `key`, or the first number in the file if
/// `key` is empty. Returns `default_value` if the file contains no such number.
std::uint64_t read_number(const char* file, const std::string& key, std::uint64_t default_value) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (line.rfind(key, 0) != 0) continue;
        char* number_end = nullptr;
        const char* number_begin = line.c_str() + key.size();
        const std::uint64_t number = std::strtoull(number_begin, &number_end, 10);
        if (number_end != number_begin) return number;
    }
    return default_value;
}

}  // namespace

std::string Device::first_line(bool is_predicted) const {
    if (!simulated) return "Device: " + name + ", measured";
    return "Device: " + name + ", simulated: counters, " +
           (is_predicted ? "predicted times" : "no times");
}

std::string find_gpu_problem() {
    if (simulator_library::is_loaded()) {
        return COALESCE_BUILT_BY_CLANG ? "programs built by clang run only on the simulated GPU; "
                                         "for a real GPU, install the CUDA toolkit"
                                       : "LD_LIBRARY_PATH puts the simulated GPU before NVIDIA's "
                                         "libcudart; run without this variable";
    }
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaSetDevice(0);
    // This call creates a context, which may fail even if the device exists.
    if (error == cudaSuccess) error = cudaFree(nullptr);
    if (error == cudaSuccess) return "";
    static_cast<void>(cudaGetLastError());
    return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

Device choose_device(DeviceChoice choice, char** argv) {
    if (simulator_library::is_loaded()) {
        unsetenv(kReexecutedVariable);
        if (choice == DeviceChoice::gpu) throw UsageError("--device gpu: " + find_gpu_problem());
        simulator_library::set_quiet(true);
        return describe_device(true);
    }
    if (choice == DeviceChoice::simulator) reexecute_on_simulator(argv);
    const std::string reason = find_gpu_problem();
    if (reason.empty()) return describe_device(false);
    if (choice == DeviceChoice::automatic) {
        try {
            reexecute_on_simulator(argv);
        } catch (const UsageError& error) {
            throw UsageError("no GPU works here (" + reason + "), and " + error.what());
        }
    }
    throw UsageError("--device gpu: no GPU works here (" + reason + "); try --device sim");
}

std::size_t free_host_bytes() {
    constexpr std::uint64_t no_limit_bytes = ~std::uint64_t{0};
    const std::uint64_t available_kib =
        read_number("/proc/meminfo", "MemAvailable:", no_limit_bytes / 1024);
    const std::uint64_t limit_bytes = read_number("/sys/fs/cgroup/memory.max", "", no_limit_bytes);
    const std::uint64_t used_bytes = read_number("/sys/fs/cgroup/memory.current", "", 0);
    const std::uint64_t bytes_left = limit_bytes == no_limit_bytes
                                         ? no_limit_bytes
                                         : limit_bytes - std::min(limit_bytes, used_bytes);
    return std::min(available_kib * 1024, bytes_left);
}

std::size_t free_device_bytes(bool is_simulated) {
    std::size_t free_bytes = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    return is_simulated ? std::min(free_bytes, free_host_bytes()) : free_bytes;
}

}  // namespace coalesce
