// Tests coalesce::permute on the device of the first libcudart in LD_LIBRARY_PATH. The environment
// variable COALESCE_SAMPLES sets the number of random samples.

#include <doctest/doctest.h>

#include <cstdlib>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "permute_samples.h"
#include "tests/compiled.h"

using namespace coalesce;
using namespace coalesce::samples;
using permuting::PermuteMethod;
using permuting::PermutePlan;

namespace {

void check(const PermuteSample& sample) {
    INFO(sample.name());
    CHECK_EQ(find_error(sample, samples::permute), "");
}

/// Returns the number of random samples. The default is small, because the simulated GPU is slow.
int sample_count() {
    const char* text = std::getenv("COALESCE_SAMPLES");
    return text == nullptr ? 400 : std::atoi(text);
}

/// Returns a plan for arrays that start `offset` elements after a multiple of 16 bytes.
PermutePlan make_plan(int size, const std::vector<std::int64_t>& sizes,
                      const std::vector<int>& order, std::int64_t offset = 0) {
    auto* const place = reinterpret_cast<void*>(static_cast<std::uintptr_t>(std::int64_t{1} << 20) +
                                                static_cast<std::uintptr_t>(offset * size));
    PermutePlan plan;
    REQUIRE_EQ(
        permuting::parse_arguments(plan, place, place, static_cast<std::size_t>(size),
                                   static_cast<int>(sizes.size()), sizes.data(), order.data()),
        cudaSuccess);
    return plan;
}
PermuteMethod way(int size, const std::vector<std::int64_t>& sizes, const std::vector<int>& order,
                  std::int64_t offset = 0) {
    const PermutePlan plan = make_plan(size, sizes, order, offset);
    switch (plan.unit_bytes) {
        case 1: return permuting::choose_permute_method<1>(plan);
        case 2: return permuting::choose_permute_method<2>(plan);
        case 4: return permuting::choose_permute_method<4>(plan);
        case 8: return permuting::choose_permute_method<8>(plan);
        default: return permuting::choose_permute_method<16>(plan);
    }
}

/// Returns the first error that samples reveal in a deliberately wrong permute function, or "".
std::string find_mistake(const Permuter& wrong_permute) {
    for (const PermuteSample& sample :
         {PermuteSample{4, {5, 6, 70}, {1, 0, 2}}, PermuteSample{2, {3, 33, 5}, {2, 1, 0}, 1, 1}}) {
        const std::string found_error = find_error(sample, wrong_permute);
        if (!found_error.empty()) return found_error;
    }
    return "";
}

}  // namespace

TEST_CASE("permute is correct for random axes, orders, element sizes and start addresses") {
    std::mt19937_64 random(20261);
    if (simulator_library::is_loaded()) simulator_library::set_quiet(true);
    const int count = sample_count();
    REQUIRE_GT(count, 0);
    for (int i = 0; i < count; ++i) {
        // Only larger samples are large enough for tiles of words.
        const PermuteSample sample = random_permute_sample(random, i % 16 == 0 ? 60'000 : 6000);
        INFO("sample ", i, ": ", sample.name());
        REQUIRE_EQ(find_error(sample, samples::permute), "");
    }
}

TEST_CASE("the guide's examples are permuted correctly") {
    for (const int size : {1, 2, 4, 8, 16, 3, 12}) {
        check({size, {2, 7, 6, 9}, {0, 2, 1, 3}});              // swaps attention heads
        check({size, {2, 5, 40}, {0, 2, 1}});                   // moves channels to the end
        check({size, {3, 20, 2, 18}, {3, 2, 1, 0}});            // reverses all axes
        check({size, {2, 3, 4, 5, 4, 3}, {0, 1, 3, 2, 4, 5}});  // cuts an image into windows
        check({size, {2, 3, 2, 3, 2, 3}, {5, 4, 3, 2, 1, 0}});
        check({size, {}, {}});
        check({size, {1, 1}, {1, 0}});
    }
}

TEST_CASE("rows with any alignment are permuted correctly") {
    for (const int size : {1, 2, 4}) {
        for (const std::int64_t start : {0, 1, 3, 5}) {
            check({size, {9, 7, 75}, {1, 0, 2}, start, 0});
            check({size, {9, 7, 75}, {1, 0, 2}, 0, start});
            check({size, {3, 4, 5, 301}, {2, 1, 0, 3}, 2, start});
            check({size, {20, 30, 67}, {1, 0, 2}, start, 1});  // needs more than one block
        }
    }
}

TEST_CASE("elements that consist of several units are permuted correctly") {
    for (const int size : {3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15}) {
        for (const std::int64_t start : {0, 1, 3}) {
            check({size, {33, 70}, {1, 0}, start, 2});
            check({size, {3, 32, 161}, {0, 2, 1}, 1, start});
        }
        check({size, {150, 40}, {1, 0}});
        check({size, {2, 128, 128}, {0, 2, 1}});  // every run of elements begins at a word
    }
    for (const int size : {3, 6}) {  // three units, which may or may not be words
        for (const std::int64_t start : {0, 4, 2}) {
            check({size, {3, 36, 72}, {0, 2, 1}, start, 0});
            check({size, {100, 132}, {1, 0}, 0, start});
        }
        check({size, {34, 72}, {1, 0}});
    }
    for (const std::int64_t start : {0, 8, 1}) {  // elements of three units, moved as vectors
        check({6, {2, 112, 56}, {0, 2, 1}, start, 0});
        check({6, {232, 136}, {1, 0}, 0, start});
        check({6, {112, 264}, {1, 0}, 0, start});
        check({3, {128, 272}, {1, 0}, start, 0});
        check({12, {2, 132, 72}, {0, 2, 1}, 0, start});
    }
    for (const std::int64_t start : {0, 1}) check({12, {2, 130, 70}, {0, 2, 1}, start, 2});
    check({4, {40, 50, 15}, {1, 0, 2}});  // moves words, and short rows of bytes
    check({1, {40, 50, 63}, {1, 0, 2}});
}

TEST_CASE("long runs of elements, which are loaded as vectors, are permuted correctly") {
    for (const int size : {1, 2, 4}) {
        for (const std::int64_t start : {0, 2, 4, 5}) {
            check({size, {2, 24, 20, 75}, {0, 2, 1, 3}, start, 0});
            check({size, {2, 20, 33, 75}, {0, 2, 1, 3}, 3, start});
            check({size, {21, 33, 67}, {1, 0, 2}, start, 0});
        }
        check({size, {30, 12, 101}, {1, 0, 2}, 1, 0});
        check({size, {17, 50, 251}, {1, 0, 2}, 1, 4});
        for (const std::int64_t units : {7, 9, 11, 15, 17, 23, 31}) {
            check({size, {48, 40, units}, {1, 0, 2}, 3, 0});
            check({size, {2, 49, 37, units}, {0, 2, 1, 3}, 0, 4});
        }
    }
    check({3, {130, 132}, {1, 0}});  // tall tiles, because 390 bytes are not whole sectors
    check({3, {2, 140, 68}, {0, 2, 1}, 4, 0});
    for (const std::int64_t start : {0, 4}) {  // tiles of 112 columns
        check({3, {2, 40, 112}, {0, 2, 1}, start, 0});
        check({3, {2, 96, 224}, {0, 2, 1}, 0, start});
    }
}

TEST_CASE("tiles of vectors are permuted correctly") {
    for (const int size : {1, 2, 4}) {
        for (const std::int64_t start : {0, 16, 32}) {
            check({size, {16, 4, 8, 16}, {3, 2, 1, 0}, start, 0});
            check({size, {8, 10, 3, 6, 16}, {4, 3, 2, 1, 0}, 0, start});
            check({size, {3, 16, 5, 112}, {3, 0, 2, 1}, start, 16});  // sides: 4 vectors, or 1
        }
        check({size, {16, 3, 9, 32}, {3, 1, 2, 0}});  // a short run of rows
        check({size, {144, 3, 272}, {2, 1, 0}});      // several tiles in both directions
        check({size, {8, 30, 9, 10, 7, 4}, {3, 5, 1, 4, 0, 2}});
        check({size, {40, 42, 3, 8, 36}, {4, 3, 2, 1, 0}});  // needs several of the tallest tiles
    }
    check({4, {3, 14, 14, 256}, {0, 3, 1, 2}});  // tiles of whole rows of `out`
    check({4, {2, 6, 15, 68}, {0, 3, 1, 2}});
    check({2, {2, 14, 20, 136}, {0, 3, 1, 2}});
}

TEST_CASE("kernels for large arrays are correct for small arrays") {
    using namespace permuting;
    const auto fill_plan = [](PermutePlan& plan, void* out, const void* in,
                              const PermuteSample& s) {
        return permuting::parse_arguments(plan, out, in, static_cast<std::size_t>(s.size),
                                          static_cast<int>(s.sizes.size()), s.sizes.data(),
                                          s.order.data());
    };
    const Permuter permute_words = [&](void* out, const void* in, const PermuteSample& s,
                                       cudaStream_t stream) {
        PermutePlan plan;
        const cudaError_t error = fill_plan(plan, out, in, s);
        if (error != cudaSuccess) return error;
        return s.size == 1 ? launch_word_tiles<1, true>(plan, stream)
                           : launch_word_tiles<2, true>(plan, stream);
    };
    const Permuter permute_words_once = [&](void* out, const void* in, const PermuteSample& s,
                                            cudaStream_t stream) {
        PermutePlan plan;
        const cudaError_t error = fill_plan(plan, out, in, s);
        return error == cudaSuccess ? launch_word_tiles<2, true, true>(plan, stream) : error;
    };
    const Permuter permute_vectors = [&](void* out, const void* in, const PermuteSample& s,
                                         cudaStream_t stream) {
        PermutePlan plan;
        const cudaError_t error = fill_plan(plan, out, in, s);
        if (error != cudaSuccess) return error;
        return s.size == 2
                   ? launch_vector_tiles<2, transposing::LoadPolicy::evict_last_128>(plan, stream)
                   : launch_vector_tiles<4, transposing::LoadPolicy::evict_last_128>(plan, stream);
    };
    for (const int size : {1, 2}) {
        for (const std::int64_t start : {0, 1, 7}) {
            const PermuteSample sample{size, {431, 2, 131}, {2, 1, 0}, start, 3};
            INFO(sample.name());
            CHECK_EQ(find_error(sample, permute_words), "");
            if (size == 2) CHECK_EQ(find_error(sample, permute_words_once), "");
        }
    }
    // Two cases with few tiles across, and one with many more tiles across than down.
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{431, 130}, {13, 15, 11, 12}, {200, 700}}) {
        PermuteSample sample{2, sizes, {}, 1, 3};
        for (std::size_t k = sizes.size(); k-- > 0;) sample.order.push_back(static_cast<int>(k));
        INFO(sample.name());
        CHECK_EQ(find_error(sample, permute_words_once), "");
    }
    for (const int size : {2, 4}) {
        const PermuteSample sample{size, {8, 30, 9, 16}, {3, 2, 1, 0}};
        INFO(sample.name());
        CHECK_EQ(find_error(sample, permute_vectors), "");
    }
}

TEST_CASE("runs that span several axes and short runs are permuted correctly") {
    for (const int size : {1, 2, 4, 8, 16}) {
        check({size, {3, 90, 85, 3}, {3, 2, 1, 0}});
        check({size, {3, 9, 5, 7, 4, 6}, {5, 4, 3, 2, 1, 0}});
        check({size, {700, 2, 3, 2}, {3, 2, 1, 0}});  // a short run of columns
        check({size, {2, 3, 2, 700}, {3, 2, 1, 0}});  // a short run of rows
        check({size, {2, 3, 2, 2}, {3, 2, 1, 0}});    // short runs of rows and columns
        check({size, {20, 5, 6, 30}, {1, 0, 3, 2}});
    }
}

TEST_CASE("tiles of words are permuted correctly") {
    for (const int size : {1, 2}) {
        for (const std::int64_t start : {0, 1, 2, 7}) {
            check({size, {131, 3, 67}, {2, 1, 0}, start, 3});
            check({size, {12, 11, 9, 8}, {3, 2, 1, 0}, 1, start});  // 132 dense rows and 72 columns
        }
        check({size, {420, 2, 129}, {2, 1, 0}});  // several tiles in both directions
        check({size, {385, 2, 131}, {2, 1, 0}, 1, 5});
        check({size, {2, 400, 2, 64}, {0, 3, 2, 1}});  // a batch of matrices
    }
}

TEST_CASE("permute is correct with 64-bit indices") {
    const PermuteSample sample{4, {5, 7, 3}, {2, 1, 0}};
    const Permuter permute_by_64_bits = [](void* out, const void* in, const PermuteSample& s,
                                           cudaStream_t stream) {
        PermutePlan plan;
        const cudaError_t error = permuting::parse_arguments(
            plan, out, in, 4, static_cast<int>(s.sizes.size()), s.sizes.data(), s.order.data());
        if (error != cudaSuccess) return error;
        return permuting::launch_gather<4, std::uint64_t>(plan, stream);
    };
    CHECK_EQ(find_error(sample, permute_by_64_bits), "");
}

TEST_CASE("quotients are exact") {
    for (const std::int64_t size : {2, 3, 5, 7, 64, 65, 1000, 65535, 65537, 1 << 30, INT32_MAX}) {
        PermutePlan plan = {};
        plan.axis[0] = {size, 1, 0, 0};
        permuting::prepare_division(plan.axis[0]);
        const auto quotient = [&](std::int64_t number) {
            const auto product =
                static_cast<std::uint64_t>(number) * plan.axis[0].quotient_multiplier;
            return static_cast<std::int64_t>(product >> 32 >> plan.axis[0].quotient_shift);
        };
        std::mt19937_64 random(static_cast<std::uint64_t>(size));
        for (int i = 0; i < 2000; ++i) {
            const auto number = static_cast<std::int64_t>(random() >> 33);
            for (const std::int64_t near :
                 {number, number / size * size, number / size * size - 1}) {
                if (near >= 0) REQUIRE_EQ(quotient(near), near / size);
            }
        }
        CHECK_EQ(quotient(INT32_MAX), INT32_MAX / size);
    }
}

TEST_CASE("the method is chosen by element size, axes and alignment") {
    CHECK_EQ(make_plan(4, {2, 3, 4, 5}, {2, 3, 0, 1}).axes, 2);  // adjacent axes are merged
    CHECK_EQ(make_plan(4, {2, 1, 4, 1}, {1, 2, 3, 0}).axes, 2);  // axes of length 1 are removed
    CHECK_EQ(make_plan(2, {8, 16, 12, 64}, {0, 2, 1, 3}).unit_bytes,
             16);  // rows are moved in units of 16 bytes
    CHECK_EQ(make_plan(2, {8, 16, 12, 64}, {0, 2, 1, 3}, 1).unit_bytes, 2);
    CHECK_EQ(make_plan(12, {8, 16}, {1, 0}).unit_bytes, 4);  // a unit is a word; 3 form an axis
    CHECK_EQ(way(4, {2, 3, 4}, {0, 1, 2}), PermuteMethod::copy);
    CHECK_EQ(way(4, {1, 3, 1}, {2, 1, 0}), PermuteMethod::copy);
    CHECK_EQ(way(4, {0, 3, 5}, {2, 1, 0}), PermuteMethod::do_nothing);
    CHECK_EQ(way(2, {8, 16, 12, 64}, {0, 2, 1, 3}), PermuteMethod::gather_units);
    CHECK_EQ(way(2, {8, 16, 11, 75}, {0, 2, 1, 3}), PermuteMethod::splice_rows);
    CHECK_EQ(way(2, {8, 16, 12, 75}, {0, 2, 1, 3}),
             PermuteMethod::compound_tiles);  // there are 12 columns
    CHECK_EQ(way(2, {8, 6, 12, 75}, {0, 2, 1, 3}), PermuteMethod::compound_tiles);
    CHECK_EQ(way(2, {8, 4, 12, 75}, {0, 2, 1, 3}),
             PermuteMethod::splice_rows);  // there are too few rows
    CHECK_EQ(way(2, {8, 15, 12, 75}, {0, 2, 1, 3}),
             PermuteMethod::splice_rows);  // columns start within words
    CHECK_EQ(way(2, {8, 15, 32, 75}, {0, 2, 1, 3}), PermuteMethod::compound_tiles);
    CHECK_EQ(way(2, {8, 16, 12, 257}, {0, 2, 1, 3}),
             PermuteMethod::splice_rows);  // rows of 514 bytes
    CHECK_EQ(way(2, {8, 16, 12, 64}, {0, 2, 1, 3}, 1),
             PermuteMethod::splice_rows);  // an unaligned start
    CHECK_EQ(way(2, {8, 16, 12, 7}, {0, 2, 1, 3}),
             PermuteMethod::gather_units);  // the rows are short
    CHECK_EQ(way(4, {50, 64, 3}, {0, 2, 1}), PermuteMethod::transpose);
    CHECK_EQ(way(4, {512, 512, 512}, {2, 1, 0}), PermuteMethod::transpose);
    CHECK_EQ(way(4, {512, 512, 33}, {2, 1, 0}),
             PermuteMethod::vector_tiles);  // has few columns, and gaps
    CHECK_EQ(way(4, {510, 511, 33}, {2, 1, 0}),
             PermuteMethod::element_tiles);  // rows are not whole vectors
    CHECK_EQ(way(1, {99, 99, 99}, {2, 1, 0}),
             PermuteMethod::word_tiles);  // small elements, unaligned rows
    CHECK_EQ(way(2, {12, 11, 9, 8}, {3, 2, 1, 0}), PermuteMethod::word_tiles);
    CHECK_EQ(way(2, {11, 11, 9, 8}, {3, 2, 1, 0}),
             PermuteMethod::element_tiles);  // there are too few rows
    CHECK_EQ(way(1, {96, 99, 96}, {2, 1, 0}), PermuteMethod::transpose);
    CHECK_EQ(way(4, {16, 20, 30, 40}, {3, 2, 1, 0}), PermuteMethod::vector_tiles);
    CHECK_EQ(way(4, {16, 20, 30, 40}, {3, 2, 1, 0}, 1),
             PermuteMethod::element_tiles);  // an unaligned start
    CHECK_EQ(way(4, {17, 21, 30, 40}, {3, 2, 1, 0}),
             PermuteMethod::element_tiles);  // rows are not whole vectors
    CHECK_EQ(way(2, {16, 20, 30, 40}, {3, 2, 1, 0}), PermuteMethod::vector_tiles);
    CHECK_EQ(way(1, {16, 20, 30, 40}, {3, 2, 1, 0}), PermuteMethod::vector_tiles);
    CHECK_EQ(way(8, {16, 20, 30, 40}, {3, 2, 1, 0}), PermuteMethod::element_tiles);
    CHECK_EQ(way(4, {20, 8, 30, 40}, {2, 0, 3, 1}),
             PermuteMethod::element_tiles);  // rows are short
    CHECK_EQ(way(4, {9, 14, 14, 256}, {0, 3, 1, 2}),
             transposing::has_fast_memory()
                 ? PermuteMethod::transpose  // 196 rows nearly fill a tile of 224
                 : PermuteMethod::vector_tiles);
    CHECK_EQ(way(4, {9, 14, 10, 256}, {0, 3, 1, 2}),
             PermuteMethod::vector_tiles);  // 140 rows are 35 vectors
    CHECK_EQ(way(4, {9, 14, 16, 256}, {0, 3, 1, 2}),
             PermuteMethod::transpose);  // rows are whole sectors
    CHECK_EQ(way(4, {9, 28, 28, 256}, {0, 3, 1, 2}), PermuteMethod::transpose);  // tiles are full
    CHECK_EQ(way(2, {9, 14, 20, 512}, {0, 3, 1, 2}), PermuteMethod::vector_tiles);
    CHECK_EQ(way(4, {9, 14, 14, 1024}, {0, 3, 1, 2}), PermuteMethod::transpose);  // rows are long
    const std::int64_t huge = std::int64_t{1} << 33;
    CHECK_EQ(way(1, {3, huge, 3}, {2, 1, 0}),
             PermuteMethod::gather_units);  // too many elements for 32-bit indices
    CHECK_EQ(way(4, {64, 64, 4}, {1, 0, 2}), PermuteMethod::transpose);  // elements have 16 bytes
    CHECK_EQ(way(3, {512, 224, 224}, {0, 2, 1}), PermuteMethod::compound_tiles);
    CHECK_EQ(way(12, {64, 64}, {1, 0}), PermuteMethod::compound_tiles);
    const auto can_use_triples = [](int size, std::int64_t cols) {
        const PermutePlan plan = make_plan(size, {224, cols}, {1, 0});
        return permuting::can_use_triples<1>(permuting::make_compound_task<1>(plan));
    };
    CHECK(can_use_triples(3, 224));
    CHECK_FALSE(can_use_triples(3, 222));  // rows are not whole words
    CHECK_FALSE(can_use_triples(5, 224));  // elements have five units
    const auto can_use_triple_vectors = [](std::int64_t rows, std::int64_t cols, int offset) {
        const PermutePlan plan = make_plan(6, {rows, cols}, {1, 0}, offset);
        return permuting::can_use_triple_vectors<2>(permuting::make_compound_task<2>(plan));
    };
    CHECK(can_use_triple_vectors(224, 224, 0));
    CHECK_FALSE(can_use_triple_vectors(224, 220, 0));  // rows are not whole vectors
    CHECK_FALSE(can_use_triple_vectors(224, 224, 1));  // arrays begin within a vector
    CHECK_FALSE(can_use_triple_vectors(64, 224, 0));   // tiles would be empty
    using Vectors = permuting::SectorTripleKernel<1>;
    CHECK_EQ(Vectors::choose_tile_cols(224), 224);
    CHECK_EQ(Vectors::choose_tile_cols(272), 144);  // two tiles of about the same width
    CHECK_EQ(permuting::make_compound_task<4>(make_plan(12, {4096, 4096}, {1, 0})).tile_cols, 64);
    CHECK_EQ(
        permuting::make_compound_task<2>(make_plan(2, {2, 2048, 48, 75}, {0, 2, 1, 3})).tile_cols,
        48);
    CHECK_EQ(way(4, {64, 64, 5}, {1, 0, 2}), PermuteMethod::compound_tiles);
    CHECK_EQ(way(3, {20, 512, 20, 512}, {0, 3, 2, 1}),
             PermuteMethod::gather_units);                               // rows have gaps
    CHECK_EQ(way(12, {10, 5000}, {1, 0}), PermuteMethod::gather_units);  // tiles would be empty
}

TEST_CASE("invalid arguments are rejected without leaving a CUDA error") {
    const DeviceBuffer memory(4096);
    float* const place = static_cast<float*>(memory.data());
    float* const odd = reinterpret_cast<float*>(static_cast<char*>(memory.data()) + 2);
    const auto invalid = cudaErrorInvalidValue;
    CHECK_EQ(coalesce::permute(place, place + 100, {2, -3}, {1, 0}), invalid);
    CHECK_EQ(coalesce::permute(place, place + 100, {2, 3}, {1, 1}), invalid);
    CHECK_EQ(coalesce::permute(place, place + 100, {2, 3}, {1, 2}), invalid);
    CHECK_EQ(coalesce::permute(place, place + 100, {2, 3}, {0, -1}), invalid);
    CHECK_EQ(coalesce::permute(place, place + 100, {1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6}),
             invalid);
    CHECK_EQ(coalesce::permute(place, place + 100, {std::int64_t{1} << 40, std::int64_t{1} << 40},
                               {1, 0}),
             invalid);
    CHECK_EQ(coalesce::permute<float>(nullptr, place, {2, 3}, {1, 0}), invalid);
    CHECK_EQ(coalesce::permute<float>(nullptr, nullptr, {0, 3}, {1, 0}), cudaSuccess);
    CHECK_EQ(coalesce::permute(odd, place + 100, {2, 3}, {1, 0}), cudaErrorMisalignedAddress);
    CHECK_EQ(permute_elements(place, place + 100, 17, 0, nullptr, nullptr), invalid);
    CHECK_EQ(permute_elements(place, place + 100, 0, 0, nullptr, nullptr), invalid);
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_CASE("wrong versions of permute are detected") {
    if (simulator_library::is_loaded()) simulator_library::set_quiet(true);
    CHECK_NE(find_mistake([](void*, const void*, const PermuteSample&, cudaStream_t) {
                 return cudaSuccess;  // does nothing
             }),
             "");
    CHECK_NE(find_mistake(
                 [](void* out, const void* in, const PermuteSample& sample, cudaStream_t stream) {
                     PermuteSample other = sample;  // keeps the axes in order
                     for (std::size_t k = 0; k < sample.order.size(); ++k) other.order[k] = int(k);
                     return samples::permute(out, in, other, stream);
                 }),
             "");
    CHECK_NE(find_mistake(
                 [](void* out, const void* in, const PermuteSample& sample, cudaStream_t stream) {
                     const cudaError_t error = samples::permute(out, in, sample, stream);
                     // This version also changes the input.
                     static_cast<void>(cudaMemset(const_cast<void*>(in), 1, 1));
                     return error;
                 }),
             "");
    CHECK_NE(find_mistake(
                 [](void* out, const void* in, const PermuteSample& sample, cudaStream_t stream) {
                     if (sample.out_offset > 0) {  // writes before the output's start
                         static_cast<void>(cudaMemset(static_cast<char*>(out) - 1, 1, 1));
                     }
                     return samples::permute(out, in, sample, stream);
                 }),
             "");
}

#ifdef __NVCC__  // tested with nvcc only
TEST_CASE("gpu only: permute can be captured into a graph") {
    const Permuter permute_in_graph = [](void* out, const void* in, const PermuteSample& sample,
                                         cudaStream_t) {
        cudaStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        const cudaError_t error = samples::permute(out, in, sample, stream);
        CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
        CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
        CUDA_CHECK(cudaGraphLaunch(ready, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        CUDA_CHECK(cudaGraphExecDestroy(ready));
        CUDA_CHECK(cudaGraphDestroy(graph));
        CUDA_CHECK(cudaStreamDestroy(stream));
        return error;
    };
    for (const PermuteSample& sample :
         {PermuteSample{2, {3, 5, 7, 64}, {0, 2, 1, 3}}, PermuteSample{2, {3, 5, 75}, {1, 0, 2}},
          PermuteSample{4, {9, 8, 7, 6}, {3, 2, 1, 0}}, PermuteSample{4, {50, 60}, {1, 0}},
          PermuteSample{4, {50, 60}, {0, 1}}}) {
        INFO(sample.name());
        CHECK_EQ(find_error(sample, permute_in_graph), "");
    }
}
#endif
