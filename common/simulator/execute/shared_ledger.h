// Proof by repetition: a block that touches shared memory exactly as a clean block did is clean.
//
// Idea    Checking every byte of every shared access for races and for missing writes is the
//         most expensive thing that the simulator does, and almost always the answer is the same for every
//         block: shared addresses depend on the thread, not on the block. So the first block of a
//         launch is checked in full while the ledger records what each warp did: instruction,
//         lanes, addresses, barriers. If that block was clean, later blocks only compare, step by
//         step. (Loops come by the same addresses again and again, and warps share them: each 32 are kept
//         once, so that a million steps fit the host's cache.) The first step that differs ends it: the part so far is replayed into the checker,
//         and the rest of that block is checked in full.
// Shared  What a clean block did may be handed to others that run blocks of the same launch, whichever way
//         the kernel was lowered for them: a launch that is recorded checks one of the recorded blocks
//         in full (recorder.h), and its workers compare with that.
// Sound   The verdict of the checker is a function of this sequence alone: who touched which bytes,
//         which of these were undefined when they were stored, and which barriers lay between. A warp
//         that exits early differs too (see note_warp_end). Where the checker let stores pass because
//         they changed nothing, it also depends on what was stored: such a block is no model for others.
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
    /// What a step is: of a shared load or store its site, or one of these.
    static constexpr u32 kWarpBarrier = ~u32{0} - 1, kBlockBarrier = ~u32{0};

    /// How the 32 addresses of a step lie, where that makes moving the data easier.
    enum class Layout : u8 {
        scattered,
        contiguous,  ///< all lanes are active, and lane l is at the first address + l * bytes
        same,        ///< every active lane is at the first one's address
    };
    /// What one warp did in one step.
    struct Step {
        u32 what = 0;
        Mask active = 0;
        u16 wavefronts = 0, ideal = 0;
        u32 addresses = 0;  ///< index into Steps::addresses, in units of 32
        bool is_store = false;
        Layout layout = Layout::scattered;
        u8 requests = 1;
        u32 undefined = 0;  ///< 1 + index into Steps::undefined, in units of 32; 0: no byte is

        bool is_access() const { return what < kWarpBarrier; }
    };
    /// What a block did.
    struct Steps {
        std::vector<std::vector<Step>> of_warp;
        std::vector<u32> addresses;  ///< 32 a step; steps with the same ones share them
        std::vector<u32> undefined;  ///< likewise
        std::vector<u32> order;      ///< warp of each step, in time
    };
    enum class Mode : u8 {
        off,        ///< every access goes to the checker
        recording,  ///< ... and is written down
        comparing,  ///< nothing goes to the checker as long as the steps agree
    };

    /// `clean`: what a clean block of this launch did, if that is known.
    void begin_launch(u32 warps, bool allowed, std::shared_ptr<const Steps> clean);
    void begin_block();
    /// `clean`: the checker had nothing to say about this block. `by_values`: had its values been
    /// others, there might have been something.
    void end_block(bool clean, bool by_values);
    void end_launch() { clean_.reset(); }

    Mode mode() const { return mode_; }
    /// What blocks are compared with; nullptr: no clean block has been seen.
    const std::shared_ptr<const Steps>& clean() const { return clean_; }

    /// While comparing: the step that `warp` is expected to do next if it is this one, else
    /// nullptr. `addresses`: nullptr when they cannot differ for this warp (they do not depend
    /// on the block). `stored`: the undefined bytes of each lane, when it stores some.
    const Step* expect(u32 warp, u32 what, Mask active, const u32* addresses,
                       const u32* stored = nullptr) {
        Cursor& cursor = cursors_[warp];
        if (cursor.next == cursor.end) return nullptr;
        const Step& step = *cursor.next;
        if (step.what != what || step.active != active) return nullptr;
        if (addresses && step.is_access() && !same_addresses(step, addresses)) return nullptr;
        if ((step.is_store && step.undefined) || stored) [[unlikely]]
            if (!same_undefined(step, stored)) return nullptr;
        ++cursor.next;
        return &step;
    }
    /// While comparing: the 32 addresses of this step; 0 for lanes that are not active.
    const u32* addresses(const Step& step) const {
        return clean_->addresses.data() + u64{step.addresses} * kLanes;
    }
    /// While comparing: of each lane, the undefined bytes that this step loaded or stored; nullptr: none.
    const u32* undefined(const Step& step) const {
        return step.undefined ? clean_->undefined.data() + u64{step.undefined - 1} * kLanes
                              : nullptr;
    }
    bool has_undefined() const { return !clean_->undefined.empty(); }
    bool at_end(u32 warp) const { return cursors_[warp].next == cursors_[warp].end; }

    void record(u32 warp, const Step& step, const u32* addresses, const u32* undefined = nullptr);

    /// Calls back, in the order in which they were recorded, every step that has been done so far
    /// in this block, and goes `off` for its rest.
    void give_up(const std::function<void(u32 warp, const Step&, const u32* addresses)>& replay);

private:
    struct Cursor {
        const Step* next = nullptr;
        const Step* end = nullptr;
    };
    u32 keep_addresses(const u32* addresses, Mask active);
    bool same_addresses(const Step& step, const u32* addresses) const;
    bool same_undefined(const Step& step, const u32* stored) const;

    Mode mode_ = Mode::off;
    bool allowed_ = false;
    u32 give_ups_ = 0;
    u64 blocks_compared_ = 0;
    std::shared_ptr<Steps> recorded_;         ///< of the block that is written down
    std::unordered_multimap<u64, u32> kept_;  ///< hash of 32 addresses -> where recorded_ has them
    std::shared_ptr<const Steps> clean_;      ///< what others are compared with
    std::vector<Cursor> cursors_;             ///< by warp, into clean_
};

}  // namespace coalesce::simulator
