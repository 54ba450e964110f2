// Stores the values that kernels set for the conditional nodes of graphs (cudaGraphSetConditional).
#pragma once

#include <map>
#include <mutex>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class GraphConditions {
public:
    static GraphConditions& instance() {
        static GraphConditions& conditions = *new GraphConditions;
        return conditions;
    }

    /// Creates a handle with this value. A handle is never 0.
    u64 create_handle(u32 value) {
        const std::lock_guard lock(mutex_);
        values_[++last_handle_] = value;
        return last_handle_;
    }
    void forget_handle(u64 handle) {
        const std::lock_guard lock(mutex_);
        values_.erase(handle);
    }
    /// Sets the value of a handle. Returns false if there is no such handle.
    bool set_value(u64 handle, u32 value) {
        const std::lock_guard lock(mutex_);
        const auto entry = values_.find(handle);
        if (entry != values_.end()) entry->second = value;
        return entry != values_.end();
    }
    /// Returns the value of a handle, or 0 if there is no such handle.
    u32 get_value(u64 handle) {
        const std::lock_guard lock(mutex_);
        const auto entry = values_.find(handle);
        return entry == values_.end() ? 0 : entry->second;
    }

private:
    std::mutex mutex_;
    std::map<u64, u32> values_;
    u64 last_handle_ = 0;
};

}  // namespace coalesce::simulator
