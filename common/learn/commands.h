/// \file
/// The commands: what each is given of its words, and what does it. Those that other commands take parts of
/// have headers of their own: check.h, measure.h, predict.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "learn/request.h"
#include "learn/session.h"

namespace coalesce::learn {

// `learn list`, `learn progress` and `learn` alone: what there is, what is done, what is next.

/// Each exercise with its state, points, hints and predictions. Returns the exit code.
int show_progress(Session& session, bool json);
/// The steps, with what has become of their exercises.
int show_list(Session& session, bool json);
/// The variants of a lesson with what each must cost, or where its whole program is, which has none.
void show_lesson(const course::Step& step);
/// Where the learner is, what is next, and the one command to type. The first time all steps run
/// before. Returns the exit code.
int start(Session& session);

// `learn run`: runs the steps' programs and shows what they found in one table.

/// Returns the exit code: 0, 1 when a result was wrong or missing, 2 when a program could not run.
/// Throws UsageError before anything has run.
int run(const RunRequest& request);

/// Runs the whole program that is asked for: on a GPU where one works, else under `simulate`, which shows
/// what its kernel cost. Returns its exit code. Throws UsageError.
int run_program(const RunRequest& request);

// `learn hint`: a little help, then a little more.

/// Shows the next level of the hint for what the last check found, or `level` (1 to 4; 0: the next).
/// Returns the exit code.
int hint(Session& session, const Work& exercise, int level);

// `learn picture`: what one warp of the learner's kernel touches.

/// Its words.
struct PictureWords {
    std::string file = "";          ///< another file than the exercise's
    std::string svg = "";           ///< a file for a drawing; "": text on stdout
    int rows = 256, cols = 256;     ///< of the matrix
    long long block = 0, warp = 0;  ///< which warp
};

/// Runs the kernel on the simulated GPU in this process, which `argv` is the command line of. Returns
/// the exit code: 1 when the kernel cannot be run. Throws UsageError.
int picture(const Work& exercise, const PictureWords& words, char** argv);

// `learn diff` and `learn explain`: what changes from one step to the next, and from the learner's
// kernel to the solution.

/// Its words.
struct DiffWords {
    bool is_mine = false;  ///< the learner's kernels
    bool yes = false;      ///< the lessons' kernels although an exercise has not passed
};

/// The one idea of a step: its kernel against that of the step it builds on; or the learner's kernels of
/// both. Returns the exit code, 1 when the lesson's kernels are not to be seen yet. Throws UsageError.
int diff(Session& session, const Work& exercise, const DiffWords& words);

/// The learner's kernel beside the solution, and why the numbers are what they are. Before the
/// exercise has passed it asks first; `yes` answers. Returns the exit code, 1 when it was declined.
int explain(Session& session, const Work& exercise, bool yes);

// `learn ptx`: the PTX of a kernel by source line, and what a multiprocessor holds of it.

/// Its words.
struct PtxWords {
    std::string exercise = "";  ///< or the step
    std::string variant = "";   ///< of the lesson; "": its headline
    bool is_mine = false;       ///< of the learner's own file
    std::string file = "";      ///< of another file for the exercise
    std::string json = "";      ///< a file for all of it
    bool is_sass = false;       ///< the machine code, instead
    bool yes = false;           ///< of the lesson's kernel although the exercise has not passed
};

/// Works on the simulated GPU, in this process, which `argv` is the command line of. Returns the exit
/// code: 1 when a file does not compile, or the lesson's kernel is not to be seen yet. Throws UsageError.
int ptx(Session& session, const PtxWords& words, char** argv);

// `learn reset`: an exercise's file as it was at first. What was in it is kept.

/// Puts a text in the place of a learner's file, which is named from the course's folder on. What was in it
/// is kept in .learn/copies/`name`, and that is said. False when the file holds that text already. Throws
/// when it cannot be written; then nothing has changed.
bool replace_file(const std::filesystem::path& relative_file, const std::string& name,
                  const std::string& text);

/// Returns the exit code. Throws when the file cannot be written; then nothing has changed.
int reset(const Work& exercise);

// `learn beat`: the open exercise at the end. Any kernel counts, as long as it is right; its time is
// predicted, and measured where there is a GPU, beside that of the fastest lesson's solution.
//
// It is no step of the course, so that it has no limits, no points and no end. What makes an exercise
// (the shapes, the examiner, the prediction) is that of the lesson that is to be beaten: its limits
// are left out.

/// Its words.
struct BeatWords {
    std::string file = "";  ///< another file; nothing is noted
    int restore = 0;        ///< the number of the attempt to take up again; 0: none
    bool is_list = false;   ///< only the table
    bool is_reset = false;  ///< the file as it was at first
    int seconds = 60;       ///< then the examination is ended
};

/// The text that it begins with: right, and slow.
std::string beat_skeleton();

/// Returns the exit code: 0 right, 1 not, 2 when it could not be examined. Throws UsageError.
int beat(Session& session, const BeatWords& words);

// `learn watch`: checks a file whenever it is saved.

/// Its words.
struct WatchWords {
    bool polls = false;  ///< looks for changes, whatever the file system
    int seconds = 60;    ///< for each check
};

/// What comes next, besides a save.
enum class WatchWaits {
    for_a_save,   ///< nothing
    for_a_guess,  ///< what it costs is to be predicted before it is shown
    to_go_back,   ///< the screen shows something else than the verdict
};

/// The lines at the foot of the screen, of 80 columns at most: an empty one, what is waited for, and
/// the keys, where there are keys.
std::string watch_footer(const Work& exercise, const std::string& time, bool has_keys,
                         WatchWaits waits);
/// How many lines of a terminal that footer takes: a verdict has the rest.
inline constexpr int kLinesOfWatchFooter = 3;

/// Until q is typed, stdin ends (where it is no terminal), or a signal ends it. Returns the exit code.
int watch(Session& session, const Work& exercise, const WatchWords& words);

// `learn doctor`: what is there, what is missing, what that means and what to do.

/// Returns the exit code: 0 when exercises can be checked here, 2 when not.
int doctor(bool json, const Style& style);

// `learn play`: the book at an address of this computer, where its pages may load the compiler.

/// What it is asked for.
struct PlayWords {
    std::optional<int> port;  ///< 0: any that is free
    bool opens = false;       ///< in a browser
};

/// Serves the book until it is ended. Throws UsageError where there is no book, or the port is taken.
[[noreturn]] void play(const PlayWords& words);

}  // namespace coalesce::learn
