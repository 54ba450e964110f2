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
        const PredictedKernel& predicted_kernel = predicted.kernels[i];
        const MeasuredKernel& measured_kernel = measured.kernels[i];
        if (predicted_kernel.name != measured_kernel.name ||
            predicted_kernel.fingerprint != measured_kernel.fingerprint) {
            throw UsageError(measured_kernel.name +
                             ": the measured kernel differs from the predicted kernel: predict and "
                             "measure the same folder");
        }
        pairs.push_back({predicted_kernel.name.substr(predicted_kernel.name.find('_') + 1) + " " +
                             predicted_kernel.title,
                         measured_kernel.ms, predicted_kernel.ms, predicted_kernel.bottleneck,
                         predicted_kernel.unknown});
    }
    return pairs;
}

}  // namespace coalesce::timing
