// libFuzzer target: parses arbitrary bytes. The parser must either throw a ParseError or return a
// module in which all indices and ranges are valid.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "simulator/ptx/parser.h"

namespace {

using namespace coalesce::simulator;
using namespace coalesce::simulator::ptx;

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "the module is invalid: %s\n", what);
    std::abort();
}

void check_operand(const Function& function, const Operand& operand) {
    if (operand.kind == Operand::Kind::reg || operand.has_base_register) {
        require(operand.reg < function.registers.size(), "an operand names no register");
    }
    for (const Operand& element : operand.elements) check_operand(function, element);
}

void check_variable(const Variable& variable) {
    require(variable.initial_bytes.size() <= variable.size,
            "an initialiser larger than its variable");
    require(variable.align != 0 && (variable.align & (variable.align - 1)) == 0, "an alignment");
    for (const Relocation& relocation : variable.relocations) {
        require(relocation.offset + relocation.bytes <= variable.initial_bytes.size(),
                "an address outside its variable");
    }
}

void check_function(const Module& module, const Function& function) {
    for (const Instruction& instruction : function.body) {
        require(module.find_text(instruction).size() == instruction.text_length, "a range of text");
        require(instruction.opcode.empty() != instruction.label.empty(),
                "an instruction or a label");
        if (instruction.guard) {
            require(*instruction.guard < function.registers.size(), "a guard names no register");
        }
        for (const Operand& operand : instruction.operands) check_operand(function, operand);
    }
    for (const auto& [name, index] : function.labels) {
        require(index < function.body.size() && function.body[index].label == name,
                "a label has the wrong position");
    }
    for (const auto& [name, variable] : function.variables) {
        require(variable.name == name, "a variable's name");
        check_variable(variable);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto module = parse({reinterpret_cast<const char*>(data), size});
        for (const auto& [name, variable] : module->variables) check_variable(variable);
        for (const auto& [name, function] : module->functions) {
            require(function->name == name, "a function's name");
            check_function(*module, *function);
        }
    } catch (const ParseError&) {
    }
    return 0;
}
