// Lists transposes without shared memory, which differ from one another in one parameter at a time.
// They measure how the cost of partial sector stores depends on the shape of a block, the elements
// per thread, the order of blocks, and the alignment of rows. The kernels are not random, because
// too few random kernels are of this kind.
#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

struct Block {
    int threads_x = 0, threads_y = 0;
};
struct Elements {
    int count = 0;
    LoadOrder loads = LoadOrder::batched;
};

constexpr Block kBlocks[] = {{256, 1}, {64, 4},  {32, 8}, {32, 32},
                             {16, 4},  {16, 16}, {8, 8},  {8, 32}};
constexpr Elements kElements[] = {{1, LoadOrder::batched},
                                  {4, LoadOrder::batched},
                                  {4, LoadOrder::dependent},
                                  {16, LoadOrder::dependent}};
constexpr TileOrder kOrders[] = {TileOrder::rows, TileOrder::columns, TileOrder::bands};
constexpr int kRowBytes = 65536, kRows = 16384;
/// Unused bytes after each row, so that the distance between rows is not a power of two.
constexpr int kRowPaddingBytes = 1280;

KernelPlan make_plan(int element, const Block& block, const Elements& elements, TileOrder order,
                     int room) {
    KernelPlan plan;
    plan.family = Family::transpose;
    plan.work.kind = MatrixOperation::transpose;
    plan.work.element = element;
    plan.work.chunk = plan.width = plan.threads_x = block.threads_x;
    plan.threads_y = block.threads_y;
    plan.down = elements.count;
    plan.height = block.threads_y * elements.count;
    plan.loads = elements.loads;
    plan.order = order;
    plan.band = order == TileOrder::bands ? 4 : 1;
    plan.is_whole = true;
    plan.rows = kRowBytes / element;
    plan.cols = kRows;
    plan.out_row_padding = room / element;
    return plan;
}

}  // namespace

std::vector<KernelPlan> transposing_plans() {
    std::vector<KernelPlan> plans;
    for (const int element : {4, 8, 16}) {
        // With this many bytes after each row, at least every second row begins in the middle of a
        // sector.
        const int misaligned = kRowPaddingBytes + (element == 16 ? 16 : 8);
        for (const Block& block : kBlocks) {
            for (const Elements& elements : kElements) {
                for (const TileOrder order : kOrders)
                    plans.push_back(make_plan(element, block, elements, order, kRowPaddingBytes));
                plans.push_back(make_plan(element, block, elements, TileOrder::rows, misaligned));
            }
        }
    }
    return plans;
}

}  // namespace coalesce::timing
