// Lets the race check see the values of stores that other workers have not finished yet.
//
// Idea   A worker first checks a store and then writes its values to memory. In between, the store
//        is in flight: another worker finds the store in the shadow, but the old value in memory.
//        Before the second worker compares the values of two stores, it waits until no store is in
//        flight. If two workers did this at the same time, they would wait for each other forever.
//        Therefore, a waiting worker shows the values of its own store, and the other worker
//        compares with these values instead of waiting.
#pragma once

#include <atomic>
#include <mutex>

#include "simulator/base/types.h"
#include "simulator/checks/race_log.h"

namespace coalesce::simulator {

/// A store by one warp, from which other workers can compute the stored values.
struct WarpStore {
    const void* checker = nullptr;  ///< the GlobalRace of the launch
    u64 block = 0;                  ///< the index of the block in the grid
    u32 warp = 0;                   ///< the index of the warp in the block
    u32 bytes_per_lane = 0;
    StoredValue value = {};
    const u64* addresses = nullptr;  ///< one device address per lane, or null
    /// If `addresses` is null, the address of the first lane's bytes. The other lanes' bytes follow
    /// contiguously.
    u64 first_address = 0;

    u64 lane_address(u32 lane) const {
        return addresses != nullptr ? addresses[lane] : first_address + u64{lane} * bytes_per_lane;
    }
    /// Reports whether the lane writes to the address.
    bool writes_to(u32 lane, u64 address) const {
        return lane_address(lane) <= address && address < lane_address(lane) + bytes_per_lane;
    }
    /// Returns the byte that the lane writes to `address`.
    u8 byte_at(u32 lane, u64 address) const {
        u8 bytes[kMaxStoredBytes];
        value.copy_lane_value(value.context, static_cast<int>(lane), bytes);
        return bytes[address - lane_address(lane)];
    }
};

/// The store that a worker is currently executing.
class StoreInFlight {
public:
    StoreInFlight();
    ~StoreInFlight();
    StoreInFlight(const StoreInFlight&) = delete;

    /// Records that the worker begins a store. Must be called before the check records the store in
    /// the shadow.
    void begin() {
        state_.store(State::writing, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
    }
    /// Records that the store has ended. Must be called once memory contains the stored values.
    void end() { state_.store(State::idle, std::memory_order_release); }

    /// Pauses all stores while the object exists. In that time, every other worker has either
    /// finished its store, or is waiting and shows the values that it will store.
    class StorePause {
    public:
        StorePause(StoreInFlight& own_store, const WarpStore& store);
        ~StorePause();
        StorePause(const StorePause&) = delete;
        /// Returns the waiting store of a warp, or null if that warp has finished its store.
        const WarpStore* find_waiting_store(const void* checker, u64 block, u32 warp) const;

    private:
        StoreInFlight& own_store_;
        std::unique_lock<std::mutex> lock_;
    };

private:
    enum class State : u8 { idle, writing, waiting };
    std::atomic<State> state_ = State::idle;
    WarpStore pending_store_;  ///< valid while the state is State::waiting
};

}  // namespace coalesce::simulator
