// What is done to each page after Doxygen.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// The page with its drawings, its levels of headings, tables that scroll by themselves and have no empty headings,
/// the colours of CUDA's words, and a description for those who link to it. `name` is the page's, for messages.
std::string dressed(const std::string& html, const std::filesystem::path& drawings,
                    const std::string& name);

}  // namespace coalesce::book
