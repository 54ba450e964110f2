// Emits inline assembly: its text with the registers of its operands.
//
// The constraints "=r,=r,r,1,~{memory}" list the outputs (=), the inputs and the clobbers (~), in
// this order. $0 in the text is the first output. The inputs are numbered after the outputs. An
// input whose constraint is a digit instead of a letter shares the register of the output with that
// number. If there are several outputs, they are the members of one structure. The letters are b
// for a predicate, h for 16 bits, r and f for 32 bits, l and d for 64 bits, and n and i for a
// constant.
#include <cctype>

#include "page/ir_to_ptx/emit_call.h"
#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

namespace {

struct Constraint {
    char letter = 0;
    bool is_output = false;
    int tied_output = -1;  ///< index of the output whose register this input shares; -1 if none
};

std::vector<Constraint> parse_constraints(const Instruction& call, const std::string& text) {
    std::vector<Constraint> constraint_list;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find(',', begin);
        if (end == text.npos) end = text.size();
        const std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        if (word.starts_with("~")) continue;
        Constraint constraint;
        for (const char c : word) {
            if (c == '=')
                constraint.is_output = true;
            else if (c == '*')
                fail(call,
                     "inline assembly cannot have an operand in memory: pass its address with "
                     "\"l\"");
            else if (std::isdigit(static_cast<unsigned char>(c)))
                constraint.tied_output = std::max(constraint.tied_output, 0) * 10 + (c - '0');
            else if (std::isalpha(static_cast<unsigned char>(c)))
                constraint.letter = c;
        }
        constraint_list.push_back(constraint);
    }
    return constraint_list;
}

bool is_immediate(char letter) {
    return letter == 'n' || letter == 'i';
}

Register constraint_register(const Instruction& call, char letter) {
    switch (letter) {
        case 'b': return Register::predicate;
        case 'c':
        case 'h': return Register::b16;
        case 'r':
        case 'f': return Register::b32;
        case 'l':
        case 'd': return Register::b64;
        default:
            fail(call, std::string("inline assembly does not support the constraint \"") + letter +
                           "\" here");
    }
}

/// Returns the value of `from` in a register of the family `result_family`. Upper bits are zero.
std::string convert_register(Emitter& e, const std::string& from, Register result_family,
                             Register wanted_family) {
    if (result_family == wanted_family) return from;
    const std::string to = e.make_register(wanted_family);
    if (result_family == Register::predicate)
        e.emit_ptx("selp.b" + std::to_string(bits_of(wanted_family)) + " " + to + ", 1, 0, " +
                   from);
    else if (wanted_family == Register::predicate)
        e.emit_ptx("setp.ne.u" + std::to_string(bits_of(result_family)) + " " + to + ", " + from +
                   ", 0");
    else
        e.emit_ptx("cvt.u" + std::to_string(bits_of(wanted_family)) + ".u" +
                   std::to_string(bits_of(result_family)) + " " + to + ", " + from);
    return to;
}

/// Returns `text` with $0, ${0}, ${0:x} and ${:uid} replaced, and with $$ replaced with $.
std::string substitute_operands(Emitter& e, const Instruction& call, std::string text,
                                const std::vector<std::string>& operands) {
    // In the source, "%=" stands for a number that is different for each use of the text.
    std::string unique_suffix;
    for (std::size_t at; (at = text.find("${:uid}")) != text.npos;) {
        if (unique_suffix.empty()) {
            for (const char c : e.make_label())
                if (std::isalnum(static_cast<unsigned char>(c))) unique_suffix += c;
        }
        text.replace(at, 7, unique_suffix);
    }
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '$') {
            result += text[at];
            continue;
        }
        if (at + 1 < text.size() && text[at + 1] == '$') {
            result += text[++at];
            continue;
        }
        const bool has_brace = at + 1 < text.size() && text[at + 1] == '{';
        std::size_t digit = at + 1 + has_brace, number = 0;
        const std::size_t first = digit;
        while (digit < text.size() && std::isdigit(static_cast<unsigned char>(text[digit])))
            number = number * 10 + static_cast<std::size_t>(text[digit++] - '0');
        if (digit == first || number >= operands.size())
            fail(call, "inline assembly has no operand " + text.substr(at, 3));
        result += operands[number];
        at = has_brace ? text.find('}', digit) : digit - 1;
    }
    return result;
}

/// Returns the type of a mov between registers of a family, such as "pred" or "b32".
std::string asm_move_type(Register family) {
    return family == Register::predicate ? "pred" : "b" + std::to_string(bits_of(family));
}

/// The register to which an output is written: the register of the call's result, or a temporary
/// register if their sizes differ.
struct AsmOutput {
    std::string written_register, result_register;
    Register family, result_family;
};

}  // namespace

void emit_inline_asm(Emitter& e, const Instruction& call) {
    const auto& assembly = static_cast<const InlineAsm&>(*call.callee);
    const std::vector<Constraint> constraints = parse_constraints(call, assembly.constraints);
    const std::vector<ScalarPart> parts = list_scalar_parts(*call.type);
    std::vector<std::string> operands;
    std::vector<AsmOutput> outputs;
    std::size_t argument = 0;
    for (const Constraint& c : constraints) {
        if (c.is_output) {
            const std::size_t part = outputs.size();
            if (part >= parts.size())
                fail(call, "inline assembly has more output constraints than results");
            AsmOutput output{"", e.result_register(call, part), constraint_register(call, c.letter),
                             register_family(*parts[part].type)};
            // If the sizes differ, the text writes to a temporary register.
            output.written_register = output.family == output.result_family
                                          ? output.result_register
                                          : e.make_register(output.family);
            operands.push_back(output.written_register);
            outputs.push_back(output);
            continue;
        }
        if (argument >= call.operands.size())
            fail(call, "inline assembly has more input constraints than operands");
        const Value* value = call.operands[argument++];
        if (is_immediate(c.letter)) {
            operands.push_back(e.format_operand(value));
            continue;
        }
        const bool is_tied = c.tied_output >= 0;
        if (is_tied && static_cast<std::size_t>(c.tied_output) >= outputs.size())
            fail(call, "an input of inline assembly is tied to an output that does not exist");
        const Register family = is_tied ? outputs[static_cast<std::size_t>(c.tied_output)].family
                                        : constraint_register(call, c.letter);
        const std::string in = convert_register(e, e.format_register_operand(value),
                                                register_family(*value->type), family);
        if (!is_tied) {
            operands.push_back(in);
            continue;
        }
        const std::string& tied_register =
            outputs[static_cast<std::size_t>(c.tied_output)].written_register;
        e.emit_ptx("mov." + asm_move_type(family) + " " + tied_register + ", " + in);
        operands.push_back(tied_register);
    }
    const std::string text = substitute_operands(e, call, assembly.text, operands);
    // Ignore a text without instructions.
    const std::size_t begin = text.find_first_not_of(" \t\n;");
    if (begin != text.npos)
        e.emit_ptx(text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin));
    for (const AsmOutput& output : outputs) {
        if (output.family == output.result_family) continue;
        const std::string converted =
            convert_register(e, output.written_register, output.family, output.result_family);
        e.emit_ptx("mov." + asm_move_type(output.result_family) + " " + output.result_register +
                   ", " + converted);
    }
}

}  // namespace coalesce::translator
