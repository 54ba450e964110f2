#include "learn/checker.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "harness/text.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Returns the path of the stored verdict from the exercise's last check.
fs::path stored_verdict_path(const LearnerExercise& exercise) {
    return learners_folder() / "verdicts" /
           (exercise.step->name + (exercise.is_hunt ? ".hunt.json" : ".json"));
}

// Returns a path for the new verdict in the learner's folder, or in the temporary folder if the
// learner's folder is not writable.
fs::path choose_verdict_path(const LearnerExercise& exercise) {
    fs::path file = stored_verdict_path(exercise);
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    bool is_folder = fs::is_directory(file.parent_path(), error);
    if (!is_folder || access(file.parent_path().c_str(), W_OK) != 0) {
        file = fs::temp_directory_path() / file.filename();
    }
    return file.string() + "." + std::to_string(getpid());
}

// Removes verdicts left behind by commands that were killed. The name of such a file is the name of
// the verdict followed by the ID of a process that is no longer running. Other files are kept,
// because other programs may share the folder.
void remove_stale_verdicts(const fs::path& folder, const std::string& verdict) {
    std::error_code ignored;
    for (auto& entry : fs::directory_iterator(folder, ignored)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(verdict + ".") || !entry.is_regular_file(ignored)) continue;
        std::string process_id = name.substr(verdict.size() + 1);
        bool is_number =
            !process_id.empty() && process_id.find_first_not_of("0123456789") == std::string::npos;
        if (is_number && kill(std::atoi(process_id.c_str()), 0) != 0 && errno == ESRCH) {
            fs::remove(entry.path(), ignored);
        }
    }
}

// The milliseconds in which to search for the change that makes a kernel pass. Together with the
// examination, a check then takes less than five seconds, unless other programs use the processors.
constexpr int kSearchMs = 3700;

std::vector<std::string> make_environment(const CheckRequest& request, const std::string& file,
                                          const fs::path& verdict) {
    std::vector<std::string> environment = {
        "COALESCE_KERNEL=" + file,
        "COALESCE_VERDICT=" + verdict.string(),
        "COALESCE_DEVICE=" + request.device,
        "COALESCE_CACHE=" + (learners_folder() / "cache").string(),
    };
    if (request.exercise.is_beyond()) {
        environment.push_back("COALESCE_EXERCISE=" + request.exercise.name());
    }
    if (request.searches) environment.push_back("COALESCE_SEARCH_MS=" + std::to_string(kSearchMs));
    if (request.uses_grader_rules) environment.push_back("COALESCE_AS_GRADED=1");
    if (request.uses_llvm_ir) environment.push_back("COALESCE_COMPILER=clang_ir");
    // Tell the program where the simulator is. Otherwise it would search for the simulator and
    // restart itself, which takes time.
    fs::path simulator = programs_folder().parent_path() / "lib";
    if (request.device == "sim" && std::getenv("COALESCE_SIMULATOR") == nullptr &&
        fs::exists(simulator / "libcudart.so.13")) {
        environment.push_back("LD_LIBRARY_PATH=" + prepend_to_library_path(simulator));
    }
    return environment;
}

Verdict read_verdict(const fs::path& file) {
    auto text = read_if_exists(file);
    if (!text) throw std::runtime_error(file.string() + " cannot be read");
    return verdict_from_json(*text);
}

// Returns the last `count` lines of a program's output.
std::string last_lines(const std::string& output, int count) {
    size_t begin = output.find_last_not_of('\n');
    if (begin == std::string::npos) return "";
    size_t end = begin + 1;
    for (; begin > 0; --begin) {
        if (output[begin - 1] == '\n' && --count == 0) break;
    }
    return output.substr(begin, end - begin);
}

}  // namespace

std::string CheckResult::failure() const {
    return verdict ? verdict->failure_id() : "";
}

std::string CheckResult::hash() const {
    return verdict ? verdict->source_hash : "";
}

Check::Check(const CheckRequest& request)
    : request_(request),
      file_(request.file.empty() ? request.exercise.relative_file().string() : request.file),
      verdict_file_(choose_verdict_path(request.exercise)) {
    const fs::path program = require_built(checks_program());
    if (request.file.empty()) {
        remove_stale_verdicts(verdict_file_.parent_path(),
                              stored_verdict_path(request.exercise).filename().string());
    }
    // Run the child in the folder to which the file's name is relative: the course's folder, or the
    // current folder if the learner typed the name.
    child_ = std::make_unique<Child>(Command{
        .program = program,
        .arguments = {"--test-case=" + (request.exercise.is_beyond() ? "beyond the transpose"
                                                                     : request.exercise.name())},
        .environment = make_environment(request, file_, verdict_file_),
        .folder = request.file.empty() ? repository() : fs::path(),
        .captures_stderr = true});
}

Check::~Check() {
    if (child_) child_->stop();
    std::error_code ignored;
    fs::remove(verdict_file_, ignored);
}

bool Check::is_over() {
    return child_->wait(0) || milliseconds_left() == 0;
}

bool Check::is_searching() const {
    constexpr int long_ms = 1000;
    std::error_code error;
    return request_.searches && request_.seconds * 1000 - milliseconds_left() >= long_ms &&
           fs::exists(verdict_file_, error);
}

bool Check::wait_for_long_search() {
    constexpr int step_ms = 100;
    while (milliseconds_left() > 0) {
        if (child_->wait(std::min(step_ms, milliseconds_left()))) return false;
        if (is_searching()) return true;
    }
    return false;
}

int Check::milliseconds_left() const {
    auto elapsed_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_time_).count();
    return static_cast<int>(std::max<long long>(0, request_.seconds * 1000LL - elapsed_ms));
}

CheckResult Check::finish() {
    CheckResult result;
    result.file = file_;
    result.uses_llvm_ir = request_.uses_llvm_ir;
    bool has_ended = child_->wait(milliseconds_left());
    // If only the search takes too long, the verdict is already known.
    bool is_examined = has_ended || is_searching();
    child_->stop();
    result.milliseconds =
        std::chrono::duration<double, std::milli>(Clock::now() - start_time_).count();
    if (!is_examined) {
        result.problem = "the examination of " + file_ +
                         " was stopped, because it took longer than " +
                         format_count(request_.seconds, "second") +
                         ". The computer may be very busy, or the GPU may have hung. Try again "
                         "with a longer limit: --seconds 300.";
        return result;
    }
    std::error_code error;
    int code = has_ended ? child_->outcome().exit_code : CheckResult::not_yet;
    if (code > CheckResult::not_examined || !fs::exists(verdict_file_, error)) {
        result.problem = explain_missing_verdict(child_->outcome());
        return result;
    }
    try {
        result.verdict = read_verdict(verdict_file_);
    } catch (const std::exception& problem) {
        result.problem = problem.what();
        return result;
    }
    // The kernel passes only if both the verdict and the exit code report success.
    if (result.verdict->passed() && code == 0) {
        result.outcome = CheckResult::passed;
    } else if (result.verdict->outcome == Verdict::Outcome::failed && code == 1) {
        result.outcome = CheckResult::not_yet;
    }
    // Add the source to the verdict, unless the file has changed since the check.
    auto text =
        read_if_exists(request_.file.empty() ? request_.exercise.file() : fs::path(request_.file));
    if (text && hash_source(*text) == result.hash()) result.verdict->source = *text;
    if (request_.file.empty())
        fs::rename(verdict_file_, stored_verdict_path(request_.exercise), error);
    return result;
}

std::string Check::explain_missing_verdict(const ProcessResult& outcome) const {
    std::string reason = file_ + " could not be examined, because " + checks_program().string() +
                         (outcome.exit_code > 128
                              ? " was killed by signal " + std::to_string(outcome.exit_code - 128)
                              : " ended with exit code " + std::to_string(outcome.exit_code)) +
                         ". ./learn doctor looks for the reason.";
    std::string last_output = last_lines(outcome.output, 10);
    return last_output.empty() ? reason : reason + "\nIts last output:\n" + last_output;
}

CheckResult check(const CheckRequest& request) {
    return Check(request).finish();
}

std::optional<Verdict> last_verdict(const LearnerExercise& exercise, const std::string& hash) {
    try {
        Verdict verdict = read_verdict(stored_verdict_path(exercise));
        if (verdict.source_hash == hash) return verdict;
    } catch (const std::exception&) {
        // There is no stored verdict, or it was written by a different version of the program. The
        // next check stores a new one.
    }
    return std::nullopt;
}

}  // namespace coalesce::learn
