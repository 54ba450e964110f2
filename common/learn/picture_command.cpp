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

void validate_arguments(const LearnerExercise& exercise, const PictureArguments& arguments) {
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
    constexpr int MAX_SIDE = 1024, MAX_WARPS = 32;
    for (int extent : {arguments.rows, arguments.cols}) {
        if (extent < 1 || extent > MAX_SIDE) {
            throw UsageError("--rows and --cols take whole numbers from 1 to 1024 for a picture");
        }
    }
    if (arguments.block < 0 || arguments.warp < 0 || arguments.warp >= MAX_WARPS) {
        throw UsageError("--block takes a number from 0, and --warp a number from 0 to 31");
    }
}

}  // namespace

int picture(const LearnerExercise& exercise, const PictureArguments& arguments, char** argv) {
    validate_arguments(exercise, arguments);
    choose_device(DeviceChoice::simulator, argv);
    if (!arguments.svg.empty()) check_writable(arguments.svg);

    LocalRunner runner({.cache = learners_folder() / "cache"});
    Picture picture =
        draw_warp_picture(exercise.source(arguments.file), exercise.requirements(), runner,
                          {.shape = {arguments.rows, arguments.cols},
                           .block = static_cast<std::uint64_t>(arguments.block),
                           .warp = static_cast<unsigned>(arguments.warp)});
    // Discard the kernel's output, because it is not part of the picture.
    bool is_cut = false;
    runner.take_output(is_cut);
    if (!picture.is_ok()) {
        std::cout << terminal_text(picture.problem) << "Again: ./learn picture "
                  << exercise.command_arguments() << "      Check: ./learn check "
                  << exercise.command_arguments() << "\n";
        return 1;
    }
    if (!arguments.svg.empty()) {
        write_file(arguments.svg, picture.svg());
        std::cout << arguments.svg << " contains the picture; open it in a web browser.\n";
        return 0;
    }
    std::cout << picture.text();
    return 0;
}

}  // namespace coalesce::learn
