// Records a step-by-step trace of one block.
//
// Builds on  block_trace.h, execute/access_listener.h.
// Idea       The block runs in plain mode, in which every instruction is a separate Op and every
//            register has a slot of its own. The tracer is notified of each instruction before it
//            is executed. When the line, the warp or its active lanes change, a step has ended. The
//            tracer then reads the variables of the step's lanes from the locations in the debug
//            information, and records the variables that have changed.
// Cost       Other blocks run at their usual speed, and so do all launches that are not traced.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/execute/access_listener.h"
#include "simulator/trace/block_trace.h"
#include "simulator/trace/traced_state.h"

namespace coalesce::simulator {

class BlockTracer : public StepListener {
public:
    /// Prepares to trace this block. Records at most `max_steps` steps.
    BlockTracer(const Launch& launch, u64 block, std::size_t max_steps);

    void note_step(const Warp& w, const Op* op) override;
    void note_access(const Warp& w, const Op* op, const ObservedAccess& access) override;
    void note_local_store(const Warp& w, int lane, u64 address, u32 bytes) override;

    /// Ends the last step. Must be called when the block has ended.
    void end_block();
    /// Returns the trace. Must be called after the launch, because some checks report errors only
    /// when the launch ends.
    BlockTrace finish();
    /// Reports whether the block has stored to this address of global memory.
    bool has_stored_to(u64 address) const { return find_last_store(address) != kNone; }
    /// Marks the last store to this address as a moment of the trace.
    void mark_last_store(u64 address);

private:
    /// An access whose values must be read from memory after its instruction has been executed.
    struct PendingAccess {
        std::size_t access = 0;  ///< the index of the access in the step's accesses
        u64 addresses[kLanes];
    };

    TracedFunction& find_traced_function(const FunctionCode& code);
    KnownVariable& find_known_variable(const Warp& w, u32 variable);
    ptx::SourceLine find_line(const Frame* frame, u32 source);
    bool is_shown(ptx::SourceLine location) const;
    u32 find_file(ptx::SourceLine location);
    bool continues_step(const Warp& w, u32 source, ptx::SourceLine location) const;
    void begin_step(const Warp& w, u32 source, ptx::SourceLine location);
    void forget_variables(const Warp& w, const TracedFunction& function);
    void note_assignments(const Warp& w, u32 source);
    void add_waiting(const Warp& w, Step& step);
    /// Ends the current step. `running` is the warp that runs next, or null if the block has ended.
    /// `source` is the index of the next instruction of that warp.
    void end_step(const Warp* running, u32 source);
    void read_variables(const Warp& w, const Frame* frame, u32 source, Mask lanes);
    void finish_instruction();
    void read_values(const PendingAccess& pending);
    void note_barrier(const ptx::Instruction& instruction);
    void add_new_reports();
    u32 find_step(const Report& report) const;
    /// Returns the last step that stores to this address of global memory, or kNone.
    u32 find_last_store(u64 address) const;

    const Launch& launch_;
    const std::size_t max_steps_;
    DebugInfo debug_info_;
    BlockTrace trace_;
    std::map<const FunctionCode*, TracedFunction> functions_;
    /// The state of each variable in each warp. The first index is the warp, and the second index
    /// is the variable.
    std::vector<std::vector<KnownVariable>> known_variables_;
    std::string folder_;               ///< the folder of the kernel's own source file
    std::map<u32, u32> file_numbers_;  ///< maps the file numbers of the PTX to those of the trace

    // The step being recorded.
    const Warp* warp_ = nullptr;  ///< the warp of this step; null if no step is being recorded
    const Frame* frame_ = nullptr;
    u32 first_source_ = 0, last_source_ = 0;
    bool has_jumped_back_ = false;
    std::vector<PendingAccess> pending_;
    std::optional<u32> pending_barrier_;

    u64 reports_seen_ = 0;
    std::vector<Report> reports_before_;
};

}  // namespace coalesce::simulator
