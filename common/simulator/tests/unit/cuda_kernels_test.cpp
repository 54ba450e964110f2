// Tests the generator of CUDA kernels. The same seed must give the same text, and every kind of
// shape and construct must occur. campaign/README.md describes how the kernels themselves are
// tested.
#include "lab/campaign/cuda/cuda_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace coalesce::campaign;

namespace {

constexpr u64 kSeeds = 400;

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("different seeds generate different kernels") {
    std::set<std::string> texts;
    for (u64 seed = 0; seed < 50; ++seed) {
        CHECK(generate_cuda(seed) == generate_cuda(seed));
        texts.insert(generate_cuda(seed));
    }
    CHECK(texts.size() == 50);
}

TEST_CASE("every kernel begins with a launch within the limits, and has matching braces") {
    for (u64 seed = 0; seed < kSeeds; ++seed) {
        CAPTURE(seed);
        const std::string text = generate_cuda(seed);
        CHECK(parse_launch(text).has_value());
        CHECK(has(text, "extern \"C\" __global__ void"));
        CHECK(std::count(text.begin(), text.end(), '{') ==
              std::count(text.begin(), text.end(), '}'));
        CHECK(std::count(text.begin(), text.end(), '(') ==
              std::count(text.begin(), text.end(), ')'));
        CHECK_FALSE(has(text, "$"));
    }
}

TEST_CASE("every construct occurs in some of fifty kernels") {
    const char* constructs[] = {
        "goto ",        "switch (",       "do {",       "continue;",
        "break;",       "late_",          "return;",    "__syncthreads();",
        "__syncwarp(",  "__ballot_sync(", "__shfl_",    "__match_any_sync(",
        "__reduce_",    "atomicAdd(",     "atomicCAS(", "__shared__",
        "__constant__", "volatile",       "asm(",       "asm volatile(",
        "[&](u32 x)",   "__noinline__",   "__half ",    "double ",
        "u8 ",          "i16 ",           "u64 ",       "memcpy(",
        "cp.async",     "uint4",          "Record ",    "Bits ",
        "Pair ",        "_inner(",        "dynamic[",   "#include <cooperative_groups.h>"};
    std::map<std::string, u64> kernels;
    for (u64 seed = 0; seed < kSeeds; ++seed) {
        const std::string text = generate_cuda(seed);
        for (const char* part : constructs) kernels[part] += has(text, part);
    }
    for (const char* part : constructs) {
        CAPTURE(part);
        CHECK(kernels[part] >= kSeeds / 50);
    }
}

TEST_CASE("constructs that only learners would write occur only in learner style") {
    const char* constructs[] = {" % 997", "weights[", "letters[",    "Point ",  "Mixed ",
                                "Two ",   "__expf(",  "sqrtf(",      "matrix_", "near_",
                                "float4", "uchar4",   "const Four*", "begin[",  "/= 2)"};
    std::map<std::string, u64> kernels;
    std::string exact;
    for (u64 seed = 0; seed < kSeeds; ++seed) {
        const std::string text = generate_cuda(seed, KernelStyle::learner);
        CHECK(parse_launch(text).has_value());
        CHECK(std::count(text.begin(), text.end(), '{') ==
              std::count(text.begin(), text.end(), '}'));
        CHECK_FALSE(has(text, "$"));
        CHECK_FALSE(has(text, "`"));
        for (const char* part : constructs) kernels[part] += has(text, part);
        exact += generate_cuda(seed);
    }
    for (const char* part : constructs) {
        CAPTURE(part);
        CHECK(kernels[part] >= kSeeds / 50);
    }
    for (const char* part : {" % 997", "weights[", "Mixed ", "__expf("})
        CHECK_FALSE(has(exact, part));
    CHECK(generate_cuda(7, KernelStyle::learner) == generate_cuda(7, KernelStyle::learner));
    CHECK(generate_cuda(7, KernelStyle::learner) != generate_cuda(7));
}
