// Explains the crash of a program whose host code dereferences a device pointer.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

class DeviceMemory;

/// From now on, when host code touches an address of `memory` that only kernels may use, a message
/// names the allocation before the program dies, as it would have died without us. Does nothing
/// when the program handles SIGSEGV itself.
void explain_host_faults(const DeviceMemory* memory);

/// `memory` goes away.
void stop_explaining_host_faults(const DeviceMemory* memory);

}  // namespace coalesce::simulator
