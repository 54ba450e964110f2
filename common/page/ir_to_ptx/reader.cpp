// Reads a module in three steps: it finds all global names, reads the variables and functions in
// order, and then resolves references to the metadata and attributes at the end of the module.
#include "page/ir_to_ptx/reader.h"

#include <algorithm>

#include "page/ir_to_ptx/metadata.h"
#include "page/ir_to_ptx/read_instruction.h"
#include "page/ir_to_ptx/read_types.h"
#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

bool is_linkage(const std::string& word) {
    for (const char* linkage_word :
         {"private", "internal", "available_externally", "linkonce", "weak", "common", "appending",
          "extern_weak", "linkonce_odr", "weak_odr", "external"}) {
        if (word == linkage_word) return true;
    }
    return false;
}

class ModuleReader {
public:
    explicit ModuleReader(const std::string& text)
        : lexer_(text),
          module_(std::make_unique<Module>()),
          values_(lexer_, *module_, names_),
          instructions_(lexer_, *module_, names_) {}

    std::unique_ptr<Module> read();

private:
    void find_names();
    void name_variable(const std::string& name, std::string_view definition_text);
    void read_top_level();
    void read_variable();
    void read_variable_words(Variable& variable, bool& is_alias);
    void read_attribute_group();
    void read_function();
    void read_parameters(Function& function, std::vector<const Type*>& types);
    void read_after_parameters(Function& function);
    void read_body(Function& function);
    void read_declared_variable(Function& function);
    static std::string entry_block_name(const Function& function);
    void resolve();
    void apply_annotations();

    Lexer lexer_;
    std::unique_ptr<Module> module_;
    VisibleNames names_;
    std::map<std::string, Variable*> variables_;
    ValueReader values_;
    InstructionReader instructions_;
    Metadata metadata_;
    std::map<std::string, Attributes> attribute_group_texts_;
    std::map<Function*, std::vector<std::string>> attribute_groups_;
    std::map<Function*, std::string> debug_nodes_;
    std::vector<InstructionReader::MetadataAttachment> metadata_attachments_;
    struct DeclaredVariable {
        Function* function;
        const Value* memory;
        std::string node;
    };
    std::vector<DeclaredVariable> declared_variables_;
    /// For each variable, the name of its !dbg node.
    std::map<Variable*, std::string> variable_nodes_;
    /// The offset at which the parameters of the current function end.
    std::size_t header_end_ = 0;
    bool is_variadic_ = false;
};

std::unique_ptr<Module> ModuleReader::read() {
    find_names();
    while (!lexer_.is_at(TokenKind::end)) read_top_level();
    resolve();
    return std::move(module_);
}

/// Finds all global names in advance, because they may be used before they are defined. Each
/// definition starts at the beginning of a line.
void ModuleReader::find_names() {
    const Type* pointer = module_->types.pointer();
    const std::string_view text = lexer_.text();
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        const std::string_view words = text.substr(line, end - line);
        const bool is_function = words.starts_with("define ") || words.starts_with("declare ");
        if (is_function || words.starts_with("@")) {
            Lexer name(words.substr(std::min(words.find('@'), words.size())));
            if (!name.is_at(TokenKind::global)) name.fail("expected a name");
            const std::string name_text = name.current().text;
            if (is_function && names_.globals.count(name_text)) {
                // Both clang and library.cpp may declare the same function.
            } else if (is_function) {
                auto* function = module_->make<Function>(Value::Kind::function, pointer, name_text);
                names_.globals[name_text] = function;
                module_->functions.push_back(function);
            } else {
                name_variable(name_text, words);
            }
        }
        line = end + 1;
    }
}

/// Adds the name of a variable. A variable without an address space is in global memory, and its
/// name represents a generic address.
void ModuleReader::name_variable(const std::string& name, std::string_view definition_text) {
    const Type* pointer = module_->types.pointer();
    auto* variable = module_->make<Variable>(Value::Kind::variable, pointer, name);
    variables_[name] = variable;
    names_.globals[name] = variable;
    Lexer words(definition_text);
    while (!words.is_at_word("global") && !words.is_at_word("constant")) {
        if (words.is_at(TokenKind::end) || words.is_at_word("addrspace") ||
            words.is_at_word("alias"))
            return;
        words.take_token();
    }
    variable->space = Space::global;
    auto* address = module_->make<Constant>(Value::Kind::expression, pointer);
    address->op = Op::addrspacecast;
    address->operands = {variable};
    names_.globals[name] = address;
}

void ModuleReader::read_top_level() {
    if (lexer_.is_at(TokenKind::global)) {
        read_variable();
    } else if (lexer_.is_at_word("define") || lexer_.is_at_word("declare")) {
        read_function();
    } else if (lexer_.is_at_word("attributes")) {
        read_attribute_group();
    } else if (lexer_.is_at(TokenKind::metadata)) {
        metadata_.read(lexer_);
    } else if (lexer_.is_at(TokenKind::local)) {
        read_type_definition(lexer_, module_->types);
    } else if (lexer_.is_at_word("module") || lexer_.is_at_word("source_filename") ||
               lexer_.is_at_word("target") || lexer_.is_at(TokenKind::comdat)) {
        if (lexer_.is_at_word("module"))
            lexer_.fail("inline assembly outside of functions is not supported");
        lexer_.skip_line();
    } else {
        lexer_.fail("this cannot be parsed");
    }
}

// ---- variables ----

/// Reads a variable, such as `@tile = internal unnamed_addr addrspace(3) global [32 x [33 x float]]
/// undef, align 4`.
void ModuleReader::read_variable() {
    Variable& variable = *variables_.at(lexer_.take_token().text);
    lexer_.expect('=');
    bool is_alias = false;
    read_variable_words(variable, is_alias);
    variable.memory_type = read_type(lexer_, module_->types);
    if (is_alias) {
        lexer_.expect(',');
        names_.globals[variable.name] = values_.read_typed();
        return;
    }
    variable.type = module_->types.pointer(variable.space);
    const bool has_initial = variable.linkage != "external" && variable.linkage != "extern_weak";
    if (has_initial) variable.initial = values_.read(variable.memory_type);
    while (lexer_.accept(',')) {
        if (lexer_.accept_word("align")) {
            variable.align = static_cast<u32>(read_unsigned(lexer_));
        } else {
            const bool is_debug =
                lexer_.take_token().text == "dbg";  // otherwise: section or comdat
            if (is_debug) variable_nodes_[&variable] = lexer_.current().text;
            if (lexer_.is_at('(')) lexer_.skip_brackets();
            if (lexer_.is_at(TokenKind::string) || lexer_.is_at(TokenKind::metadata))
                lexer_.take_token();
        }
    }
    while (lexer_.is_at(TokenKind::attributes)) lexer_.take_token();
    module_->variables.push_back(&variable);
}

void ModuleReader::read_variable_words(Variable& variable, bool& is_alias) {
    for (;;) {
        const std::string word = lexer_.current().text;
        if (lexer_.is_at_word("addrspace")) {
            variable.space = read_space(lexer_);
            continue;
        }
        if (!lexer_.is_at(TokenKind::word)) lexer_.fail("expected 'global' or 'constant'");
        lexer_.take_token();
        if (is_linkage(word)) variable.linkage = word;
        if (lexer_.is_at('(')) lexer_.skip_brackets();  // thread_local(...)
        is_alias = word == "alias";
        variable.is_constant_data = word == "constant";
        if (is_alias || word == "global" || word == "constant") return;
    }
}

/// Reads a group of attributes, such as `attributes #0 = { convergent "nvvm.maxntid"="256" }`.
void ModuleReader::read_attribute_group() {
    lexer_.take_token();
    Attributes& group =
        attribute_group_texts_[lexer_.expect(TokenKind::attributes, "the number of a group")];
    lexer_.expect('=');
    lexer_.expect('{');
    while (!lexer_.accept('}')) {
        if (lexer_.is_at(TokenKind::end)) lexer_.fail("expected '}'");
        const std::string key = lexer_.take_token().text;
        std::string& value = group[key];
        if (lexer_.accept('=')) value = lexer_.take_token().text;
        if (lexer_.is_at('(')) lexer_.skip_brackets();
    }
}

// ---- functions ----

void ModuleReader::read_function() {
    const bool is_defined = lexer_.take_token().text == "define";
    std::string linkage, place;
    bool is_kernel = false;
    while (lexer_.is_at(TokenKind::metadata)) {  // the form is: declare !dbg !5 void @f()
        lexer_.take_token();
        lexer_.take_token();
    }
    while (lexer_.is_at(TokenKind::word) && !is_at_type(lexer_)) {
        const std::string word = lexer_.current().text;
        if (is_linkage(word)) linkage = word;
        if (word == "ptx_kernel") is_kernel = true;
        lexer_.take_token();
        if (lexer_.is_at('(')) lexer_.skip_brackets();
        if (word == "align") lexer_.take_token();
    }
    const Type* returned = read_type(lexer_, module_->types);
    auto& function = static_cast<Function&>(
        *names_.globals.at(lexer_.expect(TokenKind::global, "the name of a function")));
    function.linkage = linkage;
    function.is_kernel = is_kernel;
    names_.locals.clear();
    names_.arguments.clear();
    names_.blocks.clear();
    std::vector<const Type*> types;
    lexer_.expect('(');
    read_parameters(function, types);
    function.function_type = module_->types.function(returned, std::move(types), is_variadic_);
    read_after_parameters(function);
    if (is_defined) read_body(function);
}

/// Reads parameters up to the closing bracket, such as `ptr noundef readonly %in, i32 %n, ...`.
void ModuleReader::read_parameters(Function& function, std::vector<const Type*>& types) {
    is_variadic_ = false;
    while (!lexer_.is_at(')')) {
        if (lexer_.is_at(TokenKind::dots)) {
            lexer_.take_token();
            is_variadic_ = true;
            break;
        }
        types.push_back(read_type(lexer_, module_->types));
        auto* argument = module_->make<Argument>(Value::Kind::argument, types.back());
        const auto facts = instructions_.read_parameter_attributes();
        argument->index = static_cast<u32>(function.arguments.size());
        argument->align = facts.align;
        argument->by_value = facts.by_value;
        argument->is_read_only = facts.is_read_only;
        argument->is_no_alias = facts.is_no_alias;
        if (lexer_.is_at(TokenKind::local)) {
            argument->name = lexer_.take_token().text;
            names_.arguments[argument->name] = argument;
        }
        function.arguments.push_back(argument);
        if (!lexer_.accept(',')) break;
    }
    header_end_ = lexer_.current().begin;
    lexer_.expect(')');
}

/// Reads the rest of a function's header line, such as `local_unnamed_addr #0 !dbg !12 {`.
void ModuleReader::read_after_parameters(Function& function) {
    const std::size_t end = std::min(lexer_.text().find('\n', header_end_), lexer_.text().size());
    while (!lexer_.is_at('{') && !lexer_.is_at(TokenKind::end) && lexer_.current().begin < end) {
        if (lexer_.is_at(TokenKind::attributes)) {
            attribute_groups_[&function].push_back(lexer_.take_token().text);
        } else if (lexer_.is_at(TokenKind::metadata) && lexer_.current().text == "dbg") {
            lexer_.take_token();
            debug_nodes_[&function] = lexer_.take_token().text;
        } else {
            lexer_.take_token();
        }
    }
}

void ModuleReader::read_body(Function& function) {
    lexer_.expect('{');
    Block* block = nullptr;
    while (!lexer_.accept('}')) {
        if (lexer_.is_at(TokenKind::attributes)) {  // #dbg_value(...)
            if (lexer_.take_token().text == "dbg_declare")
                read_declared_variable(function);
            else
                lexer_.skip_brackets();
            continue;
        }
        const bool is_named = lexer_.is_at(TokenKind::key);
        if (is_named || !block) {
            block = values_.block(is_named ? lexer_.take_token().text : entry_block_name(function));
            block->parent = &function;
            function.blocks.push_back(block);
            continue;
        }
        Instruction* instruction = instructions_.read(metadata_attachments_);
        instruction->parent = block;
        block->instructions.push_back(instruction);
    }
    for (const auto& [name, instruction] : names_.locals) {
        if (!instruction->parent) lexer_.fail("%" + name + " is used, but not defined");
    }
    for (const auto& [name, used] : names_.blocks) {
        if (!used->parent) lexer_.fail("the block %" + name + " is used, but not defined");
        if (used->instructions.empty()) lexer_.fail("the block %" + name + " is empty");
    }
}

/// Reads the arguments of a debug declaration, such as `(ptr %row, !33, !DIExpression(), !34)`.
/// They state which alloca holds which variable. Skips the variables of functions that were inlined
/// into this one.
void ModuleReader::read_declared_variable(Function& function) {
    lexer_.expect('(');
    const Value* memory = values_.read_typed();
    lexer_.expect(',');
    const std::string node = lexer_.expect(TokenKind::metadata, "a variable");
    while (!lexer_.is_at(')')) {
        if (lexer_.is_at(TokenKind::end)) lexer_.fail("expected ')'");
        const bool has_brackets = lexer_.is_followed_by('(');
        lexer_.take_token();
        if (has_brackets) lexer_.skip_brackets();
    }
    lexer_.expect(')');
    if (memory->has_kind(Value::Kind::instruction))
        declared_variables_.push_back({&function, memory, node});
}

/// Returns the name of the entry block. An unnamed entry block is numbered after the unnamed
/// arguments.
std::string ModuleReader::entry_block_name(const Function& function) {
    std::size_t unnamed = 0;
    for (const Argument* argument : function.arguments) {
        unnamed += argument->name == std::to_string(unnamed) ? 1 : 0;
    }
    return std::to_string(unnamed);
}

// ---- metadata and attributes at the end ----

void ModuleReader::resolve() {
    for (auto& [function, groups] : attribute_groups_) {
        for (const std::string& group : groups) {
            function->attributes.insert(attribute_group_texts_[group].begin(),
                                        attribute_group_texts_[group].end());
        }
    }
    for (auto& [function, node] : debug_nodes_)
        function->location = metadata_.location(node, *module_);
    for (const InstructionReader::MetadataAttachment& attachment : metadata_attachments_) {
        if (attachment.kind == "dbg")
            attachment.instruction->location = metadata_.location(attachment.node, *module_);
        if (attachment.kind == "llvm.loop") {
            attachment.instruction->is_not_unrolled = metadata_.is_not_unrolled(attachment.node);
        }
    }
    for (const DeclaredVariable& one : declared_variables_) {
        DebugVariable variable = metadata_.debug_variable(one.node, *module_);
        variable.memory = one.memory;
        const bool is_own =
            metadata_.is_in_function(variable.scope.node, debug_nodes_[one.function]);
        if (variable.type && is_own) one.function->debug_variables.push_back(std::move(variable));
    }
    for (const auto& [variable, node] : variable_nodes_) {
        variable->debug = metadata_.debug_variable(node, *module_);
        if (!variable->debug->type) variable->debug.reset();
    }
    apply_annotations();
}

/// Applies annotations. Versions 17 to 20 of clang generate these instead of ptx_kernel and
/// attributes.
void ModuleReader::apply_annotations() {
    for (const Metadata::Annotation& annotation : metadata_.annotations()) {
        const auto global_entry = names_.globals.find(annotation.function);
        if (global_entry == names_.globals.end() ||
            !global_entry->second->has_kind(Value::Kind::function))
            continue;
        auto& function = static_cast<Function&>(*global_entry->second);
        for (const auto& [key, value] : annotation.facts) {
            if (key == "kernel") {
                function.is_kernel = true;
            } else if (key == "minctasm" || key == "maxnreg") {
                function.attributes["nvvm." + key] = value;
            } else if (key.starts_with("maxntid") || key.starts_with("reqntid")) {
                std::string& attribute_text = function.attributes["nvvm." + key.substr(0, 7)];
                attribute_text += (attribute_text.empty() ? "" : ",") + value;
            }
        }
    }
}

/// Adds the source position to an error. The position follows from the "!dbg !12" in the line that
/// could not be read, and from the metadata at the end of the module.
Untranslated with_source_position(const Untranslated& error, const std::string& text) {
    constexpr std::string_view metadata_note = "!dbg !";
    const std::size_t note_begin = error.instruction.find(metadata_note),
                      notes = text.find("\n!0 = ");
    if (error.line != 0 || note_begin == std::string::npos || notes == std::string::npos)
        return error;
    Metadata metadata;
    Lexer lexer(std::string_view(text).substr(notes));
    while (lexer.is_at(TokenKind::metadata)) metadata.read(lexer);
    const std::string name = error.instruction.substr(note_begin + metadata_note.size());
    Module module;
    const SourceLocation* location = outermost_call_site(
        metadata.location(name.substr(0, name.find_first_not_of("0123456789")), module));
    if (!location) return error;
    return {error.what(), error.instruction, location->file, location->line};
}

}  // namespace

std::unique_ptr<Module> read_module(const std::string& text) {
    try {
        return ModuleReader(text).read();
    } catch (const Untranslated& error) {
        throw with_source_position(error, text);
    }
}

}  // namespace coalesce::translator
