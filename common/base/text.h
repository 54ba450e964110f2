#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// "4", "4.25": two decimals at most.
std::string short_number(double value);

/// How often `part` stands in `text`.
std::size_t occurrences(const std::string& text, const std::string& part);

/// Without blanks and ends of lines before and after it.
std::string trimmed(const std::string& text);

/// As a text in XML: what markup takes for its own as entities, and blanks for what XML cannot hold.
std::string escaped(const std::string& text);

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace coalesce
