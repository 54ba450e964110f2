// Tests the output of printf, assert and trap, and the detection of invalid calls.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>

#include "base/files.h"
#include "run.h"

using namespace coalesce;
using namespace coalesce::translator::tests;

namespace {

/// Returns everything that the kernel prints, followed by the error message if the kernel fails.
/// The simulated GPU prints to this program's standard output, so it is redirected to a file while
/// the kernel runs.
std::string printed_by(const std::string& ir, const std::vector<u64>& input, Launch launch = {}) {
    const TemporaryFolder folder;
    const std::string name = folder.path / "printed";
    std::fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    REQUIRE(std::freopen(name.c_str(), "w", stdout) != nullptr);
    std::string problem;
    try {
        run(ir, input, launch);
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    }
    std::fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    return read_file(name) + problem;
}

/// Returns a kernel with the IR that clang 22 generates for printf("%d %s %.2f %lld %c\n", n,
/// "abc", n * 0.5, (long long)n, 'x'). `at` is the offset of the double in the argument buffer, in
/// bytes.
std::string prints(const std::string& at, const std::string& text = "@abc") {
    return kernel(
        "  %all = alloca %args, align 8\n  %n = load i32, ptr %in, align 4\n"
        "  %f = sitofp i32 %n to double\n  %half = fmul double %f, 5.000000e-01\n"
        "  %long = sext i32 %n to i64\n  store i32 %n, ptr %all, align 8\n"
        "  %p1 = getelementptr inbounds nuw i8, ptr %all, i64 8\n  store ptr " +
            text + ", ptr %p1, align 8\n  %p2 = getelementptr inbounds nuw i8, ptr %all, i64 " +
            at +
            "\n  store double %half, ptr %p2, align 8\n"
            "  %p3 = getelementptr inbounds nuw i8, ptr %all, i64 24\n"
            "  store i64 %long, ptr %p3, align 8\n"
            "  %p4 = getelementptr inbounds nuw i8, ptr %all, i64 32\n"
            "  store i32 120, ptr %p4, align 8\n"
            "  %count = call i32 @vprintf(ptr nonnull @format, ptr nonnull %all)\n"
            "  %w = zext i32 %count to i64\n  store i64 %w, ptr %out, align 8\n  ret void",
        "%args = type { i32, ptr, double, i64, i32 }\n"
        "@format = private unnamed_addr constant [20 x i8] c\"%d %s %.2f %lld %c\\0A\\00\", align "
        "1\n"
        "@abc = private unnamed_addr constant [4 x i8] c\"abc\\00\", align 1\n"
        "declare noundef i32 @vprintf(ptr noundef readonly captures(none), ptr noundef)\n");
}

/// A kernel with assert(in[0] > 3). A separate function that does not return makes the call that
/// reports the failure.
const std::string asserts = kernel(R"(
entry:
  %n = load i64, ptr %in, align 8
  %holds = icmp sgt i64 %n, 3
  br i1 %holds, label %go_on, label %fails
fails:
  call void @fail(ptr noundef nonnull @text, ptr noundef nonnull @file, i32 noundef 7, ptr noundef nonnull @name)
  unreachable
go_on:
  store i64 %n, ptr %out, align 8
  ret void)",
                                   R"(
@text = private unnamed_addr constant [6 x i8] c"n > 3\00", align 1
@file = private unnamed_addr constant [5 x i8] c"a.cu\00", align 1
@name = private unnamed_addr constant [7 x i8] c"void k\00", align 1
define linkonce_odr void @fail(ptr noundef %expression, ptr noundef %file, i32 noundef %line, ptr noundef %function) #0 {
  tail call void @__assertfail(ptr noundef %expression, ptr noundef %file, i32 noundef %line, ptr noundef %function, i64 noundef 1) #0
  unreachable
}
declare void @__assertfail(ptr noundef, ptr noundef, i32 noundef, ptr noundef, i64 noundef) #0
attributes #0 = { convergent noreturn nounwind }
)");

const std::string traps = kernel(R"(
entry:
  %n = load i64, ptr %in, align 8
  %c = icmp eq i64 %n, 7
  br i1 %c, label %yes, label %no
yes:
  call void @llvm.trap()
  unreachable
no:
  store i64 %n, ptr %out, align 8
  ret void)",
                                 "declare void @llvm.trap()\n");

}  // namespace

TEST_CASE("printf prints numbers of all types and a string, once for each lane") {
    CHECK(printed_by(prints("16"), {u64(-5) & 0xFFFFFFFF}) == "-5 abc -2.50 -5 x\n");
    CHECK(printed_by(prints("16"), {3}, {.threads = 2}) == "3 abc 1.50 3 x\n3 abc 1.50 3 x\n");
    CHECK(run(prints("16"), {1}).at(0) == 5);
}

TEST_CASE("printf works without arguments") {
    const std::string ir =
        kernel("  %count = call i32 @vprintf(ptr @text, ptr null)\n  ret void",
               "@text = private unnamed_addr constant [7 x i8] c\"hello\\0A\\00\", align 1\n"
               "declare i32 @vprintf(ptr, ptr)\n");
    CHECK(printed_by(ir, {}) == "hello\n");
}

TEST_CASE("a printf with an argument at a wrong offset, or without a valid string, is rejected") {
    CHECK(printed_by(prints("40"), {3}) != "3 abc 1.50 3 x\n");
    const std::string said = printed_by(prints("16", "inttoptr (i64 8 to ptr)"), {3});
    CAPTURE(said);
    CHECK(said.find("memcheck") == 0);
    CHECK(said.find("printf") != std::string::npos);
}

TEST_CASE(
    "a true assertion has no effect, and a false assertion prints its text and ends the kernel") {
    CHECK(run(asserts, {4}).at(0) == 4);
    const std::string said = printed_by(asserts, {3});
    CAPTURE(said);
    CHECK(said.find("n > 3") != std::string::npos);
    CHECK_THROWS(run(asserts, {3}));
}

TEST_CASE("trap ends the kernel, but only if a thread executes it") {
    CHECK(run(traps, {6}).at(0) == 6);
    CHECK_THROWS(run(traps, {7}));
}
