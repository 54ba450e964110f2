// Which block of which launch this process traces, and the trace once there is one.
//
// Builds on  block_trace.h.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "simulator/trace/block_trace.h"

namespace coalesce::simulator {

/// The number of steps that are recorded unless the caller asks for another one.
inline constexpr u64 kUsualTraceSteps = 2000;

struct TraceRequest {
    u64 launch = 0;  ///< launches to let pass before it
    u64 block = 0;   ///< x counts fastest
    u64 steps = 0;   ///< the most steps to record; 0 to record nothing
    /// If not 0, the first block that stores to this address is traced in place of `block`.
    u64 stored_address = 0;
};

class TraceKeeper {
public:
    /// Traces the next launch for which `request.launch` says so. Forgets an earlier trace.
    void begin(const TraceRequest& request) {
        request_ = request;
        trace_.reset();
        problem_.clear();
    }
    /// Returns what to trace in the launch that begins now. Call this once for each launch.
    std::optional<TraceRequest> take_request() {
        if (request_.steps == 0 || request_.launch-- > 0) return std::nullopt;
        return std::exchange(request_, {});
    }
    void keep(BlockTrace trace) { trace_ = std::move(trace); }
    void fail(const std::string& problem) { problem_ = problem; }

    const std::optional<BlockTrace>& trace() const { return trace_; }
    /// Returns why the launch could not be traced, or "".
    const std::string& problem() const { return problem_; }

private:
    TraceRequest request_;
    std::optional<BlockTrace> trace_;
    std::string problem_;
};

/// Returns the trace of the process. Launches run one after the other.
inline TraceKeeper& trace_keeper() {
    static TraceKeeper the_keeper;
    return the_keeper;
}

}  // namespace coalesce::simulator
