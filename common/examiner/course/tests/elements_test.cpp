// Tests how exercises other than transposes are read: element types, expressions, declarations of
// arguments, and the record as a whole.

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "examiner/course/course.h"

namespace coalesce {
namespace {

/// Returns the message of the exception that `make` throws, or "".
std::string complaint_of(const auto& make) {
    try {
        make();
        return "";
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

std::string parameter_complaint(const std::string& text) {
    return complaint_of([&] { parse_parameter(text, {"rows", "cols"}); });
}

void says(const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
}

double round_trip(const char* name, double value) {
    const ElementType type = *find_element_type(name);
    char bytes[8] = {};
    type.write_value(value, bytes);
    return type.read_value(bytes);
}

const std::string kRowSums = R"(title = "Row sums"
sizes = ["rows", "cols"]
arguments = ["float* out[rows]", "const float* in[rows * cols]", "int rows", "int cols"]
tolerance = "relative 1e-5"
shapes = [[1, 1], [77, 45]]
limits = { load = 4, of_solution = 1.05 }
)";

course::Course course_of(const std::string& record) {
    return course::parse_course(
        {{"course.toml", ""},
         {"steps/01_copy/lesson.toml",
          "title = \"Copy\"\nbuilds_on = \"\"\n[[variant]]\nname = \"tile copy\"\n"},
         {"solutions/x_row_sums/exercise.toml", record},
         {"solutions/x_row_sums/reference.cu", "// nothing"}});
}

std::string with_replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("arithmetic expressions in sizes are evaluated") {
    const std::vector<NamedSize> sizes = {{"rows", 7}, {"cols", 5}};
    CHECK(evaluate("rows * (cols + 1)", sizes) == 42);
    CHECK(evaluate("rows / 2 - -1", sizes) == 4);
    CHECK(evaluate("rows / 2.0", sizes) == 3);  // 2.0 is whole, so this is integer division
    CHECK(evaluate("ceil_div(rows, cols)", sizes) == 2);
    CHECK(evaluate("max(ceil_div(rows, 256), min(1, cols))", sizes) == 1);
    CHECK(evaluate("0.5 * rows", sizes) == 3.5);
    const auto complains = [&](const std::string& text, const std::string& words) {
        says(complaint_of([&] { evaluate(text, sizes); }), words);
    };
    complains("row * cols", "`row` is not one of the sizes `rows`, `cols`");
    complains("rows *", "the expression is incomplete");
    complains("rows cols", "`cols` is not allowed here");
    complains("rows / (cols - 5)", "divides by zero");
    complains("(rows", "`)` is missing");
    complains("", "the expression is incomplete");
    complains(std::string(1000, '('), "nested too deeply");
    complains(std::string(1000, '-') + "1", "nested too deeply");
}

TEST_CASE("values of every element type are read as they were written") {
    for (const char* name : {"float", "double", "__half", "__nv_bfloat16", "int", "short",
                             "signed char", "long long"}) {
        CAPTURE(name);
        for (const double value : {0.0, 1.0, -1.0, 3.0, 100.0})
            CHECK(round_trip(name, value) == value);
    }
    CHECK(round_trip("__half", 1e6) == HUGE_VAL);
    CHECK(round_trip("__half", 65504) == 65504);
    CHECK(round_trip("__half", 0.1) == doctest::Approx(0.0999755859375).epsilon(1e-12));
    CHECK(round_trip("__half", std::ldexp(1, -24)) == std::ldexp(1, -24));
    CHECK(round_trip("__half", std::ldexp(1, -26)) == 0);
    CHECK(round_trip("__half", 2047.5) == 2048);
    CHECK(round_trip("__nv_bfloat16", 257) == 256);
    CHECK(round_trip("__nv_bfloat16", 3e38) == doctest::Approx(2.99e38).epsilon(0.01));
    CHECK(std::isnan(round_trip("__half", std::nan(""))));
    CHECK(round_trip("unsigned char", 300) == 255);
    CHECK(round_trip("unsigned", -5) == 0);
    CHECK(find_element_type("float4")->bytes() == 16);
    CHECK(find_element_type("uchar3")->bytes() == 3);
    CHECK_FALSE(find_element_type("float5"));
    CHECK_FALSE(find_element_type("matrix"));
}

TEST_CASE("the distance in ulps between numbers of opposite sign is correct") {
    const ElementType type = *find_element_type("float");
    const float one = 1, next = std::nextafter(1.0F, 2.0F), tiny = 1e-45F, negative = -tiny;
    CHECK(type.distance_in_ulps(&one, &next) == 1);
    CHECK(type.distance_in_ulps(&tiny, &negative) == 2);
}

TEST_CASE("declarations of arguments are read") {
    const std::vector<std::string> sizes = {"rows", "cols"};
    const Parameter in = parse_parameter("const float* in[rows * cols] = random(-2, rows)", sizes);
    CHECK(in.name == "in");
    CHECK(in.is_const);
    CHECK_FALSE(in.is_output());
    CHECK(in.generator.high_bound == "rows");
    const Parameter out = parse_parameter("unsigned char *out[rows][cols]", sizes);
    CHECK(out.type.name == "unsigned char");
    CHECK(out.extents == std::vector<std::string>{"rows", "cols"});
    CHECK(out.is_output());
    CHECK_FALSE(out.is_read_by_reference());
    const Parameter in_place = parse_parameter("int* data[rows] = random(0, 9)", sizes);
    CHECK(in_place.is_output());
    CHECK(in_place.is_read_by_reference());
    CHECK_FALSE(parse_parameter("int* data[rows] = zero", sizes).is_read_by_reference());
    CHECK(parse_parameter("float alpha = 0.5", sizes).generator.kind == Generator::Kind::constant);

    says(parameter_complaint("const floaty* in[rows]"), "there is no type `floaty`");
    says(parameter_complaint("const float* in"), "add the number of elements");
    says(parameter_complaint("const float in[rows]"), "declare an array as a pointer");
    says(parameter_complaint("const float* in[row]"), "`row` is not one of the sizes");
    says(parameter_complaint("float alpha"), "it needs a value");
    says(parameter_complaint("int rows = 3"), "a size gets its value from `shapes`");
    says(parameter_complaint("const float* in[rows] = randon(1, 2)"), "write random(-1, 1)");
    says(parameter_complaint("const float* in[rows] = random(1)"), "write random(-1, 1)");
    says(parameter_complaint("in[rows]"), "an argument must look like");
}

TEST_CASE("tolerances are read and applied") {
    CHECK(parse_tolerance("bits").kind == Tolerance::Kind::bits);
    CHECK(parse_tolerance("relative 1e-5").limit == 1e-5);
    CHECK(parse_tolerance("ulps 4").text() == "ulps 4");
    for (const char* wrong : {"relative", "about 3", "relative x", "absolute -1", ""}) {
        CAPTURE(wrong);
        CHECK_FALSE(complaint_of([&] { parse_tolerance(wrong); }).empty());
    }
}

TEST_CASE("the record of an exercise other than a transpose is read completely") {
    const course::Course course = course_of(kRowSums);
    REQUIRE(course.beyond_exercises.size() == 1);
    const course::Step* step = course.lesson("x_row_sums");
    REQUIRE(step == &course.beyond_exercises[0]);
    CHECK(course.lesson("row_sums") == step);
    CHECK(course.lesson("x_") == nullptr);
    CHECK(step->number() == "x_row_sums");
    const Exercise& exercise = *step->exercise;
    CHECK(exercise.kernel == "row_sums");
    CHECK(exercise.points == 10);
    CHECK(exercise.counted_shape == Shape{77, 45});
    CHECK(exercise.limits.fraction_of_solution == 1.05);
    CHECK(exercise.elements->kernel_declaration("row_sums") ==
          "__global__ void row_sums(float* out, const float* in, int rows, int cols)");
    CHECK(describe_sizes(exercise.size_names(), {3, 4}) == "rows = 3, cols = 4");
}

TEST_CASE("a mistake in a record is reported with its line") {
    const auto complains = [](const std::string& what, const std::string& with,
                              const std::string& place, const std::string& words) {
        const std::string record = with_replaced(kRowSums, what, with);
        const std::string said = complaint_of([&] { course_of(record); });
        says(said, "solutions/x_row_sums/exercise.toml:" + place + ": ");
        says(said, words);
    };
    complains("sizes = [\"rows\", \"cols\"]", "sizes = []", "2", "one to three sizes");
    complains("\"rows\", \"cols\"]", "\"rows\", \"rows\"]", "2", "twice");
    complains("float* out[rows]", "float* out[row]", "3", "`row` is not one of the sizes");
    complains("float* out[rows]", "const float* out[rows]", "3",
              "none of the arguments is an output");
    complains("\"int cols\"", "\"int rows\"", "3", "two arguments `rows`");
    complains("relative 1e-5", "relatively", "4", "`tolerance` must be \"bits\"");
    complains("[77, 45]", "[77]", "5", "for each of [rows, cols]");
    complains("[77, 45]", "[100000, 100000]", "5", "cannot have");
    complains("[77, 45]", "[10000, 10000]", "5", "larger than 64 MB");
    complains("load = 4", "lode = 4", "6", "unknown key `lode`");
    complains("shapes", "most = [10, 10]\nshapes", "6", "`most` allows rows up to 10");
    complains("title", "titel", "1", "unknown key `titel`");
}

const std::string kOfLesson = R"(points = 15
kernel = "row_sums"
sizes = ["rows", "cols"]
arguments = ["float* out[rows]", "const float* in[rows * cols]", "int rows", "int cols"]
shapes = [[1, 1], [77, 45]]
limits = { load = 4, of_solution = 1.05 }
[[prediction]]
counter = "load"
question = "How many?"
[hunt]
points = 5
question = "a"
picture = "b"
api = "c"
line = "d"
)";

course::Course course_with_lesson(const std::string& record, bool has_reference = true) {
    std::vector<course::CourseText> texts = {
        {"course.toml", ""},
        {"steps/01_sums/lesson.toml",
         "title = \"Sums\"\nbuilds_on = \"\"\n[[variant]]\nname = \"warps\"\n"},
        {"solutions/01_sums/exercise.toml", record}};
    if (has_reference) texts.push_back({"solutions/01_sums/reference.cu", "// nothing"});
    return course::parse_course(texts);
}

TEST_CASE("the exercise of a lesson may be defined element by element") {
    const course::Course course = course_with_lesson(kOfLesson);
    CHECK(course.beyond_exercises.empty());
    const course::Step* step = course.find("01");
    REQUIRE(step != nullptr);
    REQUIRE(step->exercise->elements.has_value());
    CHECK(step->exercise->kernel == "row_sums");
    CHECK(step->exercise->points == 15);
    CHECK(step->exercise->elements->reference == "// nothing");
    CHECK(step->exercise->predictions.size() == 1);
    CHECK(step->exercise->counted_shape == Shape{77, 45});
    REQUIRE(step->hunt.has_value());
    CHECK(step->hunt->elements.has_value());
    CHECK(step->hunt->points == 5);
    // Without `kernel`, the kernel has the name of the lesson.
    const std::string unnamed = with_replaced(kOfLesson, "kernel = \"row_sums\"\n", "");
    CHECK(course_with_lesson(unnamed).find("01")->exercise->kernel == "sums");
}

TEST_CASE("a lesson's record must match the kind of its exercise") {
    const auto complains = [](const std::string& record, bool has_reference,
                              const std::string& words) {
        const std::string said = complaint_of([&] { course_with_lesson(record, has_reference); });
        says(said, "solutions/01_sums/exercise.toml:");
        says(said, words);
    };
    complains(kOfLesson, false, "01_sums has no solutions/01_sums/reference.cu");
    complains("points = 5\nshapes = [[64, 64]]\n", true, "nothing uses its reference.cu");
    complains(with_replaced(kOfLesson, "counter = \"load\"",
                            "counter = \"of_copy_predicted\"\nwithin = 0.15"),
              true, "times are predicted only for kernels that move a matrix");
    complains(with_replaced(kOfLesson, "points = 15\n", ""), true, "points");
    complains(with_replaced(kOfLesson, "points = 15", "points = 15\nproduces = \"copy\""), true,
              "unknown key `produces`");
}

}  // namespace coalesce
