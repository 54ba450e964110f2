// A machine instruction of sm_90 is 16 bytes long. Its opcode is in bits 0 to 11, and the width of
// a load or store is in bits 73 to 75. (This is consistent with cuobjdump for 24 kernels.) ELF and
// the line table (DWARF 2, .debug_line) are documented formats.
#include "cubin.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace coalesce::simulator {
namespace {

constexpr u32 kInstructionBytes = 16;

struct Opcode {
    u32 bits;
    std::string_view name;
};
constexpr Opcode kOpcodes[] = {{0x984, "LDS"}, {0x988, "STS"}, {0x388, "STS"},
                               {0x981, "LDG"}, {0x986, "STG"}, {0x386, "STG"},
                               {0x983, "LDL"}, {0x987, "STL"}, {0x387, "STL"}};
constexpr u32 kBytesOfWidth[] = {1, 1, 2, 2, 4, 8, 16, 0};

/// Reads numbers sequentially from a string of bytes.
class Bytes {
public:
    explicit Bytes(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

    template <class Number>
    Number take() {
        Number number;
        std::memcpy(&number, take_text(sizeof number).data(), sizeof number);
        return number;
    }
    std::string_view take_text(std::size_t count) {
        if (at_ > bytes_.size() || count > bytes_.size() - at_)
            throw std::runtime_error("a cubin ends early");
        const std::string_view text = bytes_.substr(at_, count);
        at_ += count;
        return text;
    }
    std::string_view take_string() {
        const std::size_t end = bytes_.find('\0', at_);
        if (end == bytes_.npos) throw std::runtime_error("a string in a cubin has no end");
        const std::string_view text = take_text(end - at_);
        ++at_;
        return text;
    }
    /// Reads an unsigned number in LEB128 encoding.
    u64 take_unsigned() {
        u64 number = 0;
        for (u32 shift = 0;; shift += 7) {
            const u8 byte = take<u8>();
            if (shift < 64) number |= u64{byte & 0x7fu} << shift;
            if (!(byte & 0x80)) return number;
        }
    }
    i64 take_signed() {
        i64 number = 0;
        for (u32 shift = 0;;) {
            const u8 byte = take<u8>();
            if (shift < 64) number |= static_cast<i64>(u64{byte & 0x7fu} << shift);
            shift += 7;
            if (byte & 0x80) continue;
            if (byte & 0x40 && shift < 64) number -= static_cast<i64>(u64{1} << shift);
            return number;
        }
    }
    std::size_t at() const { return at_; }
    bool at_end() const { return at_ >= bytes_.size(); }

private:
    std::string_view bytes_;
    std::size_t at_;
};

// ---- ELF ----

struct Section {
    u32 name = 0, type = 0;
    u64 flags = 0, address = 0, offset = 0, size = 0;
    u32 link = 0, info = 0;
    u64 alignment = 0, entry_size = 0;
};

class Elf {
public:
    explicit Elf(std::string_view file) : file_(file) {
        constexpr u32 kTable = 0x28, kEntrySize = 0x3a;
        if (!file.starts_with("\177ELF")) throw std::runtime_error("not a cubin");
        const u64 table = Bytes(file, kTable).take<u64>();
        Bytes sizes(file, kEntrySize);
        const u16 size = sizes.take<u16>(), count = sizes.take<u16>(), names = sizes.take<u16>();
        for (u64 k = 0; k < count; ++k) {
            Bytes entry(file, table + k * size);
            std::memcpy(&sections_.emplace_back(), entry.take_text(sizeof(Section)).data(),
                        sizeof(Section));
        }
        names_ = names;
    }

    const std::vector<Section>& sections() const { return sections_; }
    std::string_view name_of(const Section& section) const {
        return Bytes(file_, sections_.at(names_).offset + section.name).take_string();
    }
    std::string_view contents_of(const Section& section) const {
        constexpr u32 kNoBits = 8;
        if (section.type == kNoBits) return {};
        return Bytes(file_, section.offset).take_text(section.size);
    }
    const Section* find(std::string_view name) const {
        for (const Section& section : sections_)
            if (name_of(section) == name) return &section;
        return nullptr;
    }
    /// Returns the index of the section that contains the symbol.
    u32 section_of(const Section& symbols, u64 symbol) const {
        constexpr u32 kSymbolBytes = 24, kSectionAt = 6;
        return Bytes(contents_of(symbols), symbol * kSymbolBytes + kSectionAt).take<u16>();
    }

private:
    std::string_view file_;
    std::vector<Section> sections_;
    u32 names_ = 0;
};

// ---- the line table ----

/// Maps instruction addresses to source lines, for each section. An address without an entry has
/// the same line as the preceding entry.
using Lines = std::map<u32, std::map<u64, u32>>;

/// Maps the offset of each address in the line table to the section that the address belongs to.
std::map<u64, u32> sections_of_addresses(const Elf& elf) {
    std::map<u64, u32> sections;
    for (const std::string_view name : {".rel.debug_line", ".rela.debug_line"}) {
        const Section* relocations = elf.find(name);
        if (!relocations) continue;
        const std::string_view contents = elf.contents_of(*relocations);
        const bool has_addend = name.starts_with(".rela");
        for (Bytes bytes(contents); !bytes.at_end();) {
            const u64 offset = bytes.take<u64>(), info = bytes.take<u64>();
            if (has_addend) bytes.take<u64>();
            sections[offset] = elf.section_of(elf.sections().at(relocations->link), info >> 32);
        }
    }
    return sections;
}

class LineTable {
public:
    explicit LineTable(const Elf& elf) : of_address_(sections_of_addresses(elf)) {
        const Section* section = elf.find(".debug_line");
        if (!section) return;
        const std::string_view table = elf.contents_of(*section);
        for (std::size_t at = 0; at < table.size();) at = read_unit(table, at);
    }

    u32 line_of(u32 section, u64 address) const {
        const auto lines = lines_.find(section);
        if (lines == lines_.end()) return 0;
        auto next = lines->second.upper_bound(address);
        return next == lines->second.begin() ? 0 : std::prev(next)->second;
    }

private:
    struct Header {
        u8 least_bytes = 1;
        i8 line_base = 0;
        u8 line_range = 1, first_special = 1;
        std::vector<u8> operands;  ///< for each standard opcode, the number of operands
    };
    struct State {
        u32 section = 0;
        u64 address = 0;
        i64 line = 1;
    };

    /// Reads a unit of the line table. Returns the offset of the next unit.
    std::size_t read_unit(std::string_view table, std::size_t begin) {
        Bytes bytes(table, begin);
        const u32 length = bytes.take<u32>();
        const std::size_t end = bytes.at() + length;
        const u16 version = bytes.take<u16>();
        const u32 header_length = bytes.take<u32>();
        const std::size_t program = bytes.at() + header_length;
        Header header;
        header.least_bytes = bytes.take<u8>();
        if (version >= 4) bytes.take<u8>();
        bytes.take<u8>();
        header.line_base = bytes.take<i8>();
        header.line_range = bytes.take<u8>();
        header.first_special = bytes.take<u8>();
        for (u32 k = 1; k < header.first_special; ++k) header.operands.push_back(bytes.take<u8>());
        Bytes code(table, program);
        State state;
        while (code.at() < end) step(header, code, state);
        return end;
    }

    void step(const Header& header, Bytes& code, State& state) {
        const u8 opcode = code.take<u8>();
        if (opcode >= header.first_special) {
            const u32 step = opcode - header.first_special;
            state.address += step / header.line_range * header.least_bytes;
            state.line += header.line_base + static_cast<i64>(step % header.line_range);
            return note(state);
        }
        switch (opcode) {
            case 0: return extended(code, state);
            case 1: return note(state);
            case 2: state.address += code.take_unsigned() * header.least_bytes; return;
            case 3: state.line += code.take_signed(); return;
            case 8:
                state.address +=
                    (255u - header.first_special) / header.line_range * header.least_bytes;
                return;
            case 9: state.address += code.take<u16>(); return;
            default:
                for (u32 k = 0; k < header.operands.at(opcode - 1); ++k) code.take_unsigned();
        }
    }

    void extended(Bytes& code, State& state) {
        constexpr u8 kEnd = 1, kAddress = 2;
        const u64 length = code.take_unsigned();
        const std::size_t end = code.at() + length;
        const u8 opcode = code.take<u8>();
        if (opcode == kEnd) state = {};
        if (opcode == kAddress) {
            const auto section = of_address_.find(code.at());
            state.section = section == of_address_.end() ? 0 : section->second;
            state.address = code.take<u64>();
        }
        if (end > code.at()) code.take_text(end - code.at());
    }

    void note(const State& state) {
        lines_[state.section][state.address] = static_cast<u32>(state.line);
    }

    std::map<u64, u32> of_address_;
    Lines lines_;
};

std::optional<MachineMemory> memory_instruction(std::string_view bytes) {
    constexpr u64 kOpcodeBits = 0xfff;
    constexpr u32 kWidthAt = 9, kWidthBits = 7;
    Bytes words(bytes);
    const u64 low = words.take<u64>(), high = words.take<u64>();
    const auto found = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                    [&](const Opcode& o) { return o.bits == (low & kOpcodeBits); });
    if (found == std::end(kOpcodes)) return {};
    return MachineMemory{.opcode = found->name,
                         .bytes = kBytesOfWidth[high >> kWidthAt & kWidthBits]};
}

}  // namespace

std::map<std::string, std::vector<MachineMemory>> read_cubin(std::string_view file) {
    constexpr std::string_view kText = ".text.";
    const Elf elf(file);
    const LineTable lines(elf);
    std::map<std::string, std::vector<MachineMemory>> kernels;
    for (u32 k = 0; k < elf.sections().size(); ++k) {
        const Section& section = elf.sections()[k];
        const std::string_view name = elf.name_of(section);
        if (!name.starts_with(kText)) continue;
        auto& kernel = kernels[std::string(name.substr(kText.size()))];
        const std::string_view code = elf.contents_of(section);
        for (std::size_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
            auto instruction = memory_instruction(code.substr(at, kInstructionBytes));
            if (!instruction) continue;
            instruction->line = lines.line_of(k, at);
            kernel.push_back(*instruction);
        }
    }
    return kernels;
}

}  // namespace coalesce::simulator
