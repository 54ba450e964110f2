#include "examiner/ptx_rules/ptx_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "examiner/compile.h"
#include "examiner/ptx_rules/inline_assembly.h"
#include "examiner/ptx_rules/table_addresses.h"
#include "examiner/wrapper.h"
#include "simulator/code/opcodes.h"
#include "simulator/ptx/ast.h"
#include "simulator/ptx/parser.h"

namespace coalesce {
namespace {

namespace ptx = simulator::ptx;
using ptx::Function, ptx::Instruction, ptx::Module, ptx::Operand, ptx::StateSpace, ptx::Variable;

/// Instructions that are harmless although they do not compute anything. A failed assert executes
/// `trap`, and the barriers of libcu++ execute `nanosleep` while they wait.
constexpr std::string_view kHarmlessInstructions[] = {"trap", "nanosleep"};

/// Reports whether an instruction computes, moves data or synchronizes. All other instructions are
/// rejected, such as cache policies, breakpoints, textures, clusters and unknown instructions.
bool is_allowed(std::string_view opcode) {
    const simulator::OpcodeEntry* entry = simulator::find_opcode(opcode);
    return entry && (entry->group != simulator::OpcodeGroup::machine ||
                     std::ranges::count(kHarmlessInstructions, opcode) > 0);
}

/// Special registers that reveal where a block runs, or which launch it belongs to. Clocks are
/// allowed, because the grader repeats each launch with different clock values and rejects a kernel
/// whose result changes.
constexpr std::string_view kPositionRegisters[] = {"%smid", "%nsmid", "%warpid", "%nwarpid",
                                                   "%gridid"};

/// The functions of CUDA's device library that a kernel may call.
constexpr std::string_view kKnownExterns[] = {"vprintf", "__assertfail", "malloc", "free"};

/// The maximum number of functions with a body in a module, including kernels.
constexpr std::size_t kMaxFunctions = 256;

Failure ptx_failure(FailureKind kind, const std::string& headline, const std::string& advice,
                    int line = 0) {
    return {.kind = kind, .headline = headline, .place = {"", line, 0}, .advice = advice};
}

/// Counts the operands in which a register occurs.
int count_occurrences(const Operand& operand, std::uint32_t reg) {
    const bool is_register = operand.is_register() || operand.has_base_register;
    int count = is_register && operand.reg == reg ? 1 : 0;
    for (const Operand& element : operand.elements) count += count_occurrences(element, reg);
    return count;
}

/// Reports whether no instruction but the load mentions the registers of the bytes that the load
/// declares as unused (.pragma "used_bytes_mask"). The compiler widens loads over gaps in this way.
/// The simulator does not check whether unused bytes were written, and inline assembly can imitate
/// the pragma, so the declaration itself proves nothing.
bool are_unused_bytes_unread(const Function& function, const Instruction& load) {
    std::uint32_t element_bytes = 0;
    for (const std::string& modifier : load.modifiers)
        element_bytes = std::max(element_bytes, ptx::size_of(ptx::parse_type(modifier)));
    if (load.opcode != "ld" || element_bytes == 0 || load.operands.empty()) return false;
    const std::vector<Operand>& elements = load.operands[0].elements;
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const std::uint64_t mask = ((std::uint64_t{1} << element_bytes) - 1) << k * element_bytes;
        if ((~std::uint64_t{load.used_bytes} & mask) == 0 || elements[k].is_sink()) continue;
        int occurrences = 0;
        for (const Instruction& instruction : function.body) {
            if (instruction.guard == elements[k].reg) return false;
            for (const Operand& operand : instruction.operands)
                occurrences += count_occurrences(operand, elements[k].reg);
        }
        if (occurrences != 1) return false;
    }
    return !elements.empty();
}

/// Inspects a module, its variables and its functions. The same rules apply to compiled code and to
/// inline assembly. The module was parsed by the simulator's parser, so the rules apply to exactly
/// the code that the simulator runs.
class PtxInspector {
public:
    PtxInspector(const Module& module, const std::string& entry, const PtxRules& rules,
                 const Signature& signature)
        : module_(module), entry_(entry), rules_(rules), signature_(signature) {}

    Failure inspect() {
        for (const auto& [name, ptx_variable] : module_.variables) inspect_variable(ptx_variable);
        for (const auto& [name, function] : module_.functions) {
            line_ = 0;
            addresses_.emplace(tables_);
            if (function->is_entry) inspect_entry(*function);
            if (function->has_body)
                inspect_body(*function);
            else if (!function->is_entry)
                inspect_external_function(*function);
        }
        line_ = 0;
        inspect_totals();
        return problem_;
    }

private:
    bool is_feature_allowed(std::string_view feature) const {
        return std::ranges::count(rules_.allow, feature) > 0;
    }
    bool is_good() const { return problem_.kind == FailureKind::none; }

    void refuse(const std::string& complaint, const std::string& advice = "") {
        if (!is_good()) return;
        problem_ = ptx_failure(
            FailureKind::ptx_refused, complaint,
            advice.empty() ? "Remove this code: the assignment does not need it." : advice, line_);
    }

    void report_forgery(const std::string& complaint) {
        if (problem_.kind == FailureKind::ptx_forged) return;
        problem_ =
            ptx_failure(FailureKind::ptx_forged, complaint, "Write the kernel in CUDA C++.", line_);
    }

    void refuse_too_large(const std::string& complaint, std::size_t actual_size,
                          std::size_t max_size) {
        if (!is_good() || actual_size <= max_size) return;
        problem_ =
            ptx_failure(FailureKind::ptx_too_large,
                        complaint + " take " + std::to_string(actual_size) +
                            " bytes; the assignment allows " + std::to_string(max_size) + ".",
                        "Use less memory: a tile of 32 x 33 floats takes 4224 bytes.");
    }

    void inspect_variable(const Variable& variable) {
        if (variable.space == StateSpace::shared) {
            shared_bytes_ += variable.size;
        } else if (variable.space == StateSpace::local) {
            local_bytes_ += variable.size;
        } else if (variable.space == StateSpace::global) {
            global_bytes_ += variable.size;
            if (variable.is_extern)
                return refuse(
                    "the kernel uses a function or variable that the file does not define.");
            if (is_feature_allowed("global")) return;
            if (variable.is_managed) {
                return refuse("the file has a variable that is shared with the host (__managed__).",
                              "Use only the kernel's arguments.");
            }
            tables_.insert(variable.name);
        }
    }

    void inspect_external_function(const Function& function) {
        if (std::ranges::count(kKnownExterns, function.name) == 0)
            refuse("the kernel uses a function or variable that the file does not define.");
    }

    /// Returns the sizes of the kernel's parameters, in bytes.
    std::string kernel_sizes() const {
        if (signature_.parameters.empty()) return "8 8 4 4 ";
        std::string sizes;
        for (const Parameter& kernel_parameter : signature_.parameters) {
            sizes +=
                std::to_string(kernel_parameter.is_array ? 8 : kernel_parameter.type.bytes()) + " ";
        }
        return sizes;
    }
    std::string configure_sizes() const {
        std::string sizes = "8 ";
        for (std::size_t i = 0; i < signature_.sizes.size(); ++i) sizes += "4 ";
        return sizes;
    }

    void inspect_entry(const Function& function) {
        std::string sizes;
        for (const Variable& parameter : function.parameters)
            sizes += std::to_string(parameter.size) + " ";
        if (!function.has_body) refuse("a kernel of the compiled file has no body.");
        if (function.name == entry_ && sizes != kernel_sizes())
            report_forgery("the kernel's parameters do not match those of the task.");
        if (function.name == kConfigureEntry && sizes != configure_sizes())
            report_forgery("another configure is hidden in the file.");
        if (function.cluster[0] != 0) refuse("the kernel requests clusters of blocks.");
    }

    void inspect_body(const Function& function) {
        for (const auto& [name, ptx_variable] : function.variables) inspect_variable(ptx_variable);
        for (const Instruction& ptx_instruction : function.body) {
            update_line(ptx_instruction.where);
            if (ptx_instruction.opcode.empty()) continue;
            inspect_instruction(ptx_instruction);
            if (ptx_instruction.used_bytes != ~0u &&
                !are_unused_bytes_unread(function, ptx_instruction))
                refuse("the compiled kernel contains a pragma.");
        }
    }

    void update_line(ptx::SourceLine source_line) {
        const auto file = module_.files.find(source_line.file);
        if (source_line.line > 0 && file != module_.files.end() && file->second == kLearnerFile)
            line_ = static_cast<int>(source_line.line);
    }

    void inspect_instruction(const Instruction& instruction) {
        const auto& modifiers = instruction.modifiers;
        const bool is_policy =
            instruction.opcode == "createpolicy" ||
            std::any_of(modifiers.begin(), modifiers.end(), [](const auto& word) {
                return word.find("cache_hint") != word.npos || word.find("evict_last") != word.npos;
            });
        if (is_policy ? !is_feature_allowed("createpolicy") : !is_allowed(instruction.opcode)) {
            std::string word = instruction.opcode;
            for (const std::string& modifier : modifiers) word += "." + modifier;
            return refuse(is_policy ? "the kernel sets a cache policy ('" + word + "')."
                                    : "the kernel uses '" + instruction.opcode + "'.");
        }
        for (const Operand& operand : instruction.operands) check_registers(operand);
        if (addresses_->is_changed_by(instruction))
            refuse("the file has a variable in global memory (__device__) that the kernel changes.",
                   "Use only the kernel's arguments.");
    }

    void check_registers(const Operand& operand) {
        for (const Operand& element : operand.elements) check_registers(element);
        if (operand.kind != Operand::Kind::special) return;
        const std::string name = operand.name.substr(0, operand.name.find('.'));
        const bool is_position_register = std::ranges::count(kPositionRegisters, name) > 0;
        if (is_position_register ? !is_feature_allowed("smid")
                                 : name.starts_with("%pm") || name.starts_with("%envreg"))
            refuse("the kernel reads " + name + ".",
                   "Remove the code that asks where the kernel runs.");
    }

    /// Limits the number of functions, because every launch parses, checks and translates each of
    /// them.
    void count_functions() {
        const auto function_count = static_cast<std::size_t>(std::ranges::count_if(
            module_.functions,
            [](const auto& named_function) { return named_function.second->has_body; }));
        if (!is_good() || function_count <= kMaxFunctions) return;
        problem_ = ptx_failure(
            FailureKind::ptx_too_large,
            "the compiled kernel has " + std::to_string(function_count) +
                " functions; the assignment allows " + std::to_string(kMaxFunctions) + ".",
            "Write fewer functions, or remove __noinline__ so that the compiler inlines them.");
    }

    void inspect_totals() {
        count_functions();
        for (const std::string& name : {entry_, std::string(kConfigureEntry)}) {
            const auto function_entry = module_.functions.find(name);
            if (function_entry == module_.functions.end() || !function_entry->second->is_entry)
                report_forgery(
                    "the compiled file does not have exactly one kernel and one configure.");
        }
        refuse_too_large("its __shared__ arrays", shared_bytes_, rules_.shared_bytes);
        refuse_too_large("arrays of each thread", local_bytes_, rules_.local_bytes);
        refuse_too_large("tables in global memory", global_bytes_, std::size_t{1} << 20);
    }

    const Module& module_;
    const std::string& entry_;
    const PtxRules& rules_;
    const Signature& signature_;
    int line_ = 0;
    std::set<std::string_view> tables_;  ///< variables in global memory that the kernel only reads
    std::optional<TableAddresses> addresses_;
    std::size_t shared_bytes_ = 0, local_bytes_ = 0, global_bytes_ = 0;
    Failure problem_;
};

}  // namespace

Failure inspect_ptx(std::string_view text, const std::string& entry, const PtxRules& rules,
                    const Signature& signature) {
    const std::size_t max_kb = rules.ptx_kb;
    if (text.size() > max_kb << 10) {
        return ptx_failure(FailureKind::ptx_too_large,
                           "the compiled kernel is larger than " + std::to_string(max_kb) + " KB.",
                           "Unroll less: the kernels in this course are about 10 KB.");
    }
    if (const std::string deceit = find_deceit(text); !deceit.empty())
        return ptx_failure(FailureKind::ptx_forged, deceit, "Write the kernel in CUDA C++.");
    try {
        return PtxInspector(*ptx::parse(text), entry, rules, signature).inspect();
    } catch (const ptx::ParseError&) {
        return ptx_failure(FailureKind::ptx_refused, "the compiler's output is not PTX.",
                           "Is there inline assembly in the file?");
    }
}

std::vector<std::string> describe_rules(const PtxRules& rules) {
    const auto is_allowed = [&](std::string_view feature) {
        return std::ranges::count(rules.allow, feature) > 0;
    };
    std::vector<std::string> feature_list;
    if (!is_allowed("global"))
        feature_list.push_back("variables in global memory that the kernel changes");
    if (!is_allowed("smid"))
        feature_list.push_back(
            "`%smid`, `%warpid` and other registers that reveal where a block runs");
    if (!is_allowed("createpolicy"))
        feature_list.push_back("cache policies that keep data (`createpolicy`, `evict_last`)");
    feature_list.push_back(
        "clusters of blocks, textures, surfaces, breakpoints, and profiler events");
    feature_list.push_back(
        "functions that are neither in the file nor in the headers of the toolkit");
    feature_list.push_back(
        "inline assembly that closes braces which it did not open, or that contains "
        "directives other than declarations and pragmas");
    feature_list.push_back("`#include` of anything but the toolkit's headers");
    feature_list.push_back("more than " + std::to_string(rules.shared_bytes) +
                           " bytes in `__shared__` arrays, " + std::to_string(rules.local_bytes) +
                           " bytes of local memory per thread, " + std::to_string(rules.ptx_kb) +
                           " KB of PTX, or " + std::to_string(kMaxFunctions) + " functions");
    return feature_list;
}

}  // namespace coalesce
