#include "timing/figures.h"

#include <doctest/doctest.h>

#include <limits>

using namespace coalesce::timing;

TEST_CASE("times have two significant digits, or three if the first is a 1") {
    CHECK(time_text(4.602) == "4.6 ms");
    CHECK(time_text(1.0567) == "1.06 ms");
    CHECK(time_text(18.145) == "18.1 ms");
    CHECK(time_text(0.0123) == "12.3 us");
    CHECK(time_text(0.099) == "99 us");
    CHECK(time_text(347) == "350 ms");
    CHECK(time_text(2345) == "2.3 s");
}

TEST_CASE("bytes per multiprocessor use units of 1024") {
    CHECK(bytes_text(128) == "128 bytes");
    CHECK(bytes_text(8192) == "8 KB");
    CHECK(bytes_text(3.4 * 1024) == "3.4 KB");
    CHECK(bytes_text(16.4 * 1024) == "16 KB");
    CHECK(bytes_text(1001) == "0.98 KB");
    CHECK(bytes_text(111.4 * 1024) == "111 KB");
}

TEST_CASE("bytes of device memory use units of 1000") {
    CHECK(traffic_text(8.59e9) == "8.6 GB");
    CHECK(traffic_text(38.7e9) == "39 GB");
    CHECK(traffic_text(4.19e6) == "4.2 MB");
    CHECK(traffic_text(96) == "96 bytes");
}

TEST_CASE("numbers of cycles are rounded if they are 100 or more") {
    CHECK(number_text(14.4) == "14");
    CHECK(number_text(347) == "350");
    CHECK(number_text(2368) == "2370");
    CHECK(number_text(12345) == "12300");
}

TEST_CASE("ratios and percentages are rounded") {
    CHECK(ratio_text(1.874) == "1.9");
    CHECK(ratio_text(1.0567) == "1.06");
    CHECK(ratio_text(24.2) == "24");
    CHECK(percent_text(0.4263) == "43 %");
}

TEST_CASE("values that would be printed as zero are recognized") {
    CHECK(is_nonzero_fraction(0.005));
    CHECK_FALSE(is_nonzero_fraction(0.0049));
    CHECK(is_nonzero_count(1));
    CHECK_FALSE(is_nonzero_count(0.9));
    for (const double nothing : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
        CHECK_FALSE(is_nonzero_fraction(nothing));
        CHECK_FALSE(is_nonzero_count(nothing));
    }
}
