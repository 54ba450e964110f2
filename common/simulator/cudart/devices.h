// Declares the simulated devices. COALESCE_SIM_DEVICES sets their number.
//
// All devices are identical. All devices share one set of counters and one memory, so every device
// can access the allocations of the other devices. A program for several GPUs runs, with the same
// correct or incorrect results as on hardware. If a kernel accesses a peer's memory, this is
// reported unless the program has enabled peer access.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator::cudart {

/// Reports whether there is a device with this number.
bool is_device(int device);
void check_device(int device);
/// Returns the number of devices.
int device_count();
/// Returns a reference to the number of the calling thread's current device.
int& current_device();
/// Returns a mask with a bit for each device whose memory kernels of `device` can access: `device`
/// itself, and the peers to which the program has enabled access.
u64 accessible_devices(int device);

}  // namespace coalesce::simulator::cudart
