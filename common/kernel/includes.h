// Which files a learner's file may have included: the toolkit's, by their plain names.
//
// A compiler opens whatever #include names, and shows the lines that it cannot understand: a file
// that somebody else compiles could read theirs. So names that lead out of the toolkit's folders,
// and names that only the preprocessor would find out, are refused before a compiler sees the file.
#pragma once

#include <string>

#include "kernel/failure.h"

namespace coalesce {

/// The first #include (or #embed, __has_include ...) that is refused; kind none when there is none.
Failure refused_include(const std::string& text, const std::string& file_name);

}  // namespace coalesce
