// Records the instructions and memory accesses of a launch, for the time model
// (timing/recording.h).
//
// Idea   The recorder stores every step of a few blocks, which are spread over the grid. The
//        recorded blocks run in plain mode, in which every instruction is a separate Op. Recorded
//        blocks do not run a second time, so recording changes neither the results nor the
//        counters. For many neighbouring blocks, the recorder stores only which sectors they
//        access. The neighbouring blocks run as usual, with a listener.
// Alone  If only the time is needed, the blocks that are not recorded do not run. The simulation of
//        a launch that processes gigabytes then takes only a few milliseconds, but the results of
//        these blocks are missing in memory.
// Limit  Launches whose blocks wait for each other run as usual and are not recorded.
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

/// A listener that records the sectors that neighbouring blocks access. Every worker has its own
/// log, and the logs are merged at the end of the launch.
class NeighbourLog : public AccessListener {
public:
    bool receives_shared() const override { return false; }
    void note_access(const Warp& w, const Op* op, const ObservedAccess& access) override;
    void note_row(const Warp& w, const Op* op, ObservedAccess access, u64 first) override;
    /// Moves the sectors to the recording and clears the log.
    void move_to(timing::Recording& recording);

private:
    bool has_recorded_enough() const;
    /// Returns the footprint to which an access is added, or nullptr if the access is not recorded.
    timing::Footprint* choose_footprint(Block& block, bool is_load);
    void count_sectors(Block& block, bool is_load, u32 sectors);
    void add_waiting_requests();

    /// A run of sectors that waits to be added to `footprint`. Adding it requires a lookup in a
    /// table that is too large for the host's caches. Therefore, a few runs wait in a queue while
    /// their entries of the table are prefetched.
    struct WaitingRequest {
        timing::Footprint* footprint = nullptr;
        timing::SectorRun run;
    };

    /// The last request that accessed scattered sectors. A second request for the same sectors is
    /// skipped. For example, if several warps store columns of a matrix, they may access different
    /// parts of the same sectors.
    struct LastRequest {
        const timing::Footprint* last_footprint = nullptr;
        u64 last_block_ordinal = 0;
        Mask lanes = 0;
        u32 bytes = 0;
        std::array<u64, kLanes> addresses{};
        u32 sector_count = 0;  ///< the number of sectors that the request accessed

        bool is_repeat(const ObservedAccess& access, const timing::Footprint& footprint,
                       u64 block_ordinal) const;
        void remember_request(const ObservedAccess& access, const timing::Footprint& footprint,
                              u64 block_ordinal, u32 run_count, u32 sectors);
    };

    /// The last store request (index 0) and the last load request (index 1).
    std::array<LastRequest, 2> last_requests_;
    timing::Footprint read_footprint_, write_footprint_, footprint_below_;
    /// The sectors that the first two thirds of the neighbours have read.
    timing::Footprint early_read_footprint_;
    std::array<WaitingRequest, 64> waiting_requests_;
    std::size_t waiting_count_ = 0;
    u64 blocks_started_ = 0;
    /// The index of the current block, and how many sectors the block has read and written so far.
    u64 current_block_ = ~u64{0}, recorded_read_sectors_ = 0, recorded_write_sectors_ = 0;
};

/// A listener that records the steps of the sampled blocks.
class StepLog : public StepListener {
public:
    StepLog(const Kernel& kernel, const Kernel::Code& code, timing::Recording& recording);
    void note_step(const Warp& w, const Op* op) override;
    void note_access(const Warp& w, const Op* op, const ObservedAccess& access) override;
    void note_local_access(const Warp& w, const LaneOffsets& offsets, Mask lanes, u32 bytes,
                           bool is_store) override;

private:
    void record_covered_access(const Kernel::Code& code, const Site& site);
    u32 find_instruction(const Warp& w, const Op* op);
    timing::RecordedBlock& recorded_block(const Warp& w);
    void add_sector_runs(timing::RecordedBlock& block, timing::Access& access,
                         const ObservedAccess& observed_access);

    void remove_repeated_poll(timing::WarpPath& path, u32 instruction, u32 warp);

    /// The most recent test of an mbarrier by a warp.
    struct Poll {
        u32 instruction = ~0u;
        u64 executed_instructions =
            0;  ///< the number of instructions that the warp executed before the test
    };

    timing::Recording& recording_;
    std::size_t block_index_ = 0;         ///< index of the block that was looked up last
    std::vector<Poll> polls_;             ///< each warp's most recent test of an mbarrier
    std::vector<bool> is_mbarrier_poll_;  ///< for each instruction, whether it tests an mbarrier
    /// For each function, the index of its first instruction in recording_.
    std::map<const FunctionCode*, u32> first_instruction_;
    /// The function that contains the Op that was looked up last.
    const FunctionCode* code_ = nullptr;
    u32 first_instruction_of_code_ = 0;
};

class Recorder {
public:
    /// Selects whether launches are recorded and which blocks run. `beside`: all blocks run, and
    /// some are recorded. `alone`: only the recorded blocks run, and they do not access global
    /// memory. `sample`: like `alone`, but the blocks that are recorded step by step do access
    /// memory.
    enum class RecordMode : u8 { nothing, beside, alone, sample };

    /// Starts recording at the next launch, and deletes earlier recordings.
    void begin_recording(RecordMode mode);
    RecordMode mode() const { return mode_; }
    std::vector<timing::Recording>& recordings() { return recordings_; }

    /// Returns the blocks to record step by step.
    static std::vector<u64> choose_blocks(const LaunchConfig& config, u64 resident_blocks);
    /// Returns more blocks to record if only one block was recorded, its loops run few iterations,
    /// and a fixed number of iterations is divided among the blocks (`shares_iterations`). In such
    /// a launch, some blocks may run one iteration more than the recorded block, which makes a
    /// noticeable difference. Otherwise returns no blocks.
    static std::vector<u64> choose_blocks_near_first(const LaunchConfig& config,
                                                     const timing::Recording& recording,
                                                     bool shares_iterations);
    /// If some of the chosen blocks do far more work than others, returns other blocks to record
    /// instead. Otherwise returns no blocks.
    static std::vector<u64> choose_additional_blocks(const LaunchConfig& config,
                                                     const timing::Recording& recording);
    /// Returns the range of blocks whose sectors are recorded: the index of the first block, and
    /// the number of blocks.
    static std::pair<u64, u64> choose_neighbours(const timing::Recording& recording,
                                                 u64 resident_blocks);
    /// Chooses a few blocks in the next row of the grid, below the first blocks of `neighbours`
    /// (the result of choose_neighbours()). Returns the index of the first block, and the number of
    /// blocks. The number is 0 if there is no next row, or if a row has fewer blocks than
    /// `neighbours`.
    static std::pair<u64, u64> choose_blocks_below(const timing::Recording& recording,
                                                   std::pair<u64, u64> neighbours);
    /// Adds a recording, and fills in the data that is known before the launch.
    timing::Recording& add_recording(const Kernel& kernel, const LaunchConfig& config);

private:
    RecordMode mode_ = RecordMode::nothing;
    std::vector<timing::Recording> recordings_;
};

/// Returns the recorder of the process. All launches share it, because launches are executed one at
/// a time.
Recorder& recorder();

/// Reports whether the kernel reads the size of its grid, as kernels with persistent blocks do.
bool reads_grid_size(const ptx::Function& kernel);
/// Reports whether a block of this kernel may wait for another block.
bool may_blocks_wait(const Kernel::Code& code);

}  // namespace coalesce::simulator
