/// \file
/// Measures how long something takes on a real GPU.
#pragma once

#include <functional>

#include "harness/device_buffer.h"
#include "harness/owned.h"
#include "harness/timing.h"

namespace coalesce {

/// Measures on the device, or on the host, until the spread is under 1 % or enough time has gone.
class Stopwatch {
public:
    /// For a device with that much second-level cache.
    explicit Stopwatch(std::size_t l2_bytes);

    /// `work` queues something in the default stream: timed by events, after a warm-up, with the
    /// cache filled with other data before each repetition.
    Timing time_on_device(const std::function<void()>& work);
    /// The same once, in milliseconds and without a warm-up, for who repeats it by a plan of his own.
    double time_once_on_device(const std::function<void()>& work);
    /// `work` computes on the host and has ended when it returns.
    Timing time_on_host(const std::function<void()>& work);

    /// Bytes of device memory that a stopwatch takes.
    static std::size_t bytes_needed(std::size_t l2_bytes);

private:
    Timing repeat(const std::function<double()>& measure_once, int least);

    DeviceBuffer flush_;
    OwnEvent start_ = new_event(), stop_ = new_event();
};

}  // namespace coalesce
