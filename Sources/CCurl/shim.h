#pragma once
// libcurl sets and reads its options through variadic functions, which Swift cannot call. One typed wrapper per kind
// of value; the option's own type is checked by curl's documentation, not by the compiler, so keep the callers few.
#include <curl/curl.h>
#include <malloc.h>

static inline CURLcode tieout_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tieout_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tieout_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tieout_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tieout_set_const_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tieout_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// Both the write and the header callback have this shape.
typedef size_t (*tieout_data_callback)(char *data, size_t size, size_t count, void *context);
static inline CURLcode tieout_set_callback(CURL *easy, CURLoption option, tieout_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tieout_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode tieout_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode tieout_set_multi_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The result of a finished transfer lies in a C union.
static inline CURLcode tieout_message_result(const CURLMsg *message) { return message->data.result; }

// Memory that answers and their rows have used stays with the process for the next ones: otherwise the C library gives
// it back to the kernel after each and asks for it again, page fault by page fault.
static inline void tieout_keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
