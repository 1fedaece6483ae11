import MessageFormat
import MessageStore
import Posix
import TestSupport
import Testing

@testable import Outbox

// A note is cancelled or delivered, and whoever is told so can rely on it.
@Suite struct CancellingTests {
  private func cancel(_ id: NoteID, _ scene: Scene) throws -> Cancellation {
    try MailStore(scene.sandbox.root + "/mail").cancel(id)
  }

  @Test(arguments: ["new/*.vm,D=1", "cur/*.vm:2,S", "cur/*.vm,D=3,U=7:2,", "cur/*.other:2,T"])
  func aNoteThatNoServerHasIsGone(place: String) throws {
    let scene = try Scene()
    let id = try scene.capture()
    let other = try scene.capture()
    try scene.move("outbox/new/\(id).vm", "outbox/" + place.replacing("*", with: "\(id)"))
    #expect(try cancel(id, scene) == .cancelled)
    #expect(try scene.files() == ["outbox/new/\(other).vm"])
    #expect(try cancel(id, scene) == .gone)
  }

  @Test(arguments: [("sent/cur/*.vm:2,S", Cancellation.sent), ("failed/cur/*.vm:2,F", .failed)])
  func itIsTooLate(place: String, expected: Cancellation) throws {
    let scene = try Scene()
    let id = try scene.capture()
    let path = place.replacing("*", with: "\(id)")
    try scene.move("outbox/new/\(id).vm", path)
    #expect(try cancel(id, scene) == expected)
    #expect(try scene.files() == [path])
  }

  @Test func aDeliveredNoteWhoseOldNameCameBackIsNotCalledCancelled() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let bytes = try scene.sandbox.content("mail/outbox/new/\(id).vm")
    try scene.put(bytes, "sent/cur/\(id).vm:2,S")
    #expect(try cancel(id, scene) == .sent)
  }

  @Test func whatMayHaveBeenDeliveredIsStoppedButNotWhileASenderIsAtWork() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let path = "outbox/cur/\(id).vm,D=1,A=1:2,"
    try scene.move("outbox/new/\(id).vm", path)
    let store = try MailStore(scene.sandbox.root + "/mail")
    let lock = try store.lock()
    #expect(try cancel(id, scene) == .underWay)
    #expect(try scene.files() == [path])
    lock?.release()
    #expect(try cancel(id, scene) == .stopped)
    #expect(try scene.files() == [])
  }

  @Test func twoFilesOfOneNoteGoTogether() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let bytes = try scene.sandbox.content("mail/outbox/new/\(id).vm")
    try scene.put(bytes, "outbox/new/\(id).vm,D=1")
    #expect(try cancel(id, scene) == .cancelled)
    #expect(try scene.files() == [])
    try scene.put(bytes, "outbox/new/\(id).vm,D=1")
    try scene.put(bytes, "outbox/new/\(id).vm,A=1")
    #expect(try cancel(id, scene) == .stopped)
    #expect(try scene.files() == [])
  }

  @Test func beforeTheCommitPointTheSenderBreaksOff() throws {
    let scene = try Scene()
    let id = try scene.capture()
    var cancellation: Cancellation?
    let deliveries = try scene.run(
      .accepts(before: { cancellation = try self.cancel(id, scene) }))
    #expect(cancellation == .cancelled)
    #expect(deliveries.map(\.committed) == [false])
    #expect(try scene.files() == [])
  }

  @Test func afterTheCommitPointItIsTooLate() throws {
    let scene = try Scene()
    let id = try scene.capture()
    let lock = try MailStore(scene.sandbox.root + "/mail").lock()
    var cancellation: Cancellation?
    try scene.run(.accepts(after: { cancellation = try self.cancel(id, scene) }))
    lock?.release()
    #expect(cancellation == .underWay)
    #expect(try scene.files() == ["sent/cur/\(id).vm:2,S"])
  }
}
