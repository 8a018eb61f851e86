// ada.cpp - percent-coding of ada, the URL library of Node and ClickHouse, for bench.c. ADA_SOURCE is its ada.cpp.

#include ADA_SOURCE

#include <array>

// All bytes except the unreserved characters of RFC 3986, as in the set "component".
static constexpr std::array<uint8_t, 32> component = [] {
    std::array<uint8_t, 32> set{};
    set.fill(0xff);
    for (unsigned byte = 0; byte < 128; byte++) {
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        bool digit = byte >= '0' && byte <= '9';
        if (letter || digit || byte == '-' || byte == '.' || byte == '_' || byte == '~') {
            set[byte / 8] &= static_cast<uint8_t>(~(1u << byte % 8));
        }
    }
    return set;
}();

extern "C" size_t ada_decode(const char *bytes, size_t len) {
    std::string_view input(bytes, len);
    return ada::unicode::percent_decode(input, input.find('%')).size();
}

extern "C" size_t ada_encode(const char *bytes, size_t len) {
    return ada::unicode::percent_encode(std::string_view(bytes, len), component.data()).size();
}
