// Parses the operands in the text of LLVM IR: constants, and references to other values.
#pragma once

#include <map>
#include <string>

#include "page/ir_to_ptx/ir.h"
#include "page/ir_to_ptx/lexer.h"

namespace coalesce::translator {

/// The names that the current function can use. All globals are known before any value is read.
struct VisibleNames {
    std::map<std::string, Value*> globals;
    /// The instructions of the current function. An instruction that is used before its definition
    /// is created at its first use.
    std::map<std::string, Instruction*> locals;
    std::map<std::string, Argument*> arguments;
    std::map<std::string, Block*> blocks;
};

class ValueReader {
public:
    ValueReader(Lexer& lexer, Module& module, VisibleNames& names)
        : lexer_(lexer), module_(module), names_(names) {}

    /// Reads a type and a value of that type.
    Value* read_typed();
    /// Reads a value whose type is known.
    Value* read(const Type* type);
    /// Returns the instruction %name, even if its definition has not been read yet.
    Instruction* local(const std::string& name, const Type* type);
    Block* block(const std::string& name);
    /// Reads flags such as nuw, nsw, fast and inbounds.
    u32 read_flags();

private:
    Value* read_word(const Type* type);
    Value* read_number(const Type* type);
    Value* read_aggregate(const Type* type, char closing_character);
    Value* read_string(const Type* type);
    Value* read_splat(const Type* type);
    Value* read_asm(const Type* type);
    Value* read_expression(const Type* type, Op op);
    Value* read_metadata();

    Lexer& lexer_;
    Module& module_;
    VisibleNames& names_;
};

}  // namespace coalesce::translator
