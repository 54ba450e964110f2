#include "page/ir_to_ptx/read_instruction.h"

#include <cstdlib>

#include "page/ir_to_ptx/read_types.h"
#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

struct OrderingName {
    std::string_view name;
    Ordering ordering;
};
constexpr OrderingName kOrderings[] = {
    {"unordered", Ordering::unordered}, {"monotonic", Ordering::monotonic},
    {"acquire", Ordering::acquire},     {"release", Ordering::release},
    {"acq_rel", Ordering::acq_rel},     {"seq_cst", Ordering::seq_cst},
};

/// Reports whether the current token of an argument list is an attribute: it is neither a type nor
/// the start of a value.
bool is_at_attribute(const Lexer& lexer) {
    if (!lexer.is_at(TokenKind::word) || is_at_type(lexer)) return false;
    const std::string& word = lexer.current().text;
    for (const char* constant_word : {"true", "false", "null", "undef", "poison", "zeroinitializer",
                                      "splat", "asm", "addrspace"}) {
        if (word == constant_word) return false;
    }
    return operation_named(word) == Op::count;
}

bool is_calling_convention(const std::string& word) {
    return word.ends_with("cc") || word == "ptx_kernel" || word == "ptx_device";
}

}  // namespace

InstructionReader::Form InstructionReader::find_form(Op op) {
    static constexpr Form kForms[] = {
#define COALESCE_OP(name, form, emit) &InstructionReader::form,
        COALESCE_TRANSLATOR_INSTRUCTIONS(COALESCE_OP)
#undef COALESCE_OP
    };
    return kForms[static_cast<std::size_t>(op)];
}

Instruction* InstructionReader::read(std::vector<MetadataAttachment>& attachments) {
    const std::size_t line_begin = lexer_.current().begin;
    std::string name;
    Instruction* instruction = begin(name);
    instruction->text = lexer_.line_at(line_begin);
    (this->*find_form(instruction->op))(*instruction);
    read_end(*instruction, attachments);
    return instruction;
}

/// Reads "%name = add" and returns the instruction. Its type follows later.
Instruction* InstructionReader::begin(std::string& name) {
    if (lexer_.is_at(TokenKind::local)) {
        name = lexer_.take_token().text;
        lexer_.expect('=');
    }
    Instruction* instruction =
        name.empty() ? module_.make<Instruction>(Value::Kind::instruction, module_.types.nothing())
                     : values_.local(name, module_.types.nothing());
    while (lexer_.is_at_word("tail") || lexer_.is_at_word("musttail") ||
           lexer_.is_at_word("notail")) {
        lexer_.take_token();
    }
    const std::string word = lexer_.current().text;
    instruction->op = operation_named(word);
    if (instruction->op == Op::count) {
        throw Untranslated("the instruction '" + word + "' is not supported",
                           lexer_.line_at(lexer_.current().begin), "", 0);
    }
    lexer_.take_token();
    return instruction;
}

/// Reads ", align 4, !dbg !12" and similar.
void InstructionReader::read_end(Instruction& i, std::vector<MetadataAttachment>& attachments) {
    while (lexer_.accept(',')) {
        if (lexer_.accept_word("align")) {
            i.align = static_cast<u32>(read_unsigned(lexer_));
        } else if (lexer_.is_at(TokenKind::metadata)) {
            const std::string kind = lexer_.take_token().text;
            if (kind == "invariant.load") i.flags |= flag::invariant;
            const std::string node = lexer_.expect(TokenKind::metadata, "metadata");
            if (lexer_.is_at('{') || lexer_.is_at('(')) lexer_.skip_brackets();
            attachments.push_back({&i, kind, node});
        } else if (lexer_.is_at_word("addrspace")) {
            read_space(lexer_);
        } else {
            lexer_.fail("this cannot be parsed");
        }
    }
}

void InstructionReader::read_flags(Instruction& i) {
    i.flags |= values_.read_flags();
}

// ---- forms ----

/// Reads fneg float %x, or freeze i32 %x.
void InstructionReader::read_unary(Instruction& i) {
    read_flags(i);
    i.operands = {values_.read_typed()};
    i.type = i.operands[0]->type;
}

/// Reads add nsw i32 %x, %y.
void InstructionReader::read_binary(Instruction& i) {
    read_flags(i);
    i.type = read_type(lexer_, module_.types);
    i.operands = {values_.read(i.type)};
    lexer_.expect(',');
    i.operands.push_back(values_.read(i.type));
}

/// Reads icmp slt i32 %x, %y.
void InstructionReader::compare(Instruction& i) {
    read_flags(i);
    i.predicate = lexer_.expect(TokenKind::word, "a comparison");
    const Type* operand_type = read_type(lexer_, module_.types);
    i.operands = {values_.read(operand_type)};
    lexer_.expect(',');
    i.operands.push_back(values_.read(operand_type));
    const Type* bit_type = module_.types.integer(1);
    i.type = operand_type->has_kind(Type::Kind::vector)
                 ? module_.types.vector(bit_type, operand_type->count)
                 : bit_type;
}

/// Reads sext i32 %x to i64.
void InstructionReader::convert(Instruction& i) {
    read_flags(i);
    i.operands = {values_.read_typed()};
    lexer_.expect_word("to");
    i.type = read_type(lexer_, module_.types);
}

/// Reads instructions in which each operand has its own type: select i1 %c, i32 %x, i32 %y.
void InstructionReader::operands(Instruction& i) {
    read_flags(i);
    i.operands.push_back(values_.read_typed());
    while (i.operands.size() < (i.op == Op::extractelement ? 2u : 3u)) {
        lexer_.expect(',');
        i.operands.push_back(values_.read_typed());
    }
    if (i.op == Op::shufflevector) {
        read_shuffle_mask(i);
        i.type = module_.types.vector(i.operands[0]->type->element(), i.indices.size());
        return;
    }
    i.type = i.op == Op::select           ? i.operands[1]->type
             : i.op == Op::extractelement ? i.operands[0]->type->element()
                                          : i.operands[0]->type;
}

/// Converts the last operand, a constant vector, to i.indices.
void InstructionReader::read_shuffle_mask(Instruction& i) {
    const Value* mask = i.operands.back();
    i.operands.pop_back();
    if (mask->has_kind(Value::Kind::aggregate)) {
        for (const Value* lane : static_cast<const Constant*>(mask)->operands) {
            i64 number = 0;
            i.indices.push_back(is_number(lane, number) ? static_cast<u64>(number) : kAnyLane);
        }
    } else {
        i.indices.assign(mask->type->count, mask->has_kind(Value::Kind::zero) ? 0 : kAnyLane);
    }
}

/// Reads extractvalue { i32, i1 } %x, 0, or insertvalue { i32, i1 } %x, i32 %y, 0.
void InstructionReader::read_indexed(Instruction& i) {
    i.operands = {values_.read_typed()};
    if (i.op == Op::insertvalue) {
        lexer_.expect(',');
        i.operands.push_back(values_.read_typed());
    }
    while (!lexer_.is_followed_by('!') && lexer_.accept(',')) {
        i.indices.push_back(read_unsigned(lexer_));
    }
    const Type* at = i.operands[0]->type;
    i.type = at;
    if (i.op == Op::insertvalue) return;
    for (const u64 index : i.indices) {
        at = at->has_kind(Type::Kind::structure) ? at->elements.at(index) : at->element();
    }
    i.type = at;
}

/// Reads alloca [4 x i32], i32 2, align 4, addrspace(5).
void InstructionReader::read_alloca(Instruction& i) {
    lexer_.accept_word("inalloca");
    i.memory_type = read_type(lexer_, module_.types);
    i.type = module_.types.pointer();
    if (lexer_.is_at(',') && lexer_.is_followed_by('i')) {
        lexer_.take_token();
        i.operands = {values_.read_typed()};
    }
}

void InstructionReader::read_volatility(Instruction& i) {
    if (lexer_.accept_word("atomic")) i.flags |= flag::is_atomic;
    lexer_.accept_word("weak");
    if (lexer_.accept_word("volatile")) i.flags |= flag::is_volatile;
}

/// Reads load volatile float, ptr %p, align 4.
void InstructionReader::read_load(Instruction& i) {
    read_volatility(i);
    i.memory_type = i.type = read_type(lexer_, module_.types);
    lexer_.expect(',');
    i.operands = {values_.read_typed()};
    if (i.has_flag(flag::is_atomic)) {
        read_scope(i);
        i.ordering = read_ordering();
    }
}

/// Reads store float %x, ptr %p, align 4. The value comes first.
void InstructionReader::read_store(Instruction& i) {
    read_volatility(i);
    i.operands = {values_.read_typed()};
    i.memory_type = i.operands[0]->type;
    lexer_.expect(',');
    i.operands.push_back(values_.read_typed());
    if (i.has_flag(flag::is_atomic)) {
        read_scope(i);
        i.ordering = read_ordering();
    }
}

/// Reads getelementptr inbounds float, ptr %p, i64 %i.
void InstructionReader::read_getelementptr(Instruction& i) {
    read_flags(i);
    i.memory_type = read_type(lexer_, module_.types);
    while (lexer_.is_at(',') && !lexer_.is_followed_by('!')) {
        lexer_.take_token();
        i.operands.push_back(values_.read_typed());
    }
    if (i.operands.empty()) lexer_.fail("expected a pointer");
    i.type = i.operands[0]->type;
    // One pointer with a vector of indices yields a vector of pointers.
    for (const Value* operand : i.operands) {
        if (operand->type->has_kind(Type::Kind::vector) && !i.type->has_kind(Type::Kind::vector))
            i.type = module_.types.vector(i.type, operand->type->count);
    }
}

void InstructionReader::read_scope(Instruction& i) {
    if (!lexer_.accept_word("syncscope")) return;
    lexer_.expect('(');
    i.scope = lexer_.expect(TokenKind::string, "a scope");
    lexer_.expect(')');
}

Ordering InstructionReader::read_ordering() {
    for (const OrderingName& ordering_name : kOrderings) {
        if (lexer_.accept_word(ordering_name.name)) return ordering_name.ordering;
    }
    lexer_.fail("expected an ordering");
}

/// Reads atomicrmw add ptr %p, i32 %x syncscope("block") monotonic.
void InstructionReader::read_atomicrmw(Instruction& i) {
    read_volatility(i);
    i.predicate = lexer_.expect(TokenKind::word, "an atomic operation");
    i.operands = {values_.read_typed()};
    lexer_.expect(',');
    i.operands.push_back(values_.read_typed());
    i.type = i.operands[1]->type;
    read_scope(i);
    i.ordering = read_ordering();
}

/// Reads cmpxchg weak ptr %p, i32 %expected, i32 %wanted acq_rel monotonic.
void InstructionReader::read_cmpxchg(Instruction& i) {
    read_volatility(i);
    for (int k = 0; k < 3; ++k) {
        if (k > 0) lexer_.expect(',');
        i.operands.push_back(values_.read_typed());
    }
    i.type = module_.types.structure({i.operands[1]->type, module_.types.integer(1)}, false);
    read_scope(i);
    i.ordering = read_ordering();
    i.failure_ordering = read_ordering();
}

/// Reads fence syncscope("block") acquire.
void InstructionReader::read_fence(Instruction& i) {
    read_scope(i);
    i.ordering = read_ordering();
}

/// Reads phi i32 [ 0, %entry ], [ %next, %loop ].
void InstructionReader::read_phi(Instruction& i) {
    read_flags(i);
    i.type = read_type(lexer_, module_.types);
    do {
        lexer_.expect('[');
        i.operands.push_back(values_.read(i.type));
        lexer_.expect(',');
        i.blocks.push_back(values_.block(lexer_.expect(TokenKind::local, "a block")));
        lexer_.expect(']');
    } while (!lexer_.is_followed_by('!') && lexer_.accept(','));
}

Block* InstructionReader::read_label() {
    lexer_.expect_word("label");
    return values_.block(lexer_.expect(TokenKind::local, "a block"));
}

/// Reads br label %next, or br i1 %c, label %yes, label %no.
void InstructionReader::branch(Instruction& i) {
    if (!lexer_.is_at_word("label")) {
        i.operands = {values_.read_typed()};
        lexer_.expect(',');
        i.blocks = {read_label()};
        lexer_.expect(',');
    }
    i.blocks.push_back(read_label());
}

/// Reads switch i32 %x, label %otherwise [ i32 0, label %zero ... ].
void InstructionReader::read_switch(Instruction& i) {
    i.operands = {values_.read_typed()};
    lexer_.expect(',');
    i.blocks = {read_label()};
    lexer_.expect('[');
    while (!lexer_.is_at(']')) {
        i.operands.push_back(values_.read_typed());
        lexer_.expect(',');
        i.blocks.push_back(read_label());
    }
    lexer_.expect(']');
}

/// Reads ret void, or ret i32 %x.
void InstructionReader::read_return(Instruction& i) {
    const Type* type = read_type(lexer_, module_.types);
    if (!type->has_kind(Type::Kind::nothing)) i.operands = {values_.read(type)};
}

void InstructionReader::read_no_operands(Instruction&) {}

InstructionReader::ParameterFacts InstructionReader::read_parameter_attributes() {
    ParameterFacts facts;
    while (is_at_attribute(lexer_) || lexer_.is_at(TokenKind::string)) {
        if (lexer_.is_at(TokenKind::string)) {
            lexer_.take_token();
            if (lexer_.accept('=')) lexer_.take_token();
            continue;
        }
        const std::string attribute = lexer_.take_token().text;
        facts.is_read_only |= attribute == "readonly" || attribute == "readnone";
        facts.is_no_alias |= attribute == "noalias";
        if (attribute == "align") {
            facts.align = static_cast<u32>(read_unsigned(lexer_));
        } else if (attribute == "byval") {
            lexer_.expect('(');
            facts.by_value = read_type(lexer_, module_.types);
            lexer_.expect(')');
        } else if (lexer_.is_at('(')) {
            lexer_.skip_brackets();
        }
    }
    return facts;
}

/// Reads call noundef i32 @f(i32 noundef %x) #3. The callee may also be a pointer or inline
/// assembly.
void InstructionReader::read_call(Instruction& i) {
    read_flags(i);
    while (lexer_.is_at(TokenKind::word) && is_calling_convention(lexer_.current().text))
        lexer_.take_token();
    read_parameter_attributes();
    read_space(lexer_);
    const Type* type = read_type(lexer_, module_.types);
    const bool is_whole = type->has_kind(Type::Kind::function);
    i.type = is_whole ? type->element() : type;
    i.callee = values_.read(module_.types.pointer());
    read_arguments(i);
    if (is_whole) {
        i.function_type = type;
    } else {
        std::vector<const Type*> parameters;
        for (const Value* argument : i.operands) parameters.push_back(argument->type);
        i.function_type = module_.types.function(type, std::move(parameters), false);
    }
    while (lexer_.is_at(TokenKind::attributes)) lexer_.take_token();
    if (lexer_.is_at('[')) lexer_.skip_brackets();
}

void InstructionReader::read_arguments(Instruction& i) {
    lexer_.expect('(');
    while (!lexer_.is_at(')')) {
        if (lexer_.is_at_word("metadata")) {
            i.operands.push_back(values_.read_typed());
        } else {
            const Type* type = read_type(lexer_, module_.types);
            const ParameterFacts facts = read_parameter_attributes();
            i.operands.push_back(values_.read(type));
            i.by_value.resize(i.operands.size());
            i.by_value.back() = facts.by_value;
            i.by_value_align.resize(i.operands.size(), 1);
            i.by_value_align.back() = facts.align;
        }
        if (!lexer_.accept(',')) break;
    }
    lexer_.expect(')');
    i.by_value.resize(i.operands.size());
    i.by_value_align.resize(i.operands.size(), 1);
}

}  // namespace coalesce::translator
