// Tests searches in PTX text.
#include "examiner/ptx_text.h"

#include <doctest/doctest.h>

using coalesce::calls_function, coalesce::ptx_code;

TEST_CASE("comments and strings of PTX are removed") {
    CHECK(ptx_code("a // .extern .shared\nb") == "a \nb");
    CHECK(ptx_code("a /* // */ b /* no end") == "a   b  ");
    CHECK(ptx_code(".pragma \"// call vprintf\"; c // d") == ".pragma \"\"; c ");
    CHECK(ptx_code("\"no end") == "\"\"");
}

TEST_CASE("a function is called only if it is the operand of a call instruction") {
    CHECK(calls_function("{\ncall.uni (r),\nvprintf,\n(a, b);\n}", "vprintf"));
    CHECK(!calls_function(".extern .func (.param .b32 r) vprintf(.param .b64 a);", "vprintf"));
    CHECK(!calls_function("call.uni (r), my_vprintf, (a);", "vprintf"));
    CHECK(!calls_function("call.uni (r), vprintf_of, (a);", "vprintf"));
    CHECK(!calls_function("call f; mov.u32 a, vprintf;", "vprintf"));
    CHECK(!calls_function("vprintf", "vprintf"));
}
