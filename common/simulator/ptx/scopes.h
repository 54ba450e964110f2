// Stores the names in a function's body. Each pair of braces is a scope. A scope may declare a name
// again that an outer scope has declared. Every declaration gets a unique name ("%r1", "%r1@2"), so
// that other code need not handle scopes.
//
// Registers that are declared as a family, such as %r<100000>, are created when they are first
// used.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

/// The meaning of a name at one position in the text.
struct Binding {
    u32 elements = 1;       ///< the number of elements; more than 1 for a vector register
    u32 reg = 0;            ///< the register, or the first register of a vector
    std::string name = {};  ///< the unique name of a variable; empty for a register

    bool is_variable() const { return !name.empty(); }
};

/// A hash function that accepts a string_view, so that looking up a name does not copy it.
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
    /// `lexer` provides the line numbers in error messages.
    Scopes(const Lexer& lexer, Function& function);

    void open_scope();
    /// Ends the innermost scope, and resolves its labels.
    void close_scope();
    std::size_t depth() const { return scopes_.size(); }

    /// Declares a register, as in `.reg .v4 .f32 name`. `elements` is 1 for a scalar.
    void declare_register(std::string_view name, Type type, u32 elements);
    /// Declares a family of registers, as in `.reg .f32 %f<count>`: %f0, %f1 and so on.
    void declare_registers(std::string_view prefix, Type type, u32 elements, u64 count);
    /// Returns a unique name for the variable `name`. The caller must then declare the variable
    /// with bind_variable().
    std::string make_unique_variable_name(std::string_view name);
    void bind_variable(std::string_view name, std::string unique_name);
    /// Declares a label and returns its unique name.
    std::string declare_label(std::string_view name);

    /// Returns the meaning of `name`, or null if this function has no register or variable with
    /// this name.
    const Binding* find_binding(std::string_view name);
    /// Records a use of a name that may be a label defined later. At the end of the scope that
    /// declares the label, the string `name` is overwritten with the label's unique name. The
    /// string must keep its address until then.
    void note_label_use(std::string& name) { scopes_.back().label_uses.push_back(&name); }

private:
    struct NumberedRegisters {
        u64 count = 0;
        Type type = Type::none;
        u32 elements = 1;
    };
    struct Scope {
        NameMap<Binding> names;
        /// The families of registers, keyed by prefix.
        NameMap<NumberedRegisters> registers_by_prefix;
        NameMap<std::string> labels;
        std::vector<std::string*> label_uses;
    };
    using UseCounts = NameMap<u32>;

    const Binding* find_in_scope(Scope& scope, std::string_view name);
    Binding new_register(std::string_view name, Type type, u32 elements);
    std::string make_unique_name(UseCounts& uses, std::string_view name);
    void insert_binding(std::string_view name, Binding binding);

    const Lexer& lexer_;
    Function& function_;
    std::vector<Scope> scopes_;
    UseCounts registers_declared_, variables_declared_, labels_declared_;
};

}  // namespace coalesce::simulator::ptx
