"""Reads the folders of notes as a stranger would: with openssl's library, never with memo itself."""

import base64
import ctypes
import ctypes.util
import functools
import os
import re
from dataclasses import dataclass

FOLDERS = ("outbox", "sent", "failed")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
DATA = ".local/share/memo"


class NotOpened(Exception):
    """A note that cannot be opened, and why."""


# MARK: - libcrypto

_crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")


def _function(name, result, *arguments):
    function = getattr(_crypto, name)
    function.restype, function.argtypes = result, arguments
    return function


_p, _int, _long = ctypes.c_void_p, ctypes.c_int, ctypes.c_long
_bio_of = _function("BIO_new_mem_buf", _p, ctypes.c_char_p, _int)
_bio_new = _function("BIO_new", _p, _p)
_bio_memory = _function("BIO_s_mem", _p)
_bio_read = _function("BIO_read", _int, _p, ctypes.c_char_p, _int)
_bio_free = _function("BIO_free", _int, _p)
_bio_pending = _function("BIO_ctrl_pending", ctypes.c_size_t, _p)
_read_key = _function("PEM_read_bio_PrivateKey", _p, _p, _p, _p, _p)
_read_cms = _function("d2i_CMS_bio", _p, _p, _p)
_free_cms = _function("CMS_ContentInfo_free", None, _p)
_decrypt = _function("CMS_decrypt", _int, _p, _p, _p, _p, _p, ctypes.c_uint)


@functools.lru_cache(maxsize=64)
def read_key(pem, passphrase):
    """A private key, None where it does not open; kept, as a passphrase costs a fifth of a second."""
    source = _bio_of(pem, len(pem))
    # Without a callback the last argument is the passphrase; an empty one never asks.
    key = _read_key(source, None, None, ctypes.c_char_p(passphrase or b""))
    _bio_free(source)
    return key


def decrypt(der, key_pem, passphrase=None):
    """The content of a CMS structure, opened with a private key."""
    source = _bio_of(der, len(der))
    output = _bio_new(_bio_memory())
    cms = None
    try:
        key = read_key(key_pem, passphrase)
        if not key:
            raise NotOpened("the key is no private key")
        cms = _read_cms(source, None)
        if not cms:
            raise NotOpened("the body is no CMS")
        if _decrypt(cms, key, None, None, output, 0) != 1:
            raise NotOpened("the key does not open it, or it is damaged")
        content = ctypes.create_string_buffer(_bio_pending(output) + 1)
        count = _bio_read(output, content, len(content))
        return content.raw[: max(count, 0)]
    finally:
        _free_cms(cms)
        for bio in (source, output):
            _bio_free(bio)


# MARK: - A note's file


def fields(message):
    """The header fields of a message, unfolded, by lower-case name."""
    header = message.split(b"\n\n", 1)[0].replace(b"\r\n", b"\n")
    lines = re.sub(rb"\n[ \t]+", b" ", header).split(b"\n")
    pairs = (line.split(b":", 1) for line in lines if b":" in line)
    return {name.strip().lower().decode(): value.strip().decode() for name, value in pairs}


def open_note(message, keys, passphrase=None):
    """The sealed message inside a note's file, opened with whichever of the keys does it."""
    kind = fields(message).get("content-type", "")
    if "application/pkcs7-mime" not in kind or "authEnveloped-data" not in kind:
        raise NotOpened(f"not sealed, but {kind or 'without a type'}")
    try:
        body = message.split(b"\n\n", 1)[1]
        der = base64.b64decode(b"".join(body.split()), validate=True)
    except (IndexError, ValueError) as error:
        raise NotOpened("the body is cut or no base64") from error
    for key in keys:
        try:
            return decrypt(der, key, passphrase)
        except NotOpened as error:
            why = error
    raise why if keys else NotOpened("there is no key")


@dataclass(frozen=True)
class Note:
    """A file in one of the three folders."""

    folder: str
    path: str

    @property
    def name(self):
        return os.path.basename(self.path)

    @property
    def identifier(self):
        return self.name[:36]

    def count(self, field):
        """The number of a field of the name, as A or D; 0 when it is not there."""
        found = re.search(rf",{field}=(\d+)", self.name)
        return int(found.group(1)) if found else 0


class Store:
    """The folders of notes under a home."""

    def __init__(self, home, passphrase=None):
        self.data = os.path.join(home, DATA)
        self.passphrase = passphrase

    def notes(self):
        """The files in new/ and cur/ of the three folders; tmp/ promises nothing."""
        found = []
        for folder in FOLDERS:
            for place in ("new", "cur"):
                directory = os.path.join(self.data, "mail", folder, place)
                names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
                found += [Note(folder, os.path.join(directory, name)) for name in names]
        return found

    def contents(self):
        """What is in each note, by identifier; and what is wrong with the folders."""
        contents, problems = {}, []
        notes = self.notes()
        keys = self._keys() if notes else []
        for note in notes:
            where = f"{note.folder}/{note.name}"
            if not UUID.fullmatch(note.identifier):
                problems.append(f"{where}: no UUID")
            if note.identifier in contents:
                problems.append(f"{where}: a second file of that note")
            try:
                inside = open_note(open(note.path, "rb").read(), keys, self.passphrase)
            except NotOpened as error:
                problems.append(f"{where}: {error}")
                inside = b""
            else:
                if fields(inside.replace(b"\r\n", b"\n")).get("memo-id") != note.identifier:
                    problems.append(f"{where}: Memo-ID is not the name's")
            contents[note.identifier] = inside
        return contents, problems

    def _keys(self):
        """key.pem, and the keys before it."""
        identity = os.path.join(self.data, "identity")
        old = os.path.join(identity, "old")
        names = sorted(os.listdir(old)) if os.path.isdir(old) else []
        paths = [os.path.join(identity, "key.pem")]
        paths += [os.path.join(old, name) for name in names if name.count(".") == 1]
        return [open(path, "rb").read() for path in paths if os.path.exists(path)]
