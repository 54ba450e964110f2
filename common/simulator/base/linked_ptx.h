// The image that cuLinkComplete returns: the concatenated PTX of all inputs. The inputs are linked
// when the image is loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce::simulator {

/// The line that separates two inputs in a linked image.
inline constexpr std::string_view kPtxSeparator =
    "\n// coalesce: the next piece of cuLinkAddData\n";

/// Splits a linked image into its PTX inputs. Text without a separator is returned as a single
/// input.
inline std::vector<std::string> split_linked_ptx(std::string_view text) {
    std::vector<std::string> inputs;
    for (std::size_t separator; (separator = text.find(kPtxSeparator)) != text.npos;) {
        inputs.emplace_back(text.substr(0, separator));
        text.remove_prefix(separator + kPtxSeparator.size());
    }
    inputs.emplace_back(text);
    return inputs;
}

}  // namespace coalesce::simulator
