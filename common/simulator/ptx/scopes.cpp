// Implements a stack of scopes. A name is looked up from the innermost scope outwards. A label may
// come after its use, so it is resolved when the scope ends.
#include "simulator/ptx/scopes.h"

#include <charconv>

namespace coalesce::simulator::ptx {

namespace {

constexpr std::size_t kMaxScopeDepth = 64;
/// The maximum number of registers in a function. Real kernels have fewer than 100 000. The limit
/// rejects malformed text and keeps indices from overflowing.
constexpr u64 kMaxRegisters = u64{1} << 24;

constexpr char kElementNames[] = {'x', 'y', 'z', 'w'};

}  // namespace

Scopes::Scopes(const Lexer& lexer, Function& function) : lexer_(lexer), function_(function) {
    scopes_.emplace_back();
}

void Scopes::open_scope() {
    if (scopes_.size() >= kMaxScopeDepth) lexer_.fail("braces are nested too deeply");
    scopes_.emplace_back();
}

void Scopes::close_scope() {
    Scope ended_scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (std::string* name : ended_scope.label_uses) {
        const auto label = ended_scope.labels.find(*name);
        if (label != ended_scope.labels.end()) {
            *name = label->second;
        } else if (!scopes_.empty()) {
            note_label_use(*name);
        }
        // A name that is still unresolved at the outermost scope is a function or variable of the
        // module.
    }
}

std::string Scopes::make_unique_name(UseCounts& uses, std::string_view name) {
    std::string result(name);
    const u32 earlier_uses = ++uses[result];
    if (earlier_uses > 1) {
        result += '@';
        result += std::to_string(earlier_uses);
    }
    return result;
}

void Scopes::insert_binding(std::string_view name, Binding binding) {
    if (!scopes_.back().names.emplace(std::string(name), std::move(binding)).second) {
        lexer_.fail("'" + std::string(name) + "' is declared twice in one scope");
    }
}

void Scopes::declare_register(std::string_view name, Type type, u32 elements) {
    insert_binding(name, new_register(name, type, elements));
}

Binding Scopes::new_register(std::string_view name, Type type, u32 elements) {
    if (function_.registers.size() + elements > kMaxRegisters) {
        lexer_.fail("the function has more registers than are supported");
    }
    const Binding binding{.elements = elements,
                          .reg = static_cast<u32>(function_.registers.size())};
    const std::string unique_name = make_unique_name(registers_declared_, name);
    if (elements == 1) {
        function_.registers.push_back({unique_name, type});
    } else {
        for (u32 i = 0; i < elements; ++i) {
            function_.registers.push_back({unique_name + '.' + kElementNames[i], type});
        }
    }
    return binding;
}

void Scopes::declare_registers(std::string_view prefix, Type type, u32 elements, u64 count) {
    if (count > kMaxRegisters) {
        lexer_.fail("a declaration of " + std::to_string(count) + " registers is not supported");
    }
    if (!scopes_.back()
             .registers_by_prefix
             .emplace(std::string(prefix), NumberedRegisters{count, type, elements})
             .second) {
        lexer_.fail("'" + std::string(prefix) + "<>' is declared twice in one scope");
    }
}

std::string Scopes::make_unique_variable_name(std::string_view name) {
    return make_unique_name(variables_declared_, name);
}

void Scopes::bind_variable(std::string_view name, std::string unique_name) {
    insert_binding(name, {.name = std::move(unique_name)});
}

std::string Scopes::declare_label(std::string_view name) {
    auto [label, is_new] = scopes_.back().labels.emplace(std::string(name), std::string());
    if (!is_new)
        lexer_.fail("the label '" + std::string(name) + "' is declared twice in one scope");
    label->second = make_unique_name(labels_declared_, name);
    return label->second;
}

const Binding* Scopes::find_binding(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (const Binding* binding = find_in_scope(*scope, name)) return binding;
    }
    return nullptr;
}

const Binding* Scopes::find_in_scope(Scope& scope, std::string_view name) {
    if (const auto binding_entry = scope.names.find(name); binding_entry != scope.names.end()) {
        return &binding_entry->second;
    }
    if (scope.registers_by_prefix.empty()) return nullptr;
    // %r12 may be register 12 of %r<100> or register 2 of %r1<5>, so try the longest number first.
    std::size_t digit_count = 0;
    while (digit_count < name.size() && digit_count < 8 &&
           name[name.size() - 1 - digit_count] >= '0' &&
           name[name.size() - 1 - digit_count] <= '9') {
        ++digit_count;
    }
    for (; digit_count > 0; --digit_count) {
        const std::string_view number = name.substr(name.size() - digit_count);
        if (digit_count > 1 && number[0] == '0') continue;
        const auto family =
            scope.registers_by_prefix.find(name.substr(0, name.size() - digit_count));
        if (family == scope.registers_by_prefix.end()) continue;
        u64 index = 0;
        std::from_chars(number.data(), number.data() + number.size(), index);
        if (index >= family->second.count) continue;
        Binding binding = new_register(name, family->second.type, family->second.elements);
        return &scope.names.emplace(std::string(name), std::move(binding)).first->second;
    }
    return nullptr;
}

}  // namespace coalesce::simulator::ptx
