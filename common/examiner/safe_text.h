/// \file
/// Texts that come from outside: of files, of kernels, of students. They are shown with nothing in them
/// that a terminal, a spreadsheet, a browser or a shell would act on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

/// The length of the UTF-8 letter with which `bytes`, not empty, begin; 0: with none.
std::size_t letter_length(std::string_view bytes);
/// For people: valid UTF-8 in one line, everything else as \x1b. `most` letters, then "...".
std::string shown(std::string_view bytes, std::size_t most = 100);
/// Lines of what a program printed, likewise, each indented and cut where a terminal ends.
std::string shown_lines(const std::vector<std::string>& lines);
/// Text of several lines, likewise: line breaks and tabs stay.
std::string shown_text(std::string_view bytes);
/// For Markdown that is shown as HTML: no markup, no links, no tags.
std::string markdown(std::string_view bytes);
/// A block of code in Markdown that nothing in it can end.
std::string markdown_code(std::string_view bytes);
/// For XML and HTML, in texts and in attributes.
std::string xml(std::string_view bytes);
/// A field of a CSV file (RFC 4180). A spreadsheet takes it as text: a field that it would take as a
/// formula begins with an apostrophe.
std::string csv(std::string_view bytes);

}  // namespace coalesce
