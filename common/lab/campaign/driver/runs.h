// Runs many kernels with the program campaign_run. A kernel that crashes or hangs does not stop the
// others.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

/// A kernel to run: PTX text whose first line specifies the launch.
struct KernelToRun {
    std::string name;                ///< name of the kernel, without spaces
    std::string configuration = {};  ///< such as "ptx" or "nvrtc-O3"
    std::string ptx = {};
    std::string source = {};  ///< CUDA C++ source if the kernel was compiled
};

/// The result of running a kernel.
struct Outcome {
    enum class Status { done, error, crashed } status = Status::crashed;
    std::string memory_hash;  ///< hash of the memory after the kernel has run
    std::string counters;     ///< hash of the counters, followed by the counters
    u64 report_count = 0;
    std::string text;  ///< the error, or the first report
};

/// The settings for running the simulator.
struct SimulatorSettings {
    bool is_plain_mode = false;
    u32 threads = 1;
    u64 seed = 0;
    /// the number of warp instructions after which a kernel is assumed to loop forever
    u64 max_warp_instructions = 5'000'000;
    /// The folder of another libcudart to compare with, such as NVIDIA's. If empty, the runner's
    /// own library is used.
    std::string library;
    /// Optimization level of the compiler in NVIDIA's driver, or a negative number for the default.
    int level = -1;
};
std::string format_environment(
    const SimulatorSettings& settings);  ///< Returns assignments such as COALESCE_SIM_THREADS=1.

class CampaignRunner {
public:
    /// \param program The path of campaign_run.
    /// \param library The folder that contains libcudart.so.13.
    CampaignRunner(std::string program, std::string library);

    /// Returns one outcome per case, in the same order.
    std::vector<Outcome> run(const std::vector<KernelToRun>& cases,
                             const SimulatorSettings& settings) const;
    /// Returns the shell command that runs the kernels in `file` with these settings.
    std::string command(const std::string& file, const SimulatorSettings& settings) const;

private:
    std::string runner_path_, library_folder_;
};

/// Describes the difference between two outcomes, or returns "" if there is none. The counters are
/// compared only if both runs used the same order of warps (`is_same_warp_order`), because the
/// counters of loops that spin depend on that order.
std::string describe_difference(const Outcome& a, const Outcome& b, bool is_same_warp_order);

}  // namespace coalesce::campaign
