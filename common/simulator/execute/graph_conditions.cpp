// See graph_conditions.h.
#include "execute/graph_conditions.h"

namespace coalesce::sim {

GraphConditions& GraphConditions::instance() {
    static GraphConditions& conditions = *new GraphConditions;
    return conditions;
}

u64 GraphConditions::create(u32 value) {
    std::lock_guard lock(mutex_);
    values_[next_] = value;
    return next_++;
}

void GraphConditions::forget(u64 handle) {
    std::lock_guard lock(mutex_);
    values_.erase(handle);
}

bool GraphConditions::set(u64 handle, u32 value) {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(handle);
    if (found == values_.end()) return false;
    found->second = value;
    return true;
}

u32 GraphConditions::get(u64 handle) {
    std::lock_guard lock(mutex_);
    const auto found = values_.find(handle);
    return found == values_.end() ? 0 : found->second;
}

}  // namespace coalesce::sim
