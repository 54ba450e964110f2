// Reads the entries of a module's DWARF debug information into a tree of attributes.
//
// Read next  debug_info.h converts the entries to variables.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator::dwarf {

/// The tags that the reader needs. The enumerations after this one contain the attributes,
/// operations and base types. All enumerators have the numbers of the DWARF standard.
enum : u32 {
    kArrayType = 0x01,
    kEnumerationType = 0x04,
    kFormalParameter = 0x05,
    kLexicalBlock = 0x0b,
    kMember = 0x0d,
    kPointerType = 0x0f,
    kReferenceType = 0x10,
    kStructureType = 0x13,
    kTypedef = 0x16,
    kUnionType = 0x17,
    kClassType = 0x02,
    kInheritance = 0x1c,
    kInlinedSubroutine = 0x1d,
    kSubrangeType = 0x21,
    kBaseType = 0x24,
    kConstType = 0x26,
    kSubprogram = 0x2e,
    kVariable = 0x34,
    kVolatileType = 0x35,
    kRvalueReferenceType = 0x42,
};
enum : u32 {
    kLocation = 0x02,
    kName = 0x03,
    kByteSize = 0x0b,
    kLowPc = 0x11,
    kHighPc = 0x12,
    kUpperBound = 0x2f,
    kAbstractOrigin = 0x31,
    kAddressClass = 0x33,
    kCount = 0x37,
    kMemberLocation = 0x38,
    kDeclarationFile = 0x3a,
    kDeclarationLine = 0x3b,
    kEncoding = 0x3e,
    kSpecification = 0x47,
    kType = 0x49,
    kLinkageName = 0x6e,
    kMipsLinkageName = 0x2007,
};
enum : u8 { kAddress = 0x03, kPlusConstant = 0x23, kRegisterX = 0x90 };
enum : u32 {
    kBoolean = 2,
    kFloat = 4,
    kSigned = 5,
    kSignedChar = 6,
    kUnsigned = 7,
    kUnsignedChar = 8
};

/// The bytes of a section. Some numbers in the PTX text are written as a symbol plus an addend. For
/// such a number, `bytes` contains the addend, and `symbols` maps the offset of the number in
/// `bytes` to the symbol.
struct Section {
    std::vector<u8> bytes;
    std::map<std::size_t, std::string> symbols;
};
/// Returns the section with this name, such as ".debug_info". Returns an empty section if there is
/// none.
Section read_section(std::string_view ptx, std::string_view name);

/// Reads consecutive numbers from a section. Throws std::runtime_error at the end of the section.
class Cursor {
public:
    explicit Cursor(const Section& section, std::size_t start_offset = 0)
        : section_(section), offset_(start_offset) {}
    std::size_t offset() const { return offset_; }
    bool is_at_end() const { return offset_ >= section_.bytes.size(); }
    u64 read_number(u32 bytes);
    u64 read_uleb();
    i64 read_sleb();
    std::string read_text();
    std::vector<u8> read_block(u64 size);
    /// Reads an 8-byte address, and returns the symbol that the PTX contains in place of the
    /// address. Returns "" if the PTX contains a number instead of a symbol.
    std::string read_symbol();
    /// Returns the symbol at the current position, or "" if there is none. Does not advance.
    std::string peek_symbol() const;

private:
    const Section& section_;
    std::size_t offset_;
};

struct Attribute {
    u64 number = 0;
    std::string text;  ///< the value of a string attribute, or the symbol that stands for a number
    Section block;     ///< the bytes of an expression
    bool is_block = false;
};

struct Entry {
    u32 tag = 0;
    std::map<u32, Attribute> attributes;
    std::vector<const Entry*> children;

    const Attribute* find_attribute(u32 attribute) const {
        const auto attribute_entry = attributes.find(attribute);
        return attribute_entry == attributes.end() ? nullptr : &attribute_entry->second;
    }
};

/// All entries of a module. The entries point to each other, so the tree cannot be copied.
struct Tree {
    explicit Tree(std::string_view ptx);
    Tree(const Tree&) = delete;

    std::map<u64, Entry> entries;  ///< the entries, keyed by their offset in .debug_info
    std::vector<const Entry*> units;
    Section locations;  ///< the section .debug_loc
    /// Returns the entry that an attribute refers to, or null if there is none.
    const Entry* find_referred_entry(const Entry& entry, u32 attribute) const;
    /// Returns an attribute of an entry. If the entry does not have the attribute, returns the
    /// attribute of the declaration to which the entry refers. Returns null if neither has it.
    const Attribute* find_attribute(const Entry& entry, u32 attribute) const;
};

}  // namespace coalesce::simulator::dwarf
