#include "grader/judge/ptx_rules.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "examiner/compile.h"
#include "examiner/wrapper.h"
#include "simulator/code/opcodes.h"
#include "simulator/ptx/ast.h"
#include "simulator/ptx/lexer.h"
#include "simulator/ptx/parser.h"

namespace coalesce::grader {
namespace {

namespace ptx = simulator::ptx;
using ptx::Function, ptx::Instruction, ptx::Module, ptx::Operand, ptx::StateSpace, ptx::Variable;

/// Reports whether an instruction computes, moves data or synchronizes. All others are rejected:
/// timers, cache policies, traps, textures, clusters, and any that are still unknown.
bool is_allowed(std::string_view opcode) {
    const simulator::OpcodeEntry* entry = simulator::find_opcode(opcode);
    return entry && entry->group != simulator::OpcodeGroup::machine;
}

/// Special registers that reveal more than a thread's position, each with the feature that allows
/// it.
const std::map<std::string_view, std::string_view> kSpecialRegisters = {
    {"%clock", "clock"},       {"%clock64", "clock"},        {"%clock_hi", "clock"},
    {"%globaltimer", "clock"}, {"%globaltimer_lo", "clock"}, {"%globaltimer_hi", "clock"},
    {"%smid", "smid"},         {"%nsmid", "smid"},           {"%warpid", "smid"},
    {"%nwarpid", "smid"},      {"%gridid", "smid"}};

/// External functions, each with the feature that allows it.
const std::map<std::string_view, std::string_view> kKnownExterns = {
    {"vprintf", "printf"}, {"__assertfail", "printf"}, {"malloc", "malloc"}, {"free", "malloc"}};

/// The maximum number of functions with a body in a module. Kernels count too.
constexpr std::size_t kMaxFunctions = 256;

/// Reports whether the function makes calls through a pointer.
bool is_called_through_pointers(const Function& function) {
    // A call through a pointer needs a prototype, which is stored as an empty list. Lists of branch
    // targets are never empty.
    return std::any_of(function.target_lists.begin(), function.target_lists.end(),
                       [](const auto& list) { return list.second.empty(); });
}

Failure ptx_failure(FailureKind kind, const std::string& headline, const std::string& next,
                    int line = 0) {
    return {.kind = kind, .headline = headline, .place = {"", line, 0}, .next = next};
}

/// Inspects a module, its variables and its functions. The same rules apply to the compiler's code
/// and to inline assembly. The simulator's parser reads the text, so the rules see exactly what the
/// simulator will run.
class PtxInspector {
public:
    PtxInspector(const Module& module, const std::string& entry, const Assigned& exercise,
                 const Signature& signature)
        : module_(module), entry_(entry), exercise_(exercise), signature_(signature) {}

    Failure inspect() {
        for (const auto& [name, one] : module_.variables) variable(one);
        for (const auto& [name, function] : module_.functions) {
            line_ = 0;
            addresses_.clear();
            if (function->is_entry) entry(*function);
            if (function->has_body)
                body(*function);
            else if (!function->is_entry)
                external(*function);
        }
        line_ = 0;
        inspect_totals();
        return problem_;
    }

private:
    bool allows(std::string_view what) const {
        return std::ranges::count(exercise_.allow, what) > 0;
    }
    bool is_good() const { return problem_.kind == FailureKind::none; }

    void refuse(const std::string& what, const std::string& next = "") {
        if (!is_good()) return;
        problem_ =
            ptx_failure(FailureKind::ptx_refused, what,
                        next.empty() ? "Remove it: the assignment does not need it." : next, line_);
    }

    void report_forgery(const std::string& what) {
        if (problem_.kind == FailureKind::ptx_forged) return;
        problem_ =
            ptx_failure(FailureKind::ptx_forged, what, "Write the kernel in CUDA C++.", line_);
    }

    void too_large(const std::string& what, std::size_t has, std::size_t most) {
        if (!is_good() || has <= most) return;
        problem_ = ptx_failure(FailureKind::ptx_too_large,
                               what + " take " + std::to_string(has) +
                                   " bytes; the assignment allows " + std::to_string(most) + ".",
                               "Make it smaller: a tile of 32 x 33 floats has 4224 bytes.");
    }

    void variable(const Variable& variable) {
        if (variable.space == StateSpace::shared) {
            shared_ += variable.size;
        } else if (variable.space == StateSpace::local) {
            local_ += variable.size;
        } else if (variable.space == StateSpace::global) {
            global_ += variable.size;
            if (variable.is_extern)
                return refuse(
                    "the kernel uses a function or variable that the file does not define.");
            if (allows("global")) return;
            if (variable.is_managed) {
                return refuse("the file has a variable that is shared with the host (__managed__).",
                              "Let the kernel use only its arguments.");
            }
            tables_.insert(variable.name);
        }
    }

    void external(const Function& function) {
        const auto known = kKnownExterns.find(function.name);
        if (known == kKnownExterns.end())
            return refuse("the kernel uses a function or variable that the file does not define.");
        if (allows(known->second)) return;
        refuse(known->first == "vprintf"        ? "the kernel prints."
               : known->first == "__assertfail" ? "the kernel has an assert."
                                                : "the kernel calls malloc or free.",
               "Remove it before you hand in the file.");
    }

    /// Returns the sizes of the kernel's parameters, in bytes.
    std::string kernel_sizes() const {
        if (signature_.parameters.empty()) return "8 8 4 4 ";
        std::string sizes;
        for (const Parameter& one : signature_.parameters) {
            sizes += std::to_string(one.is_array ? 8 : one.type.bytes()) + " ";
        }
        return sizes;
    }
    std::string configure_sizes() const {
        std::string sizes = "8 ";
        for (std::size_t i = 0; i < signature_.sizes.size(); ++i) sizes += "4 ";
        return sizes;
    }

    void entry(const Function& function) {
        std::string sizes;
        for (const Variable& parameter : function.parameters)
            sizes += std::to_string(parameter.size) + " ";
        if (!function.has_body) refuse("a kernel of the compiled file has no body.");
        if (function.name == entry_ && sizes != kernel_sizes())
            report_forgery("the kernel's parameters are not those of the task.");
        if (function.name == kConfigureEntry && sizes != configure_sizes())
            report_forgery("another configure is hidden in the file.");
        if (function.cluster[0] != 0) refuse("the kernel asks for clusters of blocks.");
    }

    void body(const Function& function) {
        for (const auto& [name, one] : function.variables) variable(one);
        for (const Instruction& one : function.body) {
            update_line(one.where);
            if (!one.opcode.empty()) instruction(one);
        }
        if (is_called_through_pointers(function))
            refuse("the kernel calls a function by its address.");
    }

    void update_line(ptx::SourceLine where) {
        const auto file = module_.files.find(where.file);
        if (where.line > 0 && file != module_.files.end() && file->second == kLearnerFile)
            line_ = static_cast<int>(where.line);
    }

    void instruction(const Instruction& instruction) {
        const auto& modifiers = instruction.modifiers;
        const bool is_policy =
            instruction.opcode == "createpolicy" ||
            std::any_of(modifiers.begin(), modifiers.end(), [](const auto& word) {
                return word.find("cache_hint") != word.npos || word.find("evict_last") != word.npos;
            });
        if (is_policy ? !allows("createpolicy") : !is_allowed(instruction.opcode)) {
            std::string word = instruction.opcode;
            for (const std::string& modifier : modifiers) word += "." + modifier;
            return refuse(is_policy ? "the kernel sets a cache policy ('" + word + "')."
                                    : "the kernel uses '" + instruction.opcode + "'.");
        }
        // This pragma declares some loaded bytes unused, and the simulator would not check whether
        // those were written.
        if (instruction.used_bytes != ~0u) refuse("the compiled kernel has a pragma.");
        for (const Operand& operand : instruction.operands) check_registers(operand);
        track_addresses(instruction);
    }

    void check_registers(const Operand& operand) {
        for (const Operand& element : operand.elements) check_registers(element);
        if (operand.kind != Operand::Kind::special) return;
        const std::string name = operand.name.substr(0, operand.name.find('.'));
        const auto found = kSpecialRegisters.find(name);
        const bool is_refused = found != kSpecialRegisters.end()
                                    ? !allows(found->second)
                                    : name.starts_with("%pm") || name.starts_with("%envreg");
        if (is_refused)
            refuse("the kernel reads " + name + ".",
                   "Remove the code that reads a clock, or that finds out where the kernel runs.");
    }

    bool is_address(const Operand& operand) const {
        const bool in_register = operand.kind == Operand::Kind::reg || operand.has_base_register;
        return in_register
                   ? addresses_.contains(operand.reg)
                   : tables_.contains(operand.name) ||
                         std::any_of(operand.elements.begin(), operand.elements.end(),
                                     [this](const Operand& one) { return is_address(one); });
    }

    /// Rejects stores to tables in global memory. Loads are allowed. Tracks the registers that
    /// contain addresses of tables through straight-line code. A store that is missed has no effect
    /// on other launches, because each launch runs in its own process.
    void track_addresses(const Instruction& instruction) {
        const std::string& name = instruction.opcode;
        const auto& operands = instruction.operands;
        if (name == "st" || name == "atom" || name == "red") {
            const bool changes =
                std::any_of(operands.begin(), operands.end(), [this](const auto& one) {
                    return one.kind == Operand::Kind::address && is_address(one);
                });
            if (changes)
                refuse(
                    "the file has a variable in global memory (__device__) that the kernel "
                    "changes.",
                    "Let the kernel use only its arguments.");
        } else if (name != "ld" && name != "setp" && operands.size() > 1 &&
                   operands[0].kind == Operand::Kind::reg) {
            if (std::any_of(operands.begin() + 1, operands.end(),
                            [this](const Operand& one) { return is_address(one); }))
                addresses_.insert(operands[0].reg);
        }
    }

    /// Limits the number of functions. Each is parsed, checked and translated at every launch, so a
    /// large number of them would only waste time.
    void count_functions() {
        const auto has = static_cast<std::size_t>(std::ranges::count_if(
            module_.functions, [](const auto& one) { return one.second->has_body; }));
        if (!is_good() || has <= kMaxFunctions) return;
        problem_ = ptx_failure(
            FailureKind::ptx_too_large,
            "the compiled kernel has " + std::to_string(has) +
                " functions; the assignment allows " + std::to_string(kMaxFunctions) + ".",
            "Write fewer functions, or remove __noinline__ so that the compiler inlines them.");
    }

    void inspect_totals() {
        count_functions();
        for (const std::string& name : {entry_, std::string(kConfigureEntry)}) {
            const auto found = module_.functions.find(name);
            if (found == module_.functions.end() || !found->second->is_entry)
                report_forgery(
                    "the compiled file does not have exactly one kernel and one configure.");
        }
        too_large("its __shared__ arrays", shared_, exercise_.resources.shared_bytes);
        too_large("arrays of each thread", local_, exercise_.resources.local_bytes);
        too_large("tables in global memory", global_, std::size_t{1} << 20);
    }

    const Module& module_;
    const std::string& entry_;
    const Assigned& exercise_;
    const Signature& signature_;
    int line_ = 0;
    std::set<std::string_view> tables_;  ///< variables in global memory that are only read
    std::set<std::uint32_t> addresses_;  ///< registers that contain their addresses
    std::size_t shared_ = 0, local_ = 0, global_ = 0;
    Failure problem_;
};

// ---- attempts to deceive ----

/// Describes the deceit in an asm statement, or returns "". The rules above already reject
/// everything dangerous. This check only distinguishes deceit from mistakes. Code that also forges
/// the compiler's marks counts as compiled code, and gains nothing by it.
std::string find_deceit_in_statement(std::string_view text) {
    try {
        int depth = 0;
        bool begins = true;  // whether the next token starts a statement
        for (ptx::Lexer lexer(text); !lexer.at_end(); lexer.take()) {
            const std::string word(lexer.current().text);
            if (begins && lexer.at(ptx::TokenKind::dotted) && word != ".reg")
                return "inline assembly has the directive '" + word +
                       "', but only the compiler may write directives.";
            depth += lexer.at('{') - lexer.at('}');
            if (depth < 0) return "inline assembly closes a brace that it did not open.";
            begins = lexer.at('{') || lexer.at('}') || lexer.at(';') || lexer.at(':');
        }
        return depth == 0 ? "" : "inline assembly leaves a brace open.";
    } catch (const ptx::ParseError&) {
        return "";  // the parser reports it too
    }
}

std::string find_deceit(const std::string& text) {
    constexpr std::string_view begin = "// begin inline asm", end = "// end inline asm";
    constexpr const char* pretends = "inline assembly contains a comment that imitates its end.";
    std::optional<std::string> statement;
    for (const std::string& line : lines_of(text)) {
        const std::string word = line.substr(std::min(line.find_first_not_of("\t "), line.size()));
        if (word == (statement ? begin : end)) return pretends;
        if (word == begin) {
            statement.emplace();
        } else if (statement && word == end) {
            const std::string deceit = find_deceit_in_statement(*statement);
            if (!deceit.empty()) return deceit;
            statement.reset();
        } else if (statement) {
            *statement += line + "\n";
        }
    }
    return statement ? pretends : "";
}

}  // namespace

Failure inspect_ptx(std::string_view text, const std::string& entry, const Assigned& exercise,
                    const Signature& signature) {
    const std::size_t most_kb = exercise.resources.ptx_kb;
    if (text.size() > most_kb << 10) {
        return ptx_failure(FailureKind::ptx_too_large,
                           "the compiled kernel has more than " + std::to_string(most_kb) + " KB.",
                           "Unroll less: a kernel of this course has about 10 KB.");
    }
    if (const std::string deceit = find_deceit(std::string(text)); !deceit.empty())
        return ptx_failure(FailureKind::ptx_forged, deceit, "Write the kernel in CUDA C++.");
    try {
        return PtxInspector(*ptx::parse(text), entry, exercise, signature).inspect();
    } catch (const ptx::ParseError&) {
        return ptx_failure(FailureKind::ptx_refused, "the compiler's output is not PTX.",
                           "Is there inline assembly in the file?");
    }
}

}  // namespace coalesce::grader
