#include "examiner/program/examination.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/first_found.h"
#include "base/text.h"
#include "examiner/program/witness.h"
#include "examiner/safe_text.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

constexpr long long kLanes = 32;

// ---- properties of a run ----

bool is_poison(float value) {
    unsigned char bytes[sizeof value], poison_bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    std::memset(poison_bytes, witness::kPoison, sizeof poison_bytes);
    return std::memcmp(bytes, poison_bytes, sizeof bytes) == 0;
}

// Returns the first lines of the program's output, formatted for a failure.
std::string format_program_output(const RecordedRun& run) {
    constexpr std::size_t max_lines = 6;
    if (run.process_result.output.empty()) return "";
    std::vector<std::string> lines = lines_of(run.process_result.output);
    lines.resize(std::min(lines.size(), max_lines));
    return "The program printed:\n" + escape_lines(lines);
}

bool prints_correct_result(const RecordedRun& run) {
    return run.process_result.exit_code == 0 &&
           run.process_result.output.find("right") != std::string::npos;
}

std::string format_value(float value) {
    return is_poison(value) ? "a value that was never written"
                            : format("%g", static_cast<double>(value));
}

std::string format_launch(const LaunchShape& launch) {
    return format_count(launch.blocks(), "block") + " of " +
           format_count(launch.threads(), "thread");
}

std::string format_element(const char* array, std::size_t index) {
    return std::string(array) + "[" + std::to_string(index) + "]";
}

// Finds the failure of one run. Each kind of failure has a function, which returns the failure if
// it applies. find_first_failure() lists these functions in the order in which they are called.
class ProgramCauses {
public:
    ProgramCauses(const RecordedRun& recorded_run, int element_count, const Source& source)
        : run_(recorded_run), count_(static_cast<std::size_t>(element_count)), source_(source) {
        for (const RecordedLaunch& launch : run_.launches) {
            if (launch.threads() > largest_launch_.threads()) largest_launch_ = launch;
        }
    }

    Failure find_first_failure() const {
        return first_found(
                   {&ProgramCauses::find_endless_loop, &ProgramCauses::find_refused_launch,
                    &ProgramCauses::find_reported_error, &ProgramCauses::find_crash,
                    &ProgramCauses::find_failed_copy, &ProgramCauses::find_missing_launch,
                    &ProgramCauses::find_missing_copy, &ProgramCauses::find_wrong_copy_size,
                    &ProgramCauses::find_palindrome_input, &ProgramCauses::find_wrong_elements,
                    &ProgramCauses::find_wrong_comparison, &ProgramCauses::find_too_few_threads,
                    &ProgramCauses::find_repeated_work, &ProgramCauses::find_leak},
                   *this)
            .value_or(Failure{});
    }

private:
    Failure make_failure(FailureKind kind, const std::string& headline, const std::string& advice,
                         int line = 0) const {
        const std::string run_description = "Seen with " + format_count(count_, "element") +
                                            ": ./program " + std::to_string(count_) + "\n";
        return {.kind = kind,
                .headline = headline,
                .place = {source_.name, line, 0},
                .details = run_description + format_program_output(run_),
                .advice = advice};
    }
    int launch_line() const { return find_launch_line(source_.text); }
    // Returns the line of the last copy in the direction `copy_direction`, or 0 if there is no such
    // copy or its line is unknown.
    int line_of_last_copy(const std::string& copy_direction) const {
        for (std::size_t i = run_.copies.size(); i-- > 0;) {
            if (run_.copies[i].direction == copy_direction)
                return find_copy_line(source_.text, run_, i);
        }
        return 0;
    }
    bool is_copied(const std::string& copy_direction, bool is_after_launch) const {
        return std::any_of(run_.copies.begin(), run_.copies.end(), [&](const RecordedCopy& copy) {
            return copy.direction == copy_direction && copy.is_after_launch == is_after_launch;
        });
    }
    bool has_failed_copy() const {
        return std::any_of(run_.copies.begin(), run_.copies.end(),
                           [](const RecordedCopy& copy) { return !copy.error.empty(); });
    }

    std::optional<Failure> find_endless_loop() const {
        if (!run_.process_result.timed_out) return {};
        return make_failure(
            FailureKind::endless_loop,
            "the program was still running after " + format_count(kProgramSeconds, "second") + ".",
            "Which of its loops does not end?");
    }

    std::optional<Failure> find_refused_launch() const {
        if (run_.launches.empty() || run_.launches.back().is_good) return {};
        const LaunchShape& shape = run_.launches.back().shape;
        if (is_exchanged(shape)) {
            return make_failure(
                FailureKind::launch_exchanged,
                "the two numbers of the launch are swapped: it has " + format_launch(shape) +
                    " for " + format_count(count_, "element") +
                    ", but no GPU allows more than 1024 threads per block. With few elements the "
                    "mistake goes unnoticed.",
                "The first number between <<< and >>> is the number of blocks, and the second is "
                "the number of threads per block: <<<blocks, threads>>>.",
                launch_line());
        }
        if (shape.threads() > kMaxThreadsPerBlock) {
            return make_failure(FailureKind::block_too_large,
                                "the launch has " + std::to_string(shape.threads()) +
                                    " threads per block, but no GPU allows more than 1024.",
                                "Use 256 threads per block, and enough blocks for all elements.",
                                launch_line());
        }
        return make_failure(
            FailureKind::bad_launch,
            "the launch was refused: " + std::to_string(shape.blocks()) + " blocks of " +
                std::to_string(shape.threads()) + " threads.",
            "How many blocks do so many elements need? Round up, to at least 1 block.",
            launch_line());
    }

    // Reports whether the numbers of blocks and of threads per block are swapped.
    bool is_exchanged(const LaunchShape& launch) const {
        const auto count = static_cast<long long>(count_);
        const long long blocks = launch.blocks();
        return blocks != 1 && launch.threads() > kMaxThreadsPerBlock &&
               launch.threads() == (count + blocks - 1) / blocks;
    }

    // Returns the failure for a report of the simulator. Other functions handle failed copies and
    // leaks.
    std::optional<Failure> find_reported_error() const {
        for (const RecordedReport& report : run_.reports) {
            const bool is_copy_failure = report.check == "apicheck" && has_failed_copy();
            // If every thread does all the work, the threads also race for every element. Report
            // the repeated work instead of the race.
            const auto repeated_work = find_repeated_work();
            if (report.check == "globalrace" && repeated_work) return repeated_work;
            if (report.check != "leakcheck" && !is_copy_failure) return explain_report(report);
        }
        return {};
    }

    Failure explain_report(const RecordedReport& report) const {
        if (report.check == "memcheck" && report.kind == "out of bounds")
            return explain_out_of_bounds(report);
        FailureKind kind = FailureKind::kernel_failed;
        if (report.check == "apicheck") kind = FailureKind::program_failed;
        if (report.kind == "instruction budget") kind = FailureKind::endless_loop;
        if (report.kind == "unsupported") kind = FailureKind::not_simulated;
        if (report.kind == "misaligned") kind = FailureKind::misaligned;
        if (report.check == "globalrace") kind = FailureKind::race_between_blocks;
        if (report.check == "initcheck") kind = FailureKind::uninitialised_read;
        const std::string advice = report.line > 0 ? "Begin with that line." : "";
        return make_failure(kind, report.message, report.cure.empty() ? advice : report.cure,
                            report.line);
    }

    // Returns the failure for an access outside an array. Either threads without an element access
    // the array, or the index is wrong.
    Failure explain_out_of_bounds(const RecordedReport& report) const {
        const LaunchShape shape =
            run_.launches.empty() ? LaunchShape{} : run_.launches.back().shape;
        const long long thread = report.block[0] * shape.block[0] + report.thread[0];
        const std::string subject = "thread " + std::to_string(report.thread[0]) + " of block " +
                                    std::to_string(report.block[0]);
        if (thread >= static_cast<long long>(count_)) {
            return make_failure(
                FailureKind::no_bounds_check,
                subject + " has index " + std::to_string(thread) + ", but there are only " +
                    std::to_string(count_) + " elements: the thread accesses memory beyond them.",
                "Such threads must do nothing: compare the index with `count` first.", report.line);
        }
        if (report.message.find("is in host memory") != report.message.npos) {
            return make_failure(
                FailureKind::out_of_bounds,
                subject + " follows a pointer to host memory, which a kernel cannot access.",
                "Which pointers does the launch pass? A kernel can follow only pointers from "
                "cudaMalloc.",
                report.line);
        }
        return make_failure(
            FailureKind::out_of_bounds, subject + " accesses memory outside of the array.",
            "Work out the index by hand for that thread, for the first thread and for the last.",
            report.line);
    }

    std::optional<Failure> find_crash() const {
        constexpr int signal_exit_base = 128;
        if (run_.process_result.exit_code <= signal_exit_base) return {};
        return make_failure(FailureKind::program_failed,
                            "the program was killed by signal " +
                                std::to_string(run_.process_result.exit_code - signal_exit_base) +
                                ".",
                            "Does the host use a pointer from cudaMalloc? Only kernels and "
                            "cudaMemcpy can access that memory.");
    }

    std::optional<Failure> find_failed_copy() const {
        for (std::size_t i = 0; i < run_.copies.size(); ++i) {
            const RecordedCopy& copy = run_.copies[i];
            if (copy.error.empty()) continue;
            const char* const direction_text = copy.direction == "to-gpu" ? "to the GPU"
                                               : copy.direction == "to-host"
                                                   ? "back to the host"
                                                   : "that stays on one side";
            return make_failure(
                FailureKind::program_failed,
                std::string("the copy ") + direction_text + " failed (" + copy.error + ").",
                "Check the arguments of cudaMemcpy(to, from, bytes, kind): is each pointer on the "
                "side that `kind` names, and does `bytes` match the array?",
                find_copy_line(source_.text, run_, i));
        }
        return {};
    }

    std::optional<Failure> find_missing_launch() const {
        if (!run_.launches.empty()) return {};
        return make_failure(FailureKind::not_launched, "the program launches no kernel.",
                            "To launch a kernel, write the launch between <<< and >>>: "
                            "name<<<blocks, threads>>>(arguments).",
                            launch_line());
    }

    std::optional<Failure> find_missing_copy() const {
        if (!is_copied("to-gpu", false)) {
            return make_failure(
                FailureKind::not_copied,
                "the input is not copied to the GPU before the kernel is launched.",
                "Call cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) before the launch.",
                line_of_last_copy("to-gpu"));
        }
        if (is_copied("to-host", true)) return {};
        return make_failure(
            FailureKind::not_copied,
            "the result is not copied back from the GPU after the launch: the host "
            "compares its old data.",
            "Call cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) after the launch.",
            line_of_last_copy(is_copied("elsewhere", true) ? "elsewhere" : "to-host"));
    }

    std::optional<Failure> find_wrong_copy_size() const {
        for (const auto* array : {&run_.in, &run_.out}) {
            if (array->size() == count_) continue;
            const bool is_input = array == &run_.in;
            return make_failure(FailureKind::not_copied,
                                std::string("the copy ") + (is_input ? "to the GPU" : "back") +
                                    " has " + format_count(array->size(), "element") + ", not " +
                                    std::to_string(count_) + ".",
                                "cudaMemcpy counts bytes: count * sizeof(float). The program's "
                                "argument is the number of elements.",
                                line_of_last_copy(is_input ? "to-gpu" : "to-host"));
        }
        return {};
    }

    // Returns a failure if the input is a palindrome, because such an input does not show whether
    // the program reversed the array.
    std::optional<Failure> find_palindrome_input() const {
        if (count_ < 2 || !std::equal(run_.in.begin(), run_.in.end(), run_.in.rbegin())) return {};
        return make_failure(
            FailureKind::comparison_wrong,
            "the input reads the same from both ends, so the comparison cannot show "
            "whether the array was reversed.",
            "Give each element a different value: in[i] = i.");
    }

    float expected_value(std::size_t i) const { return run_.in[count_ - 1 - i]; }
    bool is_wrong_element(std::size_t i) const {
        return std::memcmp(&run_.out[i], &run_.in[count_ - 1 - i], sizeof(float)) != 0;
    }

    std::optional<Failure> find_wrong_elements() const {
        std::vector<std::size_t> wrong_indices;
        bool are_all_unwritten = true;
        for (std::size_t i = 0; i < count_; ++i) {
            if (!is_wrong_element(i)) continue;
            wrong_indices.push_back(i);
            are_all_unwritten &= is_poison(run_.out[i]);
        }
        if (wrong_indices.empty()) return {};
        Failure failure = are_all_unwritten ? explain_unwritten(wrong_indices)
                                            : explain_wrong_element(wrong_indices.front());
        if (prints_correct_result(run_)) {
            failure.details +=
                "The program still reports that the result is right: the comparison does not "
                "notice the mistake.\n";
        }
        return failure;
    }

    Failure explain_unwritten(const std::vector<std::size_t>& wrong_indices) const {
        const LaunchShape& shape = run_.launches.back().shape;
        const auto threads = static_cast<std::size_t>(run_.launches.back().threads());
        Failure failure = make_failure(
            FailureKind::wrong_result,
            format_element("out", wrong_indices.front()) + " was never written.",
            "Which thread should write this element, and does that thread reach the store?",
            find_kernel_line(source_.text, ""));
        failure.fault = Fault::never_written;
        if (wrong_indices.size() == count_) {
            failure.fault = Fault::nothing_written;
            failure.headline = "the kernel ran and wrote nothing to the array that is copied back.";
            failure.advice =
                "Does each thread reach its store? If it does, are the launch's arguments in the "
                "order of the kernel's parameters? Is the kernel's output copied back?";
        } else if (threads < count_) {
            failure.fault = Fault::grid_too_small;
            failure.place.line = launch_line();
            failure.headline =
                "the launch has " + format_count(threads, "thread") + " (" +
                std::to_string(shape.blocks()) + " x " + std::to_string(shape.threads()) +
                ") for " + format_count(count_, "element") + ": " +
                std::to_string(wrong_indices.size()) + " of them were never written.";
            failure.advice =
                "Integer division rounds down: add threads - 1 before you divide by threads.";
        } else if (count_ - wrong_indices.size() == static_cast<std::size_t>(shape.threads())) {
            failure.headline += " Only " + format_count(count_ - wrong_indices.size(), "element") +
                                (count_ - wrong_indices.size() == 1 ? " was" : " were") +
                                " written, as many as a block has threads.";
            failure.advice =
                "Do all blocks write the same elements? Which part of the index differs between "
                "blocks?";
        }
        return failure;
    }

    Failure explain_wrong_element(std::size_t i) const {
        std::string headline = format_element("out", i) + " is " + format_value(run_.out[i]) +
                               ", but " + "should be " + format_value(expected_value(i)) +
                               ", the value of " + format_element("in", count_ - 1 - i) + ".";
        const auto input_value = std::find(run_.in.begin(), run_.in.end(), run_.out[i]);
        if (input_value != run_.in.end()) {
            headline +=
                " It holds " +
                format_element("in", static_cast<std::size_t>(input_value - run_.in.begin())) + ".";
        }
        return make_failure(FailureKind::wrong_element, headline,
                            "Follow thread 0 by hand: which element does it read, "
                            "and where does it store the value?",
                            find_kernel_line(source_.text, ""));
    }

    // Returns a failure if the program does not report a correct result as correct.
    std::optional<Failure> find_wrong_comparison() const {
        if (prints_correct_result(run_)) return {};
        return make_failure(
            FailureKind::comparison_wrong,
            "the result is correct, but the program ends with exit code " +
                std::to_string(run_.process_result.exit_code) +
                (run_.process_result.exit_code == 0 ? " and does not say \"right\"." : "."),
            "The program must compare each element. It then prints \"right\" and "
            "ends with 0, or it says what is wrong and ends with 1.");
    }

    // The functions below check that the launch has a thread for each element, as the lesson
    // requires. They must accept all correct designs. Blocks may have any size, the grid may be
    // rounded up, and several blocks may use a grid-stride loop, which is common in CUDA code. A
    // single block is accepted if it could have a thread for each element.

    // Returns a failure if a launch has far too few threads for the number of elements, such as
    // <<<1, 1>>> with a loop.
    std::optional<Failure> find_too_few_threads() const {
        if (run_.launches.empty()) return {};
        const auto count = static_cast<long long>(count_);
        const std::string launch_text = ": the launch has " + format_launch(largest_launch_.shape) +
                                        " for " + format_count(count_, "element") + ".";
        if (largest_launch_.threads() < kLanes && count > kLanes) {
            const bool is_single_thread = largest_launch_.threads() == 1;
            return make_failure(
                FailureKind::multiprocessors_idle,
                (is_single_thread ? "a single thread does everything, one element after the other"
                                  : "a few threads do everything") +
                    launch_text + " A GPU can run many thousands of threads at once.",
                "Launch a thread for each element, and remove the loop over all elements from the "
                "kernel: the launch replaces the loop.",
                launch_line());
        }
        if (largest_launch_.shape.blocks() == 1 && count > kMaxThreadsPerBlock) {
            return make_failure(
                FailureKind::multiprocessors_idle,
                "a single block does everything" + launch_text +
                    " It runs on one multiprocessor, and a GPU may have more than a hundred.",
                "Launch enough blocks for one thread per element.", launch_line());
        }
        return {};
    }

    // Returns a failure if every thread or every block does all of the work.
    std::optional<Failure> find_repeated_work() const {
        if (run_.launches.empty() || count_ == 0) return {};
        for (const RecordedStores& stores : run_.stores) {
            const long long bytes_once =
                static_cast<long long>(count_ * sizeof(float)) * stores.launches;
            const long long repetitions = stores.bytes / bytes_once;
            if (repetitions < 2) continue;
            const bool is_by_thread = repetitions == largest_launch_.threads();
            const bool is_by_block = !is_by_thread && repetitions == largest_launch_.shape.blocks();
            const std::string subject = is_by_thread  ? "every thread does everything"
                                        : is_by_block ? "every block does everything"
                                                      : "threads repeat the work of others";
            return make_failure(
                FailureKind::work_repeated,
                subject + ": each element is stored " + std::to_string(repetitions) + " times" +
                    (is_by_thread  ? ", once by each thread of the launch."
                     : is_by_block ? ", once by each block of the launch."
                                   : ", on average."),
                is_by_block
                    ? "Start the index at the block's first element: blockIdx.x * "
                      "blockDim.x + threadIdx.x."
                    : "Make each thread process only the element at its own index: "
                      "blockIdx.x * blockDim.x + threadIdx.x. The launch replaces the loop.",
                stores.line > 0 ? stores.line : launch_line());
        }
        return {};
    }

    std::optional<Failure> find_leak() const {
        for (const RecordedReport& report : run_.reports) {
            return make_failure(FailureKind::memory_leaked, report.message,
                                "Call cudaFree once for each pointer from cudaMalloc.");
        }
        return {};
    }

    const RecordedRun& run_;
    const std::size_t count_;
    const Source& source_;
    RecordedLaunch largest_launch_{};  ///< the launch with the most threads
};

}  // namespace

Failure find_failure_of_run(const RecordedRun& run, int elements, const Source& source) {
    Failure failure = ProgramCauses(run, elements, source).find_first_failure();
    const bool has_crashed = failure.kind == FailureKind::program_failed && failure.place.line == 0;
    const bool is_vague =
        failure.kind == FailureKind::wrong_element || failure.kind == FailureKind::out_of_bounds ||
        failure.kind == FailureKind::no_bounds_check ||
        failure.kind == FailureKind::work_repeated ||
        (failure.kind == FailureKind::wrong_result &&
         (failure.fault == Fault::never_written || failure.fault == Fault::nothing_written));
    if (!is_vague && !has_crashed) return failure;
    if (failure.headline.find("pointer to host memory") != std::string::npos) return failure;
    const ProgramMistake mistake = find_program_mistake(source.text, has_crashed);
    if (mistake.line == 0) return failure;
    std::string old_headline = failure.headline;
    if (old_headline.starts_with("thread") || old_headline.starts_with("the "))
        old_headline[0] -= 'a' - 'A';
    failure.details = wrap(old_headline) + failure.details;
    failure.headline = mistake.headline;
    failure.place.line = mistake.line;
    failure.advice = mistake.advice;
    return failure;
}

Failure find_unnoticed_launch_failure(const RecordedRun& run, const Source& source) {
    // The output must contain the error as worded by cudaGetErrorString or cudaGetErrorName.
    const auto headline_contains = [&](const char* words) {
        return run.process_result.output.find(words) != std::string::npos;
    };
    const bool names_launch_error =
        headline_contains("invalid argument") || headline_contains("cudaErrorInvalidValue");
    if (run.has_checked_error && run.process_result.exit_code != 0 && names_launch_error) return {};
    Failure failure{
        .kind = FailureKind::launch_not_checked,
        .headline = "when the launch fails, the program continues as if it had succeeded.",
        .place = {source.name, find_launch_line(source.text), 0},
        .details =
            "For this test, the launch was made to fail on purpose.\n" + format_program_output(run),
        .advice =
            "A launch returns no error: after it, pass the result of cudaGetLastError() to "
            "check(), which reports the error."};
    if (run.has_checked_error) {
        failure.headline =
            "the launch fails, and the program asks for the error but does not report it.";
        failure.advice = "Print cudaGetErrorString(error), and end with an exit code other than 0.";
    }
    return failure;
}

}  // namespace coalesce
