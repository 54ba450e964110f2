#include "grader/sandbox/jail.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "grader/sandbox/attacks.h"
#include "grader/sandbox/doctor.h"
#include "grader/sandbox/jobs.h"
#include "grader/sandbox/own_namespace.h"
#include "grader/sandbox/tests/held_page.h"
#include "timing/gpu.h"

using namespace coalesce;
using namespace coalesce::grader;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

/// Reports whether a tier can be used here. Prints a message if it cannot.
bool can_use(Tier tier) {
    Jail jail(Role::probe, tier);
    const std::string problem = jail.start();
    if (!problem.empty()) MESSAGE("skipped, tier ", name_of(tier), ": ", problem);
    return problem.empty();
}

std::string attack_request(const std::string& attack) {
    return codec::write(AttackTarget{attack, "/etc/hostname", "/tmp", getpid()});
}

constexpr const char* kernel_text = R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
)";

}  // namespace

TEST_CASE("every sandbox tier that is available stops every attack") {
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        if (!can_use(tier)) continue;
        const TierTrial trial = test_tier(tier, fs::temp_directory_path(), true);
        CAPTURE(std::string(name_of(tier)));
        CHECK(trial.problem == "");
        CHECK(trial.outcomes.size() == all_attacks().size());
        for (const AttackOutcome& one : trial.outcomes) {
            CAPTURE(one.name);
            CHECK(one.escape == "");
        }
        CHECK(trial.stops_all_attacks());
    }
}

TEST_CASE("without a sandbox, the attacks succeed, so the tests would detect a hole") {
    const TierTrial trial = test_tier(Tier::unsandboxed, fs::temp_directory_path(), false);
    CHECK(trial.problem == "");
    CHECK_FALSE(trial.stops_all_attacks());
    int escape = 0;
    for (const AttackOutcome& one : trial.outcomes) escape += !one.escape.empty();
    CHECK(escape >= 5);
}

TEST_CASE("a jail below tier B does not start") {
    Jail jail(Role::probe, Tier::none);
    CHECK(jail.start() != "");
    CHECK(jail.run({.request = "{}"}).end.end_kind == JobEnd::EndKind::jail_failed);
}

namespace {

/// The installed compilers. Each pair holds a value for COALESCE_COMPILER and the compiler's name
/// in a jail's report.
std::vector<std::pair<const char*, const char*>> compilers() {
    std::vector<std::pair<const char*, const char*>> found;
    if (!describe_compiler(Compiler::nvrtc).empty()) found.push_back({"nvcc", "NVRTC"});
    if (!describe_compiler(Compiler::clang).empty()) found.push_back({"clang", "clang"});
    return found;
}

/// Sets COALESCE_COMPILER until the end of the scope.
struct ChosenCompiler {
    explicit ChosenCompiler(const char* compiler) { setenv("COALESCE_COMPILER", compiler, 1); }
    ~ChosenCompiler() { unsetenv("COALESCE_COMPILER"); }
};

Compiled compiled_in(Jail& jail) {
    const std::string request = codec::write(CompileJob{"kernel.cu", kernel_text, "transpose"});
    const JobResult result = jail.run({.request = request, .answer_bytes = 4 << 20});
    CAPTURE(result.end.problem);
    REQUIRE(result.end.end_kind == JobEnd::EndKind::exited);
    CHECK(result.end.code == 0);
    return parse_compile_answer(result.answer.text());
}

void check_that_it_compiles(Jail& jail) {
    const Compiled compiled = compiled_in(jail);
    CHECK(compiled.is_ok());
    CHECK(compiled.ptx.find("_Z9transposePfPKfii") != std::string::npos);
}

/// Returns a job that launches the kernel above on a 1 x 1 matrix.
LaunchJob small_launch(Tier tier) {
    Jail compiler(Role::compile, tier);
    LaunchJob job;
    job.kernel = compiled_in(compiler);
    job.kernel.file = "kernel.cu";
    job.kernel.kernel = "transpose";
    job.kernel.entry = "_Z9transposePfPKfii";
    job.order.shape = {1, 1};
    return job;
}

/// Runs a launch, during which the grader answers the worker's request with `on_note`. Returns the
/// launch's result.
JobResult launch_in(Jail& jail, const LaunchJob& job,
                    const std::function<Descriptor(std::string_view)>& on_note) {
    const std::string request = codec::write(job);
    return jail.run({.request = request,
                     .answer_bytes = text_offset(layout_for_job(job)) + kMaxAnswerTextBytes,
                     .limits = {.processor_seconds = 10, .wall_seconds = 60},
                     .on_note = on_note});
}

void check_that_it_ended(const JobResult& result, const LaunchJob& job) {
    CAPTURE(result.end.problem);
    REQUIRE(result.end.end_kind == JobEnd::EndKind::exited);
    REQUIRE(result.end.code == 0);
    const Trial trial = parse_trial_answer(result.answer.text(text_offset(layout_for_job(job))));
    CAPTURE(trial.launch_failure.headline);
    CHECK(trial.has_ended());
}

Descriptor images_for(const LaunchJob& job) {
    return create_sealed_memfd(std::string(layout_for_job(job).image_bytes(), 'x'));
}

/// Returns the descriptors of the grader's open memfds.
std::vector<int> shared_memories() {
    std::vector<int> found;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code read_error;
        const std::string what = fs::read_symlink(entry.path(), read_error).string();
        if (what.starts_with("/memfd:grader")) found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
}

}  // namespace

TEST_CASE(
    "if the grader cannot answer a worker's request, later jobs still get their own results") {
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        if (!can_use(tier)) continue;
        const LaunchJob job = small_launch(tier);
        Jail jail(Role::launch, tier);
        const auto gives_nothing = [](std::string_view) -> Descriptor {
            throw std::runtime_error("nothing to give");
        };
        const auto gives = [&job](std::string_view) { return images_for(job); };
        CHECK_THROWS_AS(launch_in(jail, job, gives_nothing), std::runtime_error);
        for (int i = 0; i < 3; ++i) check_that_it_ended(launch_in(jail, job, gives), job);
    }
}

TEST_CASE("the submission is not blamed if the kernel still uses a page of the answer") {
    if (!can_use(Tier::namespaces)) return;
    Jail jail(Role::launch, Tier::namespaces);
    const LaunchJob job = small_launch(Tier::namespaces);
    std::vector<HeldPage> held;
    const auto holds_pages = [&](std::string_view) {
        for (const int memory : shared_memories()) {
            // Writing to the request fails, because it is already sealed.
            if (pwrite(memory, "x", 1, 0) == 1) held.emplace_back(memory);
        }
        return images_for(job);
    };
    check_that_it_ended(launch_in(jail, job, holds_pages), job);
    CHECK(held.size() == 1);
}

TEST_CASE("a jail can compile several times, whichever compiler it uses") {
    REQUIRE_FALSE(compilers().empty());
    for (const auto& [compiler, name] : compilers()) {
        const ChosenCompiler chosen(compiler);
        for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
            if (!can_use(tier)) continue;
            Jail jail(Role::compile, tier);
            for (int i = 0; i < 3; ++i) check_that_it_compiles(jail);
            CHECK(jail.ready_message().starts_with(name));
        }
    }
}

TEST_CASE("if clang's process exceeds a limit, its jail continues to work") {
    if (describe_compiler(Compiler::clang).empty()) return;
    const ChosenCompiler chosen("clang");
    const std::string classes =
        "template <int N, int M> struct Bomb { enum { value = Bomb<N - 1, 2 * M>::value + "
        "Bomb<N - 1, 2 * M + 1>::value }; };\n"
        "template <int M> struct Bomb<0, M> { enum { value = 1 }; };\n"
        "constexpr int boom = Bomb<24, 1>::value;\n";
    const std::string statements =
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(x))\n#define C(x) B(B(x))\n"
        "#define D(x) C(C(x))\n__device__ int many(int i) { D(i++;) return i; }\n";
    const std::string reads = "#line 1\n#include </etc/hostname>\n";
    for (const Tier tier : {Tier::namespaces, Tier::landlock}) {
        if (!can_use(tier)) continue;
        Jail jail(Role::compile, tier);
        const auto end_of = [&](const std::string& before, int seconds, std::size_t memory_mb) {
            const std::string request =
                codec::write(CompileJob{"kernel.cu", before + kernel_text, "transpose"});
            return jail.run(
                {.request = request,
                 .answer_bytes = 4 << 20,
                 .limits = {
                     .processor_seconds = seconds, .wall_seconds = 60, .memory_mb = memory_mb}});
        };
        CHECK(end_of(classes, 1, 1024).end.end_kind == JobEnd::EndKind::out_of_processor);
        CHECK(end_of(statements, 20, 1024).end.end_kind == JobEnd::EndKind::out_of_memory);
        check_that_it_compiles(jail);
        const JobResult read = end_of(reads, 5, 1024);
        CHECK_FALSE(parse_compile_answer(read.answer.text()).is_ok());
    }
}

TEST_CASE("a killed jail is started again, and its job is reported as lost") {
    if (!can_use(Tier::namespaces)) return;
    Jail jail(Role::probe, Tier::namespaces);
    REQUIRE(jail.start() == "");
    const pid_t first = jail.process();
    // Kill the jail during an endless job. A short job could finish before SIGKILL takes effect.
    const std::string long_request = attack_request("sleep");
    std::thread killer([first] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        kill(first, SIGKILL);
    });
    const JobResult lost = jail.run({.request = long_request, .answer_bytes = 4096});
    killer.join();
    CHECK(lost.end.end_kind == JobEnd::EndKind::jail_failed);
    const std::string request = attack_request("fork");
    const JobResult next = jail.run({.request = request, .answer_bytes = 4096});
    CHECK(next.answer.text() == "held");
    CHECK(jail.process() != first);
}

TEST_CASE("no process remains, whenever the process that starts a jail is killed") {
    if (!can_use(Tier::namespaces)) return;
    if (!can_create_namespaces()) {
        MESSAGE("skipped: no namespace of processes can be made here but by bubblewrap");
        return;
    }
    // Let orphaned processes become children of this process.
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    for (int i = 0; i < 200; ++i) {
        const pid_t grader = fork();
        if (grader == 0) {
            Jail jail(Role::probe, Tier::namespaces);
            jail.start();
            pause();
        }
        // In its first milliseconds, bubblewrap's inner process only waits, and could survive the
        // death of the outer process.
        usleep(static_cast<useconds_t>(100 * i));
        kill(grader, SIGKILL);
        waitpid(grader, nullptr, 0);
    }
    const auto end = std::chrono::steady_clock::now() + 60s;
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) >= 0) {
        if (std::chrono::steady_clock::now() > end) break;
        if (ended == 0) std::this_thread::sleep_for(10ms);
    }
    CHECK(ended == -1);  // no process is left
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_CASE("when a worker exceeds its time limit, no process remains") {
    if (!can_use(Tier::namespaces)) return;
    Jail jail(Role::probe, Tier::namespaces);
    REQUIRE(jail.start() == "");
    const pid_t process = jail.process();
    const std::string request = attack_request("sleep");
    const JobResult result = jail.run({.request = request,
                                       .answer_bytes = 4096,
                                       .limits = {.wall_seconds = 0.3, .memory_mb = 64}});
    CHECK(result.end.end_kind == JobEnd::EndKind::out_of_time);
    CHECK(jail.process() == 0);
    CHECK(kill(process, 0) < 0);
}

TEST_CASE("an invalid answer from a jail is an error") {
    for (const char* text : {"", "{}", "[]", "{\"ptx\": 3}", "garbage", "{\"ptx\": \"\"}"}) {
        CHECK_THROWS_AS(parse_compile_answer(text), std::runtime_error);
        CHECK_THROWS_AS(parse_trial_answer(text), std::runtime_error);
    }
    Trial answer;
    answer.launch.grid = {1, 2, 3};
    answer.reports.resize(1);
    answer.reports[0].message = "out of bounds";
    const Trial again = parse_trial_answer(to_json(answer));
    CHECK(again.launch.grid == answer.launch.grid);
    CHECK(again.reports.at(0).message == "out of bounds");
}

TEST_CASE("every report that a kernel can cause fits into the answer's memory") {
    Trial answer;
    answer.reports.resize(200);
    // JSON needs six characters for each of these control characters.
    const std::string name(60'000, '\x01'), words(60'000, '\x01');
    for (simulated::Report& report : answer.reports) {
        report.message = report.cure = words;
        report.place.file = report.other_place.file = name;
    }
    const std::string json = to_json(answer);
    CHECK(json.size() <= kMaxTrialTextBytes);
    CHECK(parse_trial_answer(json).reports.size() >= 1);
    CHECK(parse_trial_answer(json).reports[0].place.file.find('\x01') == std::string::npos);
}

TEST_CASE("from a jail's prediction, only the model's figures for the launch are used") {
    const timing::Gpu& gpu = timing::known_gpus().front();
    const Shape shape{8192, 8192};
    std::optional<Predicted> told(std::in_place);
    // A hostile kernel might report such values.
    told->gpu = gpu.name;
    told->shape = {1, 1};
    told->gbps = 1e9;
    told->copy_gbps = 1;
    told->ms = 1e-9;
    told->error_band = 9;
    timing::Prediction& launch = told->launches.emplace_back();
    launch.gpu = gpu.name;
    launch.kernel = std::string(100'000, 'x');
    launch.ms = 0.2;
    launch.error_band = 0.08;
    launch.memory_bytes = 2.0 * 4 * 8192 * 8192;
    launch.time_line.moments.resize(3);

    const auto read = parse_prediction_answer(to_json(PredictedTime{told}), shape).predicted;
    REQUIRE(read);
    CHECK(read->shape == shape);
    CHECK(read->ms == 0.2);
    CHECK(read->gbps == 2.0 * 4 * 8192 * 8192 / 0.2e6);
    CHECK(read->copy_gbps == gpu.copy_gbps);
    CHECK(read->error_band == 0.08);
    CHECK(read->measured_gpu == gpu.is_measured);
    CHECK(read->longest().time_line.moments.empty());
    CHECK(read->longest().kernel.size() < 5000);
    CHECK_FALSE(parse_prediction_answer(to_json(PredictedTime{}), shape).predicted);
    CHECK(parse_prediction_answer(to_json(PredictedTime{}), shape).is_moved);
    CHECK_FALSE(parse_prediction_answer(to_json(PredictedTime{told, false}), shape).is_moved);

    const auto is_refused = [&](const std::optional<Predicted>& answer) {
        CHECK_THROWS_AS(parse_prediction_answer(to_json(PredictedTime{answer}), shape),
                        std::runtime_error);
    };
    for (const double ms : {0.0, -1.0, 0.01}) {
        auto wrong = told;
        wrong->launches[0].ms = ms;
        is_refused(wrong);
    }
    for (const double band : {-0.1, 2.0}) {
        auto wrong = told;
        wrong->launches[0].error_band = band;
        is_refused(wrong);
    }
    auto wrong = told;
    wrong->launches[0].memory_bytes /= 2;
    CHECK_FALSE(parse_prediction_answer(to_json(PredictedTime{wrong}), shape).is_moved);
    wrong = told;
    wrong->launches[0].gpu = "another";
    is_refused(wrong);
    wrong->launches.clear();
    is_refused(wrong);
    wrong->launches = {launch, launch};
    is_refused(wrong);
    for (const char* text : {"", "{}", "[]", "1", "null", "{\"ms\": 1}"}) {
        CHECK_THROWS_AS(parse_prediction_answer(text, shape), std::runtime_error);
    }
}
