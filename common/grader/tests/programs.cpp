#include "grader/tests/programs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/child.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Returns the fields of /proc/PID/stat that follow the name, or {} if the process no longer exists.
// The name itself may contain any character.
std::vector<std::string> fields_of(pid_t process) {
    std::string text = text_of("/proc/" + std::to_string(process) + "/stat");
    std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return {};
    std::istringstream rest(text.substr(name_end + 1));
    std::vector<std::string> fields;
    for (std::string field; rest >> field;) fields.push_back(field);
    return fields.size() > 19 ? fields : std::vector<std::string>{};
}

constexpr std::size_t STATE = 0, PARENT = 1, BEGIN = 19;

}  // namespace

pid_t start(const std::vector<std::string>& command, const fs::path& output) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = fork();
    if (process < 0) throw std::runtime_error("fork failed");
    if (process > 0) return process;
    // The child process must end when the test ends.
    end_with_parent();
    int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Ended run_to_end(const std::vector<std::string>& command) {
    std::string pattern = fs::temp_directory_path() / "coalesce-output-XXXXXX";
    int file = mkstemp(pattern.data());
    if (file < 0) throw std::runtime_error("no temporary file");
    close(file);
    Ended ended;
    ended.code = wait_for(start(command, pattern));
    ended.output = text_of(pattern);
    fs::remove(pattern);
    return ended;
}

std::vector<Process> descendants(pid_t process) {
    std::multimap<pid_t, Process> children;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
        std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        pid_t number = std::stoi(name);
        std::vector<std::string> fields = fields_of(number);
        if (!fields.empty()) children.insert({std::stoi(fields[PARENT]), {number, fields[BEGIN]}});
    }
    std::vector<Process> found;
    std::vector<pid_t> todo = {process};
    while (!todo.empty()) {
        pid_t parent = todo.back();
        todo.pop_back();
        for (auto [it, end] = children.equal_range(parent); it != end; ++it) {
            found.push_back(it->second);
            todo.push_back(it->second.first);
        }
    }
    return found;
}

std::string told(const Process& process) {
    const fs::path about = "/proc/" + std::to_string(process.first);
    const std::vector<std::string> fields = fields_of(process.first);
    if (fields.empty()) return std::to_string(process.first) + " (has ended meanwhile)";
    std::string command = text_of(about / "cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    return std::to_string(process.first) + " " + fields[STATE] + ", below " + fields[PARENT] +
           ", waits in " + text_of(about / "wchan") + ", system call " +
           text_of(about / "syscall") + "  " + command;
}

bool is_alive(const Process& process) {
    std::vector<std::string> fields = fields_of(process.first);
    return !fields.empty() && fields[BEGIN] == process.second && fields[STATE] != "Z";
}

}  // namespace coalesce::grader
