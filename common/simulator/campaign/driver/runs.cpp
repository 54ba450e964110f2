// See runs.h.
//
// Linux only: pipe2.
#include "campaign/driver/runs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace coalesce::campaign {
namespace {

/// Without a line for this long a kernel counts as hanging.
constexpr int kPatienceMilliseconds = 60'000;

std::string folder_of(const Mode& mode, const std::string& library) {
    return mode.library.empty() ? library : mode.library;
}

std::vector<std::string> environment(const Mode& mode, const std::string& library) {
    std::vector<std::string> all;
    for (char** e = environ; *e; ++e) {
        const std::string variable = *e;
        if (!variable.starts_with("COALESCE_SIM_") && !variable.starts_with("LD_LIBRARY_PATH="))
            all.push_back(variable);
    }
    all.push_back("LD_LIBRARY_PATH=" + folder_of(mode, library));
    std::istringstream words(in_words(mode));
    for (std::string word; words >> word;) all.push_back(word);
    return all;
}

class Pipe {
public:
    Pipe() {
        if (pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        close(ends_[0]);
        close_write();
    }
    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_write() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }

private:
    int ends_[2];
};

pid_t start(const std::vector<std::string>& words, const std::vector<std::string>& variables,
            int standard_output) {
    std::vector<char*> arguments, all;
    for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
    for (const std::string& v : variables) all.push_back(const_cast<char*>(v.c_str()));
    arguments.push_back(nullptr);
    all.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, standard_output, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), all.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed) throw std::runtime_error(words[0] + " cannot be started");
    return child;
}

/// `done NAME RESULTS COUNTERS REPORTS values # report` or `error NAME WHAT`.
Outcome read_line(const std::string& line) {
    Outcome outcome;
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind == "error") {
        outcome.status = Outcome::Status::error;
        std::getline(words, outcome.text);
        return outcome;
    }
    outcome.status = Outcome::Status::done;
    std::string hash;
    words >> outcome.results >> hash >> outcome.reports;
    std::string rest;
    std::getline(words, rest);
    const auto report = rest.find(" # ");
    outcome.counters = hash + rest.substr(0, report);
    if (report != rest.npos) outcome.text = rest.substr(report + 3);
    return outcome;
}

/// All outcomes that one process gives before it ends.
std::vector<Outcome> outcomes_of(int from) {
    std::vector<Outcome> outcomes;
    std::string text;
    char buffer[65536];
    for (;;) {
        pollfd watched{from, POLLIN, 0};
        if (poll(&watched, 1, kPatienceMilliseconds) <= 0) break;
        const ssize_t got = read(from, buffer, sizeof buffer);
        if (got <= 0) break;
        text.append(buffer, static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
            const std::string line = text.substr(begin, end - begin);
            if (line.starts_with("done ") || line.starts_with("error "))
                outcomes.push_back(read_line(line));
        }
        text.erase(0, begin);
    }
    return outcomes;
}

std::filesystem::path write_bundle(const std::vector<Case>& cases) {
    static std::atomic<int> count{0};
    const auto file =
        std::filesystem::temp_directory_path() /
        ("campaign-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".txt");
    std::ofstream stream(file);
    for (const Case& c : cases) stream << "//// " << c.name << "\n" << c.ptx;
    return file;
}

}  // namespace

std::string in_words(const Mode& mode) {
    std::string text = "COALESCE_SIM_THREADS=" + std::to_string(mode.threads);
    if (mode.plain) text += " COALESCE_SIM_PLAIN=1";
    if (mode.seed) text += " COALESCE_SIM_SEED=" + std::to_string(mode.seed);
    return text;
}

std::string Runner::command(const std::string& file, const Mode& mode) const {
    return "LD_LIBRARY_PATH=" + folder_of(mode, library_) + " " + in_words(mode) + " " + program_ +
           " " + file;
}

std::vector<Outcome> Runner::run(const std::vector<Case>& cases, const Mode& mode) const {
    const std::filesystem::path bundle = write_bundle(cases);
    std::vector<Outcome> all;
    while (all.size() < cases.size()) {
        Pipe pipe;
        const pid_t child = start(
            {program_, "--limit", std::to_string(mode.limit), "--level", std::to_string(mode.level),
             "--skip", std::to_string(all.size()), bundle.string()},
            environment(mode, library_), pipe.write_end());
        pipe.close_write();
        const std::vector<Outcome> some = outcomes_of(pipe.read_end());
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        all.insert(all.end(), some.begin(), some.end());
        if (all.size() >= cases.size()) break;
        if (!some.empty() && WIFEXITED(status) && WEXITSTATUS(status) == kGoOn) continue;
        Outcome crashed;  // the one after the last that gave a line
        crashed.text = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
                           ? "signal " + std::to_string(WTERMSIG(status))
                       : WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                           : "no answer";
        all.push_back(crashed);
    }
    std::filesystem::remove(bundle);
    return all;
}

std::string difference(const Outcome& a, const Outcome& b, bool same_order) {
    using Status = Outcome::Status;
    for (const Outcome* o : {&a, &b}) {
        if (o->status == Status::crashed) return "crashed: " + o->text;
        if (o->status == Status::error) return "error: " + o->text;
    }
    if (a.results != b.results) return "results";
    const bool both_count = !a.counters.empty() && !b.counters.empty();  // a GPU does not
    if (same_order && both_count && a.counters != b.counters)
        return "counters: " + a.counters + " and " + b.counters;
    for (const Outcome* o : {&a, &b})
        if (o->reports) return "report: " + o->text;
    return "";
}

}  // namespace coalesce::campaign
