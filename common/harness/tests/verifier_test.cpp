// Tests the verifier on host memory, with all element sizes, guard bands, large matrices and the
// map of wrong cells.
#include "base/enum_names.h"
#include "host_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

using namespace coalesce;
using namespace coalesce::tests;

namespace {

constexpr std::size_t all_sizes[] = {1, 2, 4, 8, 16};

Fault fault_of(const Problem& problem, const HostRun::Source& source) {
    HostRun run(problem);
    run.run(source);
    return run.check().fault();
}

}  // namespace

TEST_CASE("with three or four axes, every axis order passes, and a wrong order is reported") {
    for (const int rank : {3, 4}) {
        std::array<int, 4> order{0, 1, 2, 3};
        int orders = 0;
        do {
            const Permutation right{.rank = rank, .extents = {3, 4, 5, 6}, .order = order};
            CAPTURE(text_of(right));
            HostRun run(problem_of(right));
            run.run_right();
            CHECK(run.check().is_right());
            ++orders;
            // Store the result for a different axis order: 0 2 1 (for three axes) or 0 2 1 3 (for
            // four).
            Permutation other = right;
            other.order = {0, 2, 1, 3};
            if (order == other.order) continue;
            HostRun wrong(problem_of(right));
            const Problem problem = problem_of(right);
            for (std::int64_t i = 0; i < problem.elements(); ++i) {
                wrong.store(i, source_index(other, i));
            }
            const Comparison comparison = wrong.check();
            INFO(comparison.text());
            CHECK_FALSE(comparison.is_right());
            CHECK(comparison.fault() == Fault::axes_in_other_order);
            CHECK(comparison.findings.front().sentence.find(" order 0 2 1") != std::string::npos);
        } while (std::next_permutation(order.begin(), order.begin() + rank));
        CHECK(orders == (rank == 3 ? 6 : 24));
    }
}

TEST_CASE("the message about a cell of an array gives an index for each axis") {
    HostRun run(problem_of({.rank = 4, .extents = {2, 3, 5, 7}, .order = {0, 2, 3, 1}}));
    run.run_right();
    // in(1,2,2,3) belongs at out(1,2,3,2). Store the next element of the input there.
    const std::int64_t index = ((1 * 5 + 2) * 7 + 3) * 3 + 2;
    run.store(index, ((1 * 3 + 2) * 5 + 2) * 7 + 4);
    const Comparison comparison = run.check();
    CHECK(comparison.wrong == 1);
    CHECK(comparison.text().find("out(1,2,3,2) holds in(1,2,2,4), expected in(1,2,2,3)") !=
          std::string::npos);
}

TEST_CASE("missing extents of an array are computed from the numbers of rows and columns") {
    const Produces stack{.kind = Produces::permuted,
                         .permutation = {.rank = 3, .extents = {0, 8, 0}, .order = {0, 2, 1}}};
    const Problem problem{.rows = 40, .cols = 13, .produces = stack};
    CHECK(problem.axes().extents == std::array<int, 4>{5, 8, 13, 0});
    CHECK(problem.out_cols() == 8);
    CHECK(problem.batches() == 5);
    HostRun run(problem);
    run.run_right();
    CHECK(run.check().is_right());
    // The source of out(1,3,2) is in(1,2,3).
    CHECK(problem.source_of(problem.out_cell((1 * 13 + 3) * 8 + 2)) ==
          problem.in_cell((1 * 8 + 2) * 13 + 3));
}

TEST_CASE("an in-place task has a single buffer, which contains the input before the launch") {
    const Problem problem{.rows = 33, .cols = 70, .produces = {.in_place = true}};
    std::vector<char> memory(problem.bytes() + 2 * guard);
    const GuardedSpan data{memory.data() + guard, problem.bytes(), guard, Memory::host};
    const auto comparison_after = [&](auto change) {
        prepare_in(problem, data);
        change(reinterpret_cast<std::uint32_t*>(data.data));
        return check(problem, data, data);
    };
    const auto transpose = [&](std::uint32_t* to) {
        const std::vector<std::uint32_t> from(to, to + problem.elements());
        for (int i = 0; i < 33 * 70; ++i)
            to[i] = from[static_cast<std::size_t>(i % 33 * 70 + i / 33)];
    };
    CHECK(comparison_after(transpose).is_right());
    CHECK(comparison_after([](std::uint32_t*) {}).fault() == Fault::nothing_written);
    const Comparison wrong = comparison_after([&](std::uint32_t* to) {
        transpose(to);
        to[35] = to[36];
    });
    CHECK(wrong.text().find("data(1,2) holds what was data(3,1), expected what was data(2,1)") !=
          std::string::npos);
    const Comparison outside = comparison_after([&](std::uint32_t* to) {
        transpose(to);
        to[33 * 70] = 1;
    });
    CHECK(outside.fault() == Fault::written_after);
    CHECK(outside.findings.size() == 1);
}

TEST_CASE("correct outputs pass, for all element sizes, shapes and tasks") {
    for (const std::size_t size : all_sizes) {
        for (const auto kind : {Produces::transpose, Produces::copy, Produces::transposed_tiles,
                                Produces::moved_tiles}) {
            for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{
                     {1, 1}, {1, 70}, {70, 1}, {64, 64}, {33, 100}, {100, 33}}) {
                CAPTURE(size);
                CAPTURE(rows);
                CAPTURE(cols);
                HostRun run({.rows = rows, .cols = cols, .produces = {kind}, .element_size = size});
                run.run_right();
                const Comparison comparison = run.check();
                INFO(comparison.text());
                CHECK(comparison.is_right());
                CHECK(comparison.right == static_cast<std::uint64_t>(rows * cols));
            }
        }
    }
}

TEST_CASE("a single wrong bit is detected at any position and for any element size") {
    for (const std::size_t size : all_sizes) {
        const Problem problem{.rows = 20, .cols = 30, .element_size = size};
        for (std::int64_t i = 0; i < problem.elements(); i += 13) {
            CAPTURE(size);
            CAPTURE(i);
            HostRun run(problem);
            run.run_right();
            run.out(i)[static_cast<std::size_t>(i) % size] ^= 1 << i % 8;
            const Comparison comparison = run.check();
            CHECK_FALSE(comparison.is_right());
            // The changed byte may happen to equal the poison. The cell then counts as untouched.
            CHECK(comparison.wrong + comparison.untouched == 1);
            CHECK(comparison.first_bad == problem.out_cell(i));
        }
    }
}

TEST_CASE("mistakes are recognized for all element sizes") {
    for (const std::size_t size : all_sizes) {
        CAPTURE(size);
        const Problem wide{.rows = 64, .cols = 96, .element_size = size};
        const auto copied = [](Cell out) -> std::optional<Cell> {
            if (out.row >= 64 || out.col >= 96) return std::nullopt;
            return out;
        };
        const auto untransposed_tiles = [](Cell out) -> std::optional<Cell> {
            return Cell{out.col / 32 * 32 + out.row % 32, out.row / 32 * 32 + out.col % 32};
        };
        const auto row_further = [](Cell out) -> std::optional<Cell> {
            return Cell{std::min<std::int64_t>(out.col + 1, 63), out.row};
        };
        const auto first_tile = [](Cell out) -> std::optional<Cell> {
            return Cell{out.col % 16, out.row % 16};
        };
        const auto full_tiles = [](Cell out) -> std::optional<Cell> {
            if (out.row >= 64) return std::nullopt;
            return Cell{out.col, out.row};
        };
        const auto some_rows = [](Cell out) -> std::optional<Cell> {
            if (out.row % 32 >= 8) return std::nullopt;
            return Cell{out.col, out.row};
        };
        CHECK(fault_of(wide, copied) == Fault::indices_not_swapped);
        CHECK(fault_of(wide, untransposed_tiles) == Fault::tile_not_transposed);
        CHECK(fault_of(wide, row_further) == Fault::off_by_one_row);
        CHECK(fault_of(wide, first_tile) == Fault::tile_repeated);
        CHECK(fault_of({.rows = 64, .cols = 70, .element_size = size}, full_tiles) ==
              Fault::ragged_edge_missed);
        CHECK(fault_of(wide, some_rows) == Fault::part_of_each_tile);
        CHECK(fault_of(wide, [](Cell) { return std::nullopt; }) == Fault::nothing_written);
    }
}

TEST_CASE("the message about a wrong cell names the cell and the source of its value") {
    HostRun run({.rows = 64, .cols = 64});
    run.run([](Cell out) -> std::optional<Cell> { return out; });
    const Comparison comparison = run.check();
    REQUIRE(comparison.findings.size() == 1);
    CHECK(comparison.findings[0].sentence ==
          "out(0,1) holds in(0,1), expected in(1,0): the indices were not swapped");
    CHECK(comparison.wrong == 64 * 63);
    CHECK(comparison.first_bad == Cell{0, 1});
}

TEST_CASE("the message about a single unwritten cell names the cell") {
    HostRun run({.rows = 40, .cols = 40});
    run.run([](Cell out) -> std::optional<Cell> {
        if (out == Cell{7, 9}) return std::nullopt;
        return Cell{out.col, out.row};
    });
    const Comparison comparison = run.check();
    CHECK(comparison.fault() == Fault::never_written);
    CHECK(comparison.findings[0].sentence.rfind("out(7,9) was never written", 0) == 0);
    CHECK(comparison.untouched == 1);
}

TEST_CASE("guard bands show how far outside of the output a kernel wrote") {
    HostRun run({.rows = 10, .cols = 10});
    run.run_right();
    *run.out(-3) = 0;
    *run.out(100) = 0;
    *run.out(104) = 0;
    *run.in(-1) = 0;
    const Comparison comparison = run.check();
    REQUIRE(comparison.findings.size() == 3);
    CHECK(comparison.findings[0].fault == Fault::written_before);
    CHECK(comparison.findings[0].sentence.find("out was written, 3 elements away") !=
          std::string::npos);
    CHECK(comparison.findings[1].fault == Fault::written_after);
    CHECK(comparison.findings[1].sentence.find("1 element to 5 away") != std::string::npos);
    CHECK(comparison.findings[2].sentence.find("element of in") != std::string::npos);
    CHECK(comparison.wrong == 0);
}

TEST_CASE("a changed input is detected even if the output is correct") {
    HostRun run({.rows = 10, .cols = 10});
    run.run_right();
    *run.in(42) ^= 1;
    const Comparison comparison = run.check();
    REQUIRE(comparison.findings.size() == 1);
    CHECK(comparison.fault() == Fault::input_changed);
    CHECK(comparison.findings[0].sentence.rfind("in(4,2) was changed", 0) == 0);
}

TEST_CASE("a NaN may become a different NaN only if the task permits it") {
    for (const bool keeps : {true, false}) {
        HostRun run({.rows = 8, .cols = 8, .keeps_nan_payloads = keeps});
        run.run_right();
        int nans = 0;
        for (std::int64_t i = 0; i < 64; ++i) {
            Bits bits;
            std::memcpy(&bits.low, run.out(i), 4);
            if (!is_nan(bits, 4)) continue;
            const std::uint32_t other = 0x7fffffff;
            std::memcpy(run.out(i), &other, 4);
            ++nans;
        }
        REQUIRE(nans > 0);
        CHECK(run.check().is_right() != keeps);
        CHECK(run.check().fault() == (keeps ? Fault::nan_changed : Fault::none));
    }
}

TEST_CASE("a kernel must not write cells that have no source") {
    // The matrix has 40 x 33 cells, so that a tile of 32 extends beyond it.
    HostRun run({.rows = 40, .cols = 33, .produces = {Produces::transposed_tiles}});
    run.run_right();
    CHECK(run.check().is_right());
    // The source of out(32, 8) would be in(40, 0), which does not exist.
    const Problem problem{.rows = 40, .cols = 33, .produces = {Produces::transposed_tiles}};
    std::int64_t sourceless = 0;
    while (problem.source_of(problem.out_cell(sourceless))) ++sourceless;
    run.store(sourceless, 0);
    const Comparison comparison = run.check();
    CHECK(comparison.wrong == 1);
    CHECK(comparison.first_bad == problem.out_cell(sourceless));
}

TEST_CASE("a large matrix is compared completely, one part at a time") {
    // The verifier compares 64 MiB at a time, which is less than the size of this matrix.
    const Problem problem{.rows = 4100, .cols = 4200, .produces = {Produces::copy}};
    HostRun run(problem);
    std::memcpy(run.out(0), run.in(0), problem.bytes());
    CHECK(run.check().is_right());
    run.store(problem.elements() - 1, 5);
    const Comparison comparison = run.check();
    CHECK(comparison.wrong == 1);
    CHECK(comparison.first_bad == Cell{4099, 4199});
    CHECK(comparison.findings[0].sentence.rfind(
              "out(4099,4199) holds in(0,5), expected in(4099,4199)", 0) == 0);
    CHECK(comparison.map.worst_state_at(31, 31) == CellState::wrong);
}

TEST_CASE(
    "the map shows every cell of a small output, and the worst of several cells of a large one") {
    CellMap small(2, 3);
    small.note({0, 1}, CellState::wrong);
    small.note({1, 2}, CellState::untouched);
    CHECK(small.text() == "out, 2 x 3 cells:  . right  X wrong  ? never written\n. X .\n. . ?\n");
    CellMap large(100, 64);
    large.note({99, 63}, CellState::untouched);
    large.note({99, 62}, CellState::wrong);
    large.note({99, 62}, CellState::right);
    CHECK(large.worst_state_at(24, 31) == CellState::wrong);
    CHECK(large.worst_state_at(24, 30) == CellState::right);
    CHECK(large.text().find("each character stands for 4 x 2 cells") != std::string::npos);
}

TEST_CASE("the map can be reduced to fewer lines, and still shows the worst cells") {
    CellMap map(100, 64);
    map.note({99, 63}, CellState::untouched);
    map.note({0, 0}, CellState::wrong);
    const std::string text = map.text(12, 16);
    // The map has two lines of legend and nine rows of characters. Each row of characters stands
    // for three of the 25 rows of the complete map.
    CHECK(std::count(text.begin(), text.end(), '\n') == 2 + 9);
    CHECK(text.find("each character stands for 12 x 4 cells") != std::string::npos);
    CHECK(text.find("\nX . ") != std::string::npos);
    CHECK(text.ends_with(" ?\n"));
    CHECK(map.text() == map.text(CellMap::kSide, CellMap::kSide));
    CHECK(CellMap(1, 1).text(0, 0).ends_with("\n.\n"));
    CHECK(CellMap(2, 3, true).text().find("data, 2 x 3 cells:  . right  X wrong  ? unchanged") ==
          0);
}

TEST_CASE("messages about an in-place task do not mention in or out") {
    const auto sentence_after = [](int side, auto thread) {
        const Problem problem{.rows = side, .cols = side, .produces = {.in_place = true}};
        std::vector<char> memory(problem.bytes());
        const GuardedSpan data{memory.data(), problem.bytes(), 0, Memory::host};
        prepare_in(problem, data);
        std::vector<std::uint32_t> before(static_cast<std::size_t>(side * side));
        std::memcpy(before.data(), memory.data(), memory.size());
        auto* const now = reinterpret_cast<std::uint32_t*>(memory.data());
        for (int row = 0; row < side; ++row) {
            for (int col = 0; col < side; ++col) thread(now, before.data(), row, col);
        }
        return check(problem, data, data).text();
    };
    using Data = std::uint32_t*;
    const std::string texts[] = {
        sentence_after(64, [](Data, Data, int, int) {}),
        sentence_after(64,
                       [](Data now, Data was, int r, int c) {
                           if (r < 32 && c < 32) now[c * 64 + r] = was[r * 64 + c];
                       }),
        sentence_after(64,
                       [](Data now, Data was, int r, int c) {
                           if (r % 32 < 8) now[c * 64 + r] = was[r * 64 + c];
                       }),
        sentence_after(64, [](Data now, Data was, int r,
                              int c) { now[c * 64 + r] = was[(r + 32) % 64 * 64 + c]; }),
        sentence_after(64,
                       [](Data now, Data was, int r, int c) {
                           if (r * 65 + c < 64 * 64) now[c * 64 + r] = was[r * 65 + c];
                       }),
        sentence_after(64,
                       [](Data now, Data was, int r, int c) {
                           if (c * 64 + r + 4 < 64 * 64) now[c * 64 + r + 4] = was[r * 64 + c];
                       }),
        sentence_after(128,
                       [](Data now, Data was, int r, int c) {
                           if ((r / 32 * 4 + c / 32) % 5 != 1) now[c * 128 + r] = was[r * 128 + c];
                       }),
    };
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(text.find("data") == 0);
        CHECK(text.find("data, ") != std::string::npos);
        for (const char* const word : {" of in", " out", "in(", "in["}) {
            CHECK(text.find(word) == std::string::npos);
        }
    }
}

TEST_CASE("every fault has its own name") {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(last_of(Fault{})); ++i) {
        names.insert(dashed_name(static_cast<Fault>(i)));
    }
    CHECK(names.size() == static_cast<std::size_t>(Fault::input_changed) + 1);
    CHECK(names.count("unknown") == 0);
}
