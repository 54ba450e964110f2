#include "learn/commands.h"

#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "examiner/picture.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

void validate_arguments(const LearnerExercise& exercise, const PictureArguments& words) {
    if (exercise.is_program()) {
        throw UsageError(exercise.name() +
                         " is a whole program, but a picture can be drawn only for a kernel; "
                         "./learn check " +
                         exercise.command_arguments() + " runs the program");
    }
    if (exercise.has_element_task()) {
        throw UsageError(exercise.name() +
                         " has no matrix tile that a picture could show; ./learn check " +
                         exercise.command_arguments() + " shows its costs");
    }
    constexpr int LARGEST = 1024, MOST_WARPS = 32;
    for (int extent : {words.rows, words.cols}) {
        if (extent < 1 || extent > LARGEST) {
            throw UsageError("--rows and --cols take whole numbers from 1 to 1024 for a picture");
        }
    }
    if (words.block < 0 || words.warp < 0 || words.warp >= MOST_WARPS) {
        throw UsageError("--block takes a number from 0, and --warp a number from 0 to 31");
    }
}

}  // namespace

int picture(const LearnerExercise& exercise, const PictureArguments& words, char** argv) {
    validate_arguments(exercise, words);
    choose_device(DeviceChoice::simulator, argv);
    if (!words.svg.empty()) check_writable(words.svg);

    LocalRunner runner({.cache = learners_folder() / "cache"});
    Picture picture =
        draw_warp_picture(exercise.source(words.file), exercise.requirements(), runner,
                          {.shape = {words.rows, words.cols},
                           .block = static_cast<std::uint64_t>(words.block),
                           .warp = static_cast<unsigned>(words.warp)});
    // Discard the kernel's output, because it is not part of the picture.
    bool is_cut = false;
    runner.take_output(is_cut);
    if (!picture.ok()) {
        std::cout << terminal_text(picture.problem) << "Again: ./learn picture "
                  << exercise.command_arguments() << "      Check: ./learn check "
                  << exercise.command_arguments() << "\n";
        return 1;
    }
    if (!words.svg.empty()) {
        write_file(words.svg, picture.svg());
        std::cout << words.svg << " contains the picture; open it in a web browser.\n";
        return 0;
    }
    std::cout << picture.text();
    return 0;
}

}  // namespace coalesce::learn
