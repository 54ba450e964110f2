// A regular expression whose search takes linear time, for text from untrusted sources.
//
// std::regex tries alternatives one after the other, and calls itself for each repeated character.
// A few kilobytes of text can keep it busy for minutes. A TextPattern follows all alternatives at
// once (Pike's algorithm). It examines each character at most once per instruction of the pattern.
// The syntax is that of ECMAScript, without look-around and back-references. The first match is the
// one that std::regex finds.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

/// The range of the text that a group of the pattern matched. `matched` is false if the group did
/// not participate in the match.
struct MatchedGroup {
    std::size_t begin = 0, end = 0;
    bool matched = false;
};

/// A match of a TextPattern. The match refers to the text, so the text must outlive the match.
class TextMatch {
public:
    /// The maximum number of groups in a pattern, including the whole match.
    static constexpr std::size_t kMaxGroups = 12;

    /// Returns the text of a group, or "" if the group did not participate in the match.
    std::string str(std::size_t group = 0) const {
        return std::string(text_.substr(groups_[group].begin, length(group)));
    }
    /// Returns the offset of the match or of one of its groups.
    std::size_t position(std::size_t group = 0) const { return groups_[group].begin; }
    std::size_t length(std::size_t group = 0) const {
        return groups_[group].end - groups_[group].begin;
    }
    const MatchedGroup& operator[](std::size_t group) const { return groups_[group]; }

private:
    friend class TextPatternSearch;
    std::string_view text_;
    std::array<MatchedGroup, kMaxGroups> groups_{};
};

/// A compiled regular expression.
class TextPattern {
public:
    /// Compiles the expression. Throws std::invalid_argument if the expression uses unsupported
    /// syntax.
    explicit TextPattern(std::string_view expression);

private:
    friend class TextPatternCompiler;
    friend class TextPatternSearch;

    enum class Kind { character, split, jump, save, word_boundary, begin, end, matched };
    struct Instruction {
        Kind kind = Kind::matched;
        std::size_t first_branch = 0,
                    second_branch = 0;  ///< targets of `split` and `jump`, slot of `save`
        std::bitset<256> characters = {};
    };

    std::vector<Instruction> code_;
};

/// Finds the first match in the text. Returns false if there is no match.
bool search(std::string_view text, TextMatch& match, const TextPattern& pattern);
bool search(std::string&& text, TextMatch& match, const TextPattern& pattern) = delete;
/// Reports whether there is a match in the text.
bool contains(std::string_view text, const TextPattern& pattern);
/// Reports whether the pattern matches the whole text, and stores the match in `match`.
bool match_whole(std::string_view text, TextMatch& match, const TextPattern& pattern);
bool match_whole(std::string&& text, TextMatch& match, const TextPattern& pattern) = delete;
/// Returns all matches in order, without overlaps. The last matches may be missing, because the
/// search stops if it takes too long.
std::vector<TextMatch> find_matches(std::string_view text, const TextPattern& pattern);
std::vector<TextMatch> find_matches(std::string&& text, const TextPattern& pattern) = delete;
/// Reports whether the text contains `word` as a whole word.
bool contains_word(std::string_view text, std::string_view word);
/// Returns the offset of the first occurrence of `word` as a whole word at or after `begin`, or
/// npos.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t begin = 0);

}  // namespace coalesce
