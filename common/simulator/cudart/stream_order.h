// Finds work in different streams that accesses the same memory without an order.
//
// Idea       Work in a stream runs before its call returns, so the simulation itself never shows
//            what a missing wait would do. This check therefore keeps a vector clock for each
//            stream, for each recorded event, and for the host. Entry [s] of a clock tells how much
//            of the work in stream s comes before everything that follows. An event passes on the
//            clock of the stream in which it was recorded; a call that waits passes on a clock to
//            the host, and the host's clock to all work that is queued later.
// Ranges     Copies and fills tell their ranges (transfers.cpp). The ranges of a launch are read
//            from the shadow of the race check, and only if the program has streams that can run at
//            the same time, because this takes a few percent of a launch's time.
// Host       Pinned and managed memory stays guarded until the host has waited for the work that has
//            accessed it (memory/host_guard.h).
// Lenient    A query that says that work is complete counts as a wait. So do host functions,
//            cudaFree, and cudaMemset. All host threads together count as one.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "simulator/checks/accessed_ranges.h"
#include "simulator/code/launch_config.h"

namespace coalesce::simulator::cudart {

/// The work that the current call queues in a stream. It exists while the work runs. Work within
/// other work, such as the nodes of a graph, is part of that work.
class StreamWork {
public:
    explicit StreamWork(cudaStream_t stream);
    ~StreamWork();  ///< compares the work with earlier work, and reports it
    StreamWork(const StreamWork&) = delete;

    /// The host waits for the work before the current call returns.
    static void let_host_wait();
    /// Names the kernel of the current work.
    static void set_name(const std::string& name);
    /// Returns where to add the ranges that the current work accesses, or null if there is no such
    /// work or the check is off.
    static AccessedRanges* ranges();
    /// Tells the launch which of its accesses are wanted.
    static void configure(LaunchConfig& config);
    /// Records that the current work frees this memory.
    static void note_freed(u64 begin, u64 end);

private:
    bool is_outermost_ = false;
};

// ---- what orders work ----

void note_stream_created(cudaStream_t stream, bool waits_for_default);
void note_event_recorded(cudaEvent_t event, cudaStream_t stream);
void note_stream_waits(cudaStream_t stream, cudaEvent_t event);
/// Record that the host has waited for an event, for a stream, or for all streams.
void note_host_waited_for_event(cudaEvent_t event);
void note_host_waited_for_stream(cudaStream_t stream);
void note_host_waited_for_all();
/// Reports accesses by the host that came too early. Call this when the program ends.
void report_host_touches();

}  // namespace coalesce::simulator::cudart
