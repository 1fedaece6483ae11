internal import Posix

Hardening.apply()
let arguments = Hardening.takeArguments().map { String(decoding: $0, as: UTF8.self) }
MemoSend(environment: .current, clock: .system, random: .system).run(arguments).exit()
