#include "timing/facts.h"

#include <cmath>

#include "timing/figures.h"

namespace coalesce::timing {

bool has_time(const Prediction& prediction) {
    constexpr double least_ms = 1e-5;
    return std::isfinite(prediction.ms) && prediction.ms >= least_ms;
}

bool is_on_its_way(const Prediction& prediction) {
    return is_count(prediction.bytes_on_their_way);
}

bool is_too_little(const Prediction& prediction) {
    return is_on_its_way(prediction) && is_count(prediction.bytes_needed) &&
           prediction.bytes_on_their_way < prediction.bytes_needed;
}

bool waits(const Prediction& prediction) {
    switch (prediction.binds) {
        case Binds::flight:
        case Binds::barrier:
        case Binds::blocks:
        case Binds::few_blocks: return true;
        case Binds::memory:
        case Binds::shared:
        case Binds::cache:
        case Binds::stores:
        case Binds::issue: return false;
    }
    return false;
}

bool is_short(double run_bytes) {
    return is_count(run_bytes) && run_bytes < kLongRun;
}

std::string blocks_text(const Prediction& prediction) {
    std::string text = count_text(prediction.resident_blocks, "block");
    if (prediction.warps_of_block <= 0) return text;
    return text + " of " + std::to_string(prediction.warps_of_block * 32) + " threads";
}

std::string count_text(int count, const std::string& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& things) {
    std::string text;
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (i > 0) text += i + 1 == things.size() ? " and " : ", ";
        text += things[i];
    }
    return text;
}

std::string capital(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
    return text;
}

}  // namespace coalesce::timing
