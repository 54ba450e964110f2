#include "grader/sandbox/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace coalesce::grader {
namespace {

using namespace std::chrono_literals;

constexpr int kSealSize = F_SEAL_SHRINK | F_SEAL_GROW;
/// The longest time to wait for a seal. The Linux kernel refuses to seal a memfd while it moves or
/// reclaims one of its pages, which can take a long time on a busy computer.
constexpr auto kMaxSealWait = 20s;

[[noreturn]] void throw_memory_error(const char* failure_text) {
    throw std::system_error(errno, std::generic_category(), failure_text);
}

Descriptor create_memfd(std::size_t bytes) {
    Descriptor memory(memfd_create("grader", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory) throw_memory_error("shared memory cannot be created");
    if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
        throw_memory_error("shared memory cannot be enlarged");
    return memory;
}

}  // namespace

MemoryMapping::MemoryMapping(int descriptor, bool is_writable) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0)
        throw_memory_error("the size of shared memory cannot be read");
    size_ = static_cast<std::size_t>(status.st_size);
    void* data = mmap(nullptr, std::max<std::size_t>(size_, 1),
                      is_writable ? PROT_READ | PROT_WRITE : PROT_READ,
                      is_writable ? MAP_SHARED : MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) throw_memory_error("shared memory cannot be mapped");
    data_ = static_cast<std::byte*>(data);
}

MemoryMapping::~MemoryMapping() {
    if (data_) munmap(data_, std::max<std::size_t>(size_, 1));
}

MemoryMapping::MemoryMapping(MemoryMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Descriptor create_sealed_memfd(std::string_view bytes) {
    Descriptor memory = create_memfd(bytes.size());
    if (!write_all(memory.get(), bytes)) throw_memory_error("shared memory cannot be written");
    if (!seal(memory.get())) throw_memory_error("shared memory cannot be sealed");
    return memory;
}

Descriptor create_blank_memfd(std::size_t bytes) {
    Descriptor memory = create_memfd(bytes);
    if (fcntl(memory.get(), F_ADD_SEALS, kSealSize) != 0)
        throw_memory_error("the size of shared memory cannot be sealed");
    return memory;
}

bool seal(int descriptor) {
    const auto deadline = std::chrono::steady_clock::now() + kMaxSealWait;
    while (fcntl(descriptor, F_ADD_SEALS, kSealSize | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        if (errno != EBUSY || std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

bool write_text_block(std::span<std::byte> memory, std::string_view text) {
    const std::uint64_t length = text.size();
    if (memory.size() < sizeof length || memory.size() - sizeof length < text.size()) return false;
    std::memcpy(memory.data(), &length, sizeof length);
    std::memcpy(memory.data() + sizeof length, text.data(), text.size());
    return true;
}

std::string Answer::bytes(std::size_t offset, std::size_t count) const {
    std::string copy(count, '\0');
    for (std::size_t copied_bytes = 0; copied_bytes < count;) {
        const ssize_t read_count =
            pread(memory_.get(), copy.data() + copied_bytes, count - copied_bytes,
                  static_cast<off_t>(offset + copied_bytes));
        if (read_count < 0 && errno == EINTR) continue;
        if (read_count < 0) throw_memory_error("the answer cannot be read");
        if (read_count == 0) throw std::runtime_error("the answer is too short");
        copied_bytes += static_cast<std::size_t>(read_count);
    }
    return copy;
}

std::string Answer::text(std::size_t offset) const {
    struct stat status {};
    if (fstat(memory_.get(), &status) != 0)
        throw_memory_error("the size of the answer cannot be read");
    const auto size = static_cast<std::size_t>(status.st_size);
    std::uint64_t length = 0;
    if (size < offset || size - offset < sizeof length) return {};
    std::memcpy(&length, bytes(offset, sizeof length).data(), sizeof length);
    const std::uint64_t max_length = size - offset - sizeof length;
    return bytes(offset + sizeof length, static_cast<std::size_t>(std::min(length, max_length)));
}

}  // namespace coalesce::grader
