// Implements elf_file.h with the structures of <elf.h>. The file is untrusted, so every offset is
// checked against the file's size.
#include "simulator/simulate/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/files.h"

namespace coalesce::simulator {

bool ElfFile::links_to(const std::string& library) const {
    return std::find(needed_libraries.begin(), needed_libraries.end(), library) !=
           needed_libraries.end();
}

bool ElfFile::links_to_any(const std::string& beginning) const {
    return std::any_of(needed_libraries.begin(), needed_libraries.end(),
                       [&](const std::string& name) { return name.starts_with(beginning); });
}

namespace {

/// The contents of a file.
class ElfBytes {
public:
    explicit ElfBytes(const std::string& path) : bytes_(read_if_exists(path).value_or("")) {
        if (bytes_.empty()) throw NotAnElfFile("cannot be read");
    }

    /// Returns a copy of the structure at `offset`.
    template <class T>
    T read_at(std::uint64_t offset) const {
        T value;
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) {
            throw NotAnElfFile("is a damaged ELF file");
        }
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    /// Returns the null-terminated string at `offset`, or the rest of the file if the string is not
    /// terminated.
    std::string read_string(std::uint64_t offset) const {
        if (offset >= bytes_.size()) throw NotAnElfFile("is a damaged ELF file");
        return bytes_.c_str() + offset;
    }
    bool begins_with(const char* text) const { return bytes_.starts_with(text); }

private:
    const std::string bytes_;
};

Elf64_Ehdr read_header(const ElfBytes& file) {
    if (!file.begins_with(ELFMAG)) throw NotAnElfFile("is not a program");
    const auto header = file.read_at<Elf64_Ehdr>(0);
    const bool is_executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 || !is_executable) {
        throw NotAnElfFile("is not a program for this machine");
    }
    return header;
}

std::vector<Elf64_Phdr> read_segments(const ElfBytes& file, const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> segments;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        segments.push_back(file.read_at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
    }
    return segments;
}

/// Returns the file offset of the byte that is loaded at `address`.
std::uint64_t file_offset(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
        if (address - segment.p_vaddr < segment.p_filesz) {
            return address - segment.p_vaddr + segment.p_offset;
        }
    }
    throw NotAnElfFile("is a damaged ELF file");
}

void read_dynamic(const ElfBytes& file, const std::vector<Elf64_Phdr>& segments,
                  const Elf64_Phdr& dynamic, ElfFile& result) {
    std::vector<std::uint64_t> name_offsets;
    std::uint64_t string_table_address = 0;
    for (std::uint64_t i = 0; i < dynamic.p_filesz / sizeof(Elf64_Dyn); ++i) {
        const auto entry = file.read_at<Elf64_Dyn>(dynamic.p_offset + i * sizeof(Elf64_Dyn));
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED) name_offsets.push_back(entry.d_un.d_val);
        if (entry.d_tag == DT_STRTAB)
            string_table_address = file_offset(segments, entry.d_un.d_ptr);
        if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) result.has_run_path = true;
    }
    for (const std::uint64_t name_offset : name_offsets)
        result.needed_libraries.push_back(file.read_string(string_table_address + name_offset));
}

/// Returns the section with this name, or nothing if the file has no such section, for example
/// because it was stripped.
std::optional<Elf64_Shdr> find_section(const ElfBytes& file, const Elf64_Ehdr& header,
                                       const std::string& name) {
    if (header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum) return std::nullopt;
    const auto read_section_header = [&](std::uint64_t i) {
        return file.read_at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    };
    const std::uint64_t names = read_section_header(header.e_shstrndx).sh_offset;
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        if (file.read_string(names + read_section_header(i).sh_name) == name)
            return read_section_header(i);
    }
    return std::nullopt;
}

/// Calls `use(symbol, name)` for every symbol in the symbol table. Does nothing if the file was
/// stripped and has no symbol table.
template <class Use>
void for_each_symbol(const ElfBytes& file, const Elf64_Ehdr& header, const char* section_name,
                     const char* string_table, Use use) {
    const auto symbols = find_section(file, header, section_name);
    const auto names = find_section(file, header, string_table);
    if (!symbols || !names) return;
    for (std::uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
        const auto symbol = file.read_at<Elf64_Sym>(symbols->sh_offset + i * sizeof(Elf64_Sym));
        use(symbol, file.read_string(names->sh_offset + symbol.st_name));
    }
}

void read_symbols(const ElfBytes& file, const Elf64_Ehdr& header, ElfFile& result) {
    for_each_symbol(file, header, ".dynsym", ".dynstr", [&](const auto& symbol, auto name) {
        (symbol.st_shndx == SHN_UNDEF ? result.imported_symbols : result.exported_symbols)
            .push_back(name);
    });
}

void find_static_runtime(const ElfBytes& file, const Elf64_Ehdr& header, ElfFile& result) {
    StaticRuntimeFinder finder;
    for_each_symbol(file, header, ".symtab", ".strtab", [&](const auto& symbol, auto name) {
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return;
        finder.add_function(name);
    });
    result.static_runtime = finder.version();
}

}  // namespace

ElfFile read_elf(const std::string& path) {
    const ElfBytes file(path);
    const Elf64_Ehdr header = read_header(file);
    const std::vector<Elf64_Phdr> segments = read_segments(file, header);
    ElfFile result;
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type == PT_INTERP) result.has_loader = true;
        if (segment.p_type == PT_DYNAMIC) read_dynamic(file, segments, segment, result);
    }
    result.has_device_code = find_section(file, header, ".nv_fatbin").has_value();
    read_symbols(file, header, result);
    find_static_runtime(file, header, result);
    return result;
}

}  // namespace coalesce::simulator
