// Lists the texture and surface instructions.
#include "simulator/addons/textures/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> texture_families() {
    static constexpr FamilyRow families[] = {
        {"tex", describe_fetch},        // fetch from a texture at the given coordinates
        {"tld4", describe_fetch},       // gather one component of the four nearest texels
        {"suld", describe_surface},     // load from a surface at the given coordinates
        {"sust", describe_surface},     // store to a surface
        {"sured", describe_surface},    // update a surface, as red updates memory
        {"txq", describe_query},        // get the width, height or depth of a texture
        {"suq", describe_query},        // get the width, height or depth of a surface
        {"istypep", describe_is_type},  // test whether a register holds a texture or surface handle
    };
    return families;
}

}  // namespace coalesce::simulator
