// Tests how the difference between two predictions is explained.
#include "timing/comparison.h"

#include <doctest/doctest.h>

#include "timing/tests/samples.h"

using namespace coalesce::timing;
using samples::says;

namespace {

/// Returns the prediction like_04() with a different name, time and bottleneck.
Prediction variant(const std::string& kernel, double ms, Bottleneck bottleneck) {
    Prediction p = samples::that_binds(bottleneck);
    p.kernel = kernel;
    p.ms = ms;
    return p;
}

}  // namespace

TEST_CASE("lesson 05 is faster than 04 because it has more bytes in flight and no gaps") {
    const std::string text =
        "coarsened takes about 2.5 ms, padded 4.6 ms: 1.9 times as fast (predicted, NVIDIA H200, "
        "within 8 %). Why: 21 KB are in flight per multiprocessor instead of 3.4 KB, and 16 KB "
        "are needed (Little's law); something is always in flight; before, nothing was in flight "
        "for "
        "38 % of the time.";
    CHECK(compare_predictions(samples::like_04(), samples::like_05()) == text);
    CHECK(compare_predictions(samples::like_05(), samples::like_04()) == text);
}

TEST_CASE("a removed barrier explains why a kernel is faster") {
    const Prediction slow = variant("barrier_in_loop", 4, Bottleneck::barrier);
    Prediction fast = variant("barrier_after", 3, Bottleneck::flight);
    fast.warp_life.barrier = 0;
    CHECK(says(compare_predictions(slow, fast),
               "warps do not wait at barriers; before, they waited for 28 % of their lives"));
    fast.warp_life.barrier = 120;
    CHECK(says(compare_predictions(slow, fast),
               "warps wait at barriers for 7 % of their lives instead of 28 %"));
}

TEST_CASE("bank conflicts, traffic and runs explain why a kernel is slower") {
    Prediction slow = variant("tiled", 8, Bottleneck::shared),
               fast = variant("padded", 4, Bottleneck::flight);
    CHECK(
        says(compare_predictions(slow, fast),
             "Why: the unit of shared memory and L1 cache is busy for 0.16 ms instead of 7.4 ms."));
    slow = variant("strided", 8, Bottleneck::memory);
    slow.memory_bytes *= 4;
    CHECK(says(compare_predictions(slow, fast), "Why: memory moves 8.6 GB instead of 34 GB."));
    slow = variant("short_runs", 4.6, Bottleneck::memory);
    slow.run_bytes_written = 64;
    fast.run_bytes_written = 512;
    CHECK(says(compare_predictions(slow, fast),
               "memory writes runs of 512 bytes instead of 64 bytes"));
}

TEST_CASE("more resident blocks, fewer starts and fuller rounds explain a shorter time") {
    Prediction slow = variant("few", 8, Bottleneck::flight),
               fast = variant("many", 6, Bottleneck::flight);
    fast.resident_blocks = 6;
    CHECK(says(
        compare_predictions(slow, fast),
        "a multiprocessor holds 6 blocks of 1024 threads instead of 2 blocks of 1024 threads"));
    slow = variant("one_by_one", 8, Bottleneck::blocks),
    fast = variant("by_four", 6, Bottleneck::memory);
    slow.rounds = 400;
    fast.rounds = 100;
    CHECK(
        says(compare_predictions(slow, fast), "a multiprocessor starts 200 blocks instead of 800"));
    slow = variant("ragged", 8, Bottleneck::few_blocks),
    fast = variant("full", 6, Bottleneck::memory);
    fast.rounds = 0.98;
    CHECK(
        says(compare_predictions(slow, fast), "the grid fills 98 % of its waves instead of 56 %"));
}

TEST_CASE("a cost that does not delay the slower kernel is not named as a reason") {
    Prediction slow = variant("naive", 18, Bottleneck::stores), fast = samples::like_05();
    slow.utilization.l2_write = 0.95;
    const std::string text = compare_predictions(slow, fast);
    CHECK(says(text, "Why: the store path to the cache is busy"));
    CHECK_FALSE(says(text, "in flight"));
    CHECK_FALSE(says(text, "barriers"));
}

TEST_CASE("no reason is given without evidence") {
    const Prediction slow = variant("a", 4, Bottleneck::flight),
                     fast = variant("b", 3, Bottleneck::flight);
    CHECK(says(compare_predictions(slow, fast),
               "The predictions do not show why. Both are limited by too few bytes in flight."));
    CHECK(says(
        compare_predictions(slow, variant("c", 3, Bottleneck::issue)),
        "The faster kernel is limited by instructions, and the slower kernel by too few bytes"));
}

TEST_CASE("kernels with nearly equal times are not ranked") {
    const std::string text = compare_predictions(variant("a", 4, Bottleneck::flight),
                                                 variant("b", 4.1, Bottleneck::memory));
    CHECK(text ==
          "a takes about 4 ms, b 4.1 ms (predicted, NVIDIA H200, within 8 %): the model cannot "
          "tell which is faster.");
}

TEST_CASE("launches are distinguished by order or by GPU, and a missing time is mentioned") {
    Prediction slow = samples::like_04(), fast = samples::like_05();
    fast.kernel = slow.kernel;
    CHECK(says(compare_predictions(slow, fast), "The second takes about 2.5 ms, the first 4.6 ms"));
    fast.gpu = "NVIDIA L4";
    fast.is_gpu_measured = false;
    const std::string text = compare_predictions(slow, fast);
    CHECK(says(text, "the first: predicted, NVIDIA H200, within 8 %"));
    CHECK(says(text, "the second: predicted, unverified, NVIDIA L4, within 8 %"));
    CHECK_FALSE(says(text, "Why"));
    fast.ms = 0;
    CHECK(compare_predictions(slow, fast) == "The second has no predicted time.");
}
