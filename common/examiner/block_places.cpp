#include "examiner/block_places.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace coalesce {
namespace {

/// The number of accesses to record, large enough to include a warp's first load.
constexpr std::size_t kMaxAccessesToFirstLoad = 64;
/// The maximum number of warps to check. Each check launches the kernel once.
constexpr int kMaxWarpsOfBlocks = 64;

Block block_at(const LaunchShape& launch, long long number) {
    const long long x = number % launch.grid[0], row_number = number / launch.grid[0];
    return {x, row_number % launch.grid[1], row_number / launch.grid[1]};
}

/// Returns the indices of the output elements that the traced warp stores.
std::vector<std::int64_t> list_stored_elements(const Trial& trial) {
    std::vector<std::int64_t> elements;
    for (const simulated::Access& access : trial.accesses) {
        if (access.is_shared || !access.is_store) continue;
        for (const std::uint64_t address : access.active_addresses()) {
            const auto first_store =
                static_cast<std::int64_t>((address - trial.out_address) / sizeof(float));
            const auto count = static_cast<std::int64_t>(access.bytes_per_lane / sizeof(float));
            for (std::int64_t i = 0; i < count; ++i) elements.push_back(first_store + i);
        }
    }
    return elements;
}

/// Maps each element to the first block that stored it.
using BlockByElement = std::unordered_map<std::int64_t, long long>;

/// Records that a warp of `block` stored the elements `stored_elements`. Returns a conflict if
/// another block has already stored one of them.
std::optional<StoreConflict> claim_elements(const std::vector<std::int64_t>& stored_elements,
                                            long long block, const LaunchShape& launch,
                                            BlockByElement& block_by_element) {
    for (const std::int64_t element : stored_elements) {
        const auto [owner, is_new] = block_by_element.try_emplace(element, block);
        if (is_new || owner->second == block) continue;
        return StoreConflict{block_at(launch, owner->second), block_at(launch, block), element};
    }
    return std::nullopt;
}

}  // namespace

std::string Block::text() const {
    const std::string text = "block (" + std::to_string(x) + ", " + std::to_string(y);
    return text + (z > 0 ? ", " + std::to_string(z) : "") + ")";
}

std::optional<LoadedElement> find_first_load(const Trial& trial) {
    const auto is_load = [](const simulated::Access& access) {
        return !access.is_shared && !access.is_store && access.active != 0;
    };
    const auto load = std::find_if(trial.accesses.begin(), trial.accesses.end(), is_load);
    if (load == trial.accesses.end()) return std::nullopt;
    const std::uint64_t address = load->active_addresses().front();
    return LoadedElement{static_cast<std::int64_t>((address - trial.in_address) / sizeof(float)),
                         load->line};
}

std::optional<BlockStores> trace_block_stores(Shape shape, const LaunchShape& launch,
                                              const RelaunchFunction& relaunch) {
    if (launch.blocks() > kMaxWarpsOfBlocks) return std::nullopt;
    BlockStores block_stores;
    int traced_warps = 0;
    BlockByElement block_by_element;
    const long long warps = (launch.threads() + 31) / 32;
    for (long long block = 0; block < launch.blocks(); ++block) {
        bool is_idle = true;
        // In block 0, trace every warp. In any other block, trace warps until one of them stores
        // something. If the blocks overlap, this warp stores elements that block 0 also stores.
        for (long long warp = 0; warp < warps && (block == 0 || is_idle); ++warp) {
            if (++traced_warps > kMaxWarpsOfBlocks) return std::nullopt;
            const TracedWarp traced{static_cast<std::uint64_t>(block), static_cast<unsigned>(warp),
                                    kMaxTracedAccesses};
            const auto stored_elements = list_stored_elements(
                relaunch({.shape = shape, .watch = Watch::result_alone, .traced = traced}));
            is_idle &= stored_elements.empty();
            block_stores.conflict =
                claim_elements(stored_elements, block, launch, block_by_element);
            if (block_stores.conflict) return block_stores;
        }
        if (is_idle && !block_stores.first_idle_block)
            block_stores.first_idle_block = block_at(launch, block);
        block_stores.idle_blocks += is_idle;
    }
    return block_stores;
}

std::size_t count_first_warp_stores(Shape shape, const RelaunchFunction& relaunch) {
    const TrialRequest request{.shape = shape, .watch = Watch::result_alone, .traced = kFirstWarp};
    return list_stored_elements(relaunch(request)).size();
}

std::string BlockOrigins::text() const {
    const auto cell_number = [](Cell cell) {
        return "row " + std::to_string(cell.row) + ", column " + std::to_string(cell.col);
    };
    return "With rows = " + std::to_string(shape.rows) +
           " and cols = " + std::to_string(shape.cols) + ", block (0, 0) begins at " +
           cell_number(origin) + " of `in`, block (1, 0) at " + cell_number(next_x) +
           ", and block (0, 1) at " + cell_number(next_y) + ".";
}

std::optional<BlockOrigins> find_block_origins(Shape shape, const LaunchShape& launch,
                                               const RelaunchFunction& relaunch) {
    if (launch.grid[0] < 2 || launch.grid[1] < 2) return std::nullopt;
    const auto origin_of = [&](long long x, long long y) -> std::optional<Cell> {
        const auto number = static_cast<std::uint64_t>(y * launch.grid[0] + x);
        const auto load =
            find_first_load(relaunch({.shape = shape,
                                      .watch = Watch::result_alone,
                                      .traced = {number, 0, kMaxAccessesToFirstLoad}}));
        if (!load) return std::nullopt;
        return Cell{load->element / shape.cols, load->element % shape.cols};
    };
    const auto first_origin = origin_of(0, 0), next_x = origin_of(1, 0), next_y = origin_of(0, 1);
    if (!first_origin || !next_x || !next_y) return std::nullopt;
    const BlockOrigins origins{shape, *first_origin, *next_x, *next_y};
    // Check that the positions of three other blocks follow from the steps along the two axes. Skip
    // blocks that do not exist or load nothing.
    for (const auto& [x, y] : {std::pair{1, 1}, {2, 1}, {1, 2}}) {
        if (x >= launch.grid[0] || y >= launch.grid[1]) continue;
        const Cell expected_cell{
            first_origin->row + x * origins.step_x().row + y * origins.step_y().row,
            first_origin->col + x * origins.step_x().col + y * origins.step_y().col};
        const auto other_origin = origin_of(x, y);
        if (other_origin && !(*other_origin == expected_cell)) return std::nullopt;
    }
    return origins;
}

}  // namespace coalesce
