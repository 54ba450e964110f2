// Which of the simulated devices a call means. COALESCE_SIM_DEVICES says how many there are.
//
// They are one and the same: one memory, in which every device reaches what the others allocated, and
// one set of counters. A program for several GPUs runs, and its results are right or wrong as on
// hardware; that it enabled access to its peers is not checked.
#pragma once

#include <cuda_runtime_api.h>

namespace coalesce::simulator::cudart {

/// Whether there is a device of that number.
bool is_device(int device);
void check_device(int device);
/// How many there are.
int device_count();
/// The one that the calling thread has chosen.
int& current_device();

}  // namespace coalesce::simulator::cudart
