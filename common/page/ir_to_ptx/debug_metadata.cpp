// Reads the debug metadata that describes variables.
#include <algorithm>
#include <cstdlib>

#include "page/ir_to_ptx/metadata.h"

namespace coalesce::translator {

namespace {

/// The maximum nesting depth of scopes and types. Deeper ones are ignored.
constexpr int kMaxTypeDepth = 64;

u64 to_number(const std::string& text) {
    return std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

const DebugType* Metadata::debug_type(const std::string& name, Module& module) const {
    const Node* node = find(name);
    if (!node || name == "null") return nullptr;
    if (const auto known_type = types_.find(name); known_type != types_.end())
        return known_type->second;
    DebugType& type = module.debug_types.emplace_back();
    types_[name] = &type;  // a structure may contain a pointer to itself
    const bool is_base = node->kind == "DIBasicType";
    type.tag = is_base ? "DW_TAG_base_type" : field(name, "tag");
    type.name = field(name, "name");
    type.bytes = to_number(field(name, "size")) / 8;
    type.encoding = field(name, "encoding");
    type.base_type = debug_type(field(name, "baseType"), module);
    const Node* elements = find(field(name, "elements"));
    for (const std::string& item : elements ? elements->items : std::vector<std::string>()) {
        const Node* element = find(item);
        if (!element) continue;
        const std::string tag = field(item, "tag");
        if (element->kind == "DISubrange")
            type.extents.push_back(to_number(field(item, "count")));
        else if (tag == "DW_TAG_member" && field(item, "flags").find("Static") == std::string::npos)
            type.members.push_back({field(item, "name"),
                                    debug_type(field(item, "baseType"), module),
                                    to_number(field(item, "offset")) / 8});
    }
    return &type;
}

/// Reports whether a scope is `outer`, or lies within it.
bool Metadata::is_within(const std::string& scope, const std::string& outer) const {
    std::string current_scope = scope;
    for (int i = 0; i < kMaxTypeDepth && !current_scope.empty(); ++i) {
        if (current_scope == outer) return true;
        current_scope = field(current_scope, "scope");
    }
    return false;
}

DebugScope Metadata::debug_scope(const std::string& name) const {
    if (const auto known_scope = scopes_.find(name); known_scope != scopes_.end())
        return known_scope->second;
    DebugScope scope{name, static_cast<u32>(to_number(field(name, "line"))), 0};
    scope.last_line = scope.first_line;
    for (const auto& [node_name, node] : nodes_) {
        if (node.kind != "DILocation" || !field(node_name, "inlinedAt").empty()) continue;
        if (!is_within(field(node_name, "scope"), name)) continue;
        const auto line = static_cast<u32>(to_number(field(node_name, "line")));
        scope.last_line = std::max(scope.last_line, line);
    }
    return scopes_[name] = scope;
}

DebugVariable Metadata::debug_variable(const std::string& name, Module& module) const {
    // The description of a module variable is an expression that refers to it.
    const Node* node = find(name);
    if (node && node->kind == "DIGlobalVariableExpression")
        return debug_variable(field(name, "var"), module);
    DebugVariable variable;
    if (!node) return variable;
    variable.name = field(name, "name");
    variable.line = static_cast<u32>(to_number(field(name, "line")));
    variable.file = file_of(field(name, "file"));
    variable.is_parameter = !field(name, "arg").empty();
    variable.type = debug_type(field(name, "type"), module);
    variable.scope = debug_scope(field(name, "scope"));
    return variable;
}

}  // namespace coalesce::translator
