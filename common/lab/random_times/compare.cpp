#include "lab/random_times/compare.h"

#include "base/errors.h"

namespace coalesce::timing {

std::vector<TimePair> pairs_of(const PredictedKernels& predicted, const MeasuredKernels& measured) {
    if (predicted.kernels.size() != measured.kernels.size()) {
        throw UsageError(
            "the numbers of predicted and measured kernels differ: predict and measure the same "
            "folder");
    }
    std::vector<TimePair> pairs;
    for (std::size_t i = 0; i < predicted.kernels.size(); ++i) {
        const PredictedKernel& one = predicted.kernels[i];
        const MeasuredKernel& other = measured.kernels[i];
        if (one.name != other.name || one.fingerprint != other.fingerprint) {
            throw UsageError(other.name +
                             ": the measured kernel differs from the predicted kernel: predict and "
                             "measure the same folder");
        }
        pairs.push_back({one.name.substr(one.name.find('_') + 1) + " " + one.title, other.ms,
                         one.ms, one.bottleneck, one.unknown});
    }
    return pairs;
}

}  // namespace coalesce::timing
