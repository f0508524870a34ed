import Foundation
import Testing

@Suite("House style of the JSON module")
struct HouseStyleTests {
    @Test("case 38: no source of the module names a binary fraction")
    func noBinaryFractions() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for folder in ["Sources/JSON", "Sources/CSimdJSON"] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".cpp") || $0.hasSuffix(".h") || $0.hasSuffix(".hpp") }
            #expect(files.count >= 4)
            for file in files {
                let text = try String(contentsOf: root.appending(path: "\(folder)/\(file)"), encoding: .utf8)
                for word in ["Double", "double", "Float", "float", "NSNumber", "strtod"] {
                    #expect(!text.contains(word), "\(folder)/\(file) names \(word)")
                }
            }
        }
    }
}
