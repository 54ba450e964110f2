/// \file
/// Makes text from files, kernels and students safe to print, so that it contains nothing that a terminal, a
/// spreadsheet, a browser or a shell would act on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

/// Returns the length in bytes of the UTF-8 character at the beginning of `bytes`, which must not be empty, or 0 if
/// it is invalid.
std::size_t letter_length(std::string_view bytes);
/// Returns the text as one line of valid UTF-8, with everything else as \x1b, cut to `most` characters and "...".
std::string shown(std::string_view bytes, std::size_t most = 100);
/// Does the same for the lines that a program printed, indented and cut to the width of a terminal.
std::string shown_lines(const std::vector<std::string>& lines);
/// Does the same for a text of several lines, and keeps line breaks and tabs.
std::string shown_text(std::string_view bytes);
/// Escapes text for Markdown that becomes HTML: no markup, no links, no tags.
std::string markdown(std::string_view bytes);
/// Returns a Markdown code block that the text cannot close.
std::string markdown_code(std::string_view bytes);
/// Escapes text for XML and HTML, in elements and in attributes.
std::string xml(std::string_view bytes);
/// Returns a field of a CSV file (RFC 4180). If a spreadsheet would read the field as a formula, an apostrophe is put
/// in front.
std::string csv(std::string_view bytes);

}  // namespace coalesce
