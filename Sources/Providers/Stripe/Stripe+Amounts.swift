import Payments

extension StripeMapping {
    /// Dollars and euros on a chain: at par with their currency, so that a session tells by itself whether its
    /// `source_amount` includes the fees.
    static let atPar = ["USDC": "USD", "USDT": "USD", "USDP": "USD", "PYUSD": "USD", "USDB": "USD", "EURC": "EUR"]

    /// The parts are stored as they are. Which reading of `source_amount` fits stands in a flag:
    /// `reading_fees_included` or `reading_fees_on_top` where the amounts prove it, `reading_open` where they do not,
    /// and the reading is taken that is configured, or that all other rows prove; what was charged by the other one stands
    /// in a flag of its own, `fees_on_top=104.21` or `fees_included=100`, so that the order may tell (`scope.reported`).
    /// Without fees both readings are the same.
    func amounts(of reader: FieldReader, into mapped: inout MappedTransaction) throws(RowFault) {
        let source = try reader.amount(F.sourceAmount)
        let sourceCurrency = try reader.text(F.sourceCurrency)?.uppercased()
        mapped.delivered = try reader.amount(F.destinationAmount)
        mapped.deliveredCurrency = try reader.text(F.destinationCurrency)?.uppercased()
        mapped.chargedCurrency = sourceCurrency
        mapped.charged = source
        mapped.feeNetwork = try reader.amount(F.networkFee)
        mapped.feeProvider = try reader.amount(F.transactionFee)
        let fees = [mapped.feeNetwork, mapped.feeProvider].compactMap(\.self)
        if !fees.isEmpty { mapped.feeCurrency = sourceCurrency }
        if fees.count == 2 {
            guard let total = ExactSum.of(fees) else { throw RowFault("fees: beyond supported precision") }
            mapped.feeTotal = total
        }
        if mapped.charged?.isNegative == true || mapped.delivered?.isNegative == true
            || fees.contains(where: \.isNegative)
        {
            mapped.flags.append("negative_amount")
        }
        guard let source, !fees.isEmpty, !fees.allSatisfy(\.isZero) else { return }
        let onTop = ExactSum.of([source] + fees)
        let reading: StripeConfiguration.SourceReading
        if let proven = proven(source, fees, mapped) {
            reading = proven
            mapped.flags.append(proven.flag)
        } else {
            reading = sourceReading
            mapped.flags.append("reading_open")
            if reading == .excludesFees {
                mapped.flags.append("fees_included=\(source)")
            } else if let onTop {
                mapped.flags.append("fees_on_top=\(onTop)")
            }
        }
        if reading == .excludesFees {
            guard let onTop else { throw RowFault("\(F.sourceAmount.path): beyond supported precision") }
            mapped.charged = onTop
        }
    }

    /// Nil: the amounts of this session do not tell.
    private func proven(
        _ source: ExactDecimal, _ fees: [ExactDecimal], _ mapped: MappedTransaction
    ) -> StripeConfiguration.SourceReading? {
        guard fees.count == 2, let delivered = mapped.delivered, let asset = mapped.deliveredCurrency,
            let par = Self.atPar[asset], par == mapped.chargedCurrency
        else { return nil }
        if ExactSum.equals(source, [delivered] + fees) { return .includesFees }
        return ExactSum.equals(source, [delivered]) ? .excludesFees : nil
    }
}
