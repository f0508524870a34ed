extension Banxa {
    /// Bearer links and tokens, instructions with bank data, free text and personal data: cut before anything is stored,
    /// at any depth.
    static let redactedPaths =
        PersonalData.paths + [
            "**.checkoutUrl", "**.checkout_url", "**.nativeToken", "**.native_token", "**.orderStatusUrl",
            "**.order_status_url", "**.redirectUrl", "**.redirect_url", "**.token", "**.applePayToken",
            "**.paymentData", "**.recipientEmail", "**.name", "**.addressLine1", "**.customer", "**.identity",
            "**.metadata", "**.meta_data", "**.sourceDepositInstructions", "**.instructions", "**.internal_reason",
            "**.external_reason", "**.internalReason", "**.externalReason",
        ]

    /// The partner's own ids of customers: kept only where they are opaque, since nothing keeps a partner from putting an
    /// e-mail address there.
    static let opaquePaths = [
        "**.identityReference", "**.identity_reference", "**.externalCustomerId", "**.external_customer_id",
        "**.account_reference",
    ]

    /// Confirmations count on with the chain.
    static let volatilePaths = ["tx_confirms"]

    /// Paths of orders that a column holds.
    static let mappedOfOrders = [
        "id", "externalId", "externalOrderId", "external_id", "external_order_id", "externalCustomerId",
        "account_reference", "country", "orderType", "order_type", "status", "createdAt", "created_at", "updatedAt",
        "updated_at", "crypto", "crypto.id", "coin_code", "fiat", "fiat_code", "fiatAmount", "fiat_amount",
        "cryptoAmount", "coin_amount", "paymentMethodId", "paymentMethodName", "paymentMethodType", "payment_type",
        "payment_method", "processingFee", "processing_fee", "networkFee", "network_fee", "partnerFee", "partner_fee",
        "fee", "fee_tax", "payment_fee", "payment_fee_tax", "commission", "merchant_fee", "merchant_commission",
        "walletAddress", "wallet_address", "walletAddressTag", "wallet_address_tag", "transactionHash", "tx_hash",
        "transaction_hash",
    ]

    /// Documented scalars of orders that no column holds and whose change is news.
    static let comparedOfOrders = [
        "account_id", "blockchain", "blockchain.code", "blockchain.id", "completed_at", "created_date",
        "crypto.address", "crypto.blockchain", "crypto.network", "ref", "subPartnerId",
    ]

    static let knownOfOrders =
        mappedOfOrders + comparedOfOrders + [
            "blockchain.description", "blockchain[].code", "blockchain[].description", "blockchain[].id",
        ]

    /// Paths of ramps that a column holds.
    static let mappedOfRamps = [
        "id", "identityReference", "externalCustomerId", "externalId", "externalOrderId", "status", "createdAt",
        "created_at", "updatedAt", "updated_at", "transactionHash", "transaction_hash", "source.amount",
        "target.amount", "receipt.gatewayFee", "receipt.networkFee", "receipt.sourceAmount", "receipt.targetAmount",
        "source.fiat.id", "source.fiat.method", "source.crypto.id", "source.crypto.walletAddress",
        "source.crypto.walletAddressMemo", "target.fiat.id", "target.fiat.method", "target.crypto.id",
        "target.crypto.walletAddress", "target.crypto.walletAddressMemo",
    ]

    /// Documented scalars of ramps that no column holds and whose change is news.
    static let comparedOfRamps = ["subPartnerId", "source.crypto.blockchain", "target.crypto.blockchain"]

    static let knownOfRamps = mappedOfRamps + comparedOfRamps

    /// All that is kept of a webhook's body, whatever it is about.
    static let keptOfEvents = [
        "account_reference", "asset_price", "created_at", "crypto_amount", "crypto_blockchain", "crypto_coin",
        "event", "external_customer_id", "external_id", "fiat_amount", "fiat_currency", "identityReference",
        "identity_reference", "network_fee", "order_id", "order_type", "payment", "payment_method", "processing_fee",
        "status", "status_date", "transaction_hash", "type", "updated_at", "usd_exchange_rate",
    ]
}
