#include "grader/judge/ptx_tokens.h"

#include <cctype>

namespace coalesce::grader {
namespace {

/// What a word consists of. Colons only in the double ones of "L2::128B".
bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
           c == '.';
}

class Reader {
public:
    explicit Reader(std::string_view ptx) : ptx_(ptx) {}

    PtxText read() {
        while (at_ < ptx_.size() && !text_.is_broken) step();
        text_.has_forged_marks |= is_inline_;
        return std::move(text_);
    }

private:
    char now() const { return ptx_[at_]; }
    bool is_at(std::string_view what) const { return ptx_.substr(at_).starts_with(what); }

    void step() {
        if (now() == '\n') ++line_;
        if (std::isspace(static_cast<unsigned char>(now()))) {
            ++at_;
        } else if (is_at("//")) {
            take_line_comment();
        } else if (is_at("/*")) {
            take_comment();
        } else if (now() == '"') {
            take_string();
        } else if (is_word(now())) {
            take_word();
        } else {
            take_sign();
        }
    }

    void add(std::size_t begin) {
        text_.tokens.push_back({ptx_.substr(begin, at_ - begin), line_, is_inline_});
    }

    void take_line_comment() {
        const std::size_t end = std::min(ptx_.find('\n', at_), ptx_.size());
        const std::string_view comment = ptx_.substr(at_, end - at_);
        at_ = end;
        if (comment == "// begin inline asm") {
            text_.has_forged_marks |= is_inline_;
            is_inline_ = true;
        } else if (comment == "// end inline asm") {
            text_.has_forged_marks |= !is_inline_;
            is_inline_ = false;
        }
    }

    void take_comment() {
        const std::size_t end = ptx_.find("*/", at_ + 2);
        text_.is_broken = end == ptx_.npos;
        for (; at_ < std::min(end, ptx_.size()); ++at_) line_ += now() == '\n';
        at_ += 2;
    }

    void take_string() {
        const std::size_t begin = at_++;
        while (at_ < ptx_.size() && now() != '"' && now() != '\n') at_ += now() == '\\' ? 2 : 1;
        text_.is_broken = at_ >= ptx_.size() || now() != '"';
        if (text_.is_broken) return;
        ++at_;
        add(begin);
    }

    void take_word() {
        const std::size_t begin = at_;
        while (at_ < ptx_.size() && (is_word(now()) || is_at("::"))) at_ += is_at("::") ? 2 : 1;
        add(begin);
    }

    void take_sign() {
        constexpr std::string_view signs = "{}[]()<>;:,=@!+-|*&^~?/";
        text_.is_broken = signs.find(now()) == signs.npos;
        const std::size_t begin = at_++;
        add(begin);
    }

    std::string_view ptx_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool is_inline_ = false;
    PtxText text_;
};

}  // namespace

PtxText tokens_of(std::string_view ptx) {
    return Reader(ptx).read();
}

}  // namespace coalesce::grader
