// Runs clang to get the LLVM IR of a learner's file. Native programs and pages do the same; in a page, clang is
// WebAssembly and has neither a driver nor a back end.
#pragma once

#include <string>
#include <vector>

#include "examiner/source.h"

namespace coalesce {

/// A call of clang, in a folder that contains the file `input` and a folder `headers` with the headers of
/// common/cuda_headers/include.
struct ClangRequest {
    std::vector<std::string> arguments;  ///< arguments of clang: "-cc1", ...
    std::string text;                    ///< text of the file `input`
    std::string input;                   ///< name of the input file
    std::string output;                  ///< name of the file that gets the LLVM IR
    std::string headers;                 ///< name of the folder of headers
};

/// Makes the request for a file, which must be good (Source::is_good).
ClangRequest clang_ir_request(const Source& source);
/// Makes the request for a text that is already wrapped in the dialect bare_clang.
ClangRequest clang_ir_request_of_wrapped(const std::string& wrapped);

/// Splits the call in two for a clang that has a back end for NVIDIA's GPUs, which would change the optimizations:
/// the second call names a target without a back end. The IR is then the same as in a page.
std::vector<std::vector<std::string>> steps_with_back_end(const ClangRequest& request);

/// Returns the value of Compiled::compiler, "clang 22.1.8, translated", for this version of clang.
std::string translated_by_us(const std::string& version);

}  // namespace coalesce
