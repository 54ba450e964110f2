// The table of the instructions on textures and surfaces.
#include "simulator/addons/textures/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> texture_families() {
    static constexpr FamilyRow families[] = {
        {"tex", describe_fetch},        // d = what a texture has at some coordinates
        {"tld4", describe_fetch},       // d = one component of the four texels around them
        {"suld", describe_surface},     // d = what a surface has at some coordinates
        {"sust", describe_surface},     // stores to a surface
        {"sured", describe_surface},    // reads, changes and writes back, as red does
        {"txq", describe_query},        // d = the width, height or depth of a texture
        {"suq", describe_query},        // ... or of a surface
        {"istypep", describe_is_type},  // p = the number names a texture, or a surface
    };
    return families;
}

}  // namespace coalesce::simulator
