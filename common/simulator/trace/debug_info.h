// Reads the location of each source variable from a module's debug information (DWARF).
//
// Idea   `nvcc -G`, NVRTC, clang and the pages' translator all describe variables in the same way:
//        as bytes in the sections .debug_info, .debug_abbrev and .debug_loc at the end of the PTX.
//        In these bytes, addresses are given by the names of labels and registers. Because the
//        format is the same, one reader supports all of these compilers.
// Limit  Variables of inlined functions are not supported. In code that is compiled for a debugger,
//        only functions with __forceinline__ are inlined.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The kind of a scalar's type, which determines how its bits are shown.
enum class ScalarKind : u8 { signed_integer, unsigned_integer, boolean, character, real, pointer };

struct ScalarType {
    std::string name;  ///< the type's name in the source, such as "int" or "const float*"
    ScalarKind kind = ScalarKind::unsigned_integer;
    u32 bytes = 0;
};

/// A scalar within a variable.
struct VariablePart {
    std::string path;  ///< the text after the variable's name: "", "[3]", ".x"
    ScalarType type;
    u32 offset = 0;  ///< the offset from the start of the variable, in bytes
};

/// The location of a variable while the program executes the instructions [begin, end).
struct VariablePlace {
    ptx::StateSpace space = ptx::StateSpace::local;
    std::string symbol = {};     ///< the name of the memory or register that contains the variable
    bool is_register = false;    ///< true if `symbol` is a register
    u64 offset = 0;              ///< the offset from the symbol, in bytes
    u32 begin = 0, end = kNone;  ///< the instructions [begin, end) of Function::body
};

struct SourceVariable {
    std::string name;
    ptx::SourceLine where;  ///< the source line of the declaration
    bool is_parameter = false;
    /// The variable's scope: the instructions [begin, end) of Function::body.
    u32 begin = 0, end = kNone;
    u32 bytes = 0;
    std::vector<VariablePart> parts;    ///< the first kMaxVariableParts scalars of the variable
    std::vector<u32> extents;           ///< the extents of an array, outermost first
    std::optional<ScalarType> element;  ///< the element type of an array or pointer
    std::vector<VariablePlace> places;
};

/// The maximum number of scalars listed for a variable.
constexpr std::size_t kMaxVariableParts = 64;

/// The variables of each function, keyed by the function's name in the PTX. Empty if the module was
/// built without debug information.
using DebugInfo = std::map<std::string, std::vector<SourceVariable>>;

/// Reads the debug information of a module. Throws std::runtime_error if the debug information is
/// invalid.
DebugInfo read_debug_info(const ptx::Module& module);

}  // namespace coalesce::simulator
