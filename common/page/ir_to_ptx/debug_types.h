// The names, types and scopes of local variables in the source. A module contains them only if it
// was compiled for a debugger, so that all variables are in memory.
#pragma once

#include <string>
#include <vector>

#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

struct Value;

struct DebugType {
    struct Member {
        std::string name;
        const DebugType* type = nullptr;
        u64 offset = 0;  ///< offset in bytes
    };

    std::string tag;  ///< the DWARF tag, such as "DW_TAG_pointer_type"
    std::string name;
    u64 bytes = 0;
    std::string encoding;  ///< encoding of a base type, such as "DW_ATE_float"
    /// The type that a pointer points to, the element type of an array, or the type that a typedef
    /// or qualifier refers to. Null for void.
    const DebugType* base_type = nullptr;
    std::vector<u64> extents;     ///< extents of an array
    std::vector<Member> members;  ///< members of a structure
};

/// A lexical scope, and the source lines that it spans.
struct DebugScope {
    std::string node;  ///< the name of the scope's metadata node
    u32 first_line = 0, last_line = 0;
};

struct DebugVariable {
    std::string name;
    std::string file;
    u32 line = 0;
    bool is_parameter = false;
    const DebugType* type = nullptr;
    const Value* memory = nullptr;  ///< the memory of the variable: an alloca or a shared variable
    DebugScope scope;
};

}  // namespace coalesce::translator
