#include "grader/store/sha256.h"

#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace coalesce::grader {
namespace {

const unsigned char* to_unsigned_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Digest sha256(std::string_view bytes) {
    Digest digest;
    SHA256(to_unsigned_bytes(bytes), bytes.size(), digest.data());
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view message) {
    Digest digest;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), to_unsigned_bytes(message),
         message.size(), digest.data(), nullptr);
    return digest;
}

std::string hex(const Digest& digest) {
    std::string text;
    for (std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string sha256_hex(std::string_view bytes) {
    return hex(sha256(bytes));
}

std::string sha256_of_parts(std::initializer_list<std::string_view> parts) {
    std::string joined_parts;
    for (std::string_view part : parts) {
        joined_parts += std::to_string(part.size()) + ":";
        joined_parts += part;
    }
    return sha256_hex(joined_parts);
}

}  // namespace coalesce::grader
