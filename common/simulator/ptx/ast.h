// Declares the syntax tree of PTX. In the tree, names are already resolved to registers and labels.
// The tree does not describe what instructions do.
//
// Read next  parser.h creates the tree from text; lowering/lower.h converts it to Ops.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator::ptx {

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

/// Returns the number of bytes that a value of this type occupies in memory (1 for a predicate).
u32 size_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);
/// Returns the type with this name, such as Type::s32 for "s32", or Type::none if there is none.
Type parse_type(std::string_view name);
std::string_view name_of(Type type);

/// A line of the program's source, from a `.loc` directive. Line 0 means that the line is unknown,
/// as in code built without -lineinfo.
struct SourceLine {
    u32 file = 0;  ///< the file, as a key of Module::files
    u32 line = 0;
    bool operator==(const SourceLine&) const = default;
};

enum class StateSpace : u8 { generic, global, shared, local, constant, param };

/// The linkage of a function or variable: whether other files of the program can use its name.
enum class Linkage : u8 {
    local,    ///< only this file can use the name; other files may define the same name
    visible,  ///< all files can use the name (.visible, .extern)
    weak,     ///< all files can use and define the name; one definition is kept (.weak)
    common,   ///< like weak, for variables; the largest definition is kept (.common)
};

struct Operand {
    enum class Kind : u8 {
        reg,        ///< `reg` is an index into Function::registers
        special,    ///< `name` is a special register, such as "%tid.x"
        immediate,  ///< `bits` is an integer, sign-extended to 64 bits
        f32_bits,   ///< `bits` contains a float, written as in 0f3F800000
        f64_bits,   ///< `bits` contains a double, written as in 0d3FF0000000000000
        symbol,     ///< the address of `name`, a variable, function or label, plus `offset`
        /// An address [base + offset]. The base is `reg` if `has_base_register`, and otherwise
        /// `name`. If the operand has neither, the address is absolute.
        address,
        vector,  ///< a vector {a, b, ...}; `elements` contains its elements
        sink,    ///< the operand `_`, which discards a result
    };
    Kind kind = Kind::immediate;
    bool is_negated = false;         ///< true for `!p`, or for a minus sign before a register
    bool has_base_register = false;  ///< true for an address whose base is `reg`
    u32 reg = 0;
    u64 bits = 0;
    i64 offset = 0;
    std::string name;
    /// For a vector, its elements, followed by p in `{...}|p`. For `p|q`, the operand q. For an
    /// address [a, b, c], the operands b and c.
    std::vector<Operand> elements;

    bool is_register() const { return kind == Kind::reg; }
    bool is_special() const { return kind == Kind::special; }
    bool is_immediate() const { return kind == Kind::immediate; }
    bool is_symbol() const { return kind == Kind::symbol; }
    bool is_address() const { return kind == Kind::address; }
    bool is_vector() const { return kind == Kind::vector; }
    bool is_sink() const { return kind == Kind::sink; }
};

/// One instruction, or a label. For a label, the opcode is empty and `label` is set.
struct Instruction {
    std::string opcode;  ///< the opcode, such as "ld"
    /// The modifiers without dots: "global", "nc", "v4", "f32". `::` is kept, as in "shared::cta".
    std::vector<std::string> modifiers;
    std::vector<Operand> operands;
    std::optional<u32> guard;  ///< the register of the guard `@p`, if there is one
    bool is_guard_negated = false;
    std::string label;
    SourceLine where;
    /// 1 + the index of the instruction's chain of calls in Function::inline_chains, or 0 if the
    /// instruction was not inlined.
    u32 inline_chain_index = 0;
    bool is_of_assembly = false;  ///< true if the instruction comes from an asm statement
    /// The bytes of a load that the program uses, one bit per byte (.pragma "used_bytes_mask"). The
    /// other bytes are padding between members.
    u32 used_bytes = ~0u;
    u32 text_offset = 0, text_length = 0;  ///< the position in Module::text, for messages

    bool has(std::string_view modifier) const;
};

struct Register {
    std::string name;
    Type type = Type::b32;
};

/// A word that contains an address, in the initial contents of a variable. The address is filled in
/// when the module is loaded.
struct Relocation {
    u64 offset = 0;
    u32 bytes = 8;
    std::string symbol;
    i64 addend = 0;
    bool is_generic = false;  ///< true if written as generic(symbol)

    bool operator==(const Relocation&) const = default;
};

struct Variable {
    std::string name;
    Linkage linkage = Linkage::local;
    StateSpace space = StateSpace::global;
    Type type = Type::b8;
    u64 size = 0;  ///< the total size in bytes, or 0 for `extern .shared x[]`
    u32 align = 1;
    u32 declaration_order = 0;  ///< the number of variables declared earlier in the same scope
    bool is_extern = false;
    bool is_managed = false;  ///< true for .attribute(.managed): host code also uses the variable
    std::vector<u8>
        /// The first bytes of the initial contents; the remaining bytes of the variable are zero.
        initial_bytes;
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
    /// The registers of all scopes, renamed so that each name is unique.
    std::vector<Register> registers;
    /// The .shared, .local and .param variables that the body declares. If two scopes declare the
    /// same name, the variables are called "name" and "name@2", and operands use these unique
    /// names.
    std::map<std::string, Variable> variables;
    std::vector<Instruction> body;
    /// Maps the unique name of each label to the label's index in the body.
    std::map<std::string, u32> labels;
    /// The lists of .branchtargets, .calltargets and .callprototype directives, keyed by their
    /// labels.
    std::map<std::string, std::vector<std::string>> target_lists;
    /// For each .pragma "nounroll", the index in the body of the instruction or label that follows
    /// it.
    std::vector<u32> not_unrolled;
    /// The chains of calls by which instructions were inlined. Each chain lists the lines of the
    /// calls, from the innermost call to the outermost.
    std::vector<std::vector<SourceLine>> inline_chains;
    u32 max_threads[3] = {0, 0, 0};  ///< the values of .maxntid, or 0 if there is no such directive
    /// The values of .reqntid, or 0 if there is no such directive.
    u32 required_threads[3] = {0, 0, 0};
    /// The values of .reqnctapercluster, or 0 if there is no such directive.
    u32 cluster[3] = {0, 0, 0};
    u32 min_blocks = 0;     ///< the value of .minnctapersm, or 0 if there is no such directive
    u32 max_registers = 0;  ///< the value of .maxnreg, or 0 if there is no such directive
};

struct Module {
    std::string text;  ///< the PTX text, quoted in messages
    std::string version, target;
    std::map<u32, std::string> files;
    /// .global and .const variables, and .shared variables declared outside functions.
    std::map<std::string, Variable> variables;
    std::map<std::string, std::unique_ptr<Function>> functions;

    std::string_view find_text(const Instruction& instruction) const {
        return std::string_view(text).substr(instruction.text_offset, instruction.text_length);
    }
};

}  // namespace coalesce::simulator::ptx
