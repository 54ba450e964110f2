// Checks blocks by comparison: a block that accesses shared memory exactly like a block without
// errors (a clean block) has no errors either.
//
// Idea    The simulator's most expensive task is to check every byte of every shared access for
//         races and uninitialized reads. The result is almost always the same for every block,
//         because shared addresses depend on the thread and not on the block. Therefore, only the
//         first block of a launch is checked completely, and the ledger records the steps of its
//         warps: instructions, lanes, addresses, barriers. If this block is clean, later blocks are
//         only compared with it, step by step. At the first step that differs, the previous steps
//         are passed to the checker, and the rest of the block is checked completely. (Each set of
//         32 addresses is stored only once, so that a million steps fit into the host's cache.)
// Shared  All workers that run blocks of the same launch can share the steps of a clean block, even
//         if the kernel was lowered differently for some workers. A recorded launch checks one of
//         its recorded blocks completely (recorder.h), and all workers compare with that block.
// Sound   The result of the checker depends only on the sequence of steps: which warp accessed
//         which bytes, which of these bytes were undefined when they were stored, and which
//         barriers came between the accesses. An early exit of a warp also counts as a difference
//         (see note_warp_end). A block does not become the clean block if the checker accepted some
//         stores only because they did not change memory.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Warp;

class SharedLedger {
public:
    /// The values of Step::event_code for barriers. For a load or store, Step::event_code is the
    /// site of the access.
    static constexpr u32 kWarpBarrier = ~u32{0} - 1, kBlockBarrier = ~u32{0};

    /// The layout of a step's 32 addresses. Data in some layouts can be moved faster.
    enum class Layout : u8 {
        scattered,
        /// All lanes are active, and lane l accesses the first lane's address + l * bytes.
        contiguous,
        same_address,  ///< all active lanes access the same address
    };
    /// One step of one warp: an access or a barrier.
    struct Step {
        u32 event_code = 0;
        Mask active = 0;
        u16 wavefronts = 0, ideal_wavefronts = 0;
        /// The index of the step's set of 32 addresses in Steps::addresses.
        u32 addresses = 0;
        bool is_store = false;
        Layout layout = Layout::scattered;
        u8 requests = 1;
        /// 0 if all bytes are defined. Otherwise, 1 + the index of the step's set of 32 masks in
        /// Steps::undefined_bytes.
        u32 undefined_bytes = 0;

        bool is_access() const { return event_code < kWarpBarrier; }
    };
    /// All steps of a block.
    struct Steps {
        std::vector<std::vector<Step>> steps_by_warp;
        /// Sets of 32 addresses. Steps with equal addresses share a set.
        std::vector<u32> addresses;
        /// Sets of 32 masks of undefined bytes, one mask per lane. Each step with undefined bytes
        /// has its own set.
        std::vector<u32> undefined_bytes;
        /// The index of the warp that executed each step, in chronological order.
        std::vector<u32> warp_of_step;
    };
    enum class Mode : u8 {
        off,        ///< every access is passed to the checker
        recording,  ///< every access is passed to the checker and recorded
        comparing,  ///< accesses are compared with the clean block, and not passed to the checker
    };

    /// Prepares for a launch. If `may_compare` is false, no block is compared, and every block is
    /// checked completely. `clean_steps` contains the steps of a block without errors, or is null
    /// if there is no such block yet.
    void begin_launch(u32 warps, bool may_compare, std::shared_ptr<const Steps> clean_steps);
    void begin_block();
    /// Ends a block. `is_clean` is true if the checker found no error in the block.
    /// `compares_values` is true if this result depends on the values that the block stored.
    void end_block(bool is_clean, bool compares_values);
    void end_launch() { clean_steps_.reset(); }

    Mode mode() const { return mode_; }
    /// Returns the steps of the clean block, with which other blocks are compared. Returns null if
    /// there has been no clean block yet.
    const std::shared_ptr<const Steps>& clean_steps() const { return clean_steps_; }

    /// Returns the warp's next step in the clean block if it matches the current step, otherwise
    /// nullptr. Must be called only in Mode::comparing. `addresses` is null if the addresses are
    /// known to be the same in every block. `stored_undefined` contains a mask of the undefined
    /// bytes that each lane stores, or is null if there are none.
    const Step* match_next_step(u32 warp, u32 event_code, Mask active, const u32* addresses,
                                const u32* stored_undefined = nullptr) {
        Cursor& cursor = cursors_[warp];
        if (cursor.next_step == cursor.end_step) return nullptr;
        const Step& step = *cursor.next_step;
        if (step.event_code != event_code || step.active != active) return nullptr;
        if (addresses && step.is_access() && !has_same_addresses(step, addresses)) return nullptr;
        if ((step.is_store && step.undefined_bytes) || stored_undefined) [[unlikely]]
            if (!has_same_undefined_bytes(step, stored_undefined)) return nullptr;
        ++cursor.next_step;
        return &step;
    }
    /// Returns the 32 addresses of a step of the clean block (clean_steps()), with 0 for inactive
    /// lanes.
    const u32* addresses(const Step& step) const {
        return clean_steps_->addresses.data() + u64{step.addresses} * kLanes;
    }
    /// Returns 32 masks, one per lane, of the undefined bytes that a step of the clean block
    /// (clean_steps()) loaded or stored. Returns nullptr if no byte was undefined.
    const u32* undefined_bytes(const Step& step) const {
        return step.undefined_bytes
                   ? clean_steps_->undefined_bytes.data() + u64{step.undefined_bytes - 1} * kLanes
                   : nullptr;
    }
    bool has_undefined() const { return !clean_steps_->undefined_bytes.empty(); }
    bool is_at_end(u32 warp) const { return cursors_[warp].next_step == cursors_[warp].end_step; }

    void record(u32 warp, const Step& step, const u32* addresses,
                const u32* undefined_bytes = nullptr);

    /// Switches to Mode::off for the rest of the block. Calls `replay` for every step that the
    /// block has made so far, in the order in which the clean block made these steps.
    void stop_comparing(
        const std::function<void(u32 warp, const Step&, const u32* addresses)>& replay);

private:
    struct Cursor {
        const Step* next_step = nullptr;
        const Step* end_step = nullptr;
    };
    u32 intern_addresses(const u32* addresses, Mask active);
    bool has_same_addresses(const Step& step, const u32* addresses) const;
    bool has_same_undefined_bytes(const Step& step, const u32* stored_undefined) const;

    Mode mode_ = Mode::off;
    bool may_compare_ = false;
    u32 stopped_comparisons_ = 0;
    u64 blocks_compared_ = 0;
    std::shared_ptr<Steps> recorded_steps_;  ///< the steps of the block being recorded
    /// Maps the hash of 32 addresses to the index of these addresses in Steps::addresses of
    /// `recorded_steps_`.
    std::unordered_multimap<u64, u32> address_index_;
    std::shared_ptr<const Steps> clean_steps_;  ///< the steps that other blocks are compared with
    std::vector<Cursor> cursors_;               ///< each warp's position in clean_steps_
};

}  // namespace coalesce::simulator
