// Parses an .entry or a .func: its header, and the statements of its body.
#pragma once

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/inlining.h"

namespace coalesce::simulator::ptx {

/// Reads a state space such as .global or .shared. Returns nothing if the current token is not a
/// state space.
std::optional<StateSpace> accept_state_space(Lexer& lexer);

/// Reads the rest of a .loc directive and returns the position in the source that the directive
/// gives. If the code was inlined, `inlining` records the position of the call.
Position read_location(Lexer& lexer, Inlining& inlining);
inline SourceLine to_source_line(Position position) {
    return {std::get<0>(position), std::get<1>(position)};
}
/// Reads the rest of a .file directive and records the file's name in the module.
void read_file(Lexer& lexer, Module& module);

/// Reads the rest of a function after .entry or .func. `location` is the position that an earlier
/// .loc set.
std::unique_ptr<Function> read_function(Lexer& lexer, DeclarationReader& declarations,
                                        Module& module, bool is_entry, SourceLine location);

}  // namespace coalesce::simulator::ptx
