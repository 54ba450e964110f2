#include "grader/sandbox/program/clang_beside.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/child.h"
#include "grader/sandbox/filters.h"

namespace coalesce::grader {
namespace {

/// The maximum number of bytes of output to keep. No assignment allows more PTX.
constexpr std::size_t kMaxOutputBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxMessageBytes = std::size_t{256} << 10;
/// The exit code of the process if clang could not be restricted or started.
constexpr int kExecFailed = 126;

/// Runs in the new process, and replaces the process with clang.
[[noreturn]] void exec_clang(const std::vector<std::string>& command, bool is_restricted, int input,
                             int output, int messages, pid_t worker) {
    if (!end_with_parent(worker)) _exit(kExecFailed);
    // First duplicate the descriptors to numbers from 16 upwards, so that dup2 does not overwrite a
    // descriptor that is still needed.
    const int duplicates[3] = {fcntl(input, F_DUPFD, 16), fcntl(output, F_DUPFD, 16),
                               fcntl(messages, F_DUPFD, 16)};
    for (int i = 0; i < 3; ++i) dup2(duplicates[i], i);
    if (syscall(SYS_close_range, 3, ~0U, 0) != 0) {
        for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
    }
    const std::vector<char*> arguments = to_c_string_array(command);
    char locale[] = "LC_ALL=C", folder[] = "TMPDIR=/nonexistent";
    // After a crash, clang would otherwise try to start a program that prints function names.
    char no_symbolization[] = "LLVM_DISABLE_SYMBOLIZATION=1";
    char* environment[] = {locale, folder, no_symbolization, nullptr};
    try {
        if (is_restricted) restrict_system_calls(Duty::clang);
    } catch (const std::exception&) {
        _exit(kExecFailed);
    }
    execve(arguments[0], arguments.data(), environment);
    _exit(kExecFailed);
}

/// Reads the available data. At the end of the data, closes the descriptor.
void read_available(Descriptor& source, std::string& text, std::size_t max_bytes) {
    char buffer[65536];
    const ssize_t count = read(source.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) return source.reset();
    if (text.size() < max_bytes) text.append(buffer, static_cast<std::size_t>(count));
    // Close the pipe, because the process may never stop printing.
    else if (text.size() >= max_bytes && max_bytes == kMaxOutputBytes)
        source.reset();
}

/// Writes as much as the pipe accepts. Closes the descriptor when everything is written or the
/// reader has closed its end.
void write_some(Descriptor& destination, std::string_view& text) {
    const ssize_t count =
        write(destination.get(), text.data(), std::min<std::size_t>(text.size(), 4096));
    if (count < 0 && errno == EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    if (count < 0 || text.empty()) destination.reset();
}

}  // namespace

ClangProcess::ClangProcess(const std::vector<std::string>& command, bool is_restricted) {
    if (command.empty()) throw std::runtime_error("clang was not found");
    Pipe input, output, messages;
    const pid_t worker = getpid();
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("a process cannot be created for clang");
    if (process_ == 0) {
        exec_clang(command, is_restricted, input.read.get(), output.write.get(),
                   messages.write.get(), worker);
    }
    input_ = std::move(input.write);
    output_ = std::move(output.read);
    messages_ = std::move(messages.read);
}

ClangProcess::~ClangProcess() {
    input_.reset();
    output_.reset();
    messages_.reset();
    if (process_ > 0) wait_for_end();
}

int ClangProcess::wait_for_end() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
}

RawOutput ClangProcess::compile(const std::string& text) {
    RawOutput result;
    std::string_view remaining_text = text;
    while (output_ || messages_) {
        // Writing never blocks, because poll reports a pipe only if it has room for 4096 bytes.
        pollfd poll_entries[3] = {{input_ ? input_.get() : -1, POLLOUT, 0},
                                  {output_ ? output_.get() : -1, POLLIN, 0},
                                  {messages_ ? messages_.get() : -1, POLLIN, 0}};
        if (poll(poll_entries, 3, -1) < 0 && errno != EINTR) throw std::runtime_error("poll");
        if (poll_entries[0].revents != 0) write_some(input_, remaining_text);
        if (poll_entries[1].revents != 0) read_available(output_, result.ptx, kMaxOutputBytes);
        if (poll_entries[2].revents != 0)
            read_available(messages_, result.output, kMaxMessageBytes);
    }
    const int status = wait_for_end();
    if (WIFSIGNALED(status)) {
        const bool is_out_of_memory =
            result.output.find("LLVM ERROR: out of memory") != result.output.npos;
        if (is_out_of_memory) throw std::bad_alloc();
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    const int code = WEXITSTATUS(status);
    if (code == kExecFailed) throw std::runtime_error("clang could not be started");
    result.is_good = code == 0 && !result.ptx.empty();
    return result;
}

}  // namespace coalesce::grader
