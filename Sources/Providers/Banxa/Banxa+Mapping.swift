package import JSON
import Payments

/// How an order of `v2` or `legacy`, or a ramp of Native, becomes ours.
/// - `charged` is what the customer gives: the fiat on a buy, fees included (gross is assumed by the sheet), the crypto
///   on a sale; `delivered` is what the customer gets.
/// - fees are in the order's fiat; an empty text or null is not known, which is not zero.
/// - old names of fields may stand beside new ones, so that both are read in every order.
package struct BanxaMapping: ElementMapping {
    package let resource = "transaction"
    package let redaction: Redaction
    package let comparison: Redaction
    package let known: KnownPaths
    let statusMap: StatusMap
    let surface: BanxaSurface
    /// Events come for every documented final status; Banxa's own sandbox tells of expiries alone.
    let isBanxasSandbox: Bool

    package init(statusMap: StatusMap, surface: BanxaSurface, isBanxasSandbox: Bool = false) {
        self.statusMap = statusMap
        self.surface = surface
        self.isBanxasSandbox = isBanxasSandbox
        redaction = Self.redaction
        comparison = Self.comparison
        known = surface == .native ? Self.knownOfRamps : Self.knownOfOrders
    }

    // Made once: turning paths into a machine costs more than a page of rows.
    private static let redaction = Redaction(paths: Banxa.redactedPaths, opaque: Banxa.opaquePaths)
    private static let comparison = redaction.cutting(Banxa.volatilePaths)
    private static let knownOfRamps = known(Banxa.knownOfRamps)
    private static let knownOfOrders = known(Banxa.knownOfOrders)

    private static func known(_ paths: [String]) -> KnownPaths {
        KnownPaths(paths + Banxa.volatilePaths, cut: Banxa.redactedPaths, opaque: Banxa.opaquePaths)
    }

    package func identity(of element: JSONValue) -> RowIdentity {
        let id = element["id"]?.scalarText
        let created = [element["createdAt"], element["created_at"]].compactMap { $0?.textBytes }.first { !$0.isEmpty }
        return RowIdentity(
            id: id.flatMap { $0.isEmpty ? nil : $0 }, createdAt: created.flatMap { BanxaTime.read($0) })
    }

    package func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction {
        do throws(RowFault) {
            try ElementReader.checkUsable(element)
            let reader = BanxaReader(element: element)
            return surface == .native ? try ramp(reader) : try order(reader)
        } catch {
            // The payment this row belongs to must be known even so: it is not evaluated on this side.
            var fault = error
            fault.recordID = element["id"]?.scalarText
            fault.references = BanxaWord.references(
                element["id"]?.scalarText,
                order: Self.orderNames.lazy.compactMap { element[$0]?.scalarText }.first { !$0.isEmpty },
                hash: BanxaWord.chainHash((element["transactionHash"] ?? element["tx_hash"])?.scalarText))
            throw fault
        }
    }

    private static let orderNames = ["externalId", "externalOrderId", "external_id", "external_order_id"]

    // MARK: Orders of v2 and legacy

    private func order(_ reader: BanxaReader) throws(RowFault) -> MappedTransaction {
        let type = try reader.text("orderType", "order_type")
        let methodID = try reader.text("paymentMethodId")
        let methodName = try reader.text("paymentMethodName", "paymentMethodType", "payment_type", "payment_method")
        let hash = BanxaWord.chainHash(try reader.text("transactionHash", "tx_hash", "transaction_hash"))
        var mapped = try common(
            reader, type: type, method: BanxaWord.methodClass(methodID, methodName), hash: hash)
        mapped.updatedAt = try reader.time("updatedAt", "updated_at")
        if surface == .v2, mapped.updatedAt == nil { mapped.flags.append("updated_at_missing") }
        // A bare number names nothing to a reader.
        let isNumber = methodID?.utf8.allSatisfy { (48...57).contains($0) } == true
        mapped.paymentMethod = isNumber ? methodName ?? methodID : methodID ?? methodName
        mapped.country = try reader.text("country")

        let fiat = try reader.text("fiat", "fiat_code")
        let fiatAmount = try reader.amount("fiatAmount", "fiat_amount")
        var crypto = try reader.code("crypto")
        if crypto == nil { crypto = try reader.text("coin_code") }
        let cryptoAmount = try reader.amount("cryptoAmount", "coin_amount")
        setAmounts(fiat, fiatAmount, crypto, cryptoAmount, into: &mapped)

        mapped.feeProvider = try reader.sum(
            ["processingFee", "processing_fee"], ["fee"], ["fee_tax"], ["payment_fee"], ["payment_fee_tax"],
            ["commission"])
        mapped.feeNetwork = try reader.amount("networkFee", "network_fee")
        mapped.feePartner = try reader.sum(
            ["partnerFee", "partner_fee"], ["merchant_fee"], ["merchant_commission"])
        setFeeCurrency(fiat, into: &mapped)

        setCustomer(try reader.customer("externalCustomerId", "account_reference"), into: &mapped)
        mapped.walletAddress = try reader.text("walletAddress", "wallet_address")
        mapped.walletTag = try tag(reader, "walletAddressTag", "wallet_address_tag")
        let order = try reader.text("externalId", "externalOrderId", "external_id", "external_order_id")
        mapped.references = BanxaWord.references(mapped.transactionID, order: order, hash: hash)
        UnmappedValues.note(reader.element, compared: Banxa.comparedOfOrders, known: known, into: &mapped)
        return mapped
    }

    /// A tag is a text: a number would have lost its leading zeros before it came here.
    private func tag(_ reader: BanxaReader, _ paths: String...) throws(RowFault) -> String? {
        for path in paths { if let tag = try ElementReader.text(reader.element[path: path], path) { return tag } }
        return nil
    }

    // MARK: Ramps of Native

    private func ramp(_ reader: BanxaReader) throws(RowFault) -> MappedTransaction {
        try reader.checkObjects(
            "source", "target", "source.fiat", "source.crypto", "target.fiat", "target.crypto", "receipt")
        let sold = try reader.text("source.crypto.id", "target.fiat.id")
        let bought = try reader.text("source.fiat.id", "target.crypto.id")
        let source = reader.element["source"]
        let isSale = source?["fiat"]?.isObject != true && (source?["crypto"]?.isObject == true || bought == nil)
        guard sold != nil || bought != nil else { throw RowFault("missing: source") }
        let method = try reader.text("source.fiat.method", "target.fiat.method")
        let hash = BanxaWord.chainHash(try reader.text("transactionHash", "transaction_hash"))
        var mapped = try common(
            reader, type: isSale ? "OFFRAMP" : "ONRAMP", method: BanxaWord.methodClass(method), hash: hash)
        mapped.kind = nil
        mapped.updatedAt = try reader.time("updatedAt", "updated_at")
        mapped.paymentMethod = method

        let fiat = try reader.text("source.fiat.id", "target.fiat.id")
        let crypto = try reader.text("source.crypto.id", "target.crypto.id")
        // The receipt says what it came to, the ramp what was asked for.
        let given = try reader.amount("source.amount")
        let got = try reader.amount("target.amount")
        let paid = try reader.amount("receipt.sourceAmount") ?? given
        let received = try reader.amount("receipt.targetAmount") ?? got
        if isSale {
            setAmounts(fiat, received, crypto, paid, into: &mapped)
        } else {
            setAmounts(fiat, paid, crypto, received, into: &mapped)
        }
        mapped.feeProvider = try reader.amount("receipt.gatewayFee")
        mapped.feeNetwork = try reader.amount("receipt.networkFee")
        setFeeCurrency(fiat, into: &mapped)

        setCustomer(try reader.customer("identityReference", "externalCustomerId"), into: &mapped)
        mapped.walletAddress = try reader.text("target.crypto.walletAddress", "source.crypto.walletAddress")
        mapped.walletTag = try tag(reader, "target.crypto.walletAddressMemo", "source.crypto.walletAddressMemo")
        // Not documented for Native, and read where it is there.
        let order = try reader.text("externalId", "externalOrderId")
        mapped.references = BanxaWord.references(mapped.transactionID, order: order, hash: hash)
        UnmappedValues.note(reader.element, compared: Banxa.comparedOfRamps, known: known, into: &mapped)
        return mapped
    }

    // MARK: Both

    private func common(
        _ reader: BanxaReader, type: String?, method: String, hash: String?
    ) throws(RowFault) -> MappedTransaction {
        guard let id = try reader.text("id") else { throw RowFault("missing: id") }
        guard let status = try reader.text("status") else { throw RowFault("missing: status") }
        guard let createdAt = try reader.time("createdAt", "created_at") else { throw RowFault("missing: createdAt") }
        let named = BanxaWord.direction(type)
        let direction = named ?? .in
        let reading = statusMap.reading(status, .init(direction: direction, kind: type ?? "", method: method))
        var mapped = MappedTransaction(
            resource: resource, transactionID: id, createdAt: createdAt, direction: direction, rawStatus: status,
            reading: reading)
        mapped.kind = type
        mapped.money = BanxaWord.money(reading, direction, hash: hash) ?? mapped.money
        if type == nil { mapped.flags.append("type_missing") }
        if type != nil, named == nil { mapped.flags.append("type_unknown") }
        if status == "ACCOUNT_BLOCKED" { mapped.flags.append("attention") }
        if !reading.isKnown { mapped.flags.append("status_unknown") }
        // A coin may need a tag on one chain and none on another.
        if let network = try network(reader) { mapped.flags.append("network=\(network.uppercased())") }
        if announces(reading) { mapped.flags.append("event_expected") }
        return mapped
    }

    /// The chain: a text, an object or a list of objects.
    private func network(_ reader: BanxaReader) throws(RowFault) -> String? {
        if surface == .native { return try reader.text("target.crypto.blockchain", "source.crypto.blockchain") }
        if let named = reader.element["crypto"]?["blockchain"] {
            return try ElementReader.text(named, "crypto.blockchain")
        }
        guard let value = reader.element["blockchain"], !value.isNull else { return nil }
        let one = value.isArray ? value.element(0) : value
        return one?.isObject == true
            ? try ElementReader.text(one?["code"] ?? one?["id"], "blockchain.code")
            : try ElementReader.text(one, "blockchain")
    }

    /// Whether a missing event is a finding. Legacy ones name the order and no status: that one came proves nothing about
    /// any of its statuses.
    private func announces(_ reading: StatusMap.Reading) -> Bool {
        reading.event == .expected && surface != .legacy && (!isBanxasSandbox || reading.state == .expired)
    }

    private func setAmounts(
        _ fiat: String?, _ fiatAmount: ExactDecimal?, _ crypto: String?, _ cryptoAmount: ExactDecimal?,
        into mapped: inout MappedTransaction
    ) {
        let isPurchase = mapped.direction == .in
        mapped.charged = isPurchase ? fiatAmount : cryptoAmount
        mapped.chargedCurrency = isPurchase ? fiat : crypto
        mapped.delivered = isPurchase ? cryptoAmount : fiatAmount
        mapped.deliveredCurrency = isPurchase ? crypto : fiat
        if mapped.money == .returned { mapped.returned = mapped.charged }
        if mapped.charged?.isNegative == true || mapped.delivered?.isNegative == true {
            mapped.flags.append("negative_amount")
        }
    }

    private func setCustomer(_ customer: BanxaReader.Customer?, into mapped: inout MappedTransaction) {
        switch customer {
        case .named(let id): mapped.customerID = id
        case .refused: mapped.flags.append("customer_not_opaque")
        case nil: break
        }
    }

    private func setFeeCurrency(_ fiat: String?, into mapped: inout MappedTransaction) {
        let isKnown = mapped.feeProvider != nil || mapped.feeNetwork != nil || mapped.feePartner != nil
        if isKnown { mapped.feeCurrency = fiat }
    }
}
