// Declares the simulated devices. COALESCE_SIM_DEVICES sets their number.
//
// All devices are identical. They share one memory, so every device can access the others'
// allocations, and one set of counters. A program for several GPUs runs, with the same correct or
// incorrect results as on hardware. Kernels that access a peer's memory are reported unless the
// program has enabled this access.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/base/types.h"

namespace coalesce::simulator::cudart {

/// Reports whether there is a device with this number.
bool is_device(int device);
void check_device(int device);
/// Returns the number of devices.
int device_count();
/// The current device of the calling thread.
int& current_device();
/// Returns a bit for each device whose memory kernels of `device` can access: its own, and those to
/// which the program has enabled access.
u64 accessible_devices(int device);

}  // namespace coalesce::simulator::cudart
