// Replaces addons/matrices and addons/textures in a build without addons, which supports none of
// their instructions.
#include "simulator/execute/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> matrix_families() {
    return {};
}
std::span<const FamilyRow> texture_families() {
    return {};
}

}  // namespace coalesce::simulator
