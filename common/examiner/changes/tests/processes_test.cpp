// Tests that attempts are made in child processes, in order, and until the deadline.
#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "examiner/changes/processes.h"

using namespace coalesce::changes;
using namespace std::chrono_literals;

namespace {

using MakeAttempt = Attempt (*)(std::size_t);

/// Makes attempts with a function.
class FunctionAttempter : public Attempter {
public:
    explicit FunctionAttempter(MakeAttempt make) : make_(make) {}
    void attempt(std::size_t first, std::size_t end,
                 const std::function<bool(std::size_t, Attempt)>& report) override {
        for (std::size_t i = first; i < end; ++i) {
            if (!report(i, make_(i))) return;
        }
    }

private:
    MakeAttempt make_;
};

std::vector<Attempt> attempts_with(MakeAttempt make, std::chrono::milliseconds time,
                                   std::size_t count = 8) {
    return make_attempts({.count = count,
                          .processes = 2,
                          .deadline = std::chrono::steady_clock::now() + time,
                          .count_after_pass = [](std::size_t passed) { return passed + 2; }},
                         [=] { return std::make_unique<FunctionAttempter>(make); });
}

}  // namespace

TEST_CASE("results come back from the child processes") {
    static const pid_t parent = getpid();
    const auto results = attempts_with(
        [](std::size_t number) -> Attempt {
            return {getpid() == parent ? Outcome::passed : Outcome::failed, 7 * number};
        },
        10s);
    REQUIRE(results.size() == 8);
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(results[i].outcome == Outcome::failed);
        CHECK(results[i].hash == 7 * i);
    }
}

TEST_CASE("a crash ends one attempt, not the search") {
    const auto results = attempts_with(
        [](std::size_t number) -> Attempt {
            if (number == 2) raise(SIGSEGV);
            if (number == 3) std::exit(3);
            return {Outcome::failed};
        },
        10s);
    CHECK(results[2].outcome == Outcome::untried);
    CHECK(results[3].outcome == Outcome::untried);
    CHECK(results[4].outcome == Outcome::failed);
    CHECK(results[7].outcome == Outcome::failed);
}

TEST_CASE("the search ends at the deadline, and soon after a pass") {
    const auto start = std::chrono::steady_clock::now();
    const auto late = attempts_with(
        [](std::size_t) -> Attempt {
            sleep(60);
            return {Outcome::passed};
        },
        50ms);
    CHECK(std::chrono::steady_clock::now() - start < 10s);
    CHECK(late[0].outcome == Outcome::untried);

    const auto early = attempts_with(
        [](std::size_t number) -> Attempt {
            return {number == 1 ? Outcome::passed : Outcome::failed};
        },
        10s, 100'000);
    CHECK(early[1].outcome == Outcome::passed);
    CHECK(early.back().outcome == Outcome::untried);
}
