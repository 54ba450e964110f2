// Tests calls that are planned once and run later, on the device of the first libcudart in
// LD_LIBRARY_PATH.

#include <doctest/doctest.h>
#include <coalesce/plan.cuh>

#include <utility>

#include "permute_samples.h"
#include "samples.h"

using namespace coalesce;
using namespace coalesce::samples;

namespace {

struct TwelveBytes {
    unsigned words[3];
};

/// Plans the call for different arrays, and then runs the plan on `in` and `out`. The different
/// arrays have the same offsets within their cache lines as `in` and `out`.
template <class T>
cudaError_t planned_transpose(void* out, const void* in, const Sample& s, cudaStream_t stream) {
    PlannedCall planned;
    auto* const other_out = static_cast<char*>(out) + 1280;
    const auto* const other_in = static_cast<const char*>(in) + 128;
    const cudaError_t error = plan(planned, reinterpret_cast<T*>(other_out),
                                   reinterpret_cast<const T*>(other_in), s.rows, s.cols, s.options);
    return error == cudaSuccess ? planned.run(out, in, stream) : error;
}
template <class T>
cudaError_t planned_permute(void* out, const void* in, const PermuteSample& s,
                            cudaStream_t stream) {
    PlannedCall planned;
    const cudaError_t error =
        plan(planned, static_cast<T*>(out), static_cast<const T*>(in),
             static_cast<int>(s.sizes.size()), s.sizes.data(), s.order.data());
    return error == cudaSuccess ? planned.run(out, in, stream) : error;
}

template <class T>
void check_transpose(std::int64_t rows, std::int64_t cols, std::int64_t batches,
                     std::int64_t start) {
    Sample sample{static_cast<int>(sizeof(T)), rows, cols, {}, start, 1};
    sample.options = {cols, rows, batches, rows * cols, rows * cols};
    INFO(sample.name());
    CHECK_EQ(find_error(sample, planned_transpose<T>), "");
}
template <class T>
void check_permute(const PermuteSample& sample) {
    INFO(sample.name());
    CHECK_EQ(find_error(sample, planned_permute<T>), "");
}

}  // namespace

TEST_CASE("planned transposes of every kind are correct") {
    for (const std::int64_t start : {0, 3}) {
        check_transpose<unsigned>(70, 90, 1, start);
        check_transpose<unsigned>(9, 5, 30, start);
        check_transpose<unsigned>(1, 400, 1, start);  // a plain copy
        check_transpose<unsigned char>(700, 36, 1, start);
        check_transpose<unsigned short>(37, 700, 1, start);
        check_transpose<unsigned long long>(130, 140, 2, start);
    }
    check_transpose<unsigned>(256, 128, 1, 0);
}

TEST_CASE("planned permutations of every kind are correct") {
    check_permute<unsigned>({4, {9, 8, 7, 6}, {3, 2, 1, 0}});
    check_permute<unsigned>({4, {16, 20, 30, 4}, {3, 2, 1, 0}});
    check_permute<unsigned>({4, {50, 60}, {1, 0}});
    check_permute<unsigned>({4, {50, 60}, {0, 1}});
    check_permute<unsigned short>({2, {3, 5, 7, 64}, {0, 2, 1, 3}});
    check_permute<unsigned short>({2, {131, 3, 67}, {2, 1, 0}, 1, 3});  // two kernel arguments
    check_permute<unsigned short>({2, {3, 5, 75}, {1, 0, 2}});
    check_permute<TwelveBytes>({12, {70, 80}, {1, 0}});
}

TEST_CASE("a plan rejects invalid arguments without leaving a CUDA error") {
    alignas(128) static unsigned memory[64];
    const unsigned* const in = memory;
    unsigned* const out = memory + 32;
    PlannedCall planned;
    CHECK_EQ(planned.run(out, in), cudaSuccess);  // no plan yet: does nothing
    CHECK_EQ(plan(planned, out, in, -1, 5), cudaErrorInvalidValue);
    CHECK_EQ(plan(planned, out, in, 0, 5), cudaSuccess);
    CHECK_EQ(planned.run(nullptr, nullptr), cudaSuccess);  // an empty matrix needs no memory
    CHECK_EQ(plan(planned, out, in, 3, 5), cudaSuccess);
    CHECK_EQ(planned.run(out, in + 1), cudaErrorMisalignedAddress);  // misaligned to the plan
    CHECK_EQ(planned.run(out + 1, in), cudaErrorMisalignedAddress);
    CHECK_EQ(planned.run(nullptr, in), cudaErrorInvalidValue);
    TransposeOptions options;
    options.batches = std::int64_t{1} << 33;  // more tiles than one launch can have
    options.in_stride = options.out_stride = 0;
    CHECK_EQ(plan(planned, out, in, 200, 200, options), cudaErrorNotSupported);
    const std::int64_t sizes[] = {2, 3};
    const int order_with_repeat[] = {0, 0};
    CHECK_EQ(plan(planned, out, in, 2, sizes, order_with_repeat), cudaErrorInvalidValue);
    CHECK_EQ(planned.run(out, in), cudaSuccess);  // nothing is planned
    CHECK_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_CASE("an incorrect version of a planned transpose is detected") {
    const Transposer transpose_with_swapped_sides = [](void* out, const void* in, const Sample& s,
                                                       cudaStream_t stream) {
        Sample other = s;
        std::swap(other.rows, other.cols);
        std::swap(other.options.in_pitch, other.options.out_pitch);
        return planned_transpose<unsigned>(out, in, other, stream);
    };
    Sample sample{4, 70, 90, {}, 0, 0};
    sample.options = {90, 70, 1, 70 * 90, 70 * 90};
    CHECK_NE(find_error(sample, transpose_with_swapped_sides), "");
}
