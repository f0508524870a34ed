#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "structure.hpp"

namespace {

// Nobody is paid in numbers this long; the text is kept, but the value is marked unreadable.
constexpr size_t longest_number = 1024;

struct Walk {
    const uint8_t *bytes;
    size_t length;
    size_t maximum_depth;
    csimdjson_node *nodes;
    size_t capacity;
    Structure structure;

    size_t position = 0;  // in the structure
    size_t count = 0;     // nodes written
    size_t offset = 0;    // of a fault
    size_t unreadable = 0;
    size_t first_unreadable = 0;
    std::vector<uint32_t> open;     // containers around the current value
    std::vector<uint32_t> children;
    std::vector<uint32_t> hashes;

    size_t at(size_t index) const { return index < structure.count ? structure.indexes[index] : length; }
    int fault(int code, size_t where) { return offset = where, code; }

    // The token that starts at the current position ends here: blanks before the next structural byte are not its own.
    size_t token_end(size_t start) const {
        size_t end = at(position + 1);
        while (end > start && is_blank(bytes[end - 1])) end--;
        return end;
    }

    void mark_unreadable(csimdjson_node &node, size_t where) {
        node.flags |= CSIMDJSON_UNREADABLE;
        if (unreadable++ == 0) first_unreadable = where;
    }

    int key(csimdjson_node &node) {
        size_t start = at(position);
        if (start >= length) return fault(CSIMDJSON_TRUNCATED, length);
        if (bytes[start] != '"') return fault(CSIMDJSON_EXPECTED_KEY, start);
        size_t end = token_end(start);
        if (end - start < 2 || bytes[end - 1] != '"') return fault(CSIMDJSON_EXPECTED_COLON, start);
        bool escaped, readable;
        if (int code = check_string(bytes, start + 1, end - 1, &escaped, &readable, &offset)) return code;
        node.flags = CSIMDJSON_HAS_KEY | (escaped ? CSIMDJSON_KEY_ESCAPED : 0);
        if (!readable) mark_unreadable(node, start);
        node.key_start = uint32_t(start + 1);
        node.key_end = uint32_t(end - 1);
        if (escaped) {
            auto text = unescaped(node);
            node.key_hash = csimdjson_hash(reinterpret_cast<const uint8_t *>(text.data()), text.size());
        } else {
            node.key_hash = csimdjson_hash(bytes + start + 1, end - start - 2);
        }
        position++;
        size_t colon = at(position);
        if (colon >= length) return fault(CSIMDJSON_TRUNCATED, length);
        if (bytes[colon] != ':') return fault(CSIMDJSON_EXPECTED_COLON, colon);
        position++;
        return CSIMDJSON_OK;
    }

    std::string unescaped(const csimdjson_node &node) const {
        std::string text(node.key_end - node.key_start, '\0');
        auto output = reinterpret_cast<uint8_t *>(&text[0]);
        text.resize(csimdjson_unescape(bytes + node.key_start, text.size(), output));
        return text;
    }

    int literal(csimdjson_node &node, size_t start, const char *word, size_t size, uint8_t kind) {
        if (token_end(start) != start + size || memcmp(bytes + start, word, size) != 0)
            return fault(CSIMDJSON_BAD_LITERAL, start);
        node.kind = kind;
        node.end = uint32_t(start + size);
        return CSIMDJSON_OK;
    }

    int scalar(csimdjson_node &node, size_t start) {
        switch (bytes[start]) {
            case '"': {
                size_t end = token_end(start);
                if (end - start < 2 || bytes[end - 1] != '"') return fault(CSIMDJSON_EXPECTED_COMMA, start);
                bool escaped, readable;
                if (int code = check_string(bytes, start + 1, end - 1, &escaped, &readable, &offset)) return code;
                node.kind = CSIMDJSON_STRING;
                node.end = uint32_t(end);
                if (escaped) node.flags |= CSIMDJSON_TEXT_ESCAPED;
                if (!readable) mark_unreadable(node, start);
                break;
            }
            case 't':
                if (int code = literal(node, start, "true", 4, CSIMDJSON_TRUE)) return code;
                break;
            case 'f':
                if (int code = literal(node, start, "false", 5, CSIMDJSON_FALSE)) return code;
                break;
            case 'n':
                if (int code = literal(node, start, "null", 4, CSIMDJSON_NULL)) return code;
                break;
            case '-': case '0': case '1': case '2': case '3': case '4':
            case '5': case '6': case '7': case '8': case '9': {
                size_t end;
                if (int code = check_number(bytes, start, at(position + 1), &end, &offset)) return code;
                node.kind = CSIMDJSON_NUMBER;
                node.end = uint32_t(end);
                if (end - start > longest_number) mark_unreadable(node, start);
                break;
            }
            default: return fault(CSIMDJSON_EXPECTED_VALUE, start);
        }
        position++;
        return CSIMDJSON_OK;
    }

    // Closes the innermost container at the bracket at `position`.
    void close() {
        csimdjson_node &node = nodes[open.back()];
        node.end = uint32_t(at(position) + 1);
        node.next = uint32_t(count);
        if (node.kind == CSIMDJSON_OBJECT && node.count > 1 && has_duplicates(open.back()))
            node.flags |= CSIMDJSON_DUPLICATE_KEYS;
        open.pop_back();
        if (!open.empty()) nodes[open.back()].flags |= node.flags & (CSIMDJSON_DUPLICATE_KEYS | CSIMDJSON_UNREADABLE);
        position++;
    }

    bool same_key(const csimdjson_node &a, const csimdjson_node &b) const {
        if ((a.flags | b.flags) & CSIMDJSON_KEY_ESCAPED) return unescaped(a) == unescaped(b);
        size_t size = a.key_end - a.key_start;
        return size == b.key_end - b.key_start && memcmp(bytes + a.key_start, bytes + b.key_start, size) == 0;
    }

    bool has_duplicates(uint32_t object) {
        children.clear();
        hashes.clear();
        for (uint32_t i = object + 1; i < nodes[object].next; i = nodes[i].next) {
            children.push_back(i);
            hashes.push_back(nodes[i].key_hash);
        }
        size_t n = children.size();
        if (n <= 64) {
            for (size_t i = 1; i < n; i++) {
                uint32_t hash = hashes[i];
                bool seen = false;
                for (size_t k = 0; k < i; k++) seen |= hashes[k] == hash;
                if (!seen) continue;
                for (size_t k = 0; k < i; k++)
                    if (hashes[k] == hash && same_key(nodes[children[i]], nodes[children[k]])) return true;
            }
            return false;
        }
        // Objects with very many members: sort, so that hostile keys cannot make this quadratic.
        std::vector<std::string> keys;
        keys.reserve(n);
        for (uint32_t child : children) keys.push_back(unescaped(nodes[child]));
        std::sort(keys.begin(), keys.end());
        return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
    }

    int run() {
        bool in_object = false;
        for (;;) {
            // Here a value (in an object: a member) is due.
            if (count >= capacity) return fault(at(position) >= length ? CSIMDJSON_TRUNCATED : CSIMDJSON_INTERNAL, at(position));
            csimdjson_node &node = nodes[count];
            node = csimdjson_node{};
            if (in_object) {
                if (int code = key(node)) return code;
            }
            size_t start = at(position);
            if (start >= length) return fault(CSIMDJSON_TRUNCATED, length);
            node.start = uint32_t(start);
            uint8_t first = bytes[start];
            bool opened = first == '{' || first == '[';
            uint32_t index = uint32_t(count);
            if (opened) {
                if (open.size() >= maximum_depth) return fault(CSIMDJSON_TOO_DEEP, start);
                node.kind = first == '{' ? CSIMDJSON_OBJECT : CSIMDJSON_ARRAY;
                position++;
            } else if (int code = scalar(node, start)) {
                return code;
            }
            count++;
            node.next = uint32_t(count);
            if (!open.empty()) {
                nodes[open.back()].count++;
                if (node.flags & CSIMDJSON_UNREADABLE) nodes[open.back()].flags |= CSIMDJSON_UNREADABLE;
            }
            if (opened) {
                open.push_back(index);
                size_t inside = at(position);
                if (inside >= length) return fault(CSIMDJSON_TRUNCATED, length);
                if (bytes[inside] != (first == '{' ? '}' : ']')) {
                    in_object = first == '{';
                    continue;
                }
                close();
            }
            // A value is complete: close what ends here, then expect a comma or the end.
            for (;;) {
                size_t where = at(position);
                if (open.empty()) return where >= length ? CSIMDJSON_OK : fault(CSIMDJSON_TRAILING, where);
                if (where >= length) return fault(CSIMDJSON_TRUNCATED, length);
                in_object = nodes[open.back()].kind == CSIMDJSON_OBJECT;
                uint8_t c = bytes[where];
                if (c == ',') {
                    position++;
                    break;
                }
                if (c != (in_object ? '}' : ']')) return fault(CSIMDJSON_EXPECTED_COMMA, where);
                close();
            }
        }
    }
};

}  // namespace

extern "C" int csimdjson_walk(const uint8_t *bytes, size_t length, size_t maximum_depth, csimdjson_node *nodes,
                              size_t capacity, size_t *count, size_t *offset, size_t *unreadable,
                              size_t *first_unreadable) {
    int code = CSIMDJSON_NO_MEMORY;
    *count = 0;
    try {
        Walk walk{bytes, length, maximum_depth, nodes, capacity, structure_of_this_thread()};
        walk.open.reserve(maximum_depth < 256 ? maximum_depth : 256);
        code = walk.run();
        *count = walk.count;
        *offset = walk.offset;
        *unreadable = walk.unreadable;
        *first_unreadable = walk.first_unreadable;
    } catch (...) {
        // std::bad_alloc is all that can come: no exception may cross into Swift.
        *offset = 0;
    }
    give_back_what_was_large();
    return code;
}
