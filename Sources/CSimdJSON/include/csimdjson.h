// One walk over a JSON document: simdjson finds and checks the structure (quotes, brackets, UTF-8) with vector
// instructions, the walk behind it holds the grammar and writes one node per value into a flat tape. No number is ever
// converted: a node says where its text stands.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
    CSIMDJSON_OBJECT = 0,
    CSIMDJSON_ARRAY = 1,
    CSIMDJSON_STRING = 2,
    CSIMDJSON_NUMBER = 3,
    CSIMDJSON_TRUE = 4,
    CSIMDJSON_FALSE = 5,
    CSIMDJSON_NULL = 6,
};

enum {
    CSIMDJSON_HAS_KEY = 1,          // the value is an object's member
    CSIMDJSON_KEY_ESCAPED = 2,      // its key holds escapes
    CSIMDJSON_TEXT_ESCAPED = 4,     // a string that holds escapes
    CSIMDJSON_DUPLICATE_KEYS = 8,   // an object here or below has a key twice
    CSIMDJSON_UNREADABLE = 16,      // here or below: a lone surrogate, \u0000, or a number beyond any use
};

// Offsets count bytes from the start of the document.
typedef struct {
    uint32_t key_start;  // behind the opening quote; 0 without a key
    uint32_t key_end;    // at the closing quote
    uint32_t start;      // first byte of the value, quotes and brackets included
    uint32_t end;        // behind its last byte
    uint32_t next;       // index of the first node that is not inside this value
    uint32_t count;      // members or elements
    uint32_t key_hash;   // csimdjson_hash of the unescaped key
    uint8_t kind;
    uint8_t flags;
    uint16_t reserved;
} csimdjson_node;

enum {
    CSIMDJSON_OK = 0,
    CSIMDJSON_EMPTY,
    CSIMDJSON_TOO_DEEP,
    CSIMDJSON_BAD_UTF8,
    CSIMDJSON_CONTROL_CHARACTER,
    CSIMDJSON_UNCLOSED_STRING,
    CSIMDJSON_BAD_ESCAPE,
    CSIMDJSON_BAD_NUMBER,
    CSIMDJSON_BAD_LITERAL,
    CSIMDJSON_EXPECTED_VALUE,
    CSIMDJSON_EXPECTED_KEY,
    CSIMDJSON_EXPECTED_COLON,
    CSIMDJSON_EXPECTED_COMMA,
    CSIMDJSON_TRUNCATED,
    CSIMDJSON_TRAILING,
    CSIMDJSON_NO_MEMORY,
    CSIMDJSON_INTERNAL,
};

// Finds the structure of `bytes`; no byte behind `length` is read. On success `*nodes` is an upper bound of the tape's
// length, and csimdjson_walk must follow on the same thread with the same bytes. On a fault `*offset` says where.
int csimdjson_scan(const uint8_t *bytes, size_t length, size_t maximum_depth, size_t *nodes, size_t *offset);

// Writes the tape. `capacity` is what csimdjson_scan said. `unreadable` counts the values marked CSIMDJSON_UNREADABLE
// by themselves, `first_unreadable` is the offset of the first.
int csimdjson_walk(const uint8_t *bytes, size_t length, size_t maximum_depth, csimdjson_node *nodes, size_t capacity,
                   size_t *count, size_t *offset, size_t *unreadable, size_t *first_unreadable);

// Unescapes the inside of a string that csimdjson_walk has accepted into `output`, which has room for as many bytes as
// the escaped text; returns the number written. Lone surrogates become U+FFFD.
size_t csimdjson_unescape(const uint8_t *text, size_t length, uint8_t *output);

// What keys are compared by before their bytes are.
static inline uint32_t csimdjson_hash(const uint8_t *key, size_t length) {
    uint64_t hash = 0x9E3779B97F4A7C15ull ^ length, word;
    while (length >= 8) {
        memcpy(&word, key, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
        hash ^= hash >> 32;
        key += 8;
        length -= 8;
    }
    word = 0;
    for (size_t i = 0; i < length; i++) word |= (uint64_t)key[i] << (8 * i);
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    return (uint32_t)(hash >> 32);
}

#ifdef __cplusplus
}
#endif
