// Generates the random statements of a kernel or device function.
//
// Idea      Each statement has defined behaviour at its position. `available_registers` lists the
//           registers that have certainly been written on every path to it, and ThreadSet says
//           which threads arrive together.
// Defined   After a branch, only registers written on both sides count as written. In a graph of
//           blocks, a dataflow analysis decides. So a register may get its first value in the
//           middle of a loop and be read after it, a case that interpreters tend to get wrong.
// Endings   Every loop decrements a register until it reaches zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/campaign/ptx/function_text.h"
#include "lab/campaign/ptx/lane_instructions.h"

namespace coalesce::campaign {

/// Returns the bit width that completes a PTX type name, such as the "32 " in "add.s32 ". The
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
    /// Whether approximate instructions may occur, and whether all devices must compute the same
    /// results.
    bool approximations = false, is_portable = false;
    bool tile = false, dynamic_tile = false, own_shared = false, shared_sums = false;
    bool named_barriers = false, mbarriers = false, async_copies = false;
    bool generic = false, strong = false, odd_barriers = false, local = false, constants = false;
    bool calls = false, pointers = false, sums = false, own_atomics = false, warp_ops = false;
    bool global_exchange = false, may_leave = false;
    u32 cluster = 1;  ///< blocks per cluster
};

/// A device function that the kernel may call.
struct Callee {
    enum class Form { words, wide, array, recursive, memory };
    std::string name = {};
    Form form = Form::words;

    // Return the declaration of the second parameter and of the result, with the given name. The
    // first parameter is always a 32-bit word.
    std::string second_parameter_declaration(const std::string& parameter) const;
    std::string back(const std::string& result) const;
};

/// Everything that the statements may refer to.
struct Environment {
    Launch launch;
    Features features;
    std::vector<Callee> callees;
    bool in_kernel = true;
    // Registers that hold addresses. Shared memory addresses are 32-bit words.
    std::optional<Reg> in, in_generic, out_row, out_own, scratch, scratch_generic, scratch_block,
        sums, local_generic, table_generic, own_shared, own_shared_generic;
    Reg thread, block;  ///< linear indices of the thread and of its block
};

/// Registers that are certain to have been written at this point.
struct AvailableRegisters {
    std::vector<Reg> by_kind[kKinds];
    std::vector<Reg> uniform;  ///< words with equal values in all threads of the ThreadSet
    /// Words that are equal in threads with the same position in their blocks.
    std::vector<Reg> position;
    std::vector<Reg> frozen;  ///< predicates that exactly one instruction writes
    struct GuardedRegister {
        Reg reg, predicate;
        bool negated;
        bool operator==(const GuardedRegister&) const = default;
    };
    std::vector<GuardedRegister> conditional;  ///< registers written only if their predicate holds
    u32 tile_bytes = 0;  ///< number of bytes of the tile that have been written

    bool has(Reg reg) const;
    void add(Reg reg);
    /// Removes the registers that `other` does not have.
    void intersect(const AvailableRegisters& other);
};

/// The set of threads that execute a statement together.
struct ThreadSet {
    u32 depth = 0;
    u32 turns = 1;  ///< product of the iteration counts of the enclosing loops
    bool whole_block = true, whole_warp = true;
    /// mask of the lanes, if some lanes are not in the set and the mask is known
    std::optional<Reg> members;
    bool knows_members() const { return whole_warp || members; }
    /// Returns the set of threads after a branch at which lanes diverge.
    ThreadSet after_divergence() const {
        ThreadSet w = *this;
        w.whole_block = w.whole_warp = false;
        w.members.reset();
        ++w.depth;
        return w;
    }
};

class PtxBody {
public:
    PtxBody(Random& random, FunctionText& text, Environment& environment);

    AvailableRegisters available_registers;

    void statements(u32 count, ThreadSet where);
    void statement(const ThreadSet& where);
    /// Mixes some of the available registers into the words that the function returns.
    void fold_random_registers(u32 count);
    void fold(Reg reg);

    // ---- values (body_values.cpp) ----
    Reg pick_register(RegisterKind kind);
    Reg pick_uniform_register();
    Reg make_register(
        RegisterKind kind);  ///< Creates a register, which counts as written from here on.
    /// Chooses a new register or an existing variable as a destination. From here on, the register
    /// counts as written.
    Reg pick_destination(RegisterKind kind);
    Reg new_variable(RegisterKind kind);
    /// Emits an instruction. Each $ in the pattern stands for the next operand: "add.s32 $, $, 1".
    void emit(const std::string& pattern, const std::vector<PatternArgument>& operands = {}) {
        text_.line(fill_operands(pattern, operands) + ";");
    }
    /// Emits an instruction with the mark `// late`. Its sources are always written first, but an
    /// analysis of the text (find_undefined_read()) cannot prove this.
    void emit_late(const std::string& pattern, const std::vector<PatternArgument>& operands) {
        text_.line(fill_operands(pattern, operands) + "; // late");
    }
    /// Emits an instruction that writes to a new register, and returns the register. Later
    /// statements never choose this register as a random source.
    Reg emit_to_new_register(RegisterKind kind, const std::string& pattern,
                             std::vector<PatternArgument> operands = {});
    /// Like emit_to_new_register(), but later statements may choose the register as a random
    /// source.
    Reg emit_to_pickable_register(RegisterKind kind, const std::string& pattern,
                                  const std::vector<PatternArgument>& operands = {});
    Reg emit_word(u32 value);
    void lane_instruction();
    void emit_uniform_computations(std::vector<Reg>& known,
                                   const std::vector<std::string>& operations, u32 count);
    void uniform_values(u32 count);
    void position_values(u32 count);
    Reg random_predicate(bool uniform);

    std::vector<Reg> accumulators;  ///< registers that fold() writes
    u32 budget = 150;               ///< the number of statements that may still be generated

private:
    // ---- values ----
    std::string random_literal(const LaneInstruction& instruction, RegisterKind kind);
    void write_fully(Reg to);
    void emit_copies();
    void carry_chain();
    void write_with_opposite_guards();
    void emit_guarded_write_or_read();
    void pack_and_unpack();
    void emit_special_register_read();
    std::string random_guard();
    std::string maybe_negated();
    std::optional<Reg> existing_variable(RegisterKind kind);

    // ---- memory (body_memory.cpp) ----
    struct MemoryRegion {
        std::string space = {}, base = {};
        u32 first = 0, bytes = 0;
        bool read_only = false, cached = false, may_be_strong = false;
    };
    void emit_access(const MemoryRegion& place, bool store);
    void load_input();
    void emit_own_memory_access();
    void emit_table_read();
    void emit_own_shared_access();
    void read_tile();
    void sums();
    void own_atomics();
    void cache_hints();
    Reg index_below(u32 count);
    Reg scaled(Reg index, u32 bytes);
    Reg array_element(const char* array, Reg offset);
    Reg indexed_address(Reg base, Reg index, u32 bytes);

    // ---- statements that threads execute together (body_together.cpp) ----
    std::string lane_mask(const ThreadSet& where);
    void exchange_between_lanes(const ThreadSet& where);
    void emit_match(const std::string& members);
    void shuffle(const ThreadSet& where);
    std::string register_list(RegisterKind kind, u32 count, bool written);
    void emit_matrix_instructions(const ThreadSet& where);
    void barrier();
    void emit_tile_exchange(const ThreadSet& where);
    void cluster_barrier();
    Reg address_in_other_block(Reg own, Reg other, bool generic);
    void cluster_exchange();
    void global_exchange();
    void named_barriers();
    void read_shared_sums();
    void async_copy();
    void emit_own_mbarrier();
    void emit_block_mbarrier();
    Reg permuted_thread();

    // ---- control flow (body_control.cpp) ----
    bool emit_control_flow(const ThreadSet& where);
    void branch(const ThreadSet& where);
    void branch_with_members(const ThreadSet& where);
    void set_iterations(Reg turns, u32 most, bool varies, bool uniform);
    void loop(const ThreadSet& where);
    void loop_with_members(const ThreadSet& where);
    void assign_in_last_iteration(const ThreadSet& where);
    void emit_switch(const ThreadSet& where);
    void call();
    void emit_call_to(const std::string& target, Callee::Form form, bool by_pointer);
    void indirect_call();
    ThreadSet nested_set(const ThreadSet& where, bool uniform) const;

    // ---- arbitrary graphs of blocks (body_graph.cpp) ----
    struct Graph;
    void emit_block_graph(const ThreadSet& where);
    Graph random_graph();
    void enter_graph(Graph& graph);
    void write_in_graph(Reg r);
    void leave_node(const Graph& graph, int n);

    Random& random_;
    FunctionText& text_;
    Environment& env_;
    std::vector<Reg> variables_[kKinds];
    u32 params_made_ = 0;
    bool tile_was_touched_ = false;
    friend class KernelMaker;
};

}  // namespace coalesce::campaign
