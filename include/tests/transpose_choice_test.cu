// Tests which kernel and which tiles coalesce::transpose chooses, without launching them.

#include <doctest/doctest.h>

#include <cstdint>

#include "samples.h"

using namespace coalesce;

TEST_CASE("the length of strips depends on element size and matrix shape") {
    using namespace transposing;
    const auto task = [](std::int64_t rows, std::int64_t cols) {
        TransposeTask made{};
        made.rows = rows, made.cols = cols;
        return made;
    };
    CHECK_EQ(choose_tall_strip_rows<1>(task(1000003, 37)), 512);
    CHECK_EQ(choose_tall_strip_rows<1>(task(1000003, 3)), 4096);
    CHECK_EQ(choose_tall_strip_rows<4>(task(1000003, 5)), 1024);
    CHECK_EQ(choose_tall_strip_rows<4>(task(1000003, 37)), 128);
    CHECK_EQ(choose_tall_strip_rows<8>(task(1000003, 200)),
             32);  // uses more than the default memory
    CHECK_EQ(choose_tall_strip_rows<16>(task(1000003, 200)), 0);  // no space for a strip
    const auto in_fast_memory = [&](std::int64_t rows, std::int64_t cols) {
        TransposeTask made = task(rows, cols);
        made.has_fast_memory = true;
        return made;
    };
    CHECK_EQ(choose_tall_strip_rows<4>(in_fast_memory(1000003, 37)),
             256);  // five blocks leave 60 KB of L1
    CHECK_EQ(choose_tall_strip_rows<4>(in_fast_memory(1000003, 39)), 128);
    CHECK_EQ(choose_tall_strip_rows<4>(in_fast_memory(1000003, 66), true), 128);
    CHECK_EQ(choose_tall_strip_rows<4>(in_fast_memory(1000003, 130)),
             32);  // blocks have more threads here
    CHECK_EQ(choose_tall_strip_rows<2>(in_fast_memory(1000003, 37)), 256);
    CHECK(are_lanes_mostly_busy(task(1000003, 64)));
    CHECK_FALSE(
        are_lanes_mostly_busy(task(1000003, 40)));  // 10 words, for which 16 lanes are needed
    CHECK(are_lanes_mostly_busy(task(1000003, 60)));
    CHECK(are_lanes_mostly_busy(task(1000003, 100)));      // TallStripKernel would be slower here
    CHECK_EQ(TallWordKernel::choose_strip_rows(64), 480);  // out of 512 rows that are loaded
    CHECK_EQ(TallWordKernel::choose_strip_rows(24),
             992);  // the longest rows that a thread can process
    CHECK_EQ(TallWordKernel::choose_strip_rows(128), 224);
    CHECK_EQ(choose_wide_strip_cols<1>(task(37, 1000003)), 496);  // four whole chunks of 124
    CHECK_EQ(choose_wide_strip_cols<1>(task(110, 1000003)), 496);
    CHECK_EQ(choose_wide_strip_cols<1>(task(200, 1000003)), 248);
    CHECK_EQ(choose_wide_strip_cols<1>(task(300, 1000003)), 0);
    CHECK_EQ(choose_wide_strip_cols<1>(task(3, 1000003)), 3968);
    CHECK_EQ(choose_wide_strip_cols<2>(task(3, 1000003)), 1984);  // 32 whole chunks of 62
    CHECK_EQ(choose_wide_strip_cols<4>(task(5, 1000003)), 1024);
    CHECK_EQ(choose_wide_strip_cols<4>(task(12, 1000003)), 128);
    CHECK_EQ(choose_wide_strip_cols<4>(task(75, 1000003)), 128);
    CHECK_EQ(choose_wide_strip_cols<4>(task(96, 1000003)), 64);
    CHECK_EQ(choose_wide_strip_cols<4>(task(150, 1000003)), 64);
    CHECK_EQ(choose_wide_strip_cols<16>(task(200, 1000003)), 0);
}

TEST_CASE("the padding of strips is chosen so that it reduces bank conflicts") {
    using namespace transposing;
    CHECK_EQ(count_bank_conflicts(4 * 37, 4), 1);
    CHECK_EQ(count_bank_conflicts(4 * 64, 4), 32);
    CHECK_EQ(count_bank_conflicts(4 * 64, 4, 4), 2);
    CHECK_EQ(count_bank_conflicts(8 * 64, 8), 16);
    CHECK(choose_strip_padding<1>(37) == StripPadding::unneeded);
    CHECK(choose_strip_padding<1>(8) == StripPadding::helpful);
    CHECK(choose_strip_padding<1>(124) ==
          StripPadding::unneeded);  // padding would increase conflicts
    CHECK(choose_strip_padding<2>(96) == StripPadding::helpful);
    CHECK(choose_strip_padding<4>(192) == StripPadding::helpful);
    CHECK(choose_strip_padding<4>(256) == StripPadding::insufficient);
    CHECK(choose_strip_padding<8>(48) == StripPadding::helpful);
}

TEST_CASE("kernels and their parameters are chosen by matrix shape") {
    using namespace transposing;
    const auto task = [](std::int64_t rows, std::int64_t cols, std::int64_t batches = 1) {
        TransposeTask made;
        TransposeOptions options;
        options.batches = batches;
        auto* const aligned = reinterpret_cast<void*>(std::uintptr_t{4096});
        REQUIRE_EQ(parse_arguments(made, aligned, aligned, 4, rows, cols, options), cudaSuccess);
        return made;
    };
    CHECK(benefits_from_evict_last<4>(task(16384, 16384), true));
    CHECK_FALSE(
        benefits_from_evict_last<4>(task(8192, 8192), true));  // would slow down small matrices
    CHECK(
        benefits_from_evict_last<4>(task(64, 96, 20000), true));  // the whole batch is large enough
    CHECK(benefits_from_evict_last<4>(task(8191, 8193),
                                      false));  // lower threshold for unaligned rows
    CHECK_EQ(choose_rotated_row_tile<1>(task(16383, 16381)), RotatedRowTile::large);
    CHECK_EQ(choose_rotated_row_tile<1>(task(8191, 8193)), RotatedRowTile::small);
    CHECK_EQ(choose_rotated_row_tile<2>(task(8191, 8193)), RotatedRowTile::large);
    CHECK_EQ(choose_rotated_row_tile<2>(task(301, 299, 3000)),
             RotatedRowTile::small);  // each matrix is small
    CHECK_EQ(choose_rotated_row_tile<2>(task(127, 100000)), RotatedRowTile::unused);
    CHECK_EQ(choose_rotated_row_tile<1>(task(300, 1000003)),
             RotatedRowTile::small);                      // a taller tile would be largely empty
    CHECK(prefers_strips<4>(task(100000, 80), 80));    // 48 of 128 columns of tiles are empty
    CHECK(prefers_strips<4>(task(100000, 124), 124));  // rows have 496 bytes
    CHECK_FALSE(prefers_strips<4>(task(100000, 128), 128));
    CHECK_FALSE(prefers_strips<1>(task(100000, 144), 144));
    CHECK(prefers_strips<2>(task(100000, 200), 200));
    CHECK_FALSE(prefers_strips<2>(task(200, 100000), 200));
    CHECK_EQ(choose_rotated_row_tile<4>(task(8191, 8193)), RotatedRowTile::unused);
    CHECK(are_out_rows_sector_aligned<4>(task(8192, 8191)));
    CHECK_FALSE(are_out_rows_sector_aligned<4>(task(8196, 8191)));  // rows end within a sector
    TransposeTask behind = task(8192, 8191);
    behind.out = static_cast<char*>(behind.out) + 16;
    CHECK_FALSE(are_out_rows_sector_aligned<4>(behind));
    CHECK(has_fast_memory());  // the simulated GPU is an H200
    TransposeTask square = task(20001, 20003), high = task(50001, 8003), large = task(28001, 27999);
    TransposeTask large_in_fast = large, huge_in_fast = task(45001, 45003);
    large.has_fast_memory = false;
    for (TransposeTask* const one : {&square, &high, &large, &large_in_fast, &huge_in_fast}) {
        shorten_strips<4>(*one);
    }
    CHECK(square.is_down_first);
    CHECK_EQ(square.strips_in_group, 1);
    CHECK_FALSE(high.is_down_first);  // 50001 rows evict shared cache lines
    CHECK_EQ(high.strips_in_group, 1);
    CHECK(large.is_down_first);  // too long in both directions
    CHECK_EQ(large.strips_in_group, strips_per_group<4>);
    CHECK(large_in_fast.is_down_first);  // short enough for fast memory
    CHECK_EQ(large_in_fast.strips_in_group, 1);
    CHECK_EQ(huge_in_fast.strips_in_group, strips_per_group<4>);
    CHECK_FALSE(group_tiles_sharing_lines<4>(task(50000, 8004)).is_down_first);
    CHECK_EQ(group_tiles_sharing_lines<4>(task(45000, 45000)).strips_in_group, strips_per_group<4>);
    CHECK_FALSE(group_tiles_sharing_lines<2>(task(20000, 10008))
                    .is_down_first);  // rows end within a sector
    CHECK(group_tiles_sharing_lines<2>(task(20000, 10016)).is_down_first);
    // A row of the output has 40016 bytes, or 1250.5 sectors.
    CHECK(would_split_sectors<4>(task(10004, 10000), 10000));
    CHECK_FALSE(would_split_sectors<4>(task(10008, 10000), 10000));
    CHECK_FALSE(would_split_sectors<4>(task(5004, 5000), 5000));  // fits in the L2 cache
    CHECK(would_split_sectors<4>(task(5004, 5000, 2), 5000));
    CHECK(would_split_sectors<4>(task(200004, 260), 260));
    CHECK_FALSE(would_split_sectors<4>(task(400004, 128), 128));     // wider tiles would be empty
    CHECK_FALSE(would_split_sectors<8>(task(10002, 10000), 10000));  // would not be faster
    CHECK(can_use_word_stack<1>(task(100, 96, 4096)));
    CHECK(can_use_word_stack<2>(task(98, 100, 4096)));
    CHECK_FALSE(can_use_word_stack<1>(task(98, 100, 4096)));
    CHECK_FALSE(can_use_word_stack<2>(task(99, 100, 4096)));
    CHECK_FALSE(can_use_word_stack<2>(task(100, 98, 4096)));
    CHECK_FALSE(can_use_word_stack<1>(task(100, 4, 4096)));  // a row is one word
    CHECK_FALSE(can_use_word_stack<4>(task(100, 96, 4096)));
    CHECK(are_columns_whole_words<1>(task(64, 4000003)));
    CHECK_FALSE(are_columns_whole_words<1>(task(37, 1000003)));
    CHECK(are_columns_whole_words<2>(task(38, 1000003)));
    CHECK_FALSE(are_columns_whole_words<2>(task(37, 1000003)));
    CHECK(are_rows_whole_words(task(4000003, 64)));
    CHECK_FALSE(are_rows_whole_words(task(4000003, 63)));
    CHECK_FALSE(are_rows_whole_words(task(4000003, 20)));   // rows are too short
    CHECK_FALSE(are_rows_whole_words(task(4000003, 132)));  // a strip has too few rows
    CHECK(can_use_tall_vector_kernel(task(4000003, 64)));
    CHECK_FALSE(can_use_tall_vector_kernel(task(4000003, 80)));  // five vectors
    CHECK_FALSE(can_use_tall_vector_kernel(task(1000003, 64)));  // too small
    CHECK(can_use_wide_vector_kernel(task(128, 4000003)));
    CHECK_FALSE(can_use_wide_vector_kernel(task(96, 4000003)));  // six vectors
    CHECK(nearly_fills_tall_tile(196));
    CHECK_FALSE(nearly_fills_tall_tile(192));  // fills three tiles of 64 rows
    CHECK(is_matrix_stack<4>(task(63, 95, 4096)));
    CHECK_FALSE(is_matrix_stack<4>(task(63, 95)));
    CHECK_FALSE(is_matrix_stack<4>(task(101, 131, 4096)));  // a matrix does not fit in a block
    CHECK_FALSE(is_matrix_stack<16>(task(63, 95, 4096)));
    CHECK(is_column_in_one_channel<4>(task(64, 32768)));
    CHECK(is_column_in_one_channel<4>(task(64, 65536)));
    CHECK_FALSE(is_column_in_one_channel<4>(task(64, 33024)));
    CHECK_FALSE(is_column_in_one_channel<4>(task(64, 16384)));  // rows are 64 KB apart
    CHECK(is_column_in_one_channel<1>(task(64, 131072)));
    CHECK(is_channel_image<4>(task(3, 224 * 224, 10)));
    CHECK(is_channel_image<4>(task(224 * 224, 8)));
    CHECK_FALSE(is_channel_image<4>(task(5, 224 * 224)));
    CHECK_FALSE(is_channel_image<4>(task(3, 4098)));  // rows are not whole vectors
    CHECK(is_channel_image<2>(task(3, 224 * 224)));
    CHECK_FALSE(is_channel_image<2>(task(3, 4100)));
    CHECK(is_channel_image<1>(task(224 * 224, 3, 10)));
    CHECK_FALSE(is_channel_image<1>(task(224 * 224 + 8, 3)));
    CHECK_FALSE(is_channel_image<8>(task(3, 224 * 224)));
    CHECK_FALSE(is_channel_image<4>(task(3, 1024)));
    TransposeTask misaligned = task(3, 8192);
    misaligned.in = static_cast<const char*>(misaligned.in) + 4;
    CHECK_FALSE(is_channel_image<4>(misaligned));
}
