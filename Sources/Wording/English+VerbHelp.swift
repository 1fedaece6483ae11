// How the verbs are used that do something with notes there are.
extension English {
  var searchHelp: String {
    """
    usage: memo search WORD... [--json]

    Lists the notes that have each of the words in their subject or text,
    newest first, whatever case and accents. Exit status 1 when there is none.
      --json   one JSON object a line, as log has them
      --       what follows is words, as in: memo search -- --json

    """
  }

  var copyHelp: String {
    """
    usage: memo copy [ID]

    Puts the text of a note, else of the newest one, on the clipboard: with
    wl-copy, xclip or xsel on a desktop, else by asking the terminal (OSC 52).

    """
  }

  var resendHelp: String {
    """
    usage: memo resend ID...

    Sends notes again, now: one that was delivered as a new note that refers
    to it, any other as itself. Not within two seconds of a note's last try.

    """
  }

  var cancelHelp: String {
    """
    usage: memo cancel ID...

    Removes notes that wait, for good. Silence means that nobody gets them; it
    says so when a note may have been delivered, or when it is too late.

    """
  }
}
