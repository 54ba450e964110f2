// What one random kernel is: all that chance chose, before it becomes text, a launch and a description.
//
// A block moves one piece of the matrix, width x height elements, or stays and moves one after the other.
// Without shared memory, element k of a thread lies threads_x columns beyond element k - 1, and threads_y
// rows further where a row of the piece ends. Through shared memory, threads count the tile's elements.
#pragma once

#include <vector>

#include "lab/campaign/random.h"
#include "lab/campaign/streams/kernel.h"

namespace coalesce::timing {

/// How the loads of a thread follow each other.
enum class Loads {
    batched,     ///< all, then all stores
    one_by_one,  ///< each is stored before the next
    barrier,     ///< the same, with a barrier in between
    dependent,   ///< where the next lies depends on what this one brings
};
constexpr Loads last_of(Loads) {
    return Loads::dependent;
}

/// Which piece of the matrix the next block takes.
enum class Order {
    rows,     ///< the next to the right: a grid of two dimensions
    columns,  ///< the next below
    bands,    ///< down in bands of a few pieces' height
};

struct Plan {
    Family family = Family::copy;
    Computation work;                   ///< what it computes
    bool is_tiled = false;              ///< through shared memory
    int threads_x = 32, threads_y = 1;  ///< of a block
    int width = 32, height = 1;         ///< of its piece
    int across = 1, down = 1;           ///< elements of a thread, without shared memory
    bool is_down = false;               ///< the lanes of a warp lie along a column of `in`
    Loads loads = Loads::batched;
    int padding = 0;           ///< elements behind each row of the tile
    bool is_swizzled = false;  ///< the tile's columns are exchanged, by row
    int passes = 0;            ///< more ways through the tile, with barriers
    bool is_tree = false;      ///< sums are added by halves, else by shuffles
    Order order = Order::rows;
    int band = 1;                   ///< pieces that a band is high
    int staying = 0;                ///< blocks that stay; 0: one for each piece
    bool is_whole = false;          ///< no piece hangs over the matrix: nothing is checked
    int extra_shared = 0;           ///< bytes that nobody uses: fewer blocks at a time
    bool has_bounds = false;        ///< __launch_bounds__
    int least_blocks = 0;           ///< its second number
    int rows = 0, cols = 0;         ///< of the matrix
    int in_room = 0, out_room = 0;  ///< elements behind each row

    int threads() const { return threads_x * threads_y; }
    /// Elements of a thread.
    int elements() const {
        return is_tiled ? (width * height + threads() - 1) / threads() : across * down;
    }
    /// Of the tile.
    int tile_bytes() const { return is_tiled ? height * (width + padding) * work.element : 0; }
    /// 32-bit registers that a thread's elements take at a time; each has one of its own at least.
    int held_words() const {
        const int held = loads == Loads::batched || passes > 0 ? elements() : 1;
        return work.element > 4 ? held * work.element / 4 : held;
    }
};

/// By chance.
Plan choose(Family family, campaign::Random& random);
/// By no chance: see transposes.cpp.
std::vector<Plan> transposing_plans();
/// CUDA; the kernel is called `name`.
std::string text_of(const Plan& plan, const std::string& name);
/// "tile 64x32 of 8 by 256, pad 1", for tables: elements of 8 bytes, blocks of 256 threads.
std::string title_of(const Plan& plan);
/// A sentence without its dot.
std::string description_of(const Plan& plan);
/// The launch for the matrix of the plan, or for one that has a few pieces only.
Run run_of(const Plan& plan, bool is_small);

}  // namespace coalesce::timing
