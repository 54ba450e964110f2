// Tests the verifier with correct kernels. The verifier must find no mistake, for any shape and
// element size.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include "harness/shapes.h"
#include "harness/verify.h"
#include "right_kernels.h"

using namespace coalesce;
using namespace coalesce::tests;

TEST_CASE("correct kernels pass on every shape, for every element size") {
    for (const auto kind :
         {Produces::transpose, Produces::copy, Produces::transposed_tiles, Produces::moved_tiles}) {
        for (const std::size_t size : {1, 2, 4, 8, 16}) {
            for (const Shape shape : verification_shapes({})) {
                CAPTURE(size);
                CAPTURE(shape.name());
                VerifiedBuffers buffers({.rows = shape.rows,
                                         .cols = shape.cols,
                                         .produces = {kind},
                                         .element_size = size,
                                         .seed = 5});
                buffers.prepare();
                launch_right({kind}, size, buffers.out(), buffers.in(), shape.rows, shape.cols);
                REQUIRE(cudaGetLastError() == cudaSuccess);
                const Comparison comparison = buffers.check();
                INFO(comparison.text());
                CHECK(comparison.is_right());
            }
        }
    }
}

TEST_CASE("the correct output of a launch does not affect the verdict on the next launch") {
    VerifiedBuffers buffers({.rows = 40, .cols = 50});
    buffers.prepare();
    launch_right({Produces::transpose}, 4, buffers.out(), buffers.in(), 40, 50);
    CHECK(buffers.check().is_right());
    buffers.poison();
    CHECK(buffers.check().fault() == Fault::nothing_written);
}

TEST_CASE("correct copies pass if the matrices are in page-locked host memory") {
    const Problem problem{.rows = 33, .cols = 65, .produces = {Produces::copy}};
    VerifiedBuffers up(problem, VerifiedBuffers::kDefaultGuardBytes, Memory::host, Memory::device);
    up.prepare();
    REQUIRE(cudaMemcpyAsync(up.out(), up.in(), problem.bytes(), cudaMemcpyHostToDevice) ==
            cudaSuccess);
    CHECK(up.check().is_right());
    VerifiedBuffers down(problem, 0, Memory::device, Memory::host);
    down.prepare();
    CHECK(down.check().fault() == Fault::nothing_written);
    REQUIRE(cudaMemcpyAsync(down.out(), down.in(), problem.bytes(), cudaMemcpyDeviceToHost) ==
            cudaSuccess);
    CHECK(down.check().is_right());
}
