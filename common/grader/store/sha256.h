/// \file
/// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), for content identifiers and for secrets derived
/// from a key.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace coalesce::grader {

/// The bytes of a digest.
using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view message);

/// Formats a digest as 64 hexadecimal digits.
std::string hex(const Digest& digest);
/// Returns the SHA-256 digest of `bytes` as hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
/// Returns a digest of a list of strings. {"ab", "c"} and {"a", "bc"} have different digests.
std::string sha256_of_parts(std::initializer_list<std::string_view> parts);

}  // namespace coalesce::grader
