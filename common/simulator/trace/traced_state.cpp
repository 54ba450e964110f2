#include "simulator/trace/traced_state.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/kernel_name.h"
#include "simulator/analysis/register_use.h"
#include "simulator/code/width.h"
#include "simulator/execute/calls.h"

namespace coalesce::simulator {
namespace {

/// Returns the first and the last line that the instructions of a scope have in the kernel's file.
std::pair<u32, u32> find_scope_lines(const ptx::Function& function,
                                     const SourceVariable& variable) {
    u32 last_line = variable.where.line;
    const u32 end = std::min(variable.end, static_cast<u32>(function.body.size()));
    for (u32 k = variable.begin; k < end; ++k) {
        const ptx::SourceLine where = function.body[k].where;
        if (where.file == variable.where.file) last_line = std::max(last_line, where.line);
    }
    return {variable.where.line, last_line};
}

std::optional<PartPlace> find_register_place(const FunctionCode& code, const std::string& name) {
    const auto& registers = code.ast->registers;
    const auto register_entry =
        std::find_if(registers.begin(), registers.end(),
                     [&](const ptx::Register& ast_register) { return ast_register.name == name; });
    if (register_entry == registers.end()) return std::nullopt;
    const u32 root = code.roots[static_cast<std::size_t>(register_entry - registers.begin())];
    for (const RegisterPlacement& placed : code.placed_registers) {
        if (placed.root != root) continue;
        const bool is_predicate = placed.bytes == slot_bytes(Width::predicate);
        return PartPlace{is_predicate ? PartPlace::Kind::predicate : PartPlace::Kind::reg,
                         placed.offset};
    }
    return std::nullopt;
}

/// Returns the location of a variable in a thread's registers, local memory or parameters. Returns
/// nothing if the variable is elsewhere.
std::optional<PartPlace> find_part_place(const FunctionCode& code, const Kernel& kernel,
                                         const VariablePlace& place) {
    if (place.is_register) return find_register_place(code, place.symbol);
    if (const auto local_offset = code.local_offsets.find(place.symbol);
        local_offset != code.local_offsets.end())
        return PartPlace{PartPlace::Kind::local, local_offset->second + place.offset};
    for (const ParameterSlot& parameter : code.parameters)
        if (parameter.name == place.symbol)
            return PartPlace{PartPlace::Kind::parameter, parameter.offset + place.offset};
    const auto& parameters = kernel.ast->parameters;
    for (std::size_t k = 0; code.ast->is_entry && k < parameters.size(); ++k)
        if (parameters[k].name == place.symbol)
            return PartPlace{PartPlace::Kind::kernel_parameter,
                             kernel.parameter_offsets[k] + place.offset};
    return std::nullopt;
}

void add_variable(TracedFunction& function, const Kernel& kernel, const SourceVariable& variable,
                  BlockTrace& trace) {
    std::vector<PartPlace> places;
    for (const VariablePlace& variable_place : variable.places) {
        auto place = find_part_place(*function.code, kernel, variable_place);
        if (!place) continue;
        place->begin = variable_place.begin;
        place->end = variable_place.end;
        places.push_back(*place);
    }
    if (places.empty()) return;
    const auto [first, last_line] = find_scope_lines(*function.code->ast, variable);
    for (const VariablePart& variable_part : variable.parts) {
        TracedPart added_part{.variable = static_cast<u32>(trace.variables.size()),
                              .bytes = std::min(variable_part.type.bytes, 8u),
                              .begin = variable.begin,
                              .end = variable.end,
                              .places = places};
        for (PartPlace& place : added_part.places) place.offset += variable_part.offset;
        trace.variables.push_back({.name = variable.name + variable_part.path,
                                   .function = function.function_index,
                                   .type = variable_part.type,
                                   .first_line = first,
                                   .last_line = last_line});
        function.parts.push_back(std::move(added_part));
    }
}

ScalarType type_of_register(const ptx::Register& ast_register) {
    ScalarType type{std::string(ptx::name_of(ast_register.type)), ScalarKind::signed_integer,
                    std::min(ptx::size_of(ast_register.type), 8u)};
    if (ast_register.type == ptx::Type::pred) type.kind = ScalarKind::boolean;
    if (ptx::is_float(ast_register.type)) type.kind = ScalarKind::real;
    return type;
}

void add_registers(TracedFunction& function, BlockTrace& trace) {
    for (const ptx::Register& ast_register : function.code->ast->registers) {
        const auto place = find_register_place(*function.code, ast_register.name);
        if (!place || ptx::size_of(ast_register.type) > 8) continue;
        function.parts.push_back(
            {.variable = static_cast<u32>(trace.variables.size()),
             .bytes = std::max(1u, std::min(ptx::size_of(ast_register.type), 8u)),
             .places = {*place}});
        trace.variables.push_back({.name = ast_register.name,
                                   .function = function.function_index,
                                   .type = type_of_register(ast_register)});
    }
}

/// Finds the parts of variables that each instruction assigns by writing a register.
void find_assignments(TracedFunction& function) {
    const ptx::Function& ast = *function.code->ast;
    std::map<u64, std::vector<u32>> parts_by_offset;
    for (u32 k = 0; k < function.parts.size(); ++k)
        for (const PartPlace& place : function.parts[k].places)
            if (place.kind == PartPlace::Kind::reg || place.kind == PartPlace::Kind::predicate)
                parts_by_offset[place.offset].push_back(k);
    std::map<u32, u64> offset_of_root;
    for (const RegisterPlacement& placed : function.code->placed_registers)
        offset_of_root[placed.root] = placed.offset;
    function.assigned_parts.resize(ast.body.size());
    for (std::size_t k = 0; k < ast.body.size(); ++k) {
        if (ast.body[k].opcode.empty()) continue;
        for (const u32 written_register : list_written_registers(ast.body[k])) {
            const auto offset = offset_of_root.find(function.code->roots[written_register]);
            if (offset == offset_of_root.end()) continue;
            const auto part_indices = parts_by_offset.find(offset->second);
            if (part_indices != parts_by_offset.end())
                function.assigned_parts[k].insert(function.assigned_parts[k].end(),
                                                  part_indices->second.begin(),
                                                  part_indices->second.end());
        }
    }
}

// ---- lines ----

/// Reports whether an instruction only computes the value of a register.
bool is_pure_computation(const ptx::Instruction& instruction) {
    static constexpr std::array<std::string_view, 24> kOpcodes = {
        "mov", "add", "sub", "mul", "mad", "fma", "div",  "rem",  "neg", "not",  "and", "or",
        "xor", "shl", "shr", "min", "max", "abs", "setp", "selp", "cvt", "cvta", "bfe", "prmt"};
    return std::find(kOpcodes.begin(), kOpcodes.end(), instruction.opcode) != kOpcodes.end();
}

/// Reports whether an instruction may begin a path of its own. The compiler also places labels for
/// the debug information, which nothing branches to.
bool begins_path(const ptx::Instruction& instruction) {
    return instruction.opcode.empty() && !instruction.label.starts_with("$L__tmp");
}

/// Assigns a line to each instruction. If several lines contain the same expression, clang computes
/// it only once, and its debug information may name any of these lines. An instruction that only
/// computes therefore gets the line of the instructions around it, so that their line remains a
/// single step.
void find_lines(TracedFunction& function) {
    const auto& body = function.code->ast->body;
    for (const ptx::Instruction& instruction : body) function.lines.push_back(instruction.where);
    u32 begin = 0;  // the last instruction with an effect, or the start of the path
    for (u32 k = 0; k < body.size(); ++k) {
        if (begins_path(body[k])) begin = k + 1;
        const bool has_effect =
            !is_pure_computation(body[k]) || !function.assigned_parts[k].empty();
        if (body[k].opcode.empty() || !has_effect) continue;
        u32 first_source = body[k].inline_chain_index ? k : begin;
        while (first_source < k &&
               (body[first_source].where != body[k].where || body[first_source].inline_chain_index))
            ++first_source;
        std::fill(function.lines.begin() + first_source, function.lines.begin() + k, body[k].where);
        begin = body[k].opcode == "bra" ? k + 1 : k;
    }
}

// ---- arrays ----

/// Returns the name of a shared variable in the source, such as "tile" for "_ZZ9transposePfE4tile".
std::string source_name(const std::string& symbol) {
    if (!symbol.starts_with("_ZZ")) return symbol;
    for (std::size_t digits = symbol.size(); digits > 0; --digits) {
        if (!std::isdigit(static_cast<u8>(symbol[digits - 1]))) continue;
        const std::string name = symbol.substr(digits);
        std::size_t first = digits;
        while (first > 0 && std::isdigit(static_cast<u8>(symbol[first - 1]))) --first;
        return std::to_string(name.size()) == symbol.substr(first, digits - first) ? name : symbol;
    }
    return symbol;
}

const ptx::Variable* find_shared_variable(const Kernel& kernel, const std::string& symbol) {
    const auto local_variable = kernel.ast->variables.find(symbol);
    if (local_variable != kernel.ast->variables.end()) return &local_variable->second;
    const auto global_variable = kernel.module->ast->variables.find(symbol);
    return global_variable == kernel.module->ast->variables.end() ? nullptr
                                                                  : &global_variable->second;
}

/// Adds to `array` those properties of a shared memory array that the debug information describes.
void describe_shared(const std::string& symbol, const DebugInfo& debug_info, TracedArray& array) {
    for (const auto& [function, variables] : debug_info) {
        for (const SourceVariable& variable : variables) {
            const bool is_described_variable = std::any_of(
                variable.places.begin(), variable.places.end(),
                [&](const VariablePlace& p) { return !p.is_register && p.symbol == symbol; });
            if (!is_described_variable) continue;
            array.name = variable.name;
            array.extents = variable.extents;
            if (variable.element)
                array.element = *variable.element;
            else if (variable.parts.size() == 1)
                array.element = variable.parts[0].type;
            return;
        }
    }
}

void add_shared_arrays(const Launch& launch, const DebugInfo& debug_info, BlockTrace& trace) {
    for (const auto& [symbol, offset] : launch.kernel->shared_offsets) {
        const ptx::Variable* variable = find_shared_variable(*launch.kernel, symbol);
        TracedArray array{.name = source_name(symbol),
                          .is_shared = true,
                          .address = offset,
                          .bytes = variable ? variable->size : 0};
        // An array whose size is specified at launch occupies the remaining shared memory.
        if (array.bytes == 0)
            array.bytes = launch.kernel->static_shared_bytes + launch.config.dynamic_shared_bytes -
                          std::min<u64>(offset, launch.kernel->static_shared_bytes);
        describe_shared(symbol, debug_info, array);
        trace.arrays.push_back(std::move(array));
    }
}

void add_parameter_arrays(const Launch& launch, const DebugInfo& debug_info, BlockTrace& trace) {
    const Kernel& kernel = *launch.kernel;
    const auto variables = debug_info.find(kernel.ast->name);
    std::vector<const SourceVariable*> parameters;
    if (variables != debug_info.end())
        for (const SourceVariable& variable : variables->second)
            if (variable.is_parameter) parameters.push_back(&variable);
    for (std::size_t k = 0; k < kernel.ast->parameters.size(); ++k) {
        u64 pointer = 0;
        if (kernel.ast->parameters[k].size != sizeof pointer) continue;
        std::memcpy(&pointer, launch.parameters.data() + kernel.parameter_offsets[k],
                    sizeof pointer);
        const Allocation* allocation = launch.allocations->find(pointer);
        if (!allocation) continue;
        TracedArray array{.name = "argument " + std::to_string(k + 1),
                          .address = pointer,
                          .bytes = allocation->end - pointer};
        if (k < parameters.size() && parameters.size() == kernel.ast->parameters.size()) {
            array.name = parameters[k]->name;
            if (parameters[k]->element) array.element = *parameters[k]->element;
        }
        trace.arrays.push_back(std::move(array));
    }
}

/// Returns the distance in bytes between an address and an array, or 0 if the address is in the
/// array.
u64 distance_from(const TracedArray& array, u64 address) {
    if (address < array.address) return array.address - address;
    return address < array.address + array.bytes ? 0 : address - array.address - array.bytes + 1;
}

}  // namespace

const u8* find_address(const PartPlace& place, const Warp& w, const Frame* frame, int lane) {
    const auto l = static_cast<u32>(lane);
    switch (place.kind) {
        case PartPlace::Kind::reg:
        case PartPlace::Kind::predicate:
            return (frame ? frame->registers : w.kernel_registers) + place.offset;
        case PartPlace::Kind::local:
            return w.local_memory + u64{w.local_bytes} * l + (frame ? frame->local_base : 0) +
                   place.offset;
        case PartPlace::Kind::parameter:
            return frame->parameters + u64{frame->code->parameter_bytes} * l + place.offset;
        case PartPlace::Kind::kernel_parameter:
            return w.block->launch->parameters.data() + place.offset;
    }
    return nullptr;
}

u64 read_part(const PartPlace& place, u32 bytes, const Warp& w, const Frame* frame, int lane) {
    const u8* source = find_address(place, w, frame, lane);
    if (place.kind == PartPlace::Kind::predicate) {
        Mask mask = 0;
        std::memcpy(&mask, source, sizeof mask);
        return mask >> lane & 1;
    }
    if (place.kind == PartPlace::Kind::reg) source += static_cast<u32>(lane) * (bytes == 8 ? 8 : 4);
    u64 bits = 0;
    std::memcpy(&bits, source, bytes);
    return bits;
}

TracedFunction trace_function(const FunctionCode& code, const Kernel& kernel,
                              const std::vector<SourceVariable>* variables, BlockTrace& trace) {
    TracedFunction function{.code = &code,
                            .function_index = static_cast<u32>(trace.functions.size())};
    trace.functions.push_back(kernel_name(code.name));
    const auto& body = code.ast->body;
    if (!code.ops.empty()) function.first_executed_instruction = code.ops.front().source;
    std::vector<std::string>& lines = trace.instructions.emplace_back();
    for (const ptx::Instruction& instruction : body)
        lines.emplace_back(instruction.opcode.empty()
                               ? instruction.label + ":"
                               : std::string(kernel.module->ast->find_text(instruction)));
    function.has_debug_info = variables != nullptr;
    if (variables) {
        for (const SourceVariable& variable : *variables)
            add_variable(function, kernel, variable, trace);
    } else {
        add_registers(function, trace);
    }
    find_assignments(function);
    find_lines(function);
    return function;
}

void add_arrays(const Launch& launch, const DebugInfo& debug_info, BlockTrace& trace) {
    add_parameter_arrays(launch, debug_info, trace);
    add_shared_arrays(launch, debug_info, trace);
}

u32 find_array(const Launch& launch, bool is_shared, u64 address, BlockTrace& trace) {
    u32 best_array = kNone;
    const auto is_better = [&](u32 k) {
        if (best_array == kNone) return true;
        const u64 bytes = distance_from(trace.arrays[k], address),
                  best_bytes = distance_from(trace.arrays[best_array], address);
        // If two pointers point into the same allocation, the address belongs to the closer one.
        return bytes < best_bytes ||
               (bytes == best_bytes && trace.arrays[k].address > trace.arrays[best_array].address);
    };
    for (u32 k = 0; k < trace.arrays.size(); ++k)
        if (trace.arrays[k].is_shared == is_shared && is_better(k)) best_array = k;
    const Allocation* allocation = is_shared ? nullptr : launch.allocations->find(address);
    if (best_array != kNone &&
        (distance_from(trace.arrays[best_array], address) == 0 || !allocation))
        return best_array;
    TracedArray array{.name = "shared memory", .is_shared = is_shared, .bytes = 0};
    if (is_shared)
        array.bytes = launch.kernel->static_shared_bytes + launch.config.dynamic_shared_bytes;
    if (!is_shared) array.name = "memory";
    if (allocation) {
        array.name = allocation->name.empty() ? "allocation " + std::to_string(allocation->serial)
                                              : allocation->name;
        array.address = allocation->begin;
        array.bytes = allocation->end - allocation->begin;
    }
    trace.arrays.push_back(std::move(array));
    return static_cast<u32>(trace.arrays.size() - 1);
}

}  // namespace coalesce::simulator
