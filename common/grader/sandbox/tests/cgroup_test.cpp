#include "grader/sandbox/cgroup.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/descriptor.h"

using coalesce::Descriptor;
using namespace coalesce::grader;

namespace {

/// Runs `work` in a child process inside the group, and returns the child's wait status.
template <class Work>
int run_in(const Cgroup& group, Work work) {
    const pid_t child = fork();
    if (child == 0) {
        for (const std::string& entrance : group.entry_files()) {
            const Descriptor file(open(entrance.c_str(), O_WRONLY));
            if (write(file.get(), "0", 1) != 1) _exit(99);
        }
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("a cgroup limits memory, counts out-of-memory kills, and is removed afterwards") {
    auto group = Cgroup::make(std::size_t{64} << 20, 16);
    if (!group) {
        MESSAGE("skipped: this process may make no cgroup here");
        return;
    }
    CHECK_FALSE(find_grader_cgroups(getpid()).empty());
    CHECK(run_in(*group, [] {}) == 0);
    CHECK(group->out_of_memory_kills() == 0);
    const int status = run_in(*group, [] {
        constexpr std::size_t bytes = std::size_t{256} << 20;
        auto* memory = static_cast<volatile char*>(::operator new(bytes));
        for (std::size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    });
    CHECK(WIFSIGNALED(status));
    CHECK(group->out_of_memory_kills() >= 1);
    group.reset();
    CHECK(find_grader_cgroups(getpid()).empty());
}

TEST_CASE("cgroups of a dead grader are removed with their processes, and other cgroups remain") {
    auto mine = Cgroup::make(std::size_t{64} << 20, 16);
    if (!mine) {
        MESSAGE("skipped: this process may make no cgroup here");
        return;
    }
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    // The child acts as a grader that dies and leaves a group with a process.
    const pid_t grader = fork();
    if (grader == 0) {
        auto* left = Cgroup::make(std::size_t{64} << 20, 16).release();
        const pid_t sleeper = fork();
        if (sleeper == 0) {
            for (const std::string& entrance : left->entry_files()) {
                const Descriptor file(open(entrance.c_str(), O_WRONLY));
                if (write(file.get(), "0", 1) != 1) _exit(99);
            }
            if (write(ends[1], "x", 1) != 1) _exit(99);
            for (;;) pause();
        }
        char in_it = 0;
        if (read(ends[0], &in_it, 1) != 1) _exit(99);
        _exit(0);
    }
    waitpid(grader, nullptr, 0);
    // Ignore the number of removed groups, because another grader on this computer may have removed
    // our group first.
    sweep_stale_cgroups();
    CHECK(find_grader_cgroups(grader).empty());
    CHECK_FALSE(find_grader_cgroups(getpid()).empty());
    close(ends[0]);
    close(ends[1]);
}
