// Writes .file and .loc directives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

class Files {
public:
    /// Returns the .loc directives for a place. If the place was inlined into calls in other files,
    /// theirs come first, so that a line of a header is attributed to the line of the kernel that
    /// called it.
    std::string location(const Place& place);
    /// Returns a .file directive for each file that was used, and the names of functions.
    std::string text() const;

private:
    u32 number(const std::string& file);
    u32 name(const std::string& function);

    std::vector<std::string> files_, functions_;
};

}  // namespace coalesce::translator
