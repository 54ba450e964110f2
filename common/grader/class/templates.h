/// \file
/// The files of common/grader/platforms/, with the words of an assignment in them.
#pragma once

#include <map>
#include <string>

namespace coalesce::grader {

/// A file of that folder, where each @NAME@ is replaced by `words`' NAME. Throws UsageError when it is not
/// there, and Infrastructure when a word is missing.
std::string platform_file(const std::string& file, const std::map<std::string, std::string>& words);

/// A word for a shell, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace coalesce::grader
