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

#include "translator/ir.h"
#include "translator/layout.h"

namespace coalesce::translator {

enum class Register : u8 { predicate, b16, b32, b64 };

/// What holds one scalar; an i128 takes two of b64. i1: predicate; up to i16, half, bfloat: b16...
Register register_of(const Type& scalar);
/// Of the register that holds it: 1, 16, 32, 64.
u32 register_bits(const Type& scalar);

class Emitter {
public:
    Emitter(Module& module, Function& function);
    /// The whole function, from its header to the closing brace. Called once.
    std::string text();

    // ---- operands, in PTX's words ----

    /// A register, or a number where the value is one.
    std::string use(const Value* value, std::size_t part = 0);
    /// Always a register.
    std::string use_register(const Value* value, std::size_t part = 0);
    /// All parts.
    std::vector<std::string> use_all(const Value* value);
    /// An integer of an odd width whose upper register bits must be zeros or copies of its sign.
    std::string extended(const Value* value, bool is_signed);
    /// [%rd4+16], and the space that it lies in: ".global", "" when generic.
    struct Address {
        std::string text;   ///< "%rd4+16", "tile+16"
        std::string space;  ///< ".global"
    };
    Address address_of(const Value* pointer, i64 offset = 0);

    // ---- results ----

    /// The register that the instruction's value is to be written to.
    std::string result(const Instruction& instruction, std::size_t part = 0);
    /// The value is what these registers (or numbers) hold already: no code.
    void alias(const Instruction& instruction, std::vector<std::string> parts);
    std::string fresh(Register family);

    // ---- text ----

    /// One PTX instruction, without its tab and semicolon.
    void put(const std::string& text);
    /// A declaration at the beginning of the function's body: ".local .align 8 .b8 depot[16];"
    void declare(const std::string& text);
    std::string fresh_label();
    void put_label(const std::string& label);
    std::string label_of(const Block& block);

    /// The instruction makes no code of its own: its only user makes both in one (fold.h).
    bool is_folded(const Value* value) const;

    Module& module;
    Function& function;

private:
    friend class FunctionBody;
    std::map<const Value*, std::vector<std::string>> parts_;
    // ... (filled in by the emitter's author)
};

/// "0f3F800000", "0d3FF0000000000000", "0x3C00": a floating-point constant in PTX.
std::string float_spelling(const Type& type, u64 bits);

}  // namespace coalesce::translator
