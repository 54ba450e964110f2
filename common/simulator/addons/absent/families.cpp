// Replaces addons/matrices and addons/textures in a build without addons, in which matrix, texture
// and surface instructions are not supported.
#include "simulator/execute/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> matrix_families() {
    return {};
}
std::span<const FamilyRow> texture_families() {
    return {};
}

}  // namespace coalesce::simulator
