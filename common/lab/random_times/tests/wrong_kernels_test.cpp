// Tests that the check detects kernels with deliberate mistakes.
#include <doctest/doctest.h>

#include <functional>

#include "lab/random_times/on_device.h"

using namespace coalesce;
using namespace coalesce::timing;

namespace {

/// Returns the first kernel whose text contains `words`, with `words` replaced by `others`.
Kernel changed(
    const std::string& words, const std::string& others,
    const std::function<bool(const Kernel&)>& is_wanted = [](const Kernel&) { return true; }) {
    for (Kernel& kernel : random_kernels(5, 200)) {
        const std::size_t at = kernel.text.find(words);
        if (at == std::string::npos || !is_wanted(kernel)) continue;
        kernel.text.replace(at, words.size(), others);
        return kernel;
    }
    FAIL("no kernel has " << words);
    return {};
}

std::string found_in(const Kernel& kernel) {
    char name[] = "random_kernels_test";
    char* arguments[] = {name, nullptr};
    static const Device device = choose_device(DeviceChoice::simulator, arguments);
    CAPTURE(kernel.text);
    return check_small_run(kernel, LoadedRandomKernel(kernel), device);
}

bool has_edges(const Kernel& kernel) {
    return kernel.description.find("edges checked") != std::string::npos;
}

}  // namespace

TEST_CASE("an unchanged kernel is correct") {
    CHECK(found_in(changed("__global__", "__global__")) == "");
}

TEST_CASE("an element read from a wrong position is detected") {
    const auto is_copy = [](const Kernel& kernel) {
        return kernel.computation.kind == MatrixOperation::copy;
    };
    const Kernel kernel =
        changed("= in[row * in_pitch + col", "= in[row * in_pitch + col / 2", is_copy);
    CHECK(found_in(kernel).find("instead of") != std::string::npos);
}

TEST_CASE("elements that were never written are detected") {
    const auto is_whole = [](const Kernel& kernel) {
        return !has_edges(kernel) && kernel.computation.kind == MatrixOperation::transpose;
    };
    const Kernel kernel = changed(
        "out[col * out_pitch + row] =", "if (row > 0) out[col * out_pitch + row] =", is_whole);
    CHECK(found_in(kernel).find("instead of") != std::string::npos);
}

TEST_CASE("writes past the end of rows are detected, even if they stay within the allocation") {
    const auto has_room = [](const Kernel& kernel) {
        return has_edges(kernel) && kernel.computation.kind == MatrixOperation::copy &&
               kernel.measured_launch.out_pitch > kernel.measured_launch.cols;
    };
    const Kernel kernel =
        changed("if (row < rows && col < cols) out[", "if (row < rows) out[", has_room);
    CHECK(found_in(kernel) != "");
}

TEST_CASE("a sum that omits one warp is detected") {
    CHECK(found_in(changed("int warp = 0;", "int warp = 1;")).find("sums of the blocks add up") !=
          std::string::npos);
}

TEST_CASE("a missing barrier is reported as a race, whatever the result") {
    const auto is_tile = [](const Kernel& kernel) { return kernel.family == Family::tile; };
    CHECK(found_in(changed("__syncthreads();", ";", is_tile)).find("racecheck") == 0);
}

TEST_CASE("a wrong constant in the arithmetic is detected") {
    CHECK(found_in(changed("3.0f", "3.0001f")).find("instead of") != std::string::npos);
    CHECK(found_in(changed("0x2c1b3c6du", "0x2c1b3c6fu")) != "");
}

TEST_CASE("source that does not compile is reported with the compiler's message") {
    const Kernel kernel = changed("int rows,", "int rose,");
    CHECK_THROWS_WITH_AS(found_in(kernel), doctest::Contains("rows"), std::runtime_error);
}
