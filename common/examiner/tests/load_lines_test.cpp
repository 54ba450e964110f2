// Tests the handling of loads that a compiler attributes to the line of a later store.
#include "examiner/load_lines.h"

#include <doctest/doctest.h>

#include <string>

using namespace coalesce;

namespace {

const std::string copy_of_a_vector =
    "{\n"
    "    float4 v = tile[threadIdx.x];\n"
    "    reinterpret_cast<float4&>(out[col * rows + row]) = v;\n"
    "}\n";

}  // namespace

TEST_CASE(
    "a load is attributed to the line that sets the variable, not to the line that stores it") {
    CHECK(find_load_line(copy_of_a_vector, 3) == 2);
    CHECK(find_load_line(copy_of_a_vector, 2) == 2);
    CHECK(find_load_line("v = in[i];\n// v\n\nout[j] = v;\n", 4) == 1);
}

TEST_CASE("a load is not attributed to another line unless the stored variable was loaded there") {
    // The second line of each text is not attributed to another line: it loads a value itself, or
    // it stores a value that was computed or was set component by component.
    for (const std::string text :
         {"float v = in[i];\nout[j] = in[i];\n", "float v = in[i];\nout[j] = v + in[k];\n",
          "float v = in[i];\nfloat w = v;\n", "v.w = tile[i];\nout[j] = v;\n",
          "float v = n;\nout[j] = v;\n", "\nout[j] = v;\n"}) {
        CAPTURE(text);
        CHECK(find_load_line(text, 2) == 2);
    }
    CHECK(find_load_line(copy_of_a_vector, 0) == 0);
    CHECK(find_load_line(copy_of_a_vector, 99) == 99);
}

TEST_CASE("a load's costs are moved to the line to which the load is attributed") {
    Trial trial;
    trial.accesses.resize(2);
    trial.accesses[0].line = trial.accesses[1].line = 3;
    trial.accesses[1].is_store = true;
    trial.lines = {{3, {}}};
    trial.lines[0].counters.shared_load_requests = 5;
    trial.lines[0].counters.store_requests = 7;
    correct_load_lines(copy_of_a_vector, trial);
    CHECK(trial.accesses[0].line == 2);
    CHECK(trial.accesses[1].line == 3);
    REQUIRE(trial.lines.size() == 2);
    CHECK(trial.lines[0].line == 2);
    CHECK(trial.lines[0].counters.shared_load_requests == 5);
    CHECK(trial.lines[0].counters.store_requests == 0);
    CHECK(trial.lines[1].line == 3);
    CHECK(trial.lines[1].counters.shared_load_requests == 0);
    CHECK(trial.lines[1].counters.store_requests == 7);
}
