// Explains the crash of a program whose host code dereferences a device pointer.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

class DeviceMemory;

/// Installs a SIGSEGV handler. If host code dereferences a device pointer, the handler prints a
/// message that names the allocation, and the program then crashes as it would without the handler.
/// Does nothing if the program handles SIGSEGV itself.
void explain_host_faults(const DeviceMemory* memory);

/// Reports whether the SIGSEGV handler of the simulator is installed.
bool explains_host_faults();

/// Makes the handler forget `memory`. Must be called before `memory` is destroyed.
void stop_explaining_host_faults(const DeviceMemory* memory);

}  // namespace coalesce::simulator
