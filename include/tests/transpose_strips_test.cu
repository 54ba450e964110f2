// More tests like those in transpose_test.cu, for the kernels that process strips or stacks.
// Kernels for large matrices are launched directly, on small matrices.

#include <doctest/doctest.h>

#include <cstdint>

#include "launch_checks.h"
#include "samples.h"

using namespace coalesce;
using namespace coalesce::samples;

namespace {

template <int SIZE, class Kernel>
void check_tall(const Sample& sample) {
    check_launch<SIZE>(sample, [](transposing::TransposeTask& task, cudaStream_t stream) {
        task.tile_rows = transposing::choose_tall_strip_rows<SIZE>(task, true);
        return transposing::launch_tall_kernel<SIZE, Kernel>(task, stream);
    });
}
void check_tall_of_words(const Sample& sample) {
    check_launch<1>(sample, [](const transposing::TransposeTask& task, cudaStream_t stream) {
        return transposing::launch_tall_word_strips(task, stream);
    });
}
template <int SIZE, class Kernel>
void check_wide(const Sample& sample) {
    check_launch<SIZE>(sample, [](transposing::TransposeTask& task, cudaStream_t stream) {
        task.tile_cols = transposing::choose_wide_strip_cols<SIZE>(task);
        return transposing::launch_wide_kernel<SIZE, Kernel>(task, stream);
    });
}

}  // namespace

TEST_CASE("long strips of bytes are transposed correctly") {
    using namespace transposing;
    for (const std::int64_t start : {0, 1, 3}) {
        check_tall<1, FewColKernel<1, 0>>({1, 1203, 37, {0, 0, 2}, start, 1});
        check_tall<1, FewColKernel<1, 4>>({1, 1203, 24, {0, 0, 2}, 1, start});
    }
    for (const std::int64_t cols : {24, 36, 64, 96, 128}) {
        for (const std::int64_t start : {0, 4})
            check_tall_of_words({1, 1203, cols, {0, 0, 2}, start, 5});
        check_tall_of_words({1, 31, cols, {}, 4, 0});  // shorter than a double load
        check_tall_of_words({1, 992, cols, {cols, 1000, 1}, 0, 3});
    }
}

TEST_CASE("the kernels for strips of large tall matrices are correct on small matrices") {
    using namespace transposing;
    constexpr LoadPolicy far = LoadPolicy::evict_last_128;
    for (const std::int64_t start : {0, 1, 3}) {
        check_tall<1, FewColKernel<1, 0, far>>({1, 1203, 37, {0, 0, 2}, start, 1});
        check_tall<1, FewColKernel<1, 4, far>>({1, 1203, 24, {0, 0, 2}, 1, start});
        check_tall<1, TallStripKernel<1, 128, 6, 0, far>>({1, 1203, 41, {0, 0, 2}, start, 2});
        check_tall<4, FewColKernel<4, 0, far>>({4, 803, 37, {0, 0, 2}, start, 1});
        check_tall<4, FewColKernel<4, 4, far>>({4, 803, 66, {0, 0, 2}, 1, start});
        check_tall<4, ManyColKernel<4, 0, far>>({4, 803, 115, {0, 0, 2}, start, 1});
        for (const std::int64_t cols : {96, 100, 113}) check({4, 803, cols, {0, 0, 2}, start, 1});
    }
}

TEST_CASE("strips of bytes whose shorter side consists of vectors are transposed correctly") {
    using namespace transposing;
    const auto tall = [](const TransposeTask& task, cudaStream_t stream) {
        return launch_tall_vector_strips(task, stream);
    };
    const auto wide = [](const TransposeTask& task, cudaStream_t stream) {
        return launch_wide_vector_strips(task, stream);
    };
    for (const std::int64_t start : {0, 1, 20}) {
        for (const std::int64_t cols : {32, 64, 96, 128}) {
            check_launch<1>({1, 2500, cols, {0, 0, 2}, 16, start}, tall);
            check_launch<1>({1, 4603, cols, {0, 4700, 1}, 0, start}, tall);
            check_launch<1>({1, 33, cols, {}, 32, start}, tall);
        }
        for (const std::int64_t rows : {64, 128}) {
            check_launch<1>({1, rows, 1203, {0, 0, 2}, start, 16}, wide);
            check_launch<1>({1, rows, 1550, {1601, 0, 1}, start, 0}, wide);
            check_launch<1>({1, rows, 5, {}, start, 32}, wide);
        }
    }
}

TEST_CASE("the kernels for stacks of large batches are correct on small batches") {
    using namespace transposing;
    const auto launch = [](const TransposeTask& task, cudaStream_t stream) {
        return launch_stack_with_policy<4, 0, LoadPolicy::evict_last_128>(task, stream);
    };
    for (const std::int64_t start : {0, 1, 3}) {
        check_launch<4>({4, 17, 15, {0, 0, 40}, start, 2}, launch);
        check_launch<4>({4, 63, 95, {0, 0, 3}, 1, start}, launch);
        check_launch<4>({4, 33, 35, {0, 0, 9}, start, 3}, launch);    // four matrices per block
        check_launch<4>({4, 106, 107, {0, 0, 2}, start, 1}, launch);  // one, and more threads
    }
}

TEST_CASE("the kernels for wide matrices in fast memory are correct for each range of rows") {
    using namespace transposing;
    for (const std::int64_t start : {0, 1, 3}) {
        for (const std::int64_t rows : {21, 45, 59, 99}) {
            check_launch<1>({1, rows, 1203, {0, 0, 2}, start, 1},
                            [](TransposeTask& task, cudaStream_t stream) {
                                task.tile_cols = 496;
                                return launch_one_piece_strips<1>(task, stream);
                            });
            check_launch<2>({2, rows, 1203, {0, 0, 2}, 1, start},
                            [](TransposeTask& task, cudaStream_t stream) {
                                task.tile_cols = 248;
                                return launch_one_piece_strips<2>(task, stream);
                            });
        }
        for (const std::int64_t rows : {57, 79, 96, 119}) {
            check_launch<4>({4, rows, 203, {0, 0, 2}, start, 1},
                            [](const TransposeTask& task, cudaStream_t stream) {
                                return launch_two_rounds<LoadPolicy::plain>(task, stream);
                            });
            check_launch<4>({4, rows, 203, {0, 0, 2}, 1, start},
                            [](const TransposeTask& task, cudaStream_t stream) {
                                return launch_two_rounds<LoadPolicy::evict_last_128>(task, stream);
                            });
        }
    }
}

TEST_CASE("the kernels for strips of large wide matrices are correct on small matrices") {
    using namespace transposing;
    constexpr LoadPolicy far = LoadPolicy::evict_last_128;
    for (const std::int64_t start : {0, 1, 3}) {
        check_wide<2, FewRowKernel<2, 0, far>>({2, 37, 403, {0, 0, 2}, start, 1});
        check_wide<2, MediumRowKernel<2, 0, far>>({2, 61, 403, {0, 0, 2}, 1, start});
        check_wide<2, ManyRowKernel<2, 4, far>>({2, 104, 403, {0, 0, 2}, start, 1});
        check_launch<1>({1, 36, 1203, {0, 0, 2}, start, 4},
                        [](TransposeTask& task, cudaStream_t stream) {
                            using Kernel = WideWordKernel<1, 4, LoadPolicy::evict_last_128>;
                            task.tile_cols = 2 * Kernel::TRANSPOSED_COLS;
                            return launch_wide_kernel<1, Kernel>(task, stream);
                        });
        check_launch<1>(
            {1, 60, 1203, {0, 0, 2}, start, 4}, [](const TransposeTask& task, cudaStream_t stream) {
                return launch_wide_word_strips<1, LoadPolicy::evict_last_128>(task, stream);
            });
    }
    for (const std::int64_t start : {0, 1, 3}) {
        check_wide<4, FewRowKernel<4, 0, far>>({4, 37, 403, {0, 0, 2}, start, 1});
        check_wide<4, MediumRowKernel<4, 4, far>>({4, 64, 403, {0, 0, 2}, 1, start});
        check_wide<4, ManyRowKernel<4, 4, far>>({4, 150, 403, {0, 0, 2}, start, 1});
        check_wide<8, MediumRowKernel<8, 8, far>>({8, 50, 303, {0, 0, 2}, 1, start});
        check_wide<16, MediumRowKernel<16, 16, far>>({16, 50, 203, {0, 0, 2}, start, 1});
    }
}

TEST_CASE("strips of small elements are transposed correctly, in registers or one by one") {
    for (const std::int64_t rows : {20, 24, 32, 36, 44, 48, 80, 96, 21, 29, 37, 47, 49, 70, 73}) {
        for (const std::int64_t start : {0, 1, 4}) {
            check({1, rows, 603, {0, 0, 2}, 1, start});
            check({1, rows, 560, {563, 0, 1}, start, 0});
        }
        check({2, rows, 603, {0, 0, 2}, 1, 0});
        check({2, rows, 560, {563, 0, 1}, 0, 2});
        check({2, rows, 560, {}, 3, 1});
    }
}

TEST_CASE("strips of 41 to 56 rows are transposed correctly") {
    for (const std::int64_t rows : {40, 41, 48, 50, 51, 56, 57}) {
        for (const std::int64_t start : {0, 1}) check({4, rows, 403, {0, 0, 2}, start, 3});
    }
}
