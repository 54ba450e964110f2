// PTX as the parser returns it: names are resolved to registers and labels, but nothing is
// interpreted.
//
// Builds on  nothing.
// Read next  parser.h creates it from text; program/lower.h converts it to Ops.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::sim::ptx {

enum class Type : u8 {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    tf32,
    f32,
    f32x2,
    f64,
    e4m3x2,
    e5m2x2,
};

/// Returns the bytes that a value of this type occupies in memory (1 for a predicate).
u32 size_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);
/// Returns Type::s32 for "s32", for example, or Type::none if it is not the name of a type.
Type type_named(std::string_view name);
std::string_view name_of(Type type);

/// A place in the learner's source, from `.loc`. Line 0 means unknown (built without -lineinfo).
struct SourceLine {
    u32 file = 0;  ///< index into Module::files
    u32 line = 0;
    bool operator==(const SourceLine&) const = default;
};

enum class StateSpace : u8 { generic, global, shared, local, constant, param };

/// Which other files of a program can use a function or a variable of a module by its name.
enum class Linkage : u8 {
    local,    ///< none: another file may use the name for something else
    visible,  ///< all (.visible, .extern)
    weak,     ///< all, and each file may define it: one of the definitions is used (.weak)
    common,   ///< the same for variables: the largest is used (.common)
};

struct Operand {
    enum class Kind : u8 {
        reg,        ///< `reg`: index into Function::registers
        special,    ///< `name`: "%tid.x", "%laneid", "%clock64" ...
        immediate,  ///< `bits`: an integer, sign-extended to 64 bits
        f32_bits,   ///< `bits`: 0f3F800000
        f64_bits,   ///< `bits`: 0d3FF0000000000000
        symbol,     ///< `name` + `offset`: a variable, a function or a label
        address,    ///< [base + offset]: `reg` when `has_base_register`, else `name`, else absolute
        vector,     ///< {a, b, ...}: `elements`. Also (a, b) in calls and [a, {..}] tails.
        sink,       ///< `_`
    };
    Kind kind = Kind::immediate;
    bool negated = false;            ///< `!p`, or a minus before a register
    bool has_base_register = false;  ///< for an address
    u32 reg = 0;
    u64 bits = 0;
    i64 offset = 0;
    std::string name;
    /// Elements of a vector, with the p of `{...}|p` behind them; the q of `p|q`; what follows the first item
    /// inside [ ].
    std::vector<Operand> elements;

    bool is_register() const { return kind == Kind::reg; }
    bool is_special() const { return kind == Kind::special; }
    bool is_immediate() const { return kind == Kind::immediate; }
    bool is_symbol() const { return kind == Kind::symbol; }
    bool is_address() const { return kind == Kind::address; }
    bool is_vector() const { return kind == Kind::vector; }
    bool is_sink() const { return kind == Kind::sink; }
};

/// One instruction, or one label (opcode empty, `label` set).
struct Instruction {
    std::string opcode;                  ///< "ld"
    std::vector<std::string> modifiers;  ///< "global", "nc", "v4", "f32" (`::` kept: "shared::cta")
    std::vector<Operand> operands;
    std::optional<u32> guard;  ///< register of @p
    bool guard_negated = false;
    std::string label;
    SourceLine where;
    u32 inlined = 0;              ///< 1 + index into Function::inline_chains; 0: not inlined
    bool is_of_assembly = false;  ///< written in an asm statement
    /// Of a load: the bytes that belong to a member of what is loaded, as bits, where the compiler
    /// says so (.pragma "used_bytes_mask"). What lies between them is padding.
    u32 used_bytes = ~0u;
    u32 text_offset = 0, text_length = 0;  ///< in Module::text, for messages

    bool has(std::string_view modifier) const;
};

struct Register {
    std::string name;
    Type type = Type::b32;
};

/// A word of an initialiser that is an address, filled in when the module is loaded.
struct Relocation {
    u64 offset = 0;
    u32 bytes = 8;
    std::string symbol;
    i64 addend = 0;
    bool generic = false;  ///< generic(symbol)

    bool operator==(const Relocation&) const = default;
};

struct Variable {
    std::string name;
    Linkage linkage = Linkage::local;
    StateSpace space = StateSpace::global;
    Type type = Type::b8;
    u64 size = 0;  ///< bytes in all; 0 for `extern .shared x[]`
    u32 align = 1;
    u32 declared = 0;  ///< how many variables of its scope the text declares before it
    bool is_extern = false;
    bool is_managed = false;  ///< .attribute(.managed): host code uses it as well
    std::vector<u8> initial;  ///< the first bytes; those that are not here are zeros
    std::vector<Relocation> relocations;
};

/// An .entry or a .func.
struct Function {
    std::string name;
    Linkage linkage = Linkage::local;
    bool is_entry = false;
    bool has_body = false;
    std::vector<Variable> parameters;
    std::vector<Variable> returns;
    std::vector<Register> registers;  ///< every register of every scope, renamed apart
    /// .shared, .local and .param variables declared in the body. Two scopes that declare the
    /// same name get "name" and "name@2"; operands already use the right one.
    std::map<std::string, Variable> variables;
    std::vector<Instruction> body;
    std::map<std::string, u32> labels;  ///< label (renamed apart as well) -> index into body
    /// .branchtargets / .calltargets / .callprototype lists, by their label.
    std::map<std::string, std::vector<std::string>> target_lists;
    std::vector<u32>
        not_unrolled;  ///< .pragma "nounroll": index into body of what stands behind it
    std::vector<std::vector<SourceLine>> inline_chains;  ///< the calls that code was inlined at
    u32 max_threads[3] = {0, 0, 0};                      ///< .maxntid, 0: not given
    u32 required_threads[3] = {0, 0, 0};                 ///< .reqntid
    u32 cluster[3] = {0, 0, 0};                          ///< .reqnctapercluster
    u32 min_blocks = 0;                                  ///< .minnctapersm, 0: not given
    u32 max_registers = 0;                               ///< .maxnreg, 0: not given
};

struct Module {
    std::string text;  ///< the PTX itself, kept for messages
    std::string version, target;
    std::map<u32, std::string> files;
    std::map<std::string, Variable> variables;  ///< .global, .const and module-scope .shared
    std::map<std::string, std::unique_ptr<Function>> functions;

    std::string_view text_of(const Instruction& instruction) const {
        return std::string_view(text).substr(instruction.text_offset, instruction.text_length);
    }
};

}  // namespace coalesce::sim::ptx
