/// \file
/// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): names of contents, and secrets from a key.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace coalesce::grader {

/// A digest, as bytes.
using Digest = std::array<std::uint8_t, 32>;

/// The digest of some bytes.
Digest sha256(std::string_view bytes);
/// HMAC-SHA256 of a message.
Digest hmac_sha256(std::string_view key, std::string_view message);

/// 64 hexadecimal digits.
std::string hex(const Digest& digest);
/// The digest of some bytes as hexadecimal digits.
std::string sha256_hex(std::string_view bytes);
/// Of several texts, as one that no other list of texts has: each goes in with its length.
std::string sha256_of_parts(std::initializer_list<std::string_view> parts);

}  // namespace coalesce::grader
