// Redirects programs that contain a copy of the CUDA runtime. nvcc builds such programs by default.
//
// Theory of operation
//   Such a program does not look up cudaMalloc in any library, so no library can replace it. But
//   its symbol table contains the addresses of its own CUDA functions. `simulate` preloads this
//   library and sets COALESCE_SIM_STATIC_RUNTIME to the library that the program would need if its
//   runtime were shared: this one, or libcudart.so.12. If `simulate` runs a program that starts
//   others, the value is `any`, and each process that contains a runtime chooses the library
//   itself. Before the program's own constructors register its kernels, this library overwrites the
//   first bytes of each CUDA function in the program with a jump to the function of the same name
//   in the chosen library. The rest of the function never runs, so it never calls a driver. A
//   function that is too short for a jump only calls another function.
//
// The jump exists only for x86-64. On other processors, simulate/program_file.cpp rejects such
// programs.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/static_runtime.h"

namespace {

/// Returns the contents of the program's file, or nothing if the file cannot be read. The file is
/// valid ELF, because the loader has accepted it.
std::vector<char> read_program_file() {
    std::ifstream file("/proc/self/exe", std::ios::binary | std::ios::ate);
    if (!file) return {};
    std::vector<char> bytes(static_cast<std::size_t>(file.tellg()));
    file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

/// Calls `use_symbol(symbol, name)` for each symbol in the file's symbol table. A file that was
/// processed by `strip` has no symbol table.
template <class UseSymbol>
void for_each_symbol(const char* file, UseSymbol use_symbol) {
    const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header.e_shoff);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const auto* symbols = reinterpret_cast<const Elf64_Sym*>(file + sections[i].sh_offset);
        const char* names = file + sections[sections[i].sh_link].sh_offset;
        for (std::uint64_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k)
            use_symbol(symbols[k], names + symbols[k].st_name);
    }
}

/// Returns the difference between the address of the program in memory and its address in the
/// program's file.
std::uintptr_t find_load_offset() {
    std::uintptr_t offset = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* program, std::size_t, void* result) {
            *static_cast<std::uintptr_t*>(result) = program->dlpi_addr;
            return 1;  // stop after the first object, which is the program
        },
        &offset);
    return offset;
}

/// The instruction `jmp *0(%rip)`, followed by the target address.
struct __attribute__((packed)) Jump {
    unsigned char opcode_bytes[6] = {0xff, 0x25, 0, 0, 0, 0};
    const void* target;
};

bool write_jump(char* function_begin, const void* target) {
    const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(function_begin);
    const std::uintptr_t begin = address & ~(page_size - 1);
    const std::size_t size = address + sizeof(Jump) - begin;
    void* const page = reinterpret_cast<void*>(begin);
    if (mprotect(page, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    const Jump jump{.target = target};
    std::memcpy(function_begin, &jump, sizeof jump);
    return mprotect(page, size, PROT_READ | PROT_EXEC) == 0;
}

/// Returns the library that replaces the runtime in the program. Returns "" if the program contains
/// no runtime, or the runtime of CUDA 11 or older.
std::string choose_library(const char* file) {
    coalesce::simulator::StaticRuntimeFinder finder;
    for_each_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return;
        finder.add_function(name);
    });
    using enum coalesce::simulator::StaticRuntime;
    const auto version = finder.version();
    return version == cuda12 ? "libcudart.so.12" : version == cuda13 ? "libcudart.so.13" : "";
}

__attribute__((constructor)) void intercept_static_runtime() {
    const char* const name = std::getenv("COALESCE_SIM_STATIC_RUNTIME");
    if (!name) return;
    const std::vector<char> file = read_program_file();
    if (file.empty()) return;
    const std::string library_name =
        std::strcmp(name, "any") == 0 ? choose_library(file.data()) : name;
    if (library_name.empty()) return;
    const std::uintptr_t offset = find_load_offset();
    void* const library = dlopen(library_name.c_str(), RTLD_LAZY);
    if (!library) return;
    for_each_symbol(file.data(), [&](const Elf64_Sym& symbol, const char* function) {
        const std::string_view function_name = function;
        if (!function_name.starts_with("cuda") && !function_name.starts_with("__cuda")) return;
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return;
        if (symbol.st_size < sizeof(Jump)) return;
        if (const void* replacement = dlsym(library, function))
            write_jump(reinterpret_cast<char*>(offset + symbol.st_value), replacement);
    });
}

}  // namespace
