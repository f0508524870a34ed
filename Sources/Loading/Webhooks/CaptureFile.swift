import Compression
import Crypto
import Providers

extension Relay where Element == CaptureBatch {
    /// Reads and judges the lines of a file, a batch at a time, on a thread of its own.
    convenience init(_ file: InputFile, _ judge: DeliveryJudge, batchSize: Int) {
        self.init(label: "tieout.capture") { put in
            var batch = CaptureBatch()
            let lines = try CapturedLines(file)
            while let line = try lines.next() {
                Self.take(line, of: file, judge, into: &batch)
                if batch.isFull(at: batchSize) {
                    try batch.settle(judge)
                    if !put(batch) { return }
                    batch = CaptureBatch()
                }
            }
            try batch.settle(judge)
            _ = put(batch)
        }
    }

    private static func take(_ line: Line, of file: InputFile, _ judge: DeliveryJudge, into batch: inout CaptureBatch) {
        let place = DeliveryPlace(digest: file.digest, line: line.number)
        switch line {
        case .tooLong(_, let length, let head):
            let fault = RowFault("line: longer than a delivery can be")
            batch.add(.failure(fault), judge, at: place, length: length) { Digest.sha256(head) }
        case .text(_, let bytes):
            // An empty line is no delivery.
            if bytes.allSatisfy({ $0 == 32 || $0 == 9 }) { return }
            let read: Result<WebhookDelivery, RowFault>
            do throws(RowFault) { read = .success(try DeliveryLine.read(bytes)) } catch { read = .failure(error) }
            batch.add(read, judge, at: place, length: bytes.count) { Digest.sha256(bytes) }
        }
    }
}

/// Lines of a file whose faults name it.
private final class CapturedLines {
    private let reader: LineReader
    private let name: String

    init(_ file: InputFile) throws(LoadFault) {
        name = file.name
        do throws(CompressionFault) {
            reader = LineReader(try ByteReader(path: file.path))
        } catch {
            throw LoadFault(.unreadable, "\(file.name): \(error)")
        }
    }

    func next() throws(LoadFault) -> Line? {
        do throws(CompressionFault) {
            return try reader.next()
        } catch {
            throw LoadFault(.unreadable, "\(name): \(error)")
        }
    }
}
