// Writes down what a launch does, for the model of time (timing/recording.h).
//
// Idea   A few blocks, spread over the grid, are run in plain mode, in which every instruction is an Op of
//        its own: their warps' steps are written down one by one. Those blocks are not run again, so that a
//        launch that is recorded leaves the same memory and the same counters; where blocks can see each
//        other's order, they keep it. Of many blocks side by side it
//        is written down which sectors they touch: they run as always, somebody listening.
// Alone  When only the time is wanted, nothing else is run: of a launch over gigabytes, a few milliseconds'
//        worth. Memory is then not what the launch would have left.
// Not    Launches whose blocks wait for each other: those are run as always.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/code/launch_config.h"
#include "simulator/execute/access_listener.h"
#include "timing/recording.h"

namespace coalesce::simulator {

struct Block;

/// The sectors of blocks side by side. Every worker has its own, and they are added in the end.
class NeighbourLog : public AccessListener {
public:
    bool hears_shared() const override { return false; }
    void note(const Warp& w, const Op* op, const HeardAccess& access) override;
    void note_row(const Warp& w, const Op* op, HeardAccess access, u64 first) override;
    /// Adds what was heard to the recording, and starts again.
    void move_to(timing::Recording& recording);

private:
    bool heard_enough() const;
    /// Where an access belongs; nowhere, if that is not looked at.
    timing::Footprint* footprint_of(Block& block, bool reads);
    void count_sectors(Block& block, bool reads, u32 sectors);
    void add_waiting();

    /// To be added to `to`. Looking up where they are is slow one by one, as each waits for memory: a few wait
    /// here, while what they need is fetched.
    struct Waiting {
        timing::Footprint* to = nullptr;
        timing::SectorRun run;
    };

    /// A request for scattered sectors. The warps of a block that store down the columns ask for the same ones over
    /// and over, each for its part of them: those are in the set already, in this turn.
    struct LastRequest {
        const timing::Footprint* to = nullptr;
        u64 of_turn = 0;
        Mask lanes = 0;
        u32 bytes = 0;
        std::array<u64, kLanes> addresses{};
        u32 count = 0;  ///< sectors

        bool is_again(const HeardAccess& access, const timing::Footprint& other, u64 turn) const;
        void remember(const HeardAccess& access, const timing::Footprint& other, u64 turn, u32 runs,
                      u32 sectors);
    };

    std::array<LastRequest, 2> last_;  ///< of stores and of loads
    timing::Footprint reads_, writes_, below_;
    timing::Footprint together_;  ///< reads of the first of them
    std::array<Waiting, 64> waiting_;
    std::size_t waiting_count_ = 0;
    u64 turn_ = 0;                                              ///< counts the blocks, as they come
    u64 block_ = ~u64{0}, heard_reads_ = 0, heard_writes_ = 0;  ///< sectors of the block that runs
};

/// The steps of the blocks that a launch is recorded by.
class StepLog : public StepListener {
public:
    StepLog(const Kernel& kernel, const Kernel::Code& code, timing::Recording& recording);
    void step(const Warp& w, const Op* op) override;
    void note(const Warp& w, const Op* op, const HeardAccess& access) override;

private:
    void note_covered(const Kernel::Code& code, const Site& site);
    u32 instruction_of(const Warp& w, const Op* op);
    timing::RecordedBlock& block_of(const Warp& w);
    void add_runs(timing::RecordedBlock& block, timing::Access& access, const HeardAccess& heard);

    void forget_turn(timing::WarpPath& path, u32 instruction, u32 warp);

    /// The last time that a warp asked an mbarrier.
    struct Poll {
        u32 instruction = ~0u;
        u64 executed = 0;  ///< by then
    };

    timing::Recording& recording_;
    std::vector<Poll> polls_;                               ///< by warp
    std::vector<bool> asks_mbarrier_;                       ///< by instruction
    std::map<const FunctionCode*, u32> first_instruction_;  ///< of a function, in recording_
    const FunctionCode* code_ = nullptr;                    ///< which was asked for last
    u32 first_of_code_ = 0;
};

class Recorder {
public:
    /// `sample`: alone, but what is written down step by step is carried out.
    enum class What : u8 { nothing, beside, alone, sample };

    /// From the next launch on; what was recorded before is gone.
    void begin(What what);
    What what() const { return what_; }
    std::vector<timing::Recording>& recordings() { return recordings_; }

    /// Blocks to write down step by step.
    static std::vector<u64> chosen_blocks(const LaunchConfig& config, u64 resident);
    /// Where one block stands for all, which takes its share of the turns, and those are few: others, of which some may
    /// take one more.
    static std::vector<u64> beside_the_first(const LaunchConfig& config,
                                             const timing::Recording& recording, bool shares_turns);
    /// In their place, where some of those do far more than others.
    static std::vector<u64> more_blocks(const LaunchConfig& config,
                                        const timing::Recording& recording);
    /// The first of those whose sectors are written down, and how many.
    static std::pair<u64, u64> neighbours(const timing::Recording& recording, u64 resident);
    /// Of the blocks in the grid's next row below those: so many, unless they are neighbours themselves.
    static std::pair<u64, u64> below(const timing::Recording& recording,
                                     std::pair<u64, u64> neighbours);
    /// A new one, with all that is known before the launch.
    timing::Recording& add(const Kernel& kernel, const LaunchConfig& config);

private:
    What what_ = What::nothing;
    std::vector<timing::Recording> recordings_;
};

/// The one of the process. Launches, which run one after the other, are who uses it.
Recorder& recorder();

/// Whether a block asks how many there are: those that stay, and take turns, do.
bool asks_for_grid(const ptx::Function& kernel);
/// Whether blocks of this kernel may wait for each other.
bool may_wait(const Kernel::Code& code);

}  // namespace coalesce::simulator
