// Runs many kernels' texts by campaign_run, whatever becomes of them: a crash or a hang costs the one
// that it happened in.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

/// A kernel as it is run: PTX with the launch in its first line.
struct Case {
    std::string name;                ///< without spaces
    std::string configuration = {};  ///< "ptx", "nvrtc-O3" ...
    std::string ptx = {};
    std::string source = {};  ///< CUDA C++, when it was compiled
};

/// What came of it.
struct Outcome {
    enum class Status { done, error, crashed } status = Status::crashed;
    std::string results;   ///< a hash
    std::string counters;  ///< a hash, and the counters
    u64 reports = 0;
    std::string text;  ///< the error, or the first report
};

/// How the simulator is run.
struct Mode {
    bool plain = false;
    u32 threads = 1;
    u64 seed = 0;
    u64 limit = 5'000'000;  ///< of warp instructions: what needs more has a loop that does not end
    /// The library's folder, when it is not the driver's own: another build to compare with, or NVIDIA's.
    std::string library;
    int level = -1;  ///< of the compiler in NVIDIA's driver; negative: its own choice
};
std::string in_words(const Mode& mode);  ///< as environment variables

class Runner {
public:
    /// The program, and the folder of libcudart.so.13.
    Runner(std::string program, std::string library);

    /// One outcome for each, in the same order.
    std::vector<Outcome> run(const std::vector<Case>& cases, const Mode& mode) const;
    /// The command that runs a file.
    std::string command(const std::string& file, const Mode& mode) const;

private:
    std::string program_, library_;
};

/// Empty, or in what the two differ. Counters of waiting loops depend on the order of warps, so they
/// are compared between runs in the same order alone.
std::string difference(const Outcome& a, const Outcome& b, bool same_order);

}  // namespace coalesce::campaign
