// Measures how long each step of an examination takes.
#pragma once

#include <chrono>

namespace coalesce {

/// Measures the time from construction to destruction, and adds it to a total in milliseconds.
class ScopedTimer {
public:
    explicit ScopedTimer(double& milliseconds) : milliseconds_(milliseconds) {}
    ~ScopedTimer() {
        milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    }
    ScopedTimer(const ScopedTimer&) = delete;
    ScopedTimer& operator=(const ScopedTimer&) = delete;

private:
    using Clock = std::chrono::steady_clock;

    double& milliseconds_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace coalesce
