#include "examiner/text_pattern.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace coalesce {
namespace {

using Characters = std::bitset<256>;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t index_of(char c) {
    return static_cast<unsigned char>(c);
}

Characters characters_if(bool (*is_member)(char)) {
    Characters found;
    for (int c = 0; c < 256; ++c)
        found[static_cast<std::size_t>(c)] = is_member(static_cast<char>(c));
    return found;
}

/// Returns the characters that an escape such as \w matches. Any other escaped character matches
/// itself.
Characters characters_of_escape(char letter) {
    switch (letter) {
        case 'w': return characters_if(is_word);
        case 'W': return ~characters_if(is_word);
        case 's':
            return characters_if(
                [](char c) { return std::string_view(" \t\n\r\f\v").find(c) < 6; });
        case 'd': return characters_if([](char c) { return c >= '0' && c <= '9'; });
        case 't': return Characters().set('\t');
        case 'r': return Characters().set('\r');
        case 'n': return Characters().set('\n');
        default: return Characters().set(index_of(letter));
    }
}

/// Stands for an unlimited number of repetitions, or for an offset beyond the end of every text.
constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);

}  // namespace

/// Compiles an expression to instructions. Each part of the expression becomes a vector of
/// instructions, with branch targets relative to the beginning of the vector.
class TextPatternCompiler {
public:
    explicit TextPatternCompiler(std::string_view expression) : text_(expression) {}

    std::vector<TextPattern::Instruction> compile() {
        Code all = {save(0)};
        append(all, alternatives());
        if (position_ != text_.size()) fail("there is an unmatched )");
        all.push_back(save(1));
        all.push_back({});
        return all;
    }

private:
    using Kind = TextPattern::Kind;
    using Code = std::vector<TextPattern::Instruction>;

    [[noreturn]] void fail(const std::string& why) const {
        throw std::invalid_argument("pattern " + std::string(text_) + ": " + why);
    }
    bool accept(std::string_view wanted) {
        if (!text_.substr(position_).starts_with(wanted)) return false;
        position_ += wanted.size();
        return true;
    }
    char next() {
        if (position_ == text_.size()) fail("the pattern ends too early");
        return text_[position_++];
    }

    static TextPattern::Instruction save(std::size_t slot) {
        return {.kind = Kind::save, .first = slot};
    }
    static Code match_one(Kind kind) { return {{.kind = kind}}; }
    static Code match_one(const Characters& characters) {
        return {{.kind = Kind::character, .characters = characters}};
    }
    static void append(Code& to, const Code& from) {
        const std::size_t base = to.size();
        for (TextPattern::Instruction instruction : from) {
            if (instruction.kind == Kind::split || instruction.kind == Kind::jump) {
                instruction.first += base;
                instruction.second += base;
            }
            to.push_back(instruction);
        }
    }
    /// Returns code that tries `first`, then `second`.
    static Code either(const Code& first, const Code& second) {
        Code code = {{.kind = Kind::split, .first = 1, .second = first.size() + 2}};
        append(code, first);
        code.push_back({.kind = Kind::jump, .first = first.size() + 2 + second.size()});
        append(code, second);
        return code;
    }
    static Code optional(const Code& part, bool is_lazy) {
        return is_lazy ? either({}, part) : either(part, {});
    }
    static Code repeated(const Code& part, bool is_lazy) {
        const std::size_t behind = part.size() + 2;
        Code code = {{.kind = Kind::split, .first = 1, .second = behind}};
        if (is_lazy) std::swap(code[0].first, code[0].second);
        append(code, part);
        code.push_back({.kind = Kind::jump, .first = 0});
        return code;
    }

    Code alternatives() {
        const Code first = sequence();
        return accept("|") ? either(first, alternatives()) : first;
    }
    Code sequence() {
        Code code;
        while (position_ < text_.size() && text_[position_] != '|' && text_[position_] != ')')
            append(code, factor());
        return code;
    }
    Code factor() {
        const Code part = atom();
        std::size_t least = 1, most = 1;
        if (accept("*")) {
            least = 0, most = kUnlimited;
        } else if (accept("+")) {
            most = kUnlimited;
        } else if (accept("?")) {
            least = 0;
        } else if (accept("{")) {
            least = number();
            most = accept(",") ? number() : least;
            if (!accept("}")) fail("a } is missing");
        } else {
            return part;
        }
        const bool is_lazy = accept("?");
        Code code;
        for (std::size_t i = 0; i < least; ++i) append(code, part);
        if (most == kUnlimited) append(code, repeated(part, is_lazy));
        for (std::size_t i = least; most != kUnlimited && i < most; ++i)
            append(code, optional(part, is_lazy));
        return code;
    }
    std::size_t number() {
        std::size_t value = 0;
        while (position_ < text_.size() &&
               std::isdigit(static_cast<unsigned char>(text_[position_])))
            value = 10 * value + static_cast<std::size_t>(next() - '0');
        return value;
    }
    Code atom() {
        const char c = next();
        switch (c) {
            case '(': return group();
            case '[': return match_one(bracketed());
            case '.': return match_one(~Characters().set('\n').set('\r'));
            case '^': return match_one(Kind::begin);
            case '$': return match_one(Kind::end);
            case '*':
            case '+':
            case '?':
            case '{': fail("there is nothing to repeat");
            case '\\': {
                const char letter = next();
                if (letter == 'b') return match_one(Kind::word_boundary);
                if (std::isdigit(static_cast<unsigned char>(letter)))
                    fail("back-references are not supported");
                return match_one(characters_of_escape(letter));
            }
            default: return match_one(Characters().set(index_of(c)));
        }
    }
    Code group() {
        const bool is_captured = !accept("?:");
        if (is_captured && accept("?")) fail("look-around is not supported");
        const std::size_t number = is_captured ? ++groups_ : 0;
        if (number >= TextMatch::kMaxParts) fail("there are too many groups");
        Code code;
        if (is_captured) code.push_back(save(2 * number));
        append(code, alternatives());
        if (is_captured) code.push_back(save(2 * number + 1));
        if (!accept(")")) fail("a ) is missing");
        return code;
    }
    Characters bracketed() {
        const bool is_negated = accept("^");
        Characters found;
        while (!accept("]")) {
            const char first = next();
            if (first == '\\') {
                found |= characters_of_escape(next());
                continue;
            }
            char last = first;
            if (position_ + 1 < text_.size() && text_[position_] == '-' &&
                text_[position_ + 1] != ']') {
                ++position_;
                last = next();
            }
            for (std::size_t c = index_of(first); c <= index_of(last); ++c) found.set(c);
        }
        return is_negated ? ~found : found;
    }

    std::string_view text_;
    std::size_t position_ = 0, groups_ = 0;
};

/// A search in one text. A thread of the search is an instruction that can be reached by reading
/// the text up to the current character, together with the groups found so far. The threads are
/// ordered by preference.
class TextPatternSearch {
public:
    TextPatternSearch(std::string_view text, const TextPattern& pattern)
        : text_(text), code_(pattern.code_), visited_at_(code_.size(), kUnlimited) {
        using Kind = TextPattern::Kind;
        std::size_t first = 0;
        while (code_[first].kind == Kind::save || code_[first].kind == Kind::word_boundary) ++first;
        if (code_[first].kind == Kind::character) first_characters_ = &code_[first].characters;
    }

    /// Finds the best match that begins at or after `from`. Returns false if there is none. If
    /// `is_whole` is set, the match must begin at `from` and extend to the end of the text.
    bool find(std::size_t from, bool is_whole, TextMatch& match) {
        bool has_match = false;
        now_.clear();
        std::ranges::fill(visited_at_, kUnlimited);
        for (std::size_t at = from; at <= text_.size(); ++at) {
            ++characters_read_;
            if (now_.empty()) {
                if (has_match || (is_whole && at > from)) break;
                if (!is_whole) at = skip_to_first_character(at);
            }
            next_.swap(now_);
            now_.clear();
            // `next_` contains the threads that have read all characters before this one. Follow
            // each thread to the next instruction that reads a character.
            for (const Thread& thread : next_) follow(thread.at, thread.slots, at);
            if (!has_match && (!is_whole || at == from)) follow(0, Slots{}, at);
            has_match |= step(at, is_whole, match);
        }
        return has_match;
    }

    std::size_t characters_read() const { return characters_read_; }

private:
    using Slots = std::array<std::size_t, 2 * TextMatch::kMaxParts>;
    struct Thread {
        std::size_t at = 0;
        Slots slots{};  ///< offsets plus one; 0 if a group is not part of the match
    };

    std::size_t skip_to_first_character(std::size_t at) const {
        if (!first_characters_) return at;
        while (at < text_.size() && !first_characters_->test(index_of(text_[at]))) ++at;
        return at;
    }

    bool is_word_at(std::size_t at) const { return at < text_.size() && is_word(text_[at]); }

    /// Follows a thread until it must read a character, and adds the resulting threads in order of
    /// preference.
    void follow(std::size_t begin, const Slots& slots, std::size_t at) {
        using Kind = TextPattern::Kind;
        pending_.push_back({begin, slots});
        while (!pending_.empty()) {
            Thread thread = pending_.back();
            pending_.pop_back();
            if (std::exchange(visited_at_[thread.at], at) == at) continue;
            const TextPattern::Instruction& now = code_[thread.at];
            const auto go_on_if = [&](bool condition) {
                if (condition) pending_.push_back({thread.at + 1, thread.slots});
            };
            switch (now.kind) {
                case Kind::split:
                    pending_.push_back({now.second, thread.slots});
                    pending_.push_back({now.first, thread.slots});
                    break;
                case Kind::jump: pending_.push_back({now.first, thread.slots}); break;
                case Kind::save:
                    thread.slots[now.first] = at + 1;
                    go_on_if(true);
                    break;
                case Kind::word_boundary:
                    go_on_if((at > 0 && is_word_at(at - 1)) != is_word_at(at));
                    break;
                case Kind::begin: go_on_if(at == 0); break;
                case Kind::end: go_on_if(at == text_.size()); break;
                case Kind::character:
                case Kind::matched: now_.push_back(thread); break;
            }
        }
    }

    /// Lets the threads read the character at `at`. Returns true if a thread has matched. All
    /// threads after that one are dropped.
    bool step(std::size_t at, bool is_whole, TextMatch& match) {
        std::size_t kept = 0;
        bool has_match = false;
        for (std::size_t i = 0; i < now_.size() && !has_match; ++i) {
            const TextPattern::Instruction& now = code_[now_[i].at];
            if (now.kind == TextPattern::Kind::matched) {
                if (is_whole && at < text_.size()) continue;
                note(now_[i].slots, match);
                has_match = true;
            } else if (at < text_.size() && now.characters.test(index_of(text_[at]))) {
                now_[kept] = now_[i];
                ++now_[kept++].at;
            }
        }
        now_.resize(kept);
        return has_match;
    }

    void note(const Slots& slots, TextMatch& match) const {
        match.text_ = text_;
        for (std::size_t part = 0; part < TextMatch::kMaxParts; ++part) {
            const std::size_t begin = slots[2 * part], end = slots[2 * part + 1];
            const bool is_matched = begin > 0 && end > 0;
            match.parts_[part] = is_matched ? MatchedPart{begin - 1, end - 1, true} : MatchedPart{};
        }
    }

    std::string_view text_;
    const std::vector<TextPattern::Instruction>& code_;
    const std::bitset<256>* first_characters_ = nullptr;
    std::vector<Thread> now_, next_, pending_;
    std::vector<std::size_t> visited_at_;
    std::size_t characters_read_ = 0;
};

TextPattern::TextPattern(std::string_view expression)
    : code_(TextPatternCompiler(expression).compile()) {}

bool search(std::string_view text, TextMatch& match, const TextPattern& pattern) {
    return TextPatternSearch(text, pattern).find(0, false, match);
}

bool contains(std::string_view text, const TextPattern& pattern) {
    TextMatch match;
    return search(text, match, pattern);
}

bool match_whole(std::string_view text, TextMatch& match, const TextPattern& pattern) {
    return TextPatternSearch(text, pattern).find(0, true, match);
}

std::vector<TextMatch> find_matches(std::string_view text, const TextPattern& pattern) {
    // The maximum number of times that a search may read each character, on average. Patterns
    // usually look ahead by a line or two.
    constexpr std::size_t most_readings = 16;
    std::vector<TextMatch> found;
    TextPatternSearch in_text(text, pattern);
    TextMatch match;
    for (std::size_t from = 0; from <= text.size() && in_text.find(from, false, match);) {
        found.push_back(match);
        const std::size_t end = match.position() + match.length();
        from = end + (match.length() == 0);
        if (in_text.characters_read() > most_readings * (text.size() + 64)) break;
    }
    return found;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (std::size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == text.size() || !is_word(text[end]))) return at;
    }
    return text.npos;
}

bool contains_word(std::string_view text, std::string_view word) {
    return find_word(text, word) != text.npos;
}

}  // namespace coalesce
