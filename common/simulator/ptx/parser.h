// Parses PTX text into the structures of ast.h. Text that cannot be parsed causes a ParseError. No
// input can crash the parser.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// An error with a message such as "PTX line 12: expected ';' near 'foo'".
struct ParseError : std::runtime_error {
    ParseError(u32 line, const std::string& message);
    u32 line;
};

std::unique_ptr<Module> parse(std::string_view text);

}  // namespace coalesce::simulator::ptx
