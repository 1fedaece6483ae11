import MessageFormat
import TestSupport
import Testing

@testable import MessageStore

private let uuid = "01890a5d-ac96-774b-bcce-b302099a8057"

@Suite struct NoteFileNameTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    var host = "vm"
    var failures = 0
    var unanswered = 0
    var others: [String] = []
    var flags: String?
    /// The name as it is written again, where that is not the same.
    var written: String?
    var testDescription: String { name }
  }

  /// The table of DESIGN §4, and the names of facts/formats.md §5 with what clients add.
  static let cases = [
    Case(name: uuid + ".vm"),
    Case(name: uuid + ".vm,D=3", failures: 3),
    Case(name: uuid + ".vm,A=1", unanswered: 1),
    Case(name: uuid + ".vm,D=12,A=2", failures: 12, unanswered: 2),
    Case(name: uuid + ".vm:2,S", flags: "S"),
    Case(name: uuid + ".vm:2,F", flags: "F"),
    Case(name: uuid + ".vm:2,", flags: ""),
    Case(name: uuid + ".vm,D=3:2,S", failures: 3, flags: "S"),
    Case(name: uuid + ".vm,S=200,W=210:2,FS", others: ["S=200", "W=210"], flags: "FS"),
    Case(name: uuid + ".vm,D=3,U=2:2,S", failures: 3, others: ["U=2"], flags: "S"),
    Case(name: uuid + ".vm,N=1796057359:2,DS", others: ["N=1796057359"], flags: "DS"),
    Case(name: uuid + ".vm:2,RSa", flags: "RSa"),
    Case(name: uuid, host: ""),
    Case(name: uuid + ":2,S", host: "", flags: "S"),
    Case(name: uuid + ",A=1", host: "", unanswered: 1),
    Case(name: uuid + ".a.b-c_d", host: "a.b-c_d"),
    Case(
      name: uuid + ".vm,U=7,D=1,S=3,A=2", failures: 1, unanswered: 2, others: ["U=7", "S=3"],
      written: uuid + ".vm,D=1,A=2,U=7,S=3"),
    Case(name: uuid + ".vm,D=0,A=0", written: uuid + ".vm"),
    Case(name: uuid + ".vm,D=007", failures: 7, written: uuid + ".vm,D=7"),
    Case(name: uuid + ".vm,D=-1", others: ["D=-1"]),
    Case(name: uuid + ".vm,D=+1", others: ["D=+1"]),
    Case(name: uuid + ".vm,D=x,A=", others: ["D=x", "A="]),
    Case(name: uuid.uppercased() + ".vm", written: uuid + ".vm"),
  ]

  @Test(arguments: cases) func aNameIsReadAndWrittenBack(_ fixture: Case) throws {
    let name = try #require(NoteFileName(fixture.name))
    #expect(name.id.description == uuid)
    #expect(name.host == fixture.host)
    #expect(name.failures == fixture.failures)
    #expect(name.unanswered == fixture.unanswered)
    #expect(name.otherFields == fixture.others)
    #expect(name.flags == fixture.flags)
    #expect(name.description == fixture.written ?? fixture.name)
    #expect(NoteFileName(name.description) == name)
  }

  // RELIABILITY row 16.
  @Test(
    arguments: [
      "", ".", "..", ".dot", ":2,S", "dovecot-uidlist", "maildirfolder",
      "1796057462.3664_1.vm:2,", "1325341040.M1P1.host:2,S",
      String(uuid.dropLast()), String(uuid.dropLast()) + ".vm", uuid + "vm", uuid + "0",
      " " + uuid, "." + uuid, uuid + "-", uuid + " ", uuid + "/x",
      uuid + ".vm,", uuid + ".vm,,", uuid + ".vm,D", uuid + ".vm,=1", uuid + ".vm,DD=1",
      uuid + ".vm:", uuid + ".vm:2", uuid + ".vm:1,S", uuid + ".vm:3,S",
      "01890a5d_ac96_774b_bcce_b302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g",
      "０1890a5d-ac96-774b-bcce-b302099a80", "-",
    ])
  func aForeignNameIsNoNotes(name: String) {
    #expect(NoteFileName(name) == nil)
  }

  @Test(
    arguments: [
      uuid + ".\n", uuid + ".\u{1B}[2J", uuid + ".-", uuid + ".é\u{301}", uuid + ".vm\r\n,D=1",
      uuid + ".\u{301}vm", uuid + ".vm,D=1\u{301}", uuid + ".vm,U=\u{301}7",
      uuid + "." + String(repeating: "h", count: 218), uuid + ".vm:2,S:2,S", uuid + ".vm:2,S,T",
    ])
  func anOddNameKeepsItsOctets(name: String) throws {
    // Compared as octets: equal strings may differ in theirs.
    if let read = NoteFileName(name) {
      #expect(Array(read.description.utf8) == Array(name.utf8))
    }
  }

  @Test(arguments: ["D", "A"])
  func aCounterBeyondAllMeasureCanStillBeCountedUp(field: String) throws {
    for digits in ["9223372036854775807", "99999999999999999999999", "4294967296"] {
      var name = try #require(NoteFileName("\(uuid).vm,\(field)=\(digits)"))
      name.failures += 1
      name.unanswered += 1
      let again = try #require(NoteFileName(name.description))
      #expect(again.failures > 0 && again.unanswered > 0)
    }
  }

  @Test func theFlagTIsItsOwnersCancel() throws {
    #expect(try #require(NoteFileName(uuid + ".vm:2,T")).isTrashed)
    #expect(try #require(NoteFileName(uuid + ".vm:2,FST")).isTrashed)
    #expect(try !#require(NoteFileName(uuid + ".vm:2,S")).isTrashed)
    #expect(try !#require(NoteFileName(uuid + ".T:2,")).isTrashed)
    #expect(try !#require(NoteFileName(uuid + ".vm")).isTrashed)
    // A keyword of Dovecot.
    #expect(try !#require(NoteFileName(uuid + ".vm:2,t")).isTrashed)
  }

  @Test func aMoveDropsTheNumberOfMbsync() throws {
    let name = try #require(NoteFileName(uuid + ".vm,D=1,A=2,U=7,S=200,X=y:2,RS"))
    #expect(name.moved(flags: "F").description == uuid + ".vm,D=1,A=2,S=200,X=y:2,F")
    #expect(name.moved(flags: nil).description == uuid + ".vm,D=1,A=2,S=200,X=y")
  }

  @Test func newOctetsDropTheRecordedSizes() {
    let name = uuid + ".vm,D=1,U=7,S=200,W=210,X=y:2,F"
    #expect(NoteFileName.rewritten(name) == uuid + ".vm,D=1,U=7,X=y:2,F")
    // Also in a name of a mail client's making.
    #expect(NoteFileName.rewritten("1796.M1P2.vm,W=234,S=1:2,S,W=1") == "1796.M1P2.vm:2,S,W=1")
    #expect(NoteFileName.rewritten("S=1,x") == "S=1,x")
  }

  @Test(
    arguments: [
      ("vm", "vm"), ("vm.example.org", "vm"), ("My_Host-1", "My_Host-1"), ("", "localhost"),
      (".example.org", "localhost"), ("a,b:c/d", "a_b_c_d"), ("bü\u{1B}\n", "b____"),
      (String(repeating: "x", count: 300), String(repeating: "x", count: 64)),
    ])
  func aHostsNameBecomesALabel(host: String, label: String) throws {
    #expect(NoteFileName.hostLabel(host) == label)
    let id = try #require(NoteID(uuid))
    let name = NoteFileName(id: id, host: NoteFileName.hostLabel(host))
    #expect(NoteFileName(name.description) == name)
  }

  // RELIABILITY row 12.
  @Test func anyNameIsRefusedOrReadTheSameTwice() {
    var random = SeededGenerator(seed: 16)
    let seeds = Self.cases.map { Array($0.name.utf8) }
    // In three of four rounds the UUID stays whole, so that what follows it is read.
    let pieces = [
      ",", "=", ":2,", "D=", "A=1", "U=9", ".", "\u{301}", "\r\n", "\n", "\0", "é", "T",
      "99999999999999999999", "9223372036854775807", uuid,
    ].map { Array($0.utf8) }
    var read = 0
    for round in 0..<20_000 {
      let seed = seeds[round % seeds.count]
      let whole = round.isMultiple(of: 4) ? 0 : 36
      let mutation = random.mutation(of: Array(seed.dropFirst(whole)), with: pieces)
      let text = String(decoding: seed.prefix(whole) + mutation, as: UTF8.self)
      guard var name = NoteFileName(text) else { continue }
      read += 1
      let again = NoteFileName(name.description)
      name.failures += 1
      guard again.map({ $0.description == NoteFileName($0.description)?.description }) == true,
        NoteFileName(name.description)?.failures == min(name.failures, NoteFileName.mostCounted)
      else {
        Issue.record("round \(round): \(text.debugDescription)")
        return
      }
    }
    // Enough of them are names.
    #expect(read > 5_000)
  }
}
