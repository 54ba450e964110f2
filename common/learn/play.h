/// \file
/// learn play: the book at an address of this computer, where its pages may load the compiler.
#pragma once

#include <optional>

namespace coalesce::learn {

/// What it is asked for.
struct PlayWords {
    std::optional<int> port;  ///< 0: any that is free
    bool opens = false;       ///< in a browser
};

/// Serves the book until it is ended. Throws UsageError where there is no book, or the port is taken.
[[noreturn]] void play(const PlayWords& words);

}  // namespace coalesce::learn
