// The bare loop that memo-send is compared with: libcurl sends files one after the other, over one handle.
//
// usage: bare URL AUTHORITY USER:PASSWORD ADDRESS PER-LOGIN SENT FILE...
//   PER-LOGIN  messages for each handle, as many as memo sends over a connection; 0 for all over one
//   SENT       the folder for what was sent, with which the loop keeps on disk what memo keeps there: a
//              rename and fsync before each message is given whole, and another one after its acceptance;
//              `-` to keep nothing

#include <curl/curl.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int keep(const char *path, const char *new_path)
{
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", new_path);
  int descriptor = open(dirname(folder), O_RDONLY | O_DIRECTORY);
  int result = rename(path, new_path) == 0 && fsync(descriptor) == 0 ? 0 : -1;
  close(descriptor);
  return result;
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

// Sends a file and has on disk what became of it.
static int send_and_keep(CURL *handle, const char *path, const char *sent)
{
  char tried[4096], kept[4096];
  snprintf(tried, sizeof tried, "%s,A=1", path);
  if (keep(path, tried) != 0 || send_file(handle, tried) != 0)
    return -1;
  const char *slash = strrchr(path, '/');
  snprintf(kept, sizeof kept, "%s/%s:2,S", sent, slash ? slash + 1 : path);
  return keep(tried, kept);
}

int main(int count, char **arguments)
{
  if (count < 8)
    return 64;
  int per_login = atoi(arguments[5]);
  const char *sent = strcmp(arguments[6], "-") == 0 ? NULL : arguments[6];
  curl_global_init(CURL_GLOBAL_SSL);
  struct curl_slist *recipients = curl_slist_append(NULL, arguments[4]);
  CURL *handle = connect_anew(arguments, recipients);
  for (int i = 7; i < count; i++) {
    if (per_login && i > 7 && (i - 7) % per_login == 0) {
      curl_easy_cleanup(handle);
      handle = connect_anew(arguments, recipients);
    }
    if ((sent ? send_and_keep(handle, arguments[i], sent) : send_file(handle, arguments[i])) != 0)
      return 1;
  }
  curl_easy_cleanup(handle);
  return 0;
}
