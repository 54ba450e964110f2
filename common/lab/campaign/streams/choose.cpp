// Makes the random choices of a kernel. Each statement makes one choice, because the order of
// choices determines what a seed means, and compilers may evaluate the arguments of a call in any
// order.
#include <algorithm>

#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

using campaign::Random;

constexpr int kRegistersPerMultiprocessor = 65536;  // registers of a multiprocessor
constexpr int kRegistersBesidesElements = 40;  // registers that a thread needs besides its elements
// Bytes of shared memory that a block can use without opting in to a larger size.
constexpr int kDefaultSharedBytes = 49152;
constexpr int kMaxSharedBytesPerBlock = 227 * 1024, kSharedBytesPerMultiprocessor = 228 * 1024,
              kSystemSharedBytesPerBlock = 1024;
constexpr int kMaxTileWidth = 4096;
constexpr std::int64_t kMinMatrixBytes = std::int64_t{32} << 20,
                       kMaxMatrixBytes = std::int64_t{2} << 30;

/// Reports whether the elements that a thread holds at a time fit in its registers without spills.
bool fits_in_registers(const KernelPlan& plan) {
    const int max_registers_for_elements =
        std::min(64, kRegistersPerMultiprocessor / plan.threads() - kRegistersBesidesElements);
    return plan.registers_for_elements() <= max_registers_for_elements;
}

int random_block_threads(Random& random) {
    return random.pick({32, 64, 96, 128, 192, 256, 320, 384, 512, 768, 1024});
}

LoadOrder random_load_order(Random& random) {
    return random.pick({LoadOrder::batched, LoadOrder::batched, LoadOrder::batched,
                        LoadOrder::one_by_one, LoadOrder::one_by_one, LoadOrder::barrier,
                        LoadOrder::dependent});
}

// ---- without shared memory ----

void set_tile_extent(KernelPlan& plan) {
    const int lane_direction_extent = plan.threads_x * plan.elements_across,
              other_direction_extent = plan.threads_y * plan.elements_down;
    plan.tile_width = (plan.reads_down_columns ? other_direction_extent : lane_direction_extent) *
                      plan.work.fill_column_step;
    plan.tile_height = plan.reads_down_columns ? lane_direction_extent : other_direction_extent;
    plan.work.column_group = lane_direction_extent;
}

void choose_block_shape(KernelPlan& plan, Random& random,
                        std::initializer_list<int> possible_widths) {
    const int threads = random_block_threads(random);
    const int width = random.pick(possible_widths);
    plan.threads_x = width <= threads && threads % width == 0 ? width : threads;
    plan.threads_y = threads / plan.threads_x;
}

/// Chooses the block size and the number of elements per thread at random. Repeats the choice until
/// the elements fit in the registers and the tile is not too large for the matrix.
void choose_block_and_elements(KernelPlan& plan, Random& random,
                               std::initializer_list<int> possible_block_widths) {
    plan.work.element_bytes = random.pick({1, 2, 4, 4, 8, 16});
    do {
        choose_block_shape(plan, random, possible_block_widths);
        const int elements_per_thread = random.pick({1, 2, 3, 4, 6, 8, 12, 16});
        const int elements_across = random.pick({1, 2, 4, 16});
        plan.elements_across =
            elements_per_thread % elements_across == 0 ? elements_across : elements_per_thread;
        plan.elements_down = elements_per_thread / plan.elements_across;
        set_tile_extent(plan);
    } while (!fits_in_registers(plan) || plan.tile_width > kMaxTileWidth ||
             plan.tile_height > kMaxTileWidth);
}

void choose_copy(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::copy;
    plan.load_order = random_load_order(random);
    choose_block_and_elements(plan, random, {32, 64, 128, 1024});
}

/// Makes the reads, the writes or both strided. If reads and writes have different strides, no tile
/// may extend beyond the matrix.
void choose_strides(KernelPlan& plan, Random& random) {
    int stride = 1;
    do {
        choose_copy(plan, random);
        stride = random.pick({2, 4, 8, 16, 32});
        // In a smaller group of columns, the stride would only permute the lanes of a warp.
    } while (plan.work.column_group % stride != 0 || plan.work.column_group / stride < 8 ||
             plan.work.column_group < 64);
    switch (random.below(3)) {
        case 0: plan.work.read_stride = plan.work.write_stride = stride; break;
        case 1: plan.work.read_stride = stride; break;
        default: plan.work.write_stride = stride; break;
    }
    plan.has_only_whole_tiles = plan.work.read_stride != plan.work.write_stride;
}

void choose_transpose(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::transpose;
    plan.reads_down_columns = random.percent(50);
    plan.load_order = random_load_order(random);
    choose_block_and_elements(plan, random, {8, 16, 32, 64, 1024});
}

void choose_sum(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::sum;
    plan.sums_by_tree = random.percent(50);
    plan.load_order = random_load_order(random);
    choose_block_and_elements(plan, random, {32, 64, 128, 1024});
}

void choose_fill(KernelPlan& plan, Random& random) {
    plan.work.kind = MatrixOperation::fill;
    plan.work.fill_column_step = random.pick({1, 1, 2, 4});
    choose_block_and_elements(plan, random, {32, 64, 128, 1024});
    const int write_stride = random.pick({1, 1, 2, 4, 8});
    if (plan.work.column_group % write_stride == 0) plan.work.write_stride = write_stride;
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
    plan.work.element_bytes = random.pick({1, 2, 4, 4, 8, 16});
    do {
        plan.tile_width = random_tile_side(random);
        plan.tile_height = random_tile_side(random);
        plan.tile_row_padding = random.pick({0, 1, 1, 2, 4});
        plan.threads_x = random_block_threads(random);
    } while (plan.tile_bytes() > kDefaultSharedBytes ||
             plan.tile_width * plan.tile_height < plan.threads() ||
             plan.elements_per_thread() > 16 || !fits_in_registers(plan));
    plan.is_swizzled = random.percent(25) && is_power_of_two(plan.tile_width);
    if (plan.is_swizzled) plan.tile_row_padding = 0;
    plan.load_order = random.pick(
        {LoadOrder::batched, LoadOrder::batched, LoadOrder::one_by_one, LoadOrder::dependent});
}

/// Adds a barrier after each load, extra passes through the tile, or both.
void choose_barriers(KernelPlan& plan, Random& random) {
    const MatrixOperation kind = random.pick({MatrixOperation::copy, MatrixOperation::transpose});
    const int variation = static_cast<int>(random.below(3));
    do {
        choose_tile(plan, random, kind);
        if (variation != 0) plan.extra_tile_passes = random.pick({2, 2, 4});
        // Choose again if the tile does not divide evenly among the threads. Some threads would
        // then leave the loop early, but all of them must reach the barrier in it.
    } while (!fits_in_registers(plan) ||
             (variation != 1 && plan.tile_width * plan.tile_height % plan.threads() != 0));
    if (variation != 1) plan.load_order = LoadOrder::barrier;
}

// ---- choices that are common to all families of kernels ----

/// Chooses at random between three kinds of kernels that move data.
void choose_copy_or_transpose(KernelPlan& plan, Random& random) {
    switch (random.below(4)) {
        case 0: return choose_copy(plan, random);
        case 1: return choose_transpose(plan, random);
        default: return choose_tile(plan, random, MatrixOperation::transpose);
    }
}

/// Adds unused shared memory, so that only a randomly chosen number of blocks fit on a
/// multiprocessor.
void limit_resident_blocks(KernelPlan& plan, Random& random) {
    int blocks = 1;
    do {
        blocks = random.pick({1, 2, 3, 4, 6, 8});
    } while (blocks > 1 && blocks * plan.threads() > 1536);
    const int shared_bytes_per_block =
        kSharedBytesPerMultiprocessor / blocks - kSystemSharedBytesPerBlock;
    const int unused_bytes =
        std::min(shared_bytes_per_block, kMaxSharedBytesPerBlock) - plan.tile_bytes();
    plan.unused_shared_bytes = std::max(0, unused_bytes / 128 * 128);
}

/// Chooses the arithmetic, with few enough steps that the loop can be unrolled for all words of a
/// thread.
void choose_arithmetic(KernelPlan& plan, Random& random) {
    const int words = std::max(1, plan.work.element_bytes / 4) * plan.elements_per_thread();
    const bool uses_float_arithmetic = random.percent(50) && plan.work.element_bytes >= 4;
    plan.work.arithmetic = uses_float_arithmetic ? Arithmetic::fma : Arithmetic::integer;
    do {
        plan.work.arithmetic_steps = random.pick({4, 8, 16, 32, 64});
    } while (plan.work.arithmetic_steps > 4 && plan.work.arithmetic_steps * words > 512);
}

void choose_tile_order(KernelPlan& plan, Random& random) {
    plan.tile_order =
        random.pick({TileOrder::rows, TileOrder::rows, TileOrder::columns, TileOrder::bands});
    plan.band_height_in_tiles = random.pick({2, 4, 8});
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
    plan.has_only_whole_tiles = plan.has_only_whole_tiles || is_whole;
    std::int64_t bytes = 0;
    do {
        plan.rows = random_matrix_side(random);
        plan.cols = random_matrix_side(random);
        bytes = std::int64_t{plan.rows} * plan.cols * plan.work.element_bytes;
    } while (bytes < kMinMatrixBytes || bytes > kMaxMatrixBytes);
    if (plan.has_only_whole_tiles) {
        plan.rows = std::max(1, plan.rows / plan.tile_height) * plan.tile_height;
        plan.cols = std::max(1, plan.cols / plan.tile_width) * plan.tile_width;
    }
    plan.in_row_padding = random_row_padding(random);
    plan.out_row_padding = random_row_padding(random);
}

/// Chooses the number of persistent blocks, small enough that each block processes several tiles.
void choose_persistent_blocks(KernelPlan& plan, Random& random) {
    const std::int64_t tiles_across = (plan.cols + plan.tile_width - 1) / plan.tile_width;
    const std::int64_t tiles_down = (plan.rows + plan.tile_height - 1) / plan.tile_height;
    plan.persistent_blocks = random.pick({132, 264, 528, 1056, 2112});
    while (plan.persistent_blocks > 132 && plan.persistent_blocks * 2 > tiles_across * tiles_down)
        plan.persistent_blocks /= 2;
}

void choose_launch_bounds(KernelPlan& plan, Random& random) {
    const int max_resident_blocks =
        kRegistersPerMultiprocessor /
        (plan.threads() * (plan.registers_for_elements() + kRegistersBesidesElements));
    const bool has_launch_bounds = random.percent(50), has_min_blocks = random.percent(30);
    // Without launch bounds, compilers assume blocks of 1024 threads.
    plan.has_launch_bounds =
        has_launch_bounds || plan.registers_for_elements() + kRegistersBesidesElements >
                                 kRegistersPerMultiprocessor / 1024;
    const auto blocks = static_cast<int>(random.between(1, 4));
    if (plan.has_launch_bounds && has_min_blocks)
        plan.min_blocks_launch_bound = std::clamp(blocks, 1, std::max(1, max_resident_blocks));
}

void choose_by_family(KernelPlan& plan, Random& random) {
    switch (plan.family) {
        case Family::copy: return choose_copy(plan, random);
        case Family::strides: return choose_strides(plan, random);
        case Family::transpose: return choose_transpose(plan, random);
        case Family::tile: return choose_tile(plan, random, MatrixOperation::transpose);
        case Family::barriers: return choose_barriers(plan, random);
        case Family::staying:
        case Family::occupancy: return choose_copy_or_transpose(plan, random);
        case Family::arithmetic:
            return random.percent(25) ? choose_sum(plan, random)
                                      : choose_copy_or_transpose(plan, random);
        case Family::reduction: return choose_sum(plan, random);
        case Family::fill: return choose_fill(plan, random);
    }
}

/// Returns whether the blocks are persistent: always for Family::staying, at random for reductions
/// and fills.
bool draws_persistent_blocks(Family family, Random& random) {
    const bool is_drawn = random.percent(30);
    if (family == Family::staying) return true;
    return is_drawn && (family == Family::reduction || family == Family::fill);
}

}  // namespace

KernelPlan random_plan(Family family, Random& random) {
    KernelPlan plan;
    plan.family = family;
    choose_by_family(plan, random);
    choose_tile_order(plan, random);
    choose_matrix(plan, random);
    choose_launch_bounds(plan, random);
    if (draws_persistent_blocks(family, random)) choose_persistent_blocks(plan, random);
    if (family == Family::occupancy) limit_resident_blocks(plan, random);
    if (family == Family::arithmetic) choose_arithmetic(plan, random);
    // If each thread has only one load, the order of the loads makes no difference.
    const bool has_single_load =
        plan.elements_per_thread() == 1 && plan.load_order != LoadOrder::barrier;
    if (has_single_load) plan.load_order = LoadOrder::batched;
    return plan;
}

}  // namespace coalesce::timing
