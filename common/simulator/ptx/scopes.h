// The names of a function's body. Braces open a scope that may declare a name again; here every
// declaration gets a name of its own ("%r1", "%r1@2"), so that nobody else has to know of scopes.
//
// Registers declared as a family, %r<100000>, come into being when they are first used.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

/// What a name stands for at one place of the text.
struct Binding {
    u32 elements = 1;       ///< of a vector register
    u32 reg = 0;            ///< the (first) register
    std::string name = {};  ///< of a variable instead, renamed apart

    bool is_variable() const { return !name.empty(); }
};

/// A map by name that can be asked with a piece of the text.
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
    /// Errors are reported at the lexer's current line.
    Scopes(const Lexer& lexer, Function& function);

    void open();
    /// Also resolves the labels of the scope that ends.
    void close();
    std::size_t depth() const { return scopes_.size(); }

    /// `.reg .v4 .f32 name`: `elements` is 1 for a scalar.
    void declare_register(std::string_view name, Type type, u32 elements);
    /// `.reg .f32 %f<count>`: %f0, %f1 ...
    void declare_registers(std::string_view prefix, Type type, u32 elements, u64 count);
    /// The name to keep a variable under; bind_variable() then declares it.
    std::string name_variable_apart(std::string_view name);
    void bind_variable(std::string_view name, std::string kept);
    /// Returns the name to keep the label under.
    std::string declare_label(std::string_view name);

    /// nullptr: not a register or variable of this function.
    const Binding* find(std::string_view name);
    /// Of an operand, or in a list of targets: the name of something that may turn out to be a label further down.
    /// It stays where it is until the scope ends.
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
