// The simulated device as the runtime library sees it: load a module, launch a kernel, read totals.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/code/kernel.h"
#include "simulator/code/launch_config.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::timing {
struct Recording;
}

namespace coalesce::simulator {

struct Launch;
struct WorkerTotals;

class Device {
public:
    static Device& instance();

    DeviceMemory& memory();

    /// Parses the text and places its variables. nullptr with `error` set when it cannot.
    std::unique_ptr<Module> load(std::string_view ptx_text, std::string& error);
    /// The same for the files of a program that nvcc -rdc=true built, which are linked.
    std::unique_ptr<Module> load(const std::vector<std::string>& ptx_texts, std::string& error);
    /// Frees its variables. What its kernels have counted is kept for the report at the end.
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
                bool alone, std::vector<WorkerTotals>& counted);
    void run(Launch& launch, u64 resident, std::vector<WorkerTotals>& counted);
    bool leaves_checks_out(const Launch& launch);
    void add_up(const Launch& launch, const std::vector<WorkerTotals>& counted);

    struct State;
    std::unique_ptr<State> state_;
};

/// Every kernel of every module ever loaded, also unloaded ones: the source of the final table.
std::vector<const Kernel*> all_kernels();

/// Drops what is kept of unloaded modules, for programs that load one kernel after another.
void forget_unloaded_kernels();

}  // namespace coalesce::simulator
