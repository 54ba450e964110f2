/// \file
/// What others have published: the times of kernels on one GPU. The program of the same name has these kernels.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/options.h"
#include "lab/proof/json_text.h"
#include "lab/random_times/errors.h"

namespace coalesce::proof {

/// A kernel that only the record or only its program has.
struct RecordError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Record {
    std::string program;  ///< "yenusah_h100"
    std::string title, author, date;
    std::vector<std::string> addresses;
    std::string gpu;                   ///< the one of gpus/ that it is
    Shape shape;                       ///< of the matrix of floats
    std::map<std::string, double> ms;  ///< by kernel
};

/// Returns the 20 transposes that Caleb Yenusah has timed on an H100.
Record published_record();

/// Published beside predicted, in the order of the kernels. `predicted`: what the program wrote with --time.
/// Throws RecordError where one of them has a kernel that the other has not.
std::vector<timing::TimePair> pairs_of(const Record& record, const Json& predicted);

}  // namespace coalesce::proof
