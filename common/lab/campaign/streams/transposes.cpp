// Lists transposes without shared memory, which differ from one another in one parameter at a time.
// They measure how the cost of partial sector stores depends on the shape of a block, the elements
// per thread, the order of blocks, and the alignment of rows. The kernels are not random, because
// too few random kernels are of this kind.
#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

struct BlockShape {
    int threads_x = 0, threads_y = 0;
};
struct ElementsPerThread {
    int count = 0;
    LoadOrder loads = LoadOrder::batched;
};

constexpr BlockShape kBlockShapes[] = {{256, 1}, {64, 4},  {32, 8}, {32, 32},
                                       {16, 4},  {16, 16}, {8, 8},  {8, 32}};
constexpr ElementsPerThread kElementsPerThread[] = {{1, LoadOrder::batched},
                                                    {4, LoadOrder::batched},
                                                    {4, LoadOrder::dependent},
                                                    {16, LoadOrder::dependent}};
constexpr TileOrder kTileOrders[] = {TileOrder::rows, TileOrder::columns, TileOrder::bands};
constexpr int kRowBytes = 65536, kRows = 16384;
/// Unused bytes after each row, so that the distance between rows is not a power of two.
constexpr int kRowPaddingBytes = 1280;

KernelPlan make_plan(int element_bytes, const BlockShape& block, const ElementsPerThread& elements,
                     TileOrder order, int row_padding_bytes) {
    KernelPlan plan;
    plan.family = Family::transpose;
    plan.work.kind = MatrixOperation::transpose;
    plan.work.element_bytes = element_bytes;
    plan.work.column_group = plan.tile_width = plan.threads_x = block.threads_x;
    plan.threads_y = block.threads_y;
    plan.elements_down = elements.count;
    plan.tile_height = block.threads_y * elements.count;
    plan.load_order = elements.loads;
    plan.tile_order = order;
    plan.band_height_in_tiles = order == TileOrder::bands ? 4 : 1;
    plan.has_only_whole_tiles = true;
    plan.rows = kRowBytes / element_bytes;
    plan.cols = kRows;
    plan.out_row_padding = row_padding_bytes / element_bytes;
    return plan;
}

}  // namespace

std::vector<KernelPlan> transposing_plans() {
    std::vector<KernelPlan> plans;
    for (const int element : {4, 8, 16}) {
        // With this many bytes after each row, at least every second row begins in the middle of a
        // sector.
        const int misaligned_padding_bytes = kRowPaddingBytes + (element == 16 ? 16 : 8);
        for (const BlockShape& block : kBlockShapes) {
            for (const ElementsPerThread& elements : kElementsPerThread) {
                for (const TileOrder order : kTileOrders)
                    plans.push_back(make_plan(element, block, elements, order, kRowPaddingBytes));
                plans.push_back(
                    make_plan(element, block, elements, TileOrder::rows, misaligned_padding_bytes));
            }
        }
    }
    return plans;
}

}  // namespace coalesce::timing
