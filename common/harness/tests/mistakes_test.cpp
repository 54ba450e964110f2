// Tests how the verifier explains mistakes, on a square, a wide, a tall and a ragged shape. The
// buffers are in host memory. A fake kernel specifies the element that each thread reads, and where
// the thread stores it.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/enum_names.h"
#include "harness/options.h"
#include "host_run.h"

using namespace coalesce;
using namespace coalesce::tests;

namespace {

/// The index that a thread (row, col) reads, and the index to which it stores. A thread without a
/// move does nothing.
struct Move {
    std::int64_t from, to;
};
using Thread = std::function<std::optional<Move>(std::int64_t row, std::int64_t col, Shape shape)>;

struct Mistake {
    const char* name;
    Thread thread;
    /// The expected fault, followed by other faults that are also accepted, because on some shapes
    /// they have the same result.
    std::vector<Fault> faults;
    /// Text that the message about the first fault must contain.
    const char* says;
    /// Whether threads of incomplete tiles that are outside the matrix also move elements.
    bool has_tiles = false;
};

std::vector<Mistake> mistakes() {
    using I = std::int64_t;
    using M = std::optional<Move>;
    const auto reads = [](auto index) {
        return [=](I r, I c, Shape s) -> M {
            return Move{index(r, c, I{s.rows}, I{s.cols}), c * s.rows + r};
        };
    };
    const auto stores = [](auto index) {
        return [=](I r, I c, Shape s) -> M {
            return Move{r * s.cols + c, index(r, c, I{s.rows}, I{s.cols})};
        };
    };
    const auto tiles = [](I side, auto takes) {  // a thread reads from a different tile
        return [=](I r, I c, Shape s) -> M {
            const Cell grid{(s.rows + side - 1) / side, (s.cols + side - 1) / side};
            const Cell t = takes(Cell{r / side, c / side}, grid);
            const I row = t.row * side + r % side, col = t.col * side + c % side;
            if (row >= s.rows || col >= s.cols) return std::nullopt;
            if (r >= s.rows || c >= s.cols) return std::nullopt;
            return Move{row * s.cols + col, c * s.rows + r};
        };
    };
    // Each block transposes the tile that `takes` returns for the block's index.
    const auto blocks = [](I side, auto takes) {
        return [=](I r, I c, Shape s) -> M {
            const Cell grid{(s.rows + side - 1) / side, (s.cols + side - 1) / side};
            const Cell t = takes(r / side * grid.col + c / side, grid);
            const I row = t.row * side + r % side, col = t.col * side + c % side;
            if (row >= s.rows || col >= s.cols) return std::nullopt;
            return Move{row * s.cols + col, col * s.rows + row};
        };
    };
    return {
        {"in pitch rows",
         reads([](I r, I c, I R, I) { return r * R + c; }),
         {Fault::wrong_pitch},
         "seems to use in[row * rows + col] instead of in[row * cols + col]"},
        {"in pitch cols + 1",
         reads([](I r, I c, I, I C) { return r * (C + 1) + c; }),
         {Fault::wrong_pitch},
         "instead of in[row * cols + col]"},
        {"in pitch 32",
         reads([](I r, I c, I, I) { return r * 32 + c; }),
         {Fault::wrong_pitch},
         "instead of in[row * cols + col]"},
        {"in pitch padded",
         reads([](I r, I c, I, I C) { return r * ((C + 63) / 64 * 64) + c; }),
         {Fault::wrong_pitch},
         "instead of in[row * cols + col]"},
        {"out pitch cols",
         stores([](I r, I c, I, I C) { return c * C + r; }),
         {Fault::wrong_pitch},
         "seems to use out[col * cols + row] instead of out[col * rows + row]"},
        {"out pitch rows + 1",
         stores([](I r, I c, I R, I) { return c * (R + 1) + r; }),
         {Fault::wrong_pitch},
         "instead of out[col * rows + row]"},
        {"out pitch 32",
         stores([](I r, I c, I, I) { return c * 32 + r; }),
         {Fault::wrong_pitch},
         "instead of out[col * rows + row]"},
        {"out pitch padded",
         stores([](I r, I c, I R, I) { return c * ((R + 63) / 64 * 64) + r; }),
         {Fault::wrong_pitch},
         "instead of out[col * rows + row]"},
        {"both pitches",
         [](I r, I c, Shape s) -> M {
             return Move{r * s.rows + c, c * s.cols + r};
         },
         {Fault::wrong_pitch},
         "seems to use in[row * rows + col] and out[col * cols + row] instead of"},
        {"all indices exchanged",
         [](I r, I c, Shape s) -> M {
             return Move{c * s.rows + r, r * s.cols + c};
         },
         {Fault::wrong_pitch},
         "seems to use in[col * rows + row] and out[row * cols + col] instead of"},
        {"copy in",
         reads([](I r, I c, I R, I) { return c * R + r; }),
         {Fault::indices_not_swapped},
         "the indices were not swapped"},
        {"in col * cols + row",
         reads([](I r, I c, I, I C) { return c * C + r; }),
         {Fault::indices_not_swapped},
         ""},
        {"copy out",
         stores([](I r, I c, I, I C) { return r * C + c; }),
         {Fault::indices_not_swapped},
         "the indices were not swapped"},
        {"in 1 on",
         reads([](I r, I c, I, I C) { return r * C + c + 1; }),
         {Fault::off_by_one_col},
         "1 element after the right element"},
        {"in 4 on",
         reads([](I r, I c, I, I C) { return r * C + c + 4; }),
         {Fault::shifted},
         "4 elements after the right element"},
        {"in 4 early",
         reads([](I r, I c, I, I C) { return r * C + c - 4; }),
         {Fault::shifted},
         "4 elements before the right element"},
        {"in 1 row on",
         reads([](I r, I c, I, I C) { return r * C + c + C; }),
         {Fault::off_by_one_row},
         "from the next row"},
        {"in 3 rows on",
         reads([](I r, I c, I, I C) { return r * C + c + 3 * C; }),
         {Fault::shifted},
         "3 rows too far down"},
        {"out 1 on",
         stores([](I r, I c, I R, I) { return c * R + r + 1; }),
         {Fault::off_by_one_row},
         "1 element after its correct position"},
        {"out 4 on",
         stores([](I r, I c, I R, I) { return c * R + r + 4; }),
         {Fault::shifted},
         "4 elements after its correct position"},
        {"out 1 row on",
         stores([](I r, I c, I R, I) { return c * R + r + R; }),
         {Fault::off_by_one_col},
         "from the previous column"},
        {"2 rows, 3 cols, clamped",
         reads([](I r, I c, I R, I C) {
             return std::min(r + 2, R - 1) * C + std::min(c + 3, C - 1);
         }),
         {Fault::shifted},
         "2 rows too far down and 3 columns too far to the right"},
        {"5 rows, around",
         reads([](I r, I c, I R, I C) { return (r + 5) % R * C + c; }),
         {Fault::shifted},
         "5 rows too far down, with wrap-around at the edges"},
        {"rows in pairs",
         reads([](I r, I c, I R, I C) { return std::min(r ^ 1, R - 1) * C + c; }),
         {Fault::neighbours_exchanged},
         "in each group of 2 neighbouring rows of the input, the 2nd, 1st are where the 1st, 2nd "
         "belong"},
        {"cols in pairs",
         reads([](I r, I c, I, I C) { return r * C + std::min(c ^ 1, C - 1); }),
         {Fault::neighbours_exchanged},
         "in each group of 2 neighbouring columns of the input, the 2nd, 1st are"},
        {"cols reversed in fours",
         reads([](I r, I c, I, I C) { return r * C + std::min(c ^ 3, C - 1); }),
         {Fault::neighbours_exchanged},
         "the 4th, 3rd, 2nd, 1st are where the 1st, 2nd, 3rd, 4th belong"},
        {"y and z exchanged",
         reads([](I r, I c, I, I C) {
             const I other = c % 4 == 1 ? c + 1 : c % 4 == 2 ? c - 1 : c;
             return r * C + std::min(other, C - 1);
         }),
         {Fault::neighbours_exchanged},
         "in each group of 4 neighbouring columns of the input, the 3rd, 2nd are where the 2nd, "
         "3rd"},
        {"col / 2 * 2",
         reads([](I r, I c, I, I C) { return r * C + c / 2 * 2; }),
         {Fault::neighbour_repeated},
         "in each group of 2 neighbouring columns of the input, the 1st is where the 2nd belongs"},
        {"row / 2 * 2",
         reads([](I r, I c, I, I C) { return r / 2 * 2 * C + c; }),
         {Fault::neighbour_repeated},
         "in each group of 2 neighbouring rows"},
        {"col / 4 * 4",
         reads([](I r, I c, I, I C) { return r * C + c / 4 * 4; }),
         {Fault::neighbour_repeated},
         "in each group of 4 neighbouring columns of the input, the 1st is where the 2nd, 3rd, 4th "
         "belong"},
        {"no 4th col",
         [](I r, I c, Shape s) -> M {
             if (c % 4 == 3) return std::nullopt;
             return Move{r * s.cols + c, c * s.rows + r};
         },
         {Fault::part_of_each_tile},
         "in every 4 rows of out, the 4th is never written. A loop or a vector component"},
        {"no 2nd row",
         [](I r, I c, Shape s) -> M {
             if (r % 2 == 1) return std::nullopt;
             return Move{r * s.cols + c, c * s.rows + r};
         },
         {Fault::part_of_each_tile},
         "in every 2 columns of out, the 2nd is never written"},
        {"first 8 of 32",
         [](I r, I c, Shape s) -> M {
             if (r % 32 >= 8) return std::nullopt;
             return Move{r * s.cols + c, c * s.rows + r};
         },
         {Fault::part_of_each_tile, Fault::grid_too_small},
         "in every 32 columns of out, the last 24 are never written"},
        {"stored over 4 times",
         stores([](I r, I c, I R, I) { return c * R + r / 32 * 32 + r % 8; }),
         {Fault::part_of_each_tile, Fault::grid_too_small, Fault::shifted},
         "the last 24 are never written, and the others hold values from elsewhere in their tile"},
        {"2nd of 2 rows from the next col",
         reads([](I r, I c, I, I C) { return r % 2 == 0 ? r * C + c : (r - 1) * C + c + 1; }),
         {Fault::scrambled_in_tile},
         "in every 2 columns of out, the 2nd is wrong. Does one component of a vector use a "
         "different "
         "index?"},
        {"4th col is the 3rd",
         reads([](I r, I c, I, I C) { return r * C + c - (c % 4 == 3); }),
         {Fault::neighbour_repeated},
         "in each group of 4 neighbouring columns of the input, the 3rd is where the 4th belongs"},
        {"one missing",
         [](I r, I c, Shape s) -> M {
             if (r == 7 && c == 9) return std::nullopt;
             return Move{r * s.cols + c, c * s.rows + r};
         },
         {Fault::never_written},
         "no other cell is affected"},
        {"four missing",
         [](I r, I c, Shape s) -> M {
             if (r == 7 && c % 11 == 9 && c < 45) return std::nullopt;
             return Move{r * s.cols + c, c * s.rows + r};
         },
         {Fault::never_written},
         "nor were "},
        {"one wrong",
         reads([](I r, I c, I, I C) { return r * C + c + (r == 7 && c == 9); }),
         {Fault::scattered},
         "this is the only wrong cell"},
        {"three wrong",
         reads([](I r, I c, I, I C) { return r * C + c + (r == 7 && c > 9 && c < 13); }),
         {Fault::scattered},
         "the 3 wrong cells"},
        {"one tile of two swapped",
         tiles(32,
               [](Cell t, Cell g) {
                   return t == Cell{0, 1} && g.col > 2 ? Cell{0, 2} : t;
               }),
         {Fault::wrong_tile},
         "tile (1,0) of out holds tile (0,2) of in where tile (0,1) belongs",
         true},
        {"tile shift col",
         tiles(32,
               [](Cell t, Cell g) {
                   return Cell{t.row, (t.col + 1) % g.col};
               }),
         {Fault::wrong_tile},
         "1 tile too far to the right",
         true},
        {"tile shift both",
         tiles(32,
               [](Cell t, Cell g) {
                   return Cell{(t.row + 1) % g.row, (t.col + 1) % g.col};
               }),
         {Fault::wrong_tile},
         "1 tile too far ",
         true},
        {"16 tile shift row",
         tiles(16,
               [](Cell t, Cell g) {
                   return Cell{(t.row + 1) % g.row, t.col};
               }),
         {Fault::wrong_tile},
         "tiles (16 x 16) are intact, but in the wrong place",
         true},
        {"tile mirror",
         tiles(32,
               [](Cell t, Cell g) {
                   return Cell{g.row - 1 - t.row, t.col};
               }),
         {Fault::wrong_tile},
         "rows of tiles are in reverse order",
         true},
        {"tile diagonal on one side",
         tiles(32,
               [](Cell t, Cell g) {
                   return Cell{t.row, (t.col + t.row) % g.col};
               }),
         {Fault::wrong_tile},
         "Is a diagonal order used only for reading, or only for storing?",
         true},
        {"tile wrong width, one side",
         tiles(32,
               [](Cell t, Cell g) {
                   const I n = t.row * g.col + t.col;
                   return Cell{n / g.row, n % g.row};
               }),
         {Fault::wrong_tile, Fault::bounds_exchanged},
         "divided by the number of tile rows instead of",
         true},
        {"tile order on one side",
         tiles(32,
               [](Cell t, Cell g) {
                   const I n = t.row * g.col + t.col;
                   return Cell{n % g.row, n / g.row};
               }),
         {Fault::wrong_tile, Fault::tile_not_moved},
         "numbered along rows of tiles on one side",
         true},
        {"tile scattered",
         tiles(32,
               [](Cell t, Cell g) {
                   const I n = (t.row * g.col + t.col) * 7 % (g.row * g.col);
                   return Cell{n / g.col, n % g.col};
               }),
         {Fault::wrong_tile},
         "Look at how the kernel computes tiles from block indices",
         true},
        {"all on the same tile",
         tiles(32,
               [](Cell, Cell) {
                   return Cell{0, 0};
               }),
         {Fault::tile_repeated},
         "",
         true},
        {"blocks: main diagonal",
         blocks(32,
                [](I n, Cell) {
                    return Cell{n, n};
                }),
         {Fault::never_written, Fault::bounds_exchanged},
         "tile_row = n, tile_col = n",
         true},
        {"blocks: no wrap",
         blocks(32,
                [](I n, Cell g) {
                    return Cell{n % g.row, n / g.row + n % g.row};
                }),
         {Fault::never_written, Fault::bounds_exchanged},
         "(without wrapping around)",
         true},
        {"blocks: n / R",
         blocks(32,
                [](I n, Cell g) {
                    return Cell{n / g.row, n % g.row};
                }),
         {Fault::bounds_exchanged, Fault::grid_too_small},
         "Perhaps",
         true},
        {"blocks: both modulo",
         blocks(32,
                [](I n, Cell g) {
                    return Cell{n % g.row, n % g.col};
                }),
         {Fault::never_written},
         "tile_row = n % R, tile_col = n % C",
         true},
        {"blocks: wrap at R",
         blocks(32,
                [](I n, Cell g) {
                    return Cell{n % g.row, (n / g.row + n % g.row) % g.row};
                }),
         {Fault::never_written, Fault::bounds_exchanged},
         "tile_col = (n / R + tile_row) % R",
         true},
        {"blocks: n / C and n % R",
         blocks(32,
                [](I n, Cell g) {
                    return Cell{n % g.row, (n / g.col + n % g.row) % g.col};
                }),
         {Fault::never_written, Fault::bounds_exchanged},
         "tile_col = (n / C + tile_row) % C",
         true},
        {"blocks: every second",
         blocks(32,
                [](I n, Cell g) {
                    const I m = n / 2 * 2;
                    return Cell{m / g.col, m % g.col};
                }),
         {Fault::never_written, Fault::part_of_each_tile, Fault::grid_too_small,
          Fault::ragged_edge_missed},
         "Do two blocks process the same tile",
         true},
    };
}

Comparison comparison_after(const Mistake& mistake, Shape shape) {
    HostRun run({.rows = shape.rows, .cols = shape.cols});
    const auto whole_tiles = [](int length) { return (length + 31) / 32 * 32; };
    const int rows = mistake.has_tiles ? whole_tiles(shape.rows) : shape.rows;
    const int cols = mistake.has_tiles ? whole_tiles(shape.cols) : shape.cols;
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            if (const auto move = mistake.thread(row, col, shape)) run.move(move->from, move->to);
        }
    }
    return run.check();
}

constexpr Shape shapes[] = {{128, 128}, {96, 160}, {160, 64}, {96, 32}, {32, 96}, {77, 45}};

}  // namespace

TEST_CASE("each mistake is named on every shape that reveals it") {
    for (const Mistake& mistake : mistakes()) {
        int shown = 0;
        for (const Shape shape : shapes) {
            const Comparison comparison = comparison_after(mistake, shape);
            if (comparison.is_right()) continue;
            const Finding& finding = comparison.findings.front();
            CAPTURE(mistake.name);
            CAPTURE(shape.rows);
            CAPTURE(shape.cols);
            CAPTURE(finding.text());
            CAPTURE(dashed_name(finding.fault));
            const auto& allowed = mistake.faults;
            CHECK(std::find(allowed.begin(), allowed.end(), finding.fault) != allowed.end());
            if (finding.fault != allowed.front()) continue;
            CHECK(finding.text().find(mistake.says) != std::string::npos);
            ++shown;
        }
        CAPTURE(mistake.name);
        CHECK(shown > 0);
    }
}
