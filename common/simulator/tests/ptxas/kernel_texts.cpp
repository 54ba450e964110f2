#include "kernel_texts.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <set>
#include <thread>

#include "base/files.h"
#include "examiner/compile.h"
#include "examiner/source.h"
#include "simulator/fatbin/fatbin.h"
#include "simulator/fatbin/format.h"
#include "simulator/ptx/parser.h"

namespace coalesce::simulator {

namespace fs = std::filesystem;

std::vector<KernelText> learners_files(const fs::path& course) {
    std::vector<fs::path> files;
    for (const auto& folder : fs::directory_iterator(course / "solutions")) {
        if (fs::exists(folder.path() / "kernel.cu")) files.push_back(folder.path() / "kernel.cu");
        for (const auto& entry : fs::directory_iterator(folder.path() / "right"))
            if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<KernelText> texts;
    for (const fs::path& file : files) {
        // Compile without checking the kernel's name, because only the PTX is needed.
        const Compiled compiled = compile(read_source(file), {});
        if (!compiled.ptx.empty())
            texts.push_back({"learners' files", fs::relative(file, course), compiled.ptx});
    }
    return texts;
}

namespace {

void add_texts_in_program(const fs::path& program, std::vector<KernelText>& texts) {
    const std::string bytes = read_if_exists(program).value_or("");
    for (std::size_t at = 0; at + sizeof(fatbin::ContainerHeader) <= bytes.size(); at += 8) {
        u32 magic = 0;
        std::memcpy(&magic, bytes.data() + at, sizeof magic);
        if (magic != fatbin::kContainerMagic) continue;
        try {
            const auto images = fatbin::read_ptx(bytes.data() + at, bytes.size() - at);
            if (const fatbin::PtxImage* image = fatbin::choose_image(images, 90))
                texts.push_back({"programs", program.filename(), image->text});
        } catch (const std::exception&) {
            // Skip the file, which contains only machine code or is not a fatbin.
        }
    }
}

}  // namespace

std::vector<KernelText> texts_in_folder(const fs::path& folder) {
    std::vector<KernelText> texts;
    if (!fs::is_directory(folder)) return texts;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        if (!entry.path().has_extension()) add_texts_in_program(entry.path(), texts);
        if (entry.path().extension() == ".ptx")
            texts.push_back(
                {"programs", entry.path().filename(), read_if_exists(entry.path()).value_or("")});
    }
    std::stable_sort(texts.begin(), texts.end(),
                     [](const KernelText& a, const KernelText& b) { return a.file < b.file; });
    return texts;
}

std::string without_names(const ptx::Module& module, const ptx::Function& kernel) {
    std::string text;
    for (const ptx::Instruction& i : kernel.body) text += std::string(module.find_text(i)) + "\n";
    for (std::size_t at; (at = text.find(kernel.name)) != text.npos;)
        text.erase(at, kernel.name.size());
    constexpr std::string_view label = "$L__BB";
    for (std::size_t at = 0; (at = text.find(label, at)) != text.npos;) {
        at += label.size();
        text.erase(at, std::min(text.find('_', at), text.size()) - at);
    }
    for (u32 threads : kernel.max_threads) text += std::to_string(threads) + " ";
    for (u32 threads : kernel.required_threads) text += std::to_string(threads) + " ";
    return text + std::to_string(kernel.min_blocks) + " " + std::to_string(kernel.max_registers);
}

u32 hash_of(const std::string& text) {
    u32 hash = 2166136261;
    for (unsigned char c : text) hash = (hash ^ c) * 16777619;
    return hash;
}

void for_each_in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> workers;
    for (unsigned k = 0; k < std::max(2u, std::thread::hardware_concurrency()); ++k)
        workers.emplace_back([&] {
            for (std::size_t mine; (mine = next++) < count;) work(mine);
        });
    for (std::thread& worker : workers) worker.join();
}

namespace {

bool is_for_debugging(const std::string& ptx) {
    return ptx.find("\n.target sm_90, debug") != std::string::npos;
}

}  // namespace

std::vector<ParsedText> choose_kernels(std::vector<KernelText> texts, u32 every,
                                       bool (*is_compared)(const ptx::Function&)) {
    std::erase_if(texts, [](const KernelText& text) { return is_for_debugging(text.ptx); });
    std::vector<ParsedText> parsed(texts.size());
    for_each_in_parallel(texts.size(), [&](std::size_t k) {
        parsed[k].module = ptx::parse(texts[k].ptx);
        parsed[k].text = std::move(texts[k]);
    });
    std::set<std::string> seen;
    for (ParsedText& one : parsed)
        for (const auto& [name, function] : one.module->functions) {
            if (!function->is_entry || name == kConfigureEntry || !is_compared(*function)) continue;
            const std::string instructions = without_names(*one.module, *function);
            if (!seen.insert(instructions).second) continue;
            // Shift the hash, because its lowest bits depend only on the text's last character.
            if ((hash_of(instructions) >> 8) % every == 0) one.kernels.push_back(function.get());
        }
    std::erase_if(parsed, [](const ParsedText& one) { return one.kernels.empty(); });
    return parsed;
}

std::string text_with_kernels(const ptx::Module& module, const std::vector<ptx::Function*>& kept) {
    std::string text = module.text;
    for (const auto& [name, function] : module.functions) {
        const bool is_kept = !function->is_entry ||
                             std::find(kept.begin(), kept.end(), function.get()) != kept.end();
        if (is_kept) continue;
        for (const ptx::Instruction& i : function->body) {
            if (!i.label.empty()) continue;
            const auto begin = text.begin() + i.text_offset;
            const std::size_t end =
                std::min(text.find(';', i.text_offset + i.text_length - 1), text.size() - 1);
            std::replace_if(
                begin, text.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                [](char c) { return c != '\n'; }, ' ');
        }
    }
    return text;
}

}  // namespace coalesce::simulator
