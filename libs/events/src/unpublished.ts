/**
 * Consumers come first: what is new in the catalogue is read by this release and published by a later
 * one, or only where a setting says that every consumer can read it. Each difference from the release
 * before, as the test of compatibility words it, with the reason why it does no harm.
 */
export const unpublished: Readonly<Record<string, 'from the next release on' | `with ${string}`>> =
  {}
