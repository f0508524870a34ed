#include <algorithm>

#include "structure.hpp"

namespace {

// simdjson's state for one thread. What a very large document needed is given back.
struct Scanner {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;

    bool reserve(size_t length) noexcept {
        if (parser && parser->capacity() >= length) return true;
        size_t wanted = length < 64 * 1024 ? 64 * 1024 : length + length / 4;
        parser.reset();
        // The depth is the walk's own business; simdjson only wants a number above zero.
        return !simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, parser);
    }
};

thread_local Scanner scanner;

// Where simdjson says only that something is wrong, these find the first byte that is.
size_t first_bad_utf8(const uint8_t *b, size_t n) {
    size_t i = 0;
    while (i < n) {
        uint8_t c = b[i];
        size_t more = c < 0x80 ? 0 : c >= 0xC2 && c <= 0xDF ? 1 : (c & 0xF0) == 0xE0 ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 9;
        if (more == 9 || n - i <= more) return i;
        for (size_t k = 1; k <= more; k++)
            if ((b[i + k] & 0xC0) != 0x80) return i;
        if (more == 2 && ((c == 0xE0 && b[i + 1] < 0xA0) || (c == 0xED && b[i + 1] >= 0xA0))) return i;
        if (more == 3 && ((c == 0xF0 && b[i + 1] < 0x90) || (c == 0xF4 && b[i + 1] >= 0x90))) return i;
        i += more + 1;
    }
    return n;
}

// The first control character inside a string, or the opening quote of a string that never ends.
int first_bad_string(const uint8_t *b, size_t n, size_t *offset) {
    for (size_t i = 0; i < n; i++) {
        if (b[i] != '"') continue;
        size_t open = i++;
        for (; i < n && b[i] != '"'; i++) {
            if (b[i] < 0x20) return *offset = i, CSIMDJSON_CONTROL_CHARACTER;
            if (b[i] == '\\') i++;
        }
        if (i >= n) return *offset = open, CSIMDJSON_UNCLOSED_STRING;
    }
    return *offset = n, CSIMDJSON_INTERNAL;
}

}  // namespace

Structure structure_of_this_thread() noexcept {
    return {scanner.parser->structural_indexes.get(), scanner.parser->n_structural_indexes};
}

void give_back_what_was_large() noexcept {
    if (scanner.parser && scanner.parser->capacity() > 8 * 1024 * 1024) scanner.parser.reset();
}

extern "C" int csimdjson_scan(const uint8_t *bytes, size_t length, size_t maximum_depth, size_t *nodes,
                              size_t *offset) {
    *nodes = 0;
    *offset = 0;
    if (length == 0) return CSIMDJSON_EMPTY;
    if (!scanner.reserve(length)) return CSIMDJSON_NO_MEMORY;
    // Stage 1 copies the last, partial block into a buffer of its own: no padding is needed behind the document.
    auto error = scanner.parser->stage1(bytes, length, simdjson::stage1_mode::regular);
    switch (error) {
        case simdjson::SUCCESS: break;
        case simdjson::EMPTY: return CSIMDJSON_EMPTY;
        case simdjson::UTF8_ERROR: return *offset = first_bad_utf8(bytes, length), CSIMDJSON_BAD_UTF8;
        case simdjson::UNCLOSED_STRING:
        case simdjson::UNESCAPED_CHARS: return first_bad_string(bytes, length, offset);
        case simdjson::MEMALLOC:
        case simdjson::CAPACITY: return CSIMDJSON_NO_MEMORY;
        default: return CSIMDJSON_INTERNAL;
    }
    // A scalar is one structural character, a container with k values adds two brackets and k − 1 commas: n characters
    // hold at most (n + 1) / 2 values. A truncated document lacks the brackets of what is still open.
    size_t count = scanner.parser->n_structural_indexes;
    *nodes = std::min(count, (count + 1 + std::min(count, maximum_depth)) / 2);
    return CSIMDJSON_OK;
}
