/**
 * Consumers come first: what is new in the catalogue is read by this release and published by a later
 * one, or only where a setting says that every consumer can read it. Each difference from the release
 * before, as the test of compatibility words it, with the reason why it does no harm.
 */
const onNewTopics =
  'with topics of their own, which no consumer of the release before subscribes to'

export const unpublished: Readonly<Record<string, 'from the next release on' | `with ${string}`>> =
  {
    'ConsentOwnershipClaimed is not known': onNewTopics,
    'ConsentPartiesObserved is not known': onNewTopics,
    'ConsentQueryReceived is not known': onNewTopics,
    'ConsentRefused is not known': onNewTopics,
    'ConsentRegistered is not known': onNewTopics,
    'ConsentRegistrationReceived is not known': onNewTopics,
    'ConsentRevocationReceived is not known': onNewTopics,
    'ConsentRevoked is not known': onNewTopics,
    'VerificationAnswered is not known': onNewTopics,
    'VerificationQueryReceived is not known': onNewTopics,
    'VerificationReceived is not known': onNewTopics,
  }
