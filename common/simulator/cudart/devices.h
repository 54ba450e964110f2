// Declares the simulated devices. COALESCE_SIM_DEVICES sets their number.
//
// All devices are identical, and share one set of counters and one memory. Every device could
// therefore access the allocations of the other devices. To find mistakes, such an access is
// reported unless the program has enabled peer access.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator::cudart {

bool is_device_index(int device);
void check_device(int device);
int device_count();
/// Returns a reference to the index of the calling thread's current device.
int& current_device();
/// Returns a mask of the devices whose memory kernels on `device` can access: `device` itself, and
/// the peers to which the program has enabled access.
u64 accessible_devices(int device);

}  // namespace coalesce::simulator::cudart
