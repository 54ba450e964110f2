#include "page/ir_to_ptx/debug_text.h"

#include <deque>

namespace coalesce::translator {

namespace {

/// The kinds of debug information entries, with their codes in .debug_abbrev.
enum DwarfEntry : u32 {
    kEnd,
    kUnit,
    kFunction,
    kScope,
    kVariable,
    kParameter,
    kBase,
    kPointer,
    kVoidPointer,
    kReference,
    kConst,
    kVolatile,
    kTypedef,
    kArray,
    kExtent,
    kStructure,
    kMember,
    kEnumeration,
};

/// Attributes and forms of DWARF.
enum : u32 {
    atLocation = 0x02,
    atName = 0x03,
    atByteSize = 0x0b,
    atLowPc = 0x11,
    atHighPc = 0x12,
    atUpperBound = 0x2f,
    atAddressClass = 0x33,
    atMemberLocation = 0x38,
    atFile = 0x3a,
    atLine = 0x3b,
    atEncoding = 0x3e,
    atType = 0x49,
    atLinkageName = 0x2007,
    formAddress = 0x01,
    formData4 = 0x06,
    formString = 0x08,
    formBlock1 = 0x0a,
    formData1 = 0x0b,
    formReference4 = 0x13,
};

struct Abbreviation {
    u32 code, tag;
    bool has_children;
    std::vector<std::pair<u32, u32>> attributes;
};

const std::vector<Abbreviation>& abbreviations() {
    static const std::vector<std::pair<u32, u32>> variable_attributes = {
        {atName, formString},     {atFile, formData1},         {atLine, formData4},
        {atType, formReference4}, {atAddressClass, formData1}, {atLocation, formBlock1}};
    static const std::vector<std::pair<u32, u32>> derived_type_attributes = {
        {atType, formReference4}};
    static const std::vector<Abbreviation> abbreviation_list = {
        {kUnit, 0x11, true, {{atName, formString}}},
        {kFunction,
         0x2e,
         true,
         {{atName, formString},
          {atLinkageName, formString},
          {atLowPc, formAddress},
          {atHighPc, formAddress}}},
        {kScope, 0x0b, true, {{atLowPc, formAddress}, {atHighPc, formAddress}}},
        {kVariable, 0x34, false, variable_attributes},
        {kParameter, 0x05, false, variable_attributes},
        {kBase,
         0x24,
         false,
         {{atName, formString}, {atByteSize, formData4}, {atEncoding, formData1}}},
        {kPointer, 0x0f, false, derived_type_attributes},
        {kVoidPointer, 0x0f, false, {}},
        {kReference, 0x10, false, derived_type_attributes},
        {kConst, 0x26, false, derived_type_attributes},
        {kVolatile, 0x35, false, derived_type_attributes},
        {kTypedef, 0x16, false, {{atName, formString}, {atType, formReference4}}},
        {kArray, 0x01, true, derived_type_attributes},
        {kExtent, 0x21, false, {{atUpperBound, formData4}}},
        {kStructure, 0x13, true, {{atName, formString}, {atByteSize, formData4}}},
        {kMember,
         0x0d,
         false,
         {{atName, formString}, {atType, formReference4}, {atMemberLocation, formData4}}},
        {kEnumeration, 0x04, false, {{atName, formString}, {atByteSize, formData4}}},
    };
    return abbreviation_list;
}

u32 encoding_number(const std::string& name) {
    if (name == "DW_ATE_boolean") return 2;
    if (name == "DW_ATE_float") return 4;
    if (name == "DW_ATE_signed") return 5;
    if (name == "DW_ATE_signed_char") return 6;
    return name == "DW_ATE_unsigned_char" ? 8 : 7;
}

DwarfEntry choose_entry(const DebugType& type) {
    if (type.tag == "DW_TAG_base_type") return kBase;
    if (type.tag == "DW_TAG_pointer_type") return type.base_type ? kPointer : kVoidPointer;
    if (type.tag == "DW_TAG_reference_type" || type.tag == "DW_TAG_rvalue_reference_type")
        return kReference;
    if (!type.base_type && type.tag != "DW_TAG_enumeration_type") return kStructure;
    if (type.tag == "DW_TAG_const_type") return kConst;
    if (type.tag == "DW_TAG_volatile_type") return kVolatile;
    if (type.tag == "DW_TAG_array_type") return kArray;
    return type.tag == "DW_TAG_enumeration_type" ? kEnumeration : kTypedef;
}

std::string byte_lines(const std::string& bytes) {
    std::string text;
    for (const char c : bytes)
        text += ".b8 " + std::to_string(static_cast<unsigned char>(c)) + "\n";
    return text;
}

std::string encode_uleb128(u64 value) {
    std::string bytes;
    do {
        const u64 remaining_value = value >> 7;
        bytes += static_cast<char>((value & 0x7f) | (remaining_value ? 0x80 : 0));
        value = remaining_value;
    } while (value);
    return bytes;
}

/// Writes the bytes of .debug_info. An entry may refer to a type that is written later.
class DebugInfoWriter {
public:
    explicit DebugInfoWriter(FileTable& files) : files_(files) {}

    void write(const std::vector<DebugFunction>& functions) {
        begin(kUnit);
        text("kernel.cu");
        for (const DebugFunction& function : functions) write_function(function);
        for (std::size_t k = 0; k < pending_types_.size(); ++k) write_type(*pending_types_[k]);
        begin(kEnd);
    }

    std::string section() const {
        // The length is followed by the version, the offset of the abbreviations and the size of an
        // address.
        std::string section_text = "\t.section\t.debug_info\n\t{\n.b32 " +
                                   std::to_string(size_ - 4) +
                                   "\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n";
        for (const Item& item : items_)
            section_text +=
                item.type ? ".b32 " + std::to_string(offsets_.at(item.type)) + "\n" : item.text;
        return section_text + "\t}\n";
    }

private:
    /// A piece of the output: text, or a reference to a type's entry.
    struct Item {
        std::string text;
        const DebugType* type = nullptr;
    };

    void add(const std::string& text, u32 bytes) {
        items_.push_back({text});
        size_ += bytes;
    }
    void begin(DwarfEntry entry) { add(".b8 " + std::to_string(entry) + "\n", 1); }
    void byte(u64 value) { add(".b8 " + std::to_string(value) + "\n", 1); }
    void word(u64 value) { add(".b32 " + std::to_string(value) + "\n", 4); }
    void address(const std::string& symbol) { add(".b64 " + symbol + "\n", 8); }
    void text(const std::string& value) {
        add(byte_lines(value + '\0'), static_cast<u32>(value.size() + 1));
    }
    void reference(const DebugType* type) {
        items_.push_back({"", type});
        size_ += 4;
        if (offsets_.emplace(type, 0).second) pending_types_.push_back(type);
    }

    void write_function(const DebugFunction& function) {
        begin(kFunction);
        text(function.name);
        text(function.name);
        address(function.begin);
        address(function.end);
        for (const PlacedVariable& placed_variable : function.variables) {
            const auto scope = function.scope_labels.find(placed_variable.variable->scope.node);
            const bool is_inner = scope != function.scope_labels.end();
            if (is_inner) {
                begin(kScope);
                address(scope->second.first);
                address(scope->second.second);
            }
            write_variable(placed_variable);
            if (is_inner) begin(kEnd);
        }
        begin(kEnd);
    }

    void write_variable(const PlacedVariable& placed_variable) {
        constexpr u64 shared = 8, local = 6, op_address = 3, bytes_of_location = 9;
        begin(placed_variable.variable->is_parameter ? kParameter : kVariable);
        text(placed_variable.variable->name);
        byte(files_.number_of(placed_variable.variable->file));
        word(placed_variable.variable->line);
        reference(placed_variable.variable->type);
        byte(placed_variable.is_shared ? shared : local);
        byte(bytes_of_location);
        byte(op_address);
        address(placed_variable.symbol);
    }

    void write_type(const DebugType& type) {
        offsets_[&type] = size_;
        const DwarfEntry entry = choose_entry(type);
        begin(entry);
        switch (entry) {
            case kBase:
                text(type.name);
                word(type.bytes);
                byte(encoding_number(type.encoding));
                break;
            case kTypedef:
                text(type.name);
                reference(type.base_type);
                break;
            case kEnumeration:
                text(type.name);
                word(type.bytes);
                break;
            case kArray:
                reference(type.base_type);
                for (const u64 extent : type.extents) {
                    begin(kExtent);
                    word(extent - 1);
                }
                begin(kEnd);
                break;
            case kStructure: write_members(type); break;
            case kVoidPointer: break;
            default: reference(type.base_type);
        }
    }

    void write_members(const DebugType& type) {
        text(type.name);
        word(type.bytes);
        for (const DebugType::Member& member : type.members) {
            if (!member.type) continue;
            begin(kMember);
            text(member.name);
            reference(member.type);
            word(member.offset);
        }
        begin(kEnd);
    }

    FileTable& files_;
    std::vector<Item> items_;
    u32 size_ = 11;  ///< number of bytes written so far, including the 11-byte header
    std::deque<const DebugType*> pending_types_;
    std::map<const DebugType*, u32> offsets_;
};

std::string abbreviation_section() {
    std::string bytes;
    for (const Abbreviation& abbreviation : abbreviations()) {
        bytes += encode_uleb128(abbreviation.code) + encode_uleb128(abbreviation.tag) +
                 static_cast<char>(abbreviation.has_children);
        for (const auto& [attribute, form] : abbreviation.attributes)
            bytes += encode_uleb128(attribute) + encode_uleb128(form);
        bytes += std::string(2, '\0');
    }
    return "\t.section\t.debug_abbrev\n\t{\n" + byte_lines(bytes + '\0') + "\t}\n";
}

}  // namespace

std::string debug_sections(const std::vector<DebugFunction>& functions, FileTable& files) {
    if (functions.empty()) return "";
    DebugInfoWriter writer(files);
    writer.write(functions);
    return abbreviation_section() + writer.section();
}

}  // namespace coalesce::translator
