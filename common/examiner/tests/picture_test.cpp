// Tests the pictures of a warp's memory accesses.
#include "examiner/picture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "examiner/messages.h"

using namespace coalesce;
namespace fs = std::filesystem;

namespace {

const fs::path tests_folder = KERNEL_TESTS;

Picture picture_of_file(const fs::path& file, PictureRequest request = {}) {
    LocalRunner runner({});
    return draw_warp_picture(read_source(file, "kernel.cu"), Exercise{}, runner, request);
}

constexpr std::uint32_t everybody = 0xffffffff;

/// Returns an access in which the lanes' addresses are `step` bytes apart.
simulated::Access lanes(std::uint64_t first, std::uint64_t step, unsigned bytes_per_lane = 4,
                        std::uint32_t active = everybody) {
    simulated::Access access{.bytes_per_lane = bytes_per_lane, .active = active};
    for (std::size_t lane = 0; lane < 32; ++lane) access.addresses[lane] = first + lane * step;
    return access;
}

}  // namespace

TEST_CASE("32 adjacent words are drawn as one row, and 32 scattered words as 32 rows") {
    const auto together = draw_memory_rows(lanes(4096, 4), 4096, "in");
    REQUIRE(together.size() == 1);
    CHECK(together[0].label == "in + 0");
    for (int lane = 0; lane < 32; ++lane)
        CHECK(together[0].lanes[static_cast<std::size_t>(lane)] == lane);
    const auto apart = draw_memory_rows(lanes(4096, 1024), 4096, "out");
    REQUIRE(apart.size() == 32);
    CHECK(apart[31].label == "out + 31744");
    CHECK(apart[31].lanes[0] == 31);
    CHECK(apart[31].lanes[1] == -1);
}

TEST_CASE("a float4 per lane fills four rows, and inactive lanes are not shown") {
    const auto wide = draw_memory_rows(lanes(0, 16, 16), 0, "in");
    REQUIRE(wide.size() == 4);
    CHECK(wide[1].lanes[0] == 8);
    CHECK(wide[1].lanes[3] == 8);
    CHECK(wide[1].lanes[4] == 9);
    CHECK(draw_memory_rows(lanes(0, 4, 4, 0x1), 0, "in")[0].lanes[1] == -1);
    CHECK(draw_memory_rows(lanes(0, 4, 4, 0), 0, "in").empty());
}

TEST_CASE("the label of an address before the start of a matrix has a negative offset") {
    CHECK(draw_memory_rows(lanes(4096 - 128, 4), 4096, "in")[0].label == "in - 128");
}

TEST_CASE("a column of a tile maps to one bank, and a column of a padded tile to 32 banks") {
    const auto column = draw_bank_rows(lanes(0, 128));
    REQUIRE(column.size() == 32);
    for (int i = 0; i < 32; ++i) CHECK(column[static_cast<std::size_t>(i)].lanes[0] == i);
    CHECK(draw_bank_rows(lanes(0, 132)).size() == 1);
    CHECK(draw_bank_rows(lanes(0, 8)).size() == 2);
    CHECK(draw_bank_rows(lanes(64, 0)).size() == 1);
    CHECK(draw_bank_rows(lanes(0, 8, 8)).size() == 2);
    CHECK(draw_bank_rows(lanes(0, 16, 16)).size() == 4);
    CHECK(draw_bank_rows(lanes(0, 0, 8)).size() == 1);
    CHECK(draw_bank_rows(lanes(0, 0, 16)).size() == 2);
}

TEST_CASE("the number of rows in a picture equals the simulator's count of sectors or wavefronts") {
    int seen = 0;
    for (const auto& entry : fs::directory_iterator(tests_folder / "failures")) {
        const Picture picture = picture_of_file(entry.path());
        if (!picture.is_ok()) continue;
        CAPTURE(entry.path().filename().string());
        for (const WarpAccess& access : picture.accesses) {
            ++seen;
            CAPTURE(access.headline());
            if (access.is_shared) {
                CHECK(access.rows.size() == access.cost);
                continue;
            }
            unsigned sectors = 0;
            for (const PictureRow& row : access.rows) {
                for (std::size_t sector = 0; sector < 4; ++sector) {
                    const auto* first = row.lanes.data() + 8 * sector;
                    sectors += std::any_of(first, first + 8, [](int lane) { return lane >= 0; });
                }
            }
            CHECK(sectors == access.cost);
        }
    }
    CHECK(seen >= 60);
}

TEST_CASE("the picture of a correct kernel shows its accesses and their costs") {
    const Picture picture = picture_of_file(tests_folder / "solution.cu");
    REQUIRE(picture.is_ok());
    REQUIRE(picture.accesses.size() == 4);
    for (const WarpAccess& access : picture.accesses) {
        CHECK(access.cost == access.ideal);
        CHECK(access.execution_count == 4);
    }
    CHECK(picture.accesses[0].memory == "in");
    CHECK(picture.accesses[3].memory == "out");
    const std::string text = picture.text();
    CHECK(text.find("kernel.cu:8: load from `in`: 4 sectors, the minimum") != text.npos);
    CHECK(text.find("simulated") != text.npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a picture can show any block and warp, not only the first") {
    const Picture picture = picture_of_file(tests_folder / "solution.cu", {.block = 9, .warp = 2});
    REQUIRE(picture.is_ok());
    // In a grid of 8 x 8 blocks, block 9 moves tile (1, 1). Its warp 2 moves the third row, which
    // starts at in + (32 + 2) * 256 + 32 floats.
    CHECK(picture.accesses[0].rows[0].label == "in + " + std::to_string(4 * (34 * 256 + 32)));
}

TEST_CASE("an asynchronous copy is drawn as a load of global memory and a store to shared memory") {
    const Source source = make_source(
        "#include <cuda_pipeline.h>\n"
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
        "    __shared__ float row[32];\n"
        "    __pipeline_memcpy_async(&row[threadIdx.x], &in[threadIdx.x], 4);\n"
        "}\n"
        "constexpr Launch configure(int, int) { return {.grid = {1}, .block = {32}}; }\n",
        "kernel.cu");
    LocalRunner runner({});
    const Picture picture = draw_warp_picture(source, Exercise{}, runner, {});
    REQUIRE(picture.accesses.size() == 2);
    CHECK(picture.accesses[0].memory == "in");
    CHECK_FALSE(picture.accesses[0].is_store);
    CHECK(picture.accesses[1].is_shared);
    CHECK(picture.accesses[1].is_store);
    for (const WarpAccess& access : picture.accesses) {
        CHECK(access.place.line == 4);
        CHECK(access.cost == access.ideal);
    }
}

TEST_CASE("if no picture can be drawn, the reason is reported") {
    CHECK_FALSE(picture_of_file(tests_folder / "failures" / "nothing-written.cu").is_ok());
    CHECK(picture_of_file(tests_folder / "failures" / "does-not-compile.cu").problem.kind ==
          FailureKind::does_not_compile);
    CHECK(picture_of_file("/nowhere.cu").problem.kind == FailureKind::file_missing);
    const Picture beyond = picture_of_file(tests_folder / "solution.cu", {.block = 1 << 20});
    CHECK_FALSE(beyond.is_ok());
    CHECK(beyond.text().find("nothing to draw") != std::string::npos);
}

TEST_CASE("the drawing is well-formed XML, even if the source contains special characters") {
    const Source source = make_source(
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
        "    if (rows < cols || rows >= 1 && \"<&>\"[0]) out[threadIdx.x] = in[threadIdx.x];\n"
        "}\n"
        "constexpr Launch configure(int rows, int cols) { return {.block = 32}; }\n",
        "a<b>&\".cu");
    LocalRunner runner({});
    const Picture picture = draw_warp_picture(source, Exercise{}, runner, {});
    INFO(picture.text());
    REQUIRE(picture.is_ok());
    const std::string svg = picture.svg();
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find("a<b>") == svg.npos);
    CHECK(svg.find("\"<&>\"") == svg.npos);
    // Every angle bracket that opens a tag must be closed.
    CHECK(std::count(svg.begin(), svg.end(), '<') == std::count(svg.begin(), svg.end(), '>'));
}
