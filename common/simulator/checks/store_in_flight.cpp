#include "simulator/checks/store_in_flight.h"

#include <thread>
#include <vector>

namespace coalesce::simulator {

namespace {

/// The workers of this process. A worker that waits in a store can continue only while it holds the
/// mutex.
struct Workers {
    std::mutex mutex;
    std::vector<StoreInFlight*> stores_in_flight;
};

Workers& workers() {
    static Workers* const instance =
        new Workers;  // never deleted, because threads may outlive main()
    return *instance;
}

}  // namespace

StoreInFlight::StoreInFlight() {
    const std::lock_guard lock(workers().mutex);
    workers().stores_in_flight.push_back(this);
}

StoreInFlight::~StoreInFlight() {
    const std::lock_guard lock(workers().mutex);
    std::erase(workers().stores_in_flight, this);
}

StoreInFlight::StorePause::StorePause(StoreInFlight& own_store, const WarpStore& store)
    : own_store_(own_store) {
    own_store.pending_store_ = store;
    own_store.state_.store(State::waiting, std::memory_order_release);
    lock_ = std::unique_lock(workers().mutex);
    for (const StoreInFlight* other : workers().stores_in_flight)
        while (other->state_.load(std::memory_order_acquire) == State::writing)
            std::this_thread::yield();
}

StoreInFlight::StorePause::~StorePause() {
    own_store_.state_.store(State::writing, std::memory_order_release);
}

const WarpStore* StoreInFlight::StorePause::find_waiting_store(const void* checker, u64 block,
                                                               u32 warp) const {
    for (const StoreInFlight* other : workers().stores_in_flight) {
        const WarpStore& store = other->pending_store_;
        if (other != &own_store_ &&
            other->state_.load(std::memory_order_acquire) == State::waiting &&
            store.checker == checker && store.block == block && store.warp == warp)
            return &store;
    }
    return nullptr;
}

}  // namespace coalesce::simulator
