/** Inputs of parsers: valid ones with some changes, so that they come past the first check. */
export { changedBytes } from './bytes.ts'
export { changedJson } from './json.ts'
export { changedText } from './text.ts'
