// Declares the simulated devices. COALESCE_SIM_DEVICES sets their number.
//
// All devices are identical. All devices share one set of counters and one memory, so every device
// can access the allocations of the other devices. The results of a program for several GPUs, right
// or wrong, are still the same as on hardware. An access to a peer's memory is reported unless the
// program has enabled peer access.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator::cudart {

/// Reports whether there is a device with this index.
bool is_device(int device);
void check_device(int device);
/// Returns the number of devices.
int device_count();
/// Returns a reference to the index of the calling thread's current device.
int& current_device();
/// Returns a mask of the devices whose memory can be accessed by kernels that run on `device`:
/// `device` itself, and the peers to which the program has enabled access.
u64 accessible_devices(int device);

}  // namespace coalesce::simulator::cudart
