#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/child.h"

using namespace coalesce;

TEST_CASE(
    "a child's exit code and output are returned, and environment variables are passed to it") {
    const ProcessResult ended = run_child(
        {"sh", "-c", "echo out; echo err >&2; echo $COALESCE_X; exit 3"}, 20, {"COALESCE_X=x y"});
    CHECK(ended.exit_code == 3);
    CHECK(ended.output == "out\nerr\nx y\n");
    CHECK_FALSE(ended.timed_out);
    CHECK(run_child({"sh", "-c", "kill -9 $$"}, 20).exit_code == 137);
    CHECK(run_child({"pwd"}, 20, {}, "/usr").output == "/usr\n");
    const ProcessResult nothing = run_child({"no-such-program-anywhere"}, 20);
    CHECK(nothing.exit_code == 127);
    CHECK(nothing.output ==
          "no-such-program-anywhere cannot be started: No such file or directory\n");
    CHECK(run_child({"true"}, 20, {}, "/no/such/folder").exit_code == 127);
}

TEST_CASE("a child's standard input is empty, and its output may exceed the capacity of a pipe") {
    CHECK(run_child({"cat"}, 20).exit_code == 0);
    CHECK(run_child({"sh", "-c", "head -c 1000000 /dev/zero"}, 20).output.size() == 1'000'000);
}

TEST_CASE("a program that exceeds its time limit is killed, together with its child processes") {
    const auto start = std::chrono::steady_clock::now();
    const ProcessResult ended = run_child({"sh", "-c", "sleep 60 & echo $!; sleep 60"}, 0.5);
    CHECK(ended.timed_out);
    CHECK(ended.exit_code == 137);
    CHECK(run_child({"yes"}, 0.3).timed_out);
    const pid_t sleeper = std::stoi(ended.output);
    // The process may end a little after the signal, so wait. A zombie process counts as ended.
    bool is_gone = false;
    for (int i = 0; i < 100 && !is_gone; ++i) {
        is_gone = run_child({"sh", "-c",
                             "grep -q '^State:.[^Z]' /proc/" + std::to_string(sleeper) +
                                 "/status 2>/dev/null"},
                            20)
                      .exit_code != 0;
    }
    CHECK(is_gone);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a child process reports its output, its exit code and a timeout") {
    Child quick({.program = "/bin/sh",
                 .arguments = {"-c", "echo $GIVEN; pwd; echo error >&2; exit 3"},
                 .environment = {"GIVEN=something"},
                 .folder = "/",
                 .captures_stderr = true});
    CHECK(quick.wait(10'000));
    CHECK(quick.outcome().exit_code == 3);
    CHECK(quick.outcome().output == "something\n/\nerror\n");

    Child slow({.program = "/bin/sleep", .arguments = {"100"}});
    CHECK(!slow.wait(0));
    CHECK(!slow.wait(30));
    slow.stop();
    CHECK(slow.outcome().exit_code == 128 + 9);

    // A child that has closed its output may still be running.
    Child silent({.program = "/bin/sh", .arguments = {"-c", "exec >&-; exec sleep 100"}});
    CHECK(!silent.wait(100));
    CHECK_THROWS_AS(Child({.program = "/nonexistent/program"}), std::runtime_error);
}

TEST_CASE("a child has the default signal handlers, even if its parent has installed others") {
    const auto before = signal(SIGTERM, SIG_IGN);
    CHECK(run_child({"sh", "-c", "kill -TERM $$; sleep 60"}, 20).exit_code == 128 + SIGTERM);
    signal(SIGTERM, before);
}

TEST_CASE("lines can be sent to a child process and received from it") {
    Child other({.program = "sh",
                 .arguments = {"-c", "while read word; do echo \"heard $word\"; done"},
                 .has_stdin_pipe = true});
    CHECK(other.send_line("one"));
    CHECK(other.receive_line(20) == "heard one");
    CHECK(other.send_line("two"));
    CHECK(other.receive_line(20) == "heard two");
    CHECK_FALSE(other.receive_line(0.2).has_value());

    Child gone({.program = "sh", .arguments = {"-c", "exit 0"}, .has_stdin_pipe = true});
    CHECK_FALSE(gone.receive_line(20).has_value());
    CHECK(gone.wait(20'000));
    CHECK_FALSE(gone.send_line("hello"));
}

TEST_CASE("programs are found on the PATH") {
    CHECK(find_program("sh").ends_with("/sh"));
    CHECK(find_program("no-such-program-anywhere") == "");
    CHECK(find_program("/bin/sh") == "/bin/sh");
    CHECK(find_program("/bin/no-such-program") == "");
}

TEST_CASE("a given folder is searched for libraries before the default folders") {
    setenv("LD_LIBRARY_PATH", "/one:/two", 1);
    CHECK(prepend_to_library_path("/ours") == "/ours:/one:/two");
    // If LD_LIBRARY_PATH is empty, the result must not end in a colon, which would add the working
    // directory.
    setenv("LD_LIBRARY_PATH", "", 1);
    CHECK(prepend_to_library_path("/ours") == "/ours");
    unsetenv("LD_LIBRARY_PATH");
    CHECK(prepend_to_library_path("/ours") == "/ours");
}
