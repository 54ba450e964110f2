#include "grader/judge/produces.h"

namespace coalesce::grader {

std::optional<Produces> produces_called(const std::string& name) {
    if (name == "transpose") return Produces{Produces::transpose};
    if (name == "copy") return Produces{Produces::copy};
    if (name == "transposed-tiles") return Produces{Produces::transposed_tiles};
    if (name == "moved-tiles") return Produces{Produces::moved_tiles};
    if (name == "transpose-in-place") return in_place();
    if (name == "stack-of-64") return stack_of(64);
    return std::nullopt;
}

}  // namespace coalesce::grader
