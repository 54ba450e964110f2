// Reads metadata. Nodes are stored as text, because only a few of them are used.
#include "page/ir_to_ptx/metadata.h"

#include <cstdlib>

namespace coalesce::translator {

namespace {

/// The maximum depth of nested scopes, and of loop metadata that refers to itself. If a chain is
/// longer, it must be a cycle.
constexpr int kMaxScopeDepth = 1000;

}  // namespace

void Metadata::read(Lexer& lexer) {
    Node node;
    const std::string name = lexer.take_token().text;
    lexer.expect('=');
    lexer.accept_word("distinct");
    if (lexer.is_at(TokenKind::metadata) && !lexer.current().text.empty()) {
        node.kind = lexer.take_token().text;
        if (lexer.is_at('(')) read_fields(lexer, node);
    } else if (lexer.is_at(TokenKind::metadata)) {
        lexer.take_token();
        if (lexer.is_at('{')) read_items(lexer, node);
    } else {
        lexer.fail("expected metadata");
    }
    nodes_[name] = std::move(node);
}

/// Reads fields: (line: 16, column: 15, scope: !12).
void Metadata::read_fields(Lexer& lexer, Node& node) {
    lexer.expect('(');
    std::string key, value;
    int depth = 0;
    for (; depth > 0 || !lexer.is_at(')'); lexer.take_token()) {
        if (lexer.is_at(TokenKind::end)) lexer.fail("metadata does not end");
        if (lexer.is_at('(') || lexer.is_at('{')) ++depth;
        if (lexer.is_at(')') || lexer.is_at('}')) --depth;
        if (depth == 0 && lexer.is_at(TokenKind::key)) {
            key = lexer.current().text;
        } else if (depth == 0 && lexer.is_at(',')) {
            key.clear();
        } else if (!key.empty()) {
            node.fields[key] += lexer.current().text;
        }
    }
    lexer.expect(')');
}

/// Reads a list, and keeps the last word of each item: { ptr @k, !"kernel", i32 1 }.
void Metadata::read_items(Lexer& lexer, Node& node) {
    lexer.expect('{');
    std::string item;
    for (int depth = 0; depth > 0 || !lexer.is_at('}'); lexer.take_token()) {
        if (lexer.is_at(TokenKind::end)) lexer.fail("metadata does not end");
        if (lexer.is_at('(') || lexer.is_at('{') || lexer.is_at('[')) ++depth;
        if (lexer.is_at(')') || lexer.is_at('}') || lexer.is_at(']')) --depth;
        if (depth == 0 && lexer.is_at(',')) {
            node.items.push_back(item);
        } else {
            item = lexer.current().text;
        }
    }
    if (!item.empty() || !node.items.empty()) node.items.push_back(item);
    lexer.expect('}');
}

const Metadata::Node* Metadata::find(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : &found->second;
}

std::string Metadata::field(const std::string& name, const char* key) const {
    const Node* node = find(name);
    if (!node) return "";
    const auto found = node->fields.find(key);
    return found == node->fields.end() ? "" : found->second;
}

std::string Metadata::file_of(const std::string& scope) const {
    std::string current_scope = scope, file;
    for (int i = 0; i < kMaxScopeDepth && !current_scope.empty(); ++i) {
        const Node* node = find(current_scope);
        if (node && node->kind == "DIFile") {
            file = current_scope;
            break;
        }
        const std::string file_node = field(current_scope, "file");
        current_scope = file_node.empty() ? field(current_scope, "scope") : file_node;
    }
    const std::string name = field(file, "filename"), folder = field(file, "directory");
    return folder.empty() || name.starts_with('/') ? name : folder + '/' + name;
}

std::string Metadata::function_of(const std::string& scope) const {
    std::string current_scope = scope;
    for (int i = 0; i < kMaxScopeDepth && !current_scope.empty(); ++i) {
        const Node* node = find(current_scope);
        if (node && node->kind == "DISubprogram") return field(current_scope, "name");
        current_scope = field(current_scope, "scope");
    }
    return "";
}

const SourceLocation* Metadata::location(const std::string& name, Module& module) const {
    const Node* node = find(name);
    if (!node) return nullptr;
    if (const auto known_location = locations_.find(name); known_location != locations_.end())
        return known_location->second;
    const bool is_function = node->kind == "DISubprogram";
    const std::string scope = is_function ? name : field(name, "scope");
    locations_[name] = nullptr;  // ends the recursion if the metadata contains a cycle
    SourceLocation location;
    location.file = file_of(scope);
    location.line = static_cast<u32>(std::strtoul(field(name, "line").c_str(), nullptr, 10));
    location.column = static_cast<u32>(std::strtoul(field(name, "column").c_str(), nullptr, 10));
    location.function = function_of(scope);
    if (const std::string call_site_node = field(name, "inlinedAt"); !call_site_node.empty()) {
        location.inlined_at = this->location(call_site_node, module);
    }
    return locations_[name] = module.location(std::move(location));
}

bool Metadata::is_not_unrolled(const std::string& loop) const {
    const Node* node = find(loop);
    if (!node) return false;
    for (const std::string& item : node->items) {
        const Node* loop_property = find(item);
        if (!loop_property || loop_property->items.empty() || item == loop) continue;
        if (loop_property->items[0] == "llvm.loop.unroll.disable") return true;
    }
    return false;
}

std::vector<Metadata::Annotation> Metadata::annotations() const {
    std::vector<Annotation> annotation_list;
    const Node* annotation_node = find("nvvm.annotations");
    if (!annotation_node) return annotation_list;
    for (const std::string& item : annotation_node->items) {
        const Node* node = find(item);
        if (!node || node->items.empty()) continue;
        Annotation annotation{node->items[0], {}};
        for (std::size_t i = 1; i + 1 < node->items.size(); i += 2) {
            annotation.facts.emplace_back(node->items[i], node->items[i + 1]);
        }
        annotation_list.push_back(std::move(annotation));
    }
    return annotation_list;
}

}  // namespace coalesce::translator
