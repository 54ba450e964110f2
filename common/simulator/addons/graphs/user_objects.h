// Objects of the program that live as long as the graphs that use them.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

struct UserObject;

void retain(UserObject& object, unsigned count);
/// With the last reference, the program's destructor is called and the object is deleted. Returns
/// false if there are fewer references.
bool release(UserObject& object, unsigned count);

}  // namespace coalesce::simulator::cudart
