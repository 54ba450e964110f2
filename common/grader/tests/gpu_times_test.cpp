// Tests how times are measured on a real GPU. On a computer without a GPU, the grader must print a
// message and give the same grades.

#include <doctest/doctest.h>

#include "base/files.h"
#include "examiner/compile.h"
#include "examiner/source.h"
#include "grader/class/gpu_times.h"
#include "grader/judge/gpu_timer.h"
#include "grader/store/files.h"
#include "grader/tests/programs.h"
#include "harness/device.h"

using namespace coalesce;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;  // path of the grader's program

// A class of two students, one with a correct kernel and one with the skeleton.
struct Classroom {
    TemporaryFolder folder;
    std::string assignments = folder / "assignments", handed_in = folder / "class";
    fs::path results = folder.path / "assignments/hw1/teacher/results";

    Classroom() {
        REQUIRE(run_to_end({grade, "assignment", "new", "hw1", "--exercises", "03", "--folder",
                            assignments})
                    .code == 0);
        fs::create_directories(handed_in + "/ada");
        fs::create_directories(handed_in + "/blank");
        fs::copy_file(results.parent_path() / "solutions/03_tiled/kernel.cu",
                      handed_in + "/ada/03_tiled.cu");
        fs::copy_file(assignments + "/hw1/handout/exercises/03_tiled/kernel.cu",
                      handed_in + "/blank/03_tiled.cu");
    }
    Ended graded(std::vector<std::string> more) const {
        std::vector<std::string> words = {grade,       "run",           "hw1",     "--folder",
                                          assignments, "--submissions", handed_in, "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return run_to_end(words);
    }
};

}  // namespace

TEST_CASE("jobs and times are transferred unchanged to and from the measuring process") {
    Compiled kernel;
    kernel.ptx = ".version 8.0\n";
    GpuJob job = coalesce::codec::read<GpuJob>(coalesce::codec::write(
        GpuJob{.kernel = kernel, .produces = "copy", .shape = {8, 16}, .seed = 7}));
    CHECK(job.kernel.ptx == ".version 8.0\n");
    CHECK(job.shape.cols == 16);
    CHECK(job.seed == 7);
    GpuTime time = coalesce::codec::read<GpuTime>(coalesce::codec::write(
        GpuTime{.problem = "a\xff", .device = "GPU", .ms = 1.5, .copy_ms = 1.25}));
    CHECK(time.ms == 1.5);
    CHECK(time.copy_ms == 1.25);
    CHECK(time.problem.starts_with("a"));
}

TEST_CASE("times.csv has a row for each student, with an empty time if none was measured") {
    std::string csv =
        times_csv({{.student = "ada",
                    .exercise = "03_tiled",
                    .time = {.device = "NVIDIA H200", .ms = 0.05, .copy_ms = 0.045},
                    .moved_bytes = 134220000},
                   {.student = "=1+1", .exercise = "03_tiled", .time = {.problem = "not right"}}});
    CHECK(csv ==
          "student,exercise,measured_ms,measured_gbps,of_copy,device,note\r\n"
          "ada,03_tiled,0.05,2684,0.9,\"NVIDIA H200\",\r\n"
          "\"'=1+1\",03_tiled,,,,,\"not right\"\r\n");
}

TEST_CASE("grades are the same with --gpu, and times are measured or reported as missing") {
    Classroom room;
    REQUIRE(room.graded({}).code == 0);
    std::string grades = read_file(room.results / "grades.csv");
    Ended ended = room.graded({"--gpu"});
    CHECK_MESSAGE(ended.code == 0, ended.output);
    CHECK(read_file(room.results / "grades.csv") == grades);
    if (!find_gpu_problem().empty()) {
        CHECK(ended.output.find("No time was measured: ") != std::string::npos);
        CHECK(ended.output.find("no GPU works here") != std::string::npos);
        CHECK_FALSE(fs::exists(room.results / "times.csv"));
        return;
    }
    std::string times = read_file(room.results / "times.csv");
    MESSAGE(times);
    CHECK(ended.output.find("Times of 1 kernels") != std::string::npos);
    CHECK(times.find("\r\nada,03_tiled,0.") != std::string::npos);
    CHECK(times.find("\r\nblank,03_tiled,,,,,\"not correct on the simulated GPU\"\r\n") !=
          std::string::npos);
}

// Tests how times are measured on the simulated GPU. The times are meaningless there, but wrong
// kernels must be rejected as on a real GPU.
TEST_CASE("on the simulator" * doctest::skip()) {
    Device device = choose_device(DeviceChoice::automatic, nullptr);
    const auto measured = [&](const std::string& body) {
        Compiled kernel = compile(
            make_source("__global__ void transpose(float* out, const float* in, int rows, int "
                        "cols) {\n    int col = blockIdx.x * 32 + threadIdx.x, row = "
                        "blockIdx.y;\n" +
                            body +
                            "}\nconstexpr Launch configure(int rows, int cols) {\n    return "
                            "{.grid = {ceil_div(cols, 32), rows}, .block = {32}};\n}\n",
                        "kernel.cu"),
            {});
        REQUIRE_MESSAGE(kernel.is_ok(), kernel.failure.headline);
        return measure_on_device(
            device, {.kernel = kernel, .produces = "transpose", .shape = {96, 64}, .seed = 3});
    };
    GpuTime right = measured("    if (col < cols) out[col * rows + row] = in[row * cols + col];\n");
    CHECK(right.problem == "");
    CHECK(measured("").problem.find("wrong on the GPU") != std::string::npos);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    std::string word = argv[1];
    if (word == "on-simulator") {
        choose_device(DeviceChoice::simulator, argv);
        doctest::Context context;
        context.setOption("no-skip", true);
        context.setOption("test-case", "on the simulator");
        return context.run();
    }
    grade = fs::absolute(word);
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
