/// \file
/// What others have published: the files of this folder, each with the times of kernels on one GPU. The program
/// of the same name has these kernels.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/options.h"
#include "lab/proof/json_text.h"
#include "lab/random_times/errors.h"

namespace coalesce::proof {

/// What a file says wrongly: "harris_k20c.toml:5: ...".
struct RecordError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Record {
    std::string program;  ///< "harris_k20c"
    std::string title, author, date;
    std::vector<std::string> addresses;
    std::string card;                  ///< as it is called there
    std::string gpu;                   ///< the one of gpus/ that it is
    Shape shape;                       ///< of the matrix of floats
    std::map<std::string, double> ms;  ///< by kernel
};

/// `file` names it in errors, and the program.
Record read_record(std::string_view text, const std::string& file);
/// All of this folder, by name.
std::vector<Record> read_records();

/// Published beside predicted, in the order of the kernels. `predicted`: what the program wrote with --time.
/// Throws RecordError where one of them has a kernel that the other has not.
std::vector<timing::TimePair> pairs_of(const Record& record, const Json& predicted);

}  // namespace coalesce::proof
