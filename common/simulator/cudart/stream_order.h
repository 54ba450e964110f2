// Finds unordered work in different streams that accesses the same memory.
//
// Idea       In the simulator, work in a stream is complete when the call that queues it returns,
//            so a missing wait has no effect. To detect the missing wait, the check keeps a vector
//            clock for each stream, for each recorded event, and for the host. Entry s of a clock
//            is the number of operations in stream s that precede all later work of the clock's
//            owner (the stream, event or host). A stream that waits for an event joins the clock of
//            the stream that recorded the event. When the host waits, the host's clock joins the
//            clock of the stream or event. Later work joins the host's clock.
// Ranges     Copies and fills add their ranges (transfers.cpp). The ranges of a launch come from
//            the shadow of the race check. Collecting them takes 12 % of the launch's time (the
//            median of thirteen programs). Therefore, as long as no two streams can run at the same
//            time, ranges are collected only for memory that the host can access.
// Host       Accesses by the host to pinned and managed memory are detected until the host has
//            waited for the work that has accessed this memory (memory/host_guard.h).
// Lenient    A query counts as a wait, because its result says that the work is complete. Host
//            functions, cudaFree and cudaMemset count as waits too. All host threads together count
//            as a single thread.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "simulator/checks/accessed_ranges.h"
#include "simulator/code/launch_config.h"

namespace coalesce::simulator::cudart {

/// The work that the current API call queues in a stream. The object exists while the work runs.
/// Work that runs inside other work, such as the nodes of a graph, counts as part of that other
/// work.
class StreamWork {
public:
    explicit StreamWork(cudaStream_t stream);
    ~StreamWork();  ///< compares the work with earlier work, and reports conflicts
    StreamWork(const StreamWork&) = delete;

    /// Records that the host waits for the work before the current call returns.
    static void record_host_wait();
    /// Sets the name of the kernel that the current work runs, for reports.
    static void set_kernel_name(const std::string& name);
    /// Returns the ranges that the current work has accessed so far, so that the caller can add
    /// more. Returns null if there is no current work or the check is disabled.
    static AccessedRanges* ranges();
    /// Configures a launch to collect its accesses. If no two streams of the program can run
    /// concurrently, the launch collects only accesses to memory that host and device share.
    static void collect_accesses_of(LaunchConfig& config);
    /// Records that the current work frees this memory.
    static void record_freed_range(u64 begin, u64 end);
    /// These functions handle a graph node that records an event or waits for one. The check treats
    /// the graph as a single operation: it runs after all events that it waits for, and before all
    /// events that it records.
    static void record(cudaEvent_t event);
    static void wait_for_event(cudaEvent_t event);

private:
    bool is_outermost_ = false;
};

// ---- calls that order work ----

void record_stream_creation(cudaStream_t stream, bool is_blocking);
void order_event_after_stream(cudaEvent_t event, cudaStream_t stream);
void order_stream_after_event(cudaStream_t stream, cudaEvent_t event);
/// These functions record that the host has waited for an event, for a stream, or for all streams.
void record_host_wait_for_event(cudaEvent_t event);
void record_host_wait_for_stream(cudaStream_t stream);
void record_host_wait_for_device();
/// Reports each access by the host to memory that the device may still have been using at the time
/// of the access. Must be called when the program ends.
void report_host_accesses();

}  // namespace coalesce::simulator::cudart
