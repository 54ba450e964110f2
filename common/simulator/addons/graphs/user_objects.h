// Declares user objects, which live as long as the graphs that refer to them.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

struct UserObject;

void retain(UserObject& object, unsigned count);
/// Removes `count` references and returns true. If the object has fewer references, changes nothing
/// and returns false. When the last reference is removed, calls the program's destructor and
/// deletes the object.
bool release(UserObject& object, unsigned count);

}  // namespace coalesce::simulator::cudart
