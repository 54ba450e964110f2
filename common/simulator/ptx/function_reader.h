// An .entry or a .func: its header, and the statements of its body.
#pragma once

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/inlining.h"

namespace coalesce::simulator::ptx {

/// Takes .global, .shared ... and says which it was.
std::optional<StateSpace> accept_state_space(Lexer& lexer);

/// Reads the rest of a .loc, whose place stays in force until the next one. `inlining` learns where
/// that place was inlined.
Position read_location(Lexer& lexer, Inlining& inlining);
inline SourceLine line_of(Position position) {
    return {std::get<0>(position), std::get<1>(position)};
}
/// Reads the rest of a .file and notes the file's name.
void read_file(Lexer& lexer, Module& module);

/// What follows .entry or .func, with the place that a .loc before it left in force.
std::unique_ptr<Function> read_function(Lexer& lexer, DeclarationReader& declarations,
                                        Module& module, bool is_entry, SourceLine where);

}  // namespace coalesce::simulator::ptx
