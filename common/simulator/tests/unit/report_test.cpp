// Tests that one report is stored per site, and that reports have the documented formats as text
// and as JSON.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "simulator/profile/json.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/profile/profile_text.h"
#include "simulator/report/progress.h"
#include "simulator/report/reports.h"
#include "simulator/report/text.h"

using coalesce::occurrences;
using namespace coalesce::simulator;

namespace {

Report out_of_bounds(u32 line) {
    Report r;
    r.check = "memcheck";
    r.kind = "out of bounds";
    r.where = {"main.cu", line};
    r.kernel = "transpose_naive<float>";
    r.block = {31, 0, 0};
    r.thread = {5, 7, 0};
    r.address = 0x600000001000;
    r.message =
        "A write of 4 bytes at 0x600000001000, 12 bytes past the end of an allocation of 4096 "
        "bytes "
        "at 0x600000000000.";
    r.cure = "Compare row and col with the shape of the matrix before the access.";
    return r;
}

/// Runs `body`. Returns what it has written to stderr.
template <class Body>
std::string stderr_of(Body body) {
    std::FILE* file = std::tmpfile();
    std::fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    body();
    std::fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    std::string text;
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

std::size_t longest_line(const std::string& text) {
    std::istringstream in(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
    return longest;
}

/// A kernel with a global load on line 10, a global store on line 11, a shared store on line 12,
/// and an asynchronous copy on line 13.
struct SampleKernel {
    Module module;
    ptx::Function function;
    Kernel kernel;

    SampleKernel() {
        module.ast = std::make_unique<ptx::Module>();
        module.ast->files[1] = "sample.cu";
        for (u32 line = 10; line <= 13; ++line) {
            ptx::Instruction instruction;
            instruction.where = {1, line};
            function.body.push_back(instruction);
        }
        kernel.display_name = "sample";
        kernel.ast = &function;
        kernel.module = &module;
        add_site(ptx::StateSpace::global, true, false, 10, {100, 400, 12800, 0, 0, 0, 0});
        add_site(ptx::StateSpace::global, false, true, 11, {100, 3200, 12800, 0, 0, 0, 0});
        add_site(ptx::StateSpace::shared, false, true, 12, {0, 0, 0, 0, 50, 1600, 50});
        add_site(ptx::StateSpace::global, true, true, 13, {7, 28, 896, 0, 7, 8, 7});
        kernel.totals.launches = 2;
        kernel.totals.grid = {32, 32, 1};
        kernel.totals.block = {32, 8, 1};
        kernel.totals.warp_instructions = 1000;
        kernel.totals.thread_instructions = 31000;
        kernel.totals.branches = 20;
        kernel.totals.divergent_branches = 3;
        kernel.totals.instructions_by_line = {{{1, 10}, 400}, {{1, 11}, 600}};
    }

    void add_site(ptx::StateSpace space, bool load, bool store, u32 line, SiteCounters counters) {
        Site site;
        site.space = space;
        site.is_load = load;
        site.is_store = store;
        site.where = {1, line};
        kernel.sites.push_back(site);
        kernel.totals.sites.push_back(counters);
    }
};

const LineRow& line_of(const KernelRow& row, u32 line) {
    const auto found = std::find_if(row.lines.begin(), row.lines.end(),
                                    [&](const LineRow& l) { return l.place.line == line; });
    REQUIRE(found != row.lines.end());
    return *found;
}

}  // namespace

TEST_CASE("repeated reports of a site are stored as one report with a count") {
    Reports reports;
    Report later = out_of_bounds(12);
    later.block = {40, 0, 0};
    later.count = 3;
    reports.add(later);
    reports.add(out_of_bounds(12));
    reports.add(out_of_bounds(13));
    REQUIRE(reports.all().size() == 2);
    CHECK(reports.all()[0].count == 4);
    CHECK(reports.all()[0].block == Dim3{31, 0, 0});  // reported for the lower of the two blocks
    CHECK(reports.total_count() == 5);
    reports.clear();
    CHECK(reports.all().empty());
    CHECK(reports.total_count() == 0);
}

TEST_CASE("a report's count has a maximum, and the report always names the lowest thread") {
    Reports reports;
    Report many = out_of_bounds(12);
    many.count = kMaxReportCount - 1;
    reports.add(many);
    CHECK(reports.all()[0].count == kMaxReportCount - 1);
    Report first = out_of_bounds(12);
    first.block = {0, 0, 0};
    first.count = 500;
    reports.add(first);
    CHECK(reports.all()[0].count == kMaxReportCount);
    CHECK(reports.all()[0].block == Dim3{0, 0, 0});
    many.count = 2 * kMaxReportCount;
    many.where.line = 13;
    reports.add(many);
    CHECK(reports.all()[1].count == kMaxReportCount);
}

TEST_CASE("reports are distinct if their check, kind, kernel or position differs") {
    Reports reports;
    const Report first = out_of_bounds(12);
    reports.add(first);
    Report r = first;
    r.check = "initcheck";
    reports.add(r);
    r = first;
    r.kind = "misaligned";
    reports.add(r);
    r = first;
    r.kernel = "other";
    reports.add(r);
    r = first;
    r.where.file = "other.cu";
    reports.add(r);
    r = first;
    r.other = {"main.cu", 5};
    reports.add(r);
    r = first;
    r.message = "another text";
    r.address = 1;
    reports.add(r);
    CHECK(reports.all().size() == 6);
}

TEST_CASE("leaks have no site, and are distinguished by address") {
    Reports reports;
    for (u64 address : {100, 200, 100}) {
        Report leak;
        leak.check = "leakcheck";
        leak.kind = "leak";
        leak.address = address;
        reports.add(leak);
    }
    CHECK(reports.all().size() == 2);
}

TEST_CASE("several threads may add reports at the same time") {
    Reports reports;
    std::vector<std::thread> threads;
    for (u32 t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (u32 i = 0; i < 1000; ++i) reports.add(out_of_bounds(1 + i % 10));
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(reports.all().size() == 10);
    CHECK(reports.total_count() == 4000);
}

TEST_CASE("only the first report of a site is printed") {
    const std::string text = stderr_of([] {
        Reports reports;
        reports.add(out_of_bounds(11));
        reports.print_immediately(true);
        reports.add(out_of_bounds(11));
        reports.add(out_of_bounds(12));
        reports.add(out_of_bounds(12));
    });
    CHECK(occurrences(text, "coalesce: memcheck: out of bounds in transpose_naive<float>\n") == 1);
    CHECK(occurrences(text, "at main.cu:12") == 1);
    CHECK(longest_line(text) <= 80);
    CHECK(occurrences(text, "\n") == occurrences(text, "coalesce: "));  // every line has the prefix
}

TEST_CASE("if there are too many reports, a sentence states that the remaining ones are omitted") {
    const std::string text = stderr_of([] {
        Reports reports;
        reports.print_immediately(true);
        for (u32 line = 1; line <= 250; ++line) reports.add(out_of_bounds(line));
        CHECK(reports.all().size() == 250);
    });
    CHECK(occurrences(text, "memcheck: out of bounds") == 100);
    CHECK(occurrences(text, "further reports are only counted") == 1);
    CHECK(longest_line(text) <= 80);
}

TEST_CASE("the text of a report contains the position, both threads, the mistake and advice") {
    Report r = out_of_bounds(24);
    r.other = {"main.cu", 20};
    r.other_thread = {6, 7, 0};
    const std::string text = to_text(r);
    for (const char* part : {"memcheck: out of bounds in transpose_naive<float>", "at main.cu:24",
                             "block (31,0,0), thread (5,7,0)", "12 bytes past the end",
                             "other access: main.cu:20, block (0,0,0), thread (6,7,0)", "cure: "}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    r.where = {};
    CHECK(to_text(r).find("-lineinfo") != std::string::npos);
}

TEST_CASE("a message may consist of several lines") {
    Report r = out_of_bounds(24);
    r.message = "2 blocks wait:\n\nwarp 0: spin\nwarp 1: a barrier\n";
    CHECK(to_text(r).find("\n  2 blocks wait:\n  warp 0: spin\n  warp 1: a barrier\n  cure:") !=
          std::string::npos);
}

TEST_CASE("numbers, text and positions are formatted for reports") {
    CHECK(format_with_commas(0) == "0");
    CHECK(format_with_commas(999) == "999");
    CHECK(format_with_commas(1048576) == "1,048,576");
    CHECK(format_ratio(1048576, 32768) == "32.0");
    CHECK(format_ratio(1, 0) == "-");
    CHECK(wrap("aa bb cc", 5, "", "") == "aa bb\ncc");
    CHECK(wrap("aa bb cc", 6, "> ", "| ") == "> aa\n| bb\n| cc");
    CHECK(wrap("a_long_word b", 4, "", "") == "a_long_word\nb");
    CHECK(prefix_lines("p: ", "a\nb") == "p: a\np: b\n");
    const std::string here = std::filesystem::current_path().string();
    CHECK(format_place(here + "/steps/main.cu", 7) == "steps/main.cu:7");
    CHECK(format_place(here + "_other/main.cu", 7) == here + "_other/main.cu:7");
    CHECK(format_place("main.cu", 0) == "");
    CHECK(format_shape({32, 8, 1}) == "32x8");
    CHECK(format_shape({32, 1, 1}) == "32");
    CHECK(format_shape({4, 1, 2}) == "4x1x2");
    CHECK(format_index({1, 2, 3}) == "(1,2,3)");
}

TEST_CASE("for each kind of access, the counters of all sites are added up") {
    const SampleKernel sample;
    const auto rows = make_kernel_table({&sample.kernel});
    REQUIRE(rows.size() == 1);
    const Counters& c = rows[0].counters;
    CHECK(c.load_requests == 107);  // includes the asynchronous copy's load
    CHECK(c.load_sectors == 428);
    CHECK(c.load_useful_bytes == 13696);
    CHECK(c.store_requests == 100);
    CHECK(c.store_sectors == 3200);
    CHECK(c.shared_store_requests == 57);  // includes the asynchronous copy's store
    CHECK(c.shared_store_wavefronts == 1608);
    CHECK(c.shared_store_ideal == 57);
    CHECK(c.shared_load_requests == 0);
    CHECK(c.warp_instructions == 1000);
    CHECK(c.divergent_branches == 3);

    CHECK(line_of(rows[0], 10).counters.load_requests == 100);
    CHECK(line_of(rows[0], 10).counters.warp_instructions == 400);
    CHECK(line_of(rows[0], 12).counters.shared_store_wavefronts == 1600);
    CHECK(line_of(rows[0], 10).place.file == "sample.cu");
}

TEST_CASE(
    "a kernel in two modules has one row in the table, and a kernel that never ran has no row") {
    const SampleKernel a, b;
    SampleKernel idle;
    idle.kernel.display_name = "idle";
    idle.kernel.totals.launches = 0;
    const auto rows = make_kernel_table({&a.kernel, &idle.kernel, &b.kernel});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].launches == 4);
    CHECK(rows[0].counters.store_sectors == 6400);
    CHECK(line_of(rows[0], 11).counters.store_sectors == 6400);
}

TEST_CASE("atomics have separate counters, and accesses to local memory are not counted") {
    SampleKernel sample;
    sample.add_site(ptx::StateSpace::generic, true, true, 14, {3, 5, 384, 0, 2, 9, 2});
    sample.kernel.sites.back().is_atomic = true;
    sample.add_site(ptx::StateSpace::local, true, false, 15, {1000, 1000, 1000, 0, 0, 0, 0});
    const auto rows = make_kernel_table({&sample.kernel});
    CHECK(rows[0].counters.atomic_requests == 3);
    CHECK(rows[0].counters.atomic_sectors == 5);
    CHECK(rows[0].counters.shared_atomic_wavefronts == 9);
    CHECK(rows[0].counters.load_requests == 107);  // excludes local memory
}

TEST_CASE("the JSON has the documented keys") {
    const SampleKernel sample;
    Report race = out_of_bounds(24);
    race.other = {"other.cu", 7};
    const auto json = nlohmann::json::parse(
        to_json("a device", make_kernel_table({&sample.kernel}), {race, out_of_bounds(3)}));
    CHECK(json.at("device") == "a device");
    const auto& kernel = json.at("kernels").at(0);
    CHECK(kernel.at("name") == "sample");
    CHECK(kernel.at("launches") == 2);
    CHECK(kernel.at("grid") == nlohmann::json::array({32, 32, 1}));
    CHECK(kernel.at("block") == nlohmann::json::array({32, 8, 1}));
    CHECK(kernel.at("load_sectors") == 428);
    CHECK(kernel.at("shared_load_ideal") == 0);
    CHECK(kernel.at("warp_instructions") == 1000);
    const auto& line = kernel.at("lines").at(1);
    CHECK(line.at("file") == "sample.cu");
    CHECK(line.at("line") == 11);
    CHECK(line.at("store_sectors") == 3200);
    CHECK(line.at("warp_instructions") == 600);

    const auto& first = json.at("reports").at(0);  // the reports are in line order
    CHECK(first.at("line") == 3);
    const auto& second = json.at("reports").at(1);
    CHECK(second.at("check") == "memcheck");
    CHECK(second.at("kind") == "out of bounds");
    CHECK(second.at("file") == "main.cu");
    CHECK(second.at("kernel") == "transpose_naive<float>");
    CHECK(second.at("thread") == nlohmann::json::array({5, 7, 0}));
    CHECK(second.at("address") == "0x600000001000");
    CHECK(second.at("count") == 1);
    CHECK(second.at("other_file") == "other.cu");
    CHECK(second.at("other_line") == 7);
    CHECK(second.contains("message"));
    CHECK(second.contains("cure"));
}

TEST_CASE("the JSON contains no instruction counts of lines if instructions were not counted") {
    SampleKernel sample;
    sample.kernel.totals.instructions_by_line.clear();
    const auto json = nlohmann::json::parse(to_json("d", make_kernel_table({&sample.kernel}), {}));
    CHECK_FALSE(json["kernels"][0]["lines"][0].contains("warp_instructions"));
}

TEST_CASE("a stopped launch is mentioned but not counted") {
    SampleKernel sample;
    sample.kernel.totals.failed_launches = 1;
    const auto rows = make_kernel_table({&sample.kernel});
    const auto json = nlohmann::json::parse(to_json("d", rows, {}));
    CHECK(json["kernels"][0]["launches"] == 2);
    CHECK(json["kernels"][0]["stopped"] == 1);
    const std::string text = profile_text("d", rows, false);
    CHECK(text.find("sample: 3 launches") != std::string::npos);
    CHECK(text.find("  one launch was stopped by an error and not counted\n") != text.npos);

    // A kernel that has never finished has no counters. The table must not show zeros for it.
    sample.kernel.totals.launches = 0;
    const auto alone = make_kernel_table({&sample.kernel});
    REQUIRE(alone.size() == 1);
    const auto bare = nlohmann::json::parse(to_json("d", alone, {}));
    CHECK(bare["kernels"][0]["stopped"] == 1);
    CHECK_FALSE(bare["kernels"][0].contains("load_requests"));
    const std::string alone_text = profile_text("d", alone, false);
    CHECK(alone_text.find("  the launch was stopped by an error and not counted\n") !=
          alone_text.npos);
    CHECK(alone_text.find("global loads") == alone_text.npos);
}

TEST_CASE(
    "reports about host calls are distinguished by their message, and their number is limited") {
    reports().clear();
    reports().print_immediately(false);
    Report call;
    call.check = "apicheck";
    call.kind = "cudaErrorInvalidValue from a launch";
    call.kernel = "sample";
    call.message = "Too many threads.";
    const std::string text = to_text(call);
    CHECK(text.find("apicheck: cudaErrorInvalidValue from a launch of sample") == 0);
    CHECK(text.find("thread (0,0,0)") == text.npos);
    reports().add(call);
    reports().add(call);
    call.message = "Too much shared memory.";
    reports().add(call);
    CHECK(reports().all().size() == 2);
    CHECK(reports().all()[0].count == 2);
    for (int i = 0; i < 2000; ++i) {
        call.message = std::to_string(i);
        reports().add(call);
    }
    CHECK(reports().all().size() == 1000);
    CHECK(reports().total_count() == 2003);
    // The instructions of a kernel limit the number of its reports.
    reports().add(out_of_bounds(3));
    CHECK(reports().all().size() == 1001);
    reports().clear();
}

TEST_CASE("the JSON is valid even if a file name is not UTF-8") {
    Report r = out_of_bounds(1);
    r.where.file = "m\xffin.cu";
    CHECK(nlohmann::json::accept(to_json("d", {}, {r})));
}

TEST_CASE("the table has a row for each kernel") {
    const SampleKernel sample;
    const auto rows = make_kernel_table({&sample.kernel});
    const std::string text = profile_text("a device", rows, false);
    CHECK(longest_line(text) <= 80);
    CHECK(text.find("sample: 2 launches, grid 32x32, block 32x8") != std::string::npos);
    CHECK(text.find(
              "global stores               100            3,200     32.0    4.0          12 %") !=
          std::string::npos);
    CHECK(text.find(
              "shared stores                57            1,608     28.2    1.0         1,551") !=
          std::string::npos);
    CHECK(text.find("3 of 20 branches divergent") != std::string::npos);
    CHECK(text.find('\033') == std::string::npos);
    CHECK(profile_text("a device", rows, true).find('\033') != std::string::npos);
    CHECK(profile_text("a device", {}, false).find("no kernel was launched") != std::string::npos);
}

TEST_CASE("annotated source shows the lines around memory accesses") {
    const SampleKernel sample;
    const auto rows = make_kernel_table({&sample.kernel});
    std::vector<std::string> source;
    for (int i = 1; i <= 40; ++i) source.push_back("text of line " + std::to_string(i) + ".");
    source[10] = "out[col * rows + row] = in[row * cols + col];  // " + std::string(60, 'x');
    const std::string text = annotated_text(
        rows, [&](const std::string&) { return std::optional(source); }, false);
    CHECK(text.find("   10 | text of line 10.\n"
                    "        ^ global loads: 100 x 4.0 sectors (ideal 4.0), 100 % of the bytes "
                    "useful\n") != std::string::npos);
    CHECK(text.find("text of line 8.") != std::string::npos);
    CHECK(text.find("text of line 7.") == std::string::npos);
    CHECK(text.find("text of line 15.") != std::string::npos);
    CHECK(text.find("text of line 16.") == std::string::npos);
    CHECK(longest_line(text) <= 80);

    const std::string bare = annotated_text(
        rows, [](const std::string&) { return std::nullopt; }, false);
    CHECK(bare.find("source cannot be read") != std::string::npos);
    CHECK(bare.find("^ global stores: 100 x 32.0 sectors") != std::string::npos);
}

TEST_CASE("the progress line shows the finished blocks and the remaining time") {
    CHECK(format_progress_line("scan", 1024, 4096, 10, 79) ==
          "scan: 25 % of 4,096 blocks, about 30 s to go");
    CHECK(format_progress_line("scan", 0, 4096, 10, 79) == "scan: 0 % of 4,096 blocks");
    CHECK(format_progress_line("scan", 1, 2, 600, 79) ==
          "scan: 50 % of 2 blocks, about 10 min to go");
    CHECK(format_progress_line("scan", 1, 2, 72000, 79) ==
          "scan: 50 % of 2 blocks, about 20 h to go");
    const std::string cut = format_progress_line(std::string(200, 'k'), 1, 1'000'000'000, 1, 79);
    CHECK(cut.size() == 79);
    CHECK(cut.find("kkk...: 0 % of 1,000,000,000 blocks, about 277,778 h to go") != cut.npos);
}

TEST_CASE("launches that were counted but not checked are mentioned") {
    KernelRow row;
    row.name = "scan";
    row.launches = 3;
    CHECK(to_json("device", {row}, {}, nullptr).find("only_counted") == std::string::npos);
    row.unchecked_launches = 2;
    CHECK(nlohmann::json::parse(
              to_json("device", {row}, {}, nullptr))["kernels"][0]["only_counted"] == 2);
}
