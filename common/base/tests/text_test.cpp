#include <doctest/doctest.h>

#include "base/median.h"
#include "base/text.h"

TEST_CASE("numbers are formatted with as many decimals as they need") {
    CHECK(coalesce::format_short(0) == "0");
    CHECK(coalesce::format_short(100) == "100");
    CHECK(coalesce::format_short(1.5) == "1.5");
    CHECK(coalesce::format_short(4.25) == "4.25");
    CHECK(coalesce::format_short(2.999) == "3");
    CHECK(coalesce::format_short(1e300).size() == 301);
}

TEST_CASE("text is split into lines") {
    using Lines = std::vector<std::string>;
    CHECK(coalesce::lines_of("") == Lines{});
    CHECK(coalesce::lines_of("a\n\nb\n") == Lines{"a", "", "b"});
    CHECK(coalesce::lines_of("a\nb") == Lines{"a", "b"});
}

TEST_CASE("lines are indented by their braces, except for preprocessor directives") {
    CHECK(coalesce::indented(
              "void f() {\nif (a) {\nb;\n} else {\nint c[] = {1, 2};\n}\n#pragma unroll\n\n}\n") ==
          "void f() {\n    if (a) {\n        b;\n    } else {\n        int c[] = {1, 2};\n    "
          "}\n#pragma unroll\n}\n");
    CHECK(coalesce::indented("}\n}\na") == "}\n}\na\n");
}

TEST_CASE("the occurrences of a substring are counted") {
    CHECK(coalesce::occurrences("", "a") == 0);
    CHECK(coalesce::occurrences("a, b, a", "a") == 2);
    CHECK(coalesce::occurrences("a, b, a", "c") == 0);
}

TEST_CASE("the median is computed for odd and even numbers of values") {
    CHECK(coalesce::median({}) == 0);
    CHECK(coalesce::median({3, 1, 2}) == 2);
    CHECK(coalesce::median({4, 1, 100, 2}) == 3);
}

TEST_CASE("escaped text contains no XML markup") {
    CHECK(coalesce::escaped("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d");
    CHECK(coalesce::escaped("&lt;") == "&amp;lt;");
    CHECK(coalesce::escaped("a\rb\tc\n") == "a b\tc\n");
}
