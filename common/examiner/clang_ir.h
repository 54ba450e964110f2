// How clang is asked for LLVM IR of a learner's file: the same natively and in a page, where clang is
// WebAssembly and has neither a driver nor a back end.
#pragma once

#include <string>
#include <vector>

#include "examiner/source.h"

namespace coalesce {

/// What clang is to do, in a folder that holds the file `input` and, in the folder `headers`, what
/// common/cuda_headers/include has.
struct ClangRequest {
    std::vector<std::string> arguments;  ///< of clang: "-cc1", ...
    std::string text;                    ///< of the file `input`
    std::string input;                   ///< its name
    std::string output;                  ///< the file that LLVM IR comes into
    std::string headers;                 ///< the folder's name
};

/// For a file that is good (Source::is_good).
ClangRequest clang_ir_request(const Source& source);
/// Likewise, for a text that is wrapped already, by the dialect bare_clang.
ClangRequest clang_ir_request_of_wrapped(const std::string& wrapped);

/// The same with a clang that has a back end for NVIDIA's GPUs, which would take part in optimising: two
/// calls one after the other, the second for a target for which clang has none. The IR is a page's then.
std::vector<std::vector<std::string>> steps_with_back_end(const ClangRequest& request);

/// What Compiled::compiler says: "clang 22.1.8, translated". `version` is clang's.
std::string translated_by_us(const std::string& version);

}  // namespace coalesce
