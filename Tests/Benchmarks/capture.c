/* The obvious C program that does what a capture does: the measure of memo's own.
 *
 * usage: capture CERTIFICATE MAILDIR <NOTE
 *
 * It reads the certificate from its file, seals the note with the shared libcrypto's CMS_encrypt, writes
 * the mail into tmp/, syncs it, renames it into new/ and syncs that. It has no settings, makes no MIME
 * header, no note's identity and no folders, and takes the name of its file from the clock.
 */
#include <fcntl.h>
#include <limits.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void fail(const char *what)
{
  perror(what);
  ERR_print_errors_fp(stderr);
  exit(75);
}

static CMS_ContentInfo *seal(const char *certificate_path, BIO *note)
{
  BIO *file = BIO_new_file(certificate_path, "r");
  if (!file)
    fail(certificate_path);
  X509 *certificate = PEM_read_bio_X509(file, NULL, NULL, NULL);
  BIO_free(file);
  STACK_OF(X509) *recipients = sk_X509_new_null();
  if (!certificate || !recipients || !sk_X509_push(recipients, certificate))
    fail(certificate_path);
  CMS_ContentInfo *sealed = CMS_encrypt(recipients, note, EVP_aes_256_gcm(), CMS_BINARY);
  if (!sealed)
    fail("CMS_encrypt");
  sk_X509_pop_free(recipients, X509_free);
  return sealed;
}

static void write_mail(const char *path, CMS_ContentInfo *sealed)
{
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  BIO *file = stream ? BIO_new_fp(stream, BIO_NOCLOSE) : NULL;
  if (!file)
    fail(path);
  if (BIO_puts(file, "To: me@example.org\nSubject: [...]\n") <= 0 ||
      !SMIME_write_CMS(file, sealed, NULL, 0) || fflush(stream) != 0 || fsync(descriptor) != 0)
    fail(path);
  BIO_free(file);
  if (fclose(stream) != 0)
    fail(path);
}

static void publish(const char *path, const char *folder, const char *name)
{
  char published[PATH_MAX];
  snprintf(published, sizeof published, "%s/new/%s", folder, name);
  if (rename(path, published) != 0)
    fail(published);
  snprintf(published, sizeof published, "%s/new", folder);
  int directory = open(published, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || fsync(directory) != 0)
    fail(published);
  close(directory);
}

int main(int count, char **arguments)
{
  if (count != 3) {
    fputs("usage: capture CERTIFICATE MAILDIR <NOTE\n", stderr);
    return 64;
  }
  BIO *note = BIO_new_fp(stdin, BIO_NOCLOSE);
  CMS_ContentInfo *sealed = seal(arguments[1], note);
  BIO_free(note);

  struct timeval now;
  char name[64], path[PATH_MAX];
  gettimeofday(&now, NULL);
  snprintf(name, sizeof name, "%ld.M%ldP%d", (long)now.tv_sec, (long)now.tv_usec, (int)getpid());
  snprintf(path, sizeof path, "%s/tmp/%s", arguments[2], name);
  write_mail(path, sealed);
  CMS_ContentInfo_free(sealed);
  publish(path, arguments[2], name);
  return 0;
}
