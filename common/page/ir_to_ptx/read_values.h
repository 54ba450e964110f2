// Constants and names of values: text -> Value.
#pragma once

#include <map>
#include <string>

#include "page/ir_to_ptx/ir.h"
#include "page/ir_to_ptx/lexer.h"

namespace coalesce::translator {

/// Names in force. Those of a module are all known before anything is read.
struct Names {
    std::map<std::string, Value*> globals;
    std::map<std::string, Instruction*> locals;  ///< of the function that is read; also made ahead
    std::map<std::string, Argument*> arguments;
    std::map<std::string, Block*> blocks;
};

class ValueReader {
public:
    ValueReader(Lexer& lexer, Module& module, Names& names)
        : lexer_(lexer), module_(module), names_(names) {}

    /// A type and a value of it.
    Value* read_typed();
    /// A value whose type is known.
    Value* read(const Type* type);
    /// %name of an instruction, perhaps before it stands.
    Instruction* local(const std::string& name, const Type* type);
    Block* block(const std::string& name);
    /// nuw, nsw, fast, inbounds ...
    u32 read_flags();

private:
    Value* read_word(const Type* type);
    Value* read_number(const Type* type);
    Value* read_aggregate(const Type* type, char close);
    Value* read_string(const Type* type);
    Value* read_splat(const Type* type);
    Value* read_asm(const Type* type);
    Value* read_expression(const Type* type, Op op);
    Value* read_metadata();

    Lexer& lexer_;
    Module& module_;
    Names& names_;
};

}  // namespace coalesce::translator
