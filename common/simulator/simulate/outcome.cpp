// See outcome.h.
#include "simulator/simulate/outcome.h"

namespace coalesce::simulator {

namespace {

int choose_gate_code(int program_code, const Outcome& outcome) {
    if (outcome.missing_work_reports > 0) return kNotSimulated;
    if (outcome.mistake_reports > 0) return kMistakesReported;
    if (program_code != 0) return kProgramFailed;
    // Fail if no kernel has run. A check of costs must not pass without checking anything.
    if (!outcome.has_kernels) return kNotSimulated;
    return outcome.excessive_costs > 0 ? kTooExpensive : 0;
}

}  // namespace

int choose_exit_code(const CommandLine& line, const Ending& ending, const Outcome& outcome) {
    const int program_code = ending.signal != 0 ? 128 + ending.signal : ending.exit_code;
    if (line.uses_gate_codes) return choose_gate_code(program_code, outcome);
    // Without counters, it is unknown whether the checks found mistakes. A script must not treat
    // such a run as a success.
    const bool is_unknown = !outcome.has_counters && ending.signal == 0;
    if (line.error_exit_code != 0 && (outcome.mistake_reports > 0 || is_unknown))
        return line.error_exit_code;
    // A program that detects an error itself has already returned a nonzero exit code.
    if (program_code != 0) return program_code;
    if (outcome.missing_work_reports > 0) return kNotSimulated;
    return outcome.excessive_costs > 0 ? kTooExpensive : 0;
}

}  // namespace coalesce::simulator
