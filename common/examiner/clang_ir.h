// Builds the command that compiles a learner's file to LLVM IR. Native programs and web pages use
// the same command. In a web page, clang runs as WebAssembly, with neither a driver nor a back end.
#pragma once

#include <string>
#include <vector>

#include "examiner/source.h"

namespace coalesce {

/// A clang command. The command must run in a folder that contains the input file and the folder of
/// headers. The headers are those in common/cuda_headers/include.
struct ClangRequest {
    std::vector<std::string> arguments;  ///< arguments of clang: "-cc1", ...
    std::string text;                    ///< text of the file `input`
    std::string input;                   ///< name of the input file
    std::string output;                  ///< name of the file to which clang writes the LLVM IR
    std::string headers;                 ///< name of the folder of headers
    bool keeps_variables = false;  ///< whether to leave the IR unoptimized (see CompileOptions)
};

/// Returns the command that compiles a learner's file. `source.is_good()` must be true. `sizes`
/// contains the names of the arguments of `configure`.
ClangRequest clang_ir_request(const Source& source,
                              const std::vector<std::string>& sizes = {"rows", "cols"},
                              bool keeps_variables = false);
/// Returns the command that compiles the output of wrap_source for `Dialect::bare_clang`.
ClangRequest clang_ir_request_for_wrapped(const std::string& wrapped_source,
                                          bool keeps_variables = false);

/// Returns the commands that replace the command `request` if clang has a back end for NVIDIA GPUs.
/// The first command emits unoptimized IR. The second command optimizes this IR without the back
/// end, so that the result is the same as in a web page. If `request.keeps_variables` is set,
/// returns only the command `request`, which does not optimize.
std::vector<std::vector<std::string>> commands_with_back_end(const ClangRequest& request);

/// Returns the name of a compiler that consists of clang and our translator from LLVM IR to PTX.
/// For version "22.1.8" of clang, the name is "clang 22.1.8, translated".
std::string add_translator_name(const std::string& version);

}  // namespace coalesce
