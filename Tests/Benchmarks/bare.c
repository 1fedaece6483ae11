// The bare loop that memo-send is compared with: libcurl sends files one after the other, over one handle,
// and nothing is kept of it.
//
// usage: bare URL AUTHORITY USER:PASSWORD ADDRESS PER-LOGIN FILE...
//   PER-LOGIN  messages for each handle, as many as memo sends over a connection; 0 for all over one

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static CURL *connect_anew(char **arguments, struct curl_slist *recipients)
{
  CURL *handle = curl_easy_init();
  curl_easy_setopt(handle, CURLOPT_URL, arguments[1]);
  curl_easy_setopt(handle, CURLOPT_CAINFO, arguments[2]);
  curl_easy_setopt(handle, CURLOPT_USERPWD, arguments[3]);
  curl_easy_setopt(handle, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL);
  curl_easy_setopt(handle, CURLOPT_MAIL_FROM, arguments[4]);
  curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients);
  curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
  return handle;
}

static int send_file(CURL *handle, const char *path)
{
  FILE *file = fopen(path, "r");
  if (!file)
    return -1;
  fseek(file, 0, SEEK_END);
  curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)ftell(file));
  rewind(file);
  curl_easy_setopt(handle, CURLOPT_READDATA, file);
  CURLcode code = curl_easy_perform(handle);
  fclose(file);
  if (code != CURLE_OK)
    fprintf(stderr, "bare: %s: %s\n", path, curl_easy_strerror(code));
  return code == CURLE_OK ? 0 : -1;
}

int main(int count, char **arguments)
{
  if (count < 7)
    return 64;
  int per_login = atoi(arguments[5]);
  curl_global_init(CURL_GLOBAL_SSL);
  struct curl_slist *recipients = curl_slist_append(NULL, arguments[4]);
  CURL *handle = connect_anew(arguments, recipients);
  for (int i = 6; i < count; i++) {
    if (per_login && i > 6 && (i - 6) % per_login == 0) {
      curl_easy_cleanup(handle);
      handle = connect_anew(arguments, recipients);
    }
    if (send_file(handle, arguments[i]) != 0)
      return 1;
  }
  curl_easy_cleanup(handle);
  return 0;
}
