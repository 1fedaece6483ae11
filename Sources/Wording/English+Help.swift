extension English {
  /// The English words.
  public func help(_ verb: String?) -> String {
    switch verb {
    case "flush": flushHelp
    case "log": logHelp
    case "show": showHelp
    case "status": statusHelp
    case "view": viewHelp
    case "search": searchHelp
    case "copy": copyHelp
    case "resend": resendHelp
    case "cancel": cancelHelp
    case "watch": watchHelp
    case "key": keyHelp
    default: wholeHelp
    }
  }

  private var wholeHelp: String {
    """
    memo mails notes to yourself.

      memo buy milk               a note, safe on disk at once, then sent
      dmesg | memo                standard input is the note
      memo kernel log -           words, then standard input
      memo -a photo.jpg           a file
      memo -- flush the tank      words that begin like a command

    Options come before the first word:
      -s, --subject TEXT          the subject, else it is the first line
      -a, --attach FILE           attach a file; may be repeated
      -A, --account NAME          send it by this account
      -e, --editor                write it in $VISUAL or $EDITOR
      -v, --verbose               print the note's id
      -n, --dry-run               print the message, keep nothing

    Commands:
      memo flush [--now] [-v] [-n]                        send what waits
      memo log [-n N] [--outbox|--sent|--failed] [--json] list notes, newest first
      memo show [ID] [--raw|--headers|--json|--save DIR]  show one, else the newest
      memo search WORD... [--json]                        notes that have the words
      memo copy [ID]                                      its text to the clipboard
      memo resend ID...                                   send again, now
      memo cancel ID...                                   remove before it is sent
      memo status [--json]                                how things stand
      memo view [-n N] CLIENT ... {} ...                  open them in a mail client
      memo watch                                          stay, send what there is
      memo key [show|export|passphrase|recover|rotate|rewrap]  the key of the notes
      memo help [COMMAND]   memo --version

    An ID is the end of a note's id, at least 4 digits, or @1 for the newest, @2 ...
    The manual is memo(1); the configuration file is described in memo(5).

    """
  }

  private var flushHelp: String {
    """
    usage: memo flush [--now] [-v] [-n]

    Sends the notes that are due.
      --now           also those not due yet, and by accounts that are on hold
      -v, --verbose   tell what happens, note by note
      -n, --dry-run   tell what would be sent, and send nothing

    """
  }

  private var logHelp: String {
    """
    usage: memo log [-n N] [--outbox|--sent|--failed] [--json]

    Lists the notes, newest first; only what is not delivered has a badge.
      -n N                          only the newest N
      --outbox, --sent, --failed    only those in this folder
      --json                        one JSON object a line

    """
  }

  private var showHelp: String {
    """
    usage: memo show [ID] [--raw|--headers|--json|--save DIR]

    Shows a note, else the newest one.
      ID          the end of its id, at least 4 digits, or @1 the newest, @2 ...
      --raw       the whole message
      --headers   its header
      --json      a JSON object
      --save DIR  save its files in a folder, and print their paths

    """
  }

  private var statusHelp: String {
    """
    usage: memo status [--json]

    Tells what waits, what failed and why. Exit status 1 when a person is needed.

    """
  }

  private var viewHelp: String {
    """
    usage: memo view [-n N] [--] CLIENT [ARGUMENT ...]
           memo view [-n N] --imap

    Opens the notes in a mail client, in clear, in a folder that is removed when the client ends.
    What the client changes there is thrown away.
      -n N    only the newest N
      {}      in an argument stands for the folder, a Maildir of all notes; {}/outbox, {}/sent and
              {}/failed are Maildirs, too
      --imap  serve the folder by IMAP on this machine, with Dovecot, for graphical clients

      memo view mutt -f {}
      memo view s-nail -f {}/failed

    """
  }

  private var keyHelp: String {
    """
    usage: memo key [show]
           memo key export [--certificate] [--pem FILE]
           memo key export --pkcs12 FILE [--old] [--passphrase-file FILE]
           memo key passphrase [--remove]
           memo key recover FILE... [--to DIR] [--key PEM [--passphrase-file FILE]]
           memo key rotate
           memo key rewrap [--remove-old]

    The key on this machine that opens the notes.
      show        what there is of it, and which OpenPGP keys could be used
      export      a copy, key and certificate, as PEM or PKCS#12; never over a file
      passphrase  set, change or remove its passphrase, typed on the terminal
      recover     the messages in sealed files, from wherever they come
      rotate      a new key; the old one is kept and still opens what was sealed to it
      rewrap      seal all stored notes to the present key

    """
  }

  private var watchHelp: String {
    """
    usage: memo watch

    Stays until it is stopped, and sends when a note is written, when one falls due, and when the
    network comes back.

    """
  }
}
