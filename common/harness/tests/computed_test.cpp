// Tests the verifier with kernels that compute their output from the input. All data is in host
// memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/errors.h"
#include "harness/shapes.h"
#include "host_run.h"

using namespace coalesce;
using namespace coalesce::tests;

namespace {

void add_row(const float* in, int, int cols, int row, double* out) {
    *out = 0;
    for (int col = 0; col < cols; ++col) *out += in[row * cols + col];
}

/// Computes a row of the product of the input and its transpose.
void multiply_by_transpose(const float* in, int rows, int cols, int row, double* out) {
    for (int other = 0; other < rows; ++other) {
        out[other] = 0;
        for (int k = 0; k < cols; ++k) {
            out[other] += double{in[row * cols + k]} * in[other * cols + k];
        }
    }
}

/// Computes a row of the product of the first matrix and the second, which has cols * cols
/// elements.
void multiply_by_second(const float* in, int rows, int cols, int row, double* out) {
    const float* const second = in + rows * cols;
    for (int col = 0; col < cols; ++col) {
        out[col] = 0;
        for (int k = 0; k < cols; ++k) {
            out[col] += double{in[row * cols + k]} * second[k * cols + col];
        }
    }
}

constexpr Produces sums = computed({.row = add_row});
constexpr Produces with_itself =
    computed({.row = multiply_by_transpose, .out_cols = Computation::rows, .tolerance = 1e-4});
constexpr Produces product = computed({.row = multiply_by_second,
                                       .out_cols = Computation::cols,
                                       .second_rows = Computation::cols,
                                       .longest_side = 512,
                                       .counted_side = 128});

/// A kernel that runs on the host and computes its output.
class ComputedRun : public HostRun {
public:
    explicit ComputedRun(const Problem& problem) : HostRun(problem), problem_(problem) {}

    float& held(std::int64_t index) { return *reinterpret_cast<float*>(out(index)); }
    float& input(std::int64_t index) { return *reinterpret_cast<float*>(in(index)); }
    /// Stores all expected elements, rounded to floats.
    void run_right() {
        std::vector<double> row(static_cast<std::size_t>(problem_.out_cols()));
        for (std::int64_t i = 0; i < problem_.out_elements(); ++i) {
            const Cell cell = problem_.out_cell(i);
            problem_.produces.computation.row(&input(0), static_cast<int>(problem_.rows),
                                              static_cast<int>(problem_.cols),
                                              static_cast<int>(cell.row), row.data());
            held(i) = static_cast<float>(row[static_cast<std::size_t>(cell.col)]);
        }
    }

private:
    Problem problem_;
};

}  // namespace

TEST_CASE("computed: the sums of rows and products pass on all shapes") {
    for (const auto& [rows, cols] : {Cell{1, 1}, Cell{1, 257}, Cell{257, 1}, Cell{37, 130}}) {
        for (const Produces& task : {sums, with_itself, product}) {
            const Problem problem{.rows = rows, .cols = cols, .produces = task};
            ComputedRun run(problem);
            run.run_right();
            const Comparison comparison = run.check();
            INFO(comparison.text());
            CHECK(comparison.is_right());
            CHECK(comparison.right == static_cast<std::uint64_t>(problem.out_elements()));
        }
    }
}

TEST_CASE(
    "computed: the output may have its own shape, and each element of input and output counts "
    "once") {
    const Problem of_sums{.rows = 37, .cols = 130, .produces = sums};
    CHECK(of_sums.out_rows() == 37);
    CHECK(of_sums.out_cols() == 1);
    CHECK(of_sums.out_bytes() == 4 * 37);
    CHECK(of_sums.moved_bytes() == 4 * (37 * 130 + 37));
    const Problem of_itself{.rows = 37, .cols = 130, .produces = with_itself};
    CHECK(of_itself.out_elements() == 37 * 37);
    CHECK(of_itself.moved_bytes() == 4 * (37 * 130 + 37 * 37));
    const Problem of_product{.rows = 37, .cols = 130, .produces = product};
    CHECK(of_product.in_rows() == 37 + 130);
    CHECK(of_product.elements() == (37 + 130) * 130);
    CHECK(of_product.out_elements() == 37 * 130);
    CHECK(of_product.moved_bytes() == 4 * ((37 + 130) * 130 + 37 * 130));
    const Problem of_nothing{.rows = 37, .cols = 130, .produces = computed({})};
    CHECK(of_nothing.moved_bytes() == 4 * 37 * 130);
    const Problem of_transpose{.rows = 37, .cols = 130};
    CHECK(of_transpose.out_bytes() == of_transpose.bytes());
    CHECK(of_transpose.moved_bytes() == 2 * of_transpose.bytes());
}

TEST_CASE("computed: values within the tolerance pass, and values beyond it fail") {
    ComputedRun run({.rows = 40, .cols = 33, .produces = sums});
    run.run_right();
    const float expected = run.held(7);
    run.held(7) = expected * (1 + 0.8e-5f);
    CHECK(run.check().is_right());
    run.held(7) = expected * (1 + 1.3e-5f);
    const Comparison comparison = run.check();
    INFO(comparison.text());
    CHECK(comparison.fault() == Fault::value_not_of_input);
    CHECK(comparison.wrong == 1);
    CHECK(comparison.first_bad == Cell{7, 0});
    CHECK(comparison.text().find("out(7,0) is ") == 0);
    CHECK(comparison.text().find("but should be ") != std::string::npos);
    CHECK(comparison.text().find("1e-05") != std::string::npos);
}

TEST_CASE("computed: a map is drawn only if the wrong elements form a pattern") {
    ComputedRun column({.rows = 200, .cols = 33, .produces = sums});
    const std::string text = column.check().text();
    CHECK(std::count(text.begin(), text.end(), '\n') <= 4);
    ComputedRun square({.rows = 20, .cols = 5, .produces = with_itself});
    square.run_right();
    for (const int i : {21, 22, 41, 42}) square.held(i) = 0;
    const Comparison comparison = square.check();
    CHECK(comparison.wrong == 4);
    CHECK(comparison.text().find(comparison.map.text()) != std::string::npos);
}

TEST_CASE("computed: NaNs, infinities and a sum that lacks an element are wrong") {
    ComputedRun run({.rows = 4, .cols = 20000, .produces = sums});
    run.run_right();
    const float expected = run.held(3);
    for (const float wrong :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -expected, 0.0f, expected - run.input(4 * 20000 - 1)}) {
        CAPTURE(wrong);
        run.held(3) = wrong;
        CHECK(run.check().wrong == 1);
    }
}

TEST_CASE("computed: unwritten elements are detected") {
    ComputedRun run({.rows = 40, .cols = 33, .produces = sums});
    CHECK(run.check().fault() == Fault::nothing_written);
    run.run_right();
    std::memset(&run.held(12), kPoisonByte, sizeof(float));
    const Comparison one = run.check();
    CHECK(one.fault() == Fault::never_written);
    CHECK(one.untouched == 1);
    CHECK(one.text().find("out(12,0) was never written") == 0);
    run.held(13) = 1;
    const Comparison both = run.check();
    CHECK(both.fault() == Fault::value_not_of_input);
    CHECK(both.text().find("out(12,0) was never written, but should be ") == 0);
}

TEST_CASE("computed: a kernel that must write nothing passes if it writes nothing") {
    ComputedRun run({.rows = 40, .cols = 33, .produces = computed({})});
    CHECK(run.check().is_right());
    run.held(2) = 1;
    const Comparison comparison = run.check();
    CHECK(comparison.wrong == 1);
    CHECK(comparison.text().find("out(2,0) was written, but the kernel must not write") == 0);
}

TEST_CASE("computed: a changed input and out-of-bounds writes are detected") {
    ComputedRun run({.rows = 40, .cols = 33, .produces = sums});
    run.run_right();
    run.held(40) = 1;
    CHECK(run.check().fault() == Fault::written_after);
    ComputedRun other({.rows = 40, .cols = 33, .produces = sums});
    other.run_right();
    other.input(5) += 1e-6f;
    const Comparison comparison = other.check();
    CHECK(comparison.fault() == Fault::input_changed);
    CHECK(comparison.text().find("in(0,5) was changed") == 0);
    // The rows of the second matrix follow the rows of the first matrix in memory.
    ComputedRun second({.rows = 4, .cols = 33, .produces = product});
    second.run_right();
    second.input(6 * 33 + 1) += 1e-6f;
    CHECK(second.check().text().find("in(6,1) was changed") == 0);
}

TEST_CASE("computed: a task may limit the size of its matrices") {
    const Variant variant{.name = "product", .about = "", .produces = product};
    CHECK(longest_side(variant) == 512);
    CHECK(find_refusal(variant, {512, 512}).empty());
    CHECK(find_refusal(variant, {513, 4}) == "takes at most 512 rows or columns");
    const Variant other{.name = "transpose", .about = ""};
    CHECK(usual_shape({&variant, &other}, true) == Shape{128, 128});
    CHECK(usual_shape({&variant, &other}, false) == Shape{512, 512});
    CHECK(usual_shape({&other}, true) == Shape{1024, 1024});
    CHECK(usual_shape({&other}, false) == Shape{16384, 16384});
    CHECK(usual_prediction_shape(variant) == Shape{512, 512});
    CHECK(usual_prediction_shape(other) == Shape{32768, 32768});
}

TEST_CASE("the elements of an input are at least 0.5 and below 1, and depend on the seed") {
    const Pattern pattern(4, 0, InputValues::numbers), other(4, 1, InputValues::numbers);
    std::set<float> different;
    double sum = 0;
    int same = 0;
    for (std::uint64_t i = 0; i < 10000; ++i) {
        const auto number =
            std::bit_cast<float>(static_cast<std::uint32_t>(pattern.value_at(i).low));
        CHECK(number >= 0.5f);
        CHECK(number < 1.0f);
        sum += number;
        different.insert(number);
        same += pattern.value_at(i) == other.value_at(i);
    }
    CHECK(std::abs(sum / 10000 - 0.75) < 0.01);
    CHECK(different.size() > 9900);
    CHECK(same < 10);
    CHECK_FALSE(pattern.has_unique_values());
    CHECK_FALSE(pattern.index_of(pattern.value_at(3), 10000));
    CHECK_THROWS_AS(Pattern(8, 0, InputValues::numbers), UsageError);
}
