// An argument that replaces a $ placeholder of a text pattern.
#pragma once

#include <concepts>
#include <string>
#include <utility>

namespace coalesce::campaign {

/// An argument of a pattern: a string, a number, or an object with a name, such as a type.
struct PatternArgument {
    PatternArgument(std::string argument_text) : text(std::move(argument_text)) {}
    PatternArgument(const char* given) : text(given) {}
    PatternArgument(std::integral auto number) : text(std::to_string(number)) {}
    template <class Named>
    requires requires(Named named) { name_of(named); }
    PatternArgument(Named named) : text(name_of(named)) {}
    std::string text;
};

}  // namespace coalesce::campaign
