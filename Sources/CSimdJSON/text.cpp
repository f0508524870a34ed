#include "structure.hpp"

namespace {

int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The unit of `\uXXXX` at `text`, or −1.
int32_t unit(const uint8_t *text, size_t room) {
    if (room < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    int32_t value = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}

bool is_high(int32_t u) { return u >= 0xD800 && u < 0xDC00; }
bool is_low(int32_t u) { return u >= 0xDC00 && u < 0xE000; }

size_t put(uint8_t *out, uint32_t c) {
    if (c < 0x80) return out[0] = uint8_t(c), 1;
    if (c < 0x800) return out[0] = uint8_t(0xC0 | c >> 6), out[1] = uint8_t(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = uint8_t(0xE0 | c >> 12), out[1] = uint8_t(0x80 | (c >> 6 & 63)), out[2] = uint8_t(0x80 | (c & 63));
        return 3;
    }
    out[0] = uint8_t(0xF0 | c >> 18), out[1] = uint8_t(0x80 | (c >> 12 & 63));
    out[2] = uint8_t(0x80 | (c >> 6 & 63)), out[3] = uint8_t(0x80 | (c & 63));
    return 4;
}

}  // namespace

int check_string(const uint8_t *b, size_t start, size_t end, bool *escaped, bool *readable, size_t *offset) {
    *escaped = false;
    *readable = true;
    auto slash = static_cast<const uint8_t *>(memchr(b + start, '\\', end - start));
    if (!slash) return CSIMDJSON_OK;
    *escaped = true;
    for (size_t i = size_t(slash - b); i < end; i++) {
        if (b[i] != '\\') continue;
        if (i + 1 >= end) return *offset = i, CSIMDJSON_BAD_ESCAPE;
        uint8_t c = b[i + 1];
        if (c != 'u') {
            if (!memchr("\"\\/bfnrt", c, 8)) return *offset = i, CSIMDJSON_BAD_ESCAPE;
            i++;
            continue;
        }
        int32_t first = unit(b + i, end - i);
        if (first < 0) return *offset = i, CSIMDJSON_BAD_ESCAPE;
        if (first == 0 || is_low(first)) *readable = false;
        if (is_high(first)) {
            if (is_low(unit(b + i + 6, end - i - 6))) {
                i += 6;
            } else {
                *readable = false;
            }
        }
        i += 5;
    }
    return CSIMDJSON_OK;
}

int check_number(const uint8_t *b, size_t start, size_t limit, size_t *end, size_t *offset) {
    auto digits = [&](size_t &i) {
        size_t from = i;
        while (i < limit && b[i] >= '0' && b[i] <= '9') i++;
        return i > from;
    };
    size_t i = start;
    if (b[i] == '-') i++;
    size_t whole = i;
    if (!digits(i) || (b[whole] == '0' && i - whole > 1)) return *offset = start, CSIMDJSON_BAD_NUMBER;
    if (i < limit && b[i] == '.') {
        i++;
        if (!digits(i)) return *offset = start, CSIMDJSON_BAD_NUMBER;
    }
    if (i < limit && (b[i] == 'e' || b[i] == 'E')) {
        i++;
        if (i < limit && (b[i] == '+' || b[i] == '-')) i++;
        if (!digits(i)) return *offset = start, CSIMDJSON_BAD_NUMBER;
    }
    if (i < limit && !is_blank(b[i])) return *offset = start, CSIMDJSON_BAD_NUMBER;
    *end = i;
    return CSIMDJSON_OK;
}

extern "C" size_t csimdjson_unescape(const uint8_t *text, size_t length, uint8_t *output) {
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\\' || i + 1 >= length) {
            output[written++] = text[i];
            continue;
        }
        switch (text[++i]) {
            case 'b': output[written++] = '\b'; continue;
            case 'f': output[written++] = '\f'; continue;
            case 'n': output[written++] = '\n'; continue;
            case 'r': output[written++] = '\r'; continue;
            case 't': output[written++] = '\t'; continue;
            case 'u': break;
            default: output[written++] = text[i]; continue;
        }
        int32_t first = unit(text + i - 1, length - i + 1);
        uint32_t scalar = uint32_t(first);
        i += 4;
        if (is_high(first)) {
            int32_t second = i + 1 < length ? unit(text + i + 1, length - i - 1) : -1;
            if (is_low(second)) {
                scalar = 0x10000 + ((uint32_t(first) - 0xD800) << 10) + (uint32_t(second) - 0xDC00);
                i += 6;
            }
        }
        // What accepted text cannot hold (−1) and lone surrogates both end here.
        if (scalar > 0x10FFFF || (scalar >= 0xD800 && scalar < 0xE000)) scalar = 0xFFFD;
        written += put(output + written, scalar);
    }
    return written;
}
