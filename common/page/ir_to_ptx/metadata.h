// The numbered metadata at the end of a module, such as source positions and loops. Older versions
// of clang also mark kernels in the metadata.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"
#include "page/ir_to_ptx/lexer.h"

namespace coalesce::translator {

class Metadata {
public:
    /// Reads a definition, such as !12 = ... or !llvm.ident = ...
    void read(Lexer& lexer);

    /// Returns the source position that the metadata node `name` describes, or nullptr if it is
    /// unknown.
    const SourceLocation* location(const std::string& name, Module& module) const;
    /// Reports whether the !llvm.loop metadata forbids unrolling the loop.
    bool is_not_unrolled(const std::string& loop) const;
    /// An element of !nvvm.annotations: the name of a function, and facts about it, each a key and
    /// a number.
    struct Annotation {
        std::string function;
        std::vector<std::pair<std::string, std::string>> facts;
    };
    std::vector<Annotation> annotations() const;
    /// Returns the variable that a DILocalVariable or a DIGlobalVariableExpression describes. If
    /// there is no such metadata, the type of the returned variable is null.
    DebugVariable debug_variable(const std::string& name, Module& module) const;
    /// Reports whether a scope belongs to the code of the function itself, and not to that of a
    /// function inlined into it.
    bool is_in_function(const std::string& scope, const std::string& function) const {
        return is_within(scope, function);
    }

private:
    struct Node {
        std::string kind;  ///< "DILocation"; "" for a list
        /// the value of each field, such as "16" for "line"
        std::map<std::string, std::string> fields;
        std::vector<std::string> items;  ///< the items of a list, each as text
    };
    void read_fields(Lexer& lexer, Node& node);
    void read_items(Lexer& lexer, Node& node);
    const Node* find(const std::string& name) const;
    std::string field(const std::string& name, const char* key) const;
    std::string file_of(const std::string& scope) const;
    std::string function_of(const std::string& scope) const;

    const DebugType* debug_type(const std::string& name, Module& module) const;
    DebugScope debug_scope(const std::string& name) const;
    bool is_within(const std::string& scope, const std::string& outer) const;

    std::map<std::string, Node> nodes_;
    mutable std::map<std::string, const DebugType*> types_;
    mutable std::map<std::string, DebugScope> scopes_;
    mutable std::map<std::string, const SourceLocation*> locations_;
};

}  // namespace coalesce::translator
