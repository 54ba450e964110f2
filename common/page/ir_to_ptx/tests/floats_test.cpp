// Tests floating-point operations: when results are rounded, conversions, and comparisons.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

/// Returns a kernel that loads the doubles %a, %b and %c. `body` computes %r, which the kernel
/// stores.
std::string of_doubles(const std::string& body, const std::string& rest = "") {
    return kernel(R"(
  %pb = getelementptr double, ptr %in, i64 1
  %pc = getelementptr double, ptr %in, i64 2
  %a = load double, ptr %in, align 8
  %b = load double, ptr %pb, align 8
  %c = load double, ptr %pc, align 8
)" + body + "\n  store double %r, ptr %out, align 8\n  ret void",
                  rest);
}

double computed(const std::string& ir, double a, double b, double c) {
    return std::bit_cast<double>(
        run(ir, {std::bit_cast<u64>(a), std::bit_cast<u64>(b), std::bit_cast<u64>(c)}).at(0));
}

constexpr double kA = 1.0 / 3, kB = 3.0 + 1e-15, kC = -1.0;

}  // namespace

TEST_CASE("a multiplication followed by an addition becomes an fma, which rounds once") {
    // If these two results were equal, the test could not detect a missing fma.
    CHECK(std::fma(kA, kB, kC) != kA * kB + kC);
    CHECK(computed(
              of_doubles("  %m = fmul contract double %a, %b\n  %r = fadd contract double %m, %c"),
              kA, kB, kC) == std::fma(kA, kB, kC));
    CHECK(computed(
              of_doubles("  %m = fmul contract double %a, %b\n  %r = fsub contract double %m, %c"),
              kA, kB, -kC) == std::fma(kA, kB, kC));
    CHECK(computed(
              of_doubles("  %m = fmul contract double %a, %b\n  %r = fsub contract double %c, %m"),
              kA, kB, -kC) == std::fma(-kA, kB, -kC));
}

TEST_CASE("in a sum of two products, the product with fewer uses becomes part of the fma") {
    // %m is used twice, so %n becomes part of the fma: a * b is rounded, but b * c is not.
    const std::string ir = of_doubles(R"(
  %m = fmul contract double %a, %b
  %n = fmul contract double %b, %c
  %s = fadd contract double %m, %n
  %q = fptosi double %m to i64
  %z = sitofp i64 %q to double
  %r = fadd contract double %s, %z)");
    const double m = kA * kB;
    CHECK(computed(ir, kA, kB, kC) == std::fma(kB, kC, m) + std::trunc(m));
}

TEST_CASE("a product from a different block is rounded separately") {
    const std::string ir = of_doubles(R"(
  %m = fmul contract double %a, %b
  br label %next
next:
  %r = fadd contract double %m, %c)");
    CHECK(computed(ir, kA, kB, kC) == kA * kB + kC);
}

TEST_CASE("round, floor, copysign and sqrt are correct") {
    const char* declared =
        "declare double @llvm.round.f64(double)\ndeclare double @llvm.floor.f64(double)\n"
        "declare double @llvm.copysign.f64(double, double)\ndeclare double "
        "@llvm.sqrt.f64(double)\n";
    const std::string round = of_doubles("  %r = call double @llvm.round.f64(double %a)", declared);
    for (const double x : {0.5, -0.5, 2.5, -2.5, 0.49999999999999994, 1e300, 4503599627370497.0})
        CHECK(computed(round, x, 0, 0) == std::round(x));
    CHECK(computed(of_doubles("  %r = call double @llvm.floor.f64(double %a)", declared), -1.25, 0,
                   0) == -2);
    CHECK(computed(
              of_doubles("  %r = call double @llvm.copysign.f64(double %a, double %b)", declared),
              3, -1, 0) == -3);
    CHECK(computed(of_doubles("  %r = call double @llvm.sqrt.f64(double %a)", declared), 2, 0, 0) ==
          std::sqrt(2.0));
    CHECK(computed(of_doubles("  %r = frem double %a, %b"), 7.5, 2, 0) == 1.5);
    CHECK(computed(of_doubles("  %r = frem double %a, %b"), 7.5, INFINITY, 0) == 7.5);
}

TEST_CASE("conversions and comparisons with a NaN are correct") {
    const std::string ir = of_doubles(R"(
  %x = fcmp olt double %a, %b
  %y = fcmp ult double %a, %b
  %i = uitofp i1 %x to double
  %j = sitofp i1 %y to double
  %r = fadd double %i, %j)");
    CHECK(computed(ir, NAN, 1, 0) == -1);
    CHECK(computed(ir, 0, 1, 0) == 0);
    const std::string small = of_doubles(R"(
  %f = fptrunc double %a to float
  %h = fptrunc float %f to half
  %s = fadd half %h, %h
  %i = fptosi half %s to i8
  %r = sitofp i8 %i to double)");
    CHECK(computed(small, -2.5, 0, 0) == -5);
}
