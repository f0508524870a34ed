#pragma once
#include <simdjson.h>

#include "csimdjson.h"

// Where the brackets, colons, commas and the first bytes of scalars stand.
struct Structure {
    const uint32_t *indexes;
    size_t count;
};

Structure structure_of_this_thread() noexcept;
void give_back_what_was_large() noexcept;

// The kinds of things text.cpp checks. Each returns CSIMDJSON_OK or a fault with its offset.
int check_string(const uint8_t *bytes, size_t start, size_t end, bool *escaped, bool *readable, size_t *offset);
// On success `*end` is the first byte behind the number.
int check_number(const uint8_t *bytes, size_t start, size_t limit, size_t *end, size_t *offset);

inline bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
