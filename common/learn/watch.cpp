// One loop waits for everything that can happen: the file changes, a check is ready, a key, a signal.

#include "learn/watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "base/clock.h"
#include "harness/text.h"
#include "learn/check.h"
#include "learn/compare.h"
#include "learn/file_watcher.h"
#include "learn/hint.h"
#include "learn/measure.h"
#include "learn/pages.h"
#include "learn/paths.h"
#include "learn/predict.h"
#include "learn/raw_terminal.h"
#include "learn/report.h"

namespace coalesce::learn {
namespace {

constexpr int PICTURE_MILLISECONDS = 30'000;

// Everything that `action` writes to std::cout, what went wrong in it included.
template <typename Action>
std::string said_by(Action action) {
    std::ostringstream text;
    std::streambuf* terminal = std::cout.rdbuf(text.rdbuf());
    try {
        action();
    } catch (const std::exception& problem) {
        text << wrap(problem.what());
    }
    std::cout.rdbuf(terminal);
    return text.str();
}

class Watch {
public:
    Watch(Session& session, const WatchWords& words)
        : session(session), words(words), exercise(words.exercise), style(session.style) {
        turn_to(exercise);
    }

    int run() {
        while (!is_over) wait_and_act();
        if (style.clear) std::cout << "\n" << std::flush;  // behind the footer
        terminal.pause();
        if (ended_by == 0) return 0;
        check.reset();
        std::signal(ended_by, SIG_DFL);
        raise(ended_by);
        return 128 + ended_by;
    }

private:
    // ---- waiting ----

    void wait_and_act() {
        std::vector<pollfd> events = {{signals.descriptor(), POLLIN, 0}};
        if (!stdin_ended) events.push_back({STDIN_FILENO, POLLIN, 0});
        if (!file->is_polling()) events.push_back({file->descriptor(), POLLIN, 0});
        if (check) events.push_back({check->descriptor(), POLLIN, 0});
        poll(events.data(), events.size(), milliseconds_to_wait());

        take_signals();
        if (!stdin_ended && events[1].revents != 0) take_keys();
        if (is_over) return;
        if (file->has_changed()) begin();
        if (check && check->is_ready()) end();
        // Without keys, the end of the input is the end; what is under way is finished first.
        if (stdin_ended && !check) is_over = true;
    }

    int milliseconds_to_wait() const {
        int wait = file->milliseconds_left();
        return check ? std::min(wait, check->milliseconds_left()) : wait;
    }

    // ---- the file and its check ----

    void turn_to(const Work& other) {
        exercise = other;
        has_passed = false;
        check.reset();
        file = std::make_unique<FileWatcher>(exercise.file(), words.polls);
        session.progress.update([&](State& state) { state.current = exercise.name(); });
        heading();
    }

    void heading() {
        found.reset();
        verdict = "Waiting for you to save " + exercise.relative_file().string() +
                  "\nThe lesson: " + exercise.lesson() + "\n";
        if (file->is_polling()) verdict += "Looking for changes five times per second.\n";
        clear();
        std::cout << verdict << std::flush;
    }

    void begin() {
        check.reset();
        if (!file->text()) {
            return instead("It is gone, or is not an ordinary file. ./learn reset " +
                           exercise.words() + " writes it again.");
        }
        // What was found last stays on the screen until there is something new: only the keys go.
        std::cout << (style.clear ? "\r\033[K" : "") << "checking ..." << (style.clear ? "" : "\n")
                  << std::flush;
        try {
            check = std::make_unique<Check>(
                CheckRequest{.exercise = exercise, .seconds = words.seconds});
        } catch (const std::exception& problem) {
            instead(problem.what());
        }
    }

    void end() {
        found = check->finish();
        bandwidth.clear();
        const CheckResult& result = *found;
        check.reset();
        Record record = session.progress.read().record(exercise.name());
        note_check(record, exercise, result);
        has_passed = result.outcome == CheckResult::passed;
        verdict = text_of(result, record);
        separate();
        std::cout << verdict << std::flush;
        record_check(session, exercise, result);
        if (has_passed) {
            bandwidth = said_by([&] { std::cout << bandwidth_text(exercise, "", false); });
            verdict += bandwidth;
            std::cout << bandwidth;
        }
        footer();
    }

    std::string text_of(const CheckResult& result, const Record& record) const {
        if (result.outcome != CheckResult::passed) return text_of_failure(exercise, result, style);
        PassedText more = more_of_pass(session, exercise, record);
        more.counters = !has_open_questions(exercise, record);
        return text_of_pass(exercise, result, more, style);
    }

    // In place of a verdict, while there is none to be had.
    void instead(const std::string& message) {
        found.reset();
        verdict = wrap(message);
        separate();
        std::cout << verdict;
        footer();
    }

    // ---- the screen ----

    // The place for something new, on a terminal as large as it is now.
    void clear() {
        pages.clear();
        shows_verdict = true;
        if (!style.clear) return;
        style.columns = usable_columns(terminal_columns());
        style.lines = std::max(terminal_lines() - LINES_OF_WATCH_FOOTER, 0);
        std::cout << "\033[H\033[2J";
    }

    void separate() {
        clear();
        if (!style.clear) std::cout << "\n" << std::string(72, '-') << "\n";
    }

    void footer() {
        WatchWaits waits = !shows_verdict ? WatchWaits::to_go_back : WatchWaits::for_a_save;
        State state = session.progress.read();
        if (has_passed && shows_verdict &&
            has_open_questions(exercise, state.record(exercise.name()))) {
            waits = WatchWaits::for_a_guess;
        }
        std::cout << watch_footer(exercise, local_time("%H:%M:%S"), terminal.has_keys(), waits);
        // The screen's last line is not left empty.
        std::cout << (style.clear ? "" : "\n") << std::flush;
    }

    // What is said of it may be more by now: a prediction was made, the screen is larger.
    void show_verdict() {
        clear();
        if (found) {
            Record record = session.progress.read().record(exercise.name());
            verdict = text_of(*found, record) + bandwidth;
        }
        std::cout << verdict;
        footer();
    }

    // Shows something with the verdict, or, when there is no room for both, in its place; by pages,
    // when it is more than the screen takes: what scrolls away is not read.
    void below(const std::string& text) {
        if (!style.clear) {
            std::cout << "\n" << text;
            return footer();
        }
        clear();
        size_t columns = static_cast<size_t>(std::max(terminal_columns(), 1));
        if (height_of(verdict + "\n" + text, columns) <= lines_to_show()) {
            std::cout << verdict << "\n" << text;
            return footer();
        }
        pages = pages_of(text, columns, lines_to_show());
        count_of_pages = pages.size();
        show_page();
    }

    // The next page of what was begun; behind the last one the verdict.
    void show_page() {
        if (pages.empty() && !shows_verdict) return show_verdict();
        if (pages.empty()) return;
        std::vector<std::string> rest(pages.begin() + 1, pages.end());
        std::string page = pages.front();
        clear();
        std::cout << page;
        pages = rest;
        shows_verdict = false;
        if (pages.empty()) return footer();
        std::cout << "\n"
                  << style.strong("more: space")
                  << format("  (page %zu of %zu)", count_of_pages - pages.size(), count_of_pages)
                  << std::flush;
    }

    // What there is above the footer. Without keys nobody can ask for another page.
    size_t lines_to_show() const {
        constexpr int LEAST = 10, MOST = 1'000'000;
        if (!terminal.has_keys() || terminal_lines() == 0) return MOST;
        return static_cast<size_t>(std::max(terminal_lines() - LINES_OF_WATCH_FOOTER, LEAST));
    }

    // ---- keys and signals ----

    void take_keys() {
        char keys[64];
        ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (count <= 0) {
            stdin_ended = true;
            return;
        }
        if (!terminal.has_keys()) return;
        // A key that sends several signs, an arrow say, means nothing here.
        if (keys[0] == '\033') return;
        for (ssize_t i = 0; i < count && !is_over; ++i) obey(keys[i]);
    }

    void obey(char key) {
        constexpr char END_OF_INPUT = 4;  // Ctrl-D
        bool is_sure = last_key == 'e';
        last_key = key;
        switch (key) {
            case 'n': return next();
            case 'h': return below(said_by([&] { hint(session, exercise, 0); }));
            case 'e': return explain_it(is_sure);
            case 'b': return turn_to_hunt();
            case 'g': return guess();
            case 'p': return below(said_by([&] { picture(); }));
            case 'l': return below(said_by([&] { show_list(session, false); }));
            case 'r': return begin();
            case ' ': return show_page();
            case 'q':
            case END_OF_INPUT: is_over = true; return;
            default: return;
        }
    }

    void next() {
        Work behind = exercise_behind(session.course, exercise);
        if (behind.step != nullptr) return turn_to(behind);
        below("This is the last exercise. ./learn progress shows all.\n");
    }

    // To the bug hunt of this exercise, and back.
    void turn_to_hunt() {
        if (exercise.step->hunt) return turn_to({exercise.step, !exercise.is_hunt});
        below(exercise.name() + " has no bug hunt.\n");
    }

    // Keys are no lines to answer in: the same key again is the answer.
    void explain_it(bool is_sure) {
        State state = session.progress.read();
        const Record& record = state.record(exercise.name());
        if (record.passed_hash.empty() && !record.solution_seen && !is_sure) {
            return below(exercise.name() +
                         " has not passed yet, and you cannot unsee the solution.\n"
                         "e again: show it all the same.  h: a hint.\n");
        }
        below(said_by([&] { explain(session, exercise, true); }));
    }

    void guess() {
        if (exercise.is_hunt || exercise.asked().predictions.empty()) {
            return below("There is nothing to predict here.\n");
        }
        terminal.pause();
        clear();
        try {
            predict(session, exercise, {});
        } catch (const std::exception& problem) {
            std::cout << wrap(problem.what());
        }
        shows_verdict = !style.clear;
        footer();
        terminal.resume();
    }

    // In a process of its own: the kernel that runs there may crash.
    void picture() {
        std::vector<std::string> arguments = {"picture", exercise.step->number()};
        if (exercise.is_hunt) arguments.push_back("--hunt");
        Child child({.program = this_program(), .arguments = arguments, .with_errors = true});
        bool has_ended = child.wait(PICTURE_MILLISECONDS);
        child.stop();
        std::cout << child.outcome().output;
        if (!has_ended) std::cout << "It took too long, and was ended.\n";
    }

    void take_signals() {
        while (int signal = signals.take()) {
            if (signal != SIGTSTP) {
                ended_by = signal;
                is_over = true;
                return;
            }
            if (style.clear) std::cout << "\n" << std::flush;
            terminal.pause();
            raise(SIGSTOP);
            terminal.resume();
            if (style.clear)
                show_verdict();
            else
                footer();
        }
    }

    Session& session;
    WatchWords words;
    Work exercise;
    Style& style;
    Signals signals;
    RawTerminal terminal;
    std::unique_ptr<FileWatcher> file;
    std::unique_ptr<Check> check;
    std::optional<CheckResult> found;  // by the last check, unless there was something else to say
    std::string bandwidth;
    std::string verdict;  // what the screen shows, unless a key asked for something else
    bool shows_verdict = true;
    std::vector<std::string> pages;  // of something long, those that are still to be shown
    size_t count_of_pages = 0;       // with those that were
    bool has_passed = false;         // what was checked last
    char last_key = 0;
    bool stdin_ended = false, is_over = false;
    int ended_by = 0;
};

}  // namespace

std::string watch_footer(const Work& exercise, const std::string& time, bool has_keys,
                         WatchWaits waits) {
    std::string what = "Waiting for you to save ";
    if (has_keys && waits == WatchWaits::for_a_guess) what = "g: predict what it costs, or save ";
    if (has_keys && waits == WatchWaits::to_go_back) what = "space: the verdict again, or save ";
    std::string text = "\n[" + time + "] " + what + exercise.relative_file().string();
    if (!has_keys) return text;
    return text + "\nn next  h hint  e explain  " + (exercise.is_hunt ? "b back" : "b hunt") +
           "  g guess  p picture  l list  r check  q quit";
}

int watch(Session& session, const WatchWords& words) {
    return Watch(session, words).run();
}

}  // namespace coalesce::learn
