// Writes .file and .loc directives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

class FileTable {
public:
    /// Returns the .loc directives for a position. For code inlined from another file, the
    /// positions of the call sites come first, so that code from a header is attributed to the line
    /// of the kernel that called it.
    std::string format_location(const Place& place);
    /// Returns a .file directive for each file in use, followed by the functions' names as debug
    /// strings.
    std::string text() const;

    /// Returns the number of a file, and marks the file as in use.
    u32 number_of(const std::string& file) { return number(file); }

private:
    u32 number(const std::string& file);
    u32 name(const std::string& function);

    std::vector<std::string> files_, functions_;
};

}  // namespace coalesce::translator
