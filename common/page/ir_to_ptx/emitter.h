// Writes the PTX of one function. The functions of instructions.h and intrinsics.h do it through
// this class, which knows registers, spellings of operands and places.
//
// Idea   A value of IR is one or more scalars, its parts (layout.h): {i64, [2 x float]} has three,
//        an i128 has two halves. Each part is a register. Bits of a register above an odd width
//        (i1 in memory, i8, i24) are of any value: who looks at them asks for extended().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/fold.h"
#include "page/ir_to_ptx/ir.h"
#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/places.h"
#include "page/ir_to_ptx/registers.h"

namespace coalesce::translator {

enum class Register : u8 { predicate, b16, b32, b64 };

/// 1, 16, 32, 64
constexpr u32 bits_of(Register family) {
    return family == Register::predicate ? 1 : 8u << static_cast<u32>(family);
}

/// What holds one scalar; an i128 takes two of b64. i1: predicate; up to i16, half, bfloat: b16...
Register register_of(const Type& scalar);
/// Of the register that holds it: 1, 16, 32, 64.
u32 register_bits(const Type& scalar);
/// Registers of a scalar: 1; of an i128 2.
std::size_t registers_in(const Type& scalar);
/// Of all parts.
std::vector<Register> registers_of(const Type& type);

class Emitter {
public:
    Emitter(Module& module, Function& function, Files& files);
    /// The whole function, from its header to the closing brace. Called once.
    std::string text();

    // ---- operands, in PTX's words ----

    /// A register, or a number where the value is one.
    std::string use(const Value* value, std::size_t part = 0);
    /// The same, with the bits of a floating-point number as an integer: for mov, st and selp.
    std::string use_bits(const Value* value, std::size_t part = 0);
    /// Always a register.
    std::string use_register(const Value* value, std::size_t part = 0);
    /// All parts.
    std::vector<std::string> use_all(const Value* value);
    /// An integer of an odd width whose upper register bits must be zeros or copies of its sign.
    std::string extended(const Value* value, bool is_signed, std::size_t part = 0);
    /// [%rd4+16], and the space that it lies in: ".global", "" when generic.
    struct Address {
        std::string text;   ///< "%rd4+16", "tile+16"
        std::string space;  ///< ".global"
    };
    Address address_of(const Value* pointer, i64 offset = 0);

    // ---- results ----

    /// The register that the instruction's value is to be written to.
    std::string result(const Instruction& instruction, std::size_t part = 0);
    std::string fresh(Register family);
    std::string fresh_for(const Type& scalar) { return fresh(register_of(scalar)); }

    // ---- text ----

    /// One PTX instruction, without its tab and semicolon.
    void put(const std::string& text);
    /// A declaration at the beginning of the function's body: ".local .align 8 .b8 depot[16]"
    void declare(const std::string& text);
    std::string fresh_label();
    void put_label(const std::string& label);
    /// For a jump to it: a block to which nobody jumps has none.
    const std::string& label_of(const Block& block);
    /// From the end of one block to the beginning of another: phis are set on the way.
    void put_way(const Block& from, const Block& to);
    /// A number that no other has in this function.
    u32 next_number() { return ++numbers_; }

    /// The instruction makes no code of its own (fold.h).
    bool is_folded(const Value* value) const { return folding_.folded(value); }
    const Block* next_block() const { return next_block_; }
    std::string parameter_load(const Argument& argument, std::size_t part, const std::string& made);
    bool sets_phis(const Block& from, const Block& to) const;
    /// Phis of `to` may be set before `from` branches: nobody reads their registers elsewhere.
    bool may_set_early(const Block& from, const Block& to, const Block& other) const;
    void set_phis(const Block& from, const Block& to);

    Module& module;
    Function& function;

private:
    struct Symbol {
        std::string name;
        i64 offset = 0;
    };

    std::vector<std::string> parts(const Value* value);
    std::vector<std::string> renamed(const Instruction& instruction);
    std::vector<std::string> constant_parts(const Value* value);
    std::string number_text(const Type& type, const Constant* constant, std::size_t half) const;
    bool symbol_of(const Value* value, Symbol& symbol);
    std::string expression_register(const Constant& expression);
    std::string in_prologue(const std::string& key, const std::string& text);
    std::string argument_register(const Argument& argument, std::size_t part, Register family);
    std::string immediate(const std::string& text, Register family);
    void put_block(Block& block);
    void put_place();
    void name_locals();
    void find_not_unrolled();
    void label_loop_exits();
    std::string registers_text() const;

    Files& files_;
    Folding folding_;
    Liveness liveness_;
    Sharing sharing_;
    std::map<const Value*, std::vector<std::string>> parts_;
    std::map<const Value*, std::string> local_names_;
    std::map<const Block*, std::string> labels_;
    std::set<const Block*> not_unrolled_;
    std::map<std::string, std::string> prologue_registers_;
    std::string declarations_, prologue_, body_;
    std::string place_text_;
    const Place* place_ = nullptr;
    const Block* next_block_ = nullptr;
    u32 counts_[4] = {0, 0, 0, 0};
    u32 numbers_ = 0;
};

/// The one place where an instruction's function is looked up.
void emit_instruction(Emitter& emitter, const Instruction& instruction);

/// "0f3F800000", "0d3FF0000000000000", "0x3C00": a floating-point constant in PTX.
std::string float_spelling(const Type& type, u64 bits);

}  // namespace coalesce::translator
