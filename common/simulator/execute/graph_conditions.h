// The values that kernels set for the conditional nodes of graphs (cudaGraphSetConditional).
#pragma once

#include <map>
#include <mutex>

#include "base/types.h"

namespace coalesce::sim {

class GraphConditions {
public:
    static GraphConditions& instance();

    /// A handle, never 0.
    u64 create(u32 value);
    void forget(u64 handle);
    /// False when there is no such handle.
    bool set(u64 handle, u32 value);
    /// 0 when there is no such handle.
    u32 get(u64 handle);

private:
    std::mutex mutex_;
    std::map<u64, u32> values_;
    u64 next_ = 1;
};

}  // namespace coalesce::sim
