// One loop waits for everything that can happen: the file changes, a check is ready, a key, a signal.

#include "learn/watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iostream>
#include <memory>
#include <vector>

#include "harness/text.h"
#include "learn/check.h"
#include "learn/file_watcher.h"
#include "learn/hint.h"
#include "learn/measure.h"
#include "learn/paths.h"
#include "learn/predict.h"
#include "learn/raw_terminal.h"
#include "learn/report.h"

namespace coalesce::learn {
namespace {

constexpr int PICTURE_MILLISECONDS = 30'000;

std::string clock_text() {
    std::time_t now = std::time(nullptr);
    std::tm parts = {};
    localtime_r(&now, &parts);
    char text[16];
    std::strftime(text, sizeof text, "%H:%M:%S", &parts);
    return text;
}

class Watch {
public:
    Watch(Session& session, const WatchWords& words)
        : session(session), words(words), exercise(words.exercise), style(session.style) {
        turn_to(exercise);
    }

    int run() {
        while (!is_over) wait_and_act();
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

    void turn_to(const Exercise& other) {
        exercise = other;
        check.reset();
        file = std::make_unique<FileWatcher>(exercise.file(), words.polls);
        session.progress.update([&](State& state) { state.current = exercise.name(); });
        heading();
    }

    void heading() {
        clear();
        std::cout << "Watching " << exercise.relative_file().string()
                  << "  (lesson: " << exercise.lesson() << ")\n"
                  << (file->is_polling() ? "Looking for changes five times a second.\n" : "")
                  << std::flush;
    }

    void begin() {
        check.reset();
        if (!file->text()) {
            separate();
            std::cout << wrap(exercise.relative_file().string() +
                              " is gone, or is no ordinary file. It will be checked as soon as it "
                              "is there again; ./learn reset " +
                              exercise.words() + " writes it anew.")
                      << std::flush;
            return;
        }
        // What was found last stays on the screen until there is something new.
        std::cout << (style.clear ? "\r" : "") << "checking ..." << (style.clear ? "" : "\n")
                  << std::flush;
        try {
            check = std::make_unique<Check>(
                CheckRequest{.exercise = exercise, .seconds = words.seconds});
        } catch (const std::exception& problem) {
            std::cout << "\n" << wrap(problem.what()) << std::flush;
        }
    }

    void end() {
        CheckResult result = check->finish();
        check.reset();
        Record record = session.progress.read().record(exercise.name());
        note_check(record, exercise, result);
        separate();
        show(result, record);
        footer();
        record_check(session, exercise, result);
        if (result.outcome == CheckResult::passed) {
            std::cout << bandwidth_text(exercise, "", false) << std::flush;
        }
    }

    void show(const CheckResult& result, const Record& record) {
        if (result.outcome != CheckResult::passed) {
            std::cout << text_of_failure(exercise, result, style);
            return;
        }
        PassedText more = more_of_pass(session, exercise, record);
        more.counters = !has_open_questions(exercise, record);
        std::cout << text_of_pass(exercise, result, more, style);
        if (!more.counters && terminal.has_keys()) {
            std::cout << "The key g asks for your predictions, here.\n";
        }
    }

    // ---- the screen ----

    void clear() {
        if (style.clear) std::cout << "\033[H\033[2J";
    }

    void separate() {
        clear();
        if (!style.clear) std::cout << "\n" << std::string(72, '-') << "\n";
    }

    void footer() {
        std::cout << "\n[" << clock_text() << ", " << exercise.name() << "]";
        if (terminal.has_keys()) {
            std::cout << " n next  h hint  g guess  p picture  l list  r run  q quit";
        }
        std::cout << "\n" << std::flush;
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
        switch (key) {
            case 'n': return next();
            case 'h': return below([&] { hint(session, exercise, 0); });
            case 'g': return guess();
            case 'p': return below([&] { picture(); });
            case 'l': return below([&] { show_list(session, false); });
            case 'r': return begin();
            case 'q':
            case END_OF_INPUT: is_over = true; return;
            default: return;
        }
    }

    // Shows something below what is there. Nothing that goes wrong in it ends the watch.
    template <typename Action>
    void below(Action action) {
        std::cout << "\n";
        try {
            action();
        } catch (const std::exception& problem) {
            std::cout << wrap(problem.what());
        }
        footer();
    }

    void next() {
        Exercise behind = exercise_behind(session.course, exercise);
        if (behind.step != nullptr) return turn_to(behind);
        below([] { std::cout << "This is the last exercise. ./learn progress shows all.\n"; });
    }

    void guess() {
        if (exercise.is_hunt || exercise.asked().predictions.empty()) {
            return below([] { std::cout << "There is nothing to predict here.\n"; });
        }
        terminal.pause();
        below([&] { predict(session, exercise, {}); });
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
            terminal.pause();
            raise(SIGSTOP);
            terminal.resume();
            footer();
        }
    }

    Session& session;
    WatchWords words;
    Exercise exercise;
    Style style;
    Signals signals;
    RawTerminal terminal;
    std::unique_ptr<FileWatcher> file;
    std::unique_ptr<Check> check;
    bool stdin_ended = false, is_over = false;
    int ended_by = 0;
};

}  // namespace

int watch(Session& session, const WatchWords& words) {
    return Watch(session, words).run();
}

}  // namespace coalesce::learn
