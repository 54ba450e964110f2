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

std::size_t character_index(char c) {
    return static_cast<unsigned char>(c);
}

Characters characters_if(bool (*is_member)(char)) {
    Characters character_set;
    for (int c = 0; c < 256; ++c)
        character_set[static_cast<std::size_t>(c)] = is_member(static_cast<char>(c));
    return character_set;
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
        default: return Characters().set(character_index(letter));
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
        Code program = {save(0)};
        append(program, parse_alternatives());
        if (position_ != text_.size()) fail("there is an unmatched )");
        program.push_back(save(1));
        program.push_back({});
        return program;
    }

private:
    using Kind = TextPattern::Kind;
    using Code = std::vector<TextPattern::Instruction>;

    [[noreturn]] void fail(const std::string& reason) const {
        throw std::invalid_argument("pattern " + std::string(text_) + ": " + reason);
    }
    bool accept(std::string_view expected_text) {
        if (!text_.substr(position_).starts_with(expected_text)) return false;
        position_ += expected_text.size();
        return true;
    }
    char take_character() {
        if (position_ == text_.size()) fail("the pattern ends too early");
        return text_[position_++];
    }

    static TextPattern::Instruction save(std::size_t slot) {
        return {.kind = Kind::save, .first_branch = slot};
    }
    static Code match_one(Kind kind) { return {{.kind = kind}}; }
    static Code match_one(const Characters& characters) {
        return {{.kind = Kind::character, .characters = characters}};
    }
    static void append(Code& target_code, const Code& source_code) {
        const std::size_t base = target_code.size();
        for (TextPattern::Instruction instruction : source_code) {
            if (instruction.kind == Kind::split || instruction.kind == Kind::jump) {
                instruction.first_branch += base;
                instruction.second_branch += base;
            }
            target_code.push_back(instruction);
        }
    }
    /// Returns code that tries `first_alternative`, then `second_branch`.
    static Code alternation(const Code& first_branch, const Code& second_branch) {
        Code code = {
            {.kind = Kind::split, .first_branch = 1, .second_branch = first_branch.size() + 2}};
        append(code, first_branch);
        code.push_back(
            {.kind = Kind::jump, .first_branch = first_branch.size() + 2 + second_branch.size()});
        append(code, second_branch);
        return code;
    }
    static Code make_optional(const Code& part, bool is_lazy) {
        return is_lazy ? alternation({}, part) : alternation(part, {});
    }
    static Code make_repeated(const Code& part, bool is_lazy) {
        const std::size_t end_of_part = part.size() + 2;
        Code code = {{.kind = Kind::split, .first_branch = 1, .second_branch = end_of_part}};
        if (is_lazy) std::swap(code[0].first_branch, code[0].second_branch);
        append(code, part);
        code.push_back({.kind = Kind::jump, .first_branch = 0});
        return code;
    }

    Code parse_alternatives() {
        const Code first_alternative = parse_sequence();
        return accept("|") ? alternation(first_alternative, parse_alternatives())
                           : first_alternative;
    }
    Code parse_sequence() {
        Code code;
        while (position_ < text_.size() && text_[position_] != '|' && text_[position_] != ')')
            append(code, factor());
        return code;
    }
    Code factor() {
        const Code part = parse_atom();
        std::size_t min_repeats = 1, max_repeats = 1;
        if (accept("*")) {
            min_repeats = 0, max_repeats = kUnlimited;
        } else if (accept("+")) {
            max_repeats = kUnlimited;
        } else if (accept("?")) {
            min_repeats = 0;
        } else if (accept("{")) {
            min_repeats = number();
            max_repeats = accept(",") ? number() : min_repeats;
            if (!accept("}")) fail("a } is missing");
        } else {
            return part;
        }
        const bool is_lazy = accept("?");
        Code code;
        for (std::size_t i = 0; i < min_repeats; ++i) append(code, part);
        if (max_repeats == kUnlimited) append(code, make_repeated(part, is_lazy));
        for (std::size_t i = min_repeats; max_repeats != kUnlimited && i < max_repeats; ++i)
            append(code, make_optional(part, is_lazy));
        return code;
    }
    std::size_t number() {
        std::size_t value = 0;
        while (position_ < text_.size() &&
               std::isdigit(static_cast<unsigned char>(text_[position_])))
            value = 10 * value + static_cast<std::size_t>(take_character() - '0');
        return value;
    }
    Code parse_atom() {
        const char c = take_character();
        switch (c) {
            case '(': return group();
            case '[': return match_one(parse_brackets());
            case '.': return match_one(~Characters().set('\n').set('\r'));
            case '^': return match_one(Kind::begin);
            case '$': return match_one(Kind::end);
            case '*':
            case '+':
            case '?':
            case '{': fail("there is nothing to repeat");
            case '\\': {
                const char letter = take_character();
                if (letter == 'b') return match_one(Kind::word_boundary);
                if (std::isdigit(static_cast<unsigned char>(letter)))
                    fail("back-references are not supported");
                return match_one(characters_of_escape(letter));
            }
            default: return match_one(Characters().set(character_index(c)));
        }
    }
    Code group() {
        const bool is_captured = !accept("?:");
        if (is_captured && accept("?")) fail("look-around is not supported");
        const std::size_t number = is_captured ? ++groups_ : 0;
        if (number >= TextMatch::kMaxGroups) fail("there are too many groups");
        Code code;
        if (is_captured) code.push_back(save(2 * number));
        append(code, parse_alternatives());
        if (is_captured) code.push_back(save(2 * number + 1));
        if (!accept(")")) fail("a ) is missing");
        return code;
    }
    Characters parse_brackets() {
        const bool is_negated = accept("^");
        Characters character_set;
        while (!accept("]")) {
            const char first_character = take_character();
            if (first_character == '\\') {
                character_set |= characters_of_escape(take_character());
                continue;
            }
            char last_character = first_character;
            if (position_ + 1 < text_.size() && text_[position_] == '-' &&
                text_[position_ + 1] != ']') {
                ++position_;
                last_character = take_character();
            }
            for (std::size_t c = character_index(first_character);
                 c <= character_index(last_character); ++c)
                character_set.set(c);
        }
        return is_negated ? ~character_set : character_set;
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
        : text_(text), code_(pattern.code_), visit_positions_(code_.size(), kUnlimited) {
        using Kind = TextPattern::Kind;
        std::size_t first_position = 0;
        while (code_[first_position].kind == Kind::save ||
               code_[first_position].kind == Kind::word_boundary)
            ++first_position;
        if (code_[first_position].kind == Kind::character)
            first_characters_ = &code_[first_position].characters;
    }

    /// Finds the best match that begins at or after `begin`. Returns false if there is none. If
    /// `is_whole_match` is set, the match must begin at `begin` and extend to the end of the text.
    bool find(std::size_t begin, bool is_whole_match, TextMatch& match) {
        bool has_match = false;
        current_threads_.clear();
        std::ranges::fill(visit_positions_, kUnlimited);
        for (std::size_t at = begin; at <= text_.size(); ++at) {
            ++characters_read_;
            if (current_threads_.empty()) {
                if (has_match || (is_whole_match && at > begin)) break;
                if (!is_whole_match) at = skip_to_first_character(at);
            }
            next_threads_.swap(current_threads_);
            current_threads_.clear();
            // `next_threads_` contains the threads that have read all characters before this one.
            // Follow each thread to the next instruction that reads a character.
            for (const Thread& thread : next_threads_) follow(thread.at, thread.slots, at);
            if (!has_match && (!is_whole_match || at == begin)) follow(0, Slots{}, at);
            has_match |= step(at, is_whole_match, match);
        }
        return has_match;
    }

    std::size_t characters_read() const { return characters_read_; }

private:
    using Slots = std::array<std::size_t, 2 * TextMatch::kMaxGroups>;
    struct Thread {
        std::size_t at = 0;
        Slots slots{};  ///< offsets plus one; 0 if a group is not part of the match
    };

    std::size_t skip_to_first_character(std::size_t at) const {
        if (!first_characters_) return at;
        while (at < text_.size() && !first_characters_->test(character_index(text_[at]))) ++at;
        return at;
    }

    bool is_word_at(std::size_t at) const { return at < text_.size() && is_word(text_[at]); }

    /// Follows a thread until it must read a character, and adds the resulting threads in order of
    /// preference.
    void follow(std::size_t begin, const Slots& slots, std::size_t at) {
        using Kind = TextPattern::Kind;
        pending_threads_.push_back({begin, slots});
        while (!pending_threads_.empty()) {
            Thread thread = pending_threads_.back();
            pending_threads_.pop_back();
            if (std::exchange(visit_positions_[thread.at], at) == at) continue;
            const TextPattern::Instruction& instruction = code_[thread.at];
            const auto continue_if = [&](bool condition) {
                if (condition) pending_threads_.push_back({thread.at + 1, thread.slots});
            };
            switch (instruction.kind) {
                case Kind::split:
                    pending_threads_.push_back({instruction.second_branch, thread.slots});
                    pending_threads_.push_back({instruction.first_branch, thread.slots});
                    break;
                case Kind::jump:
                    pending_threads_.push_back({instruction.first_branch, thread.slots});
                    break;
                case Kind::save:
                    thread.slots[instruction.first_branch] = at + 1;
                    continue_if(true);
                    break;
                case Kind::word_boundary:
                    continue_if((at > 0 && is_word_at(at - 1)) != is_word_at(at));
                    break;
                case Kind::begin: continue_if(at == 0); break;
                case Kind::end: continue_if(at == text_.size()); break;
                case Kind::character:
                case Kind::matched: current_threads_.push_back(thread); break;
            }
        }
    }

    /// Advances the matcher's threads over the character at offset `at`. If one of them has already
    /// matched, returns true and drops all threads after it.
    bool step(std::size_t at, bool is_whole_match, TextMatch& match) {
        std::size_t thread_count = 0;
        bool has_match = false;
        for (std::size_t i = 0; i < current_threads_.size() && !has_match; ++i) {
            const TextPattern::Instruction& instruction = code_[current_threads_[i].at];
            if (instruction.kind == TextPattern::Kind::matched) {
                if (is_whole_match && at < text_.size()) continue;
                record_match(current_threads_[i].slots, match);
                has_match = true;
            } else if (at < text_.size() &&
                       instruction.characters.test(character_index(text_[at]))) {
                current_threads_[thread_count] = current_threads_[i];
                ++current_threads_[thread_count++].at;
            }
        }
        current_threads_.resize(thread_count);
        return has_match;
    }

    void record_match(const Slots& slots, TextMatch& match) const {
        match.text_ = text_;
        for (std::size_t group = 0; group < TextMatch::kMaxGroups; ++group) {
            const std::size_t begin = slots[2 * group], end = slots[2 * group + 1];
            const bool is_matched = begin > 0 && end > 0;
            match.groups_[group] =
                is_matched ? MatchedGroup{begin - 1, end - 1, true} : MatchedGroup{};
        }
    }

    std::string_view text_;
    const std::vector<TextPattern::Instruction>& code_;
    const std::bitset<256>* first_characters_ = nullptr;
    std::vector<Thread> current_threads_, next_threads_, pending_threads_;
    std::vector<std::size_t> visit_positions_;
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
    constexpr std::size_t max_readings = 16;
    std::vector<TextMatch> inner_match;
    TextPatternSearch search(text, pattern);
    TextMatch match;
    for (std::size_t begin = 0; begin <= text.size() && search.find(begin, false, match);) {
        inner_match.push_back(match);
        const std::size_t end = match.position() + match.length();
        begin = end + (match.length() == 0);
        if (search.characters_read() > max_readings * (text.size() + 64)) break;
    }
    return inner_match;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t begin) {
    for (std::size_t at = text.find(word, begin); at != text.npos; at = text.find(word, at + 1)) {
        const bool is_word_begin = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + word.size();
        if (is_word_begin && (end == text.size() || !is_word(text[end]))) return at;
    }
    return text.npos;
}

bool contains_word(std::string_view text, std::string_view word) {
    return find_word(text, word) != text.npos;
}

}  // namespace coalesce
