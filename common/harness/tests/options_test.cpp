// Tests the command line, and the shapes on which kernels are verified.
#include "harness/options.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/errors.h"
#include "harness/shapes.h"

using namespace coalesce;

namespace {

std::string refused(const std::vector<std::string>& arguments) {
    try {
        parse_options(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

bool has(const std::vector<Shape>& shapes, auto is_like) {
    return std::any_of(shapes.begin(), shapes.end(), is_like);
}

}  // namespace

TEST_CASE("without options, a step verifies and measures on the available device") {
    const Options options = parse_options({});
    CHECK(options.verify);
    CHECK(options.bench);
    CHECK(options.device == DeviceChoice::automatic);
    CHECK_FALSE(options.shape);
}

TEST_CASE("--verify and --bench each select one task, and together select both") {
    CHECK_FALSE(parse_options({"--verify"}).bench);
    CHECK_FALSE(parse_options({"--bench"}).verify);
    CHECK(parse_options({"--bench", "--verify"}).verify);
    CHECK(parse_options({"--bench", "--verify"}).bench);
}

TEST_CASE("an option's value may follow a blank or an equals sign") {
    for (const auto& arguments : {std::vector<std::string>{"--rows", "3", "--cols", "4"},
                                  std::vector<std::string>{"--rows=3", "--cols=4"}}) {
        CHECK(parse_options(arguments).shape == Shape{3, 4});
    }
    CHECK(parse_options({"--device", "sim"}).device == DeviceChoice::simulator);
    CHECK(parse_options({"--device=gpu"}).device == DeviceChoice::gpu);
    CHECK(parse_options({"--variant", "32x8"}).variant == "32x8");
    CHECK(parse_options({"--json", "a.json"}).json == "a.json");
}

TEST_CASE("invalid options are rejected with a message that names them") {
    CHECK(refused({"--rows", "0", "--cols", "1"}) == "--rows 0: must be at least 1");
    CHECK(refused({"--cols", "-1", "--rows", "1"}) == "--cols -1: must be at least 1");
    CHECK(refused({"--cols", "-99999999999", "--rows", "1"}) ==
          "--cols -99999999999: must be at least 1");
    CHECK(refused({"--rows", "ten", "--cols", "1"}) == "--rows ten: not a whole number");
    CHECK(refused({"--rows", "1.5", "--cols", "1"}) == "--rows 1.5: not a whole number");
    CHECK(refused({"--rows", "1e3", "--cols", "1"}) == "--rows 1e3: not a whole number");
    CHECK(refused({"--rows", "", "--cols", "1"}).find("not a whole number") != std::string::npos);
    CHECK(refused({"--rows", "2147483648", "--cols", "1"}).find("too large") != std::string::npos);
    CHECK(refused({"--rows", "65536", "--cols", "32768"}).find("32-bit indices") !=
          std::string::npos);
    CHECK(refused({"--rows", "2147483647", "--cols", "2147483647"}).find("32-bit indices") !=
          std::string::npos);
    CHECK(refused({"--rows", "5"}).find("go together") != std::string::npos);
    CHECK(refused({"--rows"}) == "--rows needs a value");
    CHECK(refused({"--variant", "--list"}) == "--variant needs a value");
    CHECK(refused({"--device", "tpu"}).find("auto, gpu or sim") != std::string::npos);
    CHECK(refused({"--list=yes"}) == "--list takes no value");
    CHECK(refused({"--fast"}).find("unknown option") != std::string::npos);
    CHECK(refused({"fast"}).find("unknown option") != std::string::npos);
}

TEST_CASE("--time takes a GPU, by default H200, and selects the simulated device") {
    for (const auto& arguments :
         {std::vector<std::string>{"--time"}, std::vector<std::string>{"--time", "H200"},
          std::vector<std::string>{"--time=nvidia h200"}, std::vector<std::string>{"--at", "64"}}) {
        const Options options = parse_options(arguments);
        CHECK(options.time_on == "NVIDIA H200");
        CHECK(options.device == DeviceChoice::simulator);
    }
    CHECK(parse_options({"--time", "--at", "4096x2048"}).prediction_shape == Shape{4096, 2048});
    CHECK(parse_options({"--at", "4096"}).prediction_shape == Shape{4096, 4096});
    CHECK(parse_options({}).time_on.empty());
}

TEST_CASE("times that cannot be predicted are rejected, with advice on what to do instead") {
    CHECK(refused({"--time", "H2000"}).find("the known GPUs are NVIDIA H200") != std::string::npos);
    CHECK(refused({"--time", "--device", "gpu"}).find("--device sim") != std::string::npos);
    CHECK(refused({"--time", "--verify"}).find("--bench") != std::string::npos);
    for (const char* shape : {"", "x", "4x", "x4"})
        CHECK(refused({"--at", shape}).find("give ROWSxCOLS") != std::string::npos);
    CHECK(refused({"--at", "4x0"}) == "--at 0: must be at least 1");
    CHECK(refused({"--at", "65536"}).find("32-bit indices") != std::string::npos);
}

TEST_CASE("the largest matrix that int can index is accepted") {
    CHECK(parse_options({"--rows", "2147483647", "--cols", "1"}).shape == Shape{2147483647, 1});
}

TEST_CASE("--help fits the terminal, and names every option") {
    const std::string help = help_text("01_copy");
    for (const char* option : {"--verify", "--bench", "--device", "--rows", "--cols", "--variant",
                               "--list", "--json", "--time", "--at", "--help"}) {
        CHECK(help.find(option) != std::string::npos);
    }
    std::size_t begin = 0;
    for (std::size_t end = help.find('\n'); end != std::string::npos;
         begin = end + 1, end = help.find('\n', begin)) {
        CHECK(end - begin <= 80);
    }
}

TEST_CASE("the verification shapes are supported multiples, and include every kind of shape") {
    for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{4, 4}, std::pair{64, 32},
                                     std::pair{3, 1}, std::pair{256, 64}}) {
        CAPTURE(rows);
        CAPTURE(cols);
        const std::vector<Shape> shapes =
            verification_shapes({.rows_multiple = rows, .cols_multiple = cols});
        CHECK(shapes.size() >= 4);
        for (const Shape shape : shapes) {
            CHECK(shape.rows % rows == 0);
            CHECK(shape.cols % cols == 0);
            CHECK(shape.rows >= 1);
            CHECK(shape.cols >= 1);
        }
        CHECK(has(shapes, [](Shape s) { return s.rows > s.cols; }));
        CHECK(has(shapes, [](Shape s) { return s.rows < s.cols; }));
    }
    const std::vector<Shape> any = verification_shapes({});
    CHECK(has(any, [](Shape s) { return s.rows == s.cols; }));
    CHECK(has(any, [](Shape s) { return s.rows == 1 && s.cols > 32; }));
    CHECK(has(any, [](Shape s) { return s.rows > 32 && s.cols == 1; }));
    CHECK(has(any, [](Shape s) { return s.rows % 32 != 0 && s.cols % 32 != 0; }));
}

TEST_CASE("a shape that does not fit is rejected, and the next shape that fits is suggested") {
    const Variant variant{.name = "v", .about = "", .rows_multiple = 4, .cols_multiple = 64};
    CHECK(find_refusal(variant, {8, 128}) == "");
    CHECK(
        find_refusal(variant, {9, 100}) ==
        "takes rows in multiples of 4 and columns in multiples of 64; the next shape is 12 x 128");
    CHECK(find_refusal(variant, {2147483647, 1}).find("too large") != std::string::npos);
}
