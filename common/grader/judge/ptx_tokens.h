/// \file
/// PTX as words, with what is known of each: its line, and whether inline assembly wrote it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce::grader {

/// One word, string or sign of a PTX text.
struct PtxToken {
    std::string_view text;   ///< ".reg", "%r1", "ld.global.f32", "{"; a string with its quotes
    int line = 0;            ///< of the PTX text, from 1
    bool is_inline = false;  ///< it came from an asm statement
    /// Whether it is a word at all, and begins with that.
    bool begins(std::string_view with) const { return text.starts_with(with); }
};

/// A text in words.
struct PtxText {
    std::vector<PtxToken> tokens;
    bool has_forged_marks = false;  ///< the marks around inline assembly do not fit together
    bool is_broken = false;         ///< a comment or a string without an end, or a strange sign
};

/// Takes a text apart. `ptx` must live as long as the tokens.
PtxText tokens_of(std::string_view ptx);

}  // namespace coalesce::grader
