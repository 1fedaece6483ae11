/* The obvious C program that does what a search does: the measure of memo's own.
 *
 * usage: search CERTIFICATE KEY THREADS WORD FOLDER...
 *
 * It reads every file of the folders, undoes the base64, decrypts it with the shared libcrypto's CMS_decrypt
 * and looks for the word with strcasestr; it prints the names of the files that have it, in no order. It
 * knows no MIME, no accents and no states. The key and the certificate are read once, the files by as many
 * threads as are asked for.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static X509 *certificate;
static EVP_PKEY *key;
static const char *word;
static char **paths;
static size_t count;
static atomic_size_t next;

static void fail(const char *what)
{
  perror(what);
  ERR_print_errors_fp(stderr);
  exit(75);
}

static void list(const char *folder)
{
  DIR *stream = opendir(folder);
  if (!stream)
    fail(folder);
  for (struct dirent *entry; (entry = readdir(stream));) {
    if (entry->d_name[0] == '.')
      continue;
    paths = realloc(paths, (count + 1) * sizeof *paths);
    if (!paths || asprintf(&paths[count++], "%s/%s", folder, entry->d_name) < 0)
      fail(folder);
  }
  closedir(stream);
}

static int has_word(const char *path)
{
  BIO *file = BIO_new_file(path, "r"), *content = NULL, *text = BIO_new(BIO_s_mem());
  CMS_ContentInfo *sealed = file ? SMIME_read_CMS(file, &content) : NULL;
  if (!sealed || !CMS_decrypt(sealed, key, certificate, NULL, text, 0))
    fail(path);
  BIO_write(text, "", 1);
  char *octets;
  BIO_get_mem_data(text, &octets);
  int found = strcasestr(octets, word) != NULL;
  BIO_free(text);
  BIO_free(content);
  BIO_free(file);
  CMS_ContentInfo_free(sealed);
  return found;
}

static void *look(void *unused)
{
  (void)unused;
  for (size_t index; (index = atomic_fetch_add(&next, 1)) < count;)
    if (has_word(paths[index]))
      puts(paths[index]);
  return NULL;
}

int main(int argument_count, char **arguments)
{
  if (argument_count < 6) {
    fputs("usage: search CERTIFICATE KEY THREADS WORD FOLDER...\n", stderr);
    return 64;
  }
  BIO *file = BIO_new_file(arguments[1], "r");
  certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;
  BIO_free(file);
  file = BIO_new_file(arguments[2], "r");
  key = file ? PEM_read_bio_PrivateKey(file, NULL, NULL, NULL) : NULL;
  BIO_free(file);
  if (!certificate || !key)
    fail(arguments[1]);
  word = arguments[4];
  for (int i = 5; i < argument_count; i++)
    list(arguments[i]);
  pthread_t threads[64];
  int wanted = atoi(arguments[3]);
  for (int i = 0; i < wanted && i < 64; i++)
    if (pthread_create(&threads[i], NULL, look, NULL) != 0)
      fail("pthread_create");
  for (int i = 0; i < wanted && i < 64; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
