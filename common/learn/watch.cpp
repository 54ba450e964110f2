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
std::string capture_output(Action action) {
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
    Watch(Session& session, const LearnerExercise& exercise, const WatchArguments& arguments)
        : session_(session), arguments_(arguments), style_(session.style) {
        switch_to(exercise);
    }

    int run() {
        while (!should_exit_) wait_and_act();
        if (style_.can_clear_screen)
            std::cout << "\n" << std::flush;  // moves the cursor below the footer
        terminal_.pause();
        if (exit_signal_ == 0) return 0;
        check_.reset();
        std::signal(exit_signal_, SIG_DFL);
        raise(exit_signal_);
        return 128 + exit_signal_;
    }

private:
    // ---- waiting ----

    void wait_and_act() {
        std::vector<pollfd> events = {{signals_.descriptor(), POLLIN, 0}};
        if (!stdin_ended_) events.push_back({STDIN_FILENO, POLLIN, 0});
        if (!file_->is_polling()) events.push_back({file_->descriptor(), POLLIN, 0});
        if (check_) events.push_back({check_->descriptor(), POLLIN, 0});
        poll(events.data(), events.size(), milliseconds_to_wait());

        handle_signals();
        if (!stdin_ended_ && events[1].revents != 0) handle_keys();
        if (should_exit_) return;
        if (file_->has_changed()) begin_check();
        if (check_ && check_->is_over()) end();
        if (check_ && !says_it_searches_ && check_->is_searching()) say_it_searches();
        // If stdin is not a terminal, its end-of-file ends `learn watch`, but only after the
        // running check has finished.
        if (stdin_ended_ && !check_) should_exit_ = true;
    }

    int milliseconds_to_wait() const {
        int wait = file_->milliseconds_left();
        if (!check_) return wait;
        // Look from time to time whether the check searches for a change.
        constexpr int step_ms = 200;
        const int limit = says_it_searches_ ? check_->milliseconds_left() : step_ms;
        return std::min({wait, check_->milliseconds_left(), limit});
    }

    void say_it_searches() {
        says_it_searches_ = true;
        if (style_.can_clear_screen) std::cout << "\r\033[K" << kSearchMessage << std::flush;
    }

    // ---- the watched file and its check ----

    void switch_to(const LearnerExercise& new_exercise) {
        exercise_ = new_exercise;
        has_passed_ = false;
        check_.reset();
        file_ = std::make_unique<FileWatcher>(exercise_.file(), arguments_.should_poll);
        session_.progress.update([&](State& state) { state.current_exercise = exercise_.name(); });
        show_heading();
    }

    void show_heading() {
        check_result_.reset();
        verdict_ = "Waiting for you to save " + exercise_.relative_file().string() +
                   "\nThe lesson: " + exercise_.lesson() + "\n";
        if (file_->is_polling())
            verdict_ += "The file is checked for changes five times per second.\n";
        clear();
        std::cout << verdict_ << std::flush;
    }

    void begin_check() {
        check_.reset();
        if (!file_->text()) {
            return show_message("Your file is missing, or is not an ordinary file. ./learn reset " +
                                exercise_.command_arguments() + " restores it.");
        }
        // Replace only the line that lists the keys. The last verdict remains on the screen until
        // the next one is ready.
        std::cout << (style_.can_clear_screen ? "\r\033[K" : "") << "checking ..."
                  << (style_.can_clear_screen ? "" : "\n") << std::flush;
        try {
            check_ = std::make_unique<Check>(CheckRequest{
                .exercise = exercise_, .seconds = arguments_.seconds, .searches = true});
            says_it_searches_ = false;
        } catch (const std::exception& problem) {
            show_message(problem.what());
        }
    }

    void end() {
        check_result_ = check_->finish();
        bandwidth_.clear();
        const CheckResult& result = *check_result_;
        check_.reset();
        Record record = session_.progress.read().record(exercise_.name());
        update_record(record, exercise_, result);
        has_passed_ = result.outcome == CheckResult::passed;
        verdict_ = text_of(result, record);
        print_separator();
        std::cout << verdict_ << std::flush;
        record_check(session_, exercise_, result);
        if (has_passed_) {
            bandwidth_ =
                capture_output([&] { std::cout << format_bandwidth(exercise_, "", false); });
            verdict_ += bandwidth_;
            std::cout << bandwidth_;
        }
        print_footer();
    }

    std::string text_of(const CheckResult& result, const Record& record) const {
        if (result.outcome != CheckResult::passed) return format_failure(exercise_, result, style_);
        PassedText passed_text = collect_passed_text(session_, exercise_, record);
        passed_text.counters = !has_open_questions(exercise_, record);
        return format_pass_or_prompt(exercise_, result, passed_text, style_);
    }

    // Shows a message instead of a verdict.
    void show_message(const std::string& message) {
        check_result_.reset();
        verdict_ = wrap(message);
        print_separator();
        std::cout << verdict_;
        print_footer();
    }

    // ---- the screen ----

    // Clears the screen, and adapts the style to the terminal's current size.
    void clear() {
        pages_.clear();
        shows_verdict_ = true;
        if (!style_.can_clear_screen) return;
        style_.columns = usable_columns(terminal_columns());
        style_.lines = std::max(terminal_lines() - kWatchFooterLines, 0);
        std::cout << "\033[H\033[2J";
    }

    void print_separator() {
        clear();
        if (!style_.can_clear_screen) std::cout << "\n" << std::string(72, '-') << "\n";
    }

    void print_footer() {
        WatchState waits = !shows_verdict_ ? WatchState::save_or_key : WatchState::save_only;
        State state = session_.progress.read();
        if (has_passed_ && shows_verdict_ &&
            has_open_questions(exercise_, state.record(exercise_.name()))) {
            waits = WatchState::save_or_guess;
        }
        std::cout << watch_footer(exercise_, local_time("%H:%M:%S"), terminal_.has_keys(), waits);
        // Do not print a line break after the footer, because it would scroll the screen by one
        // line.
        std::cout << (style_.can_clear_screen ? "" : "\n") << std::flush;
    }

    // Formats the verdict again and shows it. A new guess or a larger screen may have changed the
    // text.
    void show_verdict() {
        clear();
        if (check_result_) {
            Record record = session_.progress.read().record(exercise_.name());
            verdict_ = text_of(*check_result_, record) + bandwidth_;
        }
        std::cout << verdict_;
        print_footer();
    }

    // Prints a text below the verdict. If both do not fit on the screen, the text replaces the
    // verdict. If the text alone does not fit either, it is shown page by page, so that the reader
    // does not miss lines that scroll off the screen.
    void show_below_verdict(const std::string& text) {
        if (!style_.can_clear_screen) {
            std::cout << "\n" << text;
            return print_footer();
        }
        clear();
        size_t columns = static_cast<size_t>(std::max(terminal_columns(), 1));
        if (height_of(verdict_ + "\n" + text, columns) <= available_lines()) {
            std::cout << verdict_ << "\n" << text;
            return print_footer();
        }
        pages_ = split_into_pages(text, columns, available_lines());
        page_count_ = pages_.size();
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
        if (pages_.empty()) return print_footer();
        std::cout << "\n"
                  << style_.paint_strong("more: space")
                  << format("  (page %zu of %zu)", page_count_ - pages_.size(), page_count_)
                  << std::flush;
    }

    // Returns the number of lines above the footer. The number is unlimited if there is no keyboard
    // input, because the learner could not turn to the next page.
    size_t available_lines() const {
        constexpr int MIN_LINES = 10, MAX_LINES = 1'000'000;
        if (!terminal_.has_keys() || terminal_lines() == 0) return MAX_LINES;
        return static_cast<size_t>(std::max(terminal_lines() - kWatchFooterLines, MIN_LINES));
    }

    // ---- keys and signals ----

    void handle_keys() {
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
        for (ssize_t i = 0; i < count && !should_exit_; ++i) handle_key(keys[i]);
    }

    void handle_key(char key) {
        constexpr char END_OF_INPUT = 4;  // Ctrl-D
        bool is_sure = last_key_ == 'e';
        last_key_ = key;
        switch (key) {
            case 'n': return switch_to_next();
            case 'h':
                return show_below_verdict(capture_output([&] { hint(session_, exercise_, 0); }));
            case 'e': return explain_solution(is_sure);
            case 'b': return switch_to_hunt();
            case 'g': return ask_for_guesses();
            case 'p': return show_below_verdict(capture_output([&] { show_picture(); }));
            case 'l':
                return show_below_verdict(capture_output([&] { show_list(session_, false); }));
            case 'r': return begin_check();
            case ' ': return show_page();
            case 'q':
            case END_OF_INPUT: should_exit_ = true; return;
            default: return;
        }
    }

    void switch_to_next() {
        LearnerExercise following_exercise = exercise_after(session_.course, exercise_);
        if (following_exercise.step != nullptr) return switch_to(following_exercise);
        show_below_verdict("This is the last exercise. ./learn progress shows all exercises.\n");
    }

    // Switches from the exercise to its bug hunt, or back.
    void switch_to_hunt() {
        if (exercise_.step->hunt) return switch_to({exercise_.step, !exercise_.is_hunt});
        show_below_verdict(exercise_.name() + " has no bug hunt.\n");
    }

    // Explains the solution. The learner must press the key twice to confirm the request, because
    // there is no input line for an answer.
    void explain_solution(bool is_sure) {
        State state = session_.progress.read();
        const Record& record = state.record(exercise_.name());
        if (record.passed_hash.empty() && !record.solution_seen && !is_sure) {
            return show_below_verdict(
                exercise_.name() +
                " has not passed yet, and you cannot unsee the solution.\nPress e again to show "
                "the solution anyway, or h for a hint.\n");
        }
        show_below_verdict(capture_output([&] { explain(session_, exercise_, true); }));
    }

    void ask_for_guesses() {
        if (exercise_.is_hunt || exercise_.requirements().predictions.empty()) {
            return show_below_verdict("This exercise has nothing to predict.\n");
        }
        terminal_.pause();
        clear();
        try {
            predict(session_, exercise_, {});
        } catch (const std::exception& problem) {
            std::cout << wrap(problem.what());
        }
        shows_verdict_ = !style_.can_clear_screen;
        print_footer();
        terminal_.resume();
    }

    // Draws the picture in a child process, because the kernel may crash.
    void show_picture() {
        std::vector<std::string> arguments = {"picture", exercise_.step->number()};
        if (exercise_.is_hunt) arguments.push_back("--hunt");
        const ProcessResult process_result =
            run_to_end({.program = this_program(), .arguments = arguments, .captures_stderr = true},
                       kPictureSeconds);
        std::cout << process_result.output
                  << (process_result.timed_out
                          ? "Drawing the picture took too long and was stopped.\n"
                          : "");
    }

    void handle_signals() {
        while (int signal = signals_.take_signal()) {
            if (signal != SIGTSTP) {
                exit_signal_ = signal;
                should_exit_ = true;
                return;
            }
            if (style_.can_clear_screen) std::cout << "\n" << std::flush;
            terminal_.pause();
            raise(SIGSTOP);
            terminal_.resume();
            if (style_.can_clear_screen)
                show_verdict();
            else
                print_footer();
        }
    }

    Session& session_;
    const WatchArguments& arguments_;
    LearnerExercise exercise_;
    Style& style_;
    Signals signals_;
    RawTerminal terminal_;
    std::unique_ptr<FileWatcher> file_;
    std::unique_ptr<Check> check_;
    bool says_it_searches_ = false;  // whether the screen says that the check searches
    std::optional<CheckResult>
        check_result_;  // the last result, unless another message has replaced it
    std::string bandwidth_;
    std::string verdict_;  // the text on the screen, unless a key has replaced it
    bool shows_verdict_ = true;
    std::vector<std::string> pages_;  // the pages of a long text that have not been shown yet
    size_t page_count_ = 0;           // including the pages already shown
    bool has_passed_ = false;         // whether the most recently checked text passed
    char last_key_ = 0;
    bool stdin_ended_ = false, should_exit_ = false;
    int exit_signal_ = 0;
};

}  // namespace

std::string watch_footer(const LearnerExercise& exercise, const std::string& time, bool has_keys,
                         WatchState waits) {
    std::string footer_text = "Waiting for you to save ";
    if (has_keys && waits == WatchState::save_or_guess)
        footer_text = "g: predict the cost, or save ";
    if (has_keys && waits == WatchState::save_or_key)
        footer_text = "space: back to the verdict, or save ";
    std::string text = "\n[" + time + "] " + footer_text + exercise.relative_file().string();
    if (!has_keys) return text;
    return text + "\nn next  h hint  e explain  " + (exercise.is_hunt ? "b back" : "b hunt") +
           "  g guess  p picture  l list  r check  q quit";
}

int watch(Session& session, const LearnerExercise& exercise, const WatchArguments& arguments) {
    return Watch(session, exercise, arguments).run();
}

}  // namespace coalesce::learn
