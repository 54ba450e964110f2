// Files and lines: what .file and .loc say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

class Files {
public:
    /// .loc for a place; and first for the calls that it was inlined at, where those lie in another
    /// file: a line of a header belongs to the line of the kernel that called for it.
    std::string location(const Place& place);
    /// .file for each that was named, and the names of functions.
    std::string text() const;

private:
    u32 number(const std::string& file);
    u32 name(const std::string& function);

    std::vector<std::string> files_, functions_;
};

}  // namespace coalesce::translator
