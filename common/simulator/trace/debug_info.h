// Reads from a module's debug information (DWARF) where each variable of the source is kept.
//
// Idea   `nvcc -G`, NVRTC, clang and the pages' translator all describe variables in the same way:
//        as bytes in the sections .debug_info, .debug_abbrev and .debug_loc at the end of the PTX,
//        in which labels and names of registers stand for addresses. So one reader serves all of
//        them.
// Not    Variables of inlined functions. Code that is compiled for a debugger has none, except for
//        functions that the source forces inline.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// How the bits of a scalar are read.
enum class ScalarKind : u8 { signed_integer, unsigned_integer, boolean, character, real, pointer };

struct ScalarType {
    std::string name;  ///< as in the source: "int", "const float*"
    ScalarKind kind = ScalarKind::unsigned_integer;
    u32 bytes = 0;
};

/// A scalar within a variable.
struct VariablePart {
    std::string path;  ///< what follows the variable's name: "", "[3]", ".x"
    ScalarType type;
    u32 offset = 0;  ///< in bytes, from the variable's beginning
};

/// Where a variable is kept while the program is at one of these instructions.
struct VariablePlace {
    ptx::StateSpace space = ptx::StateSpace::local;
    std::string symbol = {};     ///< the memory that contains it, or the register
    bool is_register = false;    ///< whether `symbol` is a register
    u64 offset = 0;              ///< from the symbol
    u32 begin = 0, end = kNone;  ///< indices into Function::body; end is exclusive
};

struct SourceVariable {
    std::string name;
    ptx::SourceLine where;  ///< its declaration
    bool is_parameter = false;
    u32 begin = 0, end = kNone;  ///< the instructions in its scope, as indices into Function::body
    u32 bytes = 0;
    std::vector<VariablePart> parts;    ///< the first kMostParts of its scalars
    std::vector<u32> extents;           ///< of an array, outermost first
    std::optional<ScalarType> element;  ///< of an array, or what a pointer points to
    std::vector<VariablePlace> places;
};

/// More scalars than this are not listed one by one.
constexpr std::size_t kMostParts = 64;

/// The variables of each function, by the function's name in the PTX. Empty if the module was built
/// without debug information.
using DebugInfo = std::map<std::string, std::vector<SourceVariable>>;

/// Throws std::runtime_error if the debug information is damaged.
DebugInfo read_debug_info(const ptx::Module& module);

}  // namespace coalesce::simulator
