#include "examiner/elements/value_rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

std::optional<Failure> find_replacing_shuffle(const WrongOutput& seen) {
    static const TextPattern assigned(
        R"(\b(\w+)\s*=\s*__shfl_(?:down|up|xor)_sync\s*\([^,;]*,\s*(\w+)\s*,[^;]*\)\s*;)");
    const std::string code = code_for_search(seen.source());
    const std::vector<Loop> loops = find_loops(seen.source());
    for (const TextMatch& one : find_matches(code, assigned)) {
        const int line = line_number_at(code, one.position());
        if (one.str(1) != one.str(2) || !innermost_loop(loops, line)) continue;
        const std::string& name = one.str(1);
        Failure failure =
            seen.make(FailureKind::inputs_left_out,
                      "the shuffle replaces `" + name +
                          "` with the value of another lane, so the lane's own "
                          "value is lost.",
                      "Combine the two values: for a sum, " + name + " += __shfl_..._sync(...).");
        failure.place.line = line;
        return failure;
    }
    return std::nullopt;
}

}  // namespace coalesce
