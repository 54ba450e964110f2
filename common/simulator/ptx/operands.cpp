// Reads operands, with one function for each form of operand. Scopes resolve the names in operands.
#include "simulator/ptx/operands.h"

#include "simulator/ptx/special_registers.h"

namespace coalesce::simulator::ptx {

namespace {

constexpr int kMaxOperandDepth = 16;

/// Returns the index of the element .x .y .z .w or .r .g .b .a, or -1 for another name.
int parse_element(std::string_view dotted) {
    if (dotted.size() != 2) return -1;
    const std::size_t position = std::string_view("xyzwrgba").find(dotted[1]);
    return position == std::string_view::npos ? -1 : static_cast<int>(position % 4);
}

/// Reports whether the name after a dot selects part of a register, as in %r1.b0 and %r1.h1 in
/// video instructions.
bool is_register_part(std::string_view dotted) {
    return dotted.size() == 3 && (dotted[1] == 'b' || dotted[1] == 'h') && dotted[2] >= '0' &&
           dotted[2] <= (dotted[1] == 'b' ? '3' : '1');
}

Operand register_operand(u32 reg) {
    Operand operand;
    operand.kind = Operand::Kind::reg;
    operand.reg = reg;
    return operand;
}

/// Reads the operands of one instruction.
class OperandReader {
public:
    OperandReader(Lexer& lexer, Scopes& scopes, bool is_in_call)
        : lexer_(lexer), scopes_(scopes), is_in_call_(is_in_call) {}

    void read_all(Instruction& instruction) {
        if (!lexer_.is_at(';')) {
            instruction.operands.reserve(4);
            do {
                instruction.operands.push_back(read_operand());
            } while (lexer_.accept(','));
        }
        if (has_unbound_symbol_) note_label_uses(instruction.operands);
    }

private:
    Operand read_operand() {
        if (++depth_ > kMaxOperandDepth) lexer_.fail("this operand is nested too deeply");
        Operand operand;
        if (lexer_.is_at(TokenKind::identifier)) {
            operand = read_named();
            const bool can_pair = operand.is_register() || operand.is_sink();
            if (can_pair && lexer_.accept('|')) operand.elements.push_back(read_named());
        } else if (lexer_.accept('[')) {
            operand = read_address();
        } else if (lexer_.accept('{')) {
            operand = read_operand_list('}');
            // The p in {a, b, c, d}|p of a texture fetch is stored as an additional element.
            if (lexer_.accept('|')) operand.elements.push_back(read_named());
        } else if (is_in_call_ && lexer_.accept('(')) {
            operand = read_operand_list(')');
        } else if (lexer_.is_at('!') || at_negated_register()) {
            lexer_.take_token();
            operand = read_named();
            if (!operand.is_register()) lexer_.fail_expected("a register");
            operand.is_negated = true;
        } else if (lexer_.is_at(TokenKind::number) || lexer_.is_at('-') || lexer_.is_at('+') ||
                   lexer_.is_at('~') || lexer_.is_at('(')) {
            operand = constant_operand();
        } else {
            lexer_.fail_expected("an operand");
        }
        --depth_;
        return operand;
    }

    Operand read_operand_list(char closing_character) {
        Operand list;
        list.kind = Operand::Kind::vector;
        while (!lexer_.is_at(closing_character)) {
            list.elements.push_back(read_operand());
            if (!lexer_.accept(',') && !lexer_.is_at(closing_character)) {
                lexer_.fail_expected(std::string("',' or '") + closing_character + "'");
            }
        }
        lexer_.expect(closing_character);
        return list;
    }

    Operand read_address() {
        Operand address;
        address.kind = Operand::Kind::address;
        if (lexer_.is_at(TokenKind::identifier) && !lexer_.is_at_identifier("WARP_SZ")) {
            Operand base = read_named();
            const bool is_register = base.is_register();
            if (!is_register && !base.is_symbol()) {
                lexer_.fail_expected("a register or a variable as the base of this address");
            }
            address.has_base_register = is_register;
            address.reg = base.reg;
            address.name = std::move(base.name);
            address.offset = base.offset;
            if (lexer_.is_at('+') || lexer_.is_at('-')) address.offset = read_integer(lexer_);
        } else {
            address.offset = read_integer(lexer_);
        }
        while (lexer_.accept(',')) address.elements.push_back(read_operand());
        lexer_.expect(']');
        return address;
    }

    Operand read_named() {
        const std::string_view name = lexer_.expect_identifier("a name");
        Operand operand;
        if (const Binding* binding = scopes_.find_binding(name)) {
            if (!binding->is_variable()) return read_register(*binding);
            operand.name = binding->name;
        } else if (name == "_") {
            operand.kind = Operand::Kind::sink;
            return operand;
        } else if (name == "WARP_SZ") {
            operand.bits = kLanes;
            return operand;
        } else if (name[0] == '%') {
            return read_special(name);
        } else {
            operand.name = name;
            has_unbound_symbol_ = true;
        }
        operand.kind = Operand::Kind::symbol;
        if (lexer_.is_at('+') || lexer_.is_at('-')) operand.offset = read_integer(lexer_);
        return operand;
    }

    Operand read_register(const Binding& binding) {
        Operand operand = register_operand(binding.reg);
        const std::string_view dotted =
            lexer_.is_at(TokenKind::dotted) ? lexer_.current().text : std::string_view();
        if (binding.elements > 1) {
            if (dotted.empty()) {  // a whole vector: v stands for {v.x, v.y}
                operand.kind = Operand::Kind::vector;
                for (u32 i = 0; i < binding.elements; ++i) {
                    operand.elements.push_back(register_operand(binding.reg + i));
                }
                return operand;
            }
            const int element = parse_element(dotted);
            if (element < 0 || element >= static_cast<int>(binding.elements)) {
                lexer_.fail_expected("an element of this vector register");
            }
            operand.reg += static_cast<u32>(element);
            lexer_.take_token();
        } else if (!dotted.empty()) {
            if (!is_register_part(dotted)) lexer_.fail_expected("',' or ';'");
            operand.name = dotted;
            lexer_.take_token();
        }
        return operand;
    }

    Operand read_special(std::string_view name) {
        if (!is_special_register(name)) {
            lexer_.fail("the register " + std::string(name) + " is not declared");
        }
        Operand operand;
        operand.kind = Operand::Kind::special;
        operand.name = name;
        if (lexer_.is_at(TokenKind::dotted)) {
            if (parse_element(lexer_.current().text) < 0)
                lexer_.fail_expected("'.x', '.y' or '.z'");
            operand.name += lexer_.take_token().text;
        }
        return operand;
    }

    Operand constant_operand() {
        const Constant constant = read_constant(lexer_);
        Operand operand;
        operand.kind = constant.kind;
        operand.bits = constant.bits;
        return operand;
    }

    bool at_negated_register() const {
        if (!lexer_.is_at('-')) return false;
        Lexer lookahead = lexer_;
        lookahead.take_token();
        return lookahead.is_at(TokenKind::identifier) && !lookahead.is_at_identifier("WARP_SZ");
    }

    void note_label_uses(std::vector<Operand>& operands) {
        for (Operand& operand : operands) {
            if (operand.is_symbol() && !scopes_.find_binding(operand.name))
                scopes_.note_label_use(operand.name);
            note_label_uses(operand.elements);
        }
    }

    Lexer& lexer_;
    Scopes& scopes_;
    const bool is_in_call_;
    int depth_ = 0;
    bool has_unbound_symbol_ = false;
};

}  // namespace

void read_operands(Lexer& lexer, Scopes& scopes, Instruction& instruction) {
    OperandReader(lexer, scopes, instruction.opcode == "call").read_all(instruction);
}

u32 read_guard(Lexer& lexer, Scopes& scopes) {
    const std::string_view name = lexer.expect_identifier("a predicate after '@'");
    const Binding* binding = scopes.find_binding(name);
    if (!binding || binding->is_variable() || binding->elements > 1) {
        lexer.fail("the predicate " + std::string(name) + " is not declared");
    }
    return binding->reg;
}

}  // namespace coalesce::simulator::ptx
