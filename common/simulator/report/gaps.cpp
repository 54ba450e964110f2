#include "simulator/report/gaps.h"

#include <atomic>

namespace coalesce::simulator {
namespace {

struct NamedGap {
    Gap gap;
    const char* text;
};
constexpr NamedGap kNamedGaps[] = {{Gap::graph_order, "order between nodes of a graph"},
                                   {Gap::host_accesses, "host accesses before a synchronization"}};

std::atomic<u32> recorded_gaps{0};

u32 gap_bit(Gap gap) {
    return 1u << static_cast<u32>(gap);
}

}  // namespace

void record_gap(Gap gap) {
    recorded_gaps.fetch_or(gap_bit(gap), std::memory_order_relaxed);
}

std::vector<std::string> list_gaps() {
    std::vector<std::string> text;
    for (const NamedGap& named_gap : kNamedGaps)
        if (recorded_gaps.load(std::memory_order_relaxed) & gap_bit(named_gap.gap))
            text.push_back(named_gap.text);
    return text;
}

}  // namespace coalesce::simulator
