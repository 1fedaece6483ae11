// curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, which Swift cannot call: here is one
// typed form for each kind of argument, and nothing more.

#ifndef MEMO_CCURL_SHIM_H
#define MEMO_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode memo_setopt_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

// CURLOPT_READFUNCTION, CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION share one type.
static inline CURLcode memo_setopt_octets(CURL *handle, CURLoption option,
                                          curl_read_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_progress(CURL *handle, CURLoption option,
                                            curl_xferinfo_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_debug(CURL *handle, CURLoption option,
                                         curl_debug_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_sockopt(CURL *handle, CURLoption option,
                                           curl_sockopt_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_setopt_closesocket(CURL *handle, CURLoption option,
                                               curl_closesocket_callback value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode memo_getinfo_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode memo_getinfo_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

// An enumerator in older versions, a macro in newer ones.
static inline long memo_usessl_all(void) { return CURLUSESSL_ALL; }

static inline CURLcode memo_getinfo_certificates(CURL *handle, struct curl_certinfo **value) {
  return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

#endif
