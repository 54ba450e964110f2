// Reads a module: its directives, variables and functions, in the order of the text.
//
// Read next  function_reader.h, which reads the body of a function.
#include "simulator/ptx/parser.h"

#include "simulator/ptx/constants.h"
#include "simulator/ptx/function_reader.h"

namespace coalesce::simulator::ptx {

namespace {

/// The maximum total size of the text of copied functions, in bytes. The simulator implements an
/// alias as a copy of its function, so many aliases of a large function would need too much memory.
constexpr u64 kMaxAliasedTextBytes = u64{16} << 20;

class ModuleReader {
public:
    explicit ModuleReader(std::unique_ptr<Module> module)
        : module_(std::move(module)),
          lexer_(module_->text),
          declarations_(lexer_, module_->text.size()) {}

    std::unique_ptr<Module> read_module() {
        if (!lexer_.is_at_directive(".version")) lexer_.fail_expected("'.version': is this PTX?");
        while (!lexer_.is_at_end()) read_directive();
        resolve_inlining(*module_);
        return std::move(module_);
    }

private:
    void read_directive() {
        if (lexer_.accept_directive(".version")) {
            if (!lexer_.is_at(TokenKind::number)) lexer_.fail_expected("a version");
            module_->version = lexer_.take_token().text;
        } else if (lexer_.accept_directive(".target")) {
            read_target();
        } else if (lexer_.accept_directive(".address_size")) {
            if (read_integer(lexer_) != 64) lexer_.fail("only 64-bit PTX is supported");
        } else if (lexer_.accept_directive(".file")) {
            read_file(lexer_, *module_);
        } else if (lexer_.accept_directive(".loc")) {
            Inlining inlining_outside_functions;
            location_ = to_source_line(read_location(lexer_, inlining_outside_functions));
        } else if (lexer_.accept_directive(".section")) {
            read_section();
        } else if (lexer_.accept_directive(".alias")) {
            read_alias();
        } else if (lexer_.is_at_directive(".pragma")) {
            lexer_.skip_statement();
        } else if (!lexer_.accept(';')) {
            read_linkage_and_declaration();
        }
    }

    /// Reads .target sm_90, debug.
    void read_target() {
        module_->target = lexer_.expect_identifier("a target like sm_90");
        while (lexer_.accept(',')) lexer_.expect_identifier("an option of the target");
    }

    /// Skips debug information, which is not needed to run the program.
    void read_section() {
        while (!lexer_.is_at('{')) {
            if (lexer_.is_at_end()) lexer_.fail_expected("'{' to open the section");
            lexer_.take_token();
        }
        lexer_.skip_braces();
    }

    /// Reads .alias another_name, function;
    void read_alias() {
        const std::string alias(lexer_.expect_identifier("the name of an alias"));
        lexer_.expect(',');
        const std::string target(
            lexer_.expect_identifier("the function that the alias stands for"));
        const auto function_entry = module_->functions.find(target);
        if (function_entry == module_->functions.end() || !function_entry->second->has_body) {
            lexer_.fail("the alias '" + alias + "' stands for '" + target +
                        "', which is not defined above it");
        }
        aliased_text_bytes_ += text_sizes_.at(target);
        if (aliased_text_bytes_ > kMaxAliasedTextBytes) {
            lexer_.fail("the aliases of this module expand to too much code");
        }
        auto aliased_function = std::make_unique<Function>(*function_entry->second);
        aliased_function->name = alias;
        text_sizes_[alias] = text_sizes_.at(target);
        add_function(std::move(aliased_function));
        lexer_.expect(';');
    }

    void read_linkage_and_declaration() {
        bool is_extern = false;
        Linkage linkage = Linkage::local;
        for (;; lexer_.take_token()) {
            if (lexer_.is_at_directive(".extern")) {
                is_extern = true;
                linkage = Linkage::visible;
            } else if (lexer_.is_at_directive(".visible")) {
                linkage = Linkage::visible;
            } else if (lexer_.is_at_directive(".weak")) {
                linkage = Linkage::weak;
            } else if (lexer_.is_at_directive(".common")) {
                linkage = Linkage::common;
            } else if (!lexer_.is_at_directive(".hidden")) {
                break;
            }
        }
        if (lexer_.accept_directive(".entry")) {
            read_function(true, linkage);
        } else if (lexer_.accept_directive(".func")) {
            read_function(false, linkage);
        } else if (const auto space = accept_state_space(lexer_);
                   space && space != StateSpace::param) {
            for (Variable& variable : declarations_.read_variables(*space, is_extern)) {
                variable.linkage = linkage;
                add_function(std::move(variable));
            }
        } else {
            lexer_.fail_expected("a directive, a variable or a function");
        }
    }

    void read_function(bool is_entry, Linkage linkage) {
        const u32 start = lexer_.offset();
        auto function = ptx::read_function(lexer_, declarations_, *module_, is_entry, location_);
        function->linkage = linkage;
        location_ = {};
        if (function->has_body) text_sizes_[function->name] = lexer_.previous_end() - start;
        add_function(std::move(function));
    }

    /// Adds a function. A definition replaces a prototype, regardless of their order.
    void add_function(std::unique_ptr<Function> function) {
        std::unique_ptr<Function>& declared_function = module_->functions[function->name];
        if (declared_function && declared_function->has_body && function->has_body) {
            lexer_.fail("the function '" + function->name + "' is defined twice");
        }
        if (!declared_function || !declared_function->has_body)
            declared_function = std::move(function);
    }

    void add_function(Variable variable) {
        variable.declaration_order = static_cast<u32>(module_->variables.size());
        const auto [known, is_new] = module_->variables.try_emplace(variable.name);
        if (!is_new && !variable.is_extern && !known->second.is_extern) {
            lexer_.fail("the variable '" + variable.name + "' is defined twice");
        }
        if (is_new || known->second.is_extern) known->second = std::move(variable);
    }

    std::unique_ptr<Module> module_;
    Lexer lexer_;
    DeclarationReader declarations_;
    SourceLine location_;
    /// The size in bytes of the text of each function with a body.
    std::map<std::string, u64> text_sizes_;
    u64 aliased_text_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Module> parse(std::string_view text) {
    auto module = std::make_unique<Module>();
    module->text = text;
    return ModuleReader(std::move(module)).read_module();
}

}  // namespace coalesce::simulator::ptx
