#include "kernel_texts.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/files.h"
#include "examiner/compile.h"
#include "examiner/source.h"
#include "simulator/fatbin/fatbin.h"
#include "simulator/fatbin/format.h"

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
        // A kernel of another name is no failure here.
        const Compiled compiled = compile(read_source(file), {});
        if (!compiled.ptx.empty())
            texts.push_back({"learners' files", fs::relative(file, course), compiled.ptx});
    }
    return texts;
}

namespace {

void add_texts_in_program(const fs::path& program, std::vector<KernelText>& texts) {
    const std::string bytes = read_if_there(program).value_or("");
    for (std::size_t at = 0; at + sizeof(fatbin::ContainerHeader) <= bytes.size(); at += 8) {
        u32 magic = 0;
        std::memcpy(&magic, bytes.data() + at, sizeof magic);
        if (magic != fatbin::kContainerMagic) continue;
        try {
            const auto images = fatbin::read_ptx(bytes.data() + at, bytes.size() - at);
            if (const fatbin::PtxImage* image = fatbin::choose(images, 90))
                texts.push_back({"programs", program.filename(), image->text});
        } catch (const std::exception&) {
            // Machine code only, or no container at all.
        }
    }
}

}  // namespace

std::vector<KernelText> texts_in_folder(const fs::path& folder) {
    std::vector<KernelText> texts;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        if (!entry.path().has_extension()) add_texts_in_program(entry.path(), texts);
        if (entry.path().extension() == ".ptx")
            texts.push_back(
                {"programs", entry.path().filename(), read_if_there(entry.path()).value_or("")});
    }
    return texts;
}

std::string without_names(const ptx::Module& module, const ptx::Function& kernel) {
    std::string text;
    for (const ptx::Instruction& i : kernel.body) text += std::string(module.text_of(i)) + "\n";
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

bool is_for_debugging(const std::string& ptx) {
    return ptx.find("\n.target sm_90, debug") != std::string::npos;
}

}  // namespace coalesce::simulator
