// Contents are laid down at running offsets; an address becomes a Relocation, because where its
// symbol lies is not known before the module is loaded.
#include "ptx/initialiser.h"

namespace coalesce::sim::ptx {

InitialiserReader::InitialiserReader(Lexer& lexer, Variable& variable,
                                     const std::vector<u64>& dimensions, u64 element_size,
                                     u64& bytes_left)
    : lexer_(lexer), variable_(variable), bytes_left_(bytes_left) {
    strides_.resize(dimensions.size());
    u64 stride = element_size;
    for (std::size_t level = dimensions.size(); level-- > 0;) {
        strides_[level] = stride;
        stride *= dimensions[level];
    }
    const bool open_ended = !dimensions.empty() && dimensions[0] == 0;
    limit_ = open_ended ? kLargestVariable : variable.size;
}

void InitialiserReader::read() {
    if (lexer_.at('{')) {
        read_braces(0, 0);
    } else {
        read_element(0);
    }
}

void InitialiserReader::read_braces(std::size_t level, u64 start) {
    if (level >= strides_.size()) lexer_.fail_expected("fewer braces than this");
    lexer_.expect('{');
    u64 offset = start;
    while (!lexer_.at('}')) {
        if (lexer_.at('{')) {
            read_braces(level + 1, offset);
            offset += strides_[level];
        } else {
            read_element(offset);
            offset += size_of(variable_.type);
        }
        if (offset > limit_) fail_too_many();
        if (!lexer_.accept(',') && !lexer_.at('}')) lexer_.fail_expected("',' or '}'");
    }
    lexer_.expect('}');
}

void InitialiserReader::read_element(u64 offset) {
    if (lexer_.at(TokenKind::identifier) && !lexer_.at_identifier("WARP_SZ")) {
        const u32 bytes = size_of(variable_.type);
        if (bytes < 4)
            lexer_.fail("an address does not fit into an element of ." +
                        std::string(name_of(variable_.type)));
        relocate(offset, bytes, read_address());
        return;
    }
    const Constant constant = read_constant(lexer_);
    if (lexer_.accept('(')) {  // 0xFF00(symbol): one byte of an address
        const Address address = read_address();
        lexer_.expect(')');
        relocate_byte(offset, constant.bits, address);
        return;
    }
    if (constant.kind != Constant::Kind::integer && size_of(variable_.type) < 4) {
        lexer_.fail("a floating-point number does not fit into an element of ." +
                    std::string(name_of(variable_.type)));
    }
    store(offset, constant.as(variable_.type));
}

InitialiserReader::Address InitialiserReader::read_address() {
    Address address;
    address.symbol = lexer_.expect_identifier("a symbol");
    if (address.symbol == "generic" && lexer_.accept('(')) {
        address.generic = true;
        address.symbol = lexer_.expect_identifier("a symbol");
        address.addend = read_addend();
        lexer_.expect(')');
    }
    address.addend =
        static_cast<i64>(static_cast<u64>(address.addend) + static_cast<u64>(read_addend()));
    return address;
}

i64 InitialiserReader::read_addend() {
    return lexer_.at('+') || lexer_.at('-') ? read_integer(lexer_) : 0;
}

void InitialiserReader::store(u64 offset, u64 value) {
    const u32 bytes = size_of(variable_.type);
    reserve(offset + bytes);
    for (u32 i = 0; i < bytes && i < 8; ++i) {
        variable_.initial[offset + i] = static_cast<u8>(value >> (8 * i));
    }
}

void InitialiserReader::relocate(u64 offset, u32 bytes, const Address& address) {
    reserve(offset + bytes);
    variable_.relocations.push_back(
        {offset, bytes, address.symbol, address.addend, address.generic});
}

void InitialiserReader::relocate_byte(u64 offset, u64 mask, const Address& address) {
    // A packed structure holds a pointer as eight bytes: 0xFF(p), 0xFF00(p), 0xFF0000(p)...
    // They are one relocation, grown byte by byte.
    if (size_of(variable_.type) != 1) lexer_.fail_expected("a mask in an array of bytes only");
    if (mask == 0xff) {
        relocate(offset, 1, address);
        return;
    }
    if (variable_.relocations.empty()) lexer_.fail_expected("the mask 0xFF first");
    Relocation& last = variable_.relocations.back();
    const bool continues = last.bytes < 8 && mask == u64{0xff} << (8 * last.bytes) &&
                           offset == last.offset + last.bytes && last.symbol == address.symbol &&
                           last.addend == address.addend && last.generic == address.generic;
    if (!continues) lexer_.fail("the bytes of an address must follow one another, lowest first");
    ++last.bytes;
    reserve(offset + 1);
}

void InitialiserReader::fail_too_many() const {
    lexer_.fail("more initialisers than '" + variable_.name + "' has elements");
}

void InitialiserReader::reserve(u64 end) {
    if (end > limit_) fail_too_many();
    if (end > end_) end_ = end;
    const u64 have = variable_.initial.size();
    if (end <= have) return;
    if (end - have > bytes_left_) {
        lexer_.fail("the initialisers of this module make too many bytes");
    }
    bytes_left_ -= end - have;
    variable_.initial.resize(end);
}

}  // namespace coalesce::sim::ptx
