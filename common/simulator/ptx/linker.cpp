// Links modules one after the other: renames the local names of a module, and appends its text,
// source files and symbols to those of the modules before it.
#include "simulator/ptx/linker.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace coalesce::simulator::ptx {

namespace {

using Names = std::map<std::string, std::string>;  ///< maps old names to new names

// ---- local names ----

/// Returns the names that more than one module uses, regardless of linkage.
std::set<std::string> find_repeated_names(const std::vector<std::unique_ptr<Module>>& modules) {
    std::set<std::string> seen_names, repeated_names;
    const auto note_name = [&](const std::string& name) {
        if (!seen_names.insert(name).second) repeated_names.insert(name);
    };
    for (const auto& module : modules) {
        for (const auto& [name, variable] : module->variables) note_name(name);
        for (const auto& [name, function] : module->functions) note_name(name);
    }
    return repeated_names;
}

/// Returns new names for the module's local symbols whose names another module also uses.
Names choose_local_names(const Module& module, const std::set<std::string>& repeated_names,
                         std::size_t number) {
    Names names;
    const auto choose_name = [&](const std::string& name, Linkage linkage) {
        if (linkage == Linkage::local && repeated_names.contains(name))
            names[name] = name + '#' + std::to_string(number);
    };
    for (const auto& [name, variable] : module.variables) choose_name(name, variable.linkage);
    for (const auto& [name, function] : module.functions) choose_name(name, function->linkage);
    return names;
}

void rename(std::string& name, const Names& names) {
    const auto new_name = names.find(name);
    if (new_name != names.end()) name = new_name->second;
}

void rename_symbols(Operand& operand, const Names& names) {
    if (!operand.name.empty()) rename(operand.name, names);
    for (Operand& element : operand.elements) rename_symbols(element, names);
}

/// Removes the names of symbols that the function's own declarations hide.
void remove_hidden_names(Names& names, const Function& function) {
    for (const Variable& parameter : function.parameters) names.erase(parameter.name);
    for (const Variable& result : function.returns) names.erase(result.name);
    for (const auto& [name, variable] : function.variables) names.erase(name);
    for (const auto& [name, place] : function.labels) names.erase(name);
}

void rename_symbols(Function& function, Names names) {
    remove_hidden_names(names, function);
    for (Instruction& instruction : function.body)
        for (Operand& operand : instruction.operands) rename_symbols(operand, names);
    for (auto& [label, targets] : function.target_lists)
        for (std::string& target : targets) rename(target, names);
}

template <class Map>
void rename_keys(Map& map, const Names& names) {
    for (const auto& [before, after] : names) {
        auto node = map.extract(before);
        if (node.empty()) continue;
        node.key() = after;
        map.insert(std::move(node));
    }
}

void rename_symbols(Module& module, const Names& names) {
    if (names.empty()) return;
    for (auto& [name, variable] : module.variables) {
        rename(variable.name, names);
        for (Relocation& relocation : variable.relocations) rename(relocation.symbol, names);
    }
    for (auto& [name, function] : module.functions) {
        rename(function->name, names);
        rename_symbols(*function, names);
    }
    rename_keys(module.variables, names);
    rename_keys(module.functions, names);
}

// ---- text and source files ----

/// Adds the module's source files to `files`. Returns a map from the module's file numbers to the
/// numbers in `files`.
std::map<u32, u32> add_files(std::map<u32, std::string>& files, const Module& module) {
    std::map<u32, u32> new_file_numbers;
    for (const auto& module_file : module.files) {
        const auto linked_file = std::find_if(files.begin(), files.end(), [&](const auto& file) {
            return file.second == module_file.second;
        });
        const u32 next_file_number = files.empty() ? 1 : files.rbegin()->first + 1;
        const u32 file_number = linked_file != files.end() ? linked_file->first : next_file_number;
        new_file_numbers[module_file.first] = file_number;
        files.emplace(file_number, module_file.second);
    }
    return new_file_numbers;
}

void renumber_file(SourceLine& line, const std::map<u32, u32>& new_file_numbers) {
    const auto new_number = new_file_numbers.find(line.file);
    if (new_number != new_file_numbers.end()) line.file = new_number->second;
}

/// Adds the module's text and source files to the linked module, and updates all text offsets and
/// line numbers in the module.
void merge_source_locations(Module& linked, Module& module) {
    const std::size_t offset = linked.text.size();
    if (module.text.size() > std::numeric_limits<u32>::max() - offset)
        throw LinkError("the PTX of all files together is too long");
    const std::map<u32, u32> new_file_numbers = add_files(linked.files, module);
    for (auto& [name, function] : module.functions) {
        for (Instruction& instruction : function->body) {
            instruction.text_offset += static_cast<u32>(offset);
            renumber_file(instruction.where, new_file_numbers);
        }
        for (auto& chain : function->inline_chains)
            for (SourceLine& line : chain) renumber_file(line, new_file_numbers);
    }
    linked.text += module.text;
}

// ---- definitions ----

[[noreturn]] void fail_defined_twice(const std::string& symbol_kind, const std::string& name) {
    throw LinkError("two files define the " + symbol_kind + " '" + name +
                    "': declare it extern in one of the files");
}

/// Reports whether the definition `added_symbol` replaces the definition `existing_symbol`. Throws
/// LinkError if both definitions must be kept.
template <class Symbol>
bool should_replace(const Symbol& existing_symbol, bool is_known_defined,
                    const Symbol& added_symbol, bool is_added_defined, const char* symbol_kind) {
    if (!is_added_defined) return false;
    if (!is_known_defined) return true;
    const bool is_known_weaker = existing_symbol.linkage != Linkage::visible;
    const bool is_added_weaker = added_symbol.linkage != Linkage::visible;
    if (!is_known_weaker && !is_added_weaker) fail_defined_twice(symbol_kind, existing_symbol.name);
    return is_known_weaker && !is_added_weaker;
}

void add_function(Module& linked, std::unique_ptr<Function> function) {
    std::unique_ptr<Function>& existing_function = linked.functions[function->name];
    if (!existing_function || should_replace(*existing_function, existing_function->has_body,
                                             *function, function->has_body, "function"))
        existing_function = std::move(function);
}

void add_variable(Module& linked, Variable variable) {
    const auto [place, is_new] = linked.variables.try_emplace(variable.name);
    Variable& existing_variable = place->second;
    const u32 align = std::max(existing_variable.align, variable.align);
    const bool are_both_common =
        existing_variable.linkage == Linkage::common && variable.linkage == Linkage::common;
    const bool replaces_existing =
        is_new || (are_both_common ? variable.size > existing_variable.size
                                   : should_replace(existing_variable, !existing_variable.is_extern,
                                                    variable, !variable.is_extern, "variable"));
    if (replaces_existing) existing_variable = std::move(variable);
    existing_variable.align = align;
}

void add_module(Module& linked, std::unique_ptr<Module> module) {
    merge_source_locations(linked, *module);
    // Variables of a later module count as declared after those of earlier modules.
    const u32 declared_before = static_cast<u32>(linked.variables.size());
    for (auto& [name, variable] : module->variables) {
        variable.declaration_order += declared_before;
        add_variable(linked, std::move(variable));
    }
    for (auto& [name, function] : module->functions) add_function(linked, std::move(function));
}

}  // namespace

std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules) {
    if (modules.size() == 1) return std::move(modules.front());
    const std::set<std::string> repeated_names = find_repeated_names(modules);
    auto linked = std::make_unique<Module>();
    linked->version = modules.front()->version;
    linked->target = modules.front()->target;
    for (std::size_t k = 0; k < modules.size(); ++k) {
        rename_symbols(*modules[k], choose_local_names(*modules[k], repeated_names, k + 1));
        add_module(*linked, std::move(modules[k]));
    }
    return linked;
}

}  // namespace coalesce::simulator::ptx
