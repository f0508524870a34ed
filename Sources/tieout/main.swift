import Foundation
import JobRunner
import Loading
import Payments

StandardStreams.open()
let stop = StopFlag()
Signals.forward(to: stop)
let arguments = Array(CommandLine.arguments.dropFirst())
var status = await CommandLineTool.run(
    arguments: arguments, executable: Signals.executablePath, environment: ProcessInfo.processInfo.environment,
    stop: stop, isTerminal: isatty(2) == 1, machineClock: { StandardStreams.machineTime() },
    output: { StandardStreams.write($0, to: .output) }, errors: { StandardStreams.write($0, to: .errors) })
if StandardStreams.hasOutputFailed {
    StandardStreams.write("tieout: output: standard output could not be written\n", to: .errors)
    status = max(status, .internalFailure)
}
exit(status.rawValue)
