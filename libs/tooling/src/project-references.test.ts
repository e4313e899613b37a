import { expect, test } from '@jest/globals'
import { projectReferences } from './project-references.mjs'

test.each([...projectReferences()])(
  'The file %s refers to the packages that its package depends on',
  (_path, { text, wanted }) => {
    // The build writes the file.
    expect(text).toBe(wanted)
  },
)
