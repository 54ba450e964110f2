/// \file
/// Kernel times that other authors published for one GPU.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/options.h"
#include "lab/proof/json_text.h"
#include "lab/random_times/errors.h"

namespace coalesce::proof {

/// Thrown if the published times and the predicted times belong to different kernels.
struct PublishedTimesError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct PublishedTimes {
    std::string program;  ///< such as "yenusah_h100"
    std::string title, author, date;
    std::vector<std::string> web_addresses;
    std::string gpu;                   ///< name of the GPU in gpus/
    Shape shape;                       ///< shape of the matrix of floats
    std::map<std::string, double> ms;  ///< times by kernel
};

/// Returns the times of the 20 transposes that Caleb Yenusah measured on an H100.
PublishedTimes read_published_record();

/// Returns pairs of published and predicted times. `predicted` is the JSON that the program
/// `record.program` writes when it is run with --time. Throws PublishedTimesError if `record` or
/// `predicted` lacks a kernel.
std::vector<timing::TimePair> pairs_of(const PublishedTimes& record, const Json& predicted);

}  // namespace coalesce::proof
