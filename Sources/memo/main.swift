internal import Posix

Hardening.apply()
let arguments = Hardening.takeArguments()
Memo(environment: .current, clock: .system, random: .system).run(arguments).exit()
