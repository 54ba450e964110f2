/// \file
/// On what a benchmark ran: what a reader needs in order to repeat it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace coalesce::proof {

/// What nvidia-smi says of the first GPU: name, driver, clocks, power, temperature, as an object;
/// empty when it says nothing. Takes some tenths of a second.
nlohmann::ordered_json ask_nvidia_smi();

/// Asks nvidia-smi beside what goes on: the clocks of a GPU at work, not of one that waits.
class ClockReading {
public:
    ClockReading() : thread_([this] { answer_ = ask_nvidia_smi(); }) {}
    /// Waits for the answer.
    nlohmann::ordered_json answer() {
        if (thread_.joinable()) thread_.join();
        return answer_;
    }

private:
    nlohmann::ordered_json answer_;
    std::jthread thread_;
};

/// The commit of the source in that folder, with "-changed" when files differ from it; "unknown"
/// when git cannot say.
std::string commit_of(const std::string& repository);

/// "CUDA 13.0.88, g++ 12.2.0": what this program was built with.
std::string toolkit();

/// Today, in UTC: "2025-01-31".
std::string today();

}  // namespace coalesce::proof
