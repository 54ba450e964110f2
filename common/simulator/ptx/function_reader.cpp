// Reads one function: first the directives of its header, then one statement after another. The
// brace that closes the outermost scope ends the function.
#include "simulator/ptx/function_reader.h"

#include <cstdlib>
#include <limits>
#include <type_traits>
#include <utility>

#include "simulator/ptx/operands.h"

namespace coalesce::simulator::ptx {

namespace {

constexpr u64 kLargestU32 = std::numeric_limits<u32>::max();
constexpr std::size_t kMaxModifiers = 32;

/// Scopes store pointers to names in operands, so the instructions must be moved, not copied, when
/// a body grows.
static_assert(std::is_nothrow_move_constructible_v<Instruction>);

u32 read_u32(Lexer& lexer, const char* value_name) {
    const Constant constant = read_number(lexer);
    if (constant.kind != Constant::Kind::immediate || constant.bits > kLargestU32) {
        lexer.fail_expected(std::string(value_name) + " before this");
    }
    return static_cast<u32>(constant.bits);
}

/// Reports whether `directive`, which follows a function's name, takes a single number and does not
/// affect the results of the function.
bool has_one_number_argument(std::string_view directive) {
    return directive == ".maxnctapersm" || directive == ".maxclusterrank" ||
           directive == ".abi_preserve" || directive == ".abi_preserve_control";
}

bool has_no_argument(std::string_view directive) {
    return directive == ".explicitcluster" || directive == ".blocksareclusters" ||
           directive == ".unified" || directive == ".noreturn";
}

}  // namespace

std::optional<StateSpace> accept_state_space(Lexer& lexer) {
    constexpr std::pair<std::string_view, StateSpace> kSpaces[] = {
        {".param", StateSpace::param},
        {".shared", StateSpace::shared},
        {".local", StateSpace::local},
        {".global", StateSpace::global},
        {".const", StateSpace::constant}};
    for (const auto& [directive, space] : kSpaces)
        if (lexer.accept_directive(directive)) return space;
    return std::nullopt;
}

Position read_location(Lexer& lexer, Inlining& inlining) {
    const auto read_position = [&](bool is_column_optional) {
        const u32 file = read_u32(lexer, "the number of a file"), line = read_u32(lexer, "a line");
        const bool has_column = !is_column_optional || lexer.is_at(TokenKind::number);
        return Position{file, line, has_column ? read_u32(lexer, "a column") : 0};
    };
    const Position position = read_position(true);
    while (lexer.accept(',')) {
        const std::string_view attribute_name =
            lexer.expect_identifier("function_name or inlined_at");
        if (attribute_name == "function_name") {
            lexer.expect_identifier("a label");
            if (lexer.is_at('+')) read_integer(lexer);
        } else if (attribute_name == "inlined_at") {
            inlining.add_caller(position, read_position(false));
        } else {
            lexer.fail_expected("function_name or inlined_at before this");
        }
    }
    return position;
}

void read_file(Lexer& lexer, Module& module) {
    const u32 index = read_u32(lexer, "the number of a file");
    if (!lexer.is_at(TokenKind::string)) lexer.fail_expected("the name of a file");
    const std::string_view quoted = lexer.take_token().text;
    std::string name;
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        const bool is_escape = quoted[i] == '\\' && i + 1 < quoted.size() &&
                               (quoted[i + 1] == '\\' || quoted[i + 1] == '"');
        if (is_escape) ++i;
        name += quoted[i];
    }
    module.files[index] = name;
    while (lexer.accept(',')) read_number(lexer);  // time stamp, size
}

namespace {

class FunctionReader {
public:
    FunctionReader(Lexer& lexer, DeclarationReader& declarations, Module& module)
        : lexer_(lexer),
          declarations_(declarations),
          module_(module),
          function_(std::make_unique<Function>()),
          scopes_(lexer, *function_) {}

    std::unique_ptr<Function> read_whole_function(bool is_entry, SourceLine location) {
        location_ = location;
        function_->is_entry = is_entry;
        read_header();
        if (!lexer_.accept(';')) {
            if (!lexer_.is_at('{'))
                lexer_.fail_expected("'{' or ';' after the header of a function");
            read_body();
        }
        return std::move(function_);
    }

private:
    // ---- the header ----

    void read_header() {
        while (read_header_directive()) {
        }
        if (lexer_.is_at('(')) function_->returns = declarations_.read_parameters();
        function_->name = lexer_.expect_identifier("the name of a function");
        if (lexer_.is_at('(')) function_->parameters = declarations_.read_parameters();
        while (read_header_directive()) {
        }
    }

    bool read_header_directive() {
        if (!lexer_.is_at(TokenKind::dotted)) return false;
        const std::string_view directive = lexer_.current().text;
        if (lexer_.accept_directive(".maxntid"))
            read_shape(function_->max_threads);
        else if (lexer_.accept_directive(".reqntid"))
            read_shape(function_->required_threads);
        else if (lexer_.accept_directive(".reqnctapercluster"))
            read_shape(function_->cluster);
        else if (lexer_.accept_directive(".minnctapersm"))
            function_->min_blocks = read_u32(lexer_, "a number of blocks");
        else if (lexer_.accept_directive(".maxnreg"))
            function_->max_registers = read_u32(lexer_, "a number of registers");
        else if (lexer_.accept_directive(".attribute"))
            declarations_.skip_parentheses();
        else if (directive == ".pragma")
            lexer_.skip_statement();
        else if (has_no_argument(directive) || has_one_number_argument(directive))
            lexer_.take_token();
        else
            lexer_.fail_expected("a directive of a function");
        if (has_one_number_argument(directive)) read_number(lexer_);
        return true;
    }

    /// Reads up to three sizes, such as `256`, `8, 8` or `8, 8, 4`. Missing sizes are 1.
    void read_shape(u32 (&extents)[3]) {
        for (u32& extent : extents) extent = 1;
        extents[0] = read_u32(lexer_, "a size");
        for (int i = 1; i < 3 && lexer_.accept(','); ++i) extents[i] = read_u32(lexer_, "a size");
    }

    // ---- the body ----

    void read_body() {
        function_->has_body = true;
        declare_parameters();
        lexer_.expect('{');
        while (scopes_.depth() > 0) read_statement();
    }

    void read_statement() {
        switch (lexer_.current().kind) {
            case TokenKind::identifier: read_instruction(); return;
            case TokenKind::dotted: read_directive(); return;
            case TokenKind::punctuation: break;
            case TokenKind::end: lexer_.fail_expected("'}' to end the function " + function_->name);
            default: lexer_.fail_expected("an instruction");
        }
        if (lexer_.is_at('@')) {
            read_instruction();
        } else if (lexer_.is_at('{')) {
            scopes_.open_scope();
            lexer_.take_token();
        } else if (lexer_.is_at('}')) {
            scopes_.close_scope();
            lexer_.take_token();
        } else if (!lexer_.accept(';')) {
            lexer_.fail_expected("an instruction");
        }
    }

    void read_directive() {
        if (lexer_.accept_directive(".loc")) {
            read_source_location();
        } else if (lexer_.accept_directive(".reg")) {
            read_registers();
        } else if (lexer_.accept_directive(".extern")) {
            const std::optional<StateSpace> space = accept_state_space(lexer_);
            if (!space) lexer_.fail_expected("a state space");
            read_body_variables(*space, true);
        } else if (const auto space = accept_state_space(lexer_)) {
            read_body_variables(*space, false);
        } else if (lexer_.accept_directive(".pragma")) {
            read_pragma();
        } else if (lexer_.accept_directive(".file")) {
            read_file(lexer_, module_);
        } else {
            lexer_.fail_expected("an instruction or a declaration");
        }
    }

    void read_source_location() {
        const Position position = read_location(lexer_, inlining_);
        // clang assigns line 0 to code that it created from several lines. Keep the previous line
        // for such code.
        if (std::get<1>(position) == 0) return;
        location_ = to_source_line(position);
        std::vector<SourceLine> callers = inlining_.find_callers(position);
        inline_chain_index_ = 0;
        if (callers.empty()) return;
        auto& chains = function_->inline_chains;
        if (chains.empty() || chains.back() != callers) chains.push_back(std::move(callers));
        inline_chain_index_ = static_cast<u32>(chains.size());
    }

    /// Reads .pragma "nounroll", "used_bytes_mask 0x0f";
    void read_pragma() {
        constexpr std::string_view kUsedBytes = "used_bytes_mask ";
        while (lexer_.is_at(TokenKind::string)) {
            const std::string text(lexer_.take_token().text);
            if (text == "nounroll")
                function_->not_unrolled.push_back(static_cast<u32>(function_->body.size()));
            const std::size_t mask_position = text.find(kUsedBytes);
            if (mask_position != std::string::npos)
                used_bytes_ = static_cast<u32>(
                    std::strtoul(text.c_str() + mask_position + kUsedBytes.size(), nullptr, 0));
            lexer_.accept(',');
        }
        lexer_.skip_statement();
    }

    /// Reads declarations such as `.reg .b32 %r<100>, %a;` and `.reg .v4 .f32 v;`.
    void read_registers() {
        Type type = Type::none;
        u32 element_count = 1;
        while (lexer_.is_at(TokenKind::dotted)) {
            const std::string_view word = lexer_.current().text;
            if (word == ".v2" || word == ".v4") {
                element_count = word == ".v2" ? 2 : 4;
            } else if (type = parse_type(word.substr(1)); type == Type::none) {
                lexer_.fail_expected("the type of a register");
            }
            lexer_.take_token();
        }
        if (type == Type::none) lexer_.fail_expected("the type of a register");
        do {
            const std::string_view name = lexer_.expect_identifier("the name of a register");
            if (lexer_.accept('<')) {
                const Constant count = read_number(lexer_);
                if (count.kind != Constant::Kind::immediate) lexer_.fail_expected("an integer");
                scopes_.declare_registers(name, type, element_count, count.bits);
                lexer_.expect('>');
            } else {
                scopes_.declare_register(name, type, element_count);
            }
        } while (lexer_.accept(','));
        lexer_.expect(';');
    }

    void read_body_variables(StateSpace space, bool is_extern) {
        const bool is_module_variable =
            space == StateSpace::global || space == StateSpace::constant;
        for (Variable& variable : declarations_.read_variables(space, is_extern)) {
            const std::string name = variable.name;
            variable.name = scopes_.make_unique_variable_name(name);
            if (is_module_variable && module_.variables.count(variable.name)) {
                variable.name += "@" + function_->name;
            }
            scopes_.bind_variable(name, variable.name);
            auto& variables = is_module_variable ? module_.variables : function_->variables;
            variable.declaration_order = static_cast<u32>(variables.size());
            variables[variable.name] = std::move(variable);
        }
    }

    void read_instruction() {
        const u32 start = lexer_.offset();
        Token word = lexer_.current();
        Instruction instruction;
        instruction.where = location_;
        instruction.inline_chain_index = inline_chain_index_;
        instruction.is_of_assembly = lexer_.is_in_assembly();
        instruction.used_bytes = std::exchange(used_bytes_, ~0u);
        instruction.text_offset = start;
        if (lexer_.accept('@')) {
            instruction.is_guard_negated = lexer_.accept('!');
            instruction.guard = read_guard(lexer_, scopes_);
            word = lexer_.current();
            instruction.opcode = lexer_.expect_identifier("an instruction after its guard");
        } else {
            lexer_.take_token();
            if (lexer_.is_at(':')) {
                read_label(word.text, std::move(instruction));
                return;
            }
            instruction.opcode = word.text;
        }
        read_modifiers(instruction);
        read_operands(lexer_, scopes_, instruction);
        if (!lexer_.is_at(';')) lexer_.fail_expected("',' or ';'");
        instruction.text_length = lexer_.previous_end() - start;
        lexer_.take_token();
        function_->body.push_back(std::move(instruction));
    }

    void read_modifiers(Instruction& instruction) {
        std::string_view modifiers[kMaxModifiers];
        std::size_t count = 0;
        while (lexer_.is_at(TokenKind::dotted)) {
            if (count == kMaxModifiers) lexer_.fail_expected("fewer modifiers");
            modifiers[count++] = lexer_.take_token().text.substr(1);
        }
        instruction.modifiers.assign(modifiers, modifiers + count);
    }

    void read_label(std::string_view name, Instruction label) {
        label.label = scopes_.declare_label(name);
        lexer_.expect(':');
        if (lexer_.accept_directive(".callprototype")) {
            function_->target_lists[label.label];
            lexer_.skip_statement();
        } else if (lexer_.accept_directive(".branchtargets") ||
                   lexer_.accept_directive(".calltargets")) {
            read_target_list(label.label);
        } else {
            label.text_length = lexer_.previous_end() - label.text_offset;
            function_->labels[label.label] = static_cast<u32>(function_->body.size());
            function_->body.push_back(std::move(label));
        }
    }

    void read_target_list(const std::string& label) {
        std::vector<std::string>& target_list = function_->target_lists[label];
        do {
            target_list.emplace_back(lexer_.expect_identifier("a label or a function"));
        } while (lexer_.accept(','));
        for (std::string& name : target_list) scopes_.note_label_use(name);
        lexer_.expect(';');
    }

    void declare_parameters() {
        for (const auto* parameter_list : {&function_->returns, &function_->parameters}) {
            for (const Variable& parameter : *parameter_list)
                scopes_.bind_variable(parameter.name,
                                      scopes_.make_unique_variable_name(parameter.name));
        }
    }

    Lexer& lexer_;
    DeclarationReader& declarations_;
    Module& module_;
    std::unique_ptr<Function> function_;
    Scopes scopes_;
    SourceLine location_;
    Inlining inlining_;
    u32 inline_chain_index_ = 0;  ///< for the current position (Instruction::inlined)
    u32 used_bytes_ = ~0u;        ///< for the next instruction (Instruction::used_bytes)
};

}  // namespace

std::unique_ptr<Function> read_function(Lexer& lexer, DeclarationReader& declarations,
                                        Module& module, bool is_entry, SourceLine location) {
    return FunctionReader(lexer, declarations, module).read_whole_function(is_entry, location);
}

}  // namespace coalesce::simulator::ptx
