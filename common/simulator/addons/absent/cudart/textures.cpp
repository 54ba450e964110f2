// Replaces addons/textures in a build without addons, in which no CUDA array, texture or surface
// exists.
#include "simulator/cudart/addons.h"
#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {

CopyWork replace_arrays_by_memory(const CopyWork& work) {
    if (work.srcArray || work.dstArray)
        fail_not_simulated("a CUDA array in a build without addons");
    return work;
}

void forget_textures() {}

}  // namespace coalesce::simulator::cudart
