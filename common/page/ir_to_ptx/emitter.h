// Writes the PTX of one function. The functions in instructions.h and intrinsics.h use this class,
// which manages registers, operands and positions.
//
// Idea   A value of the IR consists of one or more scalars, which are called its parts (layout.h).
//        For example, {i64, [2 x float]} has three parts, and an i128 has two, its halves. Each
//        part has a register. If the type of a part has an odd width (i1 in memory, i8, i24), the
//        upper bits of the register are undefined until extend_operand() sets them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/debug_text.h"
#include "page/ir_to_ptx/fold.h"
#include "page/ir_to_ptx/ir.h"
#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/places.h"
#include "page/ir_to_ptx/registers.h"

namespace coalesce::translator {

enum class Register : u8 { predicate, b16, b32, b64 };

/// Returns the width of a register in bits: 1, 16, 32 or 64.
constexpr u32 bits_of(Register family) {
    return family == Register::predicate ? 1 : 8u << static_cast<u32>(family);
}

/// Returns the kind of register for a scalar. An i1 is a predicate. Half, bfloat and integers of 2
/// to 16 bits use b16. An i128 takes two b64 registers.
Register register_family(const Type& scalar);
/// Returns the width of the register for a scalar: 1, 16, 32 or 64.
u32 register_bits(const Type& scalar);
/// Returns the number of registers for a scalar: 2 for an i128, otherwise 1.
std::size_t register_count(const Type& scalar);
/// Returns the kind of register for each part of the type.
std::vector<Register> register_families(const Type& type);

class Emitter {
public:
    Emitter(Module& module, Function& function, FileTable& files);
    /// Returns the whole function, from its header to the closing brace. Call this only once.
    std::string text();

    // ---- operands in PTX syntax ----

    /// Returns the register of the value, or a number if the value is a constant.
    std::string format_operand(const Value* value, std::size_t part = 0);
    /// Like format_operand(), but returns a floating-point number as an integer with the same bits,
    /// for mov, st and selp.
    std::string format_operand_bits(const Value* value, std::size_t part = 0);
    /// Works like format_operand(), but always returns a register, even for a constant.
    std::string format_register_operand(const Value* value, std::size_t part = 0);
    std::vector<std::string> format_operand_parts(const Value* value);
    /// Zero-extends or sign-extends an integer, and returns the register that holds the result.
    std::string extend_operand(const Value* value, bool is_signed, std::size_t part = 0);
    /// An address such as [%rd4+16], and its space: ".global", or "" for generic addresses.
    struct Address {
        std::string text;   ///< such as "%rd4+16" or "tile+16"
        std::string space;  ///< such as ".global"
    };
    Address format_address(const Value* pointer, i64 offset = 0);

    // ---- results ----

    std::string result_register(const Instruction& instruction, std::size_t part = 0);
    std::string make_register(Register family);
    std::string make_register_for(const Type& scalar) {
        return make_register(register_family(scalar));
    }

    // ---- text ----

    /// Emits one PTX instruction. `text` has no tab at the beginning and no semicolon at the end.
    void emit_ptx(const std::string& text);
    /// Adds a declaration, such as ".local .align 8 .b8 depot[16]", at the beginning of the
    /// function's body.
    void declare(const std::string& text);
    std::string make_label();
    void emit_label(const std::string& label);
    /// Returns the label of the block, which is created on the first call. Blocks that are never
    /// the target of a branch get no label.
    const std::string& block_label(const Block& block);
    /// Emits the edge from one block to another: the copies that set the phis, and the branch.
    void emit_edge(const Block& from, const Block& to);
    /// Returns a number that is unique within this function.
    u32 next_number() { return ++last_number_; }

    /// Returns the function's source variables and the PTX variables that store them, including the
    /// module's variables `shared`. Call this after text().
    DebugFunction debug_information(const std::vector<const Variable*>& shared) const;

    /// Reports whether no code is emitted for the instruction, because it is folded into its users
    /// (fold.h).
    bool is_folded(const Value* value) const { return folding_.is_folded(value); }
    const Block* next_block() const { return next_block_; }
    std::string parameter_load(const Argument& argument, std::size_t part, const std::string& made);
    bool sets_phis(const Block& from, const Block& to) const;
    /// Reports whether the phis of `to` can be set before the branch at the end of `from`. They
    /// cannot if the branch reads the registers of the phis. They also cannot if the edge to
    /// `other`, the branch's other target, reads these registers.
    bool can_set_phis_early(const Block& from, const Block& to, const Block& other) const;
    void set_phis(const Block& from, const Block& to);

    Module& module;
    Function& function;

private:
    struct Symbol {
        std::string name;
        i64 offset = 0;
    };

    std::vector<std::string> parts(const Value* value);
    std::vector<std::string> list_renamed_registers(const Instruction& instruction);
    std::vector<std::string> constant_parts(const Value* value);
    std::string number_text(const Type& type, const Constant* constant,
                            std::size_t half_index) const;
    bool find_symbol(const Value* value, Symbol& symbol);
    std::string expression_register(const Constant& expression);
    std::string move_in_prologue(const std::string& key, const std::string& text);
    std::string argument_register(const Argument& argument, std::size_t part, Register family);
    std::string load_immediate(const std::string& text, Register family);
    void emit_block(Block& block);
    void emit_location();
    void name_locals();
    void find_not_unrolled();
    void label_loop_exits();
    void label_scopes();
    std::string registers_text() const;
    std::string debug_label(const std::string& what) const;

    FileTable& files_;
    FoldedInstructions folding_;
    Liveness liveness_;
    RegisterSharing register_sharing_;
    std::map<const Value*, std::vector<std::string>> value_registers_;
    std::map<const Value*, std::string> local_names_;
    std::map<const Block*, std::string> labels_;
    std::set<const Block*> not_unrolled_;
    /// The labels of scopes that begin or end before an instruction (labels_before_), and after it
    /// (labels_after_).
    std::map<const Instruction*, std::vector<std::string>> labels_before_, labels_after_;
    std::map<std::string, std::pair<std::string, std::string>> scope_labels_;
    std::map<std::string, std::string> prologue_registers_;
    std::string declarations_, prologue_, body_;
    std::string location_text_;
    const SourceLocation* location_ = nullptr;
    const Block* next_block_ = nullptr;
    u32 register_counts_[4] = {0, 0, 0, 0};
    u32 last_number_ = 0;
};

/// Calls the function that emits this instruction.
void emit_instruction(Emitter& emitter, const Instruction& instruction);

/// Returns a floating-point constant in PTX syntax: "0f3F800000", "0d3FF0000000000000", "0x3C00".
std::string float_spelling(const Type& type, u64 bits);

}  // namespace coalesce::translator
