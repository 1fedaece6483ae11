import Capture
import Configuration
import History
import MessageFormat
import MessageStore
import Outbox
import Posix
import Sealing
import TestSupport
import Testing

@testable import Wording

/// A sentence of the catalog, as the person gets it.
struct Sentence: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let text: String

  init(_ what: Any, _ text: String) {
    testDescription = "\(what)"
    self.text = text
  }
}

// CONVENTIONS: `memo: what: why`, one line, no capital, no full stop.
@Suite struct SentencesTests {
  private static let english = English()
  private static let reply = Reply(code: 550, lines: ["5.1.1 no such user", "", "see above"])
  private static let reason = Reason(.rejected(.rcpt), reply: reply, detail: "detail")

  static let capture: [CaptureSentence] = [
    .empty, .tooLarge(limit: 25 << 20), .inputUnreadable(.accessDenied),
    .attachment(.unreadable(path: "/f", .noSuchFile)), .attachment(.notAFile(path: "/f")),
    .attachment(.tooLarge(path: "/f", limit: 1000)), .notSaved("why"), .notDurable("why"),
    .savedButUnsendable("why"), .idNotPrinted(.brokenPipe), .notPrinted(.brokenPipe), .noHome,
    .noAccount, .noRandomness(Errno(38)), .typingHint, .editor(.folder(.accessDenied)),
    .editor(.notStarted(.noSuchFile)), .editor(.failed(.exited(3), file: "/f")),
    .editor(.failed(.signalled(15), file: "/f")), .editor(.unreadable(.noSuchFile, file: "/f")),
    .editor(.tooLarge(limit: 1000, file: "/f")), .textKept(path: "/f"),
    .textNotKept(.accessDenied), .editorFolderOnDisk(path: "/f"),
    .editorFolderLeft(path: "/f", .accessDenied),
  ]

  static let usage: [UsageSentence] = [
    .option(.unknownOption("-x")), .option(.missingValue("-s")),
    .option(.unexpectedValue("--stay")), .option(.badValue("-s")), .noteHint("flush"),
    .unexpectedArgument(verb: "flush"), .notBuilt("memo watch"),
    .unknownAccount("work", known: []), .unknownAccount("work", known: ["home", "shop"]),
    .nothingToSearch, .missingReference(verb: "resend"), .notAReference("x"),
    .notANumber(option: "-n"), .noClientGiven, .noPlaceholder("mutt"),
    .programMissing("/bin/memo-send"),
  ]

  static let delivery: [DeliverySentence] =
    [nil, "work"].flatMap { (account: String?) -> [DeliverySentence] in
      [
        .paused(account: account, reason),
        .stillHeld(account: account, until: "17:58", reason),
        .limited(account: account, until: "17:58"), .missingKey(account: account, key: "from"),
        .badAddress(account: account, key: "to"),
        .plan(account: account, server: "smtps://mail.example.org"),
      ]
    } + [
      .accepted(id: "8057"), .waits(id: "8057", reason), .perhapsDelivered(id: "8057", reason),
      .failed(id: "8057", reason), .notOurs(id: "8057"), .offline(reason), .local(reason),
      .cannotLock("why"), .notBuilt(line: 3, key: "auth"), .notProtected(reason),
      .accountGone(id: "8057", account: "work"), .planNow(id: "8057"),
      .planLater(id: "8057", until: "17:58"), .systemFailed("why"),
    ] + Trouble.Cause.allCases.map { .pauseHint(Reason(.trouble($0))) }

  static let history: [HistorySentence] =
    [nil, "17:58"].flatMap { (time: String?) -> [HistorySentence] in
      [
        .badgeWaiting(until: time, nil), .badgeWaiting(until: time, reason),
        .state(.sent, until: time), .state(.waiting(until: 0, reason), until: time),
        .state(.waiting(until: 0, nil), until: time),
        .state(.perhapsDelivered(until: 0, reason), until: time),
        .state(.perhapsDelivered(until: 0, nil), until: time), .state(.failed(nil), until: time),
        .state(.failed(reason), until: time), .statusWaiting(2, nextDue: time),
        .statusSent(2, last: time),
      ]
    } + [
      .badgePerhaps, .badgeFailed(nil), .badgeFailed(reason), .sealed, .locked, .damaged, .noText,
      .encrypted, .cannotShow(.encrypted), .cannotShow(.notDecrypted(.notInstalled)),
      .cannotShow(.notDecrypted(.noSecretKey)), .cannotShow(.notDecrypted(.locked)),
      .cannotShow(.notDecrypted(.timedOut(seconds: 30))), .cannotShow(.notDecrypted(.damaged)),
      .cannotShow(.notDecrypted(.failed)), .decryptHint, .statusOpenPGP(reason),
      .statusKeyExpires("17:58", isPast: false), .statusKeyExpires("17:58", isPast: true),
      .noSuchNote("8057"), .ambiguous("8057"), .noNotes, .cannotShow(.vanished),
      .cannotShow(.sealed), .cannotShow(.locked), .cannotShow(.damaged),
      .cannotShow(.store(.notPrivate(path: "/f"))),
      .attachment(name: "f.png", size: 1000), .outputFailed("why"), .statusPerhaps(1),
      .statusFailed(1), .statusHeld(account: nil, until: "17:58", reason),
      .statusHeld(account: "work", until: "17:58", reason), .statusNothingRetries,
      .statusTrouble("why"), .statusKeyLocked,
    ]

  static let view: [ViewSentence] = [
    .noClient("mutt"), .noClient("./mutt"), .clientNotStarted("mutt", .accessDenied),
    .notLaidOut(.accessDenied), .fewerNotesHint, .onDisk(path: "/f"), .unopened(1), .unopened(2),
    .unreadable(1), .unreadable(2), .folderLeft(path: "/f", .accessDenied),
    .noMailboxServer, .mailboxServerHint, .noMailboxServerForRoot, .serverFailed(""),
    .serverFailed("why"),
  ]
  static let verbs: [VerbSentence] =
    [Cancellation.cancelled, .stopped, .underWay, .sent, .failed, .gone]
    .map { .cancellation("@1", $0) } + [
      .notSearched(1), .notSearched(2), .nothingFound, .resentJustNow("@1"), .resendingElsewhere,
      .notResent("@1", .damaged), .notCancelled("@1", .vanished), .copied(by: "xclip"),
      .copiedByTerminal, .noClipboard, .clipboardHint,
      .tooLongForTerminal(80_000, limit: 74_994), .noFiles,
      .cannotSave(folder: "/f", .accessDenied),
    ]

  static let store: [MessageStoreError] = [
    .file(path: "/f", .accessDenied), .notPrivate(path: "/f"),
    .notDurable(path: "/f", .accessDenied), .vanished,
  ]

  static let identity: [IdentityFolder.Failure] = [
    .file(path: "/f", .accessDenied), .keyMissing(path: "/f"), .certificateMissing(path: "/f"),
    .unusable(path: "/f", .keyLocked), .passphrase(.commandWrong),
    .passphrase(.command(.timedOut)), .passphrase(.terminal(.accessDenied)), .busy(path: "/f"),
  ]

  static let sealing: [SealingError] = [
    .notSealed, .otherRecipient, .damaged, .keyUnreadable, .keyLocked, .passphraseWrong,
    .certificateUnreadable, .keyDoesNotMatch, .noRandomness(errno: 38), .library(code: 7),
  ]

  static let reasons: [Reason] =
    Outcome.Stage.allCases.flatMap { [Reason(.deferred($0)), Reason(.rejected($0))] }
    + Trouble.Cause.allCases.flatMap { [Reason(.trouble($0)), Reason(.unknown($0))] }
    + [Reason(.tooOld), Reason(.unanswered), Reason(.damaged), reason]

  static let forms: [ValueForm] = [
    .yesOrNo, .oneOf(["own", "any"]), .duration(.seconds(1) ... .seconds(432_000)),
    .durationsOrOff(.seconds(0) ... .seconds(60)),
    .keep(.seconds(86400) ... .seconds(864_000), 1000...2000),
    .byteCount(ByteCount(1)...ByteCount(25 << 20)), .rate, .submissionServer, .imapServer, .path,
    .ehloName, .certificateFingerprint, .keyFingerprint,
  ]

  static let configuration: [ConfigurationError] =
    [
      .noHome, .unreadable(file: "/f", .accessDenied), .refused(file: "/f", .ownedByAnother),
      .refused(file: "/f", .readableByOthers), .refused(file: "/f", .writableByOthers),
    ]
    + ([
      .notUTF8, .controlCharacter, .unclosedSection, .textAfterSection,
      .unknownSection("acount", nearest: .account), .unknownSection("x", nearest: nil),
      .invalidAccountName("a/b"), .sectionTakesNoName(.delivery),
      .repeatedSection(.account, account: nil, firstLine: 1),
      .repeatedSection(.account, account: "work", firstLine: 1), .missingEquals, .missingKey,
      .keyBeforeSection("from"), .unknownKey("form", in: .account, nearest: .account(.from)),
      .unknownKey("form", in: .delivery, nearest: .account(.from)),
      .unknownKey("x", in: .account, nearest: nil),
      .repeatedKey(.account(.from), firstLine: 2), .emptyValue(.account(.from)),
      .conflictingKeys(.account(.passwordFile), and: .account(.passwordCommand), firstLine: 2),
    ] + forms.map { .invalidValue(.account(.server), allowed: $0) })
    .map { .invalid(file: "/f", line: 3, $0) }

  static let key: [KeySentence] = [
    .none, .notOnTerminal, .notOnTerminalHint, .notWritten(path: "/f", .accessDenied),
    .notWritten(path: "/f", .fileExists), .writtenInClear(path: "/f"),
    .oldKeysApart(1, folder: "/f"), .oldKeysApart(2, folder: "/f"), .noTerminal, .emptyPassphrase,
    .emptyPassphraseHint, .differ, .noPassphrase(.noData),
    .passphraseFile(path: "/f", .accessDenied), .passphraseFileOpen(path: "/f"), .hasNoPassphrase,
    .wouldLockSender, .wouldLockSenderHint, .commandDiffers, .commandFails(.command(.empty)),
    .oldKeyLeft(name: "0a"), .recoverNeedsFolder, .notRecovered(path: "/f", why: "why"),
    .recovered(1, present: 0, bad: 0), .recovered(2, present: 1, bad: 1),
    .otherFileThere(path: "/f"), .isOpenPGP, .isNoNote, .keyOption(path: "/f", .damaged),
    .rotated(keyIdentifier: "0a"), .rotatedHint, .senderAtWork,
    .rewrapped(1, already: 0, bad: 0), .rewrapped(2, already: 1, bad: 1),
    .notRewrapped(path: "/f", why: "why"), .oldKeyRemoved(name: "0a"), .oldKeysKept,
    .tooSoon(until: "17:58"),
  ]

  static let all: [Sentence] =
    key.map { Sentence($0, english.text($0)) } + capture.map { Sentence($0, english.text($0)) }
    + usage.map { Sentence($0, english.text($0)) }
    + delivery.map { Sentence($0, english.text($0)) }
    + history.map { Sentence($0, english.text($0)) }
    + view.map { Sentence($0, english.text($0)) }
    + verbs.map { Sentence($0, english.text($0)) }
    + store.map { Sentence($0, english.text($0)) }
    + identity.map { Sentence($0, english.text($0)) }
    + sealing.map { Sentence($0, english.text($0)) }
    + reasons.map { Sentence($0, english.text($0)) }
    + configuration.map { Sentence($0, english.text($0)) }

  @Test(arguments: all) func aSentenceIsOneLineWithoutCapitalAndFullStop(_ sentence: Sentence) {
    let text = sentence.text
    #expect(!text.isEmpty)
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
    #expect(!text.hasSuffix(".") || text.hasSuffix("..."))
    #expect(!text.hasSuffix(" ") && !text.hasSuffix(":"))
    #expect(text.first?.isUppercase == false)
    #expect(!text.contains("Optional(") && !text.contains("nil"))
  }

  @Test func noTwoReasonsSayTheSame() {
    let kinds = Self.reasons.dropLast().map { Self.english.text($0) }
    #expect(Set(kinds).count == kinds.count)
  }

  @Test(
    arguments: [
      (HistorySentence.statusWaiting(0, nextDue: nil), "nothing waits"),
      (.statusWaiting(0, nextDue: "17:58"), "nothing waits"),
      (.statusWaiting(1, nextDue: nil), "1 note waits"),
      (.statusWaiting(2, nextDue: "17:58"), "2 notes wait, next due 17:58"),
      (.statusPerhaps(0), "0 of them were perhaps delivered"),
      (.statusPerhaps(1), "1 of them was perhaps delivered"),
      (.statusPerhaps(2), "2 of them were perhaps delivered"),
      (.statusFailed(0), "0 notes failed: memo log --failed"),
      (.statusFailed(1), "1 note failed: memo log --failed"),
      (.statusFailed(2), "2 notes failed: memo log --failed"),
      (.statusSent(0, last: nil), "0 notes sent"),
      (.statusSent(1, last: nil), "1 note sent"),
      (.statusSent(2, last: "yesterday"), "2 notes sent, the last one yesterday"),
    ])
  func numbersHaveTheirPlural(sentence: HistorySentence, text: String) {
    #expect(Self.english.text(sentence) == text)
  }

  // C11: code and all lines of a reply, empty ones left out.
  @Test func aReasonQuotesTheServerWhole() {
    #expect(
      Self.english.text(Self.reason)
        == "the server refused it at the recipient's address: "
        + "550 5.1.1 no such user / see above (detail)")
    let silent = Reason(.deferred(.mail), reply: Reply(code: 451, lines: [""]))
    #expect(
      Self.english.text(silent)
        == "the server refused it for now at the sender's address: 451 (no text)")
  }

  @Test func theHintToARefusedFileIsACommand() {
    #expect(
      Self.english.text(ConfigurationError.refused(file: "/f", .readableByOthers))
        == "/f can be read by others; run: chmod go= /f")
  }

  @Test func whatAnAccountLacksIsNamed() {
    let language: any Language = Self.english
    #expect(
      language.text(.missing(.passwordCommand), of: "work")
        == "account 'work' has no 'password-command' in its settings")
    #expect(
      language.text(.badAddress(.to), of: nil)
        == "'to' of the account is not an address that can be used")
  }

  @Test(arguments: [nil, "flush", "log", "show", "status", "key", "unknown verb"])
  func helpIsOfShortLinesAndEndsInOne(verb: String?) {
    let help = Self.english.help(verb)
    #expect(help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
    #expect(help.split(separator: "\n").allSatisfy { $0.utf8.count <= 90 })
    #expect(help.utf8.allSatisfy { $0 == 10 || (0x20..<0x7F).contains($0) })
  }

  @Test(arguments: ["flush", "log", "show", "status", "key"])
  func aVerbsHelpBeginsWithItsUsage(verb: String) {
    #expect(Self.english.help(verb).hasPrefix("usage: memo \(verb)"))
    #expect(Self.english.help(nil).contains("memo \(verb)"))
  }
}
