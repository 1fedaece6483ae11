extension ContentType {
  /// The content type that a file's name suggests, `application/octet-stream` for others.
  ///
  /// Mail itself (`.eml`) is among the others: a message may not be encoded as Base64, and an
  /// attachment has to come back octet for octet. RFC 2046 §5.2.1.
  public static func forFileName(_ name: String) -> ContentType {
    let parts = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return octets }
    let ending = String(repairing: last).asciiLowercased
    return mediaTypes[ending].map { ContentType($0) } ?? octets
  }

  /// Media types registered with IANA, by the ending of the names of their files.
  private static let mediaTypes: [String: String] = [
    "txt": "text/plain", "text": "text/plain", "log": "text/plain", "md": "text/markdown",
    "markdown": "text/markdown", "csv": "text/csv", "html": "text/html", "htm": "text/html",
    "css": "text/css", "ics": "text/calendar", "vcf": "text/vcard", "patch": "text/x-patch",
    "diff": "text/x-patch", "json": "application/json", "xml": "application/xml",
    "pdf": "application/pdf", "rtf": "application/rtf", "epub": "application/epub+zip",
    "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip",
    "zst": "application/zstd", "xz": "application/x-xz", "bz2": "application/x-bzip2",
    "tar": "application/x-tar", "7z": "application/x-7z-compressed",
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "svg": "image/svg+xml", "avif": "image/avif", "heic": "image/heic",
    "tif": "image/tiff", "tiff": "image/tiff", "bmp": "image/bmp",
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "ogg": "audio/ogg", "opus": "audio/ogg",
    "flac": "audio/flac", "wav": "audio/wav", "mp4": "video/mp4", "m4v": "video/mp4",
    "webm": "video/webm", "mov": "video/quicktime", "mkv": "video/matroska",
    "asc": "application/pgp-keys", "sig": "application/pgp-signature",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ]
}
