// swift-tools-version: 6.2
// Targets and who may import whom: left to right, never back (ARCHITECTURE.md; Tests/HouseTests holds it).
//   tieout → JobRunner → {Loading, Reconciling, Reporting} → {Providers, Postgres}
//          → {HTTP, JSON, Crypto, Compression} → Payments
// Sandbox imports only Payments, JSON, Crypto, Compression: it must not share a provider's mapping.

import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: Bool = false) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, exclude: resources ? ["Fixtures"] : [], swiftSettings: strict)
}

let package = Package(
    name: "tieout",
    targets: [
        // C libraries, from Debian's -dev packages.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .target(
            name: "CSimdJSON", publicHeadersPath: "include",
            cxxSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        library("Payments", []),
        library("JSON", ["CSimdJSON", "Payments"]),
        library("Crypto", ["CCrypto", "Payments"]),
        library("Compression", ["CZlib", "CZstd", "Payments"]),
        library("HTTP", ["CCurl", "CZlib", "Payments"]),
        library("Postgres", ["CPostgres", "Crypto", "Payments"]),
        library("Providers", ["HTTP", "JSON", "Crypto", "Compression", "Payments"]),
        library("Loading", ["Providers", "Postgres", "HTTP", "JSON", "Crypto", "Compression", "Payments"]),
        library("Reconciling", ["Providers", "Postgres", "JSON", "Crypto", "Payments"]),
        library("Reporting", ["Postgres", "JSON", "Crypto", "Payments"]),
        library(
            "JobRunner",
            ["Loading", "Reconciling", "Reporting", "Providers", "Postgres", "HTTP", "JSON", "Crypto", "Payments"]),
        library(
            "Sandbox", ["CMicroHTTPD", "JSON", "Crypto", "Compression", "Payments"], exclude: ["README.md"]),
        .executableTarget(name: "tieout", dependencies: ["JobRunner", "Loading", "Payments"], swiftSettings: strict),
        .executableTarget(name: "tieout-sandbox", dependencies: ["Sandbox"], swiftSettings: strict),

        // What tests share: a real PostgreSQL cloned per test, fixtures, the checkout's root.
        .target(
            name: "TestSupport", dependencies: ["Postgres", "Crypto", "Payments"], path: "Tests/TestSupport",
            swiftSettings: strict),
        // A simulated API behind our own fetcher, without a socket, in virtual time.
        .target(
            name: "SandboxSupport", dependencies: ["HTTP", "Sandbox", "Payments"], path: "Tests/SandboxSupport",
            swiftSettings: strict),
        tests("Payments", ["Payments"]),
        tests("JSON", ["JSON", "Payments"]),
        tests("Crypto", ["Crypto", "Payments"]),
        tests("Compression", ["Compression", "Payments"]),
        tests("HTTP", ["HTTP", "Payments", "TestSupport"], resources: true),
        tests("Postgres", ["Postgres", "Crypto", "Payments", "TestSupport"], resources: true),
        tests("Providers", ["Providers", "HTTP", "JSON", "Crypto", "Payments", "TestSupport"]),
        tests(
            "Loading",
            [
                "Loading", "Reconciling", "Providers", "Postgres", "HTTP", "JSON", "Crypto", "Compression", "Payments",
                "Sandbox", "SandboxSupport", "TestSupport",
            ]),
        tests("Reconciling", ["Reconciling", "Providers", "Postgres", "JSON", "Payments", "TestSupport"]),
        tests("Reporting", ["Reporting", "Postgres", "JSON", "Crypto", "Payments", "TestSupport"], resources: true),
        tests(
            "JobRunner",
            ["JobRunner", "Loading", "Reconciling", "Postgres", "JSON", "Payments", "Sandbox", "TestSupport"]),
        tests("Sandbox", ["Sandbox", "JSON", "Crypto", "Payments", "TestSupport"]),
        tests(
            "Conformance",
            [
                "JobRunner", "Loading", "Providers", "Postgres", "HTTP", "JSON", "Crypto", "Payments", "Sandbox",
                "SandboxSupport", "TestSupport",
            ], resources: true),
        tests("House", ["JobRunner", "Reconciling", "Providers", "Postgres", "Payments", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
