import Configuration
import Capture
import Posix
import Wording

/// A text on its way to becoming a note.
struct Draft {
  let text: [UInt8]
  /// The editor it comes from, whose file still holds it.
  var session: EditorSession?
  /// Whether it would have to be typed or made anew: words are in the shell's history.
  var isRetyped = false

  init(text: [UInt8], session: EditorSession? = nil) {
    self.text = text
    self.session = session
  }

  /// The note is safe: what the editor left in clear goes.
  func discard(_ home: Home) {
    guard let session else { return }
    do throws(Errno) {
      try session.folder.remove()
    } catch {
      home.say(home.language.text(.editorFolderLeft(path: session.folder.path, error)))
    }
  }

  /// The note was not saved: the text stays in a file, whose path is told.
  func keep(_ home: Home) {
    if let session {
      home.hint(home.language.text(.textKept(path: session.file)))
      return
    }
    guard isRetyped, !text.isEmpty else { return }
    do throws(Errno) {
      let folder = try home.privateFolder()
      try folder.write(text, to: "note.txt")
      home.hint(home.language.text(.textKept(path: folder.path + "/note.txt")))
    } catch {
      home.hint(home.language.text(.textNotKept(error)))
    }
  }
}

extension Home {
  /// A fresh folder for text in clear.
  func privateFolder() throws(Errno) -> PrivateFolder {
    try PrivateFolder.make(
      runtimeFolder: paths.runtime, stateFolder: paths.state, random: memo.random)
  }
}
