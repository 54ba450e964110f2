// Describes what the warps of a block are waiting for. Deadlock reports contain this description.
#include <cstdio>
#include <string>
#include <vector>

#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {

namespace {

/// Describes what the lanes of a fragment are waiting for, such as ", lanes ffffffff: spinning,
/// main.cu:72".
std::string describe_fragment(const Block& block, const Fragment& f) {
    const Place place = block.launch->kernel->place(f.polling_op ? f.polling_op : f.next_op);
    const char* description =
        f.state == Fragment::State::at_barrier           ? "waiting at a barrier"
        : f.state == Fragment::State::at_cluster_barrier ? "waiting at the cluster barrier"
        : f.state == Fragment::State::at_warp_sync       ? "waiting for lanes of their warp"
                                                         : "spinning";
    char mask_text[16];
    std::snprintf(mask_text, sizeof mask_text, "%08x", f.lanes);
    std::string text = std::string(", lanes ") + mask_text + ": " + description;
    if (place.line)
        text +=
            ", " + place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
    return text;
}

}  // namespace

std::string describe_waiting(const Block& block) {
    /// A range of adjacent warps that wait for the same reason.
    struct WaitingWarps {
        u32 first_warp, last_warp;
        std::string description;
    };
    std::vector<WaitingWarps> groups;
    for (const Warp& w : block.warps) {
        for (const Fragment& f : w.other_fragments) {
            const std::string description = describe_fragment(block, f);
            const bool is_next = !groups.empty() && groups.back().description == description &&
                                 groups.back().last_warp + 1 == w.index &&
                                 w.other_fragments.size() == 1;
            if (is_next)
                groups.back().last_warp = w.index;
            else
                groups.push_back({w.index, w.index, description});
        }
    }
    std::string text;
    for (const WaitingWarps& group : groups) {
        text += group.first_warp == group.last_warp
                    ? "  warp " + std::to_string(group.first_warp)
                    : "  warps " + std::to_string(group.first_warp) + " to " +
                          std::to_string(group.last_warp);
        text += group.description + "\n";
    }
    return text;
}

}  // namespace coalesce::simulator
