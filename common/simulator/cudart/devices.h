// Declares the simulated devices. COALESCE_SIM_DEVICES sets their number.
//
// All devices are identical. They share one memory, so every device can access the others'
// allocations, and one set of counters. A program for several GPUs runs, with the same correct or
// incorrect results as on hardware. We do not check whether the program enabled access to its
// peers.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// Reports whether there is a device with this number.
bool is_device(int device);
void check_device(int device);
/// Returns the number of devices.
int device_count();
/// The current device of the calling thread.
int& current_device();

}  // namespace coalesce::simulator::cudart
