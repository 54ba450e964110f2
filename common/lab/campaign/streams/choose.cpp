// Makes the random choices of a kernel. Each statement makes one choice, because the order of
// choices determines what a seed means, and compilers may evaluate the arguments of a call in any
// order.
#include <algorithm>

#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

using campaign::Random;

constexpr int kRegisters = 65536;    // registers of a multiprocessor
constexpr int kOtherRegisters = 40;  // registers that a thread needs besides its elements
// Bytes of shared memory that a block can use without opting in to a larger size.
constexpr int kDefaultSharedBytes = 49152;
constexpr int kMaxSharedBytes = 227 * 1024, kTotalSharedBytes = 228 * 1024,
              kSystemSharedBytes = 1024;
constexpr int kMaxTileWidth = 4096;
constexpr std::int64_t kLeastBytes = std::int64_t{32} << 20, kMostBytes = std::int64_t{2} << 30;

/// Reports whether the elements that a thread holds at a time fit in its registers without spills.
bool fits_registers(const KernelPlan& plan) {
    const int most = std::min(64, kRegisters / plan.threads() - kOtherRegisters);
    return plan.registers_for_elements() <= most;
}

int threads_of_block(Random& random) {
    return random.pick({32, 64, 96, 128, 192, 256, 320, 384, 512, 768, 1024});
}

LoadOrder random_load_order(Random& random) {
    return random.pick({LoadOrder::batched, LoadOrder::batched, LoadOrder::batched,
                        LoadOrder::one_by_one, LoadOrder::one_by_one, LoadOrder::barrier,
                        LoadOrder::dependent});
}

// ---- without shared memory ----

void set_tile_extent(KernelPlan& plan) {
    const int along = plan.threads_x * plan.across, other = plan.threads_y * plan.down;
    plan.width = (plan.is_down ? other : along) * plan.work.gap;
    plan.height = plan.is_down ? along : other;
    plan.work.chunk = along;
}

void choose_block(KernelPlan& plan, Random& random, std::initializer_list<int> widths) {
    const int threads = threads_of_block(random);
    const int width = random.pick(widths);
    plan.threads_x = width <= threads && threads % width == 0 ? width : threads;
    plan.threads_y = threads / plan.threads_x;
}

/// Chooses the block size and the number of elements per thread at random. Repeats the choice until
/// the elements fit in the registers and the tile is not too large for the matrix.
void choose_elements(KernelPlan& plan, Random& random, std::initializer_list<int> widths) {
    plan.work.element = random.pick({1, 2, 4, 4, 8, 16});
    do {
        choose_block(plan, random, widths);
        const int elements = random.pick({1, 2, 3, 4, 6, 8, 12, 16});
        const int across = random.pick({1, 2, 4, 16});
        plan.across = elements % across == 0 ? across : elements;
        plan.down = elements / plan.across;
        set_tile_extent(plan);
    } while (!fits_registers(plan) || plan.width > kMaxTileWidth || plan.height > kMaxTileWidth);
}

void choose_copy(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::copy;
    plan.loads = random_load_order(random);
    choose_elements(plan, random, {32, 64, 128, 1024});
}

/// Makes the reads, the writes or both strided. If reads and writes have different strides, no tile
/// may extend beyond the matrix.
void choose_strides(KernelPlan& plan, Random& random) {
    int stride = 1;
    do {
        choose_copy(plan, random);
        stride = random.pick({2, 4, 8, 16, 32});
        // A smaller chunk would merely permute the lanes of a warp.
    } while (plan.work.chunk % stride != 0 || plan.work.chunk / stride < 8 || plan.work.chunk < 64);
    switch (random.below(3)) {
        case 0: plan.work.read_stride = plan.work.write_stride = stride; break;
        case 1: plan.work.read_stride = stride; break;
        default: plan.work.write_stride = stride; break;
    }
    plan.is_whole = plan.work.read_stride != plan.work.write_stride;
}

void choose_transpose(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::transpose;
    plan.is_down = random.percent(50);
    plan.loads = random_load_order(random);
    choose_elements(plan, random, {8, 16, 32, 64, 1024});
}

void choose_sum(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::sum;
    plan.is_tree = random.percent(50);
    plan.loads = random_load_order(random);
    choose_elements(plan, random, {32, 64, 128, 1024});
}

void choose_fill(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::fill;
    plan.work.gap = random.pick({1, 1, 2, 4});
    choose_elements(plan, random, {32, 64, 128, 1024});
    const int stride = random.pick({1, 1, 2, 4, 8});
    if (plan.work.chunk % stride == 0) plan.work.write_stride = stride;
}

// ---- through shared memory ----

bool is_power_of_two(int value) {
    return (value & (value - 1)) == 0;
}

int random_tile_side(Random& random) {
    return random.pick({8, 16, 24, 32, 32, 40, 48, 64, 64, 96, 128});
}

void choose_tile(KernelPlan& plan, Random& random, MatrixOperation kind) {
    plan.is_tiled = true;
    plan.work.kind = kind;
    plan.work.element = random.pick({1, 2, 4, 4, 8, 16});
    do {
        plan.width = random_tile_side(random);
        plan.height = random_tile_side(random);
        plan.padding = random.pick({0, 1, 1, 2, 4});
        plan.threads_x = threads_of_block(random);
    } while (plan.tile_bytes() > kDefaultSharedBytes || plan.width * plan.height < plan.threads() ||
             plan.elements() > 16 || !fits_registers(plan));
    plan.is_swizzled = random.percent(25) && is_power_of_two(plan.width);
    if (plan.is_swizzled) plan.padding = 0;
    plan.loads = random.pick(
        {LoadOrder::batched, LoadOrder::batched, LoadOrder::one_by_one, LoadOrder::dependent});
}

/// Adds a barrier after each load, extra passes through the tile, or both.
void choose_barriers(KernelPlan& plan, Random& random) {
    const MatrixOperation kind = random.pick({MatrixOperation::copy, MatrixOperation::transpose});
    const int which = static_cast<int>(random.below(3));
    do {
        choose_tile(plan, random, kind);
        if (which != 0) plan.passes = random.pick({2, 2, 4});
        // Choose again if the tile does not divide evenly among the threads. Some threads would
        // then leave the loop early, but all of them must reach the barrier in it.
    } while (!fits_registers(plan) ||
             (which != 1 && plan.width * plan.height % plan.threads() != 0));
    if (which != 1) plan.loads = LoadOrder::barrier;
}

// ---- choices for every family ----

/// Chooses at random between three kinds of kernels that move data.
void choose_any(KernelPlan& plan, Random& random) {
    switch (random.below(4)) {
        case 0: return choose_copy(plan, random);
        case 1: return choose_transpose(plan, random);
        default: return choose_tile(plan, random, MatrixOperation::transpose);
    }
}

/// Adds unused shared memory, so that only a randomly chosen number of blocks fit on a
/// multiprocessor.
void limit_blocks(KernelPlan& plan, Random& random) {
    int blocks = 1;
    do {
        blocks = random.pick({1, 2, 3, 4, 6, 8});
    } while (blocks > 1 && blocks * plan.threads() > 1536);
    const int each = kTotalSharedBytes / blocks - kSystemSharedBytes;
    const int room = std::min(each, kMaxSharedBytes) - plan.tile_bytes();
    plan.unused_shared_bytes = std::max(0, room / 128 * 128);
}

/// Chooses the arithmetic, with few enough steps that the loop can be unrolled for all words of a
/// thread.
void choose_arithmetic(KernelPlan& plan, Random& random) {
    const int words = std::max(1, plan.work.element / 4) * plan.elements();
    const bool is_float = random.percent(50) && plan.work.element >= 4;
    plan.work.arithmetic = is_float ? Arithmetic::fma : Arithmetic::integer;
    do {
        plan.work.steps = random.pick({4, 8, 16, 32, 64});
    } while (plan.work.steps > 4 && plan.work.steps * words > 512);
}

void choose_order(KernelPlan& plan, Random& random) {
    plan.order =
        random.pick({TileOrder::rows, TileOrder::rows, TileOrder::columns, TileOrder::bands});
    plan.band = random.pick({2, 4, 8});
}

int random_matrix_side(Random& random) {
    switch (random.below(3)) {
        case 0: return random.pick({2048, 4096, 8192, 16384});
        case 1: return static_cast<int>(32 * random.between(64, 512));
        default: return static_cast<int>(random.between(2048, 16384));
    }
}

/// Returns a random number of unused elements to put after each row.
int random_row_padding(Random& random) {
    return random.pick({0, 0, 0, 8, 32, 100});
}

void choose_matrix(KernelPlan& plan, Random& random) {
    const bool is_whole = random.percent(40);
    plan.is_whole = plan.is_whole || is_whole;
    std::int64_t bytes = 0;
    do {
        plan.rows = random_matrix_side(random);
        plan.cols = random_matrix_side(random);
        bytes = std::int64_t{plan.rows} * plan.cols * plan.work.element;
    } while (bytes < kLeastBytes || bytes > kMostBytes);
    if (plan.is_whole) {
        plan.rows = std::max(1, plan.rows / plan.height) * plan.height;
        plan.cols = std::max(1, plan.cols / plan.width) * plan.width;
    }
    plan.in_row_padding = random_row_padding(random);
    plan.out_row_padding = random_row_padding(random);
}

/// Chooses the number of persistent blocks, small enough that each block processes several tiles.
void choose_persistent_blocks(KernelPlan& plan, Random& random) {
    const std::int64_t across = (plan.cols + plan.width - 1) / plan.width;
    const std::int64_t down = (plan.rows + plan.height - 1) / plan.height;
    plan.persistent_blocks = random.pick({132, 264, 528, 1056, 2112});
    while (plan.persistent_blocks > 132 && plan.persistent_blocks * 2 > across * down)
        plan.persistent_blocks /= 2;
}

void choose_bounds(KernelPlan& plan, Random& random) {
    const int most =
        kRegisters / (plan.threads() * (plan.registers_for_elements() + kOtherRegisters));
    const bool has_launch_bounds = random.percent(50), has_blocks = random.percent(30);
    // Without launch bounds, compilers assume blocks of 1024 threads.
    plan.has_launch_bounds =
        has_launch_bounds || plan.registers_for_elements() + kOtherRegisters > kRegisters / 1024;
    const auto blocks = static_cast<int>(random.between(1, 4));
    if (plan.has_launch_bounds && has_blocks)
        plan.min_blocks = std::clamp(blocks, 1, std::max(1, most));
}

void choose_family(KernelPlan& plan, Random& random) {
    switch (plan.family) {
        case Family::copy: return choose_copy(plan, random);
        case Family::strides: return choose_strides(plan, random);
        case Family::transpose: return choose_transpose(plan, random);
        case Family::tile: return choose_tile(plan, random, MatrixOperation::transpose);
        case Family::barriers: return choose_barriers(plan, random);
        case Family::staying:
        case Family::occupancy: return choose_any(plan, random);
        case Family::arithmetic:
            return random.percent(25) ? choose_sum(plan, random) : choose_any(plan, random);
        case Family::reduction: return choose_sum(plan, random);
        case Family::fill: return choose_fill(plan, random);
    }
}

/// Returns whether the blocks are persistent: always for Family::staying, at random for reductions
/// and fills.
bool has_persistent_blocks(Family family, Random& random) {
    const bool now_and_then = random.percent(30);
    if (family == Family::staying) return true;
    return now_and_then && (family == Family::reduction || family == Family::fill);
}

}  // namespace

KernelPlan random_plan(Family family, Random& random) {
    KernelPlan plan;
    plan.family = family;
    choose_family(plan, random);
    choose_order(plan, random);
    choose_matrix(plan, random);
    choose_bounds(plan, random);
    if (has_persistent_blocks(family, random)) choose_persistent_blocks(plan, random);
    if (family == Family::occupancy) limit_blocks(plan, random);
    if (family == Family::arithmetic) choose_arithmetic(plan, random);
    // If each thread has only one load, the order of the loads makes no difference.
    const bool is_alone = plan.elements() == 1 && plan.loads != LoadOrder::barrier;
    if (is_alone) plan.loads = LoadOrder::batched;
    return plan;
}

}  // namespace coalesce::timing
