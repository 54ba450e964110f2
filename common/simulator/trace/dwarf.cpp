#include "simulator/trace/dwarf.h"

#include <cstdlib>
#include <stdexcept>

namespace coalesce::simulator::dwarf {
namespace {

constexpr u32 kAddressBytes = 8;

bool is_part_of_word(char c) {
    return c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != ',' && c != '}';
}

/// Appends a number, or a symbol with an addend such as `.debug_loc+133`.
void append_word(Section& section, std::string word, u32 bytes) {
    const bool is_numeric =
        !word.empty() && (std::isdigit(static_cast<u8>(word[0])) || word[0] == '-');
    u64 value = 0;
    if (is_numeric) {
        value = std::strtoull(word.c_str(), nullptr, 0);
    } else {
        const std::size_t plus_position = word.find('+');
        if (plus_position != word.npos)
            value = std::strtoull(word.c_str() + plus_position + 1, nullptr, 0);
        section.symbols[section.bytes.size()] = word.substr(0, plus_position);
    }
    for (u32 k = 0; k < bytes; ++k) section.bytes.push_back(static_cast<u8>(value >> 8 * k));
}

u32 bytes_of_directive(std::string_view word) {
    if (word == ".b8") return 1;
    if (word == ".b16") return 2;
    if (word == ".b32") return 4;
    return word == ".b64" ? 8 : 0;
}

struct Abbreviation {
    u32 tag = 0;
    bool has_children = false;
    std::vector<std::pair<u32, u32>> attributes;  ///< each attribute, and its form
};

std::map<u64, Abbreviation> read_abbreviations(const Section& section, std::size_t offset) {
    std::map<u64, Abbreviation> abbreviations_by_code;
    Cursor cursor(section, offset);
    while (!cursor.is_at_end()) {
        const u64 code = cursor.read_uleb();
        if (code == 0) break;
        Abbreviation& abbreviation = abbreviations_by_code[code];
        abbreviation.tag = static_cast<u32>(cursor.read_uleb());
        abbreviation.has_children = cursor.read_number(1) != 0;
        for (;;) {
            const auto attribute = static_cast<u32>(cursor.read_uleb());
            const auto form = static_cast<u32>(cursor.read_uleb());
            if (attribute == 0 && form == 0) break;
            abbreviation.attributes.emplace_back(attribute, form);
        }
    }
    return abbreviations_by_code;
}

/// Reads the value of an attribute. Converts references to offsets in .debug_info.
Attribute read_attribute(Cursor& cursor, const Section& section, u32 form, u64 unit) {
    Attribute value;
    const auto block = [&](u64 size) {
        const std::size_t begin = cursor.offset();
        value.is_block = true;
        value.block.bytes = cursor.read_block(size);
        for (auto s = section.symbols.lower_bound(begin);
             s != section.symbols.end() && s->first < begin + size; ++s)
            value.block.symbols[s->first - begin] = s->second;
    };
    const auto number = [&](u32 bytes) {
        value.text = cursor.peek_symbol();
        value.number = cursor.read_number(bytes);
    };
    switch (form) {
        case 0x01: number(kAddressBytes); break;         // DW_FORM_addr
        case 0x03: block(cursor.read_number(2)); break;  // DW_FORM_block2
        case 0x04: block(cursor.read_number(4)); break;  // DW_FORM_block4
        case 0x05: number(2); break;                     // DW_FORM_data2
        case 0x06:
        case 0x0e:
        case 0x17: number(4); break;                        // DW_FORM_data4, strp, sec_offset
        case 0x07: number(8); break;                        // DW_FORM_data8
        case 0x08: value.text = cursor.read_text(); break;  // DW_FORM_string
        case 0x09:
        case 0x18: block(cursor.read_uleb()); break;     // DW_FORM_block, exprloc
        case 0x0a: block(cursor.read_number(1)); break;  // DW_FORM_block1
        case 0x0b:
        case 0x0c: number(1); break;  // DW_FORM_data1, flag
        case 0x0d: value.number = static_cast<u64>(cursor.read_sleb()); break;  // DW_FORM_sdata
        case 0x0f: value.number = cursor.read_uleb(); break;                    // DW_FORM_udata
        case 0x10: number(4); break;                                            // DW_FORM_ref_addr
        case 0x11: value.number = unit + cursor.read_number(1); break;          // DW_FORM_ref1
        case 0x12: value.number = unit + cursor.read_number(2); break;          // DW_FORM_ref2
        case 0x13: value.number = unit + cursor.read_number(4); break;          // DW_FORM_ref4
        case 0x14: value.number = unit + cursor.read_number(8); break;          // DW_FORM_ref8
        case 0x15: value.number = unit + cursor.read_uleb(); break;             // DW_FORM_ref_udata
        case 0x19: value.number = 1; break;  // DW_FORM_flag_present
        default:
            throw std::runtime_error("an attribute of an unknown form, " + std::to_string(form));
    }
    return value;
}

}  // namespace

Section read_section(std::string_view ptx, std::string_view name) {
    Section section;
    std::size_t at = ptx.find(".section");
    for (; at != ptx.npos; at = ptx.find(".section", at + 1)) {
        const std::size_t name_begin = ptx.find_first_not_of(" \t", at + 8);
        const std::size_t name_end = name_begin + name.size();
        if (name_begin == ptx.npos || ptx.substr(name_begin, name.size()) != name) continue;
        if (name_end < ptx.size() && !std::isalnum(static_cast<u8>(ptx[name_end])) &&
            ptx[name_end] != '_')
            break;
    }
    if (at == ptx.npos) return section;
    at = ptx.find('{', at);
    u32 bytes = 0;
    for (++at; at < ptx.size() && ptx[at] != '}';) {
        if (ptx.substr(at, 2) == "//") {
            at = std::min(ptx.find('\n', at), ptx.size());
        } else if (!is_part_of_word(ptx[at])) {
            ++at;
        } else {
            const std::size_t begin = at;
            while (at < ptx.size() && is_part_of_word(ptx[at])) ++at;
            const std::string word(ptx.substr(begin, at - begin));
            if (const u32 directive = bytes_of_directive(word))
                bytes = directive;
            else if (word.back() != ':')
                append_word(section, word, bytes);
        }
    }
    return section;
}

u64 Cursor::read_number(u32 bytes) {
    u64 value = 0;
    const std::vector<u8> block_bytes = read_block(bytes);
    for (u32 k = 0; k < bytes; ++k) value |= u64{block_bytes[k]} << 8 * k;
    return value;
}

u64 Cursor::read_uleb() {
    u64 value = 0;
    for (u32 shift = 0;; shift += 7) {
        const u64 byte = read_number(1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

i64 Cursor::read_sleb() {
    u64 value = 0;
    for (u32 shift = 0;;) {
        const u64 byte = read_number(1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if (shift < 64 && byte & 0x40) value |= ~u64{0} << shift;
        return static_cast<i64>(value);
    }
}

std::string Cursor::read_text() {
    std::string text;
    while (const u64 byte = read_number(1)) text += static_cast<char>(byte);
    return text;
}

std::vector<u8> Cursor::read_block(u64 size) {
    if (size > section_.bytes.size() - std::min(offset_, section_.bytes.size()))
        throw std::runtime_error("the debug information ends too early");
    const auto begin = section_.bytes.begin() + static_cast<std::ptrdiff_t>(offset_);
    offset_ += size;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

std::string Cursor::peek_symbol() const {
    const auto symbol_entry = section_.symbols.find(offset_);
    return symbol_entry == section_.symbols.end() ? "" : symbol_entry->second;
}

std::string Cursor::read_symbol() {
    std::string name = peek_symbol();
    read_number(kAddressBytes);
    return name;
}

Tree::Tree(std::string_view ptx) : locations(read_section(ptx, ".debug_loc")) {
    const Section info = read_section(ptx, ".debug_info");
    const Section abbreviations = read_section(ptx, ".debug_abbrev");
    Cursor cursor(info);
    while (!cursor.is_at_end()) {
        const u64 unit = cursor.offset();
        const u64 end = cursor.read_number(4) + cursor.offset();
        cursor.read_number(2);  // skip the version
        const auto abbreviations_by_code = read_abbreviations(abbreviations, cursor.read_number(4));
        cursor.read_number(1);  // skip the size of an address
        std::vector<Entry*> parents;
        while (cursor.offset() < end) {
            const u64 offset = cursor.offset();
            const u64 abbreviation_code = cursor.read_uleb();
            if (abbreviation_code == 0) {
                if (!parents.empty()) parents.pop_back();
                continue;
            }
            const Abbreviation& abbreviation = abbreviations_by_code.at(abbreviation_code);
            Entry& entry = entries[offset];
            entry.tag = abbreviation.tag;
            for (const auto& [attribute, kind] : abbreviation.attributes)
                entry.attributes[attribute] = read_attribute(cursor, info, kind, unit);
            if (parents.empty())
                units.push_back(&entry);
            else
                parents.back()->children.push_back(&entry);
            if (abbreviation.has_children) parents.push_back(&entry);
        }
    }
}

const Entry* Tree::find_referred_entry(const Entry& entry, u32 attribute) const {
    const Attribute* reference = find_attribute(entry, attribute);
    const auto found = reference ? entries.find(reference->number) : entries.end();
    return found == entries.end() ? nullptr : &found->second;
}

const Attribute* Tree::find_attribute(const Entry& entry, u32 attribute) const {
    if (const Attribute* own_attribute = entry.find_attribute(attribute)) return own_attribute;
    for (const u32 completed_attribute : {kAbstractOrigin, kSpecification}) {
        const Attribute* reference = entry.find_attribute(completed_attribute);
        const auto found = reference ? entries.find(reference->number) : entries.end();
        if (found != entries.end()) return find_attribute(found->second, attribute);
    }
    return nullptr;
}

}  // namespace coalesce::simulator::dwarf
