// Tests small components of the command, such as formatted figures, diffs, and explanations of
// counters.

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/child.h"
#include "examiner/render.h"
#include "learn/counted.h"
#include "learn/file_watcher.h"
#include "learn/line_diff.h"
#include "learn/raw_terminal.h"
#include "learn/terminal.h"
#include "learn/verdict_text.h"
#include "learn/work.h"
#include "timing/gpu.h"

using namespace coalesce::learn;

namespace {

Json counters(double load_requests, double load_sectors, double wavefronts, double ideal) {
    return {{"load_requests", load_requests},
            {"load_sectors", load_sectors},
            {"store_requests", 0},
            {"store_sectors", 0},
            {"shared_load_requests", ideal},
            {"shared_load_wavefronts", wavefronts},
            {"shared_load_ideal", ideal}};
}

coalesce::Counters counters_in(const Json& yours) {
    coalesce::Counters counters;
    counters.load_requests = yours.at("load_requests");
    counters.load_sectors = yours.at("load_sectors");
    counters.shared_load_requests = yours.at("shared_load_requests");
    counters.shared_load_wavefronts = yours.at("shared_load_wavefronts");
    counters.shared_load_ideal = yours.at("shared_load_ideal");
    return counters;
}

coalesce::Verdict verdict_with(const Json& yours) {
    coalesce::Verdict verdict;
    verdict.counted_shape = {256, 256};
    verdict.counters = counters_in(yours);
    return verdict;
}

std::string short_diff(const std::string& first, const std::string& second) {
    return diff_text(line_diff(first, second));
}

}  // namespace

TEST_CASE("figures have units and a suitable number of digits") {
    CHECK(format_figure(4) == "4");
    CHECK(format_figure(1.5) == "1.5");
    CHECK(format_figure(1.0 / 3) == "0.33");
    CHECK(format_figure(1015808) == "1,015,808");
    CHECK(format_figure(1234.5) == "1,234.5");
    CHECK(format_figure(std::optional<double>()) == "-");
}

TEST_CASE("counters are shown per request, beside the ideal values") {
    Json some = counters(2048, 65536, 2048, 1024);
    CHECK(average_per_request(some, "load") == 32);
    CHECK(average_per_request(some, "shared_load") == 2);
    CHECK(!average_per_request(some, "store"));
    CHECK(!average_per_request(nullptr, "load"));
    CHECK(ideal_per_request(some, "load", 256 * 256) == 4);
    CHECK(ideal_per_request(some, "shared_load", 256 * 256) == 1);
    const auto rows = coalesce::cost_rows(verdict_with(some));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].label == "sectors per load");
    CHECK(rows[0].kernel_cost == "32");
    CHECK(rows[0].ideal_cost == "4");
    CHECK(rows[0].solution == "-");
    CHECK(rows[2].label == "bank conflicts");
    CHECK(rows[2].kernel_cost == "1024");
    CHECK(coalesce::cost_rows(coalesce::Verdict{}).empty());
}

TEST_CASE("the details of a predicted time are shortened to fit the available space") {
    coalesce::Verdict verdict = verdict_with(counters(2048, 8192, 2048, 2048));
    verdict.outcome = coalesce::Verdict::Outcome::passed;
    verdict.is_simulated = true;
    coalesce::Predicted& predicted = verdict.predicted.emplace();
    predicted.shape = {8192, 8192};
    predicted.gpu = coalesce::timing::known_gpus().front().name;
    predicted.copy_gbps = 4000;
    predicted.ms = 0.2;
    predicted.gbps = 2684;
    predicted.launches.resize(1);
    predicted.launches[0].ms = predicted.ms;
    CheckResult result;
    result.outcome = CheckResult::passed;
    result.verdict = verdict;
    coalesce::course::Step step;
    step.name = "02_naive";
    const auto shown = [&](int lines) {
        return format_pass_or_prompt({&step, false}, result, {.counters = true}, {.lines = lines});
    };
    const auto height = [](const std::string& text) {
        return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    };
    const std::string all = shown(0);
    CAPTURE(all);
    CHECK(all.find("Time at 8192 x 8192: about") != std::string::npos);
    CHECK(shown(height(all)) == all);
    const std::string less = shown(height(all) - 1);
    CHECK(less.find("Time at 8192 x 8192") == std::string::npos);
    CHECK(less.find("% of a copy, predicted") != std::string::npos);
    CHECK(shown(height(less) - 1).find("predicted") == std::string::npos);
    CHECK(height(shown(height(less) - 1)) == height(less) - 1);
}

TEST_CASE("the cost of each line is explained") {
    Json costly = counters(2048, 65536, 2048, 1024);
    auto reasons = explain_line_costs(verdict_with(costly), counters_in(costly));
    REQUIRE(reasons.size() == 2);
    CHECK(reasons[0].find("touches 32 sectors") != std::string::npos);
    CHECK(reasons[0].find("only 4 bytes are used") != std::string::npos);
    CHECK(reasons[1].find("takes 2 wavefronts, but 1 would be enough") != std::string::npos);
    Json wide = counters(512, 8192, 512, 512);  // four elements of 4 bytes per lane
    reasons = explain_line_costs(verdict_with(wide), counters_in(wide));
    CHECK(reasons[0].find("32 lanes with 16 bytes each need 512 bytes, 16 sectors. No byte") !=
          std::string::npos);
    CHECK(reasons[1].find("the minimum") != std::string::npos);
}

TEST_CASE("a diff shows only changed lines and a few lines of context") {
    const auto shown = [](const std::string& first, const std::string& second) {
        return diff_text(keep_changes(line_diff(first, second), 1));
    };
    CHECK(shown("a\nb\nc\nd\ne\n", "a\nb\nc\nx\ne\n") ==
          "  ... 2 equal lines\n  c\n- d\n+ x\n  e\n");
    CHECK(shown("a\nb\nc\n", "x\nb\nc\n") == "- a\n+ x\n  b\n  c\n");
    CHECK(shown("a\nb\nc\n", "a\nb\nc\n") == "  a\n  b\n  c\n");
}

TEST_CASE("all differences between two texts are listed") {
    CHECK(short_diff("", "") == "");
    CHECK(short_diff("a\nb\n", "a\nb\n") == "  a\n  b\n");
    CHECK(short_diff("a\nb\nc\n", "a\nc\nd\n") == "  a\n- b\n  c\n+ d\n");
    CHECK(short_diff("a\n", "") == "- a\n");
    CHECK(short_diff("", "a\n") == "+ a\n");
}

TEST_CASE("two texts printed side by side do not overlap") {
    auto diff = line_diff("same\n" + std::string(60, 'a') + "\n", "same\nb\nc\n");
    std::string text = format_side_by_side("yours", "theirs", diff, 80);
    std::istringstream lines(text);
    int marked = 0;
    for (std::string line; std::getline(lines, line);) {
        CHECK(line.size() <= 80);
        marked += line.find(" * ") != std::string::npos;
    }
    CHECK(marked == 2);
    CHECK(text.find("same") < text.find(std::string(38, 'a')));
}

TEST_CASE("long text is split into pages") {
    CHECK(height_of("", 80) == 0);
    CHECK(height_of("a\n\nb\n", 80) == 3);
    CHECK(height_of(std::string(80, 'x'), 80) == 1);
    CHECK(height_of(std::string(81, 'x') + "\n", 80) == 2);
    CHECK(height_of("\033[31m" + std::string(80, 'x') + "\033[0m", 80) == 1);
    CHECK(split_into_pages("", 80, 3) == std::vector<std::string>{""});
    CHECK(split_into_pages("a\nb\nc\n", 80, 3) == std::vector<std::string>{"a\nb\nc\n"});
    CHECK(split_into_pages("a\nb\nc\nd", 80, 3) == std::vector<std::string>{"a\nb\nc\n", "d\n"});
    CHECK(split_into_pages("a\n1234567\nb\n", 3, 3) ==
          std::vector<std::string>{"a\n", "1234567\n", "b\n"});
}

TEST_CASE("an excerpt marks its line and column, and contains no control characters") {
    CHECK(coalesce::excerpt("a\nb\nc\nd\ne\nf\n", 4, 0) ==
          "     2 | b\n     3 | c\n>    4 | d\n     5 | e\n     6 | f\n");
    CHECK(coalesce::excerpt("ab\n", 1, 2) == ">    1 | ab\n       |  ^\n");
    CHECK(coalesce::excerpt("\x1b[2Ja\n", 1, 0) == ">    1 | \\x1b[2Ja\n");
    CHECK(coalesce::excerpt("", 1, 1) == "");
}

// ---- watching files ----

namespace {

struct WatchedFile {
    std::filesystem::path folder, file;
    WatchedFile() {
        std::string name = (std::filesystem::temp_directory_path() / "watch-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        folder = name;
        file = folder / "kernel.cu";
    }
    ~WatchedFile() { std::filesystem::remove_all(folder); }
    void write(const std::string& text) const { std::ofstream(file) << text; }
};

// Reports whether the watcher notices a change within `milliseconds`.
bool notices(FileWatcher& watcher, int milliseconds) {
    for (int i = 0; i < milliseconds; i += 5) {
        if (watcher.has_changed()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

constexpr int SOON = 3000, NEVER = 600;

}  // namespace

TEST_CASE(
    "a change to a watched file is noticed, however the file is written, if its content differs") {
    for (bool polls : {false, true}) {
        CAPTURE(polls);
        WatchedFile watched;
        FileWatcher watcher(watched.file, polls);
        CHECK(watcher.is_polling() == polls);
        CHECK(notices(watcher, SOON));  // reports that the file is missing
        CHECK(!watcher.text());
        watched.write("one");
        CHECK(notices(watcher, SOON));
        CHECK(watcher.text() == "one");
        watched.write("one");  // the content is the same as before
        CHECK(!notices(watcher, NEVER));
        std::ofstream(watched.folder / "other.cu") << "noise";
        CHECK(!notices(watcher, NEVER));
        // Many editors write to a new file and then rename it.
        std::ofstream(watched.folder / ".kernel.cu.swp") << "two";
        std::filesystem::rename(watched.folder / ".kernel.cu.swp", watched.file);
        CHECK(notices(watcher, SOON));
        CHECK(watcher.text() == "two");
        std::filesystem::remove(watched.file);
        CHECK(notices(watcher, SOON));
        CHECK(!watcher.text());
        watched.write("three");
        CHECK(notices(watcher, SOON));
    }
}

TEST_CASE("the watcher follows a symbolic link, and notices when a folder is replaced") {
    WatchedFile watched;
    std::ofstream(watched.folder / "elsewhere.txt") << "one";
    std::filesystem::create_directory(watched.folder / "in");
    std::filesystem::path link = watched.folder / "in" / "kernel.cu";
    std::filesystem::create_symlink(watched.folder / "elsewhere.txt", link);
    FileWatcher watcher(link, false);
    CHECK(notices(watcher, SOON));
    std::ofstream(watched.folder / "elsewhere.txt") << "two";
    CHECK(notices(watcher, SOON));
    std::filesystem::remove_all(watched.folder / "in");
    CHECK(notices(watcher, SOON));
    CHECK(!watcher.text());
    std::filesystem::create_directory(watched.folder / "in");
    std::ofstream(link) << "three";
    CHECK(notices(watcher, SOON));
    CHECK(watcher.text() == "three");
}

TEST_CASE("the watcher waits until a file is completely written") {
    constexpr int PARTS = 12;
    WatchedFile watched;
    watched.write("0");
    FileWatcher watcher(watched.file, false);
    CHECK(notices(watcher, SOON));
    std::ofstream stream(watched.file);
    int seen = 0;
    for (int i = 0; i < PARTS; ++i) {
        stream << "part " << i << "\n" << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        seen += watcher.has_changed();
    }
    stream.close();
    while (notices(watcher, NEVER)) ++seen;
    CHECK(seen >= 1);
    CHECK(seen <= PARTS / 3);
    CHECK(watcher.text()->ends_with("part 11\n"));
}

TEST_CASE("file systems that do not report changes are detected") {
    CHECK(!must_poll("/proc"));
    CHECK(!must_poll("/nonexistent"));
}

TEST_CASE("a signal interrupts a prompt, even if it arrived before the wait began") {
    // No key has been typed yet.
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    int usual = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    std::string answer;
    {
        Signals signals;
        raise(SIGINT);
        CHECK(!ask("Before? ", answer));
        CHECK(signals.take_signal() == SIGINT);
        std::thread later([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            kill(getpid(), SIGTERM);
        });
        CHECK(!ask("While? ", answer));
        CHECK(signals.take_signal() == SIGTERM);
        later.join();
        REQUIRE(write(ends[1], " 4 \n", 4) == 4);
        CHECK(ask("Now? ", answer));
        CHECK(answer == "4");
    }
    REQUIRE(write(ends[1], "5\n", 2) == 2);
    CHECK(ask("And without Signals? ", answer));
    CHECK(answer == "5");
    dup2(usual, STDIN_FILENO);
    for (int end : {ends[0], ends[1], usual}) close(end);
}
