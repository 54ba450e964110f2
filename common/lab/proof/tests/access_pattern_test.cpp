#include <doctest/doctest.h>

#include <map>
#include <set>

#include "lab/proof/validate/access_pattern.h"
#include "lab/proof/validate/matrix_pattern.h"

using namespace coalesce::proof;

TEST_CASE("equal seeds give equal access patterns, and different seeds give different ones") {
    const auto one = random_patterns(240, 1), again = random_patterns(240, 1);
    const auto other = random_patterns(240, 2);
    REQUIRE(one.size() == 240);
    int same = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].text() == again[i].text());
        same += one[i].text() == other[i].text();
    }
    CHECK(same < 5);
    // A longer list starts with the elements of the shorter one.
    CHECK(random_patterns(10, 1)[9].text() == one[9].text());
}

TEST_CASE("random access patterns differ in many properties") {
    std::set<std::string> texts;
    std::map<int, int> sizes;
    int shared = 0, masked = 0, ragged = 0;
    for (const AccessPattern& pattern : random_patterns(240, 1)) {
        texts.insert(pattern.text());
        ++sizes[pattern.element_bytes];
        shared += pattern.uses_shared_memory;
        masked += pattern.load.lane_mask != 0xffffffff;
        ragged += pattern.block_x * pattern.block_y % 32 != 0;
    }
    CHECK(texts.size() >= 235);
    CHECK(sizes.size() == 5);
    for (const auto& [size, count] : sizes) CHECK(count == 48);
    CHECK(shared >= 100);
    CHECK(shared <= 200);
    CHECK(masked >= 40);
    CHECK(ragged >= 40);
}

TEST_CASE("an access pattern is described by its addresses and its lanes") {
    AccessFormula access{
        .thread_x_stride = 3, .thread_y_stride = -33, .offset = 7, .lane_mask = 0xffff};
    CHECK(access.text() == "3x-33y+7, lanes 0000ffff");
    CHECK(AccessFormula{.thread_x_stride = 0}.text() == "0");
}

TEST_CASE("equal seeds give equal matrix patterns, which include every kind") {
    const auto one = random_matrix_patterns(60, 1), again = random_matrix_patterns(60, 1);
    std::set<std::string> texts;
    std::map<std::string, int> kernels, shapes;
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].text() == again[i].text());
        texts.insert(one[i].text());
        ++kernels[one[i].kernel()];
        if (!one[i].is_fragment()) ++shapes[one[i].text().substr(0, 11)];
        CHECK(one[i].block_x % 32 == 0);
    }
    CHECK(texts.size() >= 58);
    CHECK(kernels.size() == 6);
    CHECK(kernels["load_matrices"] == 24);
    CHECK(shapes.size() >= 6);  // ldmatrix and stmatrix, each with 1, 2 or 4 matrices
    CHECK(random_matrix_patterns(10, 1)[9].text() == one[9].text());
}
