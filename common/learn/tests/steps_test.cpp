// Tests `learn step`: how the steps are read, the state after each step, the screen, and the keys.

#include <doctest/doctest.h>

#include <sys/wait.h>

#include "base/text.h"
#include "expect.h"
#include "learn/steps_view.h"
#include "learn/stops.h"
#include "terminal.h"

using coalesce::lines_of;
using coalesce::ProcessResult;
using namespace coalesce::learn;

namespace {

// The steps of two warps. Both warps store to shared memory, and then the first warp loads the
// value that the second warp stored.
const std::string JSON = R"({"version":1,"kernel":"k","grid":[1,1,1],"block":[64,1,1],
"block_index":[0,0,0],"has_variables":true,"is_complete":true,"files":["k.cu"],"functions":["k"],
"ptx":[["st.shared.b32 [tile], 1"]],
"variables":[{"name":"i","function":0,"type":"int","kind":"int","bytes":4,"lines":[2,5]},
             {"name":"x","function":0,"type":"float","kind":"float","bytes":4,"lines":[4,5]}],
"arrays":[{"name":"tile","space":"shared","address":"0","size":256,"type":"float","kind":"float",
           "bytes":4,"extents":[8,8]}],
"steps":[
 {"warp":0,"function":0,"file":0,"line":2,"active":3,"ptx":[0,1],"set":[[0,3,7,8]]},
 {"warp":0,"function":0,"file":0,"line":3,"active":1,"ptx":[0,1],
  "waiting":[{"lanes":2,"why":"other path","line":4}],
  "accesses":[{"kind":"store","array":0,"lanes":1,"bytes":4,"wavefronts":1,"ideal":1,
               "offsets":[0],"values":[7]}],
  "barriers":[{"barrier":0,"arrived":32,"expected":64,"complete":false}]},
 {"warp":1,"function":0,"file":0,"line":3,"active":1,"ptx":[0,1],"set":[[0,1,39]],
  "accesses":[{"kind":"store","array":0,"lanes":1,"bytes":4,"wavefronts":1,"ideal":1,
               "offsets":[36],"values":[39]}]},
 {"warp":0,"function":0,"file":0,"line":4,"active":1,"ptx":[0,1],"set":[[1,1,39],[0,1,9]],
  "accesses":[{"kind":"load","array":0,"lanes":1,"bytes":4,"wavefronts":2,"ideal":1,
               "offsets":[36],"values":[39]}]}],
"moments":[{"step":3,"check":"racecheck","kind":"read after write","line":4,"thread":0,
            "message":"Reads what another thread has written."}]})";

const SteppedProgram SUBJECT{
    "k.cu",
    {"void k() {", "  int i = 7;", "  tile[i] = i;", "  float x = tile[9];", "}"},
    "1 x 64",
    ""};

void write_text(const ScratchCourse& course, const std::string& text) {
    course.write("exercises/03_tiled/kernel.cu", text);
}

}  // namespace

TEST_CASE("lanes are named as ranges, and array elements by their indices") {
    CHECK(name_lanes(~0u) == "lanes 0-31");
    CHECK(name_lanes(1u << 5) == "lane 5");
    CHECK(name_lanes(0x10f) == "lanes 0-3, 8");
    const StepArray array{"tile", true, 4, {8, 8}};
    CHECK(array.element_name(36) == "tile[1][1]");
    CHECK(array.element_name(-4) == "tile[-1]");
    CHECK(StepArray{"out", false, 4, {}}.element_name(40) == "out[10]");
}

TEST_CASE("the state after a step combines all changes by the step's warp up to this step") {
    const Steps steps = read_steps(JSON);
    const WarpState first = steps.state_after(1), second = steps.state_after(2),
                    last = steps.state_after(3);
    CHECK(first.variables.at(0)[0] == "7");
    CHECK(first.variables.at(0)[1] == "8");
    CHECK(first.changed.empty());
    CHECK(second.variables.at(0)[0] == "39");
    CHECK(second.variables.at(0)[1].empty());
    CHECK(last.variables.at(0)[0] == "9");
    CHECK(last.changed.at(0) == 1);
    // Going back one step restores the earlier value.
    CHECK(steps.state_after(1).variables.at(0)[0] == "7");
}

TEST_CASE("the thread that was the last to write an element is reported") {
    const Steps steps = read_steps(JSON);
    const auto writer = steps.writer_before(3, 0, 36);
    REQUIRE(writer);
    CHECK(writer->step == 2);
    CHECK(writer->warp == 1);
    CHECK(writer->value == "39");
    CHECK_FALSE(steps.writer_before(2, 0, 36));
}

TEST_CASE("a step is shown with all of its accesses and changes") {
    const Steps steps = read_steps(JSON);
    const std::string screen = show_step(steps, SUBJECT, 3, {}, {});
    for (const char* words :
         {"step 4 of 4", "warp 0", ">   4    float x = tile[9];", "*x ", "39",
          "2 wavefronts where 1 would be enough", "0:tile[1][1]=39",
          "was last written by thread (32,0) in step 3, line 3", "read after write"})
        CHECK_MESSAGE(screen.find(words) != std::string::npos, words << "\n" << screen);
    const std::string before = show_step(steps, SUBJECT, 1, {}, {});
    CHECK(before.find("32 of 64 threads have arrived") != std::string::npos);
    CHECK(before.find("lane 1 wait") != std::string::npos);
    CHECK(before.find("\n x ") == std::string::npos);  // x is not in scope yet
}

TEST_CASE("stops are lines, conditions, or both") {
    const Steps steps = read_steps(JSON);
    using Indices = std::vector<std::size_t>;
    const auto stops = [&](const char* text) { return find_stops(steps, parse_stops(text)); };
    CHECK(stops("3") == Indices{1, 2});
    CHECK(stops("2; 4") == Indices{0, 3});
    CHECK(stops("4:") == Indices{3});
    CHECK(stops("3: i == 39") == Indices{2});
    CHECK(stops("3: i == 7, 3: warp == 1 && lane == 0") == Indices{1, 2});
    // A condition without a line stops where it becomes true in a lane.
    CHECK(stops("i >= 7") == Indices{0, 2});
    CHECK(stops("i == 9") == Indices{3});
    CHECK(stops("x != 0") == Indices{3});  // x has no value before
    CHECK(stops("waiting > 0") == Indices{1});
    CHECK(stops("arrived > 0") == Indices{1});
    CHECK(stops("wavefronts > 1") == Indices{3});
    CHECK(stops("wavefronts == 1") == Indices{1, 2});
    CHECK(stops("sectors > 0").empty());
    CHECK(stops("thread == 32") == Indices{2});
    CHECK(stops("").empty());
    CHECK_THROWS_WITH(stops("j == 5"), "the kernel has no variable j");
    for (const char* text : {"row = 5", "12: ==", "i == 5 &&&& i == 6", "twelve", "i =="})
        CHECK_THROWS_MESSAGE(parse_stops(text), text);
}

TEST_CASE("a variable has no value after a step that unsets it") {
    std::string json = JSON;
    json.replace(json.find("\"set\":[[1,1,39],[0,1,9]]"), 24, "\"set\":[[0,1,null]]");
    const Steps steps = read_steps(json);
    const WarpState last = steps.state_after(3);
    CHECK(last.variables.at(0)[0].empty());
    CHECK(last.variables.at(0)[1] == "8");
    CHECK_FALSE(last.changed.contains(0));
    CHECK(describe_step(steps, SUBJECT, 3).find("i =") == std::string::npos);
}

TEST_CASE("a screen never has more lines or columns than the terminal") {
    const Steps steps = read_steps(JSON);
    for (const int columns : {40, 80, 120}) {
        for (const int lines : {12, 23, 40}) {
            const std::string screen =
                show_step(steps, SUBJECT, 3, {.lines = lines, .columns = columns}, {});
            CHECK(lines_of(screen).size() <= static_cast<std::size_t>(lines));
            for (const std::string& line : lines_of(screen))
                CHECK(line.size() <= static_cast<std::size_t>(columns));
        }
    }
}

TEST_CASE("text that is not a trace is refused") {
    CHECK_THROWS(read_steps("{}"));
    CHECK_THROWS(read_steps("steps"));
    std::string newer = JSON;
    newer.replace(newer.find("\"version\":1"), 11, "\"version\":9");
    CHECK_THROWS(read_steps(newer));
}

TEST_CASE("without a terminal, all steps are printed") {
    const ScratchCourse course;
    write_text(course, ScratchCourse::solution("03_tiled"));
    const ProcessResult out =
        expect(course, {"step", "03", "--plain"}, 0,
               {"step 1  warp 0  lanes 0-31", "of 1024 threads have arrived"});
    CHECK(has(out.output, "store to tile"));
    const ProcessResult some = expect(course, {"step", "03", "--plain", "--stop", "arrived > 0"}, 0,
                                      {"of 1024 threads have arrived"});
    CHECK_FALSE(has(some.output, "store to tile"));
    expect(course, {"step", "03", "--stop", "row = 5"}, 2, {"--stop: write a line"});
    expect(course, {"step", "03", "--plain", "--stop", "999"}, 1, {"No step of this block stops"});
    expect(course, {"step", "03", "--rows", "-1"}, 2, {"from 1 to 1024"});
    expect(course, {"step", "00"}, 2, {"simulate --trace"});
    expect(course, {"step", "03", "--block", "99999"}, 1, {"the grid has only"});
    write_text(course, "nonsense");
    expect(course, {"step", "03"}, 1, {"Again: ./learn step 03"});
}

TEST_CASE("after a failed check, the command that steps to the mistake is suggested") {
    const ScratchCourse course;
    write_text(course, ScratchCourse::solution_with("03_tiled", "__syncthreads();", ""));
    expect(course, {"check", "03"}, 1, {"Step through the mistake: ./learn step 03"});
    const ProcessResult out = expect(course, {"step", "03", "--plain"}, 0, {"tile"});
    CHECK(has(out.output, "    read after write"));
}

TEST_CASE("keys move forwards and backwards through the same screens") {
    const ScratchCourse course;
    write_text(course, ScratchCourse::solution("03_tiled"));
    PseudoTerminal terminal(course.command({"step", "03"}));
    REQUIRE(terminal.shows("step 1 of"));
    REQUIRE(terminal.shows("q"));
    terminal.type("\033[C");
    REQUIRE(terminal.shows("step 2 of"));
    terminal.type("\033[C");
    REQUIRE(terminal.shows("step 3 of"));
    REQUIRE(terminal.shows("[ ] lanes"));
    const auto third = terminal.lines();
    terminal.type("b");
    REQUIRE(terminal.shows("threads have arrived"));
    REQUIRE(terminal.shows("[ ] lanes"));
    terminal.type("\033[H");
    REQUIRE(terminal.shows("step 1 of"));
    terminal.type("  ");
    REQUIRE(terminal.shows("step 3 of"));
    REQUIRE(terminal.shows("[ ] lanes"));
    CHECK(terminal.lines() == third);
    terminal.type("gwarp == 2");
    REQUIRE(terminal.shows("stop at: warp == 2"));
    terminal.type("\r");
    REQUIRE(terminal.shows("warp 2  lanes"));
    REQUIRE(terminal.shows("[ ] lanes"));
    terminal.type("N");
    REQUIRE(terminal.shows("there is no earlier stop"));
    terminal.type("gnone > 5\r");
    REQUIRE(terminal.shows("the kernel has no variable none"));
    terminal.type("q");
    CHECK(terminal.status() == 0);
    CHECK(terminal.is_as_usual());
}
