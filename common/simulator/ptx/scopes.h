// Keeps the names of a function's body. Braces open a scope, which may declare a name again. Here
// every declaration gets a unique name ("%r1", "%r1@2"), so that no other code has to know about
// scopes.
//
// Registers that are declared as a family, %r<100000>, are created when they are first used.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

/// What a name refers to at one place of the text.
struct Binding {
    u32 elements = 1;       ///< more than 1 for a vector register
    u32 reg = 0;            ///< the register, or the first one of a vector
    std::string name = {};  ///< if it is a variable: its unique name

    bool is_variable() const { return !name.empty(); }
};

/// Hashes names so that a map can be searched with a piece of the text.
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
        return std::hash<std::string_view>()(name);
    }
};
template <typename T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

class Scopes {
public:
    /// The lexer tells the line for error messages.
    Scopes(const Lexer& lexer, Function& function);

    void open();
    /// Ends the innermost scope, and resolves its labels.
    void close();
    std::size_t depth() const { return scopes_.size(); }

    /// Declares `.reg .v4 .f32 name`. `elements` is 1 for a scalar.
    void declare_register(std::string_view name, Type type, u32 elements);
    /// Declares `.reg .f32 %f<count>`: %f0, %f1 ...
    void declare_registers(std::string_view prefix, Type type, u32 elements, u64 count);
    /// Returns a unique name for a variable, which bind_variable() then declares.
    std::string name_variable_apart(std::string_view name);
    void bind_variable(std::string_view name, std::string kept);
    /// Returns the unique name for the label.
    std::string declare_label(std::string_view name);

    /// Returns nullptr if `name` is not a register or variable of this function.
    const Binding* find(std::string_view name);
    /// Records a name in an operand or in a list of targets that may be a label further down. The
    /// string must keep its address until the scope ends.
    void note_label_use(std::string& name) { scopes_.back().label_uses.push_back(&name); }

private:
    struct Family {
        u64 count = 0;
        Type type = Type::none;
        u32 elements = 1;
    };
    struct Scope {
        NameMap<Binding> names;
        NameMap<Family> families;  ///< by the prefix
        NameMap<std::string> labels;
        std::vector<std::string*> label_uses;
    };
    using Uses = NameMap<u32>;

    const Binding* find_in(Scope& scope, std::string_view name);
    Binding new_register(std::string_view name, Type type, u32 elements);
    std::string rename_apart(Uses& uses, std::string_view name);
    void insert(std::string_view name, Binding binding);

    const Lexer& lexer_;
    Function& function_;
    std::vector<Scope> scopes_;
    Uses registers_declared_, variables_declared_, labels_declared_;
};

}  // namespace coalesce::simulator::ptx
