// What a build without addons has in place of addons/matrices and addons/textures: no such instruction is known.
#include "simulator/execute/families.h"

namespace coalesce::simulator {

std::span<const FamilyRow> matrix_families() {
    return {};
}
std::span<const FamilyRow> texture_families() {
    return {};
}

}  // namespace coalesce::simulator
