#include "timing/facts.h"

#include <cmath>

#include "timing/figures.h"

namespace coalesce::timing {

bool has_predicted_time(const Prediction& prediction) {
    constexpr double min_shown_ms = 1e-5;
    return std::isfinite(prediction.ms) && prediction.ms >= min_shown_ms;
}

bool has_bytes_in_flight(const Prediction& prediction) {
    return is_nonzero_count(prediction.bytes_in_flight);
}

bool has_too_few_bytes_in_flight(const Prediction& prediction) {
    return has_bytes_in_flight(prediction) && is_nonzero_count(prediction.bytes_needed) &&
           prediction.bytes_in_flight < prediction.bytes_needed;
}

bool is_latency_bound(const Prediction& prediction) {
    switch (prediction.bottleneck) {
        case Bottleneck::flight:
        case Bottleneck::barrier:
        case Bottleneck::blocks:
        case Bottleneck::few_blocks: return true;
        case Bottleneck::memory:
        case Bottleneck::shared:
        case Bottleneck::cache:
        case Bottleneck::stores:
        case Bottleneck::issue: return false;
    }
    return false;
}

bool is_short_run(double run_bytes) {
    return is_nonzero_count(run_bytes) && run_bytes < kLongRunBytes;
}

std::string resident_blocks_text(const Prediction& prediction) {
    std::string text = count_text(prediction.resident_blocks, "block");
    if (prediction.warps_per_block <= 0) return text;
    return text + " of " + std::to_string(prediction.warps_per_block * 32) + " threads";
}

std::string count_text(int count, const std::string& singular) {
    return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string join_as_list(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
        text += items[i];
    }
    return text;
}

std::string capitalize(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
    return text;
}

}  // namespace coalesce::timing
