// Text -> ast.h. Accepts anything, crashes on nothing: what it cannot read is a ParseError.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// "PTX line 12: expected ';' near 'foo'"
struct ParseError : std::runtime_error {
    ParseError(u32 line, const std::string& what);
    u32 line;
};

std::unique_ptr<Module> parse(std::string_view text);

}  // namespace coalesce::simulator::ptx
