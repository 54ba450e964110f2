// The simulated device as the runtime library sees it: load a module, launch a kernel, read totals.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "memory/device_memory.h"
#include "program/program.h"

namespace coalesce::timing {
struct Recording;
}

namespace coalesce::sim {

struct Counted;
struct Launch;

/// The outcome of a launch, in terms of the CUDA runtime's error numbers.
enum class Status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_configuration = 9,
    invalid_ptx = 218,
    unsupported_ptx = 222,  ///< an instruction that the simulator does not know
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,  ///< instruction budget spent, or deadlock
    assert_failed = 710,
    misaligned_address = 716,
    illegal_instruction = 715,
    launch_failure = 719,  ///< trap
    cooperative_too_large = 720,
};

struct LaunchConfig {
    Dim3 grid, block;
    u32 dynamic_shared = 0;
    bool cooperative = false;
    Dim3 cluster{1, 1, 1};
};

/// Limits and properties of the simulated device; cudart/device_properties.cpp reports them and the
/// launch enforces them. Modelled on an H200 (compute capability 9.0), and documented in README.md.
struct DeviceModel {
    static constexpr const char* name = "Coalesce simulated GPU (sm_90)";
    static constexpr u32 capability = 90;
    static constexpr u32 multiprocessors = 132;
    static constexpr u32 max_threads_per_block = 1024;
    static constexpr u32 max_threads_per_multiprocessor = 2048;
    static constexpr u32 max_blocks_per_multiprocessor = 32;
    static constexpr u32 registers_per_multiprocessor = 65536;
    static constexpr u32 shared_per_block = 48 * 1024;
    static constexpr u32 shared_per_block_optin = 227 * 1024;
    static constexpr u32 shared_per_multiprocessor = 228 * 1024;
    static constexpr u32 shared_reserved_per_block = 1024;
    /// Of these the system's own code (cooperative groups) may use the first.
    static constexpr u32 shared_reserved_used = 288;
    /// On an H200 they are the first ones, and a kernel's own variables begin at 1024. Here
    /// variables begin at 0, and these lie where no launch can put any.
    static constexpr u32 shared_reserved_begin = shared_per_block_optin;
    static constexpr u32 parameter_bytes_max = 32764;
};

class Device {
public:
    static Device& instance();

    DeviceMemory& memory();

    /// Parses the text and places its variables. nullptr with `error` set when it cannot.
    std::unique_ptr<Module> load(std::string_view ptx_text, std::string& error);
    void unload(Module& module);

    /// Runs the grid to its end. `arguments[i]` points at the value of parameter i. What went wrong
    /// has been reported (Reports) with its place; the status says which CUDA error it amounts to.
    Status launch(Kernel& kernel, const LaunchConfig& config, void** arguments);

    /// Blocks of this shape that fit on one multiprocessor (cudaOccupancy...).
    static u32 blocks_per_multiprocessor(const Kernel& kernel, u32 threads, u32 dynamic_shared);

    /// Size of the per-thread stack for recursion (cudaLimitStackSize), printf buffer, heap.
    u64 stack_limit = 65536;

private:
    Device();
    void describe_launch(Launch& launch, Kernel& kernel, const LaunchConfig& config,
                         void** arguments);
    void record(Launch& launch, timing::Recording& recording, void** arguments, u64 resident,
                bool alone, std::vector<Counted>& counted);
    void run(Launch& launch, u64 resident, std::vector<Counted>& counted);
    bool leaves_checks_out(const Launch& launch);
    void add_up(const Launch& launch, const std::vector<Counted>& counted);

    struct State;
    std::unique_ptr<State> state_;
};

/// Every kernel of every module ever loaded, also unloaded ones: the source of the final table.
std::vector<const Kernel*> all_kernels();

/// Drops what is kept of unloaded modules, for programs that load one kernel after another.
void forget_unloaded_kernels();

}  // namespace coalesce::sim
