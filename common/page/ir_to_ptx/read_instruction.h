// Reads one instruction. The operand forms that instructions.h names are functions of this class.
#pragma once

#include <string>
#include <vector>

#include "page/ir_to_ptx/read_values.h"

namespace coalesce::translator {

class InstructionReader {
public:
    InstructionReader(Lexer& lexer, Module& module, VisibleNames& names)
        : lexer_(lexer), module_(module), names_(names), values_(lexer, module, names) {}

    /// Metadata attached to an instruction, such as !dbg !12. It is resolved after the whole module
    /// has been read.
    struct MetadataAttachment {
        Instruction* instruction;
        std::string kind, node;
    };
    Instruction* read(std::vector<MetadataAttachment>& attachments);

    /// The attributes of a parameter or a result, such as zeroext, align 4, range(i32 0, 8) or
    /// byval(%T).
    struct ParameterFacts {
        u32 align = 0;
        const Type* by_value = nullptr;
        bool is_read_only = false, is_no_alias = false;
    };
    ParameterFacts read_parameter_attributes();

private:
    using Form = void (InstructionReader::*)(Instruction&);
    static Form find_form(Op op);

    void read_unary(Instruction& i);
    void read_binary(Instruction& i);
    void compare(Instruction& i);
    void convert(Instruction& i);
    void operands(Instruction& i);
    void read_indexed(Instruction& i);
    void read_alloca(Instruction& i);
    void read_load(Instruction& i);
    void read_store(Instruction& i);
    void read_getelementptr(Instruction& i);
    void read_atomicrmw(Instruction& i);
    void read_cmpxchg(Instruction& i);
    void read_fence(Instruction& i);
    void read_phi(Instruction& i);
    void branch(Instruction& i);
    void read_switch(Instruction& i);
    void read_return(Instruction& i);
    void read_no_operands(Instruction& i);
    void read_call(Instruction& i);

    Instruction* begin(std::string& name);
    void read_flags(Instruction& i);
    void read_volatility(Instruction& i);
    void read_scope(Instruction& i);
    Ordering read_ordering();
    void read_shuffle_mask(Instruction& i);
    void read_arguments(Instruction& i);
    Block* read_label();
    void read_end(Instruction& i, std::vector<MetadataAttachment>& attachments);

    Lexer& lexer_;
    Module& module_;
    VisibleNames& names_;
    ValueReader values_;
};

}  // namespace coalesce::translator
