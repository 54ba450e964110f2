#include "grader/sandbox/memory_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

using coalesce::Descriptor;
using namespace coalesce::grader;

TEST_CASE("what is given is sealed: nobody can write to it, or make it shorter") {
    const Descriptor memory = sealed_memory("forty-two");
    CHECK(is_sealed(memory.get()));
    CHECK(pwrite(memory.get(), "x", 1, 0) < 0);
    CHECK(ftruncate(memory.get(), 0) < 0);
    CHECK(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0) == MAP_FAILED);
    const Mapping mapping(memory.get(), false);
    CHECK(std::memcmp(mapping.data(), "forty-two", 9) == 0);
}

TEST_CASE("an answer cannot be sealed while somebody could still write to it") {
    const Descriptor memory = blank_memory(4096);
    {
        const Mapping writable(memory.get(), true);
        CHECK_FALSE(seal(memory.get()));
        CHECK_FALSE(is_sealed(memory.get()));
        CHECK(put_text({writable.data(), writable.size()}, "an answer"));
    }
    CHECK(seal(memory.get()));
    CHECK(is_sealed(memory.get()));
    const Mapping mapping(memory.get(), false);
    CHECK(text_in({mapping.data(), mapping.size()}) == "an answer");
    CHECK(ftruncate(memory.get(), 8192) < 0);
}

TEST_CASE("a text whose length is a lie ends where the memory does") {
    std::array<std::byte, 16> memory{};
    memory.fill(std::byte{0xff});
    CHECK(text_in(memory).size() == 8);
    CHECK(text_in(std::span(memory).first(7)).empty());
    CHECK_FALSE(put_text(memory, "nine bytes"));
    CHECK(put_text(memory, "8 bytes."));
    CHECK(text_in(memory) == "8 bytes.");
}
