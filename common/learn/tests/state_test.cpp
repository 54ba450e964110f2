// Tests how the learner's progress is stored, how damaged files are handled, and that neither
// concurrent commands nor kills cause data loss.

#include "learn/state.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "base/files.h"
#include "learn/predict.h"
#include "learn/work.h"

using coalesce::read_if_exists;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

// A temporary folder for the state, and the warnings that have been printed.
struct StateFolder {
    fs::path path;
    std::vector<std::string> warnings;
    StateFolder() {
        std::string name = (fs::temp_directory_path() / "state-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~StateFolder() { fs::remove_all(path); }
    Progress progress() {
        return Progress(path, [this](const std::string& text) { warnings.push_back(text); });
    }
    void write(const std::string& text) const { std::ofstream(path / "state.json") << text; }
};

Record full_record() {
    Record record;
    record.check_count = 3;
    record.passed_hash = "abc";
    record.passed_at = "2026-01-31T12:00:00Z";
    record.last_hash = "def";
    record.last_failure = "missing-barrier";
    record.hints = {{"all", 2}, {"missing-barrier", 1}};
    record.guesses = {{"load", 4.0, 4.0}, {"store", std::nullopt, 32.0}, {"shared_load", 1.0, {}}};
    record.solution_seen = true;
    record.best_counters = {{"load_sectors", 8192}};
    return record;
}

// Returns the number of updates recorded in the file. Throws if the file is incomplete, which must
// never happen, not even after a kill.
int count_in(const fs::path& folder) {
    auto text = read_if_exists(folder / "state.json");
    return text ? state_from_json(*text).record("x").check_count : 0;
}

void add_one(Progress& progress) {
    progress.update([](State& state) { state.records["x"].check_count++; });
}

}  // namespace

TEST_CASE("a guess is right if it equals the rounded answer or is within the tolerance") {
    CHECK(Guess{"load", 32.0, 32.0}.is_right());
    CHECK(!Guess{"load", 31.0, 32.0}.is_right());
    CHECK(Guess{"load", 1.7, 1.73}.is_right());
    CHECK(!Guess{"load", 2.0, 1.73}.is_right());
    CHECK(!Guess{"load", std::nullopt, 32.0}.is_right());
    CHECK(!Guess{"load", 32.0, std::nullopt}.is_right());
    for (double said : {4.0, 3.74, 3.7, 3.5}) CHECK(Guess{"store", said, 3.74, 0.1}.is_right());
    for (double said : {5.0, 4.5, 3.0}) CHECK(!Guess{"store", said, 3.74, 0.1}.is_right());
    CHECK(format_actual({"store", 4.0, 3.74, 0.1}) == "the count is 3.74 on average: right");
    CHECK(format_actual({"store", 5.0, 4.0}) == "the count is 4: wrong");
    CHECK(format_actual({"store", std::nullopt, 4.0}) == "the count is 4");
    CHECK(format_actual(
              {coalesce::kCopyPercentQuestion, 50.0, 43.0, 0.25, "predicted, G, within 8 %"}) ==
          "the model predicts 43 (predicted, G, within 8 %): right");

    // Files from older versions contain neither "within" nor predicted times.
    State state;
    state.records["x"].guesses = {{"store", 4.0, 3.74, 0.1}};
    Json json = Json::parse(to_json(state));
    CHECK(state_from_json(json.dump()).record("x").guesses[0].tolerance == 0.1);
    json["format"] = 1;
    json["exercises"]["x"].erase("predicted");
    for (const char* new_one : {"within", "label"}) {
        json["exercises"]["x"]["guesses"][0].erase(new_one);
    }
    CHECK(state_from_json(json.dump()).record("x").guesses[0].tolerance ==
          coalesce::kRoundingTolerance);
}

TEST_CASE("a state is read back as it was written") {
    StateFolder folder;
    folder.progress().update([](State& state) {
        state.has_begun = true;
        state.current_exercise = "03_tiled";
        state.records["03_tiled"] = full_record();
    });
    State state = folder.progress().read();
    CHECK(folder.warnings.empty());
    CHECK(state.has_begun);
    CHECK(state.current_exercise == "03_tiled");
    Record record = state.record("03_tiled");
    CHECK(to_json(state) == to_json(State{true, "03_tiled", {{"03_tiled", full_record()}}}));
    CHECK(record.count_used_hints() == 3);
    CHECK(record.guess("load")->is_right());
    CHECK(!record.guess("store")->is_right());
    CHECK(!record.guess("shared_load")->is_right());
    CHECK(record.guess("shared_store") == nullptr);
    CHECK(state.record("04_padded").check_count == 0);
}

TEST_CASE("a passed exercise becomes stale after an edit, and is no longer done") {
    Record record;
    CHECK(status_of(record, "a") == Status::untouched);
    record.check_count = 1;
    CHECK(status_of(record, "a") == Status::not_yet);
    record.passed_hash = hash_source("a");
    CHECK(status_of(record, "a") == Status::done);
    CHECK(status_of(record, "a ") == Status::stale);
    CHECK(status_of(record, std::nullopt) == Status::stale);
}

TEST_CASE("a damaged file is renamed, and progress starts over") {
    for (std::string text :
         {"", "{", "[]", "null", "{\"format\": 1}", "{\"format\": \"one\"}", "\x01\x02\xff",
          "{\"format\": 1, \"has_begun\": true, \"current\": \"\", \"exercises\": {\"x\": 3}}"}) {
        CAPTURE(text);
        StateFolder folder;
        folder.write(text);
        Progress progress = folder.progress();
        CHECK(progress.read().records.empty());
        REQUIRE(folder.warnings.size() == 1);
        CHECK(folder.warnings[0].find("renamed to state.json.broken-1") != std::string::npos);
        CHECK(read_if_exists(folder.path / "state.json.broken-1") == text);
        add_one(progress);
        CHECK(count_in(folder.path) == 1);
        folder.write("again");
        CHECK(progress.read().records.empty());
        CHECK(read_if_exists(folder.path / "state.json.broken-2") == "again");
    }
}

TEST_CASE("a folder in place of the file is renamed too") {
    StateFolder folder;
    fs::create_directories(folder.path / "state.json" / "inside");
    Progress progress = folder.progress();
    add_one(progress);
    CHECK(count_in(folder.path) == 1);
    CHECK(fs::is_directory(folder.path / "state.json.broken-1" / "inside"));
}

TEST_CASE("a state file from a newer version is left unchanged") {
    StateFolder folder;
    folder.write("{\"format\": 3}");
    Progress progress = folder.progress();
    add_one(progress);
    add_one(progress);
    CHECK(read_if_exists(folder.path / "state.json") == "{\"format\": 3}");
    REQUIRE(folder.warnings.size() == 1);
    CHECK(folder.warnings[0].find("newer version of this command") != std::string::npos);
}

TEST_CASE("if the state cannot be written, the command prints one warning and continues") {
    std::vector<std::string> warnings;
    Progress progress("/proc/no-such-folder",
                      [&](const std::string& text) { warnings.push_back(text); });
    add_one(progress);
    add_one(progress);
    CHECK(progress.read().records.empty());
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("your progress is not saved") != std::string::npos);
}

TEST_CASE("two processes that write at the same time lose no updates") {
    constexpr int PROCESSES = 4, UPDATES = 25;
    StateFolder folder;
    std::vector<pid_t> children;
    for (int i = 0; i < PROCESSES; ++i) {
        pid_t child = fork();
        if (child == 0) {
            Progress progress = folder.progress();
            for (int update = 0; update < UPDATES; ++update) add_one(progress);
            _exit(0);
        }
        children.push_back(child);
    }
    for (pid_t child : children) waitpid(child, nullptr, 0);
    CHECK(count_in(folder.path) == PROCESSES * UPDATES);
}

TEST_CASE("a kill at any moment leaves a complete state file, and no other files") {
    constexpr int KILLS = 60;
    StateFolder folder;
    std::mt19937 random(1);
    int before = 0;
    for (int i = 0; i < KILLS; ++i) {
        int busy[2];
        REQUIRE(pipe(busy) == 0);
        pid_t child = fork();
        if (child == 0) {
            Progress progress = folder.progress();
            add_one(progress);
            if (write(busy[1], "!", 1) != 1) _exit(1);
            for (;;) add_one(progress);
        }
        close(busy[1]);
        // On a busy computer, a child process may start late. Wait until it has started, because
        // killing it earlier would prove nothing.
        char said = 0;
        REQUIRE(read(busy[0], &said, 1) == 1);
        usleep(random() % 8000);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        close(busy[0]);
        int now = count_in(folder.path);  // throws if the file is incomplete
        REQUIRE(now > before);
        before = now;
    }
    Progress progress = folder.progress();
    add_one(progress);
    CHECK(count_in(folder.path) == before + 1);
    CHECK(folder.warnings.empty());
    for (auto& entry : fs::directory_iterator(folder.path)) {
        CHECK(!entry.path().filename().string().starts_with("state.json.unfinished"));
    }
}
