#include "examiner/changes/tokens.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "examiner/source_lines.h"

namespace coalesce::changes {
namespace {

bool begins_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool continues_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Reads the tokens of a text one after the other.
class Tokenizer {
public:
    explicit Tokenizer(const std::string& text) : code_(blank_out_comments(text)) {}

    std::vector<Token> read_all() {
        bool is_at_line_start = true;
        while (at_ < code_.size()) {
            const char c = code_[at_];
            if (c == '\n') {
                ++line_;
                ++at_;
                is_at_line_start = true;
            } else if (std::isspace(static_cast<unsigned char>(c))) {
                ++at_;
            } else if (c == '#' && is_at_line_start) {
                skip_preprocessor_line();
            } else {
                is_at_line_start = false;
                read_token();
            }
        }
        match_brackets();
        return std::move(tokens_);
    }

private:
    void skip_preprocessor_line() {
        while (at_ < code_.size() && (code_[at_] != '\n' || code_[at_ - 1] == '\\')) {
            line_ += code_[at_++] == '\n';
        }
    }

    void read_token() {
        const std::size_t begin = at_;
        Token::Kind kind = Token::Kind::symbol;
        if (begins_word(code_[at_])) {
            kind = Token::Kind::word;
            at_ = end_of_word();
        } else if (std::isdigit(static_cast<unsigned char>(code_[at_]))) {
            kind = Token::Kind::number;
            while (at_ < code_.size() && (continues_word(code_[at_]) || code_[at_] == '.')) ++at_;
        } else {
            at_ += length_of_symbol();
        }
        tokens_.push_back({kind, begin, at_, line_, code_.substr(begin, at_ - begin), 0});
    }

    /// Returns the end of the name at the current place, including its members.
    std::size_t end_of_word() const {
        std::size_t end = at_;
        while (end < code_.size()) {
            const bool is_member =
                code_[end] == '.' && end + 1 < code_.size() && begins_word(code_[end + 1]);
            if (!continues_word(code_[end]) && !is_member) break;
            ++end;
        }
        return end;
    }

    std::size_t length_of_symbol() const {
        static const char* const longest_first[] = {
            "<<=", ">>=", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=",
            "-=",  "*=",  "/=", "%=", "^=", "|=", "&=", "<<", ">>", "->", "::"};
        for (const char* symbol : longest_first) {
            const std::string_view view(symbol);
            if (code_.compare(at_, view.size(), view) == 0) return view.size();
        }
        return 1;
    }

    void match_brackets() {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            Token& token = tokens_[i];
            token.match = i;
            if (token.is("(") || token.is("[") || token.is("{")) open.push_back(i);
            if (!token.is(")") && !token.is("]") && !token.is("}")) continue;
            if (open.empty()) continue;
            token.match = open.back();
            tokens_[open.back()].match = i;
            open.pop_back();
        }
    }

    const std::string code_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<Token> tokens_;
};

const std::set<std::string> kIntegerTypes = {"int",     "unsigned", "long",    "short",
                                             "char",    "size_t",   "int32_t", "uint32_t",
                                             "int64_t", "uint64_t", "uint8_t", "int8_t"};

const std::set<std::string> kOtherTypes = {"float", "double", "bool",  "float2", "float4",
                                           "int2",  "int4",   "uint2", "uint4",  "auto",
                                           "dim3",  "__half", "half"};

const std::set<std::string> kKeywords = {"if",
                                         "else",
                                         "for",
                                         "while",
                                         "do",
                                         "return",
                                         "break",
                                         "continue",
                                         "switch",
                                         "case",
                                         "default",
                                         "const",
                                         "constexpr",
                                         "static",
                                         "extern",
                                         "inline",
                                         "volatile",
                                         "sizeof",
                                         "alignas",
                                         "struct",
                                         "class",
                                         "enum",
                                         "union",
                                         "template",
                                         "typename",
                                         "using",
                                         "namespace",
                                         "true",
                                         "false",
                                         "nullptr",
                                         "void",
                                         "signed",
                                         "asm",
                                         "operator",
                                         "this",
                                         "new",
                                         "delete",
                                         "static_cast",
                                         "reinterpret_cast",
                                         "const_cast",
                                         "__global__",
                                         "__device__",
                                         "__shared__",
                                         "__restrict__",
                                         "__align__",
                                         "__launch_bounds__",
                                         "__constant__",
                                         "__forceinline__",
                                         "__host__",
                                         "__syncthreads",
                                         "Launch"};

}  // namespace

std::vector<Token> tokenize(const std::string& text) {
    return Tokenizer(text).read_all();
}

bool is_integer_type(const std::string& word) {
    return kIntegerTypes.contains(word);
}

bool is_type(const std::string& word) {
    return is_integer_type(word) || kOtherTypes.contains(word);
}

bool is_keyword(const std::string& word) {
    return is_type(word) || kKeywords.contains(word);
}

std::string base_of(const std::string& word) {
    return word.substr(0, word.find('.'));
}

std::string member_of(const std::string& word) {
    const std::size_t dot = word.rfind('.');
    return dot == std::string::npos ? "" : word.substr(dot + 1);
}

}  // namespace coalesce::changes
