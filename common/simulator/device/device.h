// Declares the simulated device, which loads modules and launches kernels for the runtime library.
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
struct TraceRequest;
struct WorkerTotals;

class Device {
public:
    static Device& instance();

    DeviceMemory& memory();

    /// Parses the PTX text and allocates its variables. Returns nullptr and sets `error` on
    /// failure.
    std::unique_ptr<Module> load_module(std::string_view ptx_text, std::string& error);
    /// Loads the PTX texts of a program built with nvcc -rdc=true, and links them into one module.
    std::unique_ptr<Module> load_module(const std::vector<std::string>& ptx_texts,
                                        std::string& error);
    /// Frees the module's variables. The counters of the module's kernels remain available for the
    /// final report.
    void unload_module(Module& module);

    /// Runs the grid to completion. `arguments[i]` points to the value of parameter i. On failure,
    /// reports the error with its source location (see Reports) and returns it.
    Status launch(Kernel& kernel, const LaunchConfig& config, void** arguments);

    /// Returns how many blocks of `threads` threads fit on one multiprocessor at the same time
    /// (cudaOccupancy...).
    static u32 blocks_per_multiprocessor(const Kernel& kernel, u32 threads,
                                         u32 dynamic_shared_bytes);

    /// The size of each thread's stack in bytes (cudaLimitStackSize).
    u64 stack_limit = 65536;

private:
    Device();
    void begin_race_check(Launch& launch);
    void add_accessed_ranges(const Launch& launch);
    void fill_launch(Launch& launch, Kernel& kernel, const LaunchConfig& config, void** arguments);
    void record_sampled_blocks(Launch& launch, timing::Recording& recording, void** arguments,
                               u64 resident_blocks, bool is_recording_only,
                               std::vector<WorkerTotals>& worker_totals);
    void trace_block(Launch& launch, const TraceRequest& request, void** arguments,
                     u64 resident_blocks, std::vector<WorkerTotals>& worker_totals);
    void run_blocks(Launch& launch, u64 resident_blocks, std::vector<WorkerTotals>& worker_totals);
    bool should_skip_checks(const Launch& launch);
    void merge_totals(const Launch& launch, const std::vector<WorkerTotals>& worker_totals);

    struct State;
    std::unique_ptr<State> state_;
};

/// Returns the kernels of all modules, including unloaded modules. The report that is printed at
/// exit lists these kernels.
std::vector<const Kernel*> list_kernels();

/// Sets the counters of all kernels to zero.
void clear_counters();

/// Deletes the data of unloaded modules, which is otherwise kept for the final report. Used by
/// programs that load one kernel after another.
void delete_unloaded_modules();

}  // namespace coalesce::simulator
