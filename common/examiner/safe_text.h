/// \file
/// Makes text from files, kernels and students safe to print. The result contains nothing that a
/// terminal, a spreadsheet, a browser or a shell would act on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

/// Returns the length in bytes of the UTF-8 character at the beginning of `bytes`. Returns 0 if the
/// character is invalid. `bytes` must not be empty.
std::size_t utf8_length(std::string_view bytes);
/// Returns the text as a single line of valid UTF-8. Invalid bytes and control characters are
/// escaped, as in \x1b. Everything after the first `max_bytes` characters is replaced with "...".
std::string escape_line(std::string_view bytes, std::size_t max_bytes = 100);
/// Returns the lines of a program's output, escaped as by `escape_line`. Each line is indented, and
/// truncated to the width of a terminal.
std::string escape_lines(const std::vector<std::string>& lines);
/// Escapes several lines of text like `escape_line`, but keeps line breaks and tabs.
std::string escape_text(std::string_view bytes);
/// Escapes text for Markdown that is converted to HTML, so that the text is shown literally.
std::string escape_markdown(std::string_view bytes);
/// Returns the text as a Markdown code block, with a fence that the text cannot close.
std::string to_markdown_code(std::string_view bytes);
/// Escapes text for XML and HTML, for use in elements and in attributes.
std::string escape_xml(std::string_view bytes);
/// Returns `bytes` as a field of a CSV file (RFC 4180). If a spreadsheet would interpret the field
/// as a formula, an apostrophe is put in front of it.
std::string to_csv_field(std::string_view bytes);

}  // namespace coalesce
