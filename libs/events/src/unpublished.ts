/**
 * Consumers come first: what is new in the catalogue is read by this release and published by a
 * later one, or only where a setting declares that every consumer can read it. Each difference from
 * the release before, as the compatibility test prints it, with the reason why it is harmless.
 * A file of its own: it changes with each release.
 */
export const unpublished: Readonly<Record<string, 'from the next release on' | `with ${string}`>> =
  {}
