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
    std::set<std::string> seen, repeated;
    const auto note = [&](const std::string& name) {
        if (!seen.insert(name).second) repeated.insert(name);
    };
    for (const auto& module : modules) {
        for (const auto& [name, variable] : module->variables) note(name);
        for (const auto& [name, function] : module->functions) note(name);
    }
    return repeated;
}

/// Returns new names for the module's local symbols whose names another module also uses.
Names choose_local_names(const Module& module, const std::set<std::string>& repeated,
                         std::size_t number) {
    Names names;
    const auto choose = [&](const std::string& name, Linkage linkage) {
        if (linkage == Linkage::local && repeated.contains(name))
            names[name] = name + '#' + std::to_string(number);
    };
    for (const auto& [name, variable] : module.variables) choose(name, variable.linkage);
    for (const auto& [name, function] : module.functions) choose(name, function->linkage);
    return names;
}

void rename(std::string& name, const Names& names) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
}

void rename_symbols(Operand& operand, const Names& names) {
    if (!operand.name.empty()) rename(operand.name, names);
    for (Operand& element : operand.elements) rename_symbols(element, names);
}

/// Removes the names of symbols that the function's own declarations hide.
void remove_hidden(Names& names, const Function& function) {
    for (const Variable& parameter : function.parameters) names.erase(parameter.name);
    for (const Variable& result : function.returns) names.erase(result.name);
    for (const auto& [name, variable] : function.variables) names.erase(name);
    for (const auto& [name, place] : function.labels) names.erase(name);
}

void rename_symbols(Function& function, Names names) {
    remove_hidden(names, function);
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
    std::map<u32, u32> numbers;
    for (const auto& own : module.files) {
        const auto known = std::find_if(files.begin(), files.end(), [&](const auto& file) {
            return file.second == own.second;
        });
        const u32 next = files.empty() ? 1 : files.rbegin()->first + 1;
        const u32 number = known != files.end() ? known->first : next;
        numbers[own.first] = number;
        files.emplace(number, own.second);
    }
    return numbers;
}

void renumber(SourceLine& line, const std::map<u32, u32>& numbers) {
    const auto found = numbers.find(line.file);
    if (found != numbers.end()) line.file = found->second;
}

/// Adds the module's text and source files to the linked module, and updates all text offsets and
/// line numbers in the module.
void merge_source_locations(Module& linked, Module& module) {
    const std::size_t offset = linked.text.size();
    if (module.text.size() > std::numeric_limits<u32>::max() - offset)
        throw LinkError("the PTX of all files together is too long");
    const std::map<u32, u32> numbers = add_files(linked.files, module);
    for (auto& [name, function] : module.functions) {
        for (Instruction& instruction : function->body) {
            instruction.text_offset += static_cast<u32>(offset);
            renumber(instruction.where, numbers);
        }
        for (auto& chain : function->inline_chains)
            for (SourceLine& line : chain) renumber(line, numbers);
    }
    linked.text += module.text;
}

// ---- definitions ----

[[noreturn]] void fail_defined_twice(const std::string& what, const std::string& name) {
    throw LinkError("two files define the " + what + " '" + name +
                    "': declare it extern in one of the files");
}

/// Reports whether the definition `added` replaces the definition `known`. Throws LinkError if both
/// definitions must be kept.
template <class Symbol>
bool should_replace(const Symbol& known, bool known_defined, const Symbol& added,
                    bool added_defined, const char* what) {
    if (!added_defined) return false;
    if (!known_defined) return true;
    const bool known_yields = known.linkage != Linkage::visible;
    const bool added_yields = added.linkage != Linkage::visible;
    if (!known_yields && !added_yields) fail_defined_twice(what, known.name);
    return known_yields && !added_yields;
}

void add_function(Module& linked, std::unique_ptr<Function> function) {
    std::unique_ptr<Function>& known = linked.functions[function->name];
    if (!known ||
        should_replace(*known, known->has_body, *function, function->has_body, "function"))
        known = std::move(function);
}

void add_variable(Module& linked, Variable variable) {
    const auto [place, is_new] = linked.variables.try_emplace(variable.name);
    Variable& known = place->second;
    const u32 align = std::max(known.align, variable.align);
    const bool both_common =
        known.linkage == Linkage::common && variable.linkage == Linkage::common;
    const bool is_better =
        is_new || (both_common ? variable.size > known.size
                               : should_replace(known, !known.is_extern, variable,
                                                !variable.is_extern, "variable"));
    if (is_better) known = std::move(variable);
    known.align = align;
}

void add_module(Module& linked, std::unique_ptr<Module> module) {
    merge_source_locations(linked, *module);
    // Variables of a later module count as declared after those of earlier modules.
    const u32 declared_before = static_cast<u32>(linked.variables.size());
    for (auto& [name, variable] : module->variables) {
        variable.declared += declared_before;
        add_variable(linked, std::move(variable));
    }
    for (auto& [name, function] : module->functions) add_function(linked, std::move(function));
}

}  // namespace

std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules) {
    if (modules.size() == 1) return std::move(modules.front());
    const std::set<std::string> repeated = find_repeated_names(modules);
    auto linked = std::make_unique<Module>();
    linked->version = modules.front()->version;
    linked->target = modules.front()->target;
    for (std::size_t k = 0; k < modules.size(); ++k) {
        rename_symbols(*modules[k], choose_local_names(*modules[k], repeated, k + 1));
        add_module(*linked, std::move(modules[k]));
    }
    return linked;
}

}  // namespace coalesce::simulator::ptx
