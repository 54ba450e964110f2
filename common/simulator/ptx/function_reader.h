// Reads an .entry or a .func: its header, and the statements of its body.
#pragma once

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/inlining.h"

namespace coalesce::simulator::ptx {

/// Accepts .global, .shared ..., and returns which one it was.
std::optional<StateSpace> accept_state_space(Lexer& lexer);

/// Reads the rest of a .loc. Its position applies until the next .loc. `inlining` records where
/// that position was inlined.
Position read_location(Lexer& lexer, Inlining& inlining);
inline SourceLine line_of(Position position) {
    return {std::get<0>(position), std::get<1>(position)};
}
/// Reads the rest of a .file and records the file's name.
void read_file(Lexer& lexer, Module& module);

/// Reads what follows .entry or .func. `where` is the position that a .loc before it has set.
std::unique_ptr<Function> read_function(Lexer& lexer, DeclarationReader& declarations,
                                        Module& module, bool is_entry, SourceLine where);

}  // namespace coalesce::simulator::ptx
