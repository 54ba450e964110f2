/// \file
/// Measures times on a real GPU.
#pragma once

#include <functional>

#include "harness/device_buffer.h"
#include "harness/owned.h"
#include "harness/timing.h"

namespace coalesce {

/// Repeats measurements on the device or on the host until their spread is below 1 %, or until
/// enough time has passed.
class Stopwatch {
public:
    /// Takes the size of the device's second-level cache.
    explicit Stopwatch(std::size_t l2_bytes);

    /// Measures `work`, which queues something in the default stream. Events measure the time,
    /// after a warm-up. Before each repetition, the cache is filled with other data.
    Timing time_on_device(const std::function<void()>& work);
    /// Measures `work` once, in milliseconds and without a warm-up. For callers that schedule the
    /// repetitions themselves.
    double time_once_on_device(const std::function<void()>& work);
    /// Measures `work`, which computes on the host and returns when it is done.
    Timing time_on_host(const std::function<void()>& work);

    /// The bytes of device memory that a stopwatch needs.
    static std::size_t bytes_needed(std::size_t l2_bytes);

private:
    Timing repeat(const std::function<double()>& measure_once, int least);

    DeviceBuffer flush_;
    OwnEvent start_ = new_event(), stop_ = new_event();
};

}  // namespace coalesce
