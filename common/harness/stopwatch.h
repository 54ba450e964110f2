/// \file
/// Measures times on a real GPU.
#pragma once

#include <functional>

#include "harness/device_buffer.h"
#include "harness/owned.h"
#include "harness/timing.h"

namespace coalesce {

/// A stopwatch that repeats a measurement until the spread is below 1 %, or until a time limit is
/// reached.
class Stopwatch {
public:
    /// Creates a stopwatch. `l2_bytes` is the size of the device's L2 cache.
    explicit Stopwatch(std::size_t l2_bytes);

    /// Measures `work`, which queues operations in the default stream. Warms up first, and then
    /// measures with CUDA events. Before each repetition, fills the L2 cache with other data.
    Timing time_on_device(const std::function<void()>& work);
    /// Measures `work` once, without a warm-up, and returns its time in milliseconds. Callers that
    /// schedule the repetitions themselves use this function.
    double time_once_on_device(const std::function<void()>& work);
    /// Measures `work`, which runs on the host and returns when it is done.
    Timing time_on_host(const std::function<void()>& work);

    /// Returns how many bytes of device memory a stopwatch needs.
    static std::size_t bytes_needed(std::size_t l2_bytes);

private:
    Timing repeat(const std::function<double()>& measure_once, int min_repetitions);

    DeviceBuffer flush_;
    OwnEvent start_ = create_event(), stop_ = create_event();
};

}  // namespace coalesce
