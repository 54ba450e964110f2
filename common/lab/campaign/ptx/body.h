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
inline const char* bits_of(Kind kind) {
    return kind == Kind::half ? "16 " : kind == Kind::wide ? "64 " : "32 ";
}

/// Returns the instruction that copies a register of this kind, followed by a space.
inline const char* move_instruction(Kind kind) {
    static constexpr const char* kMoves[] = {"mov.pred ", "mov.b16 ", "mov.b32 ", "mov.b64 "};
    return kMoves[static_cast<int>(kind)];
}

/// The features of a kernel, drawn at random. Some features disable one of the simulator's
/// optimizations, so each feature is missing from some kernels.
struct Features {
    /// Whether approximate instructions may occur, and whether every device must compute the same
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

    // Return declarations of the callee's second parameter and of its result, with the given name.
    // The first parameter is a 32-bit word.
    std::string second(const std::string& parameter) const;
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
struct Available {
    std::vector<Reg> by_kind[kKinds];
    std::vector<Reg> uniform;  ///< words with equal values in all threads of the ThreadSet
    /// Words that have the same value in the corresponding threads of every block.
    std::vector<Reg> position;
    std::vector<Reg> frozen;  ///< predicates that exactly one instruction writes
    struct Conditional {
        Reg reg, predicate;
        bool negated;
        bool operator==(const Conditional&) const = default;
    };
    std::vector<Conditional> conditional;  ///< registers written only if a frozen predicate holds
    u32 tile_bytes = 0;                    ///< number of bytes of the tile that have been written

    bool has(Reg reg) const;
    void add(Reg reg);
    /// Removes the registers that are not available in `other`.
    void intersect(const Available& other);
};

/// The set of threads that execute a statement together.
struct ThreadSet {
    u32 depth = 0;
    u32 turns = 1;  ///< product of the iteration counts of the enclosing loops
    bool whole_block = true, whole_warp = true;
    /// mask of the lanes, if it is known and not all lanes are in the set
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

    Available available_registers;

    void statements(u32 count, ThreadSet where);
    void statement(const ThreadSet& where);
    /// Mixes some of the available registers into the words that the function returns.
    void fold_random_registers(u32 count);
    void fold(Reg reg);

    // ---- values (body_values.cpp) ----
    Reg pick_register(Kind kind);
    Reg pick_uniform_register();
    Reg make_register(Kind kind);  ///< Creates a register, which counts as written from here on.
    /// Chooses a new register or an existing variable as a destination. It counts as written from
    /// here on.
    Reg destination(Kind kind);
    Reg new_variable(Kind kind);
    /// Emits an instruction. Each $ in the pattern stands for the next operand: "add.s32 $, $, 1".
    void emit(const std::string& pattern, const std::vector<PatternArgument>& operands = {}) {
        text_.line(fill_operands(pattern, operands) + ";");
    }
    /// Emits an instruction whose sources are always written before it executes, although some
    /// paths through the text do not write them (see find_undefined_read()).
    void emit_late(const std::string& pattern, const std::vector<PatternArgument>& operands) {
        text_.line(fill_operands(pattern, operands) + "; // late");
    }
    /// Emits an instruction that writes a new register, the first $ of the pattern, and returns
    /// this register. Later random choices of a source never select it.
    Reg make_with(Kind kind, const std::string& pattern,
                  std::vector<PatternArgument> operands = {});
    /// Emits an instruction like make_with(), but random choices of a source may select the new
    /// register.
    Reg written(Kind kind, const std::string& pattern,
                const std::vector<PatternArgument>& operands = {});
    Reg word_of(u32 value);
    void lane_instruction();
    void same_values(std::vector<Reg>& known, const std::vector<std::string>& operations,
                     u32 count);
    void uniform_values(u32 count);
    void position_values(u32 count);
    Reg random_predicate(bool uniform);

    std::vector<Reg> accumulators;  ///< registers that fold() writes
    u32 budget = 150;               ///< the number of statements that may still be generated

private:
    // ---- values ----
    std::string literal(const LaneInstruction& instruction, Kind kind);
    void write_fully(Reg to);
    void copies();
    void carry_chain();
    void write_with_opposite_guards();
    void conditional_values();
    void pack_and_unpack();
    void special_register();
    std::string guard();
    std::string maybe_negated();
    std::optional<Reg> existing_variable(Kind kind);

    // ---- memory (body_memory.cpp) ----
    struct Place {
        std::string space = {}, base = {};
        u32 first = 0, bytes = 0;
        bool read_only = false, cached = false, may_be_strong = false;
    };
    void access(const Place& place, bool store);
    void load_input();
    void own_memory();
    void table();
    void own_shared_memory();
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
    void match(const std::string& members);
    void shuffle(const ThreadSet& where);
    std::string register_list(Kind kind, u32 count, bool written);
    void matrices(const ThreadSet& where);
    void barrier();
    void exchange(const ThreadSet& where);
    void cluster_barrier();
    Reg address_in_other_block(Reg own, Reg other, bool generic);
    void cluster_exchange();
    void global_exchange();
    void named_barriers();
    void read_shared_sums();
    void async_copy();
    void solo_mbarrier();
    void block_mbarrier();
    Reg permuted_thread();

    // ---- control flow (body_control.cpp) ----
    bool control(const ThreadSet& where);
    void branch(const ThreadSet& where);
    void branch_with_members(const ThreadSet& where);
    void set_iterations(Reg turns, u32 most, bool varies, bool uniform);
    void loop(const ThreadSet& where);
    void loop_with_members(const ThreadSet& where);
    void assign_in_last_iteration(const ThreadSet& where);
    void choose(const ThreadSet& where);
    void call();
    void call_by(const std::string& target, Callee::Form form, bool by_pointer);
    void indirect_call();
    ThreadSet nested_set(const ThreadSet& where, bool uniform) const;

    // ---- arbitrary graphs of blocks (body_graph.cpp) ----
    struct Graph;
    void graph(const ThreadSet& where);
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
