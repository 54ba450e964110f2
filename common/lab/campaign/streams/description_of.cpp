// Describes a plan in words, and the plan's launches as numbers.
#include "harness/text.h"
#include "lab/campaign/streams/plan.h"

namespace coalesce::timing {
namespace {

std::string format_product(int a, int b) {
    return std::to_string(a) + "x" + std::to_string(b);
}

std::string name_of(MatrixOperation kind) {
    return kind == MatrixOperation::transpose ? "turn" : dashed_name(kind);
}

/// Returns the defining parameter of a plan's family as a short string.
std::string describe_key_parameter(const KernelPlan& plan) {
    const Computation& work = plan.work;
    switch (plan.family) {
        case Family::strides: return format("stride %d>%d", work.read_stride, work.write_stride);
        case Family::barriers:
            return plan.extra_tile_passes == 0 ? "barrier"
                                               : format("%d passes", plan.extra_tile_passes);
        case Family::staying: return format("%d stay", plan.persistent_blocks);
        case Family::occupancy:
            return format("%d KB", (plan.unused_shared_bytes + plan.tile_bytes()) / 1024);
        case Family::arithmetic:
            return (work.arithmetic == Arithmetic::fma ? "fma" : "int") +
                   format(" %d", work.arithmetic_steps);
        case Family::fill:
            return work.fill_column_step == 1 ? "" : format("gap %d", work.fill_column_step);
        case Family::tile:
            return plan.is_swizzled ? "swizzled" : format("pad %d", plan.tile_row_padding);
        case Family::copy:
        case Family::transpose:
        case Family::reduction: break;
    }
    return plan.load_order == LoadOrder::batched ? "" : dashed_name(plan.load_order);
}

std::string describe_operation(const KernelPlan& plan) {
    const std::string matrix_text =
        format("%d x %d of ", plan.rows, plan.cols) +
        format_count(static_cast<std::uint64_t>(plan.work.element_bytes), "byte");
    switch (plan.work.kind) {
        case MatrixOperation::copy: return "copies " + matrix_text;
        case MatrixOperation::transpose: return "transposes " + matrix_text;
        case MatrixOperation::sum: return "adds up " + matrix_text;
        case MatrixOperation::fill: break;
    }
    return "fills " + matrix_text;
}

std::string describe_access_order(const KernelPlan& plan) {
    std::string text = plan.reads_down_columns ? ", warps down the columns that they read" : "";
    if (plan.is_tiled) {
        text += format(", tiles %d wide and %d high", plan.tile_width, plan.tile_height);
        text += plan.is_swizzled ? " with exchanged columns"
                                 : format(" padded by %d", plan.tile_row_padding);
    }
    if (plan.work.kind == MatrixOperation::sum)
        text += plan.sums_by_tree ? ", sums by halves" : ", sums by shuffles";
    if (plan.work.read_stride > 1)
        text += format(", reads at a stride of %d", plan.work.read_stride);
    if (plan.work.write_stride > 1)
        text += format(", writes at a stride of %d", plan.work.write_stride);
    if (plan.work.fill_column_step > 1)
        text += format(", every %dth column", plan.work.fill_column_step);
    return text;
}

std::string describe_block(const KernelPlan& plan) {
    std::string text =
        "; blocks of " + format_product(plan.threads_x, plan.threads_y) + ", " +
        format_count(static_cast<std::uint64_t>(plan.elements_per_thread()), "element") + " each";
    switch (plan.load_order) {
        case LoadOrder::batched: break;
        case LoadOrder::one_by_one: text += " one by one"; break;
        case LoadOrder::barrier: text += " with barriers between"; break;
        case LoadOrder::dependent: text += " that wait for each other"; break;
    }
    if (plan.extra_tile_passes > 0)
        text += format(", %d more passes through the tile", plan.extra_tile_passes);
    if (plan.work.arithmetic_steps > 0) {
        text += format(", %d steps of %s for a word", plan.work.arithmetic_steps,
                       plan.work.arithmetic == Arithmetic::fma ? "multiply-add" : "integers");
    }
    return text;
}

std::string describe_limits(const KernelPlan& plan) {
    std::string text;
    if (plan.tile_order == TileOrder::columns) text += ", blocks down the columns";
    if (plan.tile_order == TileOrder::bands)
        text += format(", blocks in bands of %d", plan.band_height_in_tiles);
    if (plan.persistent_blocks > 0) text += format(", %d blocks stay", plan.persistent_blocks);
    if (plan.unused_shared_bytes > 0)
        text += format(", %d bytes of shared memory for nothing", plan.unused_shared_bytes);
    if (plan.has_launch_bounds) text += ", launch bounds";
    if (plan.min_blocks_launch_bound > 0) {
        text += " for " +
                format_count(static_cast<std::uint64_t>(plan.min_blocks_launch_bound), "block");
    }
    if (!plan.has_only_whole_tiles) text += ", edges checked";
    if (plan.in_row_padding + plan.out_row_padding > 0) {
        text += format(", %d and %d elements behind the rows", plan.in_row_padding,
                       plan.out_row_padding);
    }
    return text;
}

int count_pieces(int extent, int piece_extent) {
    return (extent + piece_extent - 1) / piece_extent;
}

/// Returns the combined length of `tile_count` tiles along one axis. If `has_only_whole_tiles` is
/// false, the last tile extends beyond the edge of the matrix.
int extent_of_tiles(int tile_extent, int tile_count, bool has_only_whole_tiles) {
    return has_only_whole_tiles ? tile_extent * tile_count
                                : tile_extent * (tile_count - 1) + tile_extent / 2 + 1;
}

}  // namespace

std::string format_title(const KernelPlan& plan) {
    std::string text = plan.is_tiled ? "tile " + format_product(plan.tile_width, plan.tile_height)
                                     : name_of(plan.work.kind);
    text += format(" of %d by %d", plan.work.element_bytes, plan.threads());
    if (const std::string key_parameter_text = describe_key_parameter(plan);
        !key_parameter_text.empty())
        text += ", " + key_parameter_text;
    return text;
}

std::string format_description(const KernelPlan& plan) {
    return dashed_name(plan.family) + ": " + describe_operation(plan) +
           describe_access_order(plan) + describe_block(plan) + describe_limits(plan);
}

MatrixLaunch plan_launch(const KernelPlan& plan, bool is_small) {
    MatrixLaunch run;
    // Use enough tiles to fill one band and begin another.
    const int small_tiles_down =
        plan.tile_order == TileOrder::bands ? plan.band_height_in_tiles + 1 : 3;
    run.rows = is_small
                   ? extent_of_tiles(plan.tile_height, small_tiles_down, plan.has_only_whole_tiles)
                   : plan.rows;
    run.cols =
        is_small ? extent_of_tiles(plan.tile_width, 3, plan.has_only_whole_tiles) : plan.cols;
    const bool is_output_transposed = plan.work.kind == MatrixOperation::transpose;
    run.in_pitch = run.cols + plan.in_row_padding;
    run.out_pitch = (is_output_transposed ? run.rows : run.cols) + plan.out_row_padding;
    run.block = {plan.threads_x, plan.threads_y, 1};
    const int tiles_across = count_pieces(run.cols, plan.tile_width),
              tiles_down = count_pieces(run.rows, plan.tile_height);
    if (plan.persistent_blocks > 0) {
        run.grid = {is_small ? 3 : plan.persistent_blocks, 1, 1};
    } else if (plan.tile_order == TileOrder::rows) {
        run.grid = {tiles_across, tiles_down, 1};
    } else {
        run.grid = {tiles_across * tiles_down, 1, 1};
    }
    run.shared_bytes = plan.unused_shared_bytes;
    const auto element = static_cast<std::uint64_t>(plan.work.element_bytes);
    const auto bytes = [&](int rows, int pitch) {
        return element * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(pitch);
    };
    run.in_bytes = plan.work.kind == MatrixOperation::fill ? 16 : bytes(run.rows, run.in_pitch);
    run.out_bytes = bytes(is_output_transposed ? run.cols : run.rows, run.out_pitch);
    if (plan.work.kind == MatrixOperation::sum)
        run.out_bytes = 4 * static_cast<std::uint64_t>(run.blocks());
    return run;
}

}  // namespace coalesce::timing
