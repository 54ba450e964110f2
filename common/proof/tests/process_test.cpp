#include <doctest/doctest.h>

#include <chrono>

#include "proof/process.h"

using namespace coalesce::proof;

TEST_CASE("exit codes, output, variables") {
    const Ended ended = run({"sh", "-c", "echo out; echo err >&2; echo $COALESCE_X; exit 3"}, 20,
                            {{"COALESCE_X", "x y"}});
    CHECK(ended.exit_code == 3);
    CHECK(ended.output == "out\nerr\nx y\n");
    CHECK_FALSE(ended.timed_out);
    CHECK(run({"sh", "-c", "kill -9 $$"}, 20).exit_code == 137);
    CHECK(run({"no-such-program-anywhere"}, 20).exit_code == 127);
}

TEST_CASE("a program that does not end is ended, with what it started") {
    const auto start = std::chrono::steady_clock::now();
    const Ended ended = run({"sh", "-c", "echo begun; sleep 60 & sleep 60"}, 0.5);
    CHECK(ended.timed_out);
    CHECK(ended.output == "begun\n");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a conversation") {
    Conversation other({"sh", "-c", "while read word; do echo \"heard $word\"; done"});
    CHECK(other.say("one"));
    CHECK(other.hear(20) == "heard one");
    CHECK(other.say("two"));
    CHECK(other.hear(20) == "heard two");
    CHECK_FALSE(other.hear(0.2).has_value());

    Conversation gone({"sh", "-c", "exit 0"});
    CHECK_FALSE(gone.hear(20).has_value());
}
