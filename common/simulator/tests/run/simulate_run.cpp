// See simulate_run.h.
#include "simulate_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace coalesce::tests {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(2);
}

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void redirect(int descriptor, const char* file, int flags) {
    const int opened = open(file, flags, 0600);
    if (opened < 0 || dup2(opened, descriptor) < 0) _exit(126);
}

/// Runs a command with its output redirected to files. A pipe could fill up and block the command.
int run_redirected(const std::vector<std::string>& command, const fs::path& out,
                   const fs::path& err) {
    std::vector<char*> pointers;
    for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    const pid_t process = fork();
    if (process < 0) give_up("cannot start a process");
    if (process == 0) {
        redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
        redirect(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
        execv(pointers[0], pointers.data());
        _exit(127);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Outcome simulate(const std::string& simulate_path, const std::vector<std::string>& options,
                 const std::vector<std::string>& program) {
    std::string pattern = (fs::temp_directory_path() / "coalesce-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) give_up("cannot make a folder " + pattern);
    const fs::path folder = pattern;

    std::vector<std::string> command{simulate_path, "--json", folder / "report.json"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), program.begin(), program.end());
    Outcome outcome;
    outcome.exit_code = run_redirected(command, folder / "out", folder / "err");
    outcome.out = read_file(folder / "out");
    outcome.err = read_file(folder / "err");
    outcome.report =
        nlohmann::ordered_json::parse(read_file(folder / "report.json"), nullptr, false);
    if (outcome.report.is_discarded()) outcome.report = nullptr;
    fs::remove_all(folder);
    return outcome;
}

std::vector<std::string> read_lines(const std::string& file) {
    if (!fs::is_regular_file(file)) give_up("cannot read " + file);
    return split_lines(read_file(file));
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    const std::size_t end = text.find_last_not_of(" \t\r");
    return std::string(text.substr(begin, end - begin + 1));
}

std::string base_name(const std::string& path) {
    return fs::path(path).filename().string();
}

std::string as_quote(const std::string& text) {
    std::string out;
    for (const std::string& line : split_lines(text)) out += "  | " + line + "\n";
    return out.empty() ? "  | (nothing)\n" : out;
}

}  // namespace coalesce::tests
