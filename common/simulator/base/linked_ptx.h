// The image that cuLinkComplete returns: the concatenated PTX of all inputs. The inputs are linked
// when the image is loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce::simulator {

/// The line that separates two inputs.
inline constexpr std::string_view kPtxSeparator =
    "\n// coalesce: the next piece of cuLinkAddData\n";

/// Splits a linked image into its PTX inputs. Text that is not a linked image counts as a single
/// input.
inline std::vector<std::string> split_linked_ptx(std::string_view text) {
    std::vector<std::string> pieces;
    for (std::size_t at; (at = text.find(kPtxSeparator)) != text.npos;) {
        pieces.emplace_back(text.substr(0, at));
        text.remove_prefix(at + kPtxSeparator.size());
    }
    pieces.emplace_back(text);
    return pieces;
}

}  // namespace coalesce::simulator
