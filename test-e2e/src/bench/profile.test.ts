import { expect, test } from '@jest/globals'
import { readProfile, type CpuProfile } from './profile.ts'

const root = 'file:///somewhere/causeway'

function node(id: number, functionName: string, url: string, children: readonly number[] = []) {
  return { id, children, callFrame: { functionName, url, lineNumber: id } }
}

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 4, 8, 9]),
    node(2, '(idle)', ''),
    node(3, '(program)', ''),
    node(4, 'handle', `${root}/services/transfers/dist/handle.js`, [5, 7]),
    node(5, 'send', `${root}/libs/http/dist/client.js`, [6]),
    node(6, 'writev', ''),
    node(7, 'query', `${root}/node_modules/.pnpm/pg@8/node_modules/pg/lib/client.js`),
    node(8, 'onread', 'node:net'),
    node(9, '(garbage collector)', ''),
  ],
  startTime: 1_000,
  samples: [4, 2, 5, 6, 7, 8, 3, 9, 4],
  timeDeltas: [10, 100, 20, 30, 40, 5, 6, 7, 1_000],
}
const span = { from_us: 1_050, to_us: 2_000 }

test('Only work within the span counts', () => {
  expect(readProfile(profile, span).busy_us).toBe(20 + 30 + 40 + 5 + 6 + 7)
})

test('Functions have their self time and their location in the hub or in their package', () => {
  expect(readProfile(profile, span).functions).toEqual([
    { name: 'query pg/lib/client.js:8', us: 40 },
    { name: 'writev (native) for libs/http', us: 30 },
    { name: 'send libs/http/dist/client.js:6', us: 20 },
    { name: '(garbage collector)', us: 7 },
    { name: '(program)', us: 6 },
    { name: 'onread node:net:9', us: 5 },
  ])
})

test('Work that other code does for a part of the hub counts for that part', () => {
  expect(readProfile(profile, span).parts).toEqual([
    { name: 'libs/http', us: 50 },
    { name: 'services/transfers', us: 40 },
    { name: '(garbage collector)', us: 7 },
    { name: '(program)', us: 6 },
    { name: 'node', us: 5 },
  ])
})
