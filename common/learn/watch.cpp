// Implements `learn watch`. A single loop waits for all events: changes to the file, finished
// checks, keys and signals.

#include "learn/commands.h"

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
#include "learn/file_watcher.h"
#include "learn/measure.h"
#include "learn/paths.h"
#include "learn/predict.h"
#include "learn/raw_terminal.h"

namespace coalesce::learn {
namespace {

constexpr int kPictureSeconds = 30;

// Returns everything that `action` writes to std::cout, including the message of an exception.
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
    Watch(Session& session, const Work& exercise, const WatchWords& words)
        : session_(session), words_(words), style_(session.style) {
        turn_to(exercise);
    }

    int run() {
        while (!is_over_) wait_and_act();
        if (style_.clear) std::cout << "\n" << std::flush;  // moves the cursor below the footer
        terminal_.pause();
        if (ended_by_ == 0) return 0;
        check_.reset();
        std::signal(ended_by_, SIG_DFL);
        raise(ended_by_);
        return 128 + ended_by_;
    }

private:
    // ---- waiting ----

    void wait_and_act() {
        std::vector<pollfd> events = {{signals_.descriptor(), POLLIN, 0}};
        if (!stdin_ended_) events.push_back({STDIN_FILENO, POLLIN, 0});
        if (!file_->is_polling()) events.push_back({file_->descriptor(), POLLIN, 0});
        if (check_) events.push_back({check_->descriptor(), POLLIN, 0});
        poll(events.data(), events.size(), milliseconds_to_wait());

        take_signals();
        if (!stdin_ended_ && events[1].revents != 0) take_keys();
        if (is_over_) return;
        if (file_->has_changed()) begin();
        if (check_ && check_->is_ready()) end();
        // Without a terminal, end-of-file on stdin ends the watch once the running check has
        // finished.
        if (stdin_ended_ && !check_) is_over_ = true;
    }

    int milliseconds_to_wait() const {
        int wait = file_->milliseconds_left();
        return check_ ? std::min(wait, check_->milliseconds_left()) : wait;
    }

    // ---- the watched file and its check ----

    void turn_to(const Work& other) {
        exercise_ = other;
        has_passed_ = false;
        check_.reset();
        file_ = std::make_unique<FileWatcher>(exercise_.file(), words_.polls);
        session_.progress.update([&](State& state) { state.current = exercise_.name(); });
        heading();
    }

    void heading() {
        found_.reset();
        verdict_ = "Waiting for you to save " + exercise_.relative_file().string() +
                   "\nThe lesson: " + exercise_.lesson() + "\n";
        if (file_->is_polling()) verdict_ += "Looking for changes five times per second.\n";
        clear();
        std::cout << verdict_ << std::flush;
    }

    void begin() {
        check_.reset();
        if (!file_->text()) {
            return instead("Your file is missing, or is not an ordinary file. ./learn reset " +
                           exercise_.words() + " restores it.");
        }
        // Replace only the line that lists the keys. The last verdict stays on the screen until
        // there is a new one.
        std::cout << (style_.clear ? "\r\033[K" : "") << "checking ..."
                  << (style_.clear ? "" : "\n") << std::flush;
        try {
            check_ = std::make_unique<Check>(
                CheckRequest{.exercise = exercise_, .seconds = words_.seconds});
        } catch (const std::exception& problem) {
            instead(problem.what());
        }
    }

    void end() {
        found_ = check_->finish();
        bandwidth_.clear();
        const CheckResult& result = *found_;
        check_.reset();
        Record record = session_.progress.read().record(exercise_.name());
        note_check(record, exercise_, result);
        has_passed_ = result.outcome == CheckResult::passed;
        verdict_ = text_of(result, record);
        separate();
        std::cout << verdict_ << std::flush;
        record_check(session_, exercise_, result);
        if (has_passed_) {
            bandwidth_ = said_by([&] { std::cout << bandwidth_text(exercise_, "", false); });
            verdict_ += bandwidth_;
            std::cout << bandwidth_;
        }
        footer();
    }

    std::string text_of(const CheckResult& result, const Record& record) const {
        if (result.outcome != CheckResult::passed)
            return text_of_failure(exercise_, result, style_);
        PassedText more = more_of_pass(session_, exercise_, record);
        more.counters = !has_open_questions(exercise_, record);
        return text_of_pass(exercise_, result, more, style_);
    }

    // Shows a message instead of a verdict.
    void instead(const std::string& message) {
        found_.reset();
        verdict_ = wrap(message);
        separate();
        std::cout << verdict_;
        footer();
    }

    // ---- the screen ----

    // Clears the screen, and adapts the style to the terminal's current size.
    void clear() {
        pages_.clear();
        shows_verdict_ = true;
        if (!style_.clear) return;
        style_.columns = usable_columns(terminal_columns());
        style_.lines = std::max(terminal_lines() - kLinesOfWatchFooter, 0);
        std::cout << "\033[H\033[2J";
    }

    void separate() {
        clear();
        if (!style_.clear) std::cout << "\n" << std::string(72, '-') << "\n";
    }

    void footer() {
        WatchWaits waits = !shows_verdict_ ? WatchWaits::to_go_back : WatchWaits::for_a_save;
        State state = session_.progress.read();
        if (has_passed_ && shows_verdict_ &&
            has_open_questions(exercise_, state.record(exercise_.name()))) {
            waits = WatchWaits::for_a_guess;
        }
        std::cout << watch_footer(exercise_, local_time("%H:%M:%S"), terminal_.has_keys(), waits);
        // Do not print a line break after the footer, so that the last line of the screen can be
        // used.
        std::cout << (style_.clear ? "" : "\n") << std::flush;
    }

    // Shows the verdict. It is formatted again, because a new guess or a larger screen may change
    // the text.
    void show_verdict() {
        clear();
        if (found_) {
            Record record = session_.progress.read().record(exercise_.name());
            verdict_ = text_of(*found_, record) + bandwidth_;
        }
        std::cout << verdict_;
        footer();
    }

    // Prints a text below the verdict. If both do not fit on the screen, the text replaces the
    // verdict. A text that does not fit on the screen by itself is shown page by page, because a
    // reader would miss lines that scroll away.
    void below(const std::string& text) {
        if (!style_.clear) {
            std::cout << "\n" << text;
            return footer();
        }
        clear();
        size_t columns = static_cast<size_t>(std::max(terminal_columns(), 1));
        if (height_of(verdict_ + "\n" + text, columns) <= lines_to_show()) {
            std::cout << verdict_ << "\n" << text;
            return footer();
        }
        pages_ = pages_of(text, columns, lines_to_show());
        count_of_pages_ = pages_.size();
        show_page();
    }

    // Shows the next page of a long text. After the last page, shows the verdict.
    void show_page() {
        if (pages_.empty() && !shows_verdict_) return show_verdict();
        if (pages_.empty()) return;
        const std::vector<std::string> pages = pages_;
        clear();
        std::cout << pages.front();
        pages_.assign(pages.begin() + 1, pages.end());
        shows_verdict_ = false;
        if (pages_.empty()) return footer();
        std::cout << "\n"
                  << style_.strong("more: space")
                  << format("  (page %zu of %zu)", count_of_pages_ - pages_.size(), count_of_pages_)
                  << std::flush;
    }

    // Returns the number of lines above the footer. Without keyboard input the number is unlimited,
    // because the learner cannot ask for another page.
    size_t lines_to_show() const {
        constexpr int LEAST = 10, MOST = 1'000'000;
        if (!terminal_.has_keys() || terminal_lines() == 0) return MOST;
        return static_cast<size_t>(std::max(terminal_lines() - kLinesOfWatchFooter, LEAST));
    }

    // ---- keys and signals ----

    void take_keys() {
        char keys[64];
        ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (count <= 0) {
            stdin_ended_ = true;
            return;
        }
        if (!terminal_.has_keys()) return;
        // Ignore keys that send several bytes, such as the arrow keys.
        if (keys[0] == '\033') return;
        for (ssize_t i = 0; i < count && !is_over_; ++i) obey(keys[i]);
    }

    void obey(char key) {
        constexpr char END_OF_INPUT = 4;  // Ctrl-D
        bool is_sure = last_key_ == 'e';
        last_key_ = key;
        switch (key) {
            case 'n': return next();
            case 'h': return below(said_by([&] { hint(session_, exercise_, 0); }));
            case 'e': return explain_it(is_sure);
            case 'b': return turn_to_hunt();
            case 'g': return guess();
            case 'p': return below(said_by([&] { picture(); }));
            case 'l': return below(said_by([&] { show_list(session_, false); }));
            case 'r': return begin();
            case ' ': return show_page();
            case 'q':
            case END_OF_INPUT: is_over_ = true; return;
            default: return;
        }
    }

    void next() {
        Work behind = exercise_behind(session_.course, exercise_);
        if (behind.step != nullptr) return turn_to(behind);
        below("This is the last exercise. ./learn progress shows them all.\n");
    }

    // Switches from the exercise to its bug hunt, or back.
    void turn_to_hunt() {
        if (exercise_.step->hunt) return turn_to({exercise_.step, !exercise_.is_hunt});
        below(exercise_.name() + " has no bug hunt.\n");
    }

    // Explains the solution. The learner confirms the request by pressing the key twice, because
    // there is no line to type an answer on.
    void explain_it(bool is_sure) {
        State state = session_.progress.read();
        const Record& record = state.record(exercise_.name());
        if (record.passed_hash.empty() && !record.solution_seen && !is_sure) {
            return below(exercise_.name() +
                         " has not passed yet, and you cannot unsee the solution.\n"
                         "Press e again to show it anyway, or h for a hint.\n");
        }
        below(said_by([&] { explain(session_, exercise_, true); }));
    }

    void guess() {
        if (exercise_.is_hunt || exercise_.asked().predictions.empty()) {
            return below("There is nothing to predict here.\n");
        }
        terminal_.pause();
        clear();
        try {
            predict(session_, exercise_, {});
        } catch (const std::exception& problem) {
            std::cout << wrap(problem.what());
        }
        shows_verdict_ = !style_.clear;
        footer();
        terminal_.resume();
    }

    // Draws the picture in a child process, because the kernel may crash.
    void picture() {
        std::vector<std::string> arguments = {"picture", exercise_.step->number()};
        if (exercise_.is_hunt) arguments.push_back("--hunt");
        const Ended ended =
            run_to_end({.program = this_program(), .arguments = arguments, .with_errors = true},
                       kPictureSeconds);
        std::cout << ended.output
                  << (ended.timed_out ? "Drawing the picture took too long and was stopped.\n"
                                      : "");
    }

    void take_signals() {
        while (int signal = signals_.take()) {
            if (signal != SIGTSTP) {
                ended_by_ = signal;
                is_over_ = true;
                return;
            }
            if (style_.clear) std::cout << "\n" << std::flush;
            terminal_.pause();
            raise(SIGSTOP);
            terminal_.resume();
            if (style_.clear)
                show_verdict();
            else
                footer();
        }
    }

    Session& session_;
    const WatchWords& words_;
    Work exercise_;
    Style& style_;
    Signals signals_;
    RawTerminal terminal_;
    std::unique_ptr<FileWatcher> file_;
    std::unique_ptr<Check> check_;
    std::optional<CheckResult> found_;  // the last result, unless another message has replaced it
    std::string bandwidth_;
    std::string verdict_;  // the text on the screen, unless a key has replaced it
    bool shows_verdict_ = true;
    std::vector<std::string> pages_;  // the pages of a long text that have not been shown yet
    size_t count_of_pages_ = 0;       // including the pages already shown
    bool has_passed_ = false;         // whether the text that was last checked passed
    char last_key_ = 0;
    bool stdin_ended_ = false, is_over_ = false;
    int ended_by_ = 0;
};

}  // namespace

std::string watch_footer(const Work& exercise, const std::string& time, bool has_keys,
                         WatchWaits waits) {
    std::string what = "Waiting for you to save ";
    if (has_keys && waits == WatchWaits::for_a_guess) what = "g: predict the cost, or save ";
    if (has_keys && waits == WatchWaits::to_go_back) what = "space: back to the verdict, or save ";
    std::string text = "\n[" + time + "] " + what + exercise.relative_file().string();
    if (!has_keys) return text;
    return text + "\nn next  h hint  e explain  " + (exercise.is_hunt ? "b back" : "b hunt") +
           "  g guess  p picture  l list  r check  q quit";
}

int watch(Session& session, const Work& exercise, const WatchWords& words) {
    return Watch(session, exercise, words).run();
}

}  // namespace coalesce::learn
