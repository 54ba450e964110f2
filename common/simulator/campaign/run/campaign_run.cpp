// Runs generated kernels, on whatever libcudart the loader finds, and prints a line for each.
//
//     campaign_run FILE...                 each a kernel's text, or many of them behind lines `//// NAME`
//     campaign_run --skip N FILE...        without the first N kernels
//     campaign_run --limit N FILE...       warp instructions that a kernel may take, on the simulator
//     campaign_run --keep DIR FILE...      what each left in memory goes to DIR/NAME.bin
//     campaign_run --expect FILE FILE...   compares with the hashes in a file; says how many are equal. A kernel
//                                          that its driver dies of is named, and the others go on
//
// A line is `done NAME RESULTS` and, on the simulator, `COUNTERS REPORTS` and the counters themselves;
// or `error NAME WHAT`. `start NAME` comes before, so that a crash is named.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "campaign/contract.h"
#include "cudart/coalesce_simulator.h"

using namespace coalesce::campaign;

namespace {

/// No generated kernel needs more: what does is a loop that does not end.
constexpr u64 kMaxInstructions = 5'000'000;

struct Text {
    std::string name, text;
};

std::vector<Text> read(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + " can not be read");
    std::vector<Text> texts;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("//// ")) {
            texts.push_back({line.substr(5), ""});
            continue;
        }
        if (texts.empty()) texts.push_back({file, ""});
        texts.back().text += line + "\n";
    }
    return texts;
}

void need(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

u64 hash(const void* data, std::size_t bytes, u64 seed = 0x636f616c) {
    const auto* at = static_cast<const unsigned char*>(data);
    u64 h = seed;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        u64 word;
        std::memcpy(&word, at, 8);
        h = mixed(h ^ word);
    }
    for (; bytes > 0; --bytes, ++at) h = mixed(h ^ *at);
    return h;
}

std::string hex(u64 value) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", value);
    return text;
}

// ---- the simulator's own functions, where it is loaded ----

struct Simulator {
    template <class Function>
    static void find(const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    }
    Simulator() {
        find("coalesceResetCounters", reset);
        find("coalesceGetKernels", kernels);
        find("coalesceGetKernel", kernel);
        find("coalesceGetLineCount", lines);
        find("coalesceGetLine", line);
        find("coalesceGetReports", reports);
        find("coalesceGetReport", report);
        find("coalesceClearReports", clear_reports);
        find("coalesceSetMaxInstructions", limit);
        find("coalesceClearError", clear_error);
        find("coalesceSetQuiet", quiet);
        if (!reset) return;
        quiet(1);
    }
    explicit operator bool() const { return reset != nullptr; }

    decltype(&coalesceResetCounters) reset = nullptr;
    decltype(&coalesceGetKernels) kernels = nullptr;
    decltype(&coalesceGetKernel) kernel = nullptr;
    decltype(&coalesceGetLineCount) lines = nullptr;
    decltype(&coalesceGetLine) line = nullptr;
    decltype(&coalesceGetReports) reports = nullptr;
    decltype(&coalesceGetReport) report = nullptr;
    decltype(&coalesceClearReports) clear_reports = nullptr;
    decltype(&coalesceSetMaxInstructions) limit = nullptr;
    decltype(&coalesceClearError) clear_error = nullptr;
    decltype(&coalesceSetQuiet) quiet = nullptr;
};

/// The hash of all counters, of the kernel and of each line, and the kernel's in words.
std::string counters_of(const Simulator& simulator) {
    u64 all = 0;
    std::string values;
    const std::size_t kernels = simulator.kernels();
    for (std::size_t k = 0; k < kernels; ++k) {
        CoalesceKernel kernel;
        if (simulator.kernel(k, &kernel) != 0 || kernel.launches == 0) continue;
        all = hash(&kernel.counters, sizeof kernel.counters, all);
        for (std::size_t v = 0; v < sizeof kernel.counters / sizeof(uint64_t); ++v)
            values += " " + std::to_string(reinterpret_cast<const uint64_t*>(&kernel.counters)[v]);
        u64 lines = 0;
        for (std::size_t l = 0; l < simulator.lines(k); ++l) {
            CoalesceLine line;
            if (simulator.line(k, l, &line) != 0) continue;
            lines = hash(&line.counters, sizeof line.counters, lines + line.line);
        }
        all = mixed(all + lines);
        values += " lines:" + hex(lines);
    }
    return hex(all) + " " + std::to_string(simulator.reports()) + values;
}

std::string first_report(const Simulator& simulator) {
    CoalesceReport report;
    if (simulator.reports() == 0 || simulator.report(0, &report) != 0) return "";
    std::string text = std::string(report.check) + ", " + report.kind + ", line " +
                       std::to_string(report.line) + ": " + report.message;
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

// ---- one kernel ----

class Buffer {
public:
    Buffer(std::size_t bytes, int fill) : bytes_(bytes) {
        need(cudaMalloc(&data_, bytes));
        need(cudaMemset(data_, fill, bytes));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    void* data() { return data_; }
    void* const* argument() { return &data_; }
    std::vector<unsigned char> read() const {
        std::vector<unsigned char> host(bytes_);
        need(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost));
        return host;
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

class Library {
public:
    explicit Library(const std::string& text) {
        need(
            cudaLibraryLoadData(&library_, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    }
    ~Library() { cudaLibraryUnload(library_); }
    Library(const Library&) = delete;
    const void* kernel() const {
        cudaKernel_t kernel;
        need(cudaLibraryGetKernel(&kernel, library_, "kernel"));
        return reinterpret_cast<const void*>(kernel);
    }

private:
    cudaLibrary_t library_ = nullptr;
};

/// `keep_in`: a folder for what the kernel left in memory; empty: nowhere.
u64 run(const std::string& name, const std::string& text, const std::string& keep_in) {
    const std::optional<Launch> launch = launch_of(text);
    if (!launch) throw std::runtime_error("no launch in the first line");
    const Library library(text);
    // The first line alone decides on the input, so that the rest may be made smaller.
    unsigned seed = static_cast<unsigned>(hash(text.data(), text.find('\n')));
    std::vector<u32> input(kInputWords);
    for (u32 k = 0; k < kInputWords; ++k) input[k] = input_word(seed, k);
    Buffer in(sizeof(u32) * kInputWords, 0), sums(sizeof(u32) * kSumWords, 0);
    Buffer out(sizeof(u32) * kOutWords * launch->all_threads(), kOutFill);
    Buffer scratch(kScratchBytes * launch->all_threads(), 0);
    need(cudaMemcpy(in.data(), input.data(), sizeof(u32) * kInputWords, cudaMemcpyHostToDevice));
    void* arguments[] = {const_cast<void**>(in.argument()), const_cast<void**>(out.argument()),
                         const_cast<void**>(sums.argument()),
                         const_cast<void**>(scratch.argument()), &seed};
    need(cudaLaunchKernel(library.kernel(), dim3(launch->blocks),
                          dim3(launch->threads_x, launch->threads_y, launch->threads_z), arguments,
                          launch->dynamic_shared, nullptr));
    need(cudaDeviceSynchronize());
    u64 results = 0;
    std::ofstream kept;
    if (!keep_in.empty()) kept.open(keep_in + "/" + name + ".bin", std::ios::binary);
    for (const Buffer* buffer : {&out, &sums, &scratch}) {
        const std::vector<unsigned char> bytes = buffer->read();
        results = hash(bytes.data(), bytes.size(), results);
        kept.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    return results;
}

std::string line_of(const Simulator& simulator, const Text& text, const std::string& keep_in,
                    u64* results) {
    if (simulator) {
        simulator.reset();
        simulator.clear_reports();
    }
    try {
        *results = run(text.name, text.text, keep_in);
        std::string line = "done " + text.name + " " + hex(*results);
        if (!simulator) return line;
        line += " " + counters_of(simulator);
        const std::string report = first_report(simulator);
        return report.empty() ? line : line + " # " + report;
    } catch (const std::exception& problem) {
        std::string line = "error " + text.name + " " + problem.what();
        cudaGetLastError();
        if (simulator) {
            line += " " + first_report(simulator);
            simulator.clear_error();
        }
        return line;
    }
}

std::map<std::string, std::string> read_expected(const std::string& file) {
    std::map<std::string, std::string> expected;
    std::ifstream stream(file);
    for (std::string name, value; stream >> name >> value;) expected[name] = value;
    return expected;
}

struct Options {
    std::vector<std::string> files;
    std::string expected, keep_in;
    std::size_t skip = 0;
    u64 limit = kMaxInstructions;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        const bool has_value = k + 1 < argc;
        if (word == "--skip" && has_value)
            options.skip = std::strtoull(argv[++k], nullptr, 10);
        else if (word == "--expect" && has_value)
            options.expected = argv[++k];
        else if (word == "--keep" && has_value)
            options.keep_in = argv[++k];
        else if (word == "--limit" && has_value)
            options.limit = std::strtoull(argv[++k], nullptr, 10);
        else
            options.files.push_back(word);
    }
    return options;
}

void run_all(const Options& options, const std::vector<Text>& texts) {
    const Simulator simulator;
    if (simulator) simulator.limit(options.limit);
    for (std::size_t k = options.skip; k < texts.size(); ++k) {
        std::cout << "start " << texts[k].name << std::endl;
        u64 results = 0;
        std::cout << line_of(simulator, texts[k], options.keep_in, &results) << std::endl;
    }
}

/// A process that says a letter for each kernel from `first` on: equal or different. Whatever a driver does to it is
/// no harm to the others.
int start_comparing(const Options& options, const std::vector<Text>& texts, std::size_t first,
                    pid_t& child) {
    const auto expected = read_expected(options.expected);
    int channel[2];
    if (pipe(channel) != 0) throw std::runtime_error("no pipe");
    child = fork();
    if (child != 0) {
        close(channel[1]);
        return channel[0];
    }
    const Simulator simulator;
    if (simulator) simulator.limit(options.limit);
    for (std::size_t k = first; k < texts.size(); ++k) {
        u64 results = 0;
        const std::string line = line_of(simulator, texts[k], options.keep_in, &results);
        const auto wanted = expected.find(texts[k].name);
        const bool equal =
            line.starts_with("done") && wanted != expected.end() && wanted->second == hex(results);
        if (!equal) std::cout << line << std::endl;
        if (::write(channel[1], equal ? "e" : "d", 1) != 1) _exit(1);
    }
    _exit(0);
}

int compare_all(const Options& options, const std::vector<Text>& texts) {
    std::size_t done = options.skip, equal = 0, crashed = 0;
    while (done < texts.size()) {
        pid_t child = 0;
        const int answers = start_comparing(options, texts, done, child);
        for (char letter; ::read(answers, &letter, 1) == 1; ++done) equal += letter == 'e';
        close(answers);
        int status = 0;
        waitpid(child, &status, 0);
        if (done == texts.size()) break;
        std::cout << "crashed " << texts[done].name << std::endl;
        ++crashed;
        ++done;
    }
    std::cout << equal << " of " << texts.size() - options.skip << " kernels equal, " << crashed
              << " crashed\n";
    return equal != texts.size() - options.skip;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options(argc, argv);
    try {
        std::vector<Text> texts;
        for (const std::string& file : options.files)
            for (Text& text : read(file)) texts.push_back(std::move(text));
        if (!options.expected.empty()) return compare_all(options, texts);
        run_all(options, texts);
        return 0;
    } catch (const std::exception& problem) {
        std::cerr << "campaign_run: " << problem.what() << "\n";
        return 2;
    }
}
