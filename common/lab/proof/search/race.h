/// \file
/// Verifies candidates, then times the candidates and a copy in turn. All candidates and the copy
/// use the same buffers.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/errors.h"
#include "harness/options.h"
#include "harness/stopwatch.h"
#include "lab/proof/device_check.h"
#include "lab/proof/search/candidates.h"

namespace coalesce::proof {

class CandidateBenchmark {
public:
    /// Prepares a benchmark in which all candidates use the buffers `out` and `in`. The elements of
    /// `in` must all differ.
    CandidateBenchmark(const std::vector<Candidate>& candidates, Shape shape, float* out,
                       const float* in)
        : candidates_(candidates),
          shape_(shape),
          out_(out),
          in_(in),
          times_ms_(candidates.size() + 1) {}

    /// Launches every candidate that has an output, and checks the output. Throws
    /// std::runtime_error if an output is wrong.
    void verify() const {
        for (const Candidate& candidate : candidates_) {
            if (!candidate.has_output()) continue;
            const Problem problem = {
                .rows = shape_.rows, .cols = shape_.cols, .produces = candidate.produces};
            CUDA_CHECK(cudaMemset(out_, kPoisonByte, problem.bytes()));
            launch(candidate);
            const cudaError_t error = cudaDeviceSynchronize();
            if (error == cudaSuccess && count_wrong_cells(problem, out_, in_) == 0) continue;
            throw std::runtime_error("\"" + candidate.name + "\" is wrong at " + shape_.name() +
                                     ": " + cudaGetErrorString(error));
        }
    }

    /// Runs the copy, and then each candidate: first an untimed launch, then `launches` timed ones.
    void time_round(Stopwatch& stopwatch, int launches) {
        const auto take_turn = [&](std::vector<double>& ms, const std::function<void()>& work) {
            stopwatch.time_once_on_device(work);
            for (int i = 0; i < launches; ++i) ms.push_back(stopwatch.time_once_on_device(work));
        };
        take_turn(times_ms_[0], [&] {
            CUDA_CHECK(cudaMemcpyAsync(out_, in_, static_cast<std::size_t>(bytes() / 2),
                                       cudaMemcpyDeviceToDevice));
        });
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            take_turn(times_ms_[i + 1], [&] { launch(candidates_[i]); });
        }
    }

    /// Returns the median time in milliseconds. Index 0 stands for the copy, and index i for
    /// candidate i - 1.
    double ms(std::size_t i) const { return summarize_timings(times_ms_[i]).ms; }
    double gbps(std::size_t i) const {
        const double moved_fraction = i == 0 ? 1 : candidates_[i - 1].moved_fraction;
        return bytes() * moved_fraction / ms(i) / 1e6;
    }

private:
    /// Returns the number of bytes that a transpose reads and writes.
    double bytes() const { return 2.0 * sizeof(float) * shape_.rows * shape_.cols; }

    void launch(const Candidate& candidate) const {
        candidate.launch(out_, in_, shape_.rows, shape_.cols);
        CUDA_CHECK(cudaGetLastError());
    }

    const std::vector<Candidate>& candidates_;
    Shape shape_;
    float* out_;
    const float* in_;
    std::vector<std::vector<double>> times_ms_;
};

}  // namespace coalesce::proof
