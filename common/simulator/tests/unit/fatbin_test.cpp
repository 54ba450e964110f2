// Tests the fatbin reader with containers that this test builds with the real compressors, with
// containers made by nvcc, and with corrupt containers.
#include "simulator/fatbin/fatbin.h"

#include <doctest/doctest.h>
#include <lz4.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "simulator/fatbin/format.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::fatbin;

namespace {

const std::string kPtx = [] {
    std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (int i = 0; i < 200; ++i) text += "// line " + std::to_string(i) + " of a comment\n";
    return text;
}();

enum class Compression { none, zstd, lz4 };

struct Entry {
    EntryHeader header{};
    std::string payload;
};

std::string compressed(const std::string& text, Compression how) {
    if (how == Compression::zstd) {
        std::string out(ZSTD_compressBound(text.size()), '\0');
        out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 9));
        return out;
    }
    std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))),
                    '\0');
    out.resize(static_cast<std::size_t>(LZ4_compress_default(
        text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
    return out;
}

Entry make_entry(u16 kind, u32 compute_capability, const std::string& text, Compression how) {
    Entry entry;
    entry.header.kind = kind;
    entry.header.version = 0x101;
    entry.header.header_size = sizeof(EntryHeader);
    entry.header.compute_capability = compute_capability;
    entry.header.flags = 0x11;
    std::string terminated = text + '\0';
    if (how == Compression::none) {
        entry.payload = terminated;
    } else {
        entry.payload = compressed(terminated, how);
        entry.header.flags |= how == Compression::zstd ? kZstdFlag : kLz4Flag;
        entry.header.compressed_size = static_cast<u32>(entry.payload.size());
        entry.header.uncompressed_size = terminated.size();
    }
    entry.payload.resize(round_up(entry.payload.size(), 8));
    entry.header.payload_size = entry.payload.size();
    return entry;
}

Entry ptx_entry(u32 compute_capability, const std::string& text,
                Compression how = Compression::none) {
    return make_entry(1, compute_capability, text, how);
}

template <typename T>
void append(std::string& to, const T& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string container(const std::vector<Entry>& entries) {
    std::string body;
    for (const Entry& entry : entries) {
        append(body, entry.header);
        body.resize(body.size() + entry.header.header_size - sizeof(EntryHeader), 'n');
        body += entry.payload;
    }
    std::string result;
    append(result, ContainerHeader{kContainerMagic, kContainerVersion, 16, body.size()});
    return result + body;
}

/// Copies the data to an allocation of exactly its size, so that a sanitizer detects reads past its
/// end.
std::vector<PtxImage> read(const std::string& data) {
    const auto exact = std::make_unique<char[]>(data.size());
    std::memcpy(exact.get(), data.data(), data.size());
    return read_ptx(exact.get(), data.size());
}

std::string refusal_of(const std::string& data) {
    try {
        read(data);
    } catch (const FatbinError& error) {
        return error.what();
    }
    return "(accepted)";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("text in every compression format is decompressed") {
    for (const Compression how : {Compression::none, Compression::zstd, Compression::lz4}) {
        const auto images = read(container({ptx_entry(90, kPtx, how)}));
        REQUIRE(images.size() == 1);
        CHECK(images[0].compute_capability == 90);
        CHECK(images[0].text == kPtx);
    }
}

TEST_CASE("several entries are read, with headers of several sizes and one entry of machine code") {
    Entry wide = ptx_entry(80, kPtx + "// 80\n", Compression::lz4);
    wide.header.header_size = 128;
    const auto images = read(
        container({make_entry(2, 90,
                              "\x7f"
                              "ELF",
                              Compression::none),
                   wide, ptx_entry(90, kPtx, Compression::zstd), ptx_entry(75, kPtx + "// 75\n")}));
    REQUIRE(images.size() == 3);
    CHECK(images[0].text == kPtx + "// 80\n");

    CHECK(choose_image(images, 90) == &images[1]);
    CHECK(choose_image(images, 89) == &images[0]);
    CHECK(choose_image(images, 75) == &images[2]);
    CHECK(choose_image({}, 90) == nullptr);
    // A driver would reject these images. The simulator chooses the image for the nearest
    // architecture, which is the most likely to run.
    CHECK(choose_image(images, 70) == &images[2]);
    const auto newer = read(container({ptx_entry(120, kPtx), ptx_entry(100, kPtx)}));
    CHECK(choose_image(newer, 90) == &newer[1]);
    CHECK(choose_image(newer, 120) == &newer[0]);
}

TEST_CASE("for machine code without PTX, the message states how to build the program") {
    const std::string why = refusal_of(container({make_entry(2, 86, "code", Compression::none)}));
    CHECK(contains(why, "sm_86"));
    CHECK(contains(why, "-arch=sm_90"));
    CHECK(contains(why, "-gencode arch=compute_90,code=compute_90"));
    CHECK(contains(refusal_of(container({})), "empty fatbin"));
    const std::string by_dlto = container({make_entry(8, 90, "intermediate", Compression::none),
                                           make_entry(2, 90, "code", Compression::none)});
    CHECK(contains(refusal_of(by_dlto), "build without -dlto"));
    CHECK_FALSE(contains(why, "-dlto"));
}

TEST_CASE("cudaLibraryLoadData accepts three kinds of images") {
    const std::string data = container({ptx_entry(90, kPtx, Compression::zstd)});
    CHECK(read_image(data.data()).at(0).text == kPtx);

    const FatbinWrapper wrapper{kWrapperMagic, 1, data.data(), nullptr};
    CHECK(read_image(&wrapper).at(0).text == kPtx);

    const auto text = read_image(kPtx.c_str());
    CHECK(text.at(0).text == kPtx);
    CHECK(text.at(0).compute_capability == 90);
    CHECK(read_image("x").at(0).compute_capability == 0);
    CHECK(read_image("").at(0).text.empty());

    CHECK_THROWS_WITH_AS(read_image("\x7f"
                                    "ELF\x02\x01"),
                         doctest::Contains("machine code"), FatbinError);
    CHECK_THROWS_AS(read_image(nullptr), FatbinError);
    const FatbinWrapper empty{kWrapperMagic, 1, nullptr, nullptr};
    CHECK_THROWS_AS(read_image(&empty), FatbinError);
}

TEST_CASE("a linked program has one PTX container per translation unit") {
    const std::string linked = container({make_entry(2, 90, "code", Compression::none)});
    const std::string a = container({ptx_entry(80, "a80"), ptx_entry(90, "a90")});
    const std::string b = container({ptx_entry(90, "b90", Compression::zstd)});
    const std::string code = container({make_entry(2, 90, "code", Compression::none)});
    const void* units[] = {a.data(), code.data(), b.data(), nullptr};
    const FatbinWrapper wrapper{kWrapperMagic, kLinkedWrapperVersion, linked.data(), units};
    const auto images = read_image(&wrapper);
    REQUIRE(images.size() == 3);
    CHECK(images[0].text == "a80");
    CHECK(images[1].text == "a90");
    CHECK(images[2].text == "b90");
}

TEST_CASE("inconsistent headers are rejected") {
    const std::string good = container({ptx_entry(90, kPtx)});
    CHECK(contains(refusal_of(std::string(16, '\0')), "magic"));
    std::string other_version = good;
    other_version[4] = 9;
    CHECK(contains(refusal_of(other_version), "version 9"));

    struct Lie {
        const char* what;
        void (*tell)(Entry&);
    };
    const Lie lies[] = {
        {"a short header", [](Entry& e) { e.header.header_size = 8; }},
        {"an endless payload", [](Entry& e) { e.header.payload_size = ~u64{0}; }},
        {"a payload that overflows", [](Entry& e) { e.header.payload_size = ~u64{0} - 63; }},
        {"more compressed than there is", [](Entry& e) { e.header.compressed_size = 0x7fffffff; }},
        {"nothing compressed", [](Entry& e) { e.header.compressed_size = 0; }},
        {"too much text", [](Entry& e) { e.header.uncompressed_size = u64{1} << 40; }},
        {"gigabytes of text", [](Entry& e) { e.header.uncompressed_size = 400u << 20; }},
        {"too little text", [](Entry& e) { e.header.uncompressed_size = 10; }},
        {"one byte too many", [](Entry& e) { ++e.header.uncompressed_size; }},
        {"damaged data",
         [](Entry& e) {
             e.payload[0] ^= 0x55;
             e.payload[9] ^= 0x55;
         }},
        {"the other compression", [](Entry& e) { e.header.flags ^= kLz4Flag | kZstdFlag; }},
    };
    for (const Compression how : {Compression::zstd, Compression::lz4}) {
        for (const Lie& lie : lies) {
            CAPTURE(lie.what);
            CAPTURE(static_cast<int>(how));
            Entry entry = ptx_entry(90, kPtx, how);
            lie.tell(entry);
            std::string data;
            append(data, ContainerHeader{kContainerMagic, kContainerVersion, 16,
                                         sizeof(EntryHeader) + entry.payload.size()});
            append(data, entry.header);
            data += entry.payload;
            CHECK(refusal_of(data) != "(accepted)");
        }
    }
}

TEST_CASE("a truncated container is rejected, and nothing past its end is read") {
    const std::string whole =
        container({ptx_entry(80, kPtx, Compression::lz4), ptx_entry(90, kPtx, Compression::zstd)});
    CHECK(refusal_of(whole) == "(accepted)");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        CAPTURE(length);
        CHECK(refusal_of(whole.substr(0, length)) != "(accepted)");
    }
}

// --- containers made by nvcc ---------------------------------------------------------------------

#ifdef COALESCE_NVCC
TEST_CASE("containers made by nvcc are read in every compression mode") {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("coalesce-fatbin-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "k.cu") << "template <int N> __device__ int f(int x) { return N * x; }\n"
                                      "__global__ void k(int* o) { o[0] = f<3>(o[1]); }\n";
    for (const std::string mode : {"none", "default", "speed"}) {
        CAPTURE(mode);
        const std::string output = (folder / (mode + ".fatbin")).string();
        const std::string command = std::string(COALESCE_NVCC) + " -fatbin -compress-mode=" + mode +
                                    " -gencode arch=compute_80,code=compute_80"
                                    " -gencode arch=compute_90,code=compute_90 -o " +
                                    output + " " + (folder / "k.cu").string();
        REQUIRE(std::system(command.c_str()) == 0);
        std::ifstream file(output, std::ios::binary);
        const std::string data((std::istreambuf_iterator<char>(file)), {});
        const auto images = read(data);
        REQUIRE(images.size() == 2);
        const PtxImage* newest = choose_image(images, 90);
        REQUIRE(newest != nullptr);
        CHECK(newest->compute_capability == 90);
        CHECK(contains(newest->text, ".target sm_90"));
        CHECK(contains(newest->text, ".entry _Z1kPi"));
        CHECK(newest->text.find('\0') == std::string::npos);
    }
    fs::remove_all(folder);
}
#endif
