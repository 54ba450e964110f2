// Tests the listing of PTX by source line: the parser, and the command with lessons and with
// learners' files.

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "base/kernel_name.h"
#include "base/text.h"
#include "examiner/compiled_from.h"
#include "examiner/source_lines.h"
#include "expect.h"
#include "learn/ptx_listing.h"

using coalesce::Child;
using coalesce::Command;
using coalesce::find_entries;
using coalesce::find_program;
using coalesce::kernel_name;
using coalesce::lines_of;
using coalesce::ProcessResult;
using coalesce::read_file;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// PTX in the form that nvcc writes. It contains code inlined from the same file and from a header,
// jumps, a call that spans several lines, and a label that no instruction refers to.
const std::string PTX = R"(
.version 9.0
.target sm_90
.extern .shared .align 16 .b8 other[];
.visible .entry _Z3oneILi4EEvPf(
	.param .u64 _Z3oneILi4EEvPf_param_0
)
{
	.reg .pred 	%p<2>;
	.loc	1 2 0
	// demoted variable
	.shared .align 4 .b8 _ZZ3oneILi4EEvPfE4tile[64];
	ld.param.u64 	%rd1, [_Z3oneILi4EEvPf_param_0];
	.loc	1 3 5
	mov.u32 	%r1, %tid.x;
	@%p1 bra 	$L__BB0_2;
$L__tmp1:
	.loc	1 9 5, function_name $L__info_string0, inlined_at 1 4 9
	st.shared.v2.f32 	[_ZZ3oneILi4EEvPfE4tile], {%f1, %f2};
	.loc	2 70 1, function_name $L__info_string1, inlined_at 2 50 3
	.loc	2 50 3, function_name $L__info_string2, inlined_at 1 5 9
	cp.async.bulk.shared::cluster.global [%r1], [%rd1], 4;
	.loc	3 1 1
	{ // callseq 0, 0
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd1;
	call.uni (retval0),
	vprintf,
	(
	param0
	);
	} // callseq 0
$L__BB0_2:
	.loc	1 6 1
	ret;
}
.visible .entry two(.param .u64 two_param_0)
{
	.loc	1 7 1
	ret;
}
	.file	1 "/somewhere/steps/x/main.cu"
	.file	2 "/usr/include/header.h"
)";

std::string texts(const PtxListing& listing, int line) {
    std::string all;
    const auto found = listing.lines.find(line);
    if (found == listing.lines.end()) return "";
    for (auto& one : found->second) all += std::to_string(one.position) + " " + one.text + "\n";
    return all;
}

// Returns the source lines in an output, keyed by line number. A source line looks like " 12 |
// text".
std::map<int, std::string> source_lines_in(const std::string& output) {
    std::map<int, std::string> found;
    static const std::regex line(R"( *(\d+) \|(?: (.*))?)");
    for (const std::string& text : lines_of(output)) {
        std::smatch match;
        if (std::regex_match(text, match, line)) found[std::stoi(match.str(1))] = match.str(2);
    }
    return found;
}

void check_width(const std::string& output) {
    CHECK(!has(output, "\x1b"));
    for (const std::string& line : lines_of(output)) CHECK_MESSAGE(line.size() <= 80, line);
}

}  // namespace

TEST_CASE("mangled names are shown as they are written in the source") {
    CHECK(find_entries(PTX) == std::vector<std::string>{"_Z3oneILi4EEvPf", "two"});
    CHECK(kernel_name("_Z3oneILi4EEvPf") == "one<4>");
    CHECK(kernel_name("_Z9transposePfPKfii") == "transpose");
    CHECK(kernel_name("two") == "two");
}

TEST_CASE("each instruction is listed at its source line") {
    const PtxListing one = make_listing(PTX, "_Z3oneILi4EEvPf", "steps/x/main.cu", 1);
    CHECK(one.instructions == 8);
    CHECK(texts(one, 2) == "1 ld.param.u64 %rd1, [param_0];\n");
    CHECK(texts(one, 3) == "2 mov.u32 %r1, %tid.x;\n3 @%p1 bra $L__BB0_2;\n");
    // Code that was inlined from the same file must stay at its own line. Code from a header must
    // belong to the line that calls it.
    CHECK(texts(one, 9) == "4 st.shared.v2.f32 [tile], {%f1, %f2};\n");
    CHECK(texts(one, 5) ==
          "5 cp.async.bulk.shared::cluster.global [%r1], [%rd1], 4;\n"
          "6 st.param.b64 [param0+0], %rd1;\n"
          "7 call.uni (retval0), vprintf, ( param0 );\n");
    CHECK(texts(one, 6) == "0 $L__BB0_2:\n8 ret;\n");
    CHECK(texts(make_listing(PTX, "two", "steps/x/main.cu", 1), 7) == "1 ret;\n");
    // If the PTX does not name the source file, all instructions must belong to the line on which
    // the kernel begins.
    const PtxListing unknown = make_listing(PTX, "two", "y.cu", 30);
    CHECK(texts(unknown, 30) == "1 ret;\n");
    CHECK(make_listing(PTX, "three", "steps/x/main.cu", 1).instructions == 0);
}

TEST_CASE("the folder and file names that clang lists separately are joined") {
    std::string ptx = PTX;
    const std::string path = "\"/somewhere/steps/x/main.cu\"";
    ptx.replace(ptx.find(path), path.size(), "\"/somewhere/steps/x\" \"main.cu\"");
    CHECK(texts(make_listing(ptx, "two", "steps/x/main.cu", 1), 7) == "1 ret;\n");
}

TEST_CASE("the listing has source lines in order, marks gaps and fits the terminal") {
    PtxListing listing{3,
                       {{2, {{1, "mov.u32 %r1, %tid.x;"}}},
                        {4, {{2, "@!%p1 bra $L__BB0_2;"}, {3, "ret;"}}},
                        {9, {{0, "$L__BB0_2:"}}}}};
    const std::string source =
        "one\ntwo\nthree\nfour " + std::string(90, 'x') + "\n5\n6\n7\n8\nnine";
    const std::string text = text_of(listing, source, 80);
    check_width(text);
    CHECK(text ==
          "    2 | two\n"
          "            1  mov.u32            %r1, %tid.x;\n"
          "    3 | three\n"
          "    4 | four " +
              std::string(64, 'x') +
              "...\n"
              "            2  @!%p1 bra          $L__BB0_2;\n"
              "            3  ret;\n"
              "  ...\n"
              "    9 | nine\n"
              "           $L__BB0_2:\n");
}

TEST_CASE("for a lesson, ptx prints the kernel's lines and occupancy, or writes them as JSON") {
    ScratchCourse course;
    const std::string file = course.path("ptx.json").string();
    const ProcessResult shown =
        expect(course, {"ptx", "02", "--yes", "--json", file}, 0,
               {"transpose_naive of 02_naive, variant naive", "PTX instructions, by ", "registers",
                " per thread (", "shared memory      0 bytes per block", "8 warps per block",
                "8 blocks, 64 of 64 warps at a time (NVIDIA", "limited by         threads",
                "ld.global", "st.global"});
    check_width(shown.output);
    const std::string source = read_file(COALESCE_REPOSITORY "/steps/02_naive/main.cu");
    const std::vector<std::string> lines = lines_of(source);
    const auto found = source_lines_in(shown.output);
    REQUIRE(found.size() >= 4);
    const int head = coalesce::find_kernel_line(source, "transpose_naive");
    REQUIRE(head > 0);
    int end = head;
    while (lines[static_cast<size_t>(end - 1)] != "}") ++end;
    for (auto& [number, text] : found) {
        CAPTURE(number);
        CHECK(number >= head);
        CHECK(number <= end);
        const std::string& line = lines[static_cast<size_t>(number - 1)];
        CHECK((text == line || text.ends_with("...")));
    }

    const Json kernel = read_json(file).at("kernels").at(0);
    std::vector<int> places;
    bool is_store_seen = false;
    for (auto& line : kernel["lines"]) {
        for (auto& one : line["ptx"]) {
            if (one["place"] > 0) places.push_back(one["place"]);
            if (!has(one["text"], "st.global")) continue;
            is_store_seen = true;
            CHECK(has(line["source"], "out["));
        }
    }
    CHECK(is_store_seen);
    std::ranges::sort(places);
    REQUIRE(!places.empty());
    for (size_t k = 0; k < places.size(); ++k) CHECK(places[k] == static_cast<int>(k) + 1);
    CHECK(kernel["instructions"] == places.size());
    CHECK(kernel["resident_blocks"] == 8);
    CHECK(kernel["registers"] > 5);
}

TEST_CASE(
    "for a variant, ptx shows the kernel that the variant launches, with its dynamic shared "
    "memory") {
    ScratchCourse course;
    expect(course, {"ptx", "10", "--variant", "registers_64"}, 0,
           {"transpose_tall<64, 16> of 10_registers, variant registers_64",
            "shared memory      16384 bytes per block", "bar.sync"});
    expect(course, {"ptx", "10", "--variant", "fastest"}, 2,
           {"10_registers has no variant \"fastest\"; the variants are raw_stay_apart, "
            "registers_128, "});
}

TEST_CASE("ptx shows a lesson's kernel only after its exercise has passed, or with --yes") {
    ScratchCourse course;
    const ProcessResult refused =
        expect(course, {"ptx", "02"}, 1,
               {"02_naive has not passed yet", "Yours: ./learn ptx 02 --mine",
                "Show the solution anyway: ./learn ptx 02 --yes"});
    CHECK(!has(refused.output, "st.global"));
    course.solve("02_naive");
    REQUIRE(course.learn({"check", "02"}).exit_code == 0);
    expect(course, {"ptx", "02"}, 0, {"transpose_naive of 02_naive", "st.global"});
    // Other variants of a lesson are not solutions, so the command shows them without asking.
    expect(course, {"ptx", "01", "--variant", "element"}, 0, {"copy_element of 01_copy"});
}

TEST_CASE("for a learner's file, ptx works even if the kernel cannot be compiled or launched") {
    ScratchCourse course;
    course.solve("02_naive");
    check_width(expect(course, {"ptx", "02", "--mine"}, 0,
                       {"transpose of 02_naive, exercises/02_naive/kernel.cu",
                        "8 blocks, 64 of 64 warps", "out[col * rows + row] ="})
                    .output);
    course.write("mine.cu",
                 "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n   "
                 " out[0] = in[0];\n}\nconstexpr Launch configure(int, int) { return {.grid = {0, "
                 "0}, .block = {0, 0}}; }\n");
    expect(course, {"ptx", "02", "--file", "mine.cu"}, 0,
           {"is unknown", "    2 |     out[0] = in[0];", "st.global"});
    course.write("mine.cu",
                 "__global__ void transpose(float* out, const float* in, int, int) {\n"
                 "    out[0] = nothing;\n}\n");
    expect(course, {"ptx", "02", "--file", "mine.cu"}, 1, {"mine.cu:2", "nothing"});
    expect(course, {"ptx", "02", "--file", "no.cu"}, 2, {"there is no file no.cu"});
}

TEST_CASE("--sass prints machine code, or names the tool that is missing") {
    ScratchCourse course;
    const bool has_tools = !find_program("nvdisasm").empty() || !find_program("cuobjdump").empty();
    if (!has_tools && !fs::exists("/usr/local/cuda/bin/nvdisasm") &&
        !fs::exists("/usr/local/cuda/bin/cuobjdump")) {
        expect(course, {"ptx", "02", "--yes", "--sass"}, 2,
               {"--sass needs nvdisasm or cuobjdump", "CUDA_HOME"});
    }
    // This script replaces nvdisasm, and prints two kernels.
    fs::create_directories(course.path("tools"));
    course.write("tools/nvdisasm",
                 "#!/bin/sh\n"
                 "echo '//--------------------- .text._Z15transpose_naivePfPKfii ------'\n"
                 "echo '  S2R R0, SR_CTAID.X ;'\n"
                 "echo '//--------------------- .text.other ------'\n"
                 "echo '  EXIT ;'\n");
    fs::permissions(course.path("tools/nvdisasm"), fs::perms::owner_all);
    Command command = course.command({"ptx", "02", "--yes", "--sass"});
    command.environment.push_back("PATH=" + course.path("tools").string() + ":" + getenv("PATH"));
    Child child(command);
    REQUIRE(child.wait(120'000));
    CAPTURE(child.outcome().output);
    const bool has_ptxas =
        !find_program("ptxas").empty() || fs::exists("/usr/local/cuda/bin/ptxas");
    CHECK(child.outcome().exit_code == (has_ptxas ? 0 : 2));
    CHECK(has(child.outcome().output, has_ptxas ? "S2R R0" : "--sass needs ptxas"));
    CHECK(!has(child.outcome().output, "EXIT"));
}
