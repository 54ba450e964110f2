#include "simulator/checks/store_in_flight.h"

#include <thread>
#include <vector>

namespace coalesce::simulator {

namespace {

/// The workers of this process. A worker must hold the mutex to stop waiting.
struct Workers {
    std::mutex mutex;
    std::vector<StoreInFlight*> stores;
};

Workers& workers() {
    static Workers* const all = new Workers;  // never deleted, because threads may outlive main()
    return *all;
}

}  // namespace

StoreInFlight::StoreInFlight() {
    const std::lock_guard lock(workers().mutex);
    workers().stores.push_back(this);
}

StoreInFlight::~StoreInFlight() {
    const std::lock_guard lock(workers().mutex);
    std::erase(workers().stores, this);
}

StoreInFlight::Pause::Pause(StoreInFlight& own, const WarpStore& store) : own_(own) {
    own.shown_ = store;
    own.state_.store(State::waits, std::memory_order_release);
    lock_ = std::unique_lock(workers().mutex);
    for (const StoreInFlight* other : workers().stores)
        while (other->state_.load(std::memory_order_acquire) == State::writes)
            std::this_thread::yield();
}

StoreInFlight::Pause::~Pause() {
    own_.state_.store(State::writes, std::memory_order_release);
}

const WarpStore* StoreInFlight::Pause::find(const void* check, u64 block, u32 warp) const {
    for (const StoreInFlight* other : workers().stores) {
        const WarpStore& store = other->shown_;
        if (other != &own_ && other->state_.load(std::memory_order_acquire) == State::waits &&
            store.check == check && store.block == block && store.warp == warp)
            return &store;
    }
    return nullptr;
}

}  // namespace coalesce::simulator
