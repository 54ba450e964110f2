#include "page/ir_to_ptx/intrinsics.h"

namespace coalesce::translator {

namespace {

bool matches_pattern(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return pattern == name;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

Emit intrinsic_named(std::string_view name) {
    for (const auto table :
         {integer_intrinsics(), memory_intrinsics(), math_intrinsics(), gpu_intrinsics()}) {
        for (const Intrinsic& intrinsic : table) {
            if (matches_pattern(intrinsic.name, name)) return intrinsic.emit;
        }
    }
    return nullptr;
}

}  // namespace coalesce::translator
