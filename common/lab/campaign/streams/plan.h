// The plan of a random kernel: all random choices, before they become text, a launch and a
// description.
//
// A block moves one tile of the matrix, width x height elements. A persistent block moves one tile
// after another. Without shared memory, a thread's next element is threads_x columns to the right.
// After the end of the tile's row, the thread goes threads_y rows down and starts at the left
// again. With shared memory, threads enumerate the tile's elements.
#pragma once

#include <vector>

#include "lab/campaign/random.h"
#include "lab/campaign/streams/kernel.h"

namespace coalesce::timing {

/// The order of a thread's loads and stores.
enum class LoadOrder {
    batched,     ///< all loads, then all stores
    one_by_one,  ///< each value is stored before the next is loaded
    barrier,     ///< like `one_by_one`, but with a barrier after each store
    dependent,   ///< the address of each load depends on the value loaded before
};
constexpr LoadOrder last_of(LoadOrder) {
    return LoadOrder::dependent;
}

/// The order in which blocks take the tiles of the matrix.
enum class TileOrder {
    rows,     ///< row by row, with a two-dimensional grid
    columns,  ///< column by column
    bands,    ///< column by column within a band, which is a few rows of tiles
};

struct KernelPlan {
    Family family = Family::copy;
    Computation work;                      ///< the computation of the kernel
    bool is_tiled = false;                 ///< whether elements pass through shared memory
    int threads_x = 32, threads_y = 1;     ///< threads of a block
    int tile_width = 32, tile_height = 1;  ///< size of a block's tile
    /// Elements per thread in each direction. Used only by kernels without shared memory.
    int elements_across = 1, elements_down = 1;
    /// whether a warp reads down a column of `in` instead of along a row
    bool reads_down_columns = false;
    LoadOrder load_order = LoadOrder::batched;
    int tile_row_padding = 0;  ///< unused elements after each row of the tile
    bool is_swizzled = false;  ///< whether the tile's columns are permuted, differently in each row
    int extra_tile_passes = 0;  ///< extra passes through the tile, with barriers
    /// Whether sums are reduced by a tree in shared memory instead of with shuffles.
    bool sums_by_tree = false;
    TileOrder tile_order = TileOrder::rows;
    int band_height_in_tiles = 1;  ///< height of a band, in tiles
    int persistent_blocks = 0;     ///< number of persistent blocks; 0 means one block per tile
    /// Whether all tiles are within the matrix, so that the kernel does not check bounds.
    bool has_only_whole_tiles = false;
    /// Extra bytes of shared memory that a block requests but does not use, so that fewer blocks
    /// are resident.
    int unused_shared_bytes = 0;
    bool has_launch_bounds = false;               ///< whether the kernel has __launch_bounds__
    int min_blocks_launch_bound = 0;              ///< second argument of __launch_bounds__
    int rows = 0, cols = 0;                       ///< size of the matrix
    int in_row_padding = 0, out_row_padding = 0;  ///< unused elements after each row

    int threads() const { return threads_x * threads_y; }
    /// Returns the number of elements per thread.
    int elements_per_thread() const {
        return is_tiled ? (tile_width * tile_height + threads() - 1) / threads()
                        : elements_across * elements_down;
    }
    /// Returns the size of the tile in shared memory, in bytes.
    int tile_bytes() const {
        return is_tiled ? tile_height * (tile_width + tile_row_padding) * work.element_bytes : 0;
    }
    /// Returns how many 32-bit registers each thread needs for the elements that it holds at the
    /// same time.
    int registers_for_elements() const {
        const int elements_held =
            load_order == LoadOrder::batched || extra_tile_passes > 0 ? elements_per_thread() : 1;
        return work.element_bytes > 4 ? elements_held * work.element_bytes / 4 : elements_held;
    }
};

/// Makes a random plan.
KernelPlan random_plan(Family family, campaign::Random& random);
/// Returns the fixed plans in transposes.cpp.
std::vector<KernelPlan> transposing_plans();
/// Returns the CUDA source; the kernel is called `name`.
std::string generate_source(const KernelPlan& plan, const std::string& name);
/// Returns a title for tables. For example, "tile 64x32 of 8 by 256, pad 1" means 8-byte elements
/// and 256 threads per block.
std::string format_title(const KernelPlan& plan);
/// Describes the plan in a sentence, without the full stop.
std::string format_description(const KernelPlan& plan);
/// Returns the launch for the plan's matrix. If `is_small` is true, the matrix has only a few
/// tiles.
MatrixLaunch plan_launch(const KernelPlan& plan, bool is_small);

}  // namespace coalesce::timing
