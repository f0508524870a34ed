import Foundation
import JobRunner
import Loading
import Payments

let stop = StopFlag()
Signals.forward(to: stop)
let arguments = Array(CommandLine.arguments.dropFirst())
let status = await CommandLineTool.run(
    arguments: arguments, executable: Signals.executablePath, environment: ProcessInfo.processInfo.environment,
    stop: stop, isTerminal: isatty(2) == 1, machineClock: { StandardStreams.machineTime() },
    output: { StandardStreams.write($0, to: .output) }, errors: { StandardStreams.write($0, to: .errors) })
exit(status.rawValue)
