// Stores the trace request of this process, which selects the launch and the block to trace. Also
// stores the resulting trace.
//
// Builds on  block_trace.h.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "simulator/trace/block_trace.h"

namespace coalesce::simulator {

/// The default for the maximum number of recorded steps.
inline constexpr u64 kDefaultTraceSteps = 6000;

struct TraceRequest {
    u64 launch = 0;  ///< the index of the launch to trace, counting from 0
    u64 block = 0;   ///< the block's index in the grid, with x varying fastest
    u64 steps = 0;   ///< the maximum number of steps to record; 0 disables tracing
    /// If not 0, the first block that stores to this device address is traced instead of `block`.
    u64 stored_address = 0;
};

class TraceKeeper {
public:
    /// Requests a trace of launch number `request.launch`, counting from 0 for the first launch
    /// after this call. Deletes any earlier trace.
    void request_trace(const TraceRequest& request) {
        request_ = request;
        trace_.reset();
        problem_.clear();
    }
    /// Returns the request if the launch that begins now is the requested one, otherwise nothing.
    /// Must be called exactly once for each launch.
    std::optional<TraceRequest> take_request() {
        if (request_.steps == 0 || request_.launch-- > 0) return std::nullopt;
        return std::exchange(request_, {});
    }
    void keep_trace(BlockTrace trace) { trace_ = std::move(trace); }
    void set_problem(const std::string& problem) { problem_ = problem; }

    const std::optional<BlockTrace>& trace() const { return trace_; }
    /// Returns the reason why the launch could not be traced, or "" if it was traced.
    const std::string& problem() const { return problem_; }

private:
    TraceRequest request_;
    std::optional<BlockTrace> trace_;
    std::string problem_;
};

/// Returns the TraceKeeper of the process. The TraceKeeper needs no lock, because launches run one
/// after the other.
inline TraceKeeper& trace_keeper() {
    static TraceKeeper shared_keeper;
    return shared_keeper;
}

}  // namespace coalesce::simulator
