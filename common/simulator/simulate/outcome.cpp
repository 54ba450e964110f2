// See outcome.h.
#include "simulator/simulate/outcome.h"

namespace coalesce::simulator {

namespace {

int gate_code(int own_code, const Outcome& outcome) {
    if (outcome.missing > 0) return kNotSimulated;
    if (outcome.reports > 0) return kReported;
    if (own_code != 0) return kProgramFailed;
    // Fail if no kernel has run. A check of costs must not pass without checking anything.
    if (!outcome.has_kernels) return kNotSimulated;
    return outcome.costs > 0 ? kTooExpensive : 0;
}

}  // namespace

int choose_exit_code(const CommandLine& line, const Ending& ending, const Outcome& outcome) {
    const int own_code = ending.signal != 0 ? 128 + ending.signal : ending.exit_code;
    if (line.is_gate) return gate_code(own_code, outcome);
    // Without counters, it is unknown whether the checks found mistakes. A script must not treat
    // such a run as a success.
    const bool is_unknown = !outcome.has_counters && ending.signal == 0;
    if (line.error_exit_code != 0 && (outcome.reports > 0 || is_unknown))
        return line.error_exit_code;
    // A program that detects an error itself has already returned a nonzero exit code.
    if (own_code != 0) return own_code;
    if (outcome.missing > 0) return kNotSimulated;
    return outcome.costs > 0 ? kTooExpensive : 0;
}

}  // namespace coalesce::simulator
