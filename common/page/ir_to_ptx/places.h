// Writes .file and .loc directives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

class FileTable {
public:
    /// Returns the .loc directives for a position. For code that was inlined from a header, the
    /// line of the call comes first, so that its costs count for the line in the kernel.
    std::string format_location(const SourceLocation& place);
    /// Returns a .file directive for each file in use. After them come the functions' names as
    /// debug strings.
    std::string text() const;

    /// Returns the number of a file in the .file directives, and marks the file as in use.
    u32 number_of(const std::string& file) { return number(file); }

private:
    u32 number(const std::string& file);
    u32 name(const std::string& function);

    std::vector<std::string> files_, functions_;
};

}  // namespace coalesce::translator
