// Generates the random statements of a kernel or device function.
//
// Idea      Each statement has defined behaviour at its position. `available_registers` lists the
//           registers that every path to this position has written. ThreadSet says which threads
//           arrive there together.
// Defined   After a branch, only registers written on both sides count as written. In a graph of
//           blocks, a dataflow analysis finds these registers. So a register may get its first
//           value in the middle of a loop and be read after the loop, a case in which interpreters
//           often make mistakes.
// Endings   Every loop decrements a register until it reaches zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/campaign/ptx/function_text.h"
#include "lab/campaign/ptx/lane_instructions.h"

namespace coalesce::campaign {

/// Returns the end of a PTX opcode: the register's width in bits and a space, as in "add.s32 ". The
/// register must not be a predicate.
inline const char* bits_of(RegisterKind kind) {
    return kind == RegisterKind::half ? "16 " : kind == RegisterKind::wide ? "64 " : "32 ";
}

/// Returns the instruction that copies a register of this kind, followed by a space.
inline const char* move_instruction(RegisterKind kind) {
    static constexpr const char* kMoves[] = {"mov.pred ", "mov.b16 ", "mov.b32 ", "mov.b64 "};
    return kMoves[static_cast<int>(kind)];
}

/// The features of a kernel, drawn at random. Each feature is missing from some kernels, because
/// some features disable an optimization of the simulator.
struct Features {
    /// Whether approximate instructions may occur, and whether the kernel must have the same
    /// results on all devices.
    bool uses_approximate_instructions = false, is_portable = false;
    bool has_shared_tile = false, is_tile_dynamic = false, has_own_shared_memory = false,
         has_sums_in_shared_memory = false;
    bool uses_named_barriers = false, uses_mbarriers = false, uses_async_copies = false;
    bool uses_generic_addresses = false, uses_strong_accesses = false,
         uses_unusual_barriers = false, uses_local_memory = false, uses_constant_tables = false;
    bool uses_function_calls = false, uses_function_pointers = false, uses_sums = false,
         uses_own_atomics = false, uses_warp_operations = false;
    bool exchanges_through_global_memory = false, may_threads_leave_early = false;
    u32 blocks_per_cluster = 1;  ///< blocks per cluster
};

/// A device function that the kernel may call.
struct Callee {
    enum class Form { words, wide, array, recursive, memory };
    std::string name = {};
    Form form = Form::words;

    // Return the declaration of the second parameter and the declaration of the result, each with
    // the given name. The first parameter is always a 32-bit word.
    std::string second_parameter_declaration(const std::string& parameter_name) const;
    std::string result_declaration(const std::string& result_name) const;
};

/// Everything that the statements may refer to.
struct Environment {
    Launch launch;
    Features features;
    std::vector<Callee> callees;
    bool is_in_kernel = true;
    // Registers that hold addresses. Addresses in shared memory have 32 bits, the others 64.
    std::optional<Reg> input_address, generic_input_address, interleaved_out_address,
        own_out_address, own_scratch_address, generic_own_scratch_address, block_scratch_address,
        sums_address, generic_local_address, generic_table_address, own_shared_address,
        generic_own_shared_address;
    Reg thread_index, block_index;  ///< linear indices of the thread and of its block
};

/// Registers that are certain to have been written at this point.
struct AvailableRegisters {
    std::vector<Reg> registers_by_kind[kKinds];
    std::vector<Reg> uniform_words;  ///< words with equal values in all threads of the ThreadSet
    /// Words that are equal in threads with the same position in their blocks.
    std::vector<Reg> position_words;
    std::vector<Reg> written_once_predicates;  ///< predicates that exactly one instruction writes
    struct GuardedRegister {
        Reg guarded_register, predicate;
        bool is_predicate_negated;
        bool operator==(const GuardedRegister&) const = default;
    };
    std::vector<GuardedRegister>
        conditionally_written;   ///< registers written only if their predicate holds
    u32 written_tile_bytes = 0;  ///< number of bytes of the tile that have been written

    bool contains(Reg reg) const;
    void add(Reg reg);
    /// Removes the registers that are not in `other`.
    void intersect(const AvailableRegisters& other);
};

/// The set of threads that execute a statement together.
struct ThreadSet {
    u32 depth = 0;
    u32 enclosing_iterations = 1;  ///< product of the iteration counts of the enclosing loops
    bool is_whole_block = true, is_whole_warp = true;
    /// mask of the lanes, if some lanes are not in the set and the mask is known
    std::optional<Reg> lane_mask_register;
    bool is_lane_mask_known() const { return is_whole_warp || lane_mask_register; }
    /// Returns the set of threads after a branch at which lanes diverge.
    ThreadSet after_divergence() const {
        ThreadSet w = *this;
        w.is_whole_block = w.is_whole_warp = false;
        w.lane_mask_register.reset();
        ++w.depth;
        return w;
    }
};

class PtxBody {
public:
    PtxBody(Random& random, FunctionText& text, Environment& environment);

    AvailableRegisters available_registers;

    void emit_statements(u32 count, ThreadSet thread_set);
    void emit_statement(const ThreadSet& thread_set);
    /// Mixes some of the available registers into the words that the function returns.
    void fold_random_registers(u32 count);
    void fold_into_accumulator(Reg reg);

    // ---- values (body_values.cpp) ----
    Reg pick_register(RegisterKind kind);
    Reg pick_uniform_register();
    Reg make_register(
        RegisterKind kind);  ///< Creates a register, which counts as written from here on.
    /// Chooses a new register or an existing variable as a destination. From here on, the register
    /// counts as written.
    Reg pick_destination(RegisterKind kind);
    Reg make_variable(RegisterKind kind);
    /// Emits an instruction. Each $ in the pattern stands for the next operand: "add.s32 $, $, 1".
    void emit(const std::string& pattern, const std::vector<PatternArgument>& operands = {}) {
        text_.append_instruction(fill_operands(pattern, operands) + ";");
    }
    /// Emits an instruction with the mark `// late`. The instruction's sources are always written
    /// first, but an analysis of the text (find_undefined_read()) cannot prove this.
    void emit_late(const std::string& pattern, const std::vector<PatternArgument>& operands) {
        text_.append_instruction(fill_operands(pattern, operands) + "; // late");
    }
    /// Emits an instruction that writes to a new register, and returns the register. Later
    /// statements never choose this register as a random source.
    Reg emit_to_new_register(RegisterKind kind, const std::string& pattern,
                             std::vector<PatternArgument> operands = {});
    /// Like emit_to_new_register(), but later statements may choose the register as a source.
    Reg emit_to_pickable_register(RegisterKind kind, const std::string& pattern,
                                  const std::vector<PatternArgument>& operands = {});
    Reg emit_word(u32 value);
    void emit_lane_instruction();
    void emit_uniform_computations(std::vector<Reg>& uniform_registers,
                                   const std::vector<std::string>& operations, u32 count);
    void emit_uniform_values(u32 count);
    void emit_position_values(u32 count);
    Reg random_predicate(bool is_uniform);

    std::vector<Reg> accumulator_registers;  ///< registers that fold_into_accumulator() writes
    u32 remaining_statements = 150;  ///< the number of statements that may still be generated

private:
    // ---- values ----
    std::string random_literal(const LaneInstruction& instruction, RegisterKind kind);
    void emit_copies();
    void emit_carry_chain();
    void emit_writes_with_opposite_guards();
    void emit_guarded_write_or_read();
    void emit_pack_and_unpack();
    void emit_special_register_read();
    std::string random_guard();
    std::string random_negation();
    std::optional<Reg> pick_existing_variable(RegisterKind kind);

    // ---- memory (body_memory.cpp) ----
    struct AccessibleMemory {
        std::string state_space = {}, base_address = {};
        u32 first_offset = 0, bytes = 0;
        bool is_read_only = false, may_have_cache_operator = false,
             may_have_strong_accesses = false;
    };
    void emit_access(const AccessibleMemory& memory, bool is_store);
    void emit_input_load();
    void emit_own_memory_access();
    void emit_table_read();
    void emit_own_shared_access();
    void emit_tile_read();
    void emit_atomics_on_sums();
    void emit_own_atomics();
    void emit_cache_hints();
    Reg emit_index_below(u32 count);
    Reg emit_scaled_index(Reg index, u32 element_bytes);
    Reg emit_array_address(const char* array_name, Reg offset);
    Reg emit_indexed_address(Reg base_address, Reg index, u32 bytes);

    // ---- statements that threads execute together (body_together.cpp) ----
    std::string format_lane_mask(const ThreadSet& thread_set);
    void emit_lane_exchange(const ThreadSet& thread_set);
    void emit_match(const std::string& lane_mask);
    void emit_shuffle(const ThreadSet& thread_set);
    std::string pick_register_list(RegisterKind kind, u32 count, bool are_written);
    void emit_matrix_instructions(const ThreadSet& thread_set);
    void emit_barrier();
    void emit_tile_exchange(const ThreadSet& thread_set);
    void emit_cluster_barrier();
    Reg emit_address_in_other_block(Reg own_address, Reg other_block, bool is_generic_address);
    void emit_cluster_exchange();
    void emit_global_exchange();
    void emit_named_barriers();
    void emit_shared_sums_read();
    void emit_async_copy();
    void emit_own_mbarrier();
    void emit_block_mbarrier();
    Reg emit_permuted_thread_index();

    // ---- control flow (body_control.cpp) ----
    bool emit_control_flow(const ThreadSet& thread_set);
    void emit_branch(const ThreadSet& thread_set);
    void emit_branch_with_known_lanes(const ThreadSet& thread_set);
    void emit_iteration_count(Reg iterations_register, u32 max_iterations, bool is_count_random,
                              bool is_uniform);
    void emit_loop(const ThreadSet& thread_set);
    void emit_loop_with_known_lanes(const ThreadSet& thread_set);
    void emit_assignment_in_last_iteration(const ThreadSet& thread_set);
    void emit_switch(const ThreadSet& thread_set);
    void emit_call();
    void emit_call_to(const std::string& target, Callee::Form form, bool is_called_by_pointer);
    void emit_indirect_call();
    ThreadSet nested_thread_set(const ThreadSet& thread_set, bool is_uniform) const;

    // ---- arbitrary graphs of blocks (body_graph.cpp) ----
    struct BlockGraph;
    void emit_block_graph(const ThreadSet& thread_set);
    BlockGraph make_random_graph();
    void emit_graph_entry(BlockGraph& graph);
    void emit_write_in_graph(Reg r);
    void emit_node_exit(const BlockGraph& graph, int n);

    Random& random_;
    FunctionText& text_;
    Environment& environment_;
    std::vector<Reg> variables_by_kind_[kKinds];
    u32 call_count_ = 0;
    bool is_tile_in_use_ = false;
    friend class PtxKernelGenerator;
};

}  // namespace coalesce::campaign
