#include <algorithm>

#include "base/text.h"
#include "examiner/elements/shared_elements.h"
#include "examiner/elements/value_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Launches the kernel with other values of one size.
class SizeTrials {
public:
    SizeTrials(const WrongOutput& seen, std::size_t size) : seen_(seen), size_(size) {}

    bool is_right(long long value) const { return trial(value).is_good(); }
    /// Reports whether the kernel runs to completion, and only its values are wrong.
    bool is_wrong(long long value) const {
        const Trial found = trial(value);
        return found.has_ended() && found.reports.empty() && !found.is_good();
    }
    bool is_possible(long long value) const {
        const std::vector<int>& most = task().max_sizes;
        constexpr long long largest = 4096;
        return value > 0 && value <= largest && (most.empty() || value <= most[size_]);
    }
    long long here() const { return size_at(seen_.trial().shape, size_); }
    const std::string& name() const { return task().sizes[size_]; }

private:
    const ElementTask& task() const { return *seen_.evidence().exercise.elements; }
    Trial trial(long long value) const {
        std::vector<int> values;
        for (std::size_t i = 0; i < task().sizes.size(); ++i) {
            values.push_back(i == size_ ? static_cast<int>(value)
                                        : size_at(seen_.trial().shape, i));
        }
        return seen_.evidence().relaunch({.shape = shape_of(values)});
    }

    const WrongOutput& seen_;
    std::size_t size_;
};

Failure explain_border(const WrongOutput& seen, const std::string& name, long long right,
                       long long wrong, const std::string& meaning, const std::string& next) {
    Failure failure =
        seen.make(FailureKind::wrong_elements,
                  "the result is right with " + name + " = " + std::to_string(right) +
                      ", but wrong with " + name + " = " + std::to_string(wrong) + ".",
                  next);
    failure.details += wrap(meaning);
    return failure;
}

/// Names a line that stores to a shared array only where a condition on the size holds.
void name_conditional_store(Failure& failure, const WrongOutput& seen, const std::string& size) {
    for (const SharedArray& array : list_shared_arrays(seen.source())) {
        for (const int line : list_store_lines(seen.source(), array.name)) {
            const auto condition = find_condition_on({size}, seen.source(), line);
            if (!condition) continue;
            failure.place.line = condition->line;
            failure.details += wrap("Line " + std::to_string(line) + " stores in `" + array.name +
                                    "` only if `" + condition->text + "`.");
            return;
        }
    }
}

/// Tests whether `border` is a size at which the kernel becomes right or wrong.
std::optional<Failure> test_border(const WrongOutput& seen, const SizeTrials& trials,
                                   long long border, const std::string& meaning) {
    if (border < 2 || !trials.is_possible(border) || trials.here() == border ||
        !trials.is_right(border)) {
        return std::nullopt;
    }
    const std::string& name = trials.name();
    if (trials.here() < border) {
        const bool is_border = trials.is_wrong(border - 1) &&
                               (!trials.is_possible(border + 1) || trials.is_right(border + 1));
        if (!is_border) return std::nullopt;
        Failure failure =
            explain_border(seen, name, border, border - 1, meaning,
                           "Some threads have no element then. What do they add to the result, "
                           "or leave in shared memory? It must be a value that changes "
                           "nothing: 0 for a sum, the smallest number for a maximum, the "
                           "largest number for an ascending order.");
        name_conditional_store(failure, seen, name);
        return failure;
    }
    if (!trials.is_possible(border + 1) || !trials.is_wrong(border + 1)) return std::nullopt;
    return explain_border(seen, name, border, border + 1, meaning,
                          "Follow the first element after number " + std::to_string(border) +
                              ": which thread, or which step of a loop, takes it?");
}

}  // namespace

std::optional<Failure> find_size_border(const WrongOutput& seen) {
    const LaunchShape& launch = seen.trial().launch;
    const std::string block = "A block has " + std::to_string(launch.threads()) + " threads.";
    const std::pair<long long, std::string> borders[] = {
        {launch.threads(), block},
        {launch.block[0], "A block has " + std::to_string(launch.block[0]) + " threads along x."},
        {launch.threads() / 2, block},
        {32, "A warp has 32 lanes."}};
    const std::size_t sizes = seen.evidence().exercise.elements->sizes.size();
    for (std::size_t size = sizes; size-- > 0;) {
        const SizeTrials trials(seen, size);
        for (const auto& [border, meaning] : borders) {
            if (auto failure = test_border(seen, trials, border, meaning)) return failure;
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
