#include "lab/campaign/translator/program.h"

#include <sstream>
#include <stdexcept>

#include "lab/campaign/cuda/cuda_kernels.h"

namespace coalesce::random_kernels {

namespace {

Kernel generate_kernel(const std::string& generator, campaign::u64 seed) {
    Kernel kernel;
    kernel.name = generator + "_" + std::to_string(seed);
    kernel.text =
        campaign::generate_cuda(seed, generator == "learner" ? campaign::KernelStyle::learner
                                                             : campaign::KernelStyle::exact);
    kernel.launch = campaign::parse_launch(kernel.text).value();
    return kernel;
}

}  // namespace

Kernel kernel_of(campaign::u64 index) {
    return generate_kernel(index % 3 == 2 ? "campaign" : "learner", index);
}

Kernel kernel_of(const std::string& name) {
    const std::size_t underscore = name.find('_');
    const std::string generator = name.substr(0, underscore);
    if (underscore == name.npos || (generator != "campaign" && generator != "learner"))
        throw std::runtime_error(
            name + " is not the name of a kernel; use a name such as learner_1 or campaign_2");
    return generate_kernel(generator, std::strtoull(name.c_str() + underscore + 1, nullptr, 10));
}

std::string generate_program(const std::vector<Kernel>& kernels) {
    std::string includes, namespaced_kernels;
    for (const Kernel& kernel : kernels) {
        namespaced_kernels += "namespace space_" + kernel.name + " {\n";
        std::istringstream lines(kernel.text);
        for (std::string line; std::getline(lines, line);) {
            // Move includes out of the kernel's namespace. Several kernels may include the same
            // header, because headers have include guards.
            if (line.starts_with("#include")) {
                includes += line + "\n";
                continue;
            }
            for (const char* before : {"void kernel(", ") kernel(", "\nkernel("}) {
                const std::size_t declaration_position = ("\n" + line).find(before);
                if (declaration_position == line.npos) continue;
                line.replace(line.find("kernel("), 6, kernel.name);
                break;
            }
            namespaced_kernels += line + "\n";
        }
        namespaced_kernels += "}\n";
    }
    return includes + namespaced_kernels;
}

}  // namespace coalesce::random_kernels
