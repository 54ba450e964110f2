#include "grader/sandbox/memory_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "grader/sandbox/tests/held_page.h"

using coalesce::Descriptor;
using namespace coalesce::grader;

namespace {

/// Reports whether a memfd is sealed against writing and resizing.
bool is_sealed(int descriptor) {
    constexpr int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & wanted) == wanted;
}

}  // namespace

TEST_CASE("memory given to a worker is sealed: no process can write to it or shorten it") {
    const Descriptor memory = create_sealed_memfd("forty-two");
    CHECK(is_sealed(memory.get()));
    CHECK(pwrite(memory.get(), "x", 1, 0) < 0);
    CHECK(ftruncate(memory.get(), 0) < 0);
    CHECK(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0) == MAP_FAILED);
    const MemoryMapping mapping(memory.get(), false);
    CHECK(std::memcmp(mapping.data(), "forty-two", 9) == 0);
}

TEST_CASE("memory is sealed as soon as the kernel has released its last page") {
    const Descriptor memory = create_blank_memfd(4096);
    REQUIRE(pwrite(memory.get(), "x", 1, 0) == 1);
    HeldPage held(memory.get());
    CHECK(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE) != 0);
    std::thread lets_go([&held] {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        held.let_go();
    });
    CHECK(seal(memory.get()));
    lets_go.join();
    CHECK(is_sealed(memory.get()));
}

TEST_CASE("an answer is copied, even if other processes can still write to its original") {
    Descriptor memory = create_blank_memfd(4096);
    const MemoryMapping writable(memory.get(), true);
    const std::span<std::byte> bytes(writable.data(), writable.size());
    CHECK(ftruncate(memory.get(), 8192) < 0);
    const Answer answer(std::move(memory));
    CHECK(answer.text() == "");
    CHECK(write_text_block(bytes, "an answer"));
    CHECK(write_text_block(bytes.subspan(100), "and another"));
    const std::string copy = answer.text();
    CHECK(write_text_block(bytes, "something else"));
    CHECK(copy == "an answer");
    CHECK(answer.text(100) == "and another");
    CHECK(answer.bytes(108, 3) == "and");
    CHECK_THROWS_AS(answer.bytes(4090, 7), std::runtime_error);
}

TEST_CASE("an answer whose stated length is wrong is cut off at the end of its memory") {
    Descriptor memory = create_blank_memfd(16);
    REQUIRE(pwrite(memory.get(),
                   "\xff\xff\xff\xff\xff\xff\xff\xff"
                   "8 bytes.",
                   16, 0) == 16);
    const Answer answer(std::move(memory));
    CHECK(answer.text() == "8 bytes.");
    CHECK(answer.text(9) == "");
    CHECK(answer.text(17) == "");
}

TEST_CASE("text that does not fit into the memory is not written") {
    std::array<std::byte, 16> bytes{};
    CHECK_FALSE(write_text_block(bytes, "nine bytes"));
    CHECK(write_text_block(bytes, "8 bytes."));
    Descriptor memory = create_blank_memfd(16);
    REQUIRE(pwrite(memory.get(), bytes.data(), bytes.size(), 0) == 16);
    CHECK(Answer(std::move(memory)).text() == "8 bytes.");
}
