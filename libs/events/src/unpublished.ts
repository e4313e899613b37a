/**
 * Consumers come first: what is new in the catalogue is read by this release and published by a
 * later one, or only where a setting declares that every consumer can read it. Each difference from
 * the release before, as the compatibility test prints it, with the reason why it is harmless.
 */
const onNewTopics =
  'with topics of their own, which no consumer of the release before subscribes to'

export const unpublished: Readonly<Record<string, 'from the next release on' | `with ${string}`>> =
  {
    'BulkQuoteAcceptedCallbackReport is not known': onNewTopics,
    'BulkQuoteItemsRefused is not known': onNewTopics,
    'BulkQuoteItemsRefusedCallbackReport is not known': onNewTopics,
    'BulkQuoteQueryForwarded is not known': onNewTopics,
    'BulkQuoteQueryReceived is not known': onNewTopics,
    'BulkQuoteQueryResponse is not known': onNewTopics,
    'BulkQuoteQueryResponseCallbackReport is not known': onNewTopics,
    'BulkQuoteReceivedCallbackReport is not known': onNewTopics,
    'BulkQuoteRejectAccepted is not known': onNewTopics,
    'BulkQuoteRejectCallbackReport is not known': onNewTopics,
    'BulkQuoteRejectReceived is not known': onNewTopics,
    'BulkQuoteRequestAccepted is not known': onNewTopics,
    'BulkQuoteRequestReceived is not known': onNewTopics,
    'BulkQuoteResponseAccepted is not known': onNewTopics,
    'BulkQuoteResponseReceived is not known': onNewTopics,
    'BulkTransferCompleted is not known': onNewTopics,
    'BulkTransferCompletedCallbackReport is not known': onNewTopics,
    'BulkTransferFulfilRequested is not known': onNewTopics,
    'BulkTransferItemsEnded is not known': onNewTopics,
    'BulkTransferPrepareAccountsAllocated is not known': onNewTopics,
    'BulkTransferPrepareCallbackReport is not known': onNewTopics,
    'BulkTransferPrepareRefused is not known': onNewTopics,
    'BulkTransferPrepareRefusedCallbackReport is not known': onNewTopics,
    'BulkTransferPrepareRequested is not known': onNewTopics,
    'BulkTransferPrepared is not known': onNewTopics,
    'BulkTransferQueryPassedOn is not known': onNewTopics,
    'BulkTransferQueryReceived is not known': onNewTopics,
    'BulkTransferQueryResponse is not known': onNewTopics,
    'BulkTransferQueryResponseCallbackReport is not known': onNewTopics,
    'BulkTransferRejectRequested is not known': onNewTopics,
    'BulkTransferRejected is not known': onNewTopics,
    'BulkTransferRejectedCallbackReport is not known': onNewTopics,
    'ComponentKeysChanged is not known': onNewTopics,
    'ConsentOwnershipClaimed is not known': onNewTopics,
    'ConsentPartiesObserved is not known': onNewTopics,
    'ConsentQueryReceived is not known': onNewTopics,
    'ConsentRefused is not known': onNewTopics,
    'ConsentRegistered is not known': onNewTopics,
    'ConsentRegistrationReceived is not known': onNewTopics,
    'ConsentRevocationReceived is not known': onNewTopics,
    'ConsentRevoked is not known': onNewTopics,
    'CredentialEnding is not known': onNewTopics,
    'DayReportStored is not known': onNewTopics,
    'InvalidBulkQuoteRequest is not known': onNewTopics,
    'InvalidBulkQuoteRequestCallbackReport is not known': onNewTopics,
    'InvalidFSPInBulkQuoteRequest is not known': onNewTopics,
    'InvalidFSPInBulkQuoteRequestCallbackReport is not known': onNewTopics,
    '/log-write is expected on audit, not on logs': onNewTopics,
    '/random-number-gen is expected on audit, not on random-numbers.requests': onNewTopics,
    'RandomNumberGenerated is not known': onNewTopics,
    'RuleViolatedInBulkQuoteResponse is not known': onNewTopics,
    'RuleViolatedInBulkQuoteResponseCallbackReport is not known': onNewTopics,
    'ThirdPartyAuthorizationObserved is not known': onNewTopics,
    'ThirdPartyTransactionObserved is not known': onNewTopics,
    'ThirdPartyVerificationObserved is not known': onNewTopics,
    'VerificationAnswered is not known': onNewTopics,
    'VerificationQueryReceived is not known': onNewTopics,
    'VerificationReceived is not known': onNewTopics,
  }

/** What the release before had in its catalogue, and no component of it published. */
export const neverPublished: readonly string[] = [
  '/log-write is expected on logs, not on audit',
  '/random-number-gen is expected on random-numbers.requests, not on audit',
]
