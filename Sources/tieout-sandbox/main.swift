import Glibc
import Sandbox

exit(SandboxCommand.run(Array(CommandLine.arguments.dropFirst())))
